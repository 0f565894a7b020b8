//! Everything in the inbox in a form that other programs read. Refuses to hold it all in memory.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use tidings_model::{Lang, Notification};
use tidings_replica::{Item, Replica, Source, SourceId};

use crate::error::Result;
use crate::page::ExportFormat;
use crate::render::heading::Headings;

/// What a source is called: its name, or its address where it has none.
pub fn name_of(source: &Source) -> &str {
    if source.name.is_empty() { &source.url } else { &source.name }
}

/// An item as it is written: its contents, and where it came from.
#[derive(Debug, Serialize)]
pub struct Shown<'a> {
    #[serde(flatten)]
    notification: &'a Notification,
    source: &'a str,
}

/// Names of sources by id.
#[derive(Debug)]
pub struct Names(HashMap<SourceId, String>);

impl Names {
    /// Of every source of an inbox.
    pub fn of(replica: &Replica) -> tidings_replica::Result<Self> {
        Ok(Self(replica.sources()?.iter().map(|s| (s.id, name_of(s).to_owned())).collect()))
    }

    /// An item with its source's name.
    pub fn shown<'a>(&'a self, item: &'a Item) -> Shown<'a> {
        Shown { notification: &item.notification, source: self.name(item.source) }
    }

    /// A source's name; empty where it is not here.
    pub fn name(&self, id: SourceId) -> &str {
        self.0.get(&id).map_or("", String::as_str)
    }
}

/// Writes every item that was not deleted, oldest first, and gives how many there were. Headings are in `lang`.
pub fn write(replica: &Replica, format: ExportFormat, lang: Lang, out: &mut impl Write) -> Result<u64> {
    let names = Names::of(replica)?;
    let written = match format {
        ExportFormat::Json => json(replica, &names, out),
        ExportFormat::Csv => csv(replica, &names, out),
        ExportFormat::Mbox => mbox(replica, lang, out),
    }?;
    out.flush()?;
    Ok(written)
}

/// Calls `write` for every item, oldest first, until one fails.
fn each(replica: &Replica, mut write: impl FnMut(&Item) -> io::Result<()>) -> Result<u64> {
    let (mut failed, mut written) = (None, 0);
    replica.export(&mut |items| {
        failed = items.iter().find_map(|item| write(item).err());
        written += items.len() as u64;
        failed.is_none()
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(written),
    }
}

fn json(replica: &Replica, names: &Names, out: &mut impl Write) -> Result<u64> {
    let mut before = "[\n";
    let written = each(replica, |item| {
        out.write_all(before.as_bytes())?;
        before = ",\n";
        Ok(serde_json::to_writer(&mut *out, &names.shown(item))?)
    })?;
    if before == "[\n" {
        out.write_all(b"[")?;
    }
    out.write_all(b"\n]\n")?;
    Ok(written)
}

fn csv(replica: &Replica, names: &Names, out: &mut impl Write) -> Result<u64> {
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("a row could not be written: {other:?}")),
    };
    let mut table = csv::Writer::from_writer(out);
    table
        .write_record([
            "msgid",
            "source",
            "kind",
            "created_at",
            "thread",
            "actor",
            "action",
            "target",
            "title",
            "body",
            "priority",
            "tags",
            "url",
            "unread",
            "read_at",
            "archived_at",
        ])
        .map_err(failed)?;
    let written = each(replica, |item| {
        let n = &item.notification;
        let target = n.target.as_ref().map(|t| format!("{}:{}", t.kind, t.id)).unwrap_or_default();
        let time = |at: Option<tidings_model::Stamp>| at.map(|at| at.to_string()).unwrap_or_default();
        table
            .write_record([
                n.msgid.as_str(),
                names.name(item.source),
                n.kind.as_str(),
                &n.created_at.to_string(),
                &n.thread,
                &n.actor.name,
                n.action.as_deref().unwrap_or_default(),
                &target,
                &n.title,
                &n.body,
                &n.priority.get().to_string(),
                &n.tags.join(" "),
                n.url.as_deref().unwrap_or_default(),
                if item.unread { "yes" } else { "no" },
                &time(n.read_at),
                &time(n.archived_at),
            ])
            .map_err(failed)
    })?;
    table.flush()?;
    Ok(written)
}

/// One mail a notification (mboxrd): who did it as the sender, its thread as what it answers to.
fn mbox(replica: &Replica, lang: Lang, out: &mut impl Write) -> Result<u64> {
    let mut headings = Headings::new(replica, lang);
    each(replica, |item| {
        let n = &item.notification;
        let date = n.created_at.to_datetime();
        let sender = mailbox(&n.actor.id);
        writeln!(out, "From {sender} {}", date.format("%a %b %e %H:%M:%S %Y"))?;
        writeln!(out, "From: {} <{sender}>", encoded(&n.actor.name))?;
        writeln!(out, "Date: {}", date.to_rfc2822())?;
        writeln!(out, "Message-ID: <{}@tidings.invalid>", mailbox_local(n.msgid.as_str()))?;
        writeln!(out, "References: <{}@thread.tidings.invalid>", mailbox_local(&n.thread))?;
        writeln!(out, "Subject: {}", encoded(&headings.heading(item)))?;
        writeln!(out, "MIME-Version: 1.0")?;
        writeln!(out, "Content-Type: text/plain; charset=utf-8")?;
        writeln!(out, "Content-Transfer-Encoding: 8bit")?;
        writeln!(out, "Status: {}", if item.unread { "O" } else { "RO" })?;
        writeln!(out)?;
        for line in n.body.lines() {
            let quoted = line.trim_start_matches('>').starts_with("From ");
            writeln!(out, "{}{line}", if quoted { ">" } else { "" })?;
        }
        writeln!(out)?;
        Ok(())
    })
}

fn mailbox(id: &str) -> String {
    format!("{}@tidings.invalid", mailbox_local(id))
}

/// What may stand before the `@`; anything else by its bytes.
fn mailbox_local(text: &str) -> String {
    text.bytes()
        .map(|b| match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' => char::from(b).to_string(),
            _ => format!("_{b:02x}"),
        })
        .collect()
}

/// A header's text: as it is where it is plain, else in encoded words (RFC 2047) of whole characters.
fn encoded(text: &str) -> String {
    const WORD: usize = 60;
    let plain = |c: char| c == ' ' || c.is_ascii_alphanumeric() || "!'*+-/".contains(c);
    if text.chars().all(plain) && text.len() < 200 {
        return text.to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        if word.len() + 3 * bytes.len() > WORD {
            words.push(std::mem::take(&mut word));
        }
        for byte in bytes {
            // A string takes whatever is written to it.
            let _ = write!(word, "={byte:02X}");
        }
    }
    words.push(word);
    let words: Vec<_> = words.iter().map(|word| format!("=?utf-8?q?{word}?=")).collect();
    words.join("\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_never_breaks_out_of_its_line() {
        assert_eq!(encoded("Backup done"), "Backup done");
        assert_eq!(encoded("a\nBcc: x"), "=?utf-8?q?=61=42=63=63=3A=20=78?=");
        let long = encoded(&"备".repeat(40));
        assert!(long.lines().all(|line| line.len() <= 76), "{long}");
        assert!(long.lines().all(|line| line.trim_start().starts_with("=?utf-8?q?")));
    }

    #[test]
    fn an_address_is_made_of_what_an_address_may_have() {
        assert_eq!(mailbox("bob"), "bob@tidings.invalid");
        assert_eq!(mailbox_local("article:42#c"), "article_3a42_23c");
    }
}
