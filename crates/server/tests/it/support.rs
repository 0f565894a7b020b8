//! A real server on a port of its own, and clients that speak to it. Refuses to wait without a bound.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tidings_model::wire::Scope;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_server::{Server, ServerConfig, serve};
use tokio_util::sync::CancellationToken;

/// How long anything that should happen "soon" may take on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(90);

/// A server ends within five seconds whatever holds on to it, and a busy machine takes its time; a stalled reader alone
/// would hold it for longer than this.
pub(crate) const END: Duration = Duration::from_secs(7);

/// The machine's clock, moved by hand.
#[derive(Default)]
pub(crate) struct HandClock {
    ahead: AtomicI64,
    fails: Mutex<Option<ThreadId>>,
    writer: Arc<Gate>,
}

/// Where the thread that writes the database waits when it asks for the time: at the beginning of a change.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    opened: Condvar,
}

#[derive(Default)]
struct GateState {
    /// Changes that still pass; none where all do.
    closes_after: Option<usize>,
    waits: bool,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        if let Some(left @ 1..) = &mut state.closes_after {
            *left -= 1;
            return;
        }
        while state.closes_after.is_some() {
            state.waits = true;
            state = self.opened.wait(state).unwrap();
        }
        state.waits = false;
    }
}

/// Nothing is written until this is dropped.
pub(crate) struct WriterHeld(Arc<Gate>);

impl WriterHeld {
    /// Waits until a change wants to begin.
    pub(crate) async fn is_asked(&self) {
        until("something is to be written", || async { self.0.state.lock().unwrap().waits }).await;
    }
}

impl Drop for WriterHeld {
    fn drop(&mut self) {
        self.0.state.lock().unwrap().closes_after = None;
        self.0.opened.notify_all();
    }
}

impl HandClock {
    pub(crate) fn advance(&self, secs: i64) {
        self.ahead.fetch_add(secs * 1_000_000, Ordering::SeqCst);
    }

    /// Holds the thread that writes the database, at the change after the next so many.
    pub(crate) fn hold_writer(&self, after: usize) -> WriterHeld {
        self.writer.state.lock().unwrap().closes_after = Some(after);
        WriterHeld(self.writer.clone())
    }

    /// Whoever asks for the time next on this thread panics, once.
    pub(crate) fn fail_once(&self) {
        *self.fails.lock().unwrap() = Some(std::thread::current().id());
    }

    /// Whether somebody still will.
    pub(crate) fn will_fail(&self) -> bool {
        self.fails.lock().unwrap().is_some()
    }
}

impl Clock for HandClock {
    fn now(&self) -> Stamp {
        let mut fails = self.fails.lock().unwrap();
        if *fails == Some(std::thread::current().id()) {
            *fails = None;
            drop(fails);
            panic!("the clock fails");
        }
        drop(fails);
        if std::thread::current().name() == Some("sqlite-writer") {
            self.writer.pass();
        }
        SystemClock.now().plus_micros(self.ahead.load(Ordering::SeqCst))
    }
}

pub(crate) struct Running {
    pub(crate) url: String,
    pub(crate) server: Server,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) dir: Arc<TempDir>,
    pub(crate) admin: Client,
    stop: CancellationToken,
    done: tokio::task::JoinHandle<Result<(), tidings_server::Error>>,
}

pub(crate) async fn start() -> Running {
    start_with(|_| {}).await
}

pub(crate) async fn start_with(tell: impl FnOnce(&mut ServerConfig)) -> Running {
    start_in(Arc::new(tempfile::tempdir().unwrap()), Arc::default(), tell).await
}

pub(crate) async fn start_in(
    dir: Arc<TempDir>,
    clock: Arc<HandClock>,
    tell: impl FnOnce(&mut ServerConfig),
) -> Running {
    let mut config = ServerConfig::new(dir.path());
    tell(&mut config);
    let server = Server::open(config, clock.clone()).await.unwrap();
    if let Some(owner) = server.config().standalone_owner.clone() {
        server.owner(&owner, "Owner", "test", &[Scope::Inbox]).await.unwrap();
    }
    let token = server.owner("root", "Root", "test", &[Scope::Admin]).await.unwrap().token;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let stop = CancellationToken::new();
    let done = tokio::spawn(serve(listener, server.clone(), stop.clone().cancelled_owned()));
    let admin = Client::new(&url, Some(&token));
    Running { url, server, clock, dir, admin, stop, done }
}

impl Running {
    /// Stops it and waits until it is gone; answers its folder and clock.
    pub(crate) async fn stop(self) -> (Arc<TempDir>, Arc<HandClock>) {
        self.stop_within(SOON).await
    }

    /// The same where something holds on to it: without waiting for that.
    pub(crate) async fn stop_within(self, bound: Duration) -> (Arc<TempDir>, Arc<HandClock>) {
        self.stop.cancel();
        tokio::time::timeout(bound, self.done).await.expect("it ends in time").unwrap().unwrap();
        drop(self.server);
        (self.dir, self.clock)
    }

    /// Stops serving and waits for that; what the server has open stays so until this is dropped.
    pub(crate) async fn end(&mut self) {
        self.stop.cancel();
        tokio::time::timeout(SOON, &mut self.done).await.expect("it ends in time").unwrap().unwrap();
    }

    /// A user with an inbox.
    pub(crate) async fn user(&self, id: &str) -> Client {
        self.server.create_user(id, &id.to_uppercase()).await.unwrap();
        self.token(id, &[Scope::Inbox]).await
    }

    /// Another token of a user.
    pub(crate) async fn token(&self, id: &str, scopes: &[Scope]) -> Client {
        let token = self.server.create_token(id, "test", scopes).await.unwrap().token;
        Client::new(&self.url, Some(&token))
    }

    /// A program that publishes.
    pub(crate) async fn publisher(&self) -> Client {
        self.server.create_user("press", "Press").await.unwrap();
        self.token("press", &[Scope::Publish]).await
    }

    /// Nothing disagrees with its recount.
    pub(crate) async fn holds_together(&self) {
        assert_eq!(self.server.check().await.unwrap(), []);
    }
}

#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
    pub(crate) token: Option<String>,
}

pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Got {
    /// The body of an answer with this status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self.body
    }

    /// A problem with this status, code and field.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, code: &str, field: Option<&str>) {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["code"], code);
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body.get("field").and_then(Value::as_str), field, "{}", self.body);
        for name in ["type", "title", "detail"] {
            assert!(self.body[name].is_string(), "{name}");
        }
    }
}

impl Client {
    pub(crate) fn new(url: &str, token: Option<&str>) -> Self {
        // Fails where it is installed already, which is as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { http, url: url.to_owned(), token: token.map(str::to_owned) }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/api/v1/{path}") };
        let request = self.http.request(method, format!("{}{path}", self.url)).timeout(SOON);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Got {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Got { status, headers, body }
    }

    pub(crate) async fn get(&self, path: &str) -> Got {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Got {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Got {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Got {
        self.send(self.request(Method::PATCH, path).json(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Got {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Pulls everything after a stamp in pages of a size; answers the items, the marks and where to go on.
    pub(crate) async fn pull(&self, since: Option<&str>, limit: usize) -> (Vec<Value>, Vec<Value>, String) {
        let mut since = since.map(str::to_owned);
        let (mut items, mut marks) = (Vec::new(), Vec::new());
        loop {
            let from = since.as_deref().map_or(String::new(), |s| format!("&since={s}"));
            let page = self.get(&format!("sync?limit={limit}{from}")).await.is(200);
            items.extend(page["items"].as_array().unwrap().clone());
            marks.extend(page["marks"].as_array().unwrap().clone());
            since = Some(page["next"].as_str().unwrap().to_owned());
            if page["more"] == false {
                return (items, marks, since.unwrap());
            }
        }
    }

    /// The unread numbers of one kind, or the total.
    pub(crate) async fn unread(&self, of: &str) -> u64 {
        let unread = self.get("unread?cap=1000").await.is(200);
        assert_eq!(unread[of]["capped"], false);
        unread[of]["count"].as_u64().unwrap()
    }

    /// One operation, with an id of its own.
    pub(crate) async fn op(&self, op: &str, msgids: &[&str], more: Value) -> Value {
        let mut body = json!({"id": unique(), "op": op, "msgids": msgids});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let answer = self.post("inbox/ops", json!({"ops": [body]})).await.is(200);
        assert_eq!(answer["results"][0]["ok"], true, "{answer}");
        answer
    }

    /// Subscribes to some actions of an article.
    pub(crate) async fn subscribe(&self, article: &str, actions: &[&str]) {
        let target = json!({"type": "article", "id": article});
        self.put("subscriptions", json!({"target": target, "actions": actions})).await.is(200);
    }

    /// Reminds of something that an actor did to an article.
    pub(crate) async fn remind(&self, actor: &str, action: &str, article: &str) -> Value {
        let target = json!({"type": "article", "id": article});
        self.post("reminders", json!({"actor": actor, "action": action, "target": target})).await.is(201)
    }
}

/// A text that no other test uses.
pub(crate) fn unique() -> String {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    format!("u{}", NEXT.fetch_add(1, Ordering::SeqCst))
}

/// The msgids of some items.
pub(crate) fn msgids(items: &[Value]) -> Vec<String> {
    items.iter().map(|i| i["msgid"].as_str().unwrap().to_owned()).collect()
}

/// Tries until a condition holds, for at most ten seconds.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let start = std::time::Instant::now();
    while !holds().await {
        assert!(start.elapsed() < SOON, "it did not come true within {} s: {what}", SOON.as_secs());
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// What the server of this process has logged so far, from the first call on.
pub(crate) fn logged() -> String {
    static LOG: std::sync::OnceLock<Log> = std::sync::OnceLock::new();
    let log = LOG.get_or_init(|| {
        let log = Log::default();
        let kept = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
            .with_ansi(false)
            .with_writer(move || kept.clone());
        // There is one for the whole process; this is the only place that sets it.
        subscriber.try_init().unwrap();
        log
    });
    String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned()
}

#[derive(Clone, Default)]
struct Log(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
