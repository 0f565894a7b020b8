//! One JSON array of all notifications, written item by item.

use std::io::{self, Write};

use serde::Serialize;
use tidings_model::Notification;

use super::escape::write_escaped;
use super::{Entry, Exporter};

/// An item as it is exported: the notification, with its source or its inbox's user, and its sentence.
#[derive(Debug, Serialize)]
pub struct ExportedItem<'a> {
    #[serde(flatten)]
    notification: &'a Notification,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    sentence: &'a str,
}

impl<'a> ExportedItem<'a> {
    pub(super) const fn new(
        notification: &'a Notification,
        source: Option<&'a str>,
        user: Option<&'a str>,
        sentence: &'a str,
    ) -> Self {
        Self { notification, source, user, sentence }
    }
}

pub(super) struct Json<W> {
    out: W,
    separator: &'static str,
}

impl<W: Write> Json<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out, separator: "[\n" }
    }
}

impl<W: Write> Exporter for Json<W> {
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.out.write_all(self.separator.as_bytes())?;
        self.separator = ",\n";
        let shown = ExportedItem::new(entry.notification, entry.source, entry.user, &entry.sentence);
        write_escaped(&mut self.out, &serde_json::to_string(&shown)?)
    }

    fn end(&mut self) -> io::Result<()> {
        if self.separator == "[\n" {
            self.out.write_all(b"[")?;
        }
        self.out.write_all(b"\n]\n")?;
        self.out.flush()
    }
}
