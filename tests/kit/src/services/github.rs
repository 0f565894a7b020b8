//! A GitHub Enterprise server with one user's notifications.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::threads::{Thread, Threads, item_number, method, next_link, ok, seconds, time, unless_known};
use super::{Faults, OAuth, ScriptedService, serve, shows};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The token that the server takes.
const TOKEN: &str = "ghp_5vX2-secret";
/// The id of item 0.
const FIRST_ID: usize = 70_000;
/// Why the user is notified, by the number of the item.
const REASONS: [&str; 4] = ["review_requested", "mention", "author", "subscribed"];

/// A running server.
#[derive(Debug)]
pub struct GitHub {
    host: String,
    threads: Arc<Mutex<Threads>>,
    oauth: OAuth,
    faults: Faults,
    requests: Requests,
}

/// Where the server is, and what the token may read.
#[derive(Debug, Clone)]
struct Site {
    host: String,
    /// The host in the addresses of subjects.
    subjects: String,
    /// Whether the token may read subjects.
    shows_subjects: bool,
}

impl GitHub {
    /// Starts a server without notifications, and with a token that may read nothing else.
    pub async fn start() -> Self {
        Self::start_as(|host| Site { subjects: host.clone(), host, shows_subjects: false }).await
    }

    /// Starts a server without notifications, and with a token that may read their subjects.
    pub async fn start_with_subjects() -> Self {
        Self::start_as(|host| Site { subjects: host.clone(), host, shows_subjects: true }).await
    }

    /// Starts a server whose subjects are at another host.
    pub async fn start_with_subjects_at(subjects: String) -> Self {
        Self::start_as(|host| Site { host, subjects, shows_subjects: true }).await
    }

    async fn start_as(site: impl FnOnce(String) -> Site) -> Self {
        let server = ScriptedServer::start().await;
        let (host, site) = (server.host(), site(server.host()));
        let oauth = OAuth::device(&host, "/login/device", TOKEN);
        let signing_in = oauth.clone();
        let (threads, faults, requests) =
            serve(server, move |exchange, threads| answer(exchange, &site, threads, &signing_in));
        Self { host, threads, oauth, faults, requests }
    }

    /// The sign-in by a code.
    pub fn oauth(&self) -> &OAuth {
        &self.oauth
    }

    /// Marks item `n` as done on the page.
    pub fn finish_on_the_page(&self, n: usize) {
        let mut threads = self.threads.lock().unwrap();
        let thread = threads.get_mut(n).unwrap();
        (thread.unread, thread.done) = (false, true);
    }

    /// Reads item `n` on the page, which is no change of its subject.
    pub fn read_on_the_page(&self, n: usize) {
        self.threads.lock().unwrap().get_mut(n).unwrap().unread = false;
    }

    /// Marks item `n` as unread on the page.
    pub fn unread_on_the_page(&self, n: usize) {
        self.threads.lock().unwrap().get_mut(n).unwrap().unread = true;
    }

    /// Merges the pull request of item `n`.
    pub fn merge(&self, n: usize) {
        self.threads.lock().unwrap().change(n, |thread| (thread.state, thread.unread) = ("merged", true));
    }

    /// Closes item `n`, which nobody merges.
    pub fn close(&self, n: usize) {
        self.threads.lock().unwrap().change(n, |thread| (thread.state, thread.unread) = ("closed", true));
    }
}

impl ScriptedService for GitHub {
    fn protocol(&self) -> &'static str {
        "github"
    }

    fn url(&self) -> String {
        format!("http://{}/api/v3", self.host)
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
        self.threads.lock().unwrap().get(n).map(|thread| !thread.unread || thread.done)
    }

    fn is_archived(&self, n: usize) -> Option<bool> {
        self.threads.lock().unwrap().get(n).map(|thread| thread.done)
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

fn answer(exchange: &Exchange, site: &Site, threads: &mut Threads, oauth: &OAuth) -> Vec<u8> {
    match exchange.url().path() {
        "/login/device/code" => oauth.device_code(exchange),
        // GitHub refuses with the status of a success.
        "/login/oauth/access_token" => oauth.token(exchange, "200 OK"),
        _ => respond(exchange, site, threads),
    }
}

fn respond(exchange: &Exchange, site: &Site, threads: &mut Threads) -> Vec<u8> {
    if !shows(exchange, "Bearer", TOKEN) {
        return response("401 Unauthorized", "", r#"{"message": "Bad credentials"}"#);
    }
    let url = exchange.url();
    let Some(path) = url.path().strip_prefix("/api/v3/") else { return response("404 Not Found", "", "") };
    let path: Vec<&str> = path.split('/').collect();
    match (method(exchange), path.as_slice()) {
        ("GET", ["user"]) => ok("", &person("ana", &site.host)),
        ("GET", ["notifications"]) => list(exchange, site, threads),
        ("PUT", ["notifications"]) => {
            let through = exchange.json()["last_read_at"].as_str().map(seconds);
            threads.read_through(through.unwrap());
            response("205 Reset Content", "", "")
        }
        (method, ["notifications", "threads", id, "subscription"]) => {
            let thread = item_number(id, FIRST_ID).and_then(|n| threads.get_mut(n));
            thread.map_or_else(
                || response("404 Not Found", "", ""),
                |thread| subscription(exchange, method, thread),
            )
        }
        (mark @ ("PATCH" | "DELETE"), ["notifications", "threads", id]) => {
            let thread = item_number(id, FIRST_ID).and_then(|n| threads.get_mut(n));
            let Some(thread) = thread else { return response("404 Not Found", "", "") };
            thread.unread = false;
            if mark == "PATCH" {
                return response("205 Reset Content", "", "");
            }
            thread.done = true;
            response("204 No Content", "", "")
        }
        ("GET", ["repos", "acme", "widgets", rest @ ..]) if site.shows_subjects => {
            match document(rest, &site.host, threads) {
                Some(document) => ok("", &document),
                None => response("404 Not Found", "", ""),
            }
        }
        _ => response("404 Not Found", "", ""),
    }
}

fn subscription(exchange: &Exchange, method: &str, thread: &mut Thread) -> Vec<u8> {
    thread.subscription = match method {
        "DELETE" => None,
        "PUT" if exchange.json()["ignored"] == true => Some("ignored"),
        "PUT" => Some("subscribed"),
        _ => thread.subscription,
    };
    match thread.subscription {
        Some(is) => {
            ok("", &json!({"subscribed": is == "subscribed", "ignored": is == "ignored", "reason": null}))
        }
        None if method == "DELETE" => response("204 No Content", "", ""),
        None => response("404 Not Found", "", ""),
    }
}

fn list(exchange: &Exchange, site: &Site, threads: &Threads) -> Vec<u8> {
    let url = exchange.url();
    let listed = threads.list(&url, "per_page", false);
    let next = if listed.has_next { next_link(&url, &site.host) } else { String::new() };
    let body: Vec<Value> = listed.threads.iter().map(|thread| notification(thread, site)).collect();
    unless_known(exchange, &format!("x-poll-interval: 60\r\n{next}"), &body.into())
}

fn notification(thread: &Thread, site: &Site) -> Value {
    let Thread { n, updated, unread, comments, .. } = thread;
    let Site { host, subjects, .. } = site;
    let api = format!("http://{subjects}/api/v3/repos/acme/widgets");
    let subject = format!("{api}/{}/{n}", if is_pull(*n) { "pulls" } else { "issues" });
    let comment = format!("{api}/issues/comments/{}", comment_id(*n, *comments));
    let latest = if *comments == 0 { &subject } else { &comment };
    let kind = if is_pull(*n) { "PullRequest" } else { "Issue" };
    json!({
        "id": (FIRST_ID + n).to_string(), "unread": unread, "reason": REASONS[n % REASONS.len()],
        "updated_at": time(*updated), "last_read_at": null,
        "subject": {"title": format!("item {n}"), "url": subject, "latest_comment_url": latest, "type": kind},
        "repository": {"id": 1, "full_name": "acme/widgets", "private": true,
            "html_url": format!("http://{host}/acme/widgets"), "owner": person("acme", host)},
        "url": format!("http://{host}/api/v3/notifications/threads/{}", FIRST_ID + n),
    })
}

/// An issue, a pull request or a comment.
fn document(path: &[&str], host: &str, threads: &Threads) -> Option<Value> {
    let page = format!("http://{host}/acme/widgets");
    match path {
        ["issues", "comments", id] => {
            let id: usize = id.parse().ok()?;
            let n = threads.get(id / 1_000)?.n;
            Some(
                json!({"id": id, "user": person("cy", host), "body": format!("Comment {} on item {n}", id % 1_000),
                "html_url": format!("{page}/issues/{n}#issuecomment-{id}")}),
            )
        }
        [list @ ("issues" | "pulls"), n] => {
            let thread = threads.get(n.parse().ok()?)?;
            let merged = thread.state == "merged";
            let state = if merged { "closed" } else { thread.state };
            let folder = if *list == "pulls" { "pull" } else { "issues" };
            Some(json!({"number": thread.n, "state": state, "merged": merged, "draft": false,
                "user": person("bo", host), "body": format!("About item {}", thread.n),
                "html_url": format!("{page}/{folder}/{}", thread.n)}))
        }
        _ => None,
    }
}

fn person(login: &str, host: &str) -> Value {
    json!({"login": login, "avatar_url": format!("http://{host}/avatars/{login}.png"), "name": null})
}

const fn is_pull(n: usize) -> bool {
    n.is_multiple_of(2)
}

const fn comment_id(n: usize, comment: usize) -> usize {
    n * 1_000 + comment
}
