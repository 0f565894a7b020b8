//! The server of a made-up protocol, the example of docs/new-source.md: entries, each with the number of its last change.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tidings_model::Stamp;

use super::{Faults, ScriptedService, serve, shows};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The token that the server takes.
const TOKEN: &str = "tally-7Hq2-secret";
/// The most entries of one answer.
const MAX_ENTRIES: usize = 100;

/// A running server.
#[derive(Debug)]
pub struct Tally {
    url: String,
    entries: Arc<Mutex<Vec<Entry>>>,
    faults: Faults,
    requests: Requests,
}

#[derive(Debug, Clone)]
struct Entry {
    id: usize,
    /// The number of its last change, counted over the whole server.
    change: usize,
    at: Stamp,
    text: String,
    read: bool,
    deleted: bool,
}

impl Tally {
    /// Starts a server without entries.
    pub async fn start() -> Self {
        let server = ScriptedServer::start().await;
        let url = server.url();
        let (entries, faults, requests) =
            serve(server, |exchange, entries: &mut Vec<Entry>| respond(exchange, entries));
        Self { url, entries, faults, requests }
    }

    /// Changes an entry, which gets the next number; false if there is no such entry.
    fn edit(&self, n: usize, edit: impl FnOnce(&mut Entry)) -> bool {
        let mut entries = self.entries.lock().unwrap();
        let change = entries.iter().map(|entry| entry.change).max().unwrap_or(0) + 1;
        let Some(entry) = entries.iter_mut().find(|entry| entry.id == n) else { return false };
        entry.change = change;
        edit(entry);
        true
    }
}

impl ScriptedService for Tally {
    fn protocol(&self) -> &'static str {
        "tally"
    }

    fn url(&self) -> String {
        self.url.clone()
    }

    fn token(&self) -> String {
        TOKEN.to_owned()
    }

    fn publish(&self, n: usize) {
        let mut entries = self.entries.lock().unwrap();
        let change = entries.iter().map(|entry| entry.change).max().unwrap_or(0) + 1;
        // Three entries share a second.
        let at = Stamp::from_secs(1_790_000_000 + i64::try_from(n / 3).unwrap());
        entries.push(Entry { id: n, change, at, text: format!("item {n}"), read: false, deleted: false });
    }

    fn change(&self, n: usize) -> bool {
        self.edit(n, |entry| {
            entry.at = entry.at.plus_secs(86_400);
            entry.text.push_str(", again");
            entry.read = false;
        })
    }

    fn delete(&self, n: usize) -> bool {
        self.edit(n, |entry| entry.deleted = true)
    }

    fn is_read(&self, n: usize) -> Option<bool> {
        self.entries.lock().unwrap().iter().find(|entry| entry.id == n).map(|entry| entry.read)
    }

    fn msgid(&self, n: usize) -> String {
        n.to_string()
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// `GET me`, `GET entries?since=&limit=`, `PUT` and `DELETE entries/<id>/read`, and `DELETE entries/<id>`.
fn respond(exchange: &Exchange, entries: &mut [Entry]) -> Vec<u8> {
    let url = exchange.url();
    let method = exchange.request.split(' ').next().unwrap_or_default();
    if !shows(exchange, "Bearer", TOKEN) {
        return response("401 Unauthorized", "", "");
    }
    let path: Vec<&str> = url.path().trim_start_matches('/').split('/').collect();
    match (method, path.as_slice()) {
        ("GET", ["me"]) => ok("", &json!({"id": "ana", "name": "Ana"})),
        ("GET", ["entries"]) => {
            let number = |name: &str| {
                url.query_pairs().find(|(known, _)| known == name).and_then(|(_, value)| value.parse().ok())
            };
            let since = number("since").unwrap_or(0);
            let limit = number("limit").unwrap_or(MAX_ENTRIES).clamp(1, MAX_ENTRIES);
            changed(exchange, entries, since, limit)
        }
        ("PUT" | "DELETE", ["entries", id, rest @ ..]) => {
            let next = entries.iter().map(|entry| entry.change).max().unwrap_or(0) + 1;
            let known = entries.iter_mut().find(|entry| entry.id.to_string() == *id && !entry.deleted);
            let Some(entry) = known else { return response("404 Not Found", "", "") };
            entry.change = next;
            match (method, rest) {
                ("PUT", ["read"]) => entry.read = true,
                ("DELETE", ["read"]) => entry.read = false,
                ("DELETE", []) => entry.deleted = true,
                _ => return response("405 Method Not Allowed", "", ""),
            }
            response("204 No Content", "", "")
        }
        _ => response("404 Not Found", "", ""),
    }
}

/// The entries that changed since a change, in the order of their changes.
fn changed(exchange: &Exchange, entries: &[Entry], since: usize, limit: usize) -> Vec<u8> {
    let mut changed: Vec<&Entry> = entries.iter().filter(|entry| entry.change > since).collect();
    changed.sort_by_key(|entry| entry.change);
    let more = changed.len() > limit;
    changed.truncate(limit);
    let etag = format!("\"{}\"", changed.last().map_or(since, |entry| entry.change));
    if exchange.header("if-none-match") == Some(&*etag) {
        return response("304 Not Modified", &format!("etag: {etag}\r\n"), "");
    }
    let entry = |entry: &&Entry| {
        json!({
            "id": entry.id, "change": entry.change, "at": entry.at, "text": entry.text, "read": entry.read,
            "deleted": entry.deleted,
        })
    };
    let headers = format!("etag: {etag}\r\nx-poll-interval: 30\r\n");
    ok(&headers, &json!({"entries": changed.iter().map(entry).collect::<Vec<_>>(), "more": more}))
}

fn ok(headers: &str, body: &Value) -> Vec<u8> {
    response("200 OK", &format!("content-type: application/json\r\n{headers}"), body.to_string())
}
