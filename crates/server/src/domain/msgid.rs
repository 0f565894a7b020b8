//! Makes msgids, which sort by the time of their creation.

use rand::RngExt;
use tidings_model::{MsgId, Stamp};

const BASE62_DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A msgid of twelve letters and digits, the format of ntfy's ids: nine encode the stamp, so that an index grows at its
/// end, and three are random, so that the next one can't be guessed.
pub fn mint(stamp: Stamp) -> MsgId {
    let mut text = String::with_capacity(12);
    let mut number = u64::try_from(stamp.as_micros()).unwrap_or(0);
    for _ in 0..9 {
        text.insert(0, base62_digit(number % 62));
        number /= 62;
    }
    let mut rng = rand::rng();
    for _ in 0..3 {
        text.push(base62_digit(rng.random_range(0..62)));
    }
    MsgId(text)
}

fn base62_digit(n: u64) -> char {
    usize::try_from(n).ok().and_then(|n| BASE62_DIGITS.get(n)).map_or('0', |b| char::from(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_their_stamps_do() {
        let a = mint(Stamp::from_micros(1_795_000_000_000_000));
        let b = mint(Stamp::from_micros(1_795_000_000_000_001));
        assert_eq!(a.as_str().len(), 12);
        assert!(a.as_str() < b.as_str());
    }
}
