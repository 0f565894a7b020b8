//! A client of a scripted service: a replica with one source, a clock of its own, and all errors that it met.

use std::sync::Arc;

use tempfile::TempDir;
use tidings_model::{Clock, MsgId, Notification, Stamp};
use tidings_net::Error as NetError;
use tidings_replica::{ItemFilter, Mark, NewSource, Replica, Source as Row, SourceId, Targets, Thread, Undo};
use tidings_sources::{Bounds, Source};
use tidings_sync::{
    BackoffConfig, Engine, EngineConfig, Error, Report, Result, SourceStatus, pull_once, wake,
};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::scripted::{Requests, ScriptedServer, response};
use tidings_testkit::services::ScriptedService;
use tidings_testkit::wait::{until, until_equal};

use super::secrets;
use crate::tally;

/// The most pulls after which everything has arrived.
const MAX_PULLS: usize = 40;

/// A client of one service.
pub struct Client<S> {
    pub service: S,
    pub clock: ManualClock,
    replica: Replica,
    source: SourceId,
    bounds: Bounds,
    dir: TempDir,
    errors: Vec<String>,
    /// Another host, to which nobody is to go: its address, and the requests that it got.
    elsewhere: (String, Requests),
}

impl<S: ScriptedService> Client<S> {
    /// A client that has pulled nothing yet.
    pub async fn of(service: S) -> Self {
        Self::within(service, Bounds::default()).await
    }

    /// The same, with pulls of other bounds.
    pub async fn within(service: S, bounds: Bounds) -> Self {
        secrets::record_logs();
        let other = ScriptedServer::start().await;
        let elsewhere = (other.url(), other.always(response("200 OK", "", "{}")));
        let (dir, clock) = (tempfile::tempdir().unwrap(), ManualClock::default());
        let replica = Replica::open(dir.path(), Arc::new(clock.clone())).unwrap();
        let (name, protocol, url) = ("Service".to_owned(), service.protocol().to_owned(), service.url());
        let source = replica.add_source(NewSource { name, protocol, url, user: None, own: false }).unwrap();
        Self { service, clock, replica, source, bounds, dir, errors: Vec::new(), elsewhere }
    }

    /// The address of another host.
    pub fn elsewhere(&self) -> &str {
        &self.elsewhere.0
    }

    pub fn now(&self) -> Stamp {
        self.clock.now()
    }

    /// Pulls once.
    pub async fn pull(&mut self) -> Result<Report> {
        let pulled = pull_once(&self.replica, self.source, self.source()).await;
        if let Err(error) = &pulled {
            self.errors.push(format!("{error} {error:?} {}", error.trouble()));
        }
        pulled
    }

    /// The source itself.
    pub fn source(&self) -> Arc<dyn Source> {
        let row = self.replica.source(self.source).unwrap();
        open(&row, self.service.token(), Arc::new(self.clock.clone()), self.bounds).unwrap()
    }

    /// Pulls until every planned fault has happened and a pull has succeeded after it. Waits as long as the service
    /// asks.
    pub async fn catch_up(&mut self) {
        for _ in 0..MAX_PULLS {
            match self.pull().await {
                Ok(_) if self.service.faults().is_empty() && self.waiting() == 0 => return,
                Err(Error::Net(NetError::Waiting { until })) => self.clock.set(until.plus_secs(1)),
                Ok(_) | Err(_) => {}
            }
        }
        panic!(
            "{MAX_PULLS} pulls were not enough: {:#?}",
            self.errors.iter().rev().take(5).collect::<Vec<_>>()
        );
    }

    /// The number of requests that the service got, once no request is on its way any more.
    pub async fn requests(&self) -> usize {
        let mut before = usize::MAX;
        until("the last request to arrive", || {
            let requests = self.service.requests().len();
            let is_settled = std::mem::replace(&mut before, requests) == requests;
            async move { is_settled.then_some(requests) }
        })
        .await
    }

    /// Ends the program and starts it again.
    pub fn restart(&mut self) {
        self.assert_consistent();
        self.replica = Replica::open(self.dir.path(), Arc::new(self.clock.clone())).unwrap();
    }

    /// Puts a mark on item `n`.
    pub fn mark(&self, n: usize, mark: Mark) {
        let msgid = MsgId(self.service.msgid(n));
        self.replica.mark(Targets::MsgIds(vec![msgid]), mark).unwrap();
    }

    /// The thread of item `n`.
    pub fn thread(&self, n: usize) -> Thread {
        let msgid = MsgId(self.service.msgid(n));
        let thread = self.replica.items_by_msgid(None, &[msgid]).unwrap()[0].thread;
        self.replica.threads_by_id(&[thread]).unwrap().remove(0)
    }

    /// Puts a mark on the thread of item `n`.
    pub fn mark_thread(&self, n: usize, mark: Mark) -> Undo {
        let thread = self.thread(n).id;
        self.replica.mark(Targets::Threads(vec![thread]), mark).unwrap().undo.unwrap()
    }

    /// Takes a mark back.
    pub fn undo(&self, undo: &Undo) {
        self.replica.undo(undo).unwrap();
    }

    /// Opens the thread of item `n` in a running program.
    pub async fn open_thread(&self, engine: &Engine, n: usize) -> Result<()> {
        engine.look_up(self.source, self.thread(n).id).await
    }

    /// Item `n`; `None` if it is not here, or deleted.
    pub fn item(&self, n: usize) -> Option<Notification> {
        let msgid = MsgId(self.service.msgid(n));
        let found = self.replica.items_by_msgid(None, &[msgid]).unwrap();
        found.into_iter().map(|item| item.notification).find(|item| !item.deleted)
    }

    /// All items, newest first.
    pub fn items(&self) -> Vec<Notification> {
        let items = self.replica.items(&ItemFilter::default(), usize::MAX).unwrap();
        items.into_iter().map(|item| item.notification).collect()
    }

    pub fn unread(&self) -> u64 {
        self.replica.counts().unwrap().total
    }

    /// The number of marks that wait to be sent.
    pub fn waiting(&self) -> u64 {
        self.replica.counts().unwrap().waiting
    }

    /// Whether the program knows the protocol, and it has a live channel.
    pub fn is_live(&self) -> bool {
        tidings_sources::protocol(self.service.protocol()).is_ok_and(|protocol| protocol.abilities.live)
    }

    /// Pulls and listens from now on.
    pub async fn engine(&self) -> Engine {
        let token = self.service.token();
        let config = EngineConfig {
            replica: self.replica.clone(),
            tokens: Arc::new(move |_: SourceId| Some(token.clone())),
            clock: Arc::new(self.clock.clone()),
            wakes: wake::never(),
            backoff: BackoffConfig::default(),
            events: None,
            bounds: self.bounds,
        };
        Engine::start(config).await.unwrap()
    }

    /// Waits until the live channel is open and everything before it was pulled.
    pub async fn until_live(&self, engine: &Engine) {
        until("the live channel", || async {
            engine.statuses().borrow().get(&self.source) == Some(&SourceStatus::Live)
        })
        .await;
    }

    pub async fn until_unread(&self, unread: usize) {
        until_equal("the number of unread items", unread as u64, || async { self.unread() }).await;
    }

    fn assert_consistent(&self) {
        assert_eq!(self.replica.check().unwrap(), []);
    }

    /// Asserts that the token is in no log, error or file, and that no other host was asked.
    pub fn assert_kept_its_secret(&self) {
        self.assert_consistent();
        assert!(self.elsewhere.1.lock().unwrap().is_empty(), "another host was asked");
        secrets::assert_in_none(&self.service.token(), &self.errors, self.dir.path());
    }
}

/// Opens a source as the program does, or one of the protocol that only the tests know.
fn open(
    row: &Row,
    token: String,
    clock: Arc<dyn Clock>,
    bounds: Bounds,
) -> Result<Arc<dyn Source>, NetError> {
    match row.protocol.as_str() {
        "tally" => (tally::PROTOCOL.open)(row, token, clock, bounds),
        _ => tidings_sources::open_within(row, token, clock, bounds),
    }
}
