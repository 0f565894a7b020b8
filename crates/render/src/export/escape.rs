//! JSON that is safe to print: characters that control a terminal or the text direction are escaped. Parsers read the
//! same text.

use std::io::{self, Write};

use serde_json::ser::Formatter;
use tidings_model::text;

/// A formatter for compact JSON with these escapes.
#[derive(Debug, Default)]
pub struct Escaped;

impl Formatter for Escaped {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        write_escaped(to, fragment)
    }
}

/// Writes a fragment of a JSON string, escaped.
pub fn write_escaped<W: ?Sized + Write>(to: &mut W, fragment: &str) -> io::Result<()> {
    let mut rest = fragment;
    while let Some(at) = rest.find(|c: char| c.is_control() || text::is_direction(c)) {
        let (before, after) = rest.split_at(at);
        to.write_all(before.as_bytes())?;
        let mut after = after.chars();
        for unit in after.next().into_iter().flat_map(|c| c.encode_utf16(&mut [0; 2]).to_vec()) {
            write!(to, "\\u{unit:04x}")?;
        }
        rest = after.as_str();
    }
    to.write_all(rest.as_bytes())
}
