//! A replica with one scripted service as its source.

use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tidings_model::SystemClock;
use tidings_net::Error as NetError;
use tidings_replica::{Item, ItemFilter, NewSource, Page, Replica, SourceChange, SourceId};
use tidings_sources::{Bounds, Since, Source};
use tidings_sync::{BackoffConfig, Engine, EngineConfig, Error, Report, pull_once, wake};
use tidings_testkit::services::{Fault, ScriptedService};

/// The most items that a test lists.
const ALL: usize = 50_000;

/// The bodies of the items `0..count` in the order of their publication.
pub fn all_items(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("item {n}")).collect()
}

pub struct ServiceInbox {
    pub replica: Replica,
    pub source: SourceId,
    token: String,
    _dir: TempDir,
}

impl ServiceInbox {
    pub fn of(service: &dyn ScriptedService) -> Self {
        Self::with_token(service, &service.token())
    }

    pub fn with_token(service: &dyn ScriptedService, token: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let replica = Replica::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let new = NewSource {
            name: "Service".into(),
            protocol: service.protocol().into(),
            url: service.url(),
            user: None,
            own: false,
        };
        let source = replica.add_source(new).unwrap();
        Self { replica, source, token: token.to_owned(), _dir: dir }
    }

    /// Gives the source another address.
    pub fn move_to(&self, url: String) {
        let change = SourceChange { url: Some(url), ..SourceChange::default() };
        self.replica.change_source(self.source, change).unwrap();
    }

    /// A client of the source.
    pub fn client(&self) -> Result<Arc<dyn Source>, NetError> {
        let row = self.replica.source(self.source).unwrap();
        tidings_sources::open(&row, self.token.clone(), Arc::new(SystemClock))
    }

    pub async fn pull(&self) -> Result<Report, Error> {
        pull_once(&self.replica, self.source, self.client()?).await
    }

    /// Pulls one page with a client and applies it; returns whether more follow.
    pub async fn pull_page(&self, client: &dyn Source, limit: usize) -> Result<bool, NetError> {
        let since = Since { cursor: self.cursor(), epoch: None };
        let page: Page = client.page(since, limit).await?.page;
        let more = page.more;
        self.replica.apply(self.source, page).unwrap();
        Ok(more)
    }

    /// Pulls a backlog of 2,000 items while requests fail in each way, every time for a page of at most `asked` items.
    /// Nothing of it is taken, and the next page has `least` items or more.
    pub async fn survives_interruptions(&self, service: &dyn ScriptedService, asked: usize, least: usize) {
        let faults = [
            Fault::Status(500, String::new()),
            Fault::DropMidBody,
            Fault::Garbage,
            Fault::CaptivePortal,
            Fault::HugeBody,
            Fault::Reset,
            Fault::Redirect("http://127.0.0.1:9/".to_owned()),
        ];
        (0..2_000).for_each(|n| service.publish(n));
        for fault in faults {
            let (cursor, before) = (self.cursor(), self.items().len());
            service.faults().plan(0, fault.clone());
            let client = self.client().unwrap();
            let error = self.pull_page(&*client, asked).await.unwrap_err();
            let is_malformed = matches!(fault, Fault::Garbage | Fault::CaptivePortal);
            assert_eq!(matches!(error, NetError::Malformed), is_malformed, "{fault:?}: {error}");
            assert_eq!((self.cursor(), self.items().len()), (cursor, before), "{fault:?}");
            self.pull_page(&*client, 200).await.unwrap();
            assert!(self.items().len() >= before + least, "{fault:?}");
        }
        self.pull().await.unwrap();
        assert_eq!(self.bodies(), all_items(2_000));
        self.assert_consistent();
    }

    pub async fn engine(&self) -> Engine {
        let token = self.token.clone();
        Engine::start(EngineConfig {
            replica: self.replica.clone(),
            tokens: Arc::new(move |_: SourceId| Some(token.clone())),
            clock: Arc::new(SystemClock),
            wakes: wake::never(),
            backoff: BackoffConfig { first_delay: Duration::from_millis(50), ..BackoffConfig::default() },
            events: None,
            bounds: Bounds::default(),
        })
        .await
        .unwrap()
    }

    pub fn cursor(&self) -> Option<String> {
        self.replica.source(self.source).unwrap().cursor
    }

    pub fn unread(&self) -> u64 {
        self.replica.counts().unwrap().total
    }

    /// All items, oldest first.
    pub fn items(&self) -> Vec<Item> {
        let mut items = self.replica.items(&ItemFilter::default(), ALL).unwrap();
        items.reverse();
        items
    }

    /// The bodies of all items, oldest first.
    pub fn bodies(&self) -> Vec<String> {
        self.items().into_iter().map(|item| item.notification.content.body).collect()
    }

    pub fn item(&self, msgid: &str) -> Item {
        self.replica.items_by_msgid(None, &[msgid.into()]).unwrap().remove(0)
    }

    pub fn assert_consistent(&self) {
        assert_eq!(self.replica.check().unwrap(), []);
    }
}
