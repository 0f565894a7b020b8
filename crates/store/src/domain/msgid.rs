//! Makes msgids, which sort by the time of their creation.

use rand::RngExt;
use tidings_model::{MsgId, Stamp};

const BASE62_DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A msgid of twelve letters and digits, the format of ntfy's ids. Nine encode the stamp, so that an index grows at its
/// end. Three are random, so that the next one can't be guessed.
pub fn mint(stamp: Stamp) -> MsgId {
    let mut text = digits(stamp);
    let mut rng = rand::rng();
    for _ in 0..3 {
        text.push(base62_digit(rng.random_range(0..62)));
    }
    MsgId(text)
}

/// The id of a revision at a stamp, as those who listen to a topic see it: in the format of msgids, and always the same.
pub fn of_revision(msgid: &MsgId, stamp: Stamp) -> String {
    let suffix = msgid.as_str().len().saturating_sub(3);
    digits(stamp) + msgid.as_str().get(suffix..).unwrap_or_default()
}

/// The stamp that an id of twelve letters and digits encodes; `None` for any other text.
pub fn stamp_of(id: &str) -> Option<Stamp> {
    if id.len() != 12 || !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let mut number: i64 = 0;
    for byte in id.bytes().take(STAMP_DIGITS) {
        let digit = BASE62_DIGITS.iter().position(|known| *known == byte)?;
        number = number.checked_mul(62)?.checked_add(i64::try_from(digit).ok()?)?;
    }
    Some(Stamp::from_micros(number))
}

/// The digits of an id that encode its stamp.
const STAMP_DIGITS: usize = 9;

fn digits(stamp: Stamp) -> String {
    base62(u64::try_from(stamp.as_micros()).unwrap_or(0), STAMP_DIGITS)
}

/// The last `digits` digits of a number to the base of 62, in the order of which texts sort as their numbers do.
pub fn base62(mut number: u64, digits: usize) -> String {
    let mut text = String::with_capacity(digits + 3);
    for _ in 0..digits {
        text.insert(0, base62_digit(number % 62));
        number /= 62;
    }
    text
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

    #[test]
    fn an_id_tells_its_stamp_also_that_of_a_revision() {
        let (created, revised) =
            (Stamp::from_micros(1_795_000_000_000_000), Stamp::from_micros(1_795_000_000_000_777));
        let msgid = mint(created);
        assert_eq!(stamp_of(msgid.as_str()), Some(created));
        let revision = of_revision(&msgid, revised);
        assert_eq!((stamp_of(&revision), &revision[9..]), (Some(revised), &msgid.as_str()[9..]));
        assert_ne!(stamp_of("zzzzzzzzzzzz"), Some(created));
        for other in ["", "all", "1795000000", "1795000000000", "ünïcödé-text", "1795-0000000"] {
            assert_eq!(stamp_of(other), None, "{other}");
        }
        assert_eq!(
            (stamp_of("000000010zzz"), base62(3_843, 3)),
            (Some(Stamp::from_micros(62)), "0zz".into())
        );
    }
}
