//! Reading everything up to a time with one operation a source, however many items that is. Refuses to name them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp, wire};

use crate::mark::Marking;
use crate::overlay::Act;
use crate::row::{self, BRIEF, Brief};
use crate::{ItemId, Result, SourceId, outbox, views};

impl Marking<'_, '_> {
    /// Reads everything up to a time, with one operation a source.
    pub(crate) fn read_all(
        &mut self,
        source: Option<SourceId>,
        kind: Option<Kind>,
        through: Option<Stamp>,
    ) -> Result<()> {
        let sources: Vec<SourceId> = match source {
            Some(source) => vec![source],
            None => self
                .tx
                .prepare_cached("SELECT DISTINCT source FROM counters")?
                .query_map([], |r| r.get(0))?
                .collect::<Result<_, _>>()?,
        };
        let given = through;
        let sql = format!(
            "SELECT {BRIEF} FROM items i WHERE i.unread = 1 AND +i.source = ?1 AND (?2 IS NULL OR +i.kind = ?2)
                AND i.created_at <= ?3
             UNION ALL
             SELECT {BRIEF} FROM items i WHERE i.asleep = 1 AND i.deleted = 0 AND i.own = 0 AND +i.source = ?1
                AND (?2 IS NULL OR +i.kind = ?2) AND +i.created_at <= ?3"
        );
        for source in sources {
            let through = match given {
                Some(through) => through,
                None => newest_of(self.tx, source)?,
            };
            let items: Vec<Brief> = self
                .tx
                .prepare_cached(&sql)?
                .query_map(params![source, kind.map(Kind::as_row), through.as_micros()], Brief::of)?
                .collect::<Result<_, _>>()?;
            if items.is_empty() && given.is_none() {
                continue;
            }
            let seq = self.push_read_all(source, kind, through)?;
            self.read_under(seq, source, items)?;
        }
        Ok(())
    }

    fn push_read_all(&self, source: SourceId, kind: Option<Kind>, through: Stamp) -> Result<i64> {
        let change = wire::Change::ReadAll { kind, through };
        outbox::push(self.tx, source, "read_all", Some(through), kind, &change, self.now)
    }

    /// A portion of what one operation reads; the first one puts it into the outbox.
    pub(crate) fn read_portion(
        &mut self,
        source: SourceId,
        kind: Option<Kind>,
        through: Stamp,
        seq: &AtomicI64,
        items: &[ItemId],
    ) -> Result<()> {
        if seq.load(Ordering::Relaxed) == 0 {
            seq.store(self.push_read_all(source, kind, through)?, Ordering::Relaxed);
        }
        let items = self.by("i.id = ?1 AND i.deleted = 0 AND (i.unread = 1 OR i.asleep = 1)", items)?;
        self.read_under(seq.load(Ordering::Relaxed), source, items)
    }

    /// Reads items under an operation that reads a range.
    fn read_under(&mut self, seq: i64, source: SourceId, items: Vec<Brief>) -> Result<()> {
        // A view's mark moves no further than to what is here: this machine's clock may be ahead.
        let mut moved: BTreeMap<i64, Stamp> = BTreeMap::new();
        for was in items {
            if let Some(view) = was.view {
                let at = moved.entry(view).or_insert(was.content_at());
                *at = was.content_at().max(*at);
                continue;
            }
            let mut is = was.clone();
            Act::Read.on(&mut is.marks, self.now, false);
            if is.marks != was.marks {
                self.restate(&was, &mut is)?;
                self.remember(&was, &is);
            }
        }
        // The server may have answered already: then there is nothing that waits.
        let waits: bool = self
            .tx
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM outbox WHERE seq = ?1)")?
            .query_row([seq], |r| r.get(0))?;
        for (view, at) in moved {
            let known = views::get(self.tx, view)?;
            let to = views::step_to(known.through, true, at);
            if to != known.through {
                if waits {
                    outbox::on_view(self.tx, seq, view, true, at)?;
                }
                self.put_view(source, known, to)?;
            }
        }
        Ok(())
    }
}

/// When the newest item of a source was created.
pub(crate) fn newest_of(conn: &Connection, source: SourceId) -> Result<Stamp> {
    let mut newest = Stamp::ZERO;
    for place in 0..3_i64 {
        for kind in Kind::ALL {
            for unread in [false, true] {
                let at: Option<Stamp> = conn
                    .prepare_cached(
                        "SELECT max(last_at) FROM threads INDEXED BY threads_list
                         WHERE place = ?1 AND kind = ?2 AND source = ?3 AND (unread > 0) = ?4",
                    )?
                    .query_row(params![place, kind.as_row(), source, unread], |r| row::time(r, 0))?;
                newest = newest.max(at.unwrap_or(Stamp::ZERO));
            }
        }
    }
    Ok(newest)
}
