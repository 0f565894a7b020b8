//! The parts of a mail, found by this module itself, so that the mail library never sees one part inside another. Their
//! number and depth are bounded, and what is deeper is a file as it is.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::html_to_text;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use tidings_server_core::domain::limits;

use super::Unreadable;
use super::head::{Head, HeadCount, Kind};

/// A file in a mail.
pub(super) struct File {
    /// Its name as the mail has it; empty if it has none.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// What the parts of a mail have.
#[derive(Default)]
pub(super) struct Content {
    text: Option<Text>,
    pub(super) files: Vec<File>,
    alternatives: usize,
}

/// The text of a mail, so far.
struct Text {
    shown: String,
    is_html: bool,
    /// The alternatives among which it is.
    among: Option<usize>,
}

/// What a part is in.
#[derive(Clone, Copy)]
struct Enclosing {
    depth: usize,
    /// The alternatives among which it is.
    among: Option<usize>,
    /// Whether it belongs to another part, as a picture to a page.
    is_related: bool,
    /// Whether it is the first part, or the only one.
    is_first: bool,
}

impl Content {
    /// Reads what follows the head of a mail.
    ///
    /// # Errors
    /// An error for a mail that exceeds its bounds.
    pub(super) fn read(head: &Head<'_>, body: &[u8], count: &mut HeadCount) -> Result<Self, Unreadable> {
        let mut content = Self::default();
        let within = Enclosing { depth: 0, among: None, is_related: false, is_first: true };
        content.add(head, head.kind(Kind::Plain), body, within, count)?;
        Ok(content)
    }

    /// The text: the first one, of alternatives the plain one, and after it what is shown with it.
    pub(super) fn text(self) -> String {
        self.text.map(|found| found.shown).unwrap_or_default()
    }

    fn add(
        &mut self,
        head: &Head<'_>,
        kind: Kind,
        body: &[u8],
        within: Enclosing,
        count: &mut HeadCount,
    ) -> Result<(), Unreadable> {
        if kind == Kind::Multipart && within.depth < limits::MAIL_DEPTH {
            let boundary = head.parameter("boundary").map(str::as_bytes);
            let parts = boundary.map(|boundary| parts_between(body, boundary));
            if let Some(parts) = parts.filter(|parts| parts.clone().next().is_some()) {
                return self.add_parts(head, parts, within, count);
            }
            // Without a boundary it is as readable as it is.
            self.add_text(String::from_utf8_lossy(body).into_owned(), false, within.among);
            return Ok(());
        }
        let is_text = matches!(kind, Kind::Plain | Kind::Html)
            && !head.is_attachment()
            && (within.is_first || (!within.is_related && head.parameter("name").is_none()));
        let bytes = decoded(head.encoding(), body);
        if is_text {
            let text = in_charset(head.parameter("charset"), &bytes);
            let is_html = kind == Kind::Html;
            let text = if is_html { html_to_text(&text) } else { text.into_owned() };
            self.add_text(text, is_html, within.among);
        } else {
            self.files.push(File { name: head.file_name().to_owned(), bytes: bytes.into_owned() });
        }
        Ok(())
    }

    fn add_parts<'a>(
        &mut self,
        head: &Head<'_>,
        parts: impl Iterator<Item = &'a [u8]>,
        within: Enclosing,
        count: &mut HeadCount,
    ) -> Result<(), Unreadable> {
        let is_alternative = head.subtype() == Some("alternative");
        self.alternatives += usize::from(is_alternative);
        let otherwise = if head.subtype() == Some("digest") { Kind::Message } else { Kind::Plain };
        for (index, part) in parts.enumerate() {
            let within = Enclosing {
                depth: within.depth + 1,
                among: within.among.or(is_alternative.then_some(self.alternatives)),
                is_related: within.is_related || head.subtype() == Some("related"),
                is_first: within.is_first && index == 0,
            };
            let (head, body) = Head::read(part, count)?;
            self.add(&head, head.kind(otherwise), body, within, count)?;
        }
        Ok(())
    }

    fn add_text(&mut self, text: String, is_html: bool, among: Option<usize>) {
        match &mut self.text {
            None => self.text = Some(Text { shown: text, is_html, among }),
            Some(found) if among.is_some() && found.among == among => {
                if found.is_html && !is_html {
                    *found = Text { shown: text, is_html, among };
                }
            }
            Some(found) => {
                found.shown.push_str("\n\n");
                found.shown.push_str(&text);
            }
        }
    }
}

/// The parts between the lines of a boundary, without the line breaks before those.
fn parts_between<'a>(body: &'a [u8], boundary: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + Clone {
    let mut lines = body.split_inclusive(|byte| *byte == b'\n');
    let (mut at, mut from, mut is_over) = (0, None::<usize>, false);
    std::iter::from_fn(move || {
        while !is_over {
            let Some(line) = lines.next() else {
                // The last part of a mail that was cut off.
                is_over = true;
                return from.take().and_then(|from| body.get(from..));
            };
            let begins_at = at;
            at += line.len();
            let Some(is_end) = boundary_line(line, boundary) else { continue };
            let before = from.take().and_then(|from| body.get(from..begins_at));
            // What follows the last part is for nobody.
            is_over = is_end;
            from = (!is_end).then_some(at);
            if let Some(part) = before {
                return Some(without_line_break(part));
            }
        }
        None
    })
}

/// Whether the line ends the parts; `None` if it is no line of this boundary.
fn boundary_line(line: &[u8], boundary: &[u8]) -> Option<bool> {
    match line.strip_prefix(b"--")?.strip_prefix(boundary)?.trim_ascii() {
        b"" => Some(false),
        b"--" => Some(true),
        _ => None,
    }
}

fn without_line_break(part: &[u8]) -> &[u8] {
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    part.strip_suffix(b"\r").unwrap_or(part)
}

/// The bytes of a part without their encoding; those that are not encoded as they say stay as they are.
fn decoded<'a>(encoding: &str, body: &'a [u8]) -> Cow<'a, [u8]> {
    let decoded = match encoding {
        _ if encoding.eq_ignore_ascii_case("base64") => base64_decode(body),
        _ if encoding.eq_ignore_ascii_case("quoted-printable") => quoted_printable_decode(body),
        _ => None,
    };
    decoded.map_or(Cow::Borrowed(body), Cow::Owned)
}

fn in_charset<'a>(charset: Option<&str>, bytes: &'a [u8]) -> Cow<'a, str> {
    match charset.and_then(|charset| charset_decoder(charset.as_bytes())) {
        Some(decode) => decode(bytes).into(),
        None => String::from_utf8_lossy(bytes),
    }
}
