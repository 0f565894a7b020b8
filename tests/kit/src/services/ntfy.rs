//! An ntfy server: topics with a cache that is polled, and a stream of lines.
//!
//! As with the real one, a poll is sorted by time over all topics. An id is a place in the order in which messages were
//! stored, and an id that is not cached any more stands for the beginning. A publication as JSON is stored and sent to
//! the listeners before it is answered.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Map, Value, json};
use tidings_model::{Clock, SystemClock};
use tokio::sync::broadcast;

use super::{Faults, ScriptedService, reply};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The token that the server takes; its user is `phil`.
const TOKEN: &str = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2";
/// The same account with its password, as HTTP's Basic scheme encodes it.
const BASIC: &str = "Basic cGhpbDpteXBhc3M6d2l0aDpjb2xvbnM=";
/// The first second of the server's history.
const START: i64 = 1_790_000_000;
/// The most lines that wait for a slow stream.
const MAX_WAITING_LINES: usize = 1_000;
/// The longest publication as JSON, in bytes.
const MAX_JSON_BYTES: usize = 8_192;

/// A running server. Everything is published on its first topic unless another one is named.
#[derive(Debug)]
pub struct Ntfy {
    url: String,
    topics: Vec<String>,
    state: Arc<State>,
    requests: Requests,
}

#[derive(Debug)]
struct State {
    lines: Mutex<Vec<Stored>>,
    live: broadcast::Sender<Event>,
    faults: Faults,
    /// Whether anybody may read.
    is_open: bool,
    /// The topics to which nobody may write.
    read_only: Mutex<HashSet<String>>,
}

/// A line in the order in which it was stored.
#[derive(Debug, Clone)]
struct Stored {
    line: Map<String, Value>,
    is_cached: bool,
}

#[derive(Debug, Clone)]
enum Event {
    Line(Map<String, Value>),
    End,
}

impl Ntfy {
    /// Starts a server with the topic `alerts`, which takes a token.
    pub async fn start() -> Self {
        Self::with(&["alerts"], false).await
    }

    /// Starts a server with these topics. `is_open` if anybody may read them.
    pub async fn with(topics: &[&str], is_open: bool) -> Self {
        let server = ScriptedServer::start().await;
        let url = format!("{}/{}", server.url(), topics.join(","));
        let live = broadcast::channel(MAX_WAITING_LINES).0;
        let state = Arc::new(State {
            lines: Mutex::default(),
            live,
            faults: Faults::default(),
            is_open,
            read_only: Mutex::default(),
        });
        let served = state.clone();
        let requests = server.serve(move |exchange| answer(exchange, served.clone()));
        Self { url, topics: topics.iter().map(|topic| (*topic).to_owned()).collect(), state, requests }
    }

    /// `user:password` of the account.
    pub fn password() -> &'static str {
        "phil:mypass:with:colons"
    }

    /// Stores a line with these members over those of a message on the first topic at second 0, and sends it to the
    /// listeners.
    pub fn store(&self, members: Value) {
        let line = self.line(members);
        self.lines().push(Stored { line: line.clone(), is_cached: true });
        self.send(line);
    }

    /// Stores a line that is delivered later, with [`Ntfy::deliver`].
    pub fn delay(&self, members: Value) {
        let line = self.line(members);
        self.lines().push(Stored { line, is_cached: false });
    }

    /// Delivers the line with this id, which was delayed.
    pub fn deliver(&self, id: &str) {
        let line = {
            let mut lines = self.lines();
            let stored = lines.iter_mut().find(|stored| stored.line["id"] == id).expect("it was delayed");
            stored.is_cached = true;
            stored.line.clone()
        };
        self.send(line);
    }

    /// Sends a line to the listeners, and caches nothing.
    pub fn send_uncached(&self, members: Value) {
        self.send(self.line(members));
    }

    /// Forgets everything that was cached.
    pub fn forget(&self) {
        self.lines().clear();
    }

    /// Lets nobody write to a topic from now on.
    pub fn refuse_writes(&self, topic: &str) {
        self.state.read_only.lock().unwrap().insert(topic.to_owned());
    }

    /// What was published as JSON and is cached, in the order in which it was stored.
    pub fn published(&self) -> Vec<Value> {
        let is_published =
            |stored: &&Stored| stored.line["id"].as_str().is_some_and(|id| id.starts_with('p'));
        self.lines().iter().filter(is_published).map(|stored| Value::Object(stored.line.clone())).collect()
    }

    /// Ends all streams.
    pub fn end_streams(&self) {
        let _ = self.state.live.send(Event::End);
    }

    /// The number of open streams.
    pub fn streams(&self) -> usize {
        self.state.live.receiver_count()
    }

    /// The id of the message that [`ScriptedService::publish`] made as item `n`: twelve letters and digits.
    pub fn id(n: usize) -> String {
        format!("m{n:011}")
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Stored>> {
        self.state.lines.lock().unwrap()
    }

    fn send(&self, line: Map<String, Value>) {
        // Nobody may listen.
        let _ = self.state.live.send(Event::Line(line));
    }

    fn line(&self, members: Value) -> Map<String, Value> {
        let line = json!({"id": "", "time": START, "event": "message", "topic": self.topics[0]});
        let (Value::Object(mut line), Value::Object(members)) = (line, members) else {
            panic!("the members are an object")
        };
        line.extend(members);
        let time = line["time"].as_i64().expect("seconds");
        // A small number is counted from the start of the history.
        if time < START {
            line.insert("time".to_owned(), json!(START + time));
        }
        line
    }

    /// Stores a later line about item `n`; false if there is no such item.
    fn follow(&self, n: usize, event: &str, text: Option<&str>) -> bool {
        let id = Self::id(n);
        let known = self.lines().iter().any(|stored| stored.line["id"] == id.as_str());
        if known {
            let nth = self.lines().len();
            let mut line = json!({
                "id": format!("r{nth:011}"), "time": 86_400 + nth, "event": event, "sequence_id": id,
            });
            if let Some(text) = text {
                line["message"] = json!(text);
            }
            self.store(line);
        }
        known
    }
}

impl ScriptedService for Ntfy {
    fn protocol(&self) -> &'static str {
        "ntfy"
    }

    fn url(&self) -> String {
        self.url.clone()
    }

    fn token(&self) -> String {
        if self.state.is_open { String::new() } else { TOKEN.to_owned() }
    }

    fn publish(&self, n: usize) {
        // Three messages share a second.
        self.store(json!({"id": Self::id(n), "time": n / 3, "message": format!("item {n}")}));
    }

    fn change(&self, n: usize) -> bool {
        self.follow(n, "message", Some(&format!("item {n}, again")))
    }

    fn delete(&self, n: usize) -> bool {
        self.follow(n, "message_delete", None)
    }

    fn msgid(&self, n: usize) -> String {
        format!("{}/{}", self.topics[0], Self::id(n))
    }

    fn faults(&self) -> &Faults {
        &self.state.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(mut exchange: Exchange, state: Arc<State>) {
    let url = exchange.url();
    let is_poll = url.query_pairs().any(|(name, value)| name == "poll" && value == "1");
    let topics = url.path().trim_start_matches('/').strip_suffix("/json").map(str::to_owned);
    match topics {
        Some(topics) if !is_poll && state.may_read(&exchange) => stream(exchange, &state, &topics).await,
        _ => {
            let full = state.respond(&exchange);
            reply(&state.faults, &mut exchange, full).await;
        }
    }
}

/// Sends `open`, and then each line of the topics as it is published.
async fn stream(mut exchange: Exchange, state: &State, topics: &str) {
    let mut live = state.live.subscribe();
    let open = json!({"id": "open00000000", "time": START, "event": "open", "topic": topics});
    let head =
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/x-ndjson; charset=utf-8\r\n\r\n";
    let beginning = format!("{head}{open}\n").into_bytes();
    if let Some(fault) = state.faults.next() {
        return fault.answer(&mut exchange, beginning).await;
    }
    let mut is_connected = exchange.send(&beginning).await.is_ok();
    while is_connected && let Ok(Event::Line(line)) = live.recv().await {
        if topics.split(',').any(|topic| line["topic"] == topic) {
            is_connected = exchange.send(text(&line).as_bytes()).await.is_ok();
        }
    }
}

impl State {
    fn may_read(&self, exchange: &Exchange) -> bool {
        let authorization = exchange.header("authorization");
        match authorization {
            Some(authorization) => authorization == BASIC || authorization == format!("Bearer {TOKEN}"),
            None => self.is_open,
        }
    }

    fn respond(&self, exchange: &Exchange) -> Vec<u8> {
        let url = exchange.url();
        if !self.may_read(exchange) {
            return error("401 Unauthorized", 40_101, "unauthorized");
        }
        let path: Vec<&str> = url.path().trim_start_matches('/').split('/').collect();
        if exchange.request.starts_with("POST / ") {
            return self.publish(exchange);
        }
        match path.as_slice() {
            ["v1", "account"] => {
                let name = if exchange.header("authorization").is_some() { "phil" } else { "*" };
                ok("application/json", &json!({"username": name, "role": "user"}).to_string())
            }
            [_, "auth"] => ok("application/json", &json!({"success": true}).to_string()),
            [topics, "json"] => {
                let since =
                    url.query_pairs().find(|(name, _)| name == "since").map(|(_, value)| value.into_owned());
                match self.cached(topics, since.as_deref().unwrap_or("all")) {
                    Some(lines) => ok("application/x-ndjson; charset=utf-8", &lines),
                    None => error("400 Bad Request", 40_008, "invalid since parameter"),
                }
            }
            _ => error("404 Not Found", 40_401, "page not found"),
        }
    }

    /// Stores a publication and sends it to the listeners.
    fn publish(&self, exchange: &Exchange) -> Vec<u8> {
        let body = exchange.json();
        if body.to_string().len() > MAX_JSON_BYTES {
            return error("413 Request Entity Too Large", 41_303, "JSON body too large");
        }
        let topic = body["topic"].as_str().unwrap_or_default();
        if self.read_only.lock().unwrap().contains(topic) {
            return error("403 Forbidden", 40_301, "forbidden");
        }
        let mut lines = self.lines.lock().unwrap();
        let time = SystemClock.now().as_secs().max(START);
        let line =
            json!({"id": format!("p{:011}", lines.len()), "time": time, "event": "message", "topic": topic});
        let Value::Object(mut line) = line else { unreachable!("it is an object") };
        for member in ["message", "title", "priority", "tags", "click", "sequence_id"] {
            line.extend(body.get(member).map(|value| (member.to_owned(), value.clone())));
        }
        if body["markdown"] == true {
            line.insert("content_type".to_owned(), json!("text/markdown"));
        }
        lines.push(Stored { line: line.clone(), is_cached: true });
        // Nobody may listen.
        let _ = self.live.send(Event::Line(line.clone()));
        ok("application/json", &text(&line))
    }

    /// The cached lines of the topics since a place; `None` for one that makes no sense.
    fn cached(&self, topics: &str, since: &str) -> Option<String> {
        let all = self.lines.lock().unwrap();
        let is_id = since.len() == 12 && since.bytes().all(|b| b.is_ascii_alphanumeric());
        let (from_row, from_time) = match since {
            "all" => (0, 0),
            id if is_id => (all.iter().position(|stored| stored.line["id"] == id).map_or(0, |at| at + 1), 0),
            time => (0, time.parse().ok()?),
        };
        let is_wanted = |stored: &&Stored| {
            stored.is_cached
                && topics.split(',').any(|topic| stored.line["topic"] == topic)
                && stored.line["time"].as_i64() >= Some(from_time)
        };
        let mut lines: Vec<&Stored> = all.iter().skip(from_row).filter(is_wanted).collect();
        lines.sort_by_key(|stored| stored.line["time"].as_i64());
        Some(lines.into_iter().map(|stored| text(&stored.line)).collect())
    }
}

fn text(line: &Map<String, Value>) -> String {
    // The real one begins each line with the id.
    let mut rest = line.clone();
    let id = rest.remove("id").unwrap_or_default();
    let rest = Value::Object(rest).to_string();
    format!("{{\"id\":{id},{}\n", &rest[1..])
}

fn ok(media: &str, body: &str) -> Vec<u8> {
    response("200 OK", &format!("content-type: {media}\r\n"), body)
}

fn error(status: &str, code: u32, text: &str) -> Vec<u8> {
    let http: u32 = status.split(' ').next().and_then(|number| number.parse().ok()).expect("a status");
    let body = json!({"code": code, "http": http, "error": text});
    response(status, "content-type: application/json\r\n", body.to_string())
}
