//! Writes what was read of a damaged replica into a new one, through the same code as pulls and marks. So counters,
//! threads and the search index follow from the items.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params_from_iter};
use tidings_model::{Kind, MsgId, Notification, wire};
use tidings_replica_tables::flags::Flags;
use tidings_replica_tables::threads;

use super::damaged::Damaged;
use super::read::{COPIED, Contents, Draft, RawRow, SOURCE_COLUMNS, ServerMark, Thread, Waiting};
use crate::{NotifySettings, Page, Replica, Result, SourceId, Targets};

impl Replica {
    /// Takes in what was read; returns the number of items.
    pub(super) fn take_in(&self, contents: &Contents, from: &mut Damaged) -> Result<u64> {
        let sources: Vec<RawRow> = contents.sources.iter().map(|(_, row)| row.clone()).collect();
        self.copy_rows("sources", &format!("{SOURCE_COLUMNS}, complete"), &with_value(sources, &0.into()))?;
        let known: HashSet<SourceId> = contents.sources.iter().map(|(id, _)| *id).collect();
        for ServerMark { source, mark } in contents.marks.iter().filter(|one| known.contains(&one.source)) {
            self.apply(*source, Page { marks: vec![mark.clone()], ..Page::default() })?;
        }
        let items = self.take_in_items(contents, from)?;
        for (rows, (table, columns, _)) in contents.copied.iter().zip(COPIED) {
            self.copy_rows(table, columns, rows)?;
        }
        for thread in contents.threads.values().filter(|one| known.contains(&one.source) && one.is_set()) {
            self.set_thread(thread)?;
        }
        for Draft { source, key, text } in contents.drafts.iter().filter(|one| known.contains(&one.source)) {
            self.save_draft(*source, key, text)?;
        }
        self.list_outgoing(&known)?;
        for waiting in contents.waiting.iter().filter(|one| known.contains(&one.source)) {
            self.put_again(waiting)?;
        }
        Ok(items)
    }

    /// Applies the items in pages, as if they were pulled.
    fn take_in_items(&self, contents: &Contents, from: &mut Damaged) -> Result<u64> {
        let (mut pages, mut items, mut failed) = (HashMap::<SourceId, Vec<Notification>>::new(), 0, None);
        let mut apply = |source: SourceId, page: Vec<Notification>| {
            items += page.len() as u64;
            let applied = self.apply(source, Page { items: page, ..Page::default() });
            failed = failed.take().or(applied.err());
        };
        contents.each_item(from, |source, item| {
            let page = pages.entry(source).or_default();
            page.push(item);
            if page.len() == self.bounds.salvaged_rows {
                apply(source, std::mem::take(page));
            }
        });
        for (source, page) in pages {
            apply(source, page);
        }
        failed.map_or(Ok(items), Err)
    }

    /// Inserts rows as they were; those that the new file does not take are left out.
    fn copy_rows(&self, table: &str, columns: &str, rows: &[RawRow]) -> Result<()> {
        let values = vec!["?"; columns.split(',').count()].join(", ");
        let sql = format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({values})");
        for portion in rows.chunks(self.bounds.salvaged_rows) {
            let (sql, portion) = (sql.clone(), portion.to_vec());
            self.write(move |tx, aggregates| {
                aggregates.refetch = true;
                for row in portion {
                    insert(tx, &sql, row)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Pins or mutes a thread again, with its notify settings. It is there before a pull brings its items.
    fn set_thread(&self, thread: &Thread) -> Result<()> {
        let Thread { source, kind, flags, notify, .. } = *thread;
        let key = thread.key.clone();
        self.write(move |tx, aggregates| {
            let id = aggregates.thread(source, &key, kind.unwrap_or(Kind::Reminder))?;
            threads::set_notify(tx, id, notify)?;
            aggregates.set_flags(id, flags)?;
            aggregates.set_notify(id, notify)
        })?;
        Ok(())
    }

    /// Lists the conversations of messages that were not sent.
    fn list_outgoing(&self, sources: &HashSet<SourceId>) -> Result<()> {
        for source in sources.iter().copied() {
            for message in self.outgoing(source)? {
                self.write(move |_, aggregates| {
                    let thread = aggregates.thread(source, &message.conversation, Kind::Message)?;
                    aggregates.touch(thread)
                })?;
            }
        }
        Ok(())
    }

    /// Puts a mark again that was not sent.
    fn put_again(&self, waiting: &Waiting) -> Result<()> {
        let source = waiting.source;
        let marked = match &waiting.change {
            wire::Change::Mark { mark, msgids, .. } => {
                let items = self.items_by_msgid(Some(source), &distinct(msgids))?;
                self.mark(Targets::Items(items.iter().map(|item| item.id).collect()), *mark)
            }
            wire::Change::Answer { msgids, answer, text } => {
                for item in self.items_by_msgid(Some(source), msgids)? {
                    self.answer(item.id, answer.as_deref(), text.as_deref())?;
                }
                return Ok(());
            }
            wire::Change::ReadAll { kind, through } => {
                let all = Targets::All { source: Some(source), kind: *kind, through: Some(*through) };
                self.mark(all, crate::Mark::Read)
            }
            wire::Change::Visit { view, at } => self.visit(source, view, *at),
        };
        marked.map(drop)
    }
}

impl Thread {
    /// Whether the reader set anything of it.
    fn is_set(&self) -> bool {
        self.flags != Flags::default() || self.notify != NotifySettings::default()
    }
}

/// Inserts a row; one that breaks a rule of its table is left out.
fn insert(tx: &Connection, sql: &str, row: RawRow) -> Result<()> {
    match tx.prepare_cached(sql)?.execute(params_from_iter(row)) {
        Err(rusqlite::Error::SqliteFailure(error, _))
            if error.code == rusqlite::ErrorCode::ConstraintViolation =>
        {
            Ok(())
        }
        done => Ok(done.map(drop)?),
    }
}

/// The rows with one more value.
fn with_value(rows: Vec<RawRow>, value: &rusqlite::types::Value) -> Vec<RawRow> {
    rows.into_iter().map(|row| row.into_iter().chain([value.clone()]).collect()).collect()
}

fn distinct(msgids: &[MsgId]) -> Vec<MsgId> {
    let mut known = HashSet::new();
    msgids.iter().filter(|msgid| known.insert(*msgid)).cloned().collect()
}
