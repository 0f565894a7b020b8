//! A Mastodon server with one account: its notifications, newest first, in pages, and its live channel.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tidings_model::Stamp;
use tokio::sync::watch;

use super::{Faults, OAuth, ScriptedService, reply, shows};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The token that the server takes.
const TOKEN: &str = "mastodon-Kx81-secret";
/// The most notifications of a page.
const MAX_LIMIT: usize = 80;
/// The id of the first notification: later ones have more digits.
const FIRST_ID: usize = 99_950;

/// A running server.
#[derive(Debug)]
pub struct Mastodon {
    url: String,
    state: Arc<State>,
    oauth: OAuth,
    faults: Faults,
    requests: Requests,
}

#[derive(Debug)]
struct State {
    /// The notifications with their ids, oldest first.
    notifications: Mutex<Vec<(usize, Value)>>,
    /// The number of notifications so far, for the live channel.
    published: watch::Sender<usize>,
    /// The path of the live channel; `None` if there is none.
    channel: Mutex<Option<&'static str>>,
}

impl Mastodon {
    /// Starts a server without notifications, with a live channel of notifications.
    pub async fn start() -> Self {
        let server = ScriptedServer::start().await;
        let state = Arc::new(State {
            notifications: Mutex::default(),
            published: watch::Sender::new(0),
            channel: Mutex::new(Some("/api/v1/streaming/user/notification")),
        });
        let (url, faults) = (server.url(), Faults::default());
        let (served, planned) = (state.clone(), faults.clone());
        let oauth = OAuth::browser(TOKEN);
        let signing_in = oauth.clone();
        let requests = server
            .serve(move |exchange| answer(exchange, served.clone(), signing_in.clone(), planned.clone()));
        Self { url, state, oauth, faults, requests }
    }

    /// The sign-in by a page.
    pub fn oauth(&self) -> &OAuth {
        &self.oauth
    }

    /// Sets the path of the live channel; `None` for a server without one.
    pub fn set_channel(&self, path: Option<&'static str>) {
        *self.state.channel.lock().unwrap() = path;
    }

    /// Adds a notification of a type, in which `fields` are set besides its id, type, time and account.
    pub fn notify(&self, kind: &str, actor: &str, fields: Value) -> String {
        let id = {
            let mut notifications = self.state.notifications.lock().unwrap();
            let id = notifications.last().map_or(FIRST_ID, |(last, _)| last + 1);
            // Three notifications share a second.
            let at = Stamp::from_secs(1_790_000_000 + i64::try_from((id - FIRST_ID) / 3).unwrap());
            let mut notification = json!({
                "id": id.to_string(), "type": kind, "created_at": at, "account": account(actor),
                "group_key": format!("ungrouped-{id}"),
            });
            if let (Some(all), Value::Object(more)) = (notification.as_object_mut(), fields) {
                all.extend(more);
            }
            notifications.push((id, notification));
            id
        };
        self.state.published.send_modify(|published| *published += 1);
        id.to_string()
    }
}

/// A user of another server.
pub fn account(name: &str) -> Value {
    json!({
        "id": format!("10{name}"), "username": name, "acct": format!("{name}@remote.example"),
        "display_name": format!("{name} :verified:"), "note": format!("<p>I am <b>{name}</b></p>"),
        "url": format!("https://remote.example/@{name}"), "avatar": "https://remote.example/a.gif",
        "avatar_static": "https://remote.example/a.png", "locked": false, "bot": false,
    })
}

/// A post.
pub fn status(id: &str, author: &Value, html: &str) -> Value {
    json!({
        "id": id, "uri": format!("https://remote.example/users/x/statuses/{id}"), "account": author, "content": html,
        "url": format!("https://remote.example/@x/{id}"), "created_at": "2026-10-01T08:00:00.000Z",
        "visibility": "public", "sensitive": false, "spoiler_text": "", "media_attachments": [], "poll": null,
        "reblog": null, "card": null,
    })
}

/// The account of the token.
pub fn me() -> Value {
    json!({
        "id": "1", "username": "ana", "acct": "ana", "display_name": "Ana", "note": "", "url": "https://m.example/@ana",
        "avatar": "https://m.example/ana.png", "avatar_static": "https://m.example/ana.png",
    })
}

impl ScriptedService for Mastodon {
    fn protocol(&self) -> &'static str {
        "mastodon"
    }

    fn url(&self) -> String {
        self.url.clone()
    }

    fn token(&self) -> String {
        TOKEN.to_owned()
    }

    fn publish(&self, n: usize) {
        let author = account("bo");
        let html = format!("<p>Hello <span class=\"h-card\">@ana</span>, item {n}</p>");
        let id = self.notify("mention", "bo", json!({ "status": status(&format!("5{n}"), &author, &html) }));
        assert_eq!(id, self.msgid(n), "items are counted up from 0");
    }

    fn delete(&self, n: usize) -> bool {
        let mut notifications = self.state.notifications.lock().unwrap();
        let before = notifications.len();
        notifications.retain(|(id, _)| *id != FIRST_ID + n);
        notifications.len() < before
    }

    fn msgid(&self, n: usize) -> String {
        (FIRST_ID + n).to_string()
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(mut exchange: Exchange, state: Arc<State>, oauth: OAuth, faults: Faults) {
    let is_allowed = shows(&exchange, "Bearer", TOKEN);
    let channel = *state.channel.lock().unwrap();
    if is_allowed && channel == Some(exchange.url().path()) {
        return stream(exchange, &state).await;
    }
    let full = match exchange.url().path() {
        "/api/v1/apps" => oauth.register(&exchange),
        "/oauth/revoke" => oauth.take_back(&exchange),
        "/oauth/token" => oauth.token(&exchange, "400 Bad Request"),
        _ if is_allowed => respond(&exchange, &state),
        _ => json_response("401 Unauthorized", "", &json!({"error": "The access token is invalid"})),
    };
    reply(&faults, &mut exchange, full).await;
}

fn respond(exchange: &Exchange, state: &State) -> Vec<u8> {
    let url = exchange.url();
    match url.path() {
        "/api/v1/accounts/verify_credentials" => json_response("200 OK", "", &me()),
        "/api/v1/notifications" => page(exchange, &state.notifications.lock().unwrap()),
        _ => json_response("404 Not Found", "", &json!({"error": "Record not found"})),
    }
}

/// A page below `max_id` and above `since_id`, newest first, with links to its neighbours.
fn page(exchange: &Exchange, all: &[(usize, Value)]) -> Vec<u8> {
    let url = exchange.url();
    let number = |name: &str| {
        url.query_pairs().find(|(known, _)| known == name).and_then(|(_, value)| value.parse::<usize>().ok())
    };
    let (below, above) = (number("max_id").unwrap_or(usize::MAX), number("since_id").unwrap_or(0));
    let limit = number("limit").unwrap_or(40).clamp(1, MAX_LIMIT);
    let within = all.iter().rev().filter(|(id, _)| above < *id && *id < below).take(limit);
    let (ids, page): (Vec<usize>, Vec<&Value>) = within.map(|(id, notification)| (*id, notification)).unzip();
    let at =
        format!("http://{}/api/v1/notifications?limit={limit}", exchange.header("host").unwrap_or_default());
    let link = match (ids.first(), ids.last()) {
        (Some(newest), Some(oldest)) => {
            format!("link: <{at}&max_id={oldest}>; rel=\"next\", <{at}&min_id={newest}>; rel=\"prev\"\r\n")
        }
        _ => String::new(),
    };
    let etag = format!("W/\"{:?}-{}\"", ids.first(), ids.len());
    if exchange.header("if-none-match") == Some(&*etag) {
        return response("304 Not Modified", &format!("etag: {etag}\r\n"), "");
    }
    json_response("200 OK", &format!("etag: {etag}\r\n{link}"), &json!(page))
}

/// Sends each notification until the client leaves.
async fn stream(mut exchange: Exchange, state: &State) {
    let mut published = state.published.subscribe();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n:)\n\n";
    if exchange.send(head.as_bytes()).await.is_err() {
        return;
    }
    while published.changed().await.is_ok() {
        let newest =
            state.notifications.lock().unwrap().last().map(|(_, notification)| notification.to_string());
        let event = format!("event: notification\ndata: {}\n\n:thump\n\n", newest.unwrap_or_default());
        if exchange.send(event.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn json_response(status: &str, headers: &str, body: &Value) -> Vec<u8> {
    response(status, &format!("content-type: application/json; charset=utf-8\r\n{headers}"), body.to_string())
}
