//! Tests of webhooks: the notifications of each sender's documented payloads, and of all others.

mod deliveries;
mod senders;
mod signatures;
mod templates;

use reqwest::Method;
use serde_json::Value;
use tidings_model::wire::Scope;
use tidings_server::ServerConfig;

use crate::support::{Answer, Client, Running, start_with};

/// A standalone server, its owner, and a token that only publishes.
struct Hooked {
    s: Running,
    me: Client,
    publisher: Client,
}

/// The text of a documented payload.
macro_rules! payload {
    ($name:literal) => {
        include_str!(concat!("payloads/", $name, ".json"))
    };
}
pub(crate) use payload;

async fn hooked() -> Hooked {
    hooked_with(|_| {}).await
}

async fn hooked_with(configure: impl FnOnce(&mut ServerConfig)) -> Hooked {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
        configure(c);
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let publisher = s.publisher().await;
    Hooked { s, me, publisher }
}

impl Hooked {
    /// Sends a body to `/hooks/<topic>` with the token in the query, as programs do that can set nothing else.
    async fn send(&self, topic: &str, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Answer {
        let path = format!("/hooks/{topic}?token={}", self.publisher.token);
        let nobody = Client::without_token(&self.s.url);
        let request = nobody.request(Method::POST, &path).body(body.into());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        nobody.send(request).await
    }

    /// Sends a payload of a sender that names its event in a header; it has to be taken.
    async fn event(&self, header: &str, event: &str, body: &str) {
        self.send("ops", &[(header, event)], body).await.is(200);
    }

    /// Sends a payload of a sender that is recognized by its form; it has to be taken.
    async fn plain(&self, body: &str) {
        self.send("ops", &[("content-type", "application/json")], body).await.is(200);
    }

    /// The items of the owner's inbox, newest first.
    async fn items(&self) -> Vec<Value> {
        self.me.get("inbox?limit=100").await.is(200)["items"].as_array().unwrap().clone()
    }

    /// The one item of the owner's inbox.
    #[track_caller]
    fn only(items: Vec<Value>) -> Value {
        assert_eq!(items.len(), 1, "{items:#?}");
        items.into_iter().next().unwrap()
    }

    async fn item(&self) -> Value {
        Self::only(self.items().await)
    }
}

/// A text of an item.
fn text<'a>(item: &'a Value, field: &str) -> &'a str {
    item[field].as_str().unwrap_or_default()
}
