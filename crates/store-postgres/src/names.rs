//! Locks of names, which are held until the end of a transaction.

use sha2::{Digest, Sha256};

/// Locks names; `$1` the numbers that [`lock_numbers`] makes of them, in their order.
pub(super) const LOCK_NAMES: &str = "SELECT pg_advisory_xact_lock(n) FROM unnest($1) n";

/// The numbers of names, in the order in which they are locked.
pub(super) fn lock_numbers(names: &[&[&str]]) -> Vec<i64> {
    let number = |parts: &&[&str]| {
        let mut hash = Sha256::new();
        for part in *parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().iter().take(8).fold(0_i64, |n, byte| (n << 8) | i64::from(*byte))
    };
    let mut numbers: Vec<i64> = names.iter().map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_locked_in_one_order_and_parts_do_not_run_together() {
        let numbers = lock_numbers(&[&["key", "a", "bc"], &["key", "ab", "c"], &["key", "a", "bc"]]);
        assert_eq!(numbers.len(), 2);
        assert!(numbers.is_sorted());
        assert_eq!(numbers, lock_numbers(&[&["key", "ab", "c"], &["key", "a", "bc"]]));
    }
}
