//! A replica of one user of a server, driven by the `tidings` program or the engine; the users of a conversation.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use support::{
    app::{add_source, tidings, tidings_json},
    client::Client,
    program::{Process, built},
    server::ServerProcess,
};
use tempfile::TempDir;
use tidings_model::{MsgId, SystemClock};
use tidings_replica::{Replica, Source};
use tidings_sources::Bounds;
use tidings_sync::{BackoffConfig, Engine, EngineConfig, wake};

/// A user's device with a replica of its own.
pub(crate) struct Device {
    dir: TempDir,
    token: String,
}

impl Device {
    pub(crate) fn of(user: &Client) -> Self {
        let dir = TempDir::with_prefix("tidings-replica.").unwrap();
        add_source(dir.path(), user);
        Self { dir, token: user.token.clone() }
    }

    pub(crate) fn data_dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn pull(&self) {
        tidings(self.data_dir(), &["pull"]);
    }

    pub(crate) fn replica(&self) -> (Replica, Source) {
        let replica = Replica::open(self.data_dir(), Arc::new(SystemClock)).unwrap();
        let source = replica.sources().unwrap().pop().unwrap();
        (replica, source)
    }

    /// Puts a message into the outbox, as a window does, and returns its id.
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
        let list = tidings_json(self.data_dir(), &["list", "--limit", "1000"]);
        let same = |item: &Value| json!([item["msgid"], item["body"], item["read_at"], item["receipt"]]);
        list.as_array().unwrap().iter().map(same).collect()
    }

    pub(crate) fn item(&self, body: &str) -> Value {
        let list = tidings_json(self.data_dir(), &["list", "--limit", "1000"]);
        list.as_array().unwrap().iter().find(|item| item["body"] == body).cloned().unwrap_or_default()
    }

    pub(crate) fn watch(&self) -> Process {
        let mut command = std::process::Command::new(built("tidings"));
        command.args(["pull", "--watch"]).env("TIDINGS_DATA_DIR", self.data_dir());
        command.env_remove("DBUS_SESSION_BUS_ADDRESS");
        Process::start("tidings pull --watch", command, &self.data_dir().join("watch.log"))
    }

    /// Starts the engine as the desktop program does.
    pub(crate) async fn engine(&self, replica: &Replica) -> Engine {
        let token = self.token.clone();
        Engine::start(EngineConfig {
            replica: replica.clone(),
            tokens: Arc::new(move |_: i64| Some(token.clone())),
            clock: Arc::new(SystemClock),
            wakes: wake::never(),
            backoff: BackoffConfig { first_delay: Duration::from_millis(100), ..BackoffConfig::default() },
            events: None,
            bounds: Bounds::default(),
        })
        .await
        .unwrap()
    }
}

/// Creates Ana, Bo, Cy and Dora, and a group of Ana's with the three others.
pub(crate) async fn crew(server: &ServerProcess) -> [Client; 4] {
    let mut people = Vec::new();
    for id in ["ana", "bo", "cy"] {
        people.push(server.admin().user(id, &["inbox"]).await);
    }
    people.push(server.admin().user_named("dora", "Dora Lind", &["inbox"]).await);
    let group = json!({"id": "crew", "name": "Release crew", "members": ["bo", "cy", "dora"]});
    people[0].post("groups", group).await.success();
    people.try_into().unwrap()
}
