//! The last lines of an output, in bounded memory, without what steers a terminal.

use std::iter::Peekable;
use std::str::Chars;

use tidings_model::text;

/// The bytes of an output that are kept for certain.
const KEPT_BYTES: usize = 64 << 10;
/// The most bytes of the text that is made of them.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The end of an output of any length, also of one endless line.
#[derive(Debug, Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    /// Adds what was written.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        if self.0.len() > 2 * KEPT_BYTES {
            self.shorten();
        }
    }

    /// Forgets what was drawn over, so that a progress bar does not push the lines before it out, and then what is oldest.
    fn shorten(&mut self) {
        let lines: Vec<&[u8]> = self.0.split(|byte| *byte == b'\n').map(redrawn).collect();
        let mut shown = lines.join(&b'\n');
        shown.drain(..shown.len().saturating_sub(KEPT_BYTES));
        self.0 = shown;
    }

    /// The last lines that a terminal would show, of 4 KiB at most; empty lines at the end are left out.
    pub(super) fn last_lines(&self, most: usize) -> String {
        let lines =
            self.0.rsplit(|byte| *byte == b'\n').map(|line| plain(&String::from_utf8_lossy(redrawn(line))));
        let mut last: Vec<String> = lines.skip_while(|line| line.trim().is_empty()).take(most).collect();
        last.reverse();
        end_of(&last.join("\n"), MAX_TEXT_BYTES).to_owned()
    }
}

/// A line from where it was last drawn over from its beginning. Carriage returns at its end stay: what follows them may draw
/// over it.
fn redrawn(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last + 1);
    let start = line.iter().take(end).rposition(|byte| *byte == b'\r').map_or(0, |last| last + 1);
    line.get(start..).unwrap_or_default()
}

/// The end of a text, of at most this many bytes and whole characters.
fn end_of(text: &str, bytes: usize) -> &str {
    let start = (text.len().saturating_sub(bytes)..=text.len()).find(|start| text.is_char_boundary(*start));
    start.and_then(|start| text.get(start..)).unwrap_or_default()
}

/// A line without the sequences that colour it or move the cursor, and without other control characters.
fn plain(line: &str) -> String {
    let (mut chars, mut plain) = (line.chars().peekable(), String::new());
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_to(&mut chars, '@'),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            _ => plain.push(c),
        }
    }
    text::block(&plain).into_owned()
}

/// Skips what an escape character begins.
fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.next() {
        Some('[') => skip_to(chars, '@'),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(chars),
        Some(' '..='/') => skip_to(chars, '0'),
        _ => {}
    }
}

/// Skips a sequence with its last character, which is not before `first` in ASCII.
fn skip_to(chars: &mut Peekable<Chars<'_>>, first: char) {
    chars.find(|c| (first..='~').contains(c));
}

/// Skips a text for the terminal, such as its title, with what ends it.
fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    if chars.find(|c| matches!(c, '\u{7}' | '\u{9c}' | '\u{1b}')) == Some('\u{1b}') {
        chars.next_if_eq(&'\\');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(output: &[u8]) -> String {
        let mut tail = Tail::default();
        output.chunks(1_000).for_each(|chunk| tail.push(chunk));
        tail.last_lines(3)
    }

    #[test]
    fn the_last_lines_are_those_before_the_empty_ones() {
        assert_eq!(tail_of(b""), "");
        assert_eq!(tail_of(b"one"), "one");
        assert_eq!(tail_of(b"one\ntwo\n\n  three\r\nfour\n\n \n"), "\n  three\nfour");
        assert_eq!(Tail(b"one\n".to_vec()).last_lines(0), "");
    }

    #[test]
    fn what_steers_a_terminal_and_what_is_no_text_is_gone() {
        assert_eq!(
            tail_of(b"\x1b[1;31mred\x1b[0m\x1b(B \x1b]0;title\x07a\x1b]8;;x\x1b\\b\x1bMc\x08\x00\td"),
            "red abc\td"
        );
        assert_eq!(tail_of("\u{9b}31mx\u{9d}title\u{9c}y\u{202e}z 备份".as_bytes()), "xyz 备份");
        assert_eq!(tail_of(b"a\xffb\xe5\xa4"), "a\u{fffd}b\u{fffd}");
        assert_eq!(tail_of(b"cut short \x1b["), "cut short ");
    }

    #[test]
    fn a_line_that_is_drawn_again_and_again_is_its_last_state() {
        assert_eq!(tail_of(b"start\n 10 %\r 50 %\r100 %\n"), "start\n100 %");
        assert_eq!(tail_of(b"start\n 10 %\r 50 %\r"), "start\n 50 %");
        let mut bar = b"start\n".to_vec();
        (0..100_000).for_each(|n| bar.extend_from_slice(format!("{n:6} of 100000\r").as_bytes()));
        assert_eq!(tail_of(&bar), "start\n 99999 of 100000");
    }

    #[test]
    fn neither_many_lines_nor_one_endless_line_are_kept() {
        let mut tail = Tail::default();
        for n in 0..200_000 {
            tail.push(format!("line {n}\n").as_bytes());
            assert!(tail.0.len() <= 2 * KEPT_BYTES + 100);
        }
        assert_eq!(tail.last_lines(2), "line 199998\nline 199999");
        (0..100).for_each(|_| tail.push("é".repeat(10_000).as_bytes()));
        assert!(tail.0.len() <= 2 * KEPT_BYTES + 20_000);
        assert_eq!(tail.last_lines(20), "é".repeat(MAX_TEXT_BYTES / 2));
        assert_eq!(end_of("aé", 1), "");
    }
}
