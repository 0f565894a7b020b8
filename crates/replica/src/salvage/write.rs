//! Writes what was read of a damaged replica into a new one, through the same code as pulls and marks. So counters,
//! threads and the search index follow from the items.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params_from_iter};
use tidings_model::{Kind, MsgId, Notification};
use tidings_replica_tables::flags::Flags;
use tidings_replica_tables::{sources, threads};

use super::damaged::Damaged;
use super::read::{COPIED, Contents, Draft, RawRow, SOURCE_COLUMNS, ServerMark, Thread};
use crate::{NotifySettings, Page, Replica, Result, SourceId};

/// The copied tables whose rows the servers have.
const OF_SERVERS: [&str; 3] = ["groups", "group_changes", "tombstones"];

impl Replica {
    /// Takes in what was read; returns the number of items.
    pub(super) fn take_in(&self, contents: &Contents, from: &mut Damaged) -> Result<u64> {
        let rows: Vec<RawRow> = contents.sources.iter().map(|(_, row)| row.clone()).collect();
        let columns = format!("{SOURCE_COLUMNS}, complete");
        from.lost += self.copy_rows("sources", &columns, &with_value(rows, &0.into()))?;
        let known: HashSet<SourceId> = self.read(sources::ids)?.into_iter().collect();
        for ServerMark { source, mark } in contents.marks.iter().filter(|one| known.contains(&one.source)) {
            self.apply(*source, Page { marks: vec![mark.clone()], ..Page::default() })?;
        }
        let items = self.take_in_items(contents, &known, from)?;
        for (rows, (table, columns, _)) in contents.copied.iter().zip(COPIED) {
            let left_out = self.copy_rows(table, columns, rows)?;
            from.lost += if OF_SERVERS.contains(&table) { 0 } else { left_out };
        }
        self.take_in_of_reader(contents, &known, from)?;
        Ok(items)
    }

    /// Takes in what the reader set up, wrote and marked; of a source that is lost nothing can be kept.
    fn take_in_of_reader(
        &self,
        contents: &Contents,
        known: &HashSet<SourceId>,
        from: &mut Damaged,
    ) -> Result<()> {
        for thread in contents.threads.values().filter(|one| one.is_set()) {
            if known.contains(&thread.source) {
                self.set_thread(thread)?;
            } else {
                from.lost += 1;
            }
        }
        for Draft { source, key, text } in &contents.drafts {
            if known.contains(source) {
                self.save_draft(*source, key, text)?;
            } else {
                from.lost += 1;
            }
        }
        for (thread, to) in &contents.wishes {
            let thread = contents.threads.get(thread).filter(|thread| known.contains(&thread.source));
            let is_wanted = thread.map_or(Ok(false), |thread| self.want_again(thread, *to))?;
            from.lost += u64::from(!is_wanted);
        }
        self.list_outgoing(known)?;
        for waiting in &contents.waiting {
            if known.contains(&waiting.source) {
                self.put_again(waiting.clone())?;
            } else {
                from.lost += 1;
            }
        }
        Ok(())
    }

    /// Applies the items in pages, as if they were pulled. What the reader alone did to them comes after them.
    fn take_in_items(
        &self,
        contents: &Contents,
        known: &HashSet<SourceId>,
        from: &mut Damaged,
    ) -> Result<u64> {
        let (mut pages, mut items, mut failed) = (HashMap::<SourceId, Vec<Notification>>::new(), 0, None);
        let (mut deleted, mut late) = (HashMap::<SourceId, Vec<MsgId>>::new(), Vec::new());
        let mut apply = |source: SourceId, page: Vec<Notification>| {
            items += page.len() as u64;
            let applied = self.apply(source, Page { items: page, ..Page::default() });
            failed = failed.take().or(applied.err());
        };
        contents.each_item(from, known, |item| {
            let source = item.source;
            if item.deleted {
                deleted.entry(source).or_default().push(item.notification.msgid.clone());
            }
            late.extend(item.late_answer.map(|text| (source, item.notification.msgid.clone(), text)));
            let page = pages.entry(source).or_default();
            page.push(item.notification);
            if page.len() == self.bounds.salvaged_rows {
                apply(source, std::mem::take(page));
            }
        });
        for (source, page) in pages {
            apply(source, page);
        }
        failed.map_or(Ok(()), Err)?;
        for (source, msgids) in deleted {
            self.delete_again(source, &msgids)?;
        }
        self.keep_late_answers(&late)?;
        Ok(items)
    }

    /// Inserts rows as they were; gives the number of those that the new file does not take.
    fn copy_rows(&self, table: &str, columns: &str, rows: &[RawRow]) -> Result<u64> {
        let values = vec!["?"; columns.split(',').count()].join(", ");
        let sql = format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({values})");
        let mut left_out = 0;
        for portion in rows.chunks(self.bounds.salvaged_rows) {
            let (sql, portion) = (sql.clone(), portion.to_vec());
            let (of_portion, _) = self.write(move |tx, aggregates| {
                aggregates.refetch = true;
                let mut left_out = 0;
                for row in portion {
                    left_out += u64::from(!insert(tx, &sql, row)?);
                }
                Ok(left_out)
            })?;
            left_out += of_portion;
        }
        Ok(left_out)
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
}

impl Thread {
    /// Whether the reader set anything of it.
    fn is_set(&self) -> bool {
        self.flags != Flags::default() || self.notify != NotifySettings::default()
    }
}

/// Inserts a row; false for one that breaks a rule of its table, and is left out.
fn insert(tx: &Connection, sql: &str, row: RawRow) -> Result<bool> {
    match tx.prepare_cached(sql)?.execute(params_from_iter(row)) {
        Err(rusqlite::Error::SqliteFailure(error, _))
            if error.code == rusqlite::ErrorCode::ConstraintViolation =>
        {
            Ok(false)
        }
        done => Ok(done? > 0),
    }
}

/// The rows with one more value.
fn with_value(rows: Vec<RawRow>, value: &rusqlite::types::Value) -> Vec<RawRow> {
    rows.into_iter().map(|row| row.into_iter().chain([value.clone()]).collect()).collect()
}
