//! One head of a mail: the fields before the first empty line. The library parses no more of a mail than its heads, one at
//! a time, and what they have is bounded before that.

use mail_parser::{HeaderName, Message, MessageParser, MimeHeaders};
use tidings_server_core::domain::limits;

use super::Unreadable;

/// What a part is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Parts of its own.
    Multipart,
    /// A mail in the mail.
    Message,
    /// Text.
    Plain,
    /// HTML.
    Html,
    /// Anything else.
    Other,
}

/// The head of a part; one without a field says nothing.
pub(super) struct Head<'a>(Option<Message<'a>>);

/// What the heads of a mail have in all.
#[derive(Default)]
pub(super) struct HeadCount {
    heads: usize,
    bytes: usize,
}

impl HeadCount {
    /// Counts a further head.
    fn add(&mut self, head: &[u8]) -> Result<(), Unreadable> {
        self.heads += 1;
        self.bytes += head.len();
        // A parameter ends with a semicolon or at the end of its line.
        let parameters = head.iter().filter(|byte| matches!(byte, b';' | b'\n')).count();
        if self.heads > limits::MAIL_PARTS {
            return Err(Unreadable::Parts);
        }
        if head.len() > limits::MAIL_HEAD_BYTES || self.bytes > limits::MAIL_HEADS_BYTES {
            return Err(Unreadable::HeadBytes);
        }
        if parameters > limits::MAIL_HEAD_PARAMETERS {
            return Err(Unreadable::Parameters);
        }
        Ok(())
    }
}

impl<'a> Head<'a> {
    /// The head of a part and the bytes after it.
    ///
    /// # Errors
    /// An error for a head that exceeds its bounds.
    pub(super) fn read(part: &'a [u8], count: &mut HeadCount) -> Result<(Self, &'a [u8]), Unreadable> {
        let (head, body) = part.split_at_checked(end_of_head(part)).unwrap_or((part, &[]));
        count.add(head)?;
        let parser = MessageParser::new()
            .with_mime_headers()
            .header_text(HeaderName::Subject)
            .header_id(HeaderName::MessageId)
            .default_header_ignore();
        Ok((Self(parser.parse_headers(head)), body))
    }

    /// Whether it has any field.
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Its subject; empty if it has none.
    pub(super) fn subject(&self) -> &str {
        self.0.as_ref().and_then(Message::subject).unwrap_or_default()
    }

    pub(super) fn message_id(&self) -> Option<&str> {
        self.0.as_ref().and_then(Message::message_id).filter(|id| !id.is_empty())
    }

    /// What the part is; without a type it is `otherwise`.
    pub(super) fn kind(&self, otherwise: Kind) -> Kind {
        let Some(found) = self.0.as_ref().and_then(MimeHeaders::content_type) else { return otherwise };
        match (found.ctype(), found.subtype()) {
            ("multipart", _) => Kind::Multipart,
            ("message", Some("rfc822" | "global")) => Kind::Message,
            ("text", Some("plain")) => Kind::Plain,
            ("text", Some("html")) => Kind::Html,
            _ => Kind::Other,
        }
    }

    /// The second half of its type.
    pub(super) fn subtype(&self) -> Option<&str> {
        self.0.as_ref()?.content_type()?.subtype()
    }

    /// A parameter of its type; an empty one is none.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.0.as_ref()?.content_type()?.attribute(name).filter(|value| !value.is_empty())
    }

    /// Whether it says that the part is to be kept as a file.
    pub(super) fn is_attachment(&self) -> bool {
        let disposition = self.0.as_ref().and_then(MimeHeaders::content_disposition);
        disposition.is_some_and(mail_parser::ContentType::is_attachment)
    }

    /// The name of the file; empty if it has none.
    pub(super) fn file_name(&self) -> &str {
        self.0.as_ref().and_then(MimeHeaders::attachment_name).unwrap_or_default()
    }

    /// How the bytes of the part are encoded.
    pub(super) fn encoding(&self) -> &str {
        self.0.as_ref().and_then(MimeHeaders::content_transfer_encoding).unwrap_or_default()
    }
}

/// Where a head ends: after its first empty line. It is not looked for beyond [`limits::MAIL_HEAD_BYTES`].
fn end_of_head(part: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = part.get(at..).filter(|_| at <= limits::MAIL_HEAD_BYTES) {
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else { break };
        let is_empty = matches!(rest.get(..length), Some(b"" | b"\r"));
        at += length + 1;
        if is_empty {
            return at;
        }
    }
    part.len()
}
