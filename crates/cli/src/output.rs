//! Standard output: one JSON document, or lines for a person. Refuses control characters that came from elsewhere.

use std::io::{self, Write};

use serde::Serialize;

use crate::error::Result;

/// Where a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// One JSON document and nothing else.
    pub(crate) json: bool,
}

impl Output {
    /// The command's result: the document, or what `lines` prints.
    pub(crate) fn give<T: Serialize>(
        self,
        document: &T,
        lines: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        if self.json {
            serde_json::to_writer_pretty(&mut out, document)?;
            writeln!(out)?;
        } else {
            lines(&mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// A line for a person; nothing with `--json`.
    pub(crate) fn say(self, line: &str) -> Result<()> {
        if !self.json {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", clean(line))?;
            out.flush()?;
        }
        Ok(())
    }
}

/// A line about something that went wrong, or is worth knowing.
pub(crate) fn note(line: &str) {
    // Nobody reads standard error: nothing left to tell.
    let _ = writeln!(io::stderr(), "tidings: {}", clean(line));
}

/// Text without control characters: what came from elsewhere must not steer a terminal.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_invisible(c) { ' ' } else { c }).collect()
}

/// Characters that reverse or hide what follows them.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_came_from_elsewhere_steers_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\nc\u{202e}d"), "a [31mb c d");
        assert_eq!(clean("备份完成 ✓"), "备份完成 ✓");
    }
}
