//! A Gotify server: the messages of one user's applications, newest first, and a WebSocket with new ones.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tidings_model::Stamp;
use tokio::sync::broadcast;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::{Faults, ScriptedService, reply};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The client token that the server takes.
const TOKEN: &str = "C7Hq2-client.secret";
/// The first second of the server's history.
const START: i64 = 1_790_000_000;
/// The number of messages of a page if none is given.
const PAGE_MESSAGES: u64 = 100;
/// The most messages that wait for a slow stream.
const MAX_WAITING_MESSAGES: usize = 1_000;

/// A running server, below the path `/gotify`. It has the application 1, `Backup`.
#[derive(Debug)]
pub struct Gotify {
    url: String,
    state: Arc<State>,
    requests: Requests,
}

#[derive(Debug)]
struct State {
    /// Oldest first.
    messages: Mutex<Vec<Value>>,
    applications: Mutex<Vec<Value>>,
    live: broadcast::Sender<Option<Value>>,
    faults: Faults,
}

impl Gotify {
    /// Starts a server without messages.
    pub async fn start() -> Self {
        let server = ScriptedServer::start().await;
        let url = format!("{}/gotify", server.url());
        let state = Arc::new(State {
            messages: Mutex::default(),
            applications: Mutex::default(),
            live: broadcast::channel(MAX_WAITING_MESSAGES).0,
            faults: Faults::default(),
        });
        let served = state.clone();
        let requests = server.serve(move |exchange| answer(exchange, served.clone()));
        let server = Self { url, state, requests };
        server.add_application(1, "Backup", "image/backup.png");
        server
    }

    /// Adds an application.
    pub fn add_application(&self, id: u64, name: &str, image: &str) {
        let application = json!({
            "id": id, "name": name, "image": image, "description": "", "internal": false, "defaultPriority": 0,
            "createdAt": Stamp::from_secs(START),
        });
        self.state.applications.lock().unwrap().push(application);
    }

    /// Adds a message with these members over those of a message of the first application, and sends it to the
    /// listeners.
    pub fn add(&self, id: u64, members: Value) {
        let mut message = json!({
            "id": id, "appid": 1, "message": "", "title": "", "priority": 0,
            "date": Stamp::from_secs(START + i64::try_from(id / 3).unwrap()),
        });
        let Value::Object(members) = members else { panic!("the members are an object") };
        message.as_object_mut().unwrap().extend(members);
        let mut messages = self.messages();
        let at = messages.partition_point(|known| known["id"].as_u64() < Some(id));
        messages.insert(at, message.clone());
        drop(messages);
        // Nobody may listen.
        let _ = self.state.live.send(Some(message));
    }

    /// Removes everything, as a new installation at the same address does.
    pub fn wipe(&self) {
        self.messages().clear();
    }

    /// The ids of the messages, oldest first.
    pub fn ids(&self) -> Vec<u64> {
        self.messages().iter().map(|message| message["id"].as_u64().unwrap()).collect()
    }

    /// Closes all streams.
    pub fn end_streams(&self) {
        let _ = self.state.live.send(None);
    }

    /// The number of open streams.
    pub fn streams(&self) -> usize {
        self.state.live.receiver_count()
    }

    fn messages(&self) -> MutexGuard<'_, Vec<Value>> {
        self.state.messages.lock().unwrap()
    }
}

/// The id of item `n`.
fn id(n: usize) -> u64 {
    n as u64 + 1
}

impl ScriptedService for Gotify {
    fn protocol(&self) -> &'static str {
        "gotify"
    }

    fn url(&self) -> String {
        self.url.clone()
    }

    fn token(&self) -> String {
        TOKEN.to_owned()
    }

    fn publish(&self, n: usize) {
        self.add(id(n), json!({"title": "Backup", "message": format!("item {n}"), "priority": 5}));
    }

    fn msgid(&self, n: usize) -> String {
        format!("{}-{}", id(n), START + i64::try_from(id(n) / 3).unwrap())
    }

    fn faults(&self) -> &Faults {
        &self.state.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(mut exchange: Exchange, state: Arc<State>) {
    let is_stream = exchange.url().path() == "/gotify/stream";
    match accepted_key(&exchange) {
        Some(key) if is_stream && is_authorized(&exchange) => stream(exchange, &state, &key).await,
        _ => {
            let full = state.respond(&exchange);
            reply(&state.faults, &mut exchange, full).await;
        }
    }
}

/// The key that accepts the upgrade which a request asks for.
fn accepted_key(exchange: &Exchange) -> Option<String> {
    exchange.header("sec-websocket-key").map(|key| derive_accept_key(key.as_bytes()))
}

async fn stream(mut exchange: Exchange, state: &State, key: &str) {
    let mut live = state.live.subscribe();
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
         sec-websocket-accept: {key}\r\n\r\n"
    );
    if let Some(fault) = state.faults.next() {
        return fault.answer(&mut exchange, head.into_bytes()).await;
    }
    if exchange.send(head.as_bytes()).await.is_err() {
        return;
    }
    let mut socket = WebSocketStream::from_raw_socket(exchange.stream, Role::Server, None).await;
    loop {
        tokio::select! {
            message = live.recv() => match message {
                Ok(Some(message)) if socket.send(Message::text(message.to_string())).await.is_ok() => {}
                _ => return drop(socket.close(None).await),
            },
            // Pings are answered by the socket.
            received = socket.next() => match received {
                Some(Ok(_)) => {}
                _ => return,
            },
        }
    }
}

impl State {
    fn respond(&self, exchange: &Exchange) -> Vec<u8> {
        if !is_authorized(exchange) {
            return error("401 Unauthorized", "you need to provide a valid access token");
        }
        let url = exchange.url();
        let method = exchange.request.split(' ').next().unwrap_or_default();
        let path: Vec<&str> = url.path().trim_start_matches("/gotify/").split('/').collect();
        let number = |name: &str| {
            url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.parse::<u64>().ok())
        };
        match (method, path.as_slice()) {
            ("GET", ["current", "user"]) => ok(&json!({"id": 1, "name": "ana", "admin": false})),
            ("GET", ["application"]) => ok(&Value::Array(self.applications.lock().unwrap().clone())),
            ("GET", ["message"]) => match number("limit").unwrap_or(Some(PAGE_MESSAGES)) {
                Some(limit @ 1..=200) => {
                    let since = number("since").flatten().unwrap_or(0);
                    self.page(usize::try_from(limit).unwrap(), since)
                }
                _ => error("400 Bad Request", "the limit is 1 to 200"),
            },
            ("DELETE", ["message", id]) => {
                let mut messages = self.messages.lock().unwrap();
                let before = messages.len();
                let id = id.parse::<u64>().ok();
                messages.retain(|message| message["id"].as_u64() != id);
                if messages.len() < before {
                    response("200 OK", "", "")
                } else {
                    error("404 Not Found", "message does not exist")
                }
            }
            ("GET", ["stream"]) => error("400 Bad Request", "not a websocket handshake"),
            _ => error("404 Not Found", "page not found"),
        }
    }

    /// The messages before an id, newest first.
    fn page(&self, limit: usize, since: u64) -> Vec<u8> {
        let all = self.messages.lock().unwrap();
        let is_before = |message: &&Value| since == 0 || message["id"].as_u64() < Some(since);
        let mut found: Vec<&Value> = all.iter().rev().filter(is_before).take(limit + 1).collect();
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| has_more).and_then(|message| message["id"].as_u64());
        let mut paging = json!({"size": found.len(), "since": next.unwrap_or(0), "limit": limit});
        if let Some(next) = next {
            paging["next"] = json!(format!("/message?limit={limit}&since={next}"));
        }
        // The real one begins a page with its position and a message with its id.
        let message = |message: &&Value| {
            let mut rest = message.as_object().unwrap().clone();
            let id = rest.remove("id").unwrap();
            format!("{{\"id\":{id},{}", &Value::Object(rest).to_string()[1..])
        };
        let messages: Vec<String> = found.iter().map(message).collect();
        let body = format!("{{\"paging\":{paging},\"messages\":[{}]}}", messages.join(","));
        response("200 OK", "content-type: application/json\r\n", body)
    }
}

fn is_authorized(exchange: &Exchange) -> bool {
    exchange.header("x-gotify-key") == Some(TOKEN)
}

fn ok(body: &Value) -> Vec<u8> {
    response("200 OK", "content-type: application/json\r\n", body.to_string())
}

fn error(status: &str, text: &str) -> Vec<u8> {
    let (code, reason) = status.split_once(' ').expect("a status");
    let code: u32 = code.parse().expect("a number");
    let body = json!({"error": reason, "errorCode": code, "errorDescription": text});
    response(status, "content-type: application/json\r\n", body.to_string())
}
