//! `send`: publishes to the server in `TIDINGS_SERVER`, else to the running server of the data folder.

use std::io::Read;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tidings_app::home::Home;
use url::Url;

use super::group::checked;
use crate::{
    args::Send,
    endpoint,
    error::{Error, Result},
    output::Output,
};

/// Runs `tidings send`.
pub(crate) async fn run(args: Send, home: &Home, out: Output) -> Result<()> {
    let server = Server::find(home).await?;
    let body = match args.body.as_slice() {
        [dash] if dash == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text.trim_end_matches('\n').to_owned()
        }
        words => words.join(" "),
    };
    let (path, mut fields) = match args.to.as_deref().map(|to| to.split_once(':').unwrap_or(("user", to))) {
        None => (String::new(), json!({ "topic": args.topic, "message": body })),
        Some(("user", user)) => ("api/v1/messages".to_owned(), json!({ "to": user, "body": body })),
        Some(("group", gid)) => {
            (format!("api/v1/groups/{}/messages", checked("group", gid)?), json!({ "body": body }))
        }
        Some(_) => return Err(Error::Usage("--to takes a user, or group: and a group's id".to_owned())),
    };
    if let Some(fields) = fields.as_object_mut() {
        fields.extend(args.title.map(|title| ("title".to_owned(), title.into())));
        fields.extend(args.priority.map(|priority| ("priority".to_owned(), priority.into())));
    }
    let answer = server.ask(Method::POST, &path, Some(&fields)).await?;
    let msgid = answer.get("msgid").or_else(|| answer.get("id")).and_then(Value::as_str).unwrap_or_default();
    out.print(&json!({ "msgid": msgid }), |to| writeln!(to, "sent {msgid}"))
}

/// The server of a command and the token for it: from the environment, else this machine's running server.
pub(super) struct Server {
    url: Url,
    token: Option<String>,
}

impl Server {
    /// Finds the server to publish to.
    pub(super) async fn find(home: &Home) -> Result<Self> {
        let (address, token) = match (env_value("TIDINGS_SERVER"), env_value("TIDINGS_TOKEN")) {
            (Some(address), token) => (address, token),
            (None, token) => {
                let endpoint = endpoint::find(home).await?;
                (endpoint.url, token.or(Some(endpoint.token)))
            }
        };
        Ok(Self { url: parse_address(&address)?, token })
    }

    /// The same server with another token.
    pub(super) fn with_token(self, token: String) -> Self {
        Self { token: Some(token), ..self }
    }

    /// Whether the address of a source is this server's.
    pub(super) fn is_at(&self, address: Option<&str>) -> bool {
        let own_address = self.url.as_str().trim_end_matches('/');
        address.is_some_and(|address| address.trim_end_matches('/') == own_address)
    }

    /// Sends a request under `/api/v1/`; returns null if the answer has no body.
    pub(super) async fn api(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        self.ask(method, &format!("api/v1/{path}"), body).await
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let url = self.url.join(path).map_err(|_| Error::failed("the server's address makes no sense"))?;
        let mut request = tidings_sync::http::client_for(&self.url)?.request(method, url);
        if let Some(body) = body {
            request = request.json(body);
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        send(request, &self.url).await
    }
}

/// The value of an environment variable; `None` if it is empty.
pub(super) fn env_value(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn parse_address(address: &str) -> Result<Url> {
    let invalid = || Error::failed(format!("`{address}` is not an address of a server"));
    let mut url: Url = address.parse().map_err(|_| invalid())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid());
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

async fn send(request: RequestBuilder, server: &Url) -> Result<Value> {
    let answer = tidings_sync::http::ask(request).await.map_err(|error| {
        let problem = match error {
            tidings_sync::Error::Slow => "took too long",
            tidings_sync::Error::RedirectRefused => "sends on to another address, which is not followed",
            _ => "does not answer",
        };
        Error::failed(format!("the server at {server} {problem}"))
    })?;
    let status = answer.status();
    let body = tidings_sync::http::body(answer).await?;
    let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    if status.is_success() {
        return Ok(answer);
    }
    // The server's message: `detail` of a problem, or `error` of the ntfy API.
    let message = ["detail", "error"].into_iter().find_map(|field| answer.get(field).and_then(Value::as_str));
    Err(Error::failed(match message {
        Some(message) => format!("the server refused ({}): {message}", status.as_u16()),
        None => format!("the server refused ({})", status.as_u16()),
    }))
}
