//! Maps whose entries come and go for as long as the server runs.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// Entries for which a map keeps its memory in any case.
const KEPT_ENTRIES: usize = 64;

/// Returns the memory of a map that once had many more entries. It costs time in proportion to what was removed since.
pub fn shrink<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>) {
    if map.capacity() > 4 * map.len().max(KEPT_ENTRIES) {
        map.shrink_to(2 * map.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_was_large_is_small_again() {
        let mut map: HashMap<u32, u32> = (0..100_000).map(|n| (n, n)).collect();
        for n in 0..100_000 {
            map.remove(&n);
            shrink(&mut map);
            assert!(map.capacity() <= 8 * map.len().max(KEPT_ENTRIES), "{} of {}", map.capacity(), map.len());
        }
        let few = map.capacity();
        shrink(&mut map);
        assert_eq!(map.capacity(), few);
    }
}
