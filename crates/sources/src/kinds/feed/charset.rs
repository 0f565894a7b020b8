//! The characters of a document: its bytes decoded as its answer and itself say (RFC 7303).

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// The number of bytes at the beginning of a document within which its declaration ends.
const DECLARATION_BYTES: usize = 1 << 10;

/// Decodes a document: by its byte order mark, else by the charset of its answer, else by its own declaration, else as
/// UTF-8. A declaration is left out, because it does not hold for what is decoded.
pub(super) fn decode<'d>(body: &'d [u8], charset: Option<&str>) -> Cow<'d, str> {
    let by_answer = charset.and_then(|name| Encoding::for_label(name.trim().as_bytes()));
    let encoding = by_answer.or_else(|| declared(body)).unwrap_or(UTF_8);
    // A byte order mark counts more than the encoding that is given.
    let (text, _, _) = encoding.decode(body);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(without_declaration(text)),
        Cow::Owned(mut text) => {
            let declaration = text.len() - without_declaration(&text).len();
            text.drain(..declaration);
            Cow::Owned(text)
        }
    }
}

/// The encoding that a document in XML declares, as far as it can be: one in which the declaration itself is written.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let head = body.get(..DECLARATION_BYTES).unwrap_or(body);
    let head = String::from_utf8_lossy(head);
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let encoding = Encoding::for_label(value.get(1..)?.split(quote).next()?.as_bytes())?;
    // A reader of a declaration in ASCII does not read UTF-16.
    Some(encoding.output_encoding())
}

/// The text after its declaration.
fn without_declaration(text: &str) -> &str {
    let trimmed = text.trim_start();
    let after = trimmed.strip_prefix("<?xml").filter(|after| after.starts_with(char::is_whitespace));
    after.and_then(|after| Some(after.split_once("?>")?.1)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_of_the_answer_counts_more_than_the_declaration_and_less_than_the_mark() {
        let declared = b"<?xml version='1.0' encoding=\"ISO-8859-1\"?><a>\xe9</a>";
        assert_eq!(decode(declared, None), "<a>é</a>");
        let both = b"<?xml version=\"1.0\" encoding='ISO-8859-1' ?><a>\xb1\xea</a>";
        assert_eq!(decode(both, Some("gb2312")), "<a>标</a>");
        assert_eq!(decode(b"\xef\xbb\xbf<a>\xc3\xa9</a>", Some("iso-8859-1")), "<a>é</a>");
        let utf16: Vec<u8> = "\u{feff}<?xml version='1.0' encoding='utf-16'?><a>é</a>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode(&utf16, Some("utf-8")), "<a>é</a>");
    }

    #[test]
    fn what_no_encoding_is_named_for_is_utf_8() {
        assert_eq!(decode("<a>é</a>".as_bytes(), Some("none-such")), "<a>é</a>");
        assert_eq!(decode("<?xml version='1.0' encoding='utf-16'?><a>é</a>".as_bytes(), None), "<a>é</a>");
        assert_eq!(
            decode("<?xml-stylesheet href='x'?><a/>".as_bytes(), None),
            "<?xml-stylesheet href='x'?><a/>"
        );
        assert_eq!(decode(b"{\"a\":1}", None), "{\"a\":1}");
        assert_eq!(decode(b"<?xml", None), "<?xml");
    }
}
