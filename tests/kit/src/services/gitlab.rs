//! A GitLab server with one user's to-do list.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::threads::{item_number, method, next_link, number, ok, query, time, unless_known};
use super::{Faults, OAuth, ScriptedService, serve};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The token that the server takes.
const TOKEN: &str = "glpat-9Kq-secret";
/// The first token that a sign-in gives.
const OAUTH_TOKEN: &str = "5f1c0e6b0d7a4d1b9a3c8e2f5f1c0e6b0d7a4d1b9a3c8e2f5f1c0e6b0d7a0000";
/// The id of item 0.
const FIRST_ID: usize = 102;
/// What the user is to do, by the number of the item.
const ACTIONS: [&str; 4] = ["review_requested", "mentioned", "assigned", "build_failed"];

/// A running server.
#[derive(Debug)]
pub struct GitLab {
    host: String,
    todos: Arc<Mutex<Vec<Todo>>>,
    oauth: OAuth,
    faults: Faults,
    requests: Requests,
}

#[derive(Debug, Clone)]
struct Todo {
    n: usize,
    done: bool,
    state: &'static str,
    subscribed: bool,
}

impl GitLab {
    /// Starts a server with an empty list.
    pub async fn start() -> Self {
        let server = ScriptedServer::start().await;
        let (host, at) = (server.host(), server.host());
        let oauth = OAuth::device(&host, "/oauth/device", OAUTH_TOKEN);
        let signing_in = oauth.clone();
        let (todos, faults, requests) =
            serve(server, move |exchange, todos: &mut Vec<Todo>| answer(exchange, &at, todos, &signing_in));
        Self { host, todos, oauth, faults, requests }
    }

    /// The sign-in by a code.
    pub fn oauth(&self) -> &OAuth {
        &self.oauth
    }

    /// Marks item `n` as done on the page, or as pending again.
    pub fn set_done_on_the_page(&self, n: usize, done: bool) {
        self.change_todo(n, |todo| todo.done = done);
    }

    /// Merges the merge request of item `n`.
    pub fn merge(&self, n: usize) {
        self.change_todo(n, |todo| todo.state = "merged");
    }

    fn change_todo(&self, n: usize, change: impl FnOnce(&mut Todo)) {
        change(self.todos.lock().unwrap().iter_mut().find(|todo| todo.n == n).unwrap());
    }
}

impl ScriptedService for GitLab {
    fn protocol(&self) -> &'static str {
        "gitlab"
    }

    fn url(&self) -> String {
        format!("http://{}", self.host)
    }

    fn token(&self) -> String {
        TOKEN.to_owned()
    }

    fn publish(&self, n: usize) {
        self.todos.lock().unwrap().push(Todo { n, done: false, state: "opened", subscribed: true });
    }

    fn is_archived(&self, n: usize) -> Option<bool> {
        self.todos.lock().unwrap().iter().find(|todo| todo.n == n).map(|todo| todo.done)
    }

    fn msgid(&self, n: usize) -> String {
        (FIRST_ID + n).to_string()
    }

    fn subscription(&self, n: usize) -> Option<&'static str> {
        let todos = self.todos.lock().unwrap();
        let todo = todos.iter().find(|todo| todo.n == n)?;
        Some(if todo.subscribed { "subscribed" } else { "unsubscribed" })
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(exchange: &Exchange, host: &str, todos: &mut [Todo], oauth: &OAuth) -> Vec<u8> {
    let is_known = exchange.header("private-token") == Some(TOKEN) || oauth.knows_bearer(exchange);
    match exchange.url().path() {
        "/oauth/authorize_device" => oauth.device_code(exchange),
        "/oauth/revoke" => oauth.take_back(exchange),
        "/oauth/token" => oauth.token(exchange, "400 Bad Request"),
        _ if is_known => respond(exchange, host, todos),
        _ => response("401 Unauthorized", "", r#"{"message": "401 Unauthorized"}"#),
    }
}

fn respond(exchange: &Exchange, host: &str, todos: &mut [Todo]) -> Vec<u8> {
    let url = exchange.url();
    let Some(path) = url.path().strip_prefix("/api/v4/") else { return response("404 Not Found", "", "") };
    let path: Vec<&str> = path.split('/').collect();
    match (method(exchange), path.as_slice()) {
        ("GET", ["user"]) => ok("", &person("ana", "Ana", host)),
        ("GET", ["todos"]) => list(exchange, host, todos),
        ("POST", ["todos", id, "mark_as_done"]) => {
            let n = item_number(id, FIRST_ID);
            let Some(todo) = todos.iter_mut().find(|todo| Some(todo.n) == n) else {
                return response("404 Not Found", "", r#"{"message": "404 Not found"}"#);
            };
            todo.done = true;
            response("201 Created", "content-type: application/json\r\n", entity(todo, host).to_string())
        }
        (method, ["projects", "acme%2Fwidgets", "merge_requests", n, verb @ ..]) => {
            let todo = todos.iter_mut().find(|todo| Some(todo.n) == n.parse().ok());
            let Some(todo) = todo else {
                return response("404 Not Found", "", r#"{"message": "404 Not found"}"#);
            };
            let wanted = match (method, verb) {
                ("GET", []) => todo.subscribed,
                ("POST", ["subscribe"]) => true,
                ("POST", ["unsubscribe"]) => false,
                _ => return response("404 Not Found", "", ""),
            };
            if method == "POST" && todo.subscribed == wanted {
                return response("304 Not Modified", "", "");
            }
            todo.subscribed = wanted;
            ok("", &json!({"iid": todo.n, "subscribed": wanted}))
        }
        _ => response("404 Not Found", "", ""),
    }
}

fn list(exchange: &Exchange, host: &str, todos: &[Todo]) -> Vec<u8> {
    let url = exchange.url();
    let done = query(&url, "state").is_some_and(|state| state == "done");
    let mut found: Vec<&Todo> = todos.iter().filter(|todo| todo.done == done).collect();
    found.sort_by_key(|todo| std::cmp::Reverse(todo.n));
    let size = number(&url, "per_page").unwrap_or(20).clamp(1, 100);
    let page = number(&url, "page").unwrap_or(1).max(1);
    let listed: Vec<Value> =
        found.iter().skip((page - 1) * size).take(size).map(|todo| entity(todo, host)).collect();
    let headers = if page * size < found.len() {
        format!("x-next-page: {}\r\n{}", page + 1, next_link(&url, host))
    } else {
        "x-next-page: \r\n".to_owned()
    };
    unless_known(exchange, &format!("x-total: {}\r\n{headers}", found.len()), &listed.into())
}

fn entity(todo: &Todo, host: &str) -> Value {
    let Todo { n, done, state, .. } = todo;
    let page = format!("http://{host}/acme/widgets/-/merge_requests/{n}");
    let action = ACTIONS[n % ACTIONS.len()];
    let (body, anchor) = if action == "mentioned" { ("Look, @ana", "#note_1") } else { ("", "") };
    let body = if body.is_empty() { format!("item {n}") } else { body.to_owned() };
    json!({
        "id": FIRST_ID + n, "state": if *done { "done" } else { "pending" }, "action_name": action,
        "created_at": time(1_790_000_000 + i64::try_from(n / 3).unwrap()),
        "project": {"id": 1, "path_with_namespace": "acme/widgets"}, "author": person("bo", "Bo", host),
        "target_type": "MergeRequest", "target_url": format!("{page}{anchor}"), "body": body,
        "target": {"id": 1, "iid": n, "title": format!("item {n}"), "state": state, "draft": false, "web_url": page},
    })
}

fn person(username: &str, name: &str, host: &str) -> Value {
    json!({"id": 1, "username": username, "name": name, "avatar_url": format!("http://{host}/{username}.png")})
}
