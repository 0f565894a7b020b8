//! A device of a reader: a replica in a real file, and the operations made there that the server has not received yet.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use serde_json::json;
use tempfile::TempDir;
use tidings_model::{Clock, MsgId, Stamp, View};
use tidings_replica::{
    self as replica, EARLY_WAKE, FILE, FileBounds, Item, ItemFilter, NewSource, Replica, SourceId,
};
use tidings_sources::{self as sources, Tidings};
use tidings_testkit::rules::ReaderOp;

use super::clocks::DeviceClock;
use super::in_thread::{copy_database, folder};

/// How much a step of a device takes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bounds {
    /// A step of the inbox.
    pub(crate) replica: replica::Bounds,
    /// A commit to its file.
    pub(crate) file: FileBounds,
    /// A step of a pull.
    pub(crate) pulls: sources::Bounds,
}

pub(crate) struct Device {
    pub(crate) name: &'static str,
    pub(crate) user: &'static str,
    pub(crate) token: String,
    /// Whether the device has a network; without one it can do everything but pull.
    pub(crate) online: bool,
    /// Whether snoozed items wake when a new item arrives in their thread.
    pub(crate) wakes_early: bool,
    /// Whether a `read_all` may be unanswered. It has no time, so the time of what follows it is not sent either.
    pub(crate) read_all_waits: bool,
    /// Operations of the reader that the server has not received, without those by which the device woke items.
    pub(crate) unsent_ops: Vec<ReaderOp>,
    /// The number of operations of the reader that the server has received.
    pub(crate) received_ops: usize,
    /// The ids of the operations that the server has received. One without an answer is sent again.
    pub(crate) sent: BTreeSet<String>,
    pub(crate) written: Vec<WrittenMessage>,
    pub(crate) clock: DeviceClock,
    bounds: Bounds,
    dir: TempDir,
    replica: Option<Replica>,
    pub(crate) source: SourceId,
}

/// A message written on this device.
#[derive(Debug, Clone)]
pub(crate) struct WrittenMessage {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) body: String,
    pub(crate) state: SendState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SendState {
    Pending,
    Posted(MsgId),
    Refused,
}

impl Device {
    pub(crate) fn new(
        (name, user): (&'static str, &'static str),
        token: &str,
        clock: DeviceClock,
        bounds: &Bounds,
    ) -> Self {
        let dir = folder("tidings-replica.");
        let replica = open(dir.path(), &clock, bounds);
        let new = NewSource {
            name: "Work".into(),
            protocol: "tidings".into(),
            url: "http://127.0.0.1".into(),
            user: None,
            own: false,
        };
        let source = replica.add_source(new).unwrap();
        replica.set_setting(EARLY_WAKE, &json!(false)).unwrap();
        let (unsent_ops, written, token) = (Vec::new(), Vec::new(), token.to_owned());
        Self {
            name,
            user,
            token,
            online: true,
            wakes_early: false,
            read_all_waits: false,
            unsent_ops,
            received_ops: 0,
            sent: BTreeSet::new(),
            written,
            clock,
            bounds: *bounds,
            dir,
            replica: Some(replica),
            source,
        }
    }

    /// Another device with the same files, beside another server and with bounds of its own.
    pub(crate) fn again(&self, host: Arc<dyn Clock>, bounds: &Bounds) -> Self {
        let (dir, clock) = (self.copy(), self.clock.again(host));
        let replica = Some(open(dir.path(), &clock, bounds));
        Self {
            name: self.name,
            user: self.user,
            token: self.token.clone(),
            online: self.online,
            wakes_early: self.wakes_early,
            read_all_waits: self.read_all_waits,
            unsent_ops: self.unsent_ops.clone(),
            received_ops: self.received_ops,
            sent: self.sent.clone(),
            written: self.written.clone(),
            clock,
            bounds: *bounds,
            dir,
            replica,
            source: self.source,
        }
    }

    /// Makes snoozed items wake when a new item arrives in their thread.
    pub(crate) fn wake_early(&mut self) {
        self.wakes_early = true;
        self.replica().set_setting(EARLY_WAKE, &json!(true)).unwrap();
    }

    pub(crate) fn replica(&self) -> &Replica {
        self.replica.as_ref().unwrap()
    }

    /// The true time, which the device knows by the server's clock.
    pub(crate) fn now(&self) -> Stamp {
        self.clock.true_time()
    }

    /// When an operation made now counts as made: never before what the last pull has shown. How wrong its clock is, a device
    /// knows to within the time that its request took.
    pub(crate) fn acted_at(&self) -> Stamp {
        let cursor = self.replica().source(self.source).unwrap().cursor;
        let now = self.clock.now().plus_micros(self.replica().clock_offset(self.source).unwrap());
        cursor.map_or(Stamp::ZERO, |cursor| cursor.parse().unwrap()).max(now)
    }

    /// The device's source; without a network its URL leads to a closed port.
    pub(crate) fn server(&self, url: &str) -> Tidings {
        let url = if self.online { url } else { "http://127.0.0.1:1" };
        let client = Tidings::new(url, self.token.clone(), Arc::new(self.clock.clone())).unwrap();
        client.with_bounds(self.bounds.pulls)
    }

    /// Simulates a power loss: only what is in the files at this moment is left.
    pub(crate) fn crash(&mut self) {
        let dir = self.copy();
        self.open_copy(dir);
    }

    /// A copy of what is in the files at this moment.
    pub(crate) fn copy(&self) -> TempDir {
        let dir = folder("tidings-replica.");
        copy_database(self.dir.path(), dir.path(), FILE);
        dir
    }

    /// Goes on with a copy of its files.
    pub(crate) fn open_copy(&mut self, dir: TempDir) {
        self.replica = None;
        self.dir = dir;
        self.replica = Some(open(self.dir.path(), &self.clock, &self.bounds));
    }

    /// Restarts the program; writes under way are completed.
    pub(crate) fn restart(&mut self) {
        self.replica = None;
        self.replica = Some(open(self.dir.path(), &self.clock, &self.bounds));
    }

    pub(crate) fn wake(&self) {
        let now = self.clock.now();
        if self.replica().next_wake().unwrap().is_some_and(|at| at <= now) {
            self.replica().wake(now).unwrap();
        }
    }

    /// Items of the server as the device shows them, newest first.
    pub(crate) fn shown(&self, filter: &ItemFilter, limit: usize) -> Vec<Item> {
        let filter = ItemFilter { source: Some(self.source), ..filter.clone() };
        self.replica().items(&filter, limit).unwrap()
    }

    /// The numbers of unread items of the server: in all, announcements, reminders, messages.
    pub(crate) fn unread(&self) -> [u64; 4] {
        let counts = self.replica().counts().unwrap();
        let mut unread = [counts.total, counts.announcement, counts.reminder, counts.message];
        // What a service of somebody else tells are reminders.
        for other in counts.sources.iter().filter(|one| one.source != self.source) {
            unread[0] -= other.unread;
            unread[2] -= other.unread;
        }
        unread
    }

    pub(crate) fn thread(&self, key: &str) -> Vec<Item> {
        let filter = ItemFilter { thread: Some(key.to_owned()), ..ItemFilter::default() };
        self.shown(&filter, usize::MAX >> 1)
    }

    pub(crate) fn item(&self, msgid: &str) -> Option<Item> {
        let ids = [MsgId(msgid.to_owned())];
        self.replica().items_by_msgid(Some(self.source), &ids).unwrap().pop()
    }

    /// The read mark of a view.
    pub(crate) fn through(&self, view: &View) -> Option<Stamp> {
        self.replica().view_mark(self.source, view).unwrap().through
    }

    pub(crate) fn write(&mut self, conversation: &str, body: String) {
        let message = serde_json::from_value(json!({ "body": body })).unwrap();
        let id = self.replica().write_message(self.source, conversation, message).unwrap();
        let conversation = conversation.to_owned();
        self.written.push(WrittenMessage { id, conversation, body, state: SendState::Pending });
    }

    /// Whether the outbox has a message as refused.
    pub(crate) fn was_refused(&self, id: &str) -> bool {
        let outgoing = self.replica().outgoing(self.source).unwrap();
        outgoing.iter().any(|message| message.id == id && message.refused.is_some())
    }

    /// Records the refusals in the outbox, also after a pull that was cut off.
    pub(crate) fn record_refusals(&mut self) {
        let waits =
            |message: &&WrittenMessage| message.state == SendState::Pending && self.was_refused(&message.id);
        let refused: Vec<String> =
            self.written.iter().filter(waits).map(|message| message.id.clone()).collect();
        for message in self.written.iter_mut().filter(|message| refused.contains(&message.id)) {
            message.state = SendState::Refused;
        }
    }

    /// Whether the server has received every operation and message of this device.
    pub(crate) fn all_delivered(&self) -> bool {
        self.unsent_ops.is_empty() && self.written.iter().all(|message| message.state != SendState::Pending)
    }

    pub(crate) fn check(&self) -> Vec<String> {
        self.replica().check().unwrap().iter().map(ToString::to_string).collect()
    }
}

fn open(dir: &Path, clock: &DeviceClock, bounds: &Bounds) -> Replica {
    let replica = Replica::open_within(dir, Arc::new(clock.clone()), bounds.file).unwrap();
    replica.with_bounds(bounds.replica)
}
