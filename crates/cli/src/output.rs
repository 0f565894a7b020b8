//! Standard output: one JSON document, or lines for a person, without the control characters of received text.

mod progress;

use std::io::{self, Write};

use serde::Serialize;
use tidings_model::text;
use tidings_render::export::escape::write_escaped;

pub(crate) use self::progress::Progress;
use crate::error::Result;

/// The form of the output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// Prints one JSON document and nothing else.
    pub(crate) json: bool,
}

impl Output {
    /// Prints the result of a command: the document with `--json`, else what `lines` writes.
    pub(crate) fn print<T: Serialize>(
        self,
        document: &T,
        lines: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        if self.json {
            write_document(&mut out, document)?;
        } else {
            let mut printed = Vec::new();
            lines(&mut printed)?;
            // Of control characters only line feeds and tabs are printed.
            out.write_all(text::block(&String::from_utf8_lossy(&printed)).as_bytes())?;
        }
        out.flush()?;
        Ok(())
    }

    /// Prints one of many results, at once: the document in one line with `--json`, else the line.
    pub(crate) fn print_entry<T: Serialize>(self, document: &T, line: &str) -> Result<()> {
        if !self.json {
            return self.print_line(line);
        }
        let mut out = io::stdout().lock();
        out.write_all(&entry(document)?)?;
        out.flush()?;
        Ok(())
    }

    /// Prints a line; nothing with `--json`.
    pub(crate) fn print_line(self, line: &str) -> Result<()> {
        if !self.json {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", clean(line))?;
            out.flush()?;
        }
        Ok(())
    }
}

/// A document as one line of JSON, without what would steer a terminal.
pub(crate) fn entry<T: Serialize>(document: &T) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    write_escaped(&mut line, &serde_json::to_string(document)?)?;
    line.push(b'\n');
    Ok(line)
}

/// Prints a line to standard error.
pub(crate) fn warn(line: &str) {
    // A closed standard error is ignored.
    let _ = progress::above(|| writeln!(io::stderr(), "tidings: {}", clean(line)));
}

/// Removes the characters from received text that control a terminal.
pub(crate) fn clean(text: &str) -> String {
    text::line(text).into_owned()
}

/// Writes a document as indented JSON with every control and direction character escaped; a parser reads the same text.
fn write_document<T: Serialize>(out: &mut impl Write, document: &T) -> Result<()> {
    // Line feeds of texts are escaped by now: those that are left are between members.
    for line in serde_json::to_string_pretty(document)?.lines() {
        write_escaped(out, line)?;
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_came_from_elsewhere_steers_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\nc\u{202e}d"), "a [31mb cd");
        assert_eq!(clean("备份完成 ✓"), "备份完成 ✓");
    }

    #[test]
    fn json_for_a_terminal_escapes_what_would_steer_it_and_reads_back_the_same() {
        let text = "a\u{1b}[2J\u{9b}1m\u{7f}\u{202e}\"b\\备份";
        let document = serde_json::json!({"title": text, "list": [1, {}, []]});
        let mut out = Vec::new();
        write_document(&mut out, &document).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(!out.chars().any(|c| (c.is_control() && c != '\n') || text::is_direction(c)), "{out:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), document);
        let plain = serde_json::json!({"a": [1, {"b": "c"}]});
        let mut same = Vec::new();
        write_document(&mut same, &plain).unwrap();
        assert_eq!(String::from_utf8(same).unwrap(), serde_json::to_string_pretty(&plain).unwrap() + "\n");
    }
}
