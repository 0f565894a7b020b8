//! Items of services that keep no stamps. Each becomes a notification. The replica gives it a stamp, a time of creation
//! that no other item of the source has, and the state here if the service keeps none. An item that is known and did
//! not change is ignored, so that a service may list everything again with each pull.
//!
//! News on a known item reset its state; a correction only increases its version. What the service does not say stays
//! as the reader left it. Such items are of manual class. Items that a service no longer lists stay, and those that it
//! deletes go.

use tidings_model::{Notification, Priority, Stamp};
use tidings_replica_tables::item_state::{ItemState, Marks};
use tidings_replica_tables::{items, server_state, settings, sources, threads, tombstones};

use super::update::Versions;
use super::{Outcome, Pull, skipped};
use crate::{Page, Part, Result, ServiceItem};

impl Pull<'_> {
    /// Applies the items of a service in a page. Those that change something become notifications of the page.
    pub(super) fn service_items(&mut self, page: &mut Page, outcomes: &mut Vec<Outcome>) -> Result<()> {
        let before = self.last_stamp;
        for item in std::mem::take(&mut page.service_items) {
            if let Some((notification, outcome)) = self.service_item(item, page.items.len())? {
                page.items.push(notification);
                outcomes.push(outcome);
            }
        }
        if self.last_stamp == before {
            return Ok(());
        }
        sources::set_stamp(self.tx, self.source, self.last_stamp)
    }

    /// Applies an item, which gets this index in the page; `None` if nothing of it is to be listed.
    fn service_item(&mut self, item: ServiceItem, nth: usize) -> Result<Option<(Notification, Outcome)>> {
        if self.has_skipped {
            skipped::forget(self.tx, self.source, item.msgid.as_str())?;
        }
        match self.stored_item(&item.msgid)? {
            Some(before) if item.deleted => {
                // What is published under this msgid again is a new item only if it is later than this one.
                let (_, at) = items::service_version(self.tx, before.id)?;
                self.bury(&item.msgid, at, &before).map(|()| None)
            }
            None if item.deleted || matches!(item.part, Part::State | Part::OfVersion(_)) => Ok(None),
            Some(before) => {
                let item = self.counting_part(item, &before)?;
                self.known_service_item(item, before, nth)
            }
            None => self.new_service_item(item, nth),
        }
    }

    fn new_service_item(&mut self, item: ServiceItem, nth: usize) -> Result<Option<(Notification, Outcome)>> {
        if self.has_tombstones
            && let Some((_, deleted)) = tombstones::get(self.tx, self.source, item.msgid.as_str())?
        {
            // That it was read is nothing new about an item that was deleted here.
            if item.created_at <= deleted || !item.news || item.part == Part::IfNew {
                return Ok(None);
            }
            tombstones::forget(self.tx, self.source, item.msgid.as_str())?;
        }
        let at = item.created_at;
        let marks = Marks {
            read: self.set_at(item.read == Some(true), None),
            archived: self.set_at(item.archived == Some(true), None),
            ..Marks::default()
        };
        let mut n = notification(item, &marks, 1);
        n.created_at = self.free_time(at)?;
        n.stamp = self.next_stamp();
        let Some(outcome) = self.insert(&n, nth)? else { return Ok(None) };
        if let Outcome::Stored { item, .. } = outcome
            && n.created_at != at
        {
            items::set_service_time(self.tx, item, Some(at))?;
        }
        Ok(Some((n, outcome)))
    }

    /// A known item, with the stored content in place of its own if only its state counts.
    fn counting_part(&self, item: ServiceItem, before: &ItemState) -> Result<ServiceItem> {
        let is_whole = match item.part {
            Part::Whole => true,
            Part::IfNewer => item.created_at > items::service_version(self.tx, before.id)?.1,
            Part::OfVersion(version) => items::service_version(self.tx, before.id)?.0 == version,
            Part::IfNew | Part::State => false,
        };
        if is_whole {
            return Ok(item);
        }
        let Some(known) = items::select(self.tx, "WHERE i.id = ?1", [before.id])?.pop() else {
            return Ok(item);
        };
        let mut known = known.notification;
        let priority = items::stored(self.tx, before.id)?.published_priority(before.priority);
        known.content.priority = Priority::new(priority.into()).unwrap_or_default();
        Ok(ServiceItem {
            kind: known.kind,
            thread: known.thread,
            actor: known.actor,
            action: known.action,
            target: known.target,
            conversation: known.conversation,
            content: known.content,
            news: false,
            ..item
        })
    }

    fn known_service_item(
        &mut self,
        item: ServiceItem,
        before: ItemState,
        nth: usize,
    ) -> Result<Option<(Notification, Outcome)>> {
        let (version, known_at) = items::service_version(self.tx, before.id)?;
        let (at, may_be_news) = (item.created_at, item.news);
        if may_be_news && at < known_at {
            // An older version, listed again.
            return Ok(None);
        }
        let (read, archived) = (item.read, item.archived);
        let mut n = notification(item, &Marks::default(), version.saturating_add(1));
        let (stored, content) = (items::stored(self.tx, before.id)?, items::content(&n)?);
        let is_news = may_be_news && (at > known_at || stored.has_other_text(&n, &content)?);
        if before.deleted && !is_news {
            return Ok(None);
        }
        let server = server_state::get(self.tx, before.id)?.map_or(before.marks, |state| state.marks);
        let marks = if is_news {
            let stays_asleep = server.snoozed.is_some() && !settings::wakes_early(self.tx)?;
            Marks {
                seen: None,
                read: self.set_at(read == Some(true), None),
                archived: self.set_at(archived == Some(true), None),
                snoozed: server.snoozed.filter(|_| stays_asleep),
            }
        } else {
            Marks {
                read: read.map_or(server.read, |read| self.set_at(read, server.read)),
                archived: archived.map_or(server.archived, |archived| self.set_at(archived, server.archived)),
                ..server
            }
        };
        let is_same = !is_news
            && marks == server
            && before.kind == n.kind
            && stored.actor == n.actor
            && stored.published_priority(before.priority) == n.content.priority.get()
            && stored.is_same(&n, &content)?
            && threads::find(self.tx, self.source, &n.thread)? == Some(before.thread);
        if is_same {
            return Ok(None);
        }
        let moved = is_news && at > known_at;
        n.created_at = if moved { self.free_time(at)? } else { before.created_at };
        n.stamp = self.next_stamp();
        put_marks(&mut n, &marks);
        let mut after = self.server_item_state(&n)?;
        after.id = before.id;
        let item = before.id;
        let outcome = self.replace(&n, nth, Versions { before, after, stored, content, is_news })?;
        if moved {
            items::set_service_time(self.tx, item, Some(at).filter(|at| *at != n.created_at))?;
        }
        Ok(Some((n, outcome)))
    }

    /// The time of a mark: the one at which it was set, else now.
    fn set_at(&self, is_set: bool, known: Option<Stamp>) -> Option<Stamp> {
        is_set.then(|| known.unwrap_or(self.now))
    }

    /// The stamp of the next change: later than every one before, whatever the clock does.
    fn next_stamp(&mut self) -> Stamp {
        self.last_stamp = self.last_stamp.next(self.now);
        self.last_stamp
    }

    /// The first time from `at` on at which no item of the source was created.
    fn free_time(&mut self, at: Stamp) -> Result<Stamp> {
        let from = self.given_times.get(&at).map_or(at, |last| last.plus_micros(1));
        let free = items::free_time(self.tx, self.source, from)?;
        self.given_times.insert(at, free);
        Ok(free)
    }
}

/// The notification of an item, whose time and stamp are still those of the service.
fn notification(item: ServiceItem, marks: &Marks, version: u32) -> Notification {
    let mut n = Notification {
        msgid: item.msgid,
        stamp: item.created_at,
        version,
        kind: item.kind,
        created_at: item.created_at,
        thread: item.thread,
        actor: item.actor,
        action: item.action,
        target: item.target,
        conversation: item.conversation,
        content: item.content,
        seen_at: None,
        read_at: None,
        archived_at: None,
        snoozed_until: None,
        auto: false,
        revised_at: None,
        deleted: false,
        receipt: None,
    };
    put_marks(&mut n, marks);
    n
}

fn put_marks(n: &mut Notification, marks: &Marks) {
    (n.seen_at, n.read_at, n.archived_at, n.snoozed_until) =
        (marks.seen, marks.read, marks.archived, marks.snoozed);
}
