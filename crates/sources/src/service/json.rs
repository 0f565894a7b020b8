//! Parses answers: large ones in tokio's pool for blocking work, and none whose values would take far more memory
//! than its bytes.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tidings_net::{Error, Result};

/// The length in bytes above which a body is parsed in the pool.
const MAX_INLINE_BYTES: usize = 64 << 10;
/// The most objects and arrays in one answer: `{}` has two bytes and takes some 50 as a value, `{"a":0}` some 700.
const MAX_CONTAINERS: usize = 64_000;
/// The most values in one answer, approximately: each takes up to 32 bytes besides its text. A full page of 5,000
/// items has some 200,000.
const MAX_VALUES: usize = 1_000_000;

/// Parses a body.
pub(crate) async fn parse<T: DeserializeOwned + Send + 'static>(body: Bytes) -> Result<T> {
    in_pool(body, read).await
}

/// Reads a body, a large one in the pool.
pub(crate) async fn in_pool<T: Send + 'static>(body: Bytes, read: fn(&[u8]) -> Result<T>) -> Result<T> {
    if body.len() <= MAX_INLINE_BYTES {
        return read(&body);
    }
    tokio::task::spawn_blocking(move || read(&body)).await.map_err(|error| Error::from_task(&error))?
}

/// Parses a body in the calling task; for small ones.
///
/// # Errors
/// [`Error::AnswerTooLarge`] if it has too many values, [`Error::Malformed`] if it does not fit.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    bounded(body, |body| serde_json::from_slice(body))
}

/// Parses a body whose values are within the bounds.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn bounded<T>(body: &[u8], parse: impl FnOnce(&[u8]) -> serde_json::Result<T>) -> Result<T> {
    if !is_bounded(body) {
        return Err(Error::AnswerTooLarge);
    }
    parse(body).map_err(|error| malformed(&error))
}

/// Logs the position at which an answer does not fit the protocol: line and column, not the text, which may be
/// private.
pub(crate) fn malformed(error: &serde_json::Error) -> Error {
    tracing::warn!(line = error.line(), column = error.column(), "an answer does not fit the protocol");
    Error::Malformed
}

/// Whether the values of an answer are within [`MAX_CONTAINERS`] and [`MAX_VALUES`].
pub(crate) fn is_bounded(body: &[u8]) -> bool {
    let (mut containers, mut values, mut rest) = (0_usize, 0_usize, body.iter());
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => skip_text(&mut rest),
            b'{' | b'[' => containers += 1,
            b',' => values += 1,
            _ => {}
        }
    }
    containers <= MAX_CONTAINERS && containers + values <= MAX_VALUES
}

/// Goes on behind the end of a text. Most of an answer is text, so its bytes are not looked at one by one.
fn skip_text(rest: &mut std::slice::Iter<'_, u8>) {
    while let Some(found) = memchr::memchr2(b'"', b'\\', rest.as_slice()) {
        if rest.nth(found) == Some(&b'"') {
            return;
        }
        rest.next();
    }
    *rest = [].iter();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        assert!(is_bounded(format!(r#"{{"a":"{}"}}"#, "{[,\\\"".repeat(MAX_VALUES)).as_bytes()));
        assert!(is_bounded(format!(r#"{{"a":"\\","b":"{}"#, ",\\\\".repeat(MAX_VALUES)).as_bytes()));
        assert!(!is_bounded(format!("[{}0]", "{},".repeat(MAX_CONTAINERS)).as_bytes()));
        assert!(!is_bounded(format!(r#"["\\",{}0]"#, "{},".repeat(MAX_CONTAINERS)).as_bytes()));
        assert!(!is_bounded(format!("[{}0]", "0,".repeat(MAX_VALUES)).as_bytes()));
        assert!(is_bounded(format!("[{}0]", "{},".repeat(MAX_CONTAINERS / 2)).as_bytes()));
    }
}
