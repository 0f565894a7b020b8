//! Writing a page: items, threads, counters, search and cursor in one transaction. Refuses what is older than what is
//! here, so that a page may come as often as it likes.

mod news;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Catalog, Class, Kind, MsgId, Notification, Stamp, View, wire};

use crate::ledger::Ledger;
use crate::outbox::{self, Named};
use crate::overlay::{Act, Overlay};
use crate::row::{self, BRIEF, Brief, Marks};
use crate::rules::Rules;
use crate::views::{self, Known};
use crate::{Applied, Arrival, Error, ItemId, Page, Result, SourceId, Telling, ThreadId, search, talk};

/// What became of one item of the page.
enum Outcome {
    Passed,
    Arrived { item: ItemId, thread: ThreadId, unread: bool, priority: u8 },
    Renewed { item: ItemId, thread: ThreadId, unread: bool, again: bool, priority: u8 },
}

pub(crate) struct Pull<'t> {
    tx: &'t Connection,
    now: Stamp,
    source: SourceId,
    user: Option<String>,
    generation: i64,
    catalog: Catalog,
    overlay: Overlay,
    ledger: Ledger<'t>,
    views: HashMap<String, Known>,
    tombstones: bool,
    /// The last item was here already: look before the next one is inserted.
    expect_known: bool,
    /// Items that a moving mark turned, and what they are now.
    turned: HashMap<ItemId, bool>,
    /// What the source may tell.
    telling: Telling,
    rules: Rules,
    /// Threads in which something new arrived, and when it became news.
    news: Vec<(ThreadId, Stamp)>,
    /// Items that rules archive.
    archive: Vec<ItemId>,
    /// Items that rules want no toast for.
    hushed: HashSet<ItemId>,
    /// Search rows to write, by item; `true` replaces one.
    found: Vec<(ItemId, usize, bool)>,
    /// Whatever the server says is taken, also against local marks.
    retake: bool,
    /// What was deleted in a history that the server lost.
    lost: Vec<Named>,
}

/// Writes a page.
pub(crate) fn apply(tx: &Connection, now: Stamp, source: SourceId, page: Page) -> Result<Applied> {
    let mut pull = Pull::start(tx, now, source, page.epoch.as_deref())?;
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
    talk::arrived(tx, source)?;
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
    fn start(tx: &'t Connection, now: Stamp, source: SourceId, epoch: Option<&str>) -> Result<Self> {
        let (user, mut generation, known_epoch, catalog, retake, telling): (
            _,
            i64,
            Option<String>,
            Option<String>,
            _,
            _,
        ) = tx
            .prepare_cached(
                "SELECT user, generation, epoch, catalog, retake, tell, from_priority, sound FROM sources
                 WHERE id = ?1",
            )?
            .query_row([source], |r| {
                Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, Telling::of(r, 5)?))
            })
            .optional()?
            .ok_or(Error::NoSource(source))?;
        // A page of another history: whatever it brings is taken.
        let another = matches!((epoch, known_epoch.as_deref()), (Some(new), Some(old)) if new != old);
        generation += i64::from(another);
        tx.prepare_cached("UPDATE sources SET tick = tick + 1, generation = ?2 WHERE id = ?1")?
            .execute(params![source, generation])?;
        if another {
            talk::post_again(tx, source)?;
        }
        let catalog = match catalog {
            Some(text) => serde_json::from_str(&text)?,
            None => Catalog::default(),
        };
        let tombstones = tx
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM tombstones WHERE source = ?1)")?
            .query_row([source], |r| r.get(0))?;
        Ok(Self {
            tx,
            now,
            source,
            user,
            generation,
            catalog,
            overlay: Overlay::of(tx, source)?,
            ledger: Ledger::new(tx),
            views: HashMap::new(),
            tombstones,
            expect_known: false,
            turned: HashMap::new(),
            telling,
            rules: Rules::of(tx)?,
            news: Vec::new(),
            archive: Vec::new(),
            hushed: HashSet::new(),
            found: Vec::new(),
            retake,
            lost: Vec::new(),
        })
    }

    /// A view's mark, as the server has it.
    fn mark(&mut self, mark: &wire::ViewMark) -> Result<()> {
        let mut known = views::find_or_create(self.tx, self.source, &mark.view, self.generation, None)?;
        let older = known.generation < self.generation;
        if !older && known.server.is_some() && mark.stamp <= known.stamp {
            return Ok(());
        }
        // A server restored from a backup knows less than was looked at here.
        let ahead =
            known.through.filter(|t| older && !self.retake && mark.stamp <= known.stamp && *t > mark.through);
        (known.server, known.stamp, known.generation) = (Some(mark.through), mark.stamp, self.generation);
        known.heard = self.overlay.tick;
        views::heard(self.tx, &known)?;
        if let Some(at) = ahead {
            self.visit_again(&known, &mark.view, at)?;
        }
        let through = views::in_force(self.tx, known.id, known.server)?;
        self.put(&mut known, through)?;
        self.views.insert(mark.view.to_string(), known);
        Ok(())
    }

    fn visit_again(&mut self, known: &Known, view: &View, at: Stamp) -> Result<()> {
        let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
        let seq = outbox::push(self.tx, self.source, "visit", Some(at), None, &change, self.now)?;
        outbox::on_view(self.tx, seq, known.id, true, at)?;
        self.overlay.any = true;
        Ok(())
    }

    fn put(&mut self, known: &mut Known, through: Option<Stamp>) -> Result<()> {
        let unread = through < known.through;
        for (item, _) in views::put(self.tx, &mut self.ledger, known, through, self.now)? {
            self.turned.insert(item, unread);
        }
        Ok(())
    }

    /// The view that decides whether the item is read, with its mark; none of manual class.
    fn view(&mut self, n: &Notification) -> Result<Option<(i64, Option<Stamp>)>> {
        if self.catalog.class(n.kind, n.action.as_deref()) == Class::Manual {
            return Ok(None);
        }
        let Some(view) = n.view() else { return Ok(None) };
        let key = view.to_string();
        let mut known = match self.views.remove(&key) {
            Some(known) => known,
            None => views::find_or_create(self.tx, self.source, &view, self.generation, None)?,
        };
        self.catch_up(&mut known, n)?;
        let answer = (known.id, known.through);
        self.views.insert(key, known);
        Ok(Some(answer))
    }

    /// What an item says of its view's mark: it may come before the mark itself does.
    fn catch_up(&mut self, known: &mut Known, n: &Notification) -> Result<()> {
        // One that is older than the mark's last move may come from before it moved back.
        let news = |read: &Stamp| n.stamp > known.stamp && known.server.is_none_or(|server| server < *read);
        if let Some(read) = n.read_at.filter(news) {
            known.server = Some(read);
            known.heard = self.overlay.tick;
            views::heard(self.tx, known)?;
            let through = views::in_force(self.tx, known.id, known.server)?;
            self.put(known, through)?;
        }
        let own = self.is_own(n);
        let behind = |r: &&crate::overlay::Range| {
            !own && r.covers(n.kind, n.created_at) && known.through.is_none_or(|t| t < n.created_at)
        };
        if let Some(range) = self.overlay.ranges.iter().rfind(behind).copied() {
            outbox::on_view(self.tx, range.seq, known.id, true, range.through)?;
            let through = views::step_to(known.through, true, range.through);
            self.put(known, through)?;
        }
        Ok(())
    }

    fn item(&mut self, n: &Notification, nth: usize) -> Result<Outcome> {
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

    /// A message from the user itself.
    fn is_own(&self, n: &Notification) -> bool {
        n.kind == Kind::Message && self.user.as_ref().is_some_and(|user| *user == n.actor.id)
    }

    fn known(&self, msgid: &MsgId) -> Result<Option<Brief>> {
        let sql = format!("SELECT {BRIEF} FROM items i WHERE i.source = ?1 AND i.msgid = ?2");
        Ok(self
            .tx
            .prepare_cached(&sql)?
            .query_row(params![self.source, msgid.as_str()], Brief::of)
            .optional()?)
    }

    /// The state of an item as the server has it.
    fn brief(&mut self, n: &Notification) -> Result<Brief> {
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
            own: self.is_own(n),
            priority: n.priority.get(),
            view: view.map(|(id, _)| id),
            through: view.and_then(|(_, through)| through),
            marks: Marks {
                seen: n.seen_at,
                read: if view.is_some() { None } else { n.read_at },
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
    fn insert(&mut self, n: &Notification, nth: usize) -> Result<Option<Outcome>> {
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
                    deleted, unread, title, body, rest, sent_priority)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, 0, ?20,
                    ?21, ?22, ?23, ?24)",
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
                n.title,
                n.body,
                row::rest(n)?,
                news::sent(n, brief.priority),
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

    /// A version of an item that is here.
    fn renew(&mut self, n: &Notification, nth: usize, was: Brief) -> Result<Outcome> {
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
        let same_words =
            same_actor && title == n.title && body == n.body && rest == new_rest && action == n.action;
        let new_words = title != n.title || body != n.body;
        let verdict = self.judge(n, &is);
        // What a rule made of its priority stays; what else a rule did is done once for the same words.
        let kept = !new_words && sent.unwrap_or(was.priority) == n.priority.get();
        is.priority = if kept { was.priority } else { verdict.priority };
        self.overwrite(n, &is, &new_rest)?;
        let moved = was.thread != is.thread
            || was.created_at != is.created_at
            || was.kind != is.kind
            || was.own != is.own
            || !same_actor;
        let actor = if is.own { None } else { Some(&n.actor) };
        match (was.deleted, is.deleted) {
            (true, true) => {}
            (true, false) => self.ledger.enter(is.thread, &is.facts(), actor, Some(nth))?,
            (false, true) => self.ledger.leave(was.thread, &was.facts())?,
            (false, false) if moved => {
                self.ledger.leave(was.thread, &was.facts())?;
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
            self.hushed.insert(is.id);
        }
        if new_words && news::is_open(&is) && !verdict.archive {
            self.news.push((is.thread, n.stamp));
        }
        let again = is.unread && !was.unread;
        let Brief { id: item, thread, unread, priority, .. } = is;
        Ok(Outcome::Renewed { item, thread, unread, again, priority })
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
                    body = ?15, rest = ?16, sent_priority = ?17 WHERE id = ?1",
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
                n.title,
                n.body,
                rest,
                news::sent(n, is.priority)
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

    /// At once, so that it is laid over this very item.
    fn push(&mut self, act: Act, named: &[Named]) -> Result<()> {
        if named.is_empty() {
            return Ok(());
        }
        outbox::queue(self.tx, self.source, act, named, self.now)?;
        self.overlay.any = true;
        Ok(())
    }

    /// Whether the item was deleted here or there later than this version of it.
    fn buried(&mut self, n: &Notification) -> Result<bool> {
        let found: Option<(i64, Stamp)> = self
            .tx
            .prepare_cached("SELECT generation, stamp FROM tombstones WHERE source = ?1 AND msgid = ?2")?
            .query_row(params![self.source, n.msgid.as_str()], |r| Ok((r.get(0)?, row::stamp(r, 1)?)))
            .optional()?;
        let Some((generation, stamp)) = found else { return Ok(false) };
        if n.stamp <= stamp {
            if generation < self.generation {
                // The server forgot that it was deleted.
                self.bury(n, stamp)?;
                let named = Named { item: None, msgid: n.msgid.clone(), thread: 0 };
                self.lost.push(named);
            }
            return Ok(true);
        }
        self.tx
            .prepare_cached("DELETE FROM tombstones WHERE source = ?1 AND msgid = ?2")?
            .execute(params![self.source, n.msgid.as_str()])?;
        Ok(false)
    }

    fn bury(&mut self, n: &Notification, stamp: Stamp) -> Result<()> {
        self.tombstones = true;
        self.tx
            .prepare_cached(
                "INSERT INTO tombstones (source, msgid, generation, stamp) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET stamp = CASE WHEN generation < ?3 THEN ?4 ELSE max(stamp, ?4) END,
                    generation = ?3",
            )?
            .execute(params![self.source, n.msgid.as_str(), self.generation, stamp.as_micros()])?;
        self.tx
            .prepare_cached("DELETE FROM receipts WHERE source = ?1 AND msgid = ?2")?
            .execute(params![self.source, n.msgid.as_str()])?;
        Ok(())
    }

    fn tombstone(&mut self, n: &Notification) -> Result<()> {
        let Some(was) = self.known(&n.msgid)? else { return self.bury(n, n.stamp) };
        if was.generation == self.generation && n.stamp <= was.stamp {
            return Ok(());
        }
        self.bury(n, n.stamp)?;
        remove(self.tx, &mut self.ledger, &was)?;
        self.found.retain(|(id, ..)| *id != was.id);
        self.turned.insert(was.id, false);
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

    /// Asks again for what the server forgot: deletions at once, views that it never named once the pull is complete.
    fn remind(&mut self, complete: bool) -> Result<()> {
        outbox::queue(self.tx, self.source, Act::Delete, &std::mem::take(&mut self.lost), self.now)?;
        if !complete {
            return Ok(());
        }
        let forgotten: Vec<(i64, String, Option<Stamp>)> = self
            .tx
            .prepare_cached("SELECT id, view, through FROM views WHERE source = ?1 AND generation < ?2")?
            .query_map([self.source, self.generation], |r| Ok((r.get(0)?, r.get(1)?, row::time(r, 2)?)))?
            .collect::<Result<_, _>>()?;
        for (id, view, through) in forgotten {
            let mut known = views::get(self.tx, id)?;
            (known.server, known.stamp, known.generation) = (None, Stamp::ZERO, self.generation);
            views::heard(self.tx, &known)?;
            match through.zip(view.parse::<View>().ok()) {
                Some((at, view)) if !self.retake => self.visit_again(&known, &view, at)?,
                _ => {
                    let through = views::in_force(self.tx, id, None)?;
                    self.put(&mut known, through)?;
                }
            }
        }
        Ok(())
    }

    fn end(mut self, items: Vec<Notification>, outcomes: Vec<Outcome>) -> Result<Applied> {
        let mut told = HashMap::new();
        for outcome in &outcomes {
            if let Outcome::Arrived { thread, .. } | Outcome::Renewed { thread, .. } = outcome
                && !told.contains_key(thread)
            {
                told.insert(*thread, self.ledger.telling(*thread)?.within(self.telling));
            }
        }
        let own = self.user.take();
        let last = |nth: usize| {
            let n = items.get(nth)?;
            Some(row::last(n, n.kind == Kind::Message && own.as_ref().is_some_and(|u| *u == n.actor.id)))
        };
        let changed = self.ledger.close(&last)?;
        let mut applied = Applied { changed: Arc::new(changed), ..Applied::default() };
        for (notification, outcome) in items.into_iter().zip(outcomes) {
            let (item, thread, unread, again, priority, new) = match outcome {
                Outcome::Passed => continue,
                Outcome::Arrived { item, thread, unread, priority } => {
                    (item, thread, unread, false, priority, true)
                }
                Outcome::Renewed { item, thread, unread, again, priority } => {
                    (item, thread, unread, again, priority, false)
                }
            };
            let unread = self.turned.get(&item).copied().unwrap_or(unread);
            let arrival = Arrival {
                item,
                thread,
                unread,
                again: again && unread,
                telling: told.get(&thread).copied().unwrap_or_default(),
                priority,
                hushed: self.hushed.contains(&item),
                notification,
            };
            if new { applied.arrived.push(arrival) } else { applied.renewed.push(arrival) }
        }
        Ok(applied)
    }
}

/// Takes an item away with everything that hangs on it.
pub(crate) fn remove(tx: &Connection, ledger: &mut Ledger<'_>, was: &Brief) -> Result<()> {
    if was.deleted {
        ledger.touch(was.thread)?;
    } else {
        ledger.leave(was.thread, &was.facts())?;
    }
    tx.prepare_cached("DELETE FROM held WHERE item = ?1")?.execute([was.id])?;
    tx.prepare_cached("DELETE FROM outbox_items WHERE item = ?1")?.execute([was.id])?;
    search::forget(tx, was.id)?;
    tx.prepare_cached("DELETE FROM items WHERE id = ?1")?.execute([was.id])?;
    Ok(())
}
