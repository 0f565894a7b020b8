//! A replica that pulls from an in-memory server, which others may pull from too; after each pull `check` recounts it.

use std::sync::Arc;

use tempfile::TempDir;
use tidings_model::{Clock, MsgId};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;

use crate::server::Server;

pub(crate) fn server() -> Server {
    Server::new(ManualClock::default())
}

pub(crate) struct Device {
    pub(crate) dir: TempDir,
    pub(crate) clock: ManualClock,
    pub(crate) replica: Replica,
    pub(crate) source: SourceId,
}

impl Device {
    pub(crate) fn at(server: &Server) -> Self {
        let (dir, replica, source) = server.inbox();
        Self { dir, clock: server.clock.clone(), replica, source }
    }

    /// Pulls to the end, 10 items a page, and returns the result of each page.
    pub(crate) fn pull(&self, server: &Server) -> Vec<Applied> {
        let mut all = Vec::new();
        loop {
            let cursor = self.replica.source(self.source).unwrap().cursor;
            let page = server.sync(cursor.map(|c| c.parse().unwrap()), 10);
            let more = page.more;
            all.push(self.replica.apply(self.source, page.into()).unwrap());
            self.assert_consistent();
            if !more {
                return all;
            }
        }
    }

    pub(crate) fn flush(&self, server: &mut Server) {
        while server.receive_operations(&self.replica, self.source, 1_000) {
            self.assert_consistent();
        }
    }

    pub(crate) fn reopen(&mut self) {
        self.replica = Replica::open(self.dir.path(), Arc::new(self.clock.clone())).unwrap();
    }

    pub(crate) fn assert_consistent(&self) {
        let found = self.replica.check().unwrap();
        assert!(found.is_empty(), "{found:#?}");
    }

    pub(crate) fn unread(&self) -> u64 {
        self.replica.counts().unwrap().total
    }

    pub(crate) fn badge(&self) -> u64 {
        self.assert_consistent();
        let counts = self.replica.counts().unwrap();
        assert_eq!(counts.badge, counts.sources[0].badge);
        counts.badge
    }

    pub(crate) fn all(&self, place: Place) -> Vec<Thread> {
        let page = self.replica.threads(&ThreadQuery::top(place, 100)).unwrap();
        assert_eq!(page.total, page.rows.len() as u64);
        page.rows
    }

    pub(crate) fn thread_of(&self, msgid: &MsgId) -> ThreadId {
        self.replica.items_by_msgid(None, std::slice::from_ref(msgid)).unwrap()[0].thread
    }

    pub(crate) fn place(&self, thread: ThreadId) -> &'static str {
        match self.replica.threads_by_id(&[thread]).unwrap().first() {
            Some(row) if row.snoozed_until.is_some() => "asleep",
            Some(row) if row.archived => "done",
            Some(_) => "inbox",
            None => "gone",
        }
    }

    pub(crate) fn snooze(&self, thread: ThreadId) {
        let until = self.clock.now().plus_secs(3_600);
        self.replica.mark(Targets::Threads(vec![thread]), Mark::Snooze { until }).unwrap();
        assert_eq!(self.place(thread), "asleep");
    }
}
