//! The `Range` header of a request for a file: one range of bytes.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

/// The part of a file that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteRange {
    /// All of it; also if several parts are asked for, or what is asked for is not understood.
    Whole,
    /// From one byte to another, both included.
    Part { first: u64, last: u64 },
    /// A part that lies behind its end.
    Unsatisfiable,
}

impl ByteRange {
    /// The part that the headers ask for, of a file of `size` bytes.
    pub(super) fn requested(headers: &HeaderMap, size: u64) -> Self {
        let value = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
        value.and_then(|value| Self::parse(value, size)).unwrap_or(Self::Whole)
    }

    /// Parses `bytes=0-99`, `bytes=100-` or `bytes=-100`; `None` for anything else.
    fn parse(value: &str, size: u64) -> Option<Self> {
        let (unit, range) = value.split_once('=')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = range.trim().split_once('-')?;
        let (first, last) = (number(first)?, number(last)?);
        let end = size.checked_sub(1);
        Some(match (first, last, end) {
            (None, None, _) => return None,
            (Some(first), Some(last), _) if first > last => return None,
            (None, Some(0), _) | (_, _, None) => Self::Unsatisfiable,
            (None, Some(suffix), Some(end)) => Self::Part { first: size.saturating_sub(suffix), last: end },
            (Some(first), _, Some(end)) if first > end => Self::Unsatisfiable,
            (Some(first), last, Some(end)) => Self::Part { first, last: last.unwrap_or(end).min(end) },
        })
    }

    /// The status of the response.
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::Whole => StatusCode::OK,
            Self::Part { .. } => StatusCode::PARTIAL_CONTENT,
            Self::Unsatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        }
    }

    /// The first byte and the number of bytes that are sent of a file of `size` bytes.
    pub(super) fn extent(self, size: u64) -> (u64, u64) {
        match self {
            Self::Whole => (0, size),
            Self::Part { first, last } => (first, last.saturating_add(1).saturating_sub(first)),
            Self::Unsatisfiable => (0, 0),
        }
    }

    /// The `Content-Range` header, if the response has one.
    pub(super) fn content_range(self, size: u64) -> Option<HeaderValue> {
        let text = match self {
            Self::Whole => return None,
            Self::Part { first, last } => format!("bytes {first}-{last}/{size}"),
            Self::Unsatisfiable => format!("bytes */{size}"),
        };
        HeaderValue::from_str(&text).ok()
    }
}

/// A number of digits alone, or none if the text is empty; `None` for anything else.
#[allow(clippy::option_option, reason = "a missing number and a malformed one are different things")]
fn number(text: &str) -> Option<Option<u64>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(None);
    }
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().unwrap_or(u64::MAX)).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_understood_and_anything_else_is_the_whole() {
        let parse = |value: &str| ByteRange::parse(value, 100).unwrap_or(ByteRange::Whole);
        let part = |first, last| ByteRange::Part { first, last };
        for (value, range) in [
            ("bytes=0-0", part(0, 0)),
            ("bytes=10-19", part(10, 19)),
            ("bytes=90-", part(90, 99)),
            ("bytes=90-1000", part(90, 99)),
            ("bytes=-10", part(90, 99)),
            ("bytes=-1000", part(0, 99)),
            ("bytes=0-99999999999999999999999", part(0, 99)),
        ] {
            assert_eq!(parse(value), range, "{value}");
        }
        for value in ["bytes=100-", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(parse(value), ByteRange::Unsatisfiable, "{value}");
        }
        for value in
            ["", "bytes=", "bytes=-", "bytes=9-1", "bytes=a-b", "bytes=+1-2", "bytes=0-1,3-4", "lines=1-2"]
        {
            assert_eq!(parse(value), ByteRange::Whole, "{value}");
        }
        assert_eq!(ByteRange::parse("bytes=0-", 0), Some(ByteRange::Unsatisfiable));
    }
}
