//! A Forgejo server with one user's notifications.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::threads::{Thread, Threads, item_number, method, ok, query, seconds, time};
use super::{Faults, ScriptedService, serve, shows};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The token that the server takes.
const TOKEN: &str = "8c31f-secret";
/// The id of item 0.
const FIRST_ID: usize = 300;

/// A running server.
#[derive(Debug)]
pub struct Forgejo {
    host: String,
    threads: Arc<Mutex<Threads>>,
    faults: Faults,
    requests: Requests,
}

/// Where the server is, and what the token may read.
#[derive(Debug, Clone)]
struct Site {
    host: String,
    /// Whether the token may read its user and the subjects.
    shows_subjects: bool,
}

impl Forgejo {
    /// Starts a server without notifications, and with a token that may read nothing else, not even its user.
    pub async fn start() -> Self {
        Self::start_as(false).await
    }

    /// Starts a server without notifications, and with a token that may read their subjects.
    pub async fn start_with_subjects() -> Self {
        Self::start_as(true).await
    }

    async fn start_as(shows_subjects: bool) -> Self {
        let server = ScriptedServer::start().await;
        let host = server.host();
        let site = Site { host: host.clone(), shows_subjects };
        let (threads, faults, requests) =
            serve(server, move |exchange, threads| respond(exchange, &site, threads));
        Self { host, threads, faults, requests }
    }

    /// Reads item `n` on the page, which moves the time of its last change.
    pub fn read_on_the_page(&self, n: usize) {
        self.threads.lock().unwrap().change(n, |thread| thread.unread = false);
    }
}

impl ScriptedService for Forgejo {
    fn protocol(&self) -> &'static str {
        "forgejo"
    }

    fn url(&self) -> String {
        format!("http://{}", self.host)
    }

    fn token(&self) -> String {
        TOKEN.to_owned()
    }

    fn publish(&self, n: usize) {
        self.threads.lock().unwrap().publish(n);
    }

    fn change(&self, n: usize) -> bool {
        self.threads.lock().unwrap().comment(n)
    }

    fn is_read(&self, n: usize) -> Option<bool> {
        self.threads.lock().unwrap().get(n).map(|thread| !thread.unread)
    }

    fn msgid(&self, n: usize) -> String {
        (FIRST_ID + n).to_string()
    }

    fn subscription(&self, n: usize) -> Option<&'static str> {
        let threads = self.threads.lock().unwrap();
        threads.get(n).map(|thread| thread.subscription.unwrap_or("unsubscribed"))
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn respond(exchange: &Exchange, site: &Site, threads: &mut Threads) -> Vec<u8> {
    let Site { host, shows_subjects } = site;
    if !shows(exchange, "token", TOKEN) {
        return response("401 Unauthorized", "", r#"{"message": "token is required"}"#);
    }
    let url = exchange.url();
    let Some(path) = url.path().strip_prefix("/api/v1/") else { return response("404 Not Found", "", "") };
    let path: Vec<&str> = path.split('/').collect();
    match (method(exchange), path.as_slice()) {
        ("GET", ["user" | "repos", ..]) if !shows_subjects => {
            response("403 Forbidden", "", r#"{"message": "token does not have the required scope"}"#)
        }
        ("GET", ["user"]) => ok("", &person("ana", "Ana Silva", host)),
        ("GET", ["notifications"]) => {
            let listed = threads.list(&url, "limit", true);
            let body: Vec<Value> = listed.threads.iter().map(|thread| notification(thread, host)).collect();
            ok(&format!("x-total-count: {}\r\n", listed.total), &body.into())
        }
        ("PUT", ["notifications"]) => {
            for n in threads.read_through(query(&url, "last_read_at").map(|at| seconds(&at)).unwrap()) {
                threads.change(n, |thread| thread.unread = false);
            }
            response("205 Reset Content", "", "")
        }
        ("PATCH", ["notifications", "threads", id]) => {
            let unread = query(&url, "to-status").is_some_and(|status| status == "unread");
            let is_known =
                item_number(id, FIRST_ID).is_some_and(|n| threads.change(n, |t| t.unread = unread));
            response(if is_known { "205 Reset Content" } else { "404 Not Found" }, "", "")
        }
        (method, ["repos", "acme", "widgets", "issues", n, "subscriptions", who @ ("check" | "ana")]) => {
            let thread = n.parse().ok().and_then(|n| threads.get_mut(n));
            let Some(thread) = thread else { return response("404 Not Found", "", "") };
            match (method, *who) {
                ("GET", "check") => ok(
                    "",
                    &json!({"subscribed": thread.subscription.is_some(), "ignored": thread.subscription.is_none()}),
                ),
                ("PUT", "ana") => {
                    thread.subscription = Some("subscribed");
                    response("201 Created", "", "")
                }
                ("DELETE", "ana") => {
                    thread.subscription = None;
                    response("201 Created", "", "")
                }
                _ => response("405 Method Not Allowed", "", ""),
            }
        }
        ("GET", ["repos", "acme", "widgets", "issues", rest @ ..]) => match document(rest, host, threads) {
            Some(document) => ok("", &document),
            None => response("404 Not Found", "", ""),
        },
        _ => response("404 Not Found", "", ""),
    }
}

fn notification(thread: &Thread, host: &str) -> Value {
    let Thread { n, updated, unread, comments, state, .. } = thread;
    let (api, page) = (format!("http://{host}/api/v1/repos/acme/widgets/issues"), page(*n, host));
    let comment = n * 1_000 + comments;
    let (latest, latest_page) = if *comments == 0 {
        (String::new(), String::new())
    } else {
        (format!("{api}/comments/{comment}"), format!("{page}#issuecomment-{comment}"))
    };
    json!({
        "id": FIRST_ID + n, "unread": unread, "pinned": false, "updated_at": time(*updated),
        "subject": {"title": format!("item {n}"), "url": format!("{api}/{n}"), "latest_comment_url": latest,
            "html_url": page, "latest_comment_html_url": latest_page, "state": state,
            "type": if is_pull(*n) { "Pull" } else { "Issue" }},
        "repository": {"id": 1, "full_name": "acme/widgets", "html_url": format!("http://{host}/acme/widgets"),
            "owner": person("acme", "Acme", host)},
        "url": format!("http://{host}/api/v1/notifications/threads/{}", FIRST_ID + n),
    })
}

/// An issue, a pull request or a comment.
fn document(path: &[&str], host: &str, threads: &Threads) -> Option<Value> {
    match path {
        ["comments", id] => {
            let id: usize = id.parse().ok()?;
            let n = threads.get(id / 1_000)?.n;
            let body = format!("Comment {} on item {n}", id % 1_000);
            Some(json!({"id": id, "user": person("cy", "Cy Young", host), "body": body,
                "html_url": format!("{}#issuecomment-{id}", page(n, host))}))
        }
        [n] => {
            let thread = threads.get(n.parse().ok()?)?;
            Some(json!({"number": thread.n, "state": thread.state, "user": person("bo", "", host),
                "body": format!("About item {}", thread.n), "html_url": page(thread.n, host)}))
        }
        _ => None,
    }
}

fn page(n: usize, host: &str) -> String {
    format!("http://{host}/acme/widgets/{}/{n}", if is_pull(n) { "pulls" } else { "issues" })
}

/// A user, with the login twice, as Forgejo has it.
fn person(login: &str, name: &str, host: &str) -> Value {
    json!({"id": 1, "login": login, "username": login, "full_name": name,
        "avatar_url": format!("http://{host}/avatars/{login}")})
}

const fn is_pull(n: usize) -> bool {
    n.is_multiple_of(2)
}
