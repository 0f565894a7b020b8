//! Tests of an engine that listens to a scripted server's hints.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tidings_model::{MsgId, SystemClock};
use tidings_net::Error;
use tidings_replica::{Mark, SourceId, Targets};
use tidings_sources::{Bounds, Source, Tidings};
use tidings_sync::{BackoffConfig, Engine, EngineConfig, EngineEvent, SourceStatus, Wake, wake};
use tidings_testkit::scripted::{Exchange, ScriptedServer, response};
use tidings_testkit::wait::within_timeout;
use tokio::sync::{RwLock, broadcast, mpsc};
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::support::{Inbox, first_pull_answer, page, stamp, unread_counts, until, until_state};

/// The state of the scripted server, and the requests it has received.
struct ScriptedInbox {
    changes: AtomicI64,
    pulls: AtomicUsize,
    listeners: AtomicUsize,
    ops: Mutex<Vec<Value>>,
    hints: broadcast::Sender<()>,
    /// While a test holds the write lock, no live channel opens.
    door: RwLock<()>,
}

impl ScriptedInbox {
    fn publish(&self, count: i64) {
        for _ in 0..count {
            self.changes.fetch_add(1, Ordering::SeqCst);
            let _ = self.hints.send(());
        }
    }

    async fn answer(self: Arc<Self>, mut exchange: Exchange) {
        let url = exchange.url();
        let answer = match url.path().trim_start_matches("/api/v1/") {
            "sync" => {
                self.pulls.fetch_add(1, Ordering::SeqCst);
                let changes = self.changes.load(Ordering::SeqCst);
                let since = url.query_pairs().find_map(|(name, value)| (name == "since").then_some(value));
                let from = since.map_or(1, |since| (1..100_000).find(|n| *stamp(*n) > *since).unwrap());
                page(from, changes.max(from - 1), false)
            }
            "inbox/ops" => {
                let ops = exchange.json()["ops"].as_array().unwrap().clone();
                let results: Vec<_> = ops.iter().map(|op| json!({"id": op["id"], "ok": true})).collect();
                self.ops.lock().unwrap().extend(ops);
                json!({"results": results, "unread": unread_counts(0)})
            }
            "events" => {
                drop(self.door.read().await);
                let mut hints = self.hints.subscribe();
                self.listeners.fetch_add(1, Ordering::SeqCst);
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                let hint = format!("event: hint\ndata: {}\n\n", json!({"stamp": stamp(1)}));
                let mut open = exchange.send(head).await.is_ok();
                while open && hints.recv().await.is_ok() {
                    open = exchange.send(hint.as_bytes()).await.is_ok();
                }
                return;
            }
            what => match first_pull_answer(what) {
                Some(answer) => answer,
                None => return drop(exchange.send(&response("404 Not Found", "", "")).await),
            },
        };
        let _ = exchange.send_json(&answer).await;
    }

    fn pulls(&self) -> usize {
        self.pulls.load(Ordering::SeqCst)
    }

    fn listeners(&self) -> usize {
        self.listeners.load(Ordering::SeqCst)
    }
}

/// Starts the scripted server; returns its state and its URL.
async fn open() -> (Arc<ScriptedInbox>, String) {
    let scripted = Arc::new(ScriptedInbox {
        changes: AtomicI64::new(0),
        pulls: AtomicUsize::new(0),
        listeners: AtomicUsize::new(0),
        ops: Mutex::default(),
        hints: broadcast::channel(1024).0,
        door: RwLock::default(),
    });
    let server = ScriptedServer::start().await;
    let (url, answering) = (server.url(), scripted.clone());
    server.serve(move |exchange| answering.clone().answer(exchange));
    (scripted, url)
}

#[tokio::test]
async fn a_hint_brings_what_came_at_once() {
    let (scripted, url) = open().await;
    let inbox = Inbox::of(&url);
    let engine = inbox.quiet_engine().await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    scripted.publish(1);
    until("the first one", || async { inbox.unread() == 1 }).await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    engine.shutdown().await;
    inbox.assert_consistent();
}

#[tokio::test]
async fn many_hints_at_once_are_few_pulls() {
    let (scripted, url) = open().await;
    let inbox = Inbox::of(&url);
    let engine = inbox.quiet_engine().await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    let before = scripted.pulls();
    scripted.publish(500);
    until("all of them", || async { inbox.unread() == 500 }).await;
    let pulls = scripted.pulls() - before;
    assert!(pulls <= 60, "{pulls} pulls for 500 hints");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_message_that_arrives_while_the_channel_opens_is_not_lost() {
    let (scripted, url) = open().await;
    let inbox = Inbox::of(&url);
    let closed = scripted.door.write().await;
    let engine = inbox.quiet_engine().await;
    // Between the first pull and the open channel the server sends no hint.
    until("the first pull", || async { scripted.pulls() == 1 }).await;
    until("its end", || async { inbox.cursor().is_some() }).await;
    scripted.changes.fetch_add(1, Ordering::SeqCst);
    drop(closed);
    until("the one without a hint", || async { inbox.unread() == 1 }).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_mark_is_sent_as_soon_as_it_is_made() {
    let (scripted, url) = open().await;
    scripted.publish(2);
    let inbox = Inbox::of(&url);
    let engine = inbox.quiet_engine().await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    inbox.replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Read).unwrap();
    until("the operation", || async { scripted.ops.lock().unwrap().len() == 1 }).await;
    until("its acknowledgement", || async { inbox.replica.counts().unwrap().waiting == 0 }).await;
    assert_eq!(scripted.ops.lock().unwrap()[0]["op"], "read");
    engine.shutdown().await;
}

#[tokio::test]
async fn waking_up_drops_the_channel_pulls_and_listens_again() {
    let (scripted, url) = open().await;
    let inbox = Inbox::of(&url);
    let (wakes, woken) = mpsc::unbounded_channel();
    let wakes_stream = UnboundedReceiverStream::new(woken).chain(stream::pending()).boxed();
    let engine = inbox.engine("tdg_right", wakes_stream).await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    until("the listener", || async { scripted.listeners() == 1 }).await;
    let pulls = scripted.pulls();
    // A change during the sleep, without a hint.
    scripted.changes.fetch_add(1, Ordering::SeqCst);
    wakes.send(Wake::Resumed).unwrap();
    until("what came during the sleep", || async { inbox.unread() == 1 }).await;
    until("the second listener", || async { scripted.listeners() == 2 }).await;
    assert!(scripted.pulls() > pulls);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_wake_while_the_listener_is_busy_takes_no_news_away() {
    let (scripted, url) = open().await;
    let inbox = Inbox::of(&url);
    let (wakes, woken) = mpsc::unbounded_channel();
    let (event_sender, mut event_receiver) = mpsc::channel(1);
    let engine = Engine::start(EngineConfig {
        replica: inbox.replica.clone(),
        tokens: Arc::new(|_: SourceId| Some("tdg_right".to_owned())),
        clock: Arc::new(SystemClock),
        wakes: UnboundedReceiverStream::new(woken).chain(stream::pending()).boxed(),
        backoff: BackoffConfig::default(),
        events: Some(event_sender),
        bounds: Bounds::default(),
    })
    .await
    .unwrap();
    // The event of the first pull fills the channel of events, so that the next pull cannot report its own.
    until("a listener without room", || async { event_receiver.len() == 1 && scripted.pulls() == 2 }).await;
    scripted.changes.fetch_add(1, Ordering::SeqCst);
    wakes.send(Wake::Resumed).unwrap();
    until("what came to be fetched", || async { scripted.pulls() == 3 }).await;
    // Wherever this pull is by now, the next wake aborts it.
    tokio::time::sleep(Duration::from_millis(50)).await;
    wakes.send(Wake::Resumed).unwrap();
    until("the pull after it", || async { scripted.pulls() == 4 }).await;
    let arrived = async {
        loop {
            if let Some(EngineEvent::Applied { applied, .. }) = event_receiver.recv().await
                && !applied.arrived.is_empty()
            {
                break applied.arrived.len();
            }
        }
    };
    assert_eq!(within_timeout("what arrived", arrived).await, 1);
    assert_eq!(inbox.unread(), 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_channel_that_says_nothing_at_all_is_dead() {
    let (_hall, url) = open().await;
    let source = Tidings::new(&url, "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    let source = source.with_silence(Duration::from_millis(150));
    let mut live = source.listen().await.unwrap().unwrap();
    let ended = within_timeout("its end", live.next()).await;
    assert!(matches!(ended, Some(Err(Error::Slow))), "{ended:?}");
}

#[tokio::test]
async fn pausing_stops_and_going_on_brings_what_came_meanwhile() {
    let (scripted, url) = open().await;
    let inbox = Inbox::of(&url);
    let engine = inbox.quiet_engine().await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    engine.pause(inbox.source, true).await.unwrap();
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Paused).await;
    let pulls = scripted.pulls();
    scripted.publish(3);
    engine.pull_now();
    assert_eq!(engine.pull_and_wait().await, [].into());
    assert_eq!(scripted.pulls(), pulls);
    engine.pause(inbox.source, false).await.unwrap();
    until("what came meanwhile", || async { inbox.unread() == 3 }).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_source_that_is_added_is_pulled_and_one_that_is_removed_is_not() {
    let (scripted, url) = open().await;
    scripted.publish(1);
    let inbox = Inbox::of(&url);
    let engine = inbox.engine("tdg_right", wake::never()).await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    inbox.replica.remove_source(inbox.source, false).unwrap();
    engine.reload().await.unwrap();
    assert!(engine.statuses().borrow().is_empty());
    let new = tidings_replica::NewSource {
        name: "Again".into(),
        protocol: "tidings".into(),
        url: url.clone(),
        user: None,
        own: false,
    };
    let id = inbox.replica.add_source(new).unwrap();
    engine.reload().await.unwrap();
    until_state(&engine, id, |s| *s == SourceStatus::Live).await;
    assert_eq!(inbox.unread(), 1);
    engine.shutdown().await;
}
