//! An item that was not here. Refuses one that is: that is the business of `renew`.

use rusqlite::params;
use tidings_model::{Notification, Stamp};

use super::{Outcome, Pull, news};
use crate::Result;
use crate::row::{self, Brief, Marks};

impl Pull<'_> {
    /// The state of an item as the server has it.
    pub(super) fn brief(&mut self, n: &Notification) -> Result<Brief> {
        let view = self.view(n)?;
        let thread = self.ledger.thread(self.source, &n.thread, n.kind)?;
        let mut brief = Brief {
            id: 0,
            source: self.source,
            msgid: String::new(),
            thread,
            generation: self.generation,
            stamp: n.stamp,
            kind: n.kind,
            created_at: n.created_at,
            revised_at: n.revised_at,
            own: self.is_own(n),
            priority: n.content.priority.get(),
            view: view.as_ref().map(|view| view.id),
            through: view.as_ref().and_then(|view| view.through),
            marks: Marks {
                seen: n.seen_at,
                // By its view's mark; what that does not say it says of itself alone.
                read: n.read_at.filter(|read| view.is_none_or(|view| view.server != Some(*read))),
                archived: n.archived_at,
                snoozed: n.snoozed_until,
            },
            asleep: false,
            deleted: false,
            unread: false,
        };
        brief.derive(self.now);
        Ok(brief)
    }

    /// Inserts an item; none when it is here already.
    pub(super) fn insert(&mut self, n: &Notification, nth: usize) -> Result<Option<Outcome>> {
        if self.tombstones && self.buried(n)? {
            return Ok(Some(Outcome::Passed));
        }
        let mut brief = self.brief(n)?;
        let verdict = self.judge(n, &brief);
        brief.priority = verdict.priority;
        let new = self
            .tx
            .prepare_cached(
                "INSERT OR IGNORE INTO items (source, msgid, thread, generation, stamp, version, kind, created_at, actor,
                    actor_name, action, own, priority, view, seen_at, read_at, archived_at, snoozed_until, asleep,
                    deleted, unread, title, body, rest, sent_priority, revised_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, 0, ?20,
                    ?21, ?22, ?23, ?24, ?25)",
            )?
            .execute(params![
                self.source,
                n.msgid.as_str(),
                brief.thread,
                self.generation,
                n.stamp.as_micros(),
                n.version,
                n.kind.as_row(),
                n.created_at.as_micros(),
                n.actor.id,
                n.actor.name,
                n.action,
                brief.own,
                brief.priority,
                brief.view,
                brief.marks.seen.map(Stamp::as_micros),
                brief.marks.read.map(Stamp::as_micros),
                brief.marks.archived.map(Stamp::as_micros),
                brief.marks.snoozed.map(Stamp::as_micros),
                brief.asleep,
                brief.unread,
                n.content.title,
                n.content.body,
                row::rest(n)?,
                news::sent(n, brief.priority),
                n.revised_at.map(Stamp::as_micros),
            ])?;
        if new == 0 {
            return Ok(None);
        }
        brief.id = self.tx.last_insert_rowid();
        if !self.overlay.ranges.is_empty() {
            self.overlay.lay(self.tx, &mut brief)?;
            brief.derive(self.now);
            brief.write(self.tx)?;
        }
        let actor = if brief.own { None } else { Some(&n.actor) };
        self.ledger.enter(brief.thread, &brief.facts(), actor, Some(nth))?;
        self.found.push((brief.id, nth, false));
        self.carry_out(verdict, &brief)?;
        if brief.unread && !verdict.archive {
            self.news.push((brief.thread, news::since(n)));
        }
        let Brief { id: item, thread, unread, priority, .. } = brief;
        Ok(Some(Outcome::Arrived { item, thread, unread, priority }))
    }
}
