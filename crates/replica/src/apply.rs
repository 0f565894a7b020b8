//! Writing a page: items, threads, counters, search and cursor in one transaction. Refuses what is older than what is
//! here, so that a page may come as often as it likes.

mod graves;
mod insert;
mod news;
mod renew;
mod view_marks;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Kind, MsgId, Notification, Stamp};

use crate::ledger::Ledger;
use crate::outbox::{self, Named};
use crate::overlay::{Act, Overlay};
use crate::row::{self, BRIEF, Brief};
use crate::rules::Rules;
use crate::views::Known;
use crate::{
    Applied, Arrival, Error, ItemId, NotifySettings, Page, Result, SourceId, ThreadId, forgotten, search,
    skipped, talk,
};

pub(crate) use self::graves::remove;
pub(crate) use self::view_marks::{approach, rows_of};

/// What became of one item of the page.
enum Outcome {
    Passed,
    Arrived { item: ItemId, thread: ThreadId, unread: bool, priority: u8 },
    Updated { item: ItemId, thread: ThreadId, unread: bool, again: bool, priority: u8 },
}

pub(crate) struct Pull<'t> {
    tx: &'t Connection,
    now: Stamp,
    source: SourceId,
    user: Option<String>,
    generation: i64,
    overlay: Overlay,
    ledger: Ledger<'t>,
    views: HashMap<String, Known>,
    tombstones: bool,
    /// The last item was here already: look before the next one is inserted.
    expect_known: bool,
    /// Items that a moving mark turned, and what they are now.
    turned: HashMap<ItemId, bool>,
    /// What the source may tell.
    notify: NotifySettings,
    rules: Rules,
    /// Threads in which something new arrived, and when it became news.
    news: Vec<(ThreadId, Stamp)>,
    /// Items that rules archive.
    archive: Vec<ItemId>,
    /// Items that rules want no toast for.
    no_toast: HashSet<ItemId>,
    /// Search rows to write, by item; `true` replaces one.
    found: Vec<(ItemId, usize, bool)>,
    /// Whatever the server says is taken, also against local marks.
    retake: bool,
    /// Some item was too large once.
    skipped: bool,
    /// What was created before is kept no more.
    forgotten_before: Option<Stamp>,
    /// Every mark of a view is known as far as the items are: no backlog was waiting.
    complete: bool,
    /// What was deleted in a history that the server lost.
    lost: Vec<Named>,
}

/// Writes a page.
pub(crate) fn apply(tx: &Connection, now: Stamp, source: SourceId, page: Page) -> Result<Applied> {
    let mut pull = Pull::start(tx, now, source, &page)?;
    for mark in &page.marks {
        pull.mark(mark)?;
    }
    let mut outcomes = Vec::with_capacity(page.items.len());
    for (nth, item) in page.items.iter().enumerate() {
        outcomes.push(pull.item(item, nth)?);
    }
    pull.tidy()?;
    pull.stir()?;
    pull.index(&page.items)?;
    talk::arrived(tx, &mut pull.ledger, source)?;
    pull.remind(page.next.is_some() && !page.more)?;
    finish(tx, now, source, &page)?;
    pull.end(page.items, outcomes)
}

fn finish(tx: &Connection, now: Stamp, source: SourceId, page: &Page) -> Result<()> {
    match &page.next {
        Some(next) => tx
            .prepare_cached(
                "UPDATE sources SET cursor = ?2, epoch = ifnull(?3, epoch), complete = ?4, last_pull = ?5,
                    counts = CASE WHEN ?4 THEN NULL ELSE counts END,
                    retake = retake AND NOT ?4 WHERE id = ?1",
            )?
            .execute(params![source, next, page.epoch, !page.more, now.as_micros()])?,
        None => tx
            .prepare_cached("UPDATE sources SET last_pull = ?2 WHERE id = ?1")?
            .execute(params![source, now.as_micros()])?,
    };
    Ok(())
}

impl<'t> Pull<'t> {
    fn start(tx: &'t Connection, now: Stamp, source: SourceId, page: &Page) -> Result<Self> {
        let (user, mut generation, known_epoch, retake, complete, notify): (
            _,
            i64,
            Option<String>,
            _,
            bool,
            _,
        ) = tx
            .prepare_cached(
                "SELECT user, generation, epoch, retake, complete, tell, from_priority, sound FROM sources
                 WHERE id = ?1",
            )?
            .query_row([source], |r| {
                Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, NotifySettings::of(r, 5)?))
            })
            .optional()?
            .ok_or(Error::NoSource(source))?;
        // A page of another history: whatever it brings is taken.
        let another =
            matches!((page.epoch.as_deref(), known_epoch.as_deref()), (Some(new), Some(old)) if new != old);
        generation += i64::from(another);
        tx.prepare_cached("UPDATE sources SET tick = tick + 1, generation = ?2 WHERE id = ?1")?
            .execute(params![source, generation])?;
        if another {
            talk::post_again(tx, source)?;
            tx.prepare_cached("UPDATE sources SET forgotten_before = NULL, swept_to = NULL WHERE id = ?1")?
                .execute([source])?;
        }
        if let Some(before) = page.forgotten_before {
            forgotten::said(tx, source, before)?;
        }
        let forgotten_before = tx
            .prepare_cached("SELECT forgotten_before FROM sources WHERE id = ?1")?
            .query_row([source], |r| row::time(r, 0))?;
        let tombstones = tx
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM tombstones WHERE source = ?1)")?
            .query_row([source], |r| r.get(0))?;
        Ok(Self {
            tx,
            now,
            source,
            user,
            generation,
            overlay: Overlay::of(tx, source)?,
            ledger: Ledger::new(tx),
            views: HashMap::new(),
            tombstones,
            expect_known: false,
            turned: HashMap::new(),
            notify,
            rules: Rules::of(tx)?,
            news: Vec::new(),
            archive: Vec::new(),
            no_toast: HashSet::new(),
            found: Vec::new(),
            retake,
            skipped: skipped::any(tx, source)?,
            forgotten_before,
            complete,
            lost: Vec::new(),
        })
    }

    fn item(&mut self, n: &Notification, nth: usize) -> Result<Outcome> {
        if self.skipped {
            skipped::came(self.tx, self.source, n.msgid.as_str())?;
        }
        if self.forgotten_before.is_some_and(|before| n.created_at < before) {
            return Ok(Outcome::Passed);
        }
        if n.deleted {
            return self.tombstone(n).map(|()| Outcome::Passed);
        }
        if self.expect_known {
            if let Some(known) = self.known(&n.msgid)? {
                return self.renew(n, nth, known);
            }
        } else if let Some(outcome) = self.insert(n, nth)? {
            return Ok(outcome);
        }
        // It was not as expected.
        self.expect_known = !self.expect_known;
        if self.expect_known {
            match self.known(&n.msgid)? {
                Some(known) => self.renew(n, nth, known),
                None => Ok(Outcome::Passed),
            }
        } else {
            Ok(self.insert(n, nth)?.unwrap_or(Outcome::Passed))
        }
    }

    /// A message or an announcement from the user itself.
    fn is_own(&self, n: &Notification) -> bool {
        n.kind != Kind::Reminder && self.user.as_ref().is_some_and(|user| *user == n.actor.id)
    }

    fn known(&self, msgid: &MsgId) -> Result<Option<Brief>> {
        let sql = format!("SELECT {BRIEF} FROM items i WHERE i.source = ?1 AND i.msgid = ?2");
        Ok(self
            .tx
            .prepare_cached(&sql)?
            .query_row(params![self.source, msgid.as_str()], Brief::of)
            .optional()?)
    }

    /// At once, so that it is laid over this very item.
    fn push(&mut self, act: Act, named: &[Named]) -> Result<()> {
        if named.is_empty() {
            return Ok(());
        }
        outbox::queue(self.tx, self.source, act, named, self.now)?;
        self.overlay.any = true;
        Ok(())
    }

    /// Writes the search rows, in the order of their ids: the index is quickest then.
    fn index(&mut self, items: &[Notification]) -> Result<()> {
        self.found.sort_unstable();
        for (id, ..) in self.found.iter().filter(|(.., replace)| *replace) {
            search::forget(self.tx, *id)?;
        }
        // Of two versions in one page the later one counts.
        let mut rows = self.found.iter().peekable();
        while let Some((id, nth, _)) = rows.next() {
            if rows.peek().is_some_and(|(next, ..)| next == id) {
                continue;
            }
            if let Some(n) = items.get(*nth) {
                search::learn(self.tx, *id, self.source, n)?;
            }
        }
        Ok(())
    }

    fn end(mut self, items: Vec<Notification>, outcomes: Vec<Outcome>) -> Result<Applied> {
        let mut notify = HashMap::new();
        for outcome in &outcomes {
            if let Outcome::Arrived { thread, .. } | Outcome::Updated { thread, .. } = outcome
                && !notify.contains_key(thread)
            {
                notify.insert(*thread, self.ledger.notify(*thread)?.or(self.notify));
            }
        }
        let own = self.user.take();
        let last = |nth: usize| {
            let n = items.get(nth)?;
            Some(row::last(n, n.kind != Kind::Reminder && own.as_ref().is_some_and(|u| *u == n.actor.id)))
        };
        let changed = self.ledger.close(&last)?;
        let mut applied = Applied { changed: Arc::new(changed), ..Applied::default() };
        for (notification, outcome) in items.into_iter().zip(outcomes) {
            let (item, thread, unread, again, priority, new) = match outcome {
                Outcome::Passed => continue,
                Outcome::Arrived { item, thread, unread, priority } => {
                    (item, thread, unread, false, priority, true)
                }
                Outcome::Updated { item, thread, unread, again, priority } => {
                    (item, thread, unread, again, priority, false)
                }
            };
            let unread = self.turned.get(&item).copied().unwrap_or(unread);
            let arrival = Arrival {
                item,
                thread,
                unread,
                unread_again: again && unread,
                notify: notify.get(&thread).copied().unwrap_or_default(),
                priority,
                no_toast: self.no_toast.contains(&item),
                notification,
            };
            if new { applied.arrived.push(arrival) } else { applied.updated.push(arrival) }
        }
        Ok(applied)
    }
}
