//! A mailbox (mboxrd) with one mail a notification: the actor is the sender, and `References` names the thread.

use std::fmt::Write as _;
use std::io::{self, Write};

use tidings_model::{Content, text};

use super::{Entry, Exporter, QUESTION_FIELDS, question_texts};

/// The fields of the content without a header of their own: they are elsewhere in the mail, or left out.
const FIELDS_WITHOUT_HEADER: [&str; 11] = [
    "title",
    "body",
    "format",
    "priority",
    "tags",
    "url",
    "icon",
    "actions",
    "attachment",
    "data",
    "question",
];

pub(super) struct Mbox<W>(W);

impl<W> Mbox<W> {
    pub(super) const fn new(out: W) -> Self {
        Self(out)
    }
}

impl<W: Write> Exporter for Mbox<W> {
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let (n, out) = (entry.notification, &mut self.0);
        let date = n.created_at.to_datetime();
        let sender = mailbox(&n.actor.id);
        writeln!(out, "From {sender} {}", date.format("%a %b %e %H:%M:%S %Y"))?;
        if let Some(user) = entry.user {
            writeln!(out, "Delivered-To: {}", mailbox(user))?;
        }
        writeln!(out, "From: {} <{sender}>", encode_header(&n.actor.name))?;
        writeln!(out, "Date: {}", date.to_rfc2822())?;
        writeln!(out, "Message-ID: <{}@tidings.invalid>", mailbox_local(n.msgid.as_str()))?;
        writeln!(out, "References: <{}@thread.tidings.invalid>", mailbox_local(&n.thread))?;
        writeln!(out, "Subject: {}", encode_header(&entry.heading))?;
        if !entry.sentence.is_empty() && entry.sentence != entry.heading {
            writeln!(out, "X-Tidings-sentence: {}", encode_header(&entry.sentence))?;
        }
        writeln!(out, "MIME-Version: 1.0")?;
        writeln!(out, "Content-Type: text/plain; charset=utf-8")?;
        writeln!(out, "Content-Transfer-Encoding: 8bit")?;
        writeln!(out, "Status: {}", if entry.unread { "O" } else { "RO" })?;
        let fields = Content::FIELDS.iter().filter(|field| !FIELDS_WITHOUT_HEADER.contains(field));
        let fields = fields.map(|field| (field, n.content.text(field)));
        for (field, text) in fields.chain(QUESTION_FIELDS.iter().zip(question_texts(&n.content))) {
            if !text.is_empty() {
                writeln!(out, "X-Tidings-{}: {}", field.replace('_', "-"), encode_header(&text))?;
            }
        }
        writeln!(out)?;
        let body = n.content.body.replace("\r\n", "\n").replace('\r', "\n");
        for line in text::block(&body).lines() {
            let quoted = line.trim_start_matches('>').starts_with("From ");
            writeln!(out, "{}{line}", if quoted { ">" } else { "" })?;
        }
        writeln!(out)
    }

    fn end(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn mailbox(id: &str) -> String {
    format!("{}@tidings.invalid", mailbox_local(id))
}

/// The local part of a mail address: letters, digits, `.` and `-` as they are, other bytes in hex.
fn mailbox_local(text: &str) -> String {
    text.bytes()
        .map(|b| match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' => char::from(b).to_string(),
            _ => format!("_{b:02x}"),
        })
        .collect()
}

/// The text of a header: unchanged if it is plain, else in encoded words (RFC 2047) of whole characters.
fn encode_header(value: &str) -> String {
    const MAX_ENCODED_CHARS: usize = 60;
    let plain = |c: char| c == ' ' || c.is_ascii_alphanumeric() || "!'*+-/".contains(c);
    if value.chars().all(plain) && value.len() < 200 {
        return value.to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in value.chars().filter(|c| !c.is_control() && !text::is_direction(*c)) {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        if word.len() + 3 * bytes.len() > MAX_ENCODED_CHARS {
            parts.push(std::mem::take(&mut word));
        }
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(word, "={byte:02X}");
        }
    }
    parts.push(word);
    let parts: Vec<_> = parts.iter().map(|word| format!("=?utf-8?q?{word}?=")).collect();
    parts.join("\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_never_breaks_out_of_its_line() {
        assert_eq!(encode_header("Backup done"), "Backup done");
        assert_eq!(encode_header("a\nBcc: x"), "=?utf-8?q?=61=42=63=63=3A=20=78?=");
        let long = encode_header(&"备".repeat(40));
        assert!(long.lines().all(|line| line.len() <= 76), "{long}");
        assert!(long.lines().all(|line| line.trim_start().starts_with("=?utf-8?q?")));
    }

    #[test]
    fn an_address_is_made_of_what_an_address_may_have() {
        assert_eq!(mailbox("bob"), "bob@tidings.invalid");
        assert_eq!(mailbox_local("article:42#c"), "article_3a42_23c");
    }
}
