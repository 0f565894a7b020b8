//! The lines of a body as it comes, with a limit on their length: NDJSON has a JSON document on each line.

use bytes::{Bytes, BytesMut};

/// The length in bytes above which a line is dropped.
const MAX_LINE_BYTES: usize = 512 << 10;
/// The number of bytes that are kept of the beginning of a dropped line.
const BEGINNING_BYTES: usize = 1 << 10;

/// A line without its end and without spaces around it.
pub(crate) enum Line {
    /// A line that is not empty.
    Whole(Bytes),
    /// The beginning of a line that was dropped because of its length.
    TooLong(Bytes),
}

/// Splits chunks into lines. At most one line and one chunk are buffered.
#[derive(Default)]
pub(crate) struct Lines {
    buffer: BytesMut,
    /// The number of buffered bytes in which no line ends.
    scanned: usize,
    /// The beginning of the present line, once it is too long.
    beginning: Option<Bytes>,
}

impl Lines {
    /// Adds a chunk. All complete lines are to be taken before the next one.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next complete line that is not empty.
    pub(crate) fn take_line(&mut self) -> Option<Line> {
        loop {
            let end = self.buffer.iter().skip(self.scanned).position(|byte| *byte == b'\n');
            let Some(end) = end else {
                self.scanned = self.buffer.len();
                self.drop_if_too_long();
                return None;
            };
            let line = self.buffer.split_to(self.scanned + end + 1).freeze();
            self.scanned = 0;
            if let Some(line) = self.line(&line) {
                return Some(line);
            }
        }
    }

    /// The last line, if the body ended without ending it.
    pub(crate) fn take_rest(&mut self) -> Option<Line> {
        let line = self.buffer.split().freeze();
        self.scanned = 0;
        self.line(&line)
    }

    fn line(&mut self, line: &Bytes) -> Option<Line> {
        if let Some(beginning) = self.beginning.take() {
            return Some(Line::TooLong(beginning));
        }
        let line = line.slice_ref(line.trim_ascii());
        if line.len() > MAX_LINE_BYTES {
            return Some(Line::TooLong(line.slice(..BEGINNING_BYTES)));
        }
        (!line.is_empty()).then_some(Line::Whole(line))
    }

    fn drop_if_too_long(&mut self) {
        if self.beginning.is_none() && self.buffer.len() <= MAX_LINE_BYTES {
            return;
        }
        if self.beginning.is_none() {
            let beginning = self.buffer.get(..BEGINNING_BYTES).unwrap_or_default();
            self.beginning = Some(Bytes::copy_from_slice(beginning));
        }
        self.buffer.clear();
        self.scanned = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a body that comes in chunks of this size, the last one included; the beginning of one that is too
    /// long comes after a `!`.
    fn lines(body: &[u8], chunk_bytes: usize) -> Vec<String> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        let text = |line| match line {
            Line::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
            Line::TooLong(line) => format!("!{}", String::from_utf8(line.to_vec()).unwrap()),
        };
        for chunk in body.chunks(chunk_bytes) {
            lines.push(chunk);
            found.extend(std::iter::from_fn(|| lines.take_line()).map(text));
        }
        found.extend(lines.take_rest().map(text));
        found
    }

    #[test]
    fn a_line_is_the_same_however_it_comes() {
        for chunk_bytes in [1, 2, 3, 7, 100] {
            let found = lines(b"one\r\n\n  two \nthree", chunk_bytes);
            assert_eq!(found, ["one", "two", "three"], "in chunks of {chunk_bytes}");
        }
        assert!(lines(b"\r\n \n", 1).is_empty());
    }

    #[test]
    fn a_line_without_end_takes_no_more_memory_than_the_limit() {
        let long = "x".repeat(3 * MAX_LINE_BYTES);
        let body = format!("a\n{long}\nb\n{long}");
        let beginning = format!("!{}", "x".repeat(BEGINNING_BYTES));
        for chunk_bytes in [1_000, 64 << 10, body.len()] {
            assert_eq!(lines(body.as_bytes(), chunk_bytes), ["a", &beginning, "b", &beginning]);
        }
        let mut lines = Lines::default();
        for chunk in body.as_bytes().chunks(1_000) {
            lines.push(chunk);
            while lines.take_line().is_some() {}
            assert!(lines.buffer.len() <= MAX_LINE_BYTES);
        }
    }
}
