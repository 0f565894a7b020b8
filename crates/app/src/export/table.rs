//! A table with a row for each notification. Refuses what has no column: JSON has it all.

use std::io::{self, Write};

use tidings_model::Stamp;

use super::{Entry, Form};

const USER: &str = "user";
const COLUMNS: [&str; 17] = [
    "msgid",
    "source",
    USER,
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

pub(super) struct Table<W: Write> {
    out: csv::Writer<W>,
    has_users: bool,
}

impl<W: Write> Table<W> {
    pub(super) fn begin(out: W, has_users: bool) -> io::Result<Self> {
        let mut table = Self { out: csv::Writer::from_writer(out), has_users };
        table.row(&COLUMNS)?;
        Ok(table)
    }

    fn row(&mut self, fields: &[&str; COLUMNS.len()]) -> io::Result<()> {
        let all = COLUMNS.iter().zip(fields);
        let kept = all.filter(|(column, _)| self.has_users || **column != USER);
        self.out.write_record(kept.map(|(_, field)| field)).map_err(failed)
    }
}

fn failed(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("a row could not be written: {other:?}")),
    }
}

impl<W: Write> Form for Table<W> {
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let n = entry.notification;
        let target = n.target.as_ref().map(|t| format!("{}:{}", t.kind, t.id)).unwrap_or_default();
        let time = |at: Option<Stamp>| at.map(|at| at.to_string()).unwrap_or_default();
        self.row(&[
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
        ])
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
