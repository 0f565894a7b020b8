//! A replica for each test, and a mock server whose answers the test sets.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings_model::{MsgId, Notification, Stamp, SystemClock};
use tidings_replica::{ItemFilter, Mark, NewSource, Replica, SourceId, Targets};
use tidings_sources::{Bounds, Source};
use tidings_sync::{
    BackoffConfig, Engine, EngineConfig, Error, Report, SourceStatus, Wakes, pull_once, wake,
};
use tidings_testkit::clock::ManualClock;
pub use tidings_testkit::wait::{TEST_TIMEOUT, until};
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{method, path},
};

/// A replica with one source.
pub struct Inbox {
    pub replica: Replica,
    pub source: SourceId,
    dir: TempDir,
}

impl Inbox {
    pub fn of(url: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let replica = Replica::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let source = replica
            .add_source(NewSource {
                name: "Work".into(),
                protocol: "tidings".into(),
                url: url.into(),
                user: None,
                own: false,
            })
            .unwrap();
        Self { replica, source, dir }
    }

    /// The same data folder as another process sees it.
    pub fn other_process(&self) -> Replica {
        Replica::open(self.dir.path(), Arc::new(SystemClock)).unwrap()
    }

    pub async fn pull(&self) -> Result<Report, Error> {
        let row = self.replica.source(self.source).unwrap();
        let source = tidings_sources::open(&row, "tdg_right".into(), Arc::new(SystemClock))?;
        pull_once(&self.replica, self.source, source).await
    }

    pub fn unread(&self) -> u64 {
        self.replica.counts().unwrap().total
    }

    pub fn cursor(&self) -> Option<String> {
        self.replica.source(self.source).unwrap().cursor
    }

    pub fn assert_consistent(&self) {
        assert_eq!(self.replica.check().unwrap(), []);
    }

    pub async fn engine(&self, token: &'static str, wakes: Wakes) -> Engine {
        let backoff = BackoffConfig { first_delay: Duration::from_millis(50), ..BackoffConfig::default() };
        self.start(token, wakes, backoff).await
    }

    pub async fn engine_with(&self, backoff: BackoffConfig) -> Engine {
        self.start("tdg_right", wake::never(), backoff).await
    }

    async fn start(&self, token: &'static str, wakes: Wakes, backoff: BackoffConfig) -> Engine {
        Engine::start(EngineConfig {
            replica: self.replica.clone(),
            tokens: Arc::new(move |_: SourceId| Some(token.to_owned())),
            clock: Arc::new(SystemClock),
            wakes,
            backoff,
            events: None,
            bounds: Bounds::default(),
        })
        .await
        .unwrap()
    }

    pub async fn quiet_engine(&self) -> Engine {
        self.engine("tdg_right", wake::never()).await
    }
}

/// Waits until the source's status satisfies `matches_status`, and returns it.
pub async fn until_state(
    engine: &Engine,
    source: SourceId,
    matches_status: impl Fn(&SourceStatus) -> bool,
) -> SourceStatus {
    let mut states = engine.statuses();
    let wait = states.wait_for(|states| states.get(&source).is_some_and(&matches_status));
    let found = tokio::time::timeout(TEST_TIMEOUT, wait).await;
    let found =
        found.unwrap_or_else(|_| panic!("the state stays {:?}", engine.statuses().borrow().get(&source)));
    *found.unwrap().get(&source).unwrap()
}

/// The stamp of the `n`th change.
pub fn stamp(n: i64) -> String {
    "2026-11-20T06:00:00Z".parse::<Stamp>().unwrap().plus_secs(n).to_string()
}

/// The reminder of the `n`th change.
pub fn item(n: i64) -> Value {
    json!({
        "msgid": format!("m{n}"), "stamp": stamp(n), "version": 1, "kind": "reminder", "created_at": stamp(n),
        "thread": format!("article:{n}#comment"), "actor": {"id": "bob", "name": "Bob"}, "action": "comment",
        "target": {"type": "article", "id": n.to_string()}, "body": "Nice work",
    })
}

/// The page of the changes `from..=to`.
pub fn page(from: i64, to: i64, more: bool) -> Value {
    let items: Vec<_> = (from..=to).map(item).collect();
    json!({"items": items, "marks": [], "next": stamp(to), "more": more, "epoch": "e1"})
}

pub fn ok(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

pub fn problem(status: u16, code: &str) -> ResponseTemplate {
    let body = json!({"type": "urn:x", "title": "x", "status": status, "detail": "x", "code": code});
    ResponseTemplate::new(status).set_body_json(body)
}

/// The answer to `GET /unread`.
pub fn unread_counts(reminders: u64) -> Value {
    let count = |n: u64| json!({"count": n, "capped": false});
    json!({"total": count(reminders), "announcement": count(0), "reminder": count(reminders),
        "message": count(0), "conversations": {}})
}

/// The answer of a server without items to a GET; `None` for paths other than those of a first pull.
pub fn first_pull_answer(endpoint: &str) -> Option<Value> {
    Some(match endpoint {
        "me" => json!({"id": "ana", "name": "Ana", "scopes": ["inbox"]}),
        "catalog" => json!({"actions": {}, "reasons": {}}),
        "unread" => unread_counts(0),
        "inbox" => json!({"items": [], "next": null}),
        _ => return None,
    })
}

/// A server without items that answers the requests of a first pull.
pub async fn server() -> MockServer {
    let server = MockServer::start().await;
    for endpoint in ["me", "catalog", "unread", "inbox"] {
        answer(&server, endpoint, ok(first_pull_answer(endpoint).unwrap())).await;
    }
    server
}

/// Sets the answer to every GET of a path from now on.
pub async fn answer(server: &MockServer, endpoint: &str, with: ResponseTemplate) {
    mock(endpoint).respond_with(with).mount(server).await;
}

/// Sets the answer to the next GET of a path, before any other answer.
pub async fn answer_once(server: &MockServer, endpoint: &str, with: ResponseTemplate) {
    mock(endpoint).respond_with(with).up_to_n_times(1).with_priority(1).mount(server).await;
}

/// Matches a GET of `/sync`.
pub fn sync() -> wiremock::MockBuilder {
    mock("sync")
}

fn mock(endpoint: &str) -> wiremock::MockBuilder {
    Mock::given(method("GET")).and(path(format!("/api/v1/{endpoint}")))
}

/// Answers `/sync` with `changes` changes, `size` a page.
pub async fn serve_changes(server: &MockServer, changes: i64, size: i64) {
    mock("sync")
        .respond_with(move |request: &Request| ok(page_after(request, changes, size)))
        .mount(server)
        .await;
}

fn page_after(request: &Request, changes: i64, size: i64) -> Value {
    let since = request.url.query_pairs().find(|(name, _)| name == "since").map(|(_, at)| at.into_owned());
    let passed = since.map_or(0, |since| (1..=changes).take_while(|n| stamp(*n) <= since).count());
    let from = i64::try_from(passed).unwrap() + 1;
    let to = (from + size - 1).min(changes);
    page(from, to, to < changes)
}

/// The queries of all requests for a path, in order.
pub async fn queries_of(server: &MockServer, endpoint: &str) -> Vec<String> {
    let wanted = format!("/api/v1/{endpoint}");
    let requests = server.received_requests().await.unwrap();
    let matching = requests.iter().filter(|r| r.url.path() == wanted);
    matching.map(|r| r.url.query().unwrap_or_default().to_owned()).collect()
}

/// The value of a parameter in a request's query.
pub fn query(request: &Request, name: &str) -> Option<String> {
    request.url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// A replica with one source of another service, and a clock of its own.
pub struct ServiceInbox {
    pub replica: Replica,
    pub source: SourceId,
    pub clock: ManualClock,
    token: String,
    _dir: TempDir,
}

impl ServiceInbox {
    /// An inbox that has pulled nothing yet.
    pub fn of(protocol: &str, url: &str, token: &str) -> Self {
        let (dir, clock) = (tempfile::tempdir().unwrap(), ManualClock::default());
        let replica = Replica::open(dir.path(), Arc::new(clock.clone())).unwrap();
        let (name, protocol, url) = (protocol.to_owned(), protocol.to_owned(), url.to_owned());
        let source = replica.add_source(NewSource { name, protocol, url, user: None, own: false }).unwrap();
        Self { replica, source, clock, token: token.to_owned(), _dir: dir }
    }

    /// A client of the source, as a program that starts now has it.
    pub fn client(&self) -> Arc<dyn Source> {
        let row = self.replica.source(self.source).unwrap();
        tidings_sources::open(&row, self.token.clone(), Arc::new(self.clock.clone())).unwrap()
    }

    pub async fn pull(&self) -> Result<Report, Error> {
        pull_once(&self.replica, self.source, self.client()).await
    }

    /// All items, newest first.
    pub fn items(&self) -> Vec<Notification> {
        let items = self.replica.items(&ItemFilter::default(), usize::MAX).unwrap();
        items.into_iter().map(|item| item.notification).collect()
    }

    /// The only item.
    pub fn item(&self) -> Notification {
        let [item] = self.items().try_into().unwrap();
        item
    }

    pub fn mark(&self, msgid: &MsgId, mark: Mark) {
        self.replica.mark(Targets::MsgIds(vec![msgid.clone()]), mark).unwrap();
    }
}
