//! JSON that is safe to print: characters that control a terminal or the text direction are escaped. Parsers read the
//! same text.

use std::io::{self, Write};

use tidings_model::text;

/// Writes JSON without line feeds between its members, escaped.
pub fn write_escaped<W: ?Sized + Write>(to: &mut W, json: &str) -> io::Result<()> {
    let mut rest = json;
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
