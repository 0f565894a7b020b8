//! A replica of its own for a user of a server, and people who write to each other. Refuses a window: what one would do
//! is done by the terminal's program or the engine.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json},
    client::Client,
    program::{Running, built},
    server::Server,
};
use tempfile::TempDir;
use tidings_model::{MsgId, SystemClock};
use tidings_replica::{Replica, Source};
use tidings_sync::{BackoffConfig, Engine, EngineConfig, wake};

/// A replica of its own for a user of `server`.
pub(crate) struct Device {
    dir: TempDir,
    token: String,
}

impl Device {
    pub(crate) fn of(server: &Server, user: &Client) -> Self {
        let dir = TempDir::with_prefix("tidings-replica.").unwrap();
        let add = ["source", "add", "tidings", &server.url(), "--token", &user.token, "--name", "Work"];
        tidings(dir.path(), &add);
        Self { dir, token: user.token.clone() }
    }

    pub(crate) fn data(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn pull(&self) {
        tidings(self.data(), &["pull"]);
    }

    pub(crate) fn replica(&self) -> (Replica, Source) {
        let replica = Replica::open(self.data(), Arc::new(SystemClock)).unwrap();
        let source = replica.sources().unwrap().pop().unwrap();
        (replica, source)
    }

    /// Puts a message into the outbox, as a window does, and gives its id.
    pub(crate) fn write(&self, conversation: &str, body: &str) -> String {
        let (replica, source) = self.replica();
        let message = serde_json::from_value(json!({ "body": body })).unwrap();
        replica.write_message(source.id, conversation, message).unwrap()
    }

    pub(crate) fn outgoing(&self) -> usize {
        let (replica, source) = self.replica();
        replica.outgoing(source.id).unwrap().len()
    }

    pub(crate) fn readers(&self, msgid: &str) -> Vec<String> {
        let (replica, source) = self.replica();
        let readers = replica.receipts_of(source.id, &MsgId(msgid.to_owned())).unwrap();
        readers.into_iter().map(|reader| reader.id).collect()
    }

    pub(crate) fn items(&self) -> Vec<Value> {
        let list = tidings_json(self.data(), &["list", "--limit", "1000"]);
        let same = |item: &Value| json!([item["msgid"], item["body"], item["read_at"], item["receipt"]]);
        list.as_array().unwrap().iter().map(same).collect()
    }

    pub(crate) fn item(&self, body: &str) -> Value {
        let list = tidings_json(self.data(), &["list", "--limit", "1000"]);
        list.as_array().unwrap().iter().find(|item| item["body"] == body).cloned().unwrap_or_default()
    }

    pub(crate) fn watch(&self) -> Running {
        let mut command = std::process::Command::new(built("tidings"));
        command.args(["pull", "--watch"]).env("TIDINGS_DATA_DIR", self.data());
        command.env_remove("DBUS_SESSION_BUS_ADDRESS");
        Running::start("tidings pull --watch", command, &self.data().join("watch.log"))
    }

    /// The engine as the window's program runs it.
    pub(crate) async fn engine(&self, replica: &Replica) -> Engine {
        let token = self.token.clone();
        Engine::start(EngineConfig {
            replica: replica.clone(),
            tokens: Arc::new(move |_: i64| Some(token.clone())),
            clock: Arc::new(SystemClock),
            wakes: wake::never(),
            backoff: BackoffConfig { first_delay: Duration::from_millis(100), ..BackoffConfig::default() },
            events: None,
        })
        .await
        .unwrap()
    }
}

/// Ana, and the group that she made with three others.
pub(crate) async fn crew(server: &Server) -> [Client; 4] {
    let mut people = Vec::new();
    for id in ["ana", "bo", "cy"] {
        people.push(server.admin().user(id, &["inbox"]).await);
    }
    server.admin().post("/users", json!({"id": "dora", "name": "Dora Lind"})).await;
    let token = server.admin().post("/users/dora/tokens", json!({"label": "", "scopes": ["inbox"]})).await;
    people.push(server.admin().with_token(token["token"].as_str().unwrap()));
    let group = json!({"id": "crew", "name": "Release crew", "members": ["bo", "cy", "dora"]});
    people[0].post("/groups", group).await;
    people.try_into().unwrap()
}
