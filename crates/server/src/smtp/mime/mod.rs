//! Reads a message: subject, text and attachments. Plain text goes before HTML, of which the text is kept.

use mail_parser::{Message, MessageParser, MimeHeaders};
use tidings_model::text;

use crate::domain::limits;
use crate::http::mail::{Mail, MailFile};

/// Bytes of an attachment's name that are kept.
const FILE_NAME_BYTES: usize = 200;

/// Reads a message. One without any header is text alone.
pub(super) fn read(raw: &[u8]) -> Mail {
    let Some(message) = MessageParser::default().parse(raw) else {
        return Mail { text: clean(&String::from_utf8_lossy(raw)), ..Mail::default() };
    };
    let subject = text::line(message.subject().unwrap_or_default());
    Mail {
        subject: text::cut(subject.trim(), limits::NAME_BYTES).to_owned(),
        text: clean(&message.body_text(0).unwrap_or_default()),
        message_id: message.message_id().map(str::to_owned).filter(|id| !id.is_empty()),
        files: files(&message),
    }
}

fn files(message: &Message<'_>) -> Vec<MailFile> {
    let parts = message.attachments().enumerate();
    parts
        .map(|(index, part)| {
            let name = text::line(part.attachment_name().unwrap_or_default());
            let name = text::cut(name.trim(), FILE_NAME_BYTES);
            let name = if name.is_empty() { format!("attachment-{}", index + 1) } else { name.to_owned() };
            MailFile { name, bytes: part.contents().to_vec().into() }
        })
        .collect()
}

/// A text without what controls a terminal or the order of letters, with no more than one empty line in a row.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line_breaks = 0;
    for c in text::block(text).chars() {
        line_breaks = if c == '\n' { line_breaks + 1 } else { 0 };
        if line_breaks <= 2 {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(raw: &str) -> (String, String) {
        let mail = read(raw.replace('\n', "\r\n").as_bytes());
        (mail.subject, mail.text.trim().to_owned())
    }

    #[test]
    fn subject_and_text_are_decoded() {
        for (raw, subject, text) in [
            ("Subject: Hello\n\nText\n", "Hello", "Text"),
            ("Subject: =?UTF-8?B?8J+HqfCfh6o=?= =?utf-8?q?caf=C3=A9?=\n\nx", "🇩🇪café", "x"),
            (
                "Subject: a\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nf=C3=BC=\nr\n",
                "a",
                "für",
            ),
            (
                "Subject: b\nContent-Type: text/plain; charset=gb18030\nContent-Transfer-Encoding: base64\n\nxOO6ww==\n",
                "b",
                "你好",
            ),
            (
                "Subject: b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n6Q==\n",
                "b",
                "é",
            ),
            (
                "Subject: c\nContent-Type: text/html\n\n<style>p{}</style><p>One &amp; two</p><script>x()</script>",
                "c",
                "One & two",
            ),
            (
                "Subject: d\nContent-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/html\n\n<b>h</b>\n--x\nContent-Type: text/plain\n\nplain\n--x--\n",
                "d",
                "plain",
            ),
            ("Subject: e\n folded\n\n\n\n\n\nx\u{7}y", "e folded", "xy"),
        ] {
            assert_eq!(said(raw), (subject.to_owned(), text.to_owned()), "{raw}");
        }
    }

    #[test]
    fn files_have_their_names_and_their_bytes() {
        let raw = "Message-ID: <1@x>\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nSee\n--x\n\
            Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"a.pdf\"\nContent-Transfer-Encoding: base64\n\n\
            JVBERg==\n--x\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBO\n--x--\n";
        let mail = read(raw.replace('\n', "\r\n").as_bytes());
        assert_eq!((mail.text.trim(), mail.message_id.as_deref()), ("See", Some("1@x")));
        let files: Vec<_> = mail.files.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(files, [("a.pdf", &b"%PDF"[..]), ("attachment-2", &b"\x89PN"[..])]);
    }

    #[test]
    fn nothing_that_comes_is_lost_or_stops_the_reader() {
        for raw in [
            &b"no header at all"[..],
            b"",
            b"\xff\xfe\x00",
            b":\r\n\r\n",
            b"Content-Type: multipart/mixed; boundary=\r\n\r\n--\r\n",
        ] {
            drop(read(raw));
        }
        let deep = "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n".repeat(20_000);
        drop(read(deep.as_bytes()));
    }
}
