//! Tests of searching, paging and bulk marks. Items are added one by one, each to a named thread.

pub(crate) mod conditions;
pub(crate) mod everything;
pub(crate) mod near;
pub(crate) mod pages;

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings_model::{Clock, Notification};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;

pub(super) struct Device {
    pub(super) _dir: TempDir,
    pub(super) clock: ManualClock,
    pub(super) replica: Replica,
    pub(super) sources: Vec<SourceId>,
    count: i64,
}

impl Device {
    pub(super) fn new(sources: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = ManualClock::default();
        let replica = Replica::open(dir.path(), Arc::new(clock.clone())).unwrap();
        let sources = (0..sources)
            .map(|n| {
                let source = NewSource {
                    name: format!("source {n}"),
                    protocol: "tidings".into(),
                    url: "http://127.0.0.1:7878".into(),
                    user: Some("me".into()),
                    own: false,
                };
                replica.add_source(source).unwrap()
            })
            .collect();
        Self { _dir: dir, clock, replica, sources, count: 0 }
    }

    /// Adds an item to a thread; `with` has the fields that differ from the default item.
    pub(super) fn add_item(&mut self, source: usize, thread: &str, with: &Value) {
        self.count += 1;
        self.clock.advance_micros(1_000_000);
        let at = self.clock.now();
        let mut item = json!({
            "msgid": format!("m{}", self.count), "stamp": at, "version": 1, "kind": "reminder", "created_at": at,
            "thread": thread, "actor": {"id": "bob", "name": "Bob Kessler"}, "action": "comment", "body": "words",
        });
        for (key, value) in with.as_object().unwrap() {
            item[key] = value.clone();
        }
        let items: Vec<Notification> = vec![serde_json::from_value(item).unwrap()];
        self.replica.apply(self.sources[source], Page { items, ..Page::default() }).unwrap();
    }

    pub(super) fn keys(&self, query: &ThreadQuery) -> Vec<String> {
        self.replica.threads(query).unwrap().rows.into_iter().map(|row| row.key).collect()
    }

    pub(super) fn matching_keys(&self, filter: SearchFilter) -> Vec<String> {
        let finds = self.replica.finds(&filter).unwrap();
        let mut keys = self.keys(&ThreadQuery { filter, ..ThreadQuery::top(Place::Inbox, 500) });
        assert_eq!(finds, !keys.is_empty(), "whether there is anything is answered alike");
        keys.sort();
        keys
    }

    pub(super) fn id(&self, key: &str) -> ThreadId {
        let mut all = self.sources.iter().map(|source| self.replica.thread_by_key(*source, key).unwrap());
        all.find_map(|row| row).unwrap().id
    }

    pub(super) fn mark(&self, key: &str, mark: Mark) {
        self.replica.mark(Targets::Threads(vec![self.id(key)]), mark).unwrap();
    }

    pub(super) fn assert_consistent(&self) {
        assert_eq!(self.replica.check().unwrap(), []);
    }
}

pub(super) fn by_state(states: &[StateFilter]) -> SearchFilter {
    SearchFilter { states: states.to_vec(), ..SearchFilter::default() }
}
