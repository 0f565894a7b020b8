//! A table with a row for each notification. Refuses what has no column: JSON has it all.

use std::io::StdoutLock;

use tidings_model::Stamp;

use super::{Entry, Form, Out};
use crate::error::{Error, Result};

pub(super) struct Table<'a>(csv::Writer<Out<StdoutLock<'a>>>);

const COLUMNS: [&str; 17] = [
    "msgid",
    "source",
    "user",
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
];

fn failed(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::Io(error),
        _ => Error::failed("a row could not be written"),
    }
}

impl<'a> Table<'a> {
    pub(super) fn begin(out: Out<StdoutLock<'a>>) -> Result<Self> {
        let mut table = csv::Writer::from_writer(out);
        table.write_record(COLUMNS).map_err(failed)?;
        Ok(Self(table))
    }
}

impl Form for Table<'_> {
    fn write(&mut self, entry: &Entry<'_>) -> Result<()> {
        let n = entry.notification;
        let target = n.target.as_ref().map(|t| format!("{}:{}", t.kind, t.id)).unwrap_or_default();
        let time = |at: Option<Stamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let row: [&str; COLUMNS.len()] = [
            n.msgid.as_str(),
            entry.source.unwrap_or_default(),
            entry.user.unwrap_or_default(),
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
            if entry.unread { "yes" } else { "no" },
            &time(n.read_at),
            &time(n.archived_at),
        ];
        self.0.write_record(row).map_err(failed)
    }

    fn end(&mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}
