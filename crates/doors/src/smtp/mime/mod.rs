//! Reads a mail: subject, text and files. Plain text goes before HTML, of which the text is kept. Its parts, their depth,
//! and their heads are bounded.

mod answer;
mod head;
mod parts;

use serde::{Deserialize, Serialize};
use tidings_model::text;
use tidings_sandbox::{Limits, Parser};
use tidings_server_core::domain::limits;

use self::head::{Head, HeadCount};
use self::parts::Content;
use crate::ntfy::mail::{Mail, MailFile};

/// Reads a mail in a child process. The bounds of its parts limit the cost of a mail; a mail that costs more ends the
/// child alone.
pub static PARSER: Parser = Parser {
    name: "mail",
    limits: Limits {
        input: limits::MAIL_BYTES,
        output: 4 * limits::MAIL_BYTES,
        memory: limits::MAIL_MEMORY_BYTES,
        time: limits::MAIL_TIME,
    },
    run: |raw| answer::written(read(&raw)),
};

/// Bytes of an attachment's name that are kept.
const FILE_NAME_BYTES: usize = 200;

/// Why a mail is not read. The sender gets an error for good, and does not send the mail again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub(super) enum Unreadable {
    /// It has too many parts.
    #[error("the mail has more than {} parts", limits::MAIL_PARTS)]
    Parts,
    /// One of its heads is too long, or all of them are.
    #[error(
        "a head of the mail has more than {} bytes, or all of them have more than {}",
        limits::MAIL_HEAD_BYTES,
        limits::MAIL_HEADS_BYTES
    )]
    HeadBytes,
    /// One of its heads has too many parameters and lines.
    #[error("a head of the mail has more than {} parameters and lines", limits::MAIL_HEAD_PARAMETERS)]
    Parameters,
}

/// The mail that a child has read; `None` if the bytes are no answer.
pub(super) fn read_answer(answer: Vec<u8>) -> Option<Result<Mail, Unreadable>> {
    answer::read(&answer.into())
}

/// A mail that is not looked into: the reason and its beginning are its text.
pub(super) fn as_text(raw: &[u8], why: &str) -> Mail {
    let shown = String::from_utf8_lossy(raw.get(..limits::TEXT_BYTES).unwrap_or(raw));
    Mail { text: format!("{why}\n\n{}", clean(&shown)), ..Mail::default() }
}

/// Reads a mail. One without any header is text alone.
///
/// # Errors
/// An error for a mail that exceeds its bounds.
fn read(raw: &[u8]) -> Result<Mail, Unreadable> {
    let mut count = HeadCount::default();
    let (head, body) = Head::read(raw, &mut count)?;
    if !head.is_some() {
        return Ok(Mail { text: clean(&String::from_utf8_lossy(raw)), ..Mail::default() });
    }
    let mut content = Content::read(&head, body, &mut count)?;
    let files = std::mem::take(&mut content.files).into_iter().enumerate();
    let subject = text::line(head.subject());
    Ok(Mail {
        subject: text::cut(subject.trim(), limits::NAME_BYTES).to_owned(),
        message_id: head.message_id().map(str::to_owned),
        files: files
            .map(|(index, file)| MailFile { name: file_name(&file.name, index), bytes: file.bytes.into() })
            .collect(),
        text: clean(&content.text()),
    })
}

/// The name of a file, in one line; one without a name gets its number.
fn file_name(given: &str, index: usize) -> String {
    let line = text::line(given);
    let name = text::cut(line.trim(), FILE_NAME_BYTES);
    if name.is_empty() { format!("attachment-{}", index + 1) } else { name.to_owned() }
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
        let mail = read(raw.replace('\n', "\r\n").as_bytes()).unwrap();
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
        let mail = read(raw.replace('\n', "\r\n").as_bytes()).unwrap();
        assert_eq!((mail.text.trim(), mail.message_id.as_deref()), ("See", Some("1@x")));
        let files: Vec<_> = mail.files.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(files, [("a.pdf", &b"%PDF"[..]), ("attachment-2", &b"\x89PN"[..])]);
    }

    #[test]
    fn of_alternatives_the_plain_one_is_shown_and_further_texts_are_below_it() {
        let raw = "Content-Type: multipart/mixed; boundary=o\n\nfor nobody\n--o\n\
            Content-Type: multipart/alternative; boundary=\"i i\"\n\n--i i\n\
            Content-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n<p>page</p>\n\
            --r\nContent-Type: image/png; name=logo.png\n\nPNG\n--r--\n--i i\n\nplain\n--i i--\n\
            --o\nContent-Type: text/plain\n\nfooter\n--o\nContent-Type: text/plain; name=log.txt\n\nlines\n\
            --o\nContent-Type: message/rfc822\nContent-Disposition: attachment; filename*0=for; filename*1=warded\n\n\
            Subject: inner\n\nx\n--o--\nfor nobody\n";
        let mail = read(raw.as_bytes()).unwrap();
        assert_eq!(read_answer(answer::written(Ok(mail.clone()))), Some(Ok(mail.clone())));
        assert_eq!(mail.text, "plain\n\nfooter");
        let files: Vec<_> = mail.files.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(
            files,
            [("logo.png", &b"PNG"[..]), ("log.txt", b"lines"), ("forwarded", b"Subject: inner\n\nx")]
        );
        let digest = "Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: a\n\nx\n--d--\n";
        assert_eq!(read(digest.as_bytes()).unwrap().files[0].bytes, &b"Subject: a\n\nx"[..]);
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
            read(raw).unwrap();
        }
        let cut_off = "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nthe beginning of a te";
        assert_eq!(read(cut_off.as_bytes()).unwrap().text, "the beginning of a te");
        let no_parts = "Content-Type: multipart/mixed; boundary=x\n\nall of it";
        assert_eq!(read(no_parts.as_bytes()).unwrap().text, "all of it");
    }

    /// Mails in mails, by their heads alone: 60,000 of them ended the server.
    #[test]
    fn sixty_thousand_nested_message_heads_are_one_file() {
        for nested in ["Content-Type: message/rfc822\r\n\r\n", "Content-Type: message/global\r\n\r\n"] {
            let mail = read(nested.repeat(60_000).as_bytes()).unwrap();
            assert_eq!((mail.files.len(), mail.files[0].bytes.len()), (1, nested.len() * 59_999));
        }
    }

    #[test]
    fn digests_in_digests_end_at_the_bound_and_the_rest_is_a_file() {
        let head = |n: usize| format!("Content-Type: multipart/digest; boundary=b{n}\n\n--b{n}\n");
        let nested: String = (0..1_500).map(head).collect();
        let mail = read(nested.as_bytes()).unwrap();
        assert_eq!(mail.files.len(), 1);
        let left = &mail.files[0].bytes;
        assert!(left.starts_with(format!("--b{}", limits::MAIL_DEPTH).as_bytes()), "{left:?}");
        let same = "Content-Type: multipart/digest; boundary=x\r\n\r\n--x\r\n".repeat(60_000);
        assert_eq!(read(same.as_bytes()), Err(Unreadable::Parts));
        let answer = answer::written(Err(Unreadable::Parts));
        assert_eq!(read_answer(answer), Some(Err(Unreadable::Parts)));
        assert_eq!(read_answer(b"no answer".to_vec()), None);
    }

    #[test]
    fn seven_hundred_thousand_parameter_continuations_are_refused() {
        for separator in [";", ";\r\n ", "\r\n "] {
            let parameters = (0..700_000).map(|n| format!("{separator}n*{n}=a")).collect::<Vec<_>>().concat();
            let raw = format!("Content-Type: text/plain{parameters}\r\n\r\nx");
            assert_eq!(read(raw.as_bytes()).unwrap_err(), Unreadable::HeadBytes, "{separator:?}");
            let few: String = parameters.chars().take(60_000).collect();
            let raw = format!("Content-Type: text/plain{few}\r\n\r\nx");
            assert_eq!(read(raw.as_bytes()).unwrap_err(), Unreadable::Parameters, "{separator:?}");
        }
        let most = (0..990).map(|n| format!(";n*{n}=a")).collect::<Vec<_>>().concat();
        assert_eq!(read(format!("Content-Type: text/plain{most}\n\nx").as_bytes()).unwrap().text, "x");
    }

    #[test]
    fn a_head_has_64_kib_and_all_heads_have_a_bound_together() {
        let long = |bytes: usize| format!("Subject: {}\n\nx", "s".repeat(bytes));
        assert_eq!(read(long(limits::MAIL_HEAD_BYTES).as_bytes()), Err(Unreadable::HeadBytes));
        assert_eq!(read(long(limits::MAIL_HEAD_BYTES - 100).as_bytes()).unwrap().text, "x");
        let part = format!("--x\nX-Long: {}\n\nx\n", "s".repeat(limits::MAIL_HEAD_BYTES - 100));
        let parts =
            |count: usize| format!("Content-Type: multipart/mixed; boundary=x\n\n{}", part.repeat(count));
        assert_eq!(read(parts(100).as_bytes()), Err(Unreadable::HeadBytes));
        assert!(read(parts(limits::MAIL_HEADS_BYTES / limits::MAIL_HEAD_BYTES - 1).as_bytes()).is_ok());
        let parts = |count: usize| {
            format!("Content-Type: multipart/mixed; boundary=x\n\n{}", "--x\n\n".repeat(count))
        };
        assert_eq!(read(parts(limits::MAIL_PARTS + 1).as_bytes()), Err(Unreadable::Parts));
        assert!(read(parts(limits::MAIL_PARTS - 1).as_bytes()).is_ok());
    }

    #[test]
    fn whatever_a_mail_says_it_is_read_or_refused_and_is_no_longer_than_it_was() {
        tidings_testkit::fuzz::run("mail", 2_500, |raw| {
            let Ok(mail) = read(raw) else { return };
            assert_eq!(read_answer(answer::written(Ok(mail.clone()))), Some(Ok(mail.clone())));
            let files: usize = mail.files.iter().map(|file| file.bytes.len()).sum();
            // A byte that is no text becomes a character of three bytes.
            assert!(files + mail.text.len() <= 4 * raw.len() + FILE_NAME_BYTES, "{mail:?}");
            assert!(mail.subject.len() <= limits::NAME_BYTES && clean(&mail.text) == mail.text, "{mail:?}");
            let is_named = |file: &MailFile| (1..=FILE_NAME_BYTES).contains(&file.name.len());
            assert!(mail.files.iter().all(is_named), "{mail:?}");
        });
    }
}
