//! What arrived and is not known to be in the inbox yet: a bounded queue in memory. Each notification in it has a
//! number, and the cursor says which number the inbox has reached.
//!
//! The cursor has the queue's random id and that number, and only the cursor takes something out. A client is
//! opened before the one before it is dropped, and takes the queue over, so that a wake or an error loses nothing.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Map;
use tidings_model::{Actor, Content, MsgId, Stamp, Target, notification::reminder_thread};
use tidings_replica::{Page, ServiceItem};

use super::super::applications::{Cursor, MAX_APPLICATIONS, OWN_APPLICATION};
use super::notification::DesktopNotification;
use crate::cursors;
use crate::source::Fetched;

/// The most notifications in the queue; the oldest ones go first.
const MAX_QUEUED: usize = 500;
/// The number of notifications whose text is compared with that of the one that replaces them.
const MAX_COMPARED: usize = 256;
/// The action of an application's notifications, the one that Tidings' own server has for publications.
const ACTION: &str = "publish";
/// The type of targets, as it is for Gotify.
const TARGET: &str = "application";
/// The action of the item that says how many notifications were lost.
pub(super) const LOST: &str = "lost";

/// The queue of one source.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The id of the queue; random, so that a cursor of another one is recognised.
    id: String,
    /// The applications of which notifications are kept.
    kept: BTreeSet<String>,
    arrived: VecDeque<Arrived>,
    /// The number of the notification that arrived last.
    last: u64,
    /// How many had to go before they were in the inbox.
    lost: u64,
    /// The time at which the last of them went.
    lost_at: Stamp,
    /// The number that was reached by a page after which more follow. The next page may be asked for before that one is
    /// stored, so this number acknowledges nothing.
    unfinished: Option<u64>,
    /// The names of the applications that were seen since the start.
    seen: Vec<String>,
    /// What the newest notifications say, by msgid.
    said: VecDeque<(MsgId, u64)>,
}

/// A notification in the queue.
#[derive(Debug)]
struct Arrived {
    number: u64,
    msgid: MsgId,
    at: Stamp,
    told: DesktopNotification,
}

impl Queue {
    pub(super) fn new(id: String, kept: BTreeSet<String>) -> Self {
        Self { id, kept, ..Self::default() }
    }

    /// Notes that an application has sent something. It gives whether the application was not seen before.
    pub(super) fn see(&mut self, application: &str) -> bool {
        if self.seen.iter().any(|seen| seen == application) {
            return false;
        }
        if self.seen.len() >= MAX_APPLICATIONS {
            self.seen.remove(0);
        }
        self.seen.push(application.to_owned());
        true
    }

    /// Whether an application's notifications are kept.
    pub(super) fn keeps(&self, application: &str) -> bool {
        self.kept.contains(application)
    }

    /// Puts a notification into the queue. One with the msgid of an earlier one replaces it; `false` if it says nothing
    /// else than that one.
    pub(super) fn put(&mut self, msgid: MsgId, at: Stamp, told: DesktopNotification) -> bool {
        let mut hasher = DefaultHasher::new();
        (&told.title, &told.text).hash(&mut hasher);
        let said = hasher.finish();
        if let Some(before) = self.said.iter().position(|(known, _)| *known == msgid) {
            if self.said.get(before).is_some_and(|(_, before)| *before == said) {
                return false;
            }
            self.said.remove(before);
        }
        self.said.push_back((msgid.clone(), said));
        self.said.drain(..self.said.len().saturating_sub(MAX_COMPARED));
        self.arrived.retain(|waiting| waiting.msgid != msgid);
        self.last += 1;
        self.arrived.push_back(Arrived { number: self.last, msgid, at, told });
        while self.arrived.len() > MAX_QUEUED {
            self.arrived.pop_front();
            self.lost += 1;
            self.lost_at = at;
        }
        true
    }

    /// The page after a cursor. What is in the inbox by this cursor leaves the queue.
    pub(super) fn page(&mut self, cursor: Option<&str>, limit: usize) -> Fetched {
        let mut cursor: Cursor = cursors::read(cursor);
        if cursor.queue != self.id {
            // Numbers of another queue; applications stay known.
            cursor = Cursor { queue: self.id.clone(), seen: cursor.seen, ..Cursor::default() };
        } else if self.unfinished != Some(cursor.number) {
            self.arrived.retain(|waiting| waiting.number > cursor.number);
            self.unfinished = None;
        }
        let reached = cursor.number;
        let mut after = self.arrived.iter().filter(|waiting| waiting.number > reached);
        let mut items: Vec<ServiceItem> = Vec::new();
        if self.lost > cursor.lost {
            items.push(self.lost_item());
            cursor.lost = self.lost;
        }
        let room = limit.max(1).saturating_sub(items.len()).max(1);
        for waiting in after.by_ref().take(room) {
            cursor.number = waiting.number;
            items.push(waiting.item());
        }
        let more = after.next().is_some();
        if more {
            self.unfinished = Some(cursor.number);
        }
        cursor.see(&self.seen);
        let bytes = items.iter().map(|item| item.content.title.len() + item.content.body.len()).sum();
        let page = Page { service_items: items, next: cursors::write(&cursor).ok(), more, ..Page::default() };
        Fetched { page, bytes, ..Fetched::default() }
    }

    /// The item that says how many notifications were lost.
    fn lost_item(&self) -> ServiceItem {
        let actor = Actor { id: OWN_APPLICATION.to_owned(), name: OWN_APPLICATION.to_owned() };
        let target = Target { kind: LOST.to_owned(), id: self.id.clone(), ..Target::default() };
        let thread = reminder_thread(&target, LOST);
        let data = Map::from_iter([("count".to_owned(), self.lost.into())]);
        ServiceItem {
            action: Some(LOST.to_owned()),
            target: Some(target),
            content: Content { data, ..Content::default() },
            ..ServiceItem::new(&*format!("{}-lost", self.id), self.lost_at, thread, actor)
        }
    }
}

impl Arrived {
    fn item(&self) -> ServiceItem {
        let DesktopNotification { application, title, text, priority, .. } = &self.told;
        let actor = Actor { id: application.clone(), name: application.clone() };
        let target = Target {
            kind: TARGET.to_owned(),
            id: application.clone(),
            title: Some(application.clone()),
            ..Target::default()
        };
        let thread = reminder_thread(&target, ACTION);
        let title = if title.is_empty() { application } else { title };
        let content =
            Content { title: title.clone(), body: text.clone(), priority: *priority, ..Content::default() };
        ServiceItem {
            action: Some(ACTION.to_owned()),
            target: Some(target),
            content,
            ..ServiceItem::new(self.msgid.clone(), self.at, thread, actor)
        }
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
