//! Another version of an item that is here. Refuses one that is older, and to lose marks that only a lost history of the
//! server had.

use rusqlite::params;
use tidings_model::{Notification, Stamp};

use super::{Outcome, Pull, news};
use crate::Result;
use crate::outbox::Named;
use crate::overlay::Act;
use crate::row::{self, Brief};

impl Pull<'_> {
    /// A version of an item that is here.
    pub(super) fn renew(&mut self, n: &Notification, nth: usize, was: Brief) -> Result<Outcome> {
        let older = was.generation < self.generation;
        if !older && n.stamp <= was.stamp {
            return Ok(Outcome::Passed);
        }
        if older && n.stamp == was.stamp && self.same(n, &was) {
            // The server's history began anew, but not for this item.
            self.tx
                .prepare_cached("UPDATE items SET generation = ?2 WHERE id = ?1")?
                .execute([was.id, self.generation])?;
            return Ok(Outcome::Passed);
        }
        let mut is = self.brief(n)?;
        // What it says of its view may have turned the item itself.
        let was = if is.view.is_some() { self.known(&n.msgid)?.unwrap_or(was) } else { was };
        is.id = was.id;
        is.deleted = false;
        if older && n.stamp <= was.stamp && !self.retake {
            self.keep_marks(n, &was, &is)?;
        }
        self.overlay.lay(self.tx, &mut is)?;
        is.derive(self.now);
        let (title, body, actor, name, action, rest, sent): (
            String,
            String,
            String,
            String,
            Option<String>,
            String,
            Option<u8>,
        ) = self
            .tx
            .prepare_cached(
                "SELECT title, body, actor, actor_name, action, rest, sent_priority FROM items WHERE id = ?1",
            )?
            .query_row([was.id], |r| {
                Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?, r.get(6)?))
            })?;
        let new_rest = row::rest(n)?;
        let same_actor = actor == n.actor.id && name == n.actor.name;
        let same_words = same_actor
            && title == n.content.title
            && body == n.content.body
            && rest == new_rest
            && action == n.action;
        let new_words = title != n.content.title || body != n.content.body;
        let verdict = self.judge(n, &is);
        // What a rule made of its priority stays; what else a rule did is done once for the same words.
        let kept = !new_words && sent.unwrap_or(was.priority) == n.content.priority.get();
        is.priority = if kept { was.priority } else { verdict.priority };
        self.overwrite(n, &is, &new_rest)?;
        let moved = was.thread != is.thread
            || was.created_at != is.created_at
            || was.kind != is.kind
            || was.own != is.own
            || !same_actor;
        // Its row says already what it is.
        let went = if was.own { None } else { Some(&*actor) };
        let actor = if is.own { None } else { Some(&n.actor) };
        match (was.deleted, is.deleted) {
            (true, true) => {}
            (true, false) => self.ledger.enter(is.thread, &is.facts(), actor, Some(nth))?,
            (false, true) => self.ledger.leave(was.thread, &was.facts(), went)?,
            (false, false) if moved => {
                self.ledger.leave(was.thread, &was.facts(), went)?;
                self.ledger.enter(is.thread, &is.facts(), actor, None)?;
            }
            (false, false) => {
                self.ledger.turn(is.thread, &was.facts(), &is.facts())?;
                if !same_words || was.priority != is.priority {
                    self.ledger.reword(is.thread, is.id)?;
                }
            }
        }
        if !same_words || was.priority != is.priority {
            self.found.push((is.id, nth, true));
        }
        if new_words {
            self.carry_out(verdict, &is)?;
        } else if verdict.no_toast {
            self.no_toast.insert(is.id);
        }
        if new_words && news::is_open(&is) && !verdict.archive {
            self.news.push((is.thread, n.stamp));
        }
        let again = is.unread && !was.unread;
        let Brief { id: item, thread, unread, priority, .. } = is;
        Ok(Outcome::Updated { item, thread, unread, again, priority })
    }

    /// Whether a version with the same stamp says the same of an item on which nothing waits.
    fn same(&self, n: &Notification, was: &Brief) -> bool {
        let read = match was.view {
            Some(_) => was.is_read(),
            None => was.marks.read.is_some(),
        };
        !self.overlay.any
            && !was.deleted
            && read == n.read_at.is_some()
            && (was.marks.seen, was.marks.archived, was.marks.snoozed)
                == (n.seen_at, n.archived_at, n.snoozed_until)
    }

    fn overwrite(&self, n: &Notification, is: &Brief, rest: &str) -> Result<()> {
        self.tx
            .prepare_cached(
                "UPDATE items SET thread = ?2, generation = ?3, stamp = ?4, version = ?5, kind = ?6, created_at = ?7,
                    actor = ?8, actor_name = ?9, action = ?10, own = ?11, priority = ?12, view = ?13, title = ?14,
                    body = ?15, rest = ?16, sent_priority = ?17, revised_at = ?18 WHERE id = ?1",
            )?
            .execute(params![
                is.id,
                is.thread,
                self.generation,
                n.stamp.as_micros(),
                n.version,
                n.kind.as_row(),
                n.created_at.as_micros(),
                n.actor.id,
                n.actor.name,
                n.action,
                is.own,
                is.priority,
                is.view,
                n.content.title,
                n.content.body,
                rest,
                news::sent(n, is.priority),
                n.revised_at.map(Stamp::as_micros)
            ])?;
        is.write(self.tx)
    }

    /// Marks that were acknowledged in a history that the server lost are asked for again.
    fn keep_marks(&mut self, n: &Notification, was: &Brief, is: &Brief) -> Result<()> {
        let mut acts = Vec::new();
        let (here, there) = (&was.marks, &is.marks);
        if is.view.is_none() && here.read.is_some() != there.read.is_some() {
            acts.push(if here.read.is_some() { Act::Read } else { Act::Unread });
        }
        if here.archived.is_some() != there.archived.is_some() {
            acts.push(if here.archived.is_some() { Act::Archive } else { Act::Unarchive });
        }
        if here.seen.is_some() && there.seen.is_none() {
            acts.push(Act::Seen);
        }
        match here.snoozed {
            Some(until) if until > self.now && here.snoozed != there.snoozed => {
                // Each has its own time, so each is an operation of its own.
                self.push(Act::Snooze(until), &[Named::of(was, &n.msgid)])?;
            }
            None if there.snoozed.is_some_and(|until| until > self.now) => acts.push(Act::Unsnooze),
            _ => {}
        }
        if was.deleted {
            acts.push(Act::Delete);
        }
        for act in acts {
            self.push(act, &[Named::of(was, &n.msgid)])?;
        }
        Ok(())
    }
}
