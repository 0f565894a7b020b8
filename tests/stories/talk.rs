//! Conversations: messages that wait for their server, groups, and who has read what.
//! Refuses to trust one side: what a replica says is compared with the server and with its own recount.

use std::{path::Path, sync::Arc, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use support::{
    app::{tidings, tidings_json, tidings_tried},
    client::Client,
    program::{Running, built},
    server::Server,
    wait,
};
use tempfile::TempDir;
use tidings_model::{Clock, MsgId, Stamp, SystemClock};
use tidings_replica::{Mark, Replica, Source, Targets};
use tidings_sync::{Engine, Pace, Parts, wake};

/// A replica of its own for a user of `server`.
struct Device {
    dir: TempDir,
    token: String,
}

impl Device {
    fn of(server: &Server, user: &Client) -> Self {
        let dir = TempDir::with_prefix("tidings-replica.").unwrap();
        let add = ["source", "add", "tidings", &server.url(), "--token", &user.token, "--name", "Work"];
        tidings(dir.path(), &add);
        Self { dir, token: user.token.clone() }
    }

    fn data(&self) -> &Path {
        self.dir.path()
    }

    fn pull(&self) {
        tidings(self.data(), &["pull"]);
    }

    fn replica(&self) -> (Replica, Source) {
        let replica = Replica::open(self.data(), Arc::new(SystemClock)).unwrap();
        let source = replica.sources().unwrap().pop().unwrap();
        (replica, source)
    }

    /// Puts a message into the outbox, as a window does, and gives its id.
    fn write(&self, conversation: &str, body: &str) -> String {
        let (replica, source) = self.replica();
        let message = serde_json::from_value(json!({ "body": body })).unwrap();
        replica.write_message(source.id, conversation, message).unwrap()
    }

    fn outgoing(&self) -> usize {
        let (replica, source) = self.replica();
        replica.outgoing(source.id).unwrap().len()
    }

    fn readers(&self, msgid: &str) -> Vec<String> {
        let (replica, source) = self.replica();
        let readers = replica.receipts_of(source.id, &MsgId(msgid.to_owned())).unwrap();
        readers.into_iter().map(|reader| reader.id).collect()
    }

    fn items(&self) -> Vec<Value> {
        let list = tidings_json(self.data(), &["list", "--limit", "1000"]);
        let same = |item: &Value| json!([item["msgid"], item["body"], item["read_at"], item["receipt"]]);
        list.as_array().unwrap().iter().map(same).collect()
    }

    fn item(&self, body: &str) -> Value {
        let list = tidings_json(self.data(), &["list", "--limit", "1000"]);
        list.as_array().unwrap().iter().find(|item| item["body"] == body).cloned().unwrap_or_default()
    }

    fn watch(&self) -> Running {
        let mut command = std::process::Command::new(built("tidings"));
        command.args(["pull", "--watch"]).env("TIDINGS_DATA_DIR", self.data());
        command.env_remove("DBUS_SESSION_BUS_ADDRESS");
        Running::start("tidings pull --watch", command, &self.data().join("watch.log"))
    }

    /// The engine as the window's program runs it.
    async fn engine(&self, replica: &Replica) -> Engine {
        let token = self.token.clone();
        Engine::start(Parts {
            replica: replica.clone(),
            tokens: Arc::new(move |_: i64| Some(token.clone())),
            clock: Arc::new(SystemClock),
            wakes: wake::never(),
            pace: Pace { first_retry: Duration::from_millis(100), ..Pace::default() },
            news: None,
        })
        .await
        .unwrap()
    }
}

/// Ana, and the group that she made with three others.
async fn crew(server: &Server) -> [Client; 4] {
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

/// Reads everything in the group up to a message.
async fn read(who: &Client, msgid: &str) {
    let body = json!({ "through": msgid });
    let (status, answer) = who.api(Method::PUT, "/conversations/group:crew/read", body).await;
    assert!(status.is_success(), "{answer}");
}

#[tokio::test]
async fn a_message_written_with_the_server_gone_waits_and_arrives_once() {
    let mut server = Server::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let bo = server.admin().user("bo", &["inbox"]).await;
    let laptop = Device::of(&server, &ana);
    laptop.pull();
    server.stop();

    let answered = laptop.write("user:bo", "the answer to this one was lost");
    laptop.write("user:bo", "on my way");
    assert!(!tidings_tried(laptop.data(), &["pull"]).0, "nobody takes it");
    assert_eq!(laptop.outgoing(), 2, "they wait");
    server.again();
    // As if the client had been killed between the server's answer and its own note of it.
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let first = http
        .post(format!("{}/api/v1/messages", server.url()))
        .bearer_auth(&ana.token)
        .header("Idempotency-Key", &answered)
        .json(&json!({"to": "bo", "body": "the answer to this one was lost"}))
        .send()
        .await
        .unwrap();
    assert_eq!(first.status(), 201);
    // Killed ever later into its work, with more to send each time.
    for after in [10, 40, 80, 160, 300] {
        laptop.write("user:bo", &format!("after {after} ms"));
        let mut watch = laptop.watch();
        tokio::time::sleep(Duration::from_millis(after)).await;
        watch.kill();
        tidings(laptop.data(), &["check"]);
    }
    laptop.pull();
    assert_eq!(laptop.outgoing(), 0);
    let mut got: Vec<String> =
        bo.inbox().await.iter().map(|item| item["body"].as_str().unwrap().to_owned()).collect();
    got.sort();
    let mut wrote = vec!["on my way".to_owned(), "the answer to this one was lost".to_owned()];
    wrote.extend([10, 40, 80, 160, 300].map(|after| format!("after {after} ms")));
    wrote.sort();
    assert_eq!(got, wrote, "each of them once");
    assert_eq!(laptop.items().len(), 7, "and they are among what was said");
    for data in [laptop.data(), &server.data()] {
        tidings(data, &["check"]);
    }
}

#[tokio::test]
async fn a_receipt_reaches_its_sender_live_and_after_being_away() {
    let server = Server::start();
    let [ana, bo, cy, _] = crew(&server).await;
    let laptop = Device::of(&server, &ana);
    let mut watch = laptop.watch();
    laptop.write("group:crew", "Ready to ship");
    // The one that watches is asked to do it.
    laptop.pull();
    let msgid = wait::until("the message to come back", || async {
        laptop.item("Ready to ship")["msgid"].as_str().map(str::to_owned)
    })
    .await;
    wait::until_equal("what waits", 0, || async { laptop.outgoing() }).await;
    assert_eq!(laptop.item("Ready to ship")["receipt"], json!({"read": 0, "members": 3}));
    read(&bo, &msgid).await;
    wait::until_equal("who has read it", vec!["bo".to_owned()], || async { laptop.readers(&msgid) }).await;
    wait::until_equal("the count", json!({"read": 1, "members": 3}), || async {
        laptop.item("Ready to ship")["receipt"].clone()
    })
    .await;

    watch.kill();
    read(&cy, &msgid).await;
    assert_eq!(laptop.readers(&msgid), ["bo"]);
    laptop.pull();
    assert_eq!(laptop.readers(&msgid), ["bo", "cy"]);
    assert_eq!(laptop.item("Ready to ship")["receipt"], json!({"read": 2, "members": 3}));
    assert_eq!(ana.get("/receipts").await["receipts"], json!([]), "what was delivered is gone for good");
    let (replica, source) = laptop.replica();
    assert_eq!(replica.group(source.id, "crew").unwrap().unwrap().name, "Release crew");
    tidings(laptop.data(), &["check"]);
}

#[tokio::test]
async fn two_devices_of_one_user_agree_and_know_the_names() {
    let mut server = Server::start();
    let [ana, bo, cy, _] = crew(&server).await;
    let (laptop, desk) = (Device::of(&server, &ana), Device::of(&server, &ana));
    laptop.write("group:crew", "Ready to ship");
    laptop.pull();
    desk.pull();
    let msgid = desk.item("Ready to ship")["msgid"].as_str().unwrap().to_owned();
    read(&bo, &msgid).await;
    read(&cy, &msgid).await;
    bo.post("/groups/crew/messages", json!({"body": "Ship it"})).await;
    laptop.pull();
    desk.pull();
    assert_eq!(laptop.items(), desk.items());
    assert_eq!(laptop.readers(&msgid), ["bo", "cy"]);
    assert_eq!(desk.readers(&msgid), Vec::<String>::new(), "a receipt goes to one device");

    // The other one asks when somebody wants to know, and keeps the answer.
    let (replica, source) = desk.replica();
    let engine = desk.engine(&replica).await;
    let asked = engine.read_by(source.id, "crew", &MsgId(msgid.clone())).await.unwrap().unwrap();
    let read: Vec<&str> = asked.read.iter().map(|one| one.user.as_str()).collect();
    assert_eq!((read, asked.unread, asked.member_count), (vec!["bo", "cy"], vec!["dora".to_owned()], 3));
    server.stop();
    assert!(engine.read_by(source.id, "crew", &MsgId(msgid.clone())).await.is_err());
    engine.shutdown().await;
    assert_eq!(desk.readers(&msgid), ["bo", "cy"]);
    let names = replica.group(source.id, "crew").unwrap().unwrap().names;
    assert_eq!(names.get("dora").map(String::as_str), Some("Dora Lind"), "also of who never wrote");
    assert!(replica.check().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_read_one_by_one_is_acknowledged_soon_and_together() {
    let server = Server::start();
    let [ana, bo, ..] = crew(&server).await;
    let phone = Device::of(&server, &bo);
    let (replica, source) = phone.replica();
    let engine = phone.engine(&replica).await;
    let mut last = String::new();
    for n in 1..=5 {
        let posted = ana.post("/groups/crew/messages", json!({"body": format!("{n}")})).await;
        last = posted["msgid"].as_str().unwrap().to_owned();
        let id = MsgId(last.clone());
        let thread = wait::until("the message", || async {
            let item = replica.items_by_msgid(Some(source.id), std::slice::from_ref(&id)).unwrap().pop()?;
            Some(item.thread)
        })
        .await;
        replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
        assert_eq!(replica.numbers().unwrap().total, 0, "read here at once");
        assert!(replica.numbers().unwrap().waiting <= 1, "one operation, however many messages");
    }
    wait::until_equal("receipts of the last message", 1, || async {
        let readers = ana.get(&format!("/groups/crew/messages/{last}/receipts")).await;
        readers["read_count"].as_u64().unwrap()
    })
    .await;
    wait::until_equal("receipts", 5, || async {
        ana.get("/receipts").await["receipts"].as_array().unwrap().len()
    })
    .await;
    engine.shutdown().await;
    assert!(replica.check().unwrap().is_empty());
}

/// A clock that stands: what waits for a while waits for ever.
#[derive(Debug)]
struct Standing(Stamp);

impl Clock for Standing {
    fn now(&self) -> Stamp {
        self.0
    }
}

#[tokio::test]
async fn what_was_read_is_acknowledged_when_one_leaves_and_is_not_held_back_for_more() {
    let server = Server::start();
    let [ana, bo, ..] = crew(&server).await;
    let phone = Device::of(&server, &bo);
    let replica = Replica::open(phone.data(), Arc::new(Standing(SystemClock.now()))).unwrap();
    let source = replica.sources().unwrap().pop().unwrap().id;
    let engine = phone.engine(&replica).await;
    let posted = ana.post("/groups/crew/messages", json!({"body": "Ready to ship"})).await;
    let id = MsgId(posted["msgid"].as_str().unwrap().to_owned());
    let thread = wait::until("the message", || async {
        Some(replica.items_by_msgid(Some(source), std::slice::from_ref(&id)).unwrap().pop()?.thread)
    })
    .await;
    replica.mark(Targets::Threads(vec![thread]), Mark::Read).unwrap();
    let receipts = || async { ana.get("/receipts").await["receipts"].as_array().unwrap().len() };
    wait::stays(wait::A_WHILE, "the number of receipts", 0, receipts).await;
    engine.leave(Some(source));
    wait::until_equal("the number of receipts", 1, receipts).await;
    engine.shutdown().await;
    assert!(replica.check().unwrap().is_empty());
}

#[tokio::test]
async fn groups_are_made_joined_written_to_and_left_from_a_terminal() {
    let server = Server::start();
    let bo = server.admin().user("bo", &["inbox"]).await;
    server.admin().user("cy", &["inbox"]).await;
    let data = server.data();
    let made = tidings_json(&data, &["group", "create", "Release crew", "--id", "crew", "--member", "bo"]);
    assert_eq!(made["members"], json!(["admin", "bo"]));
    let listed = tidings_json(&data, &["group", "list"]);
    assert_eq!(
        (&listed[0]["id"], &listed[0]["last"]),
        (&json!("crew"), &json!(null)),
        "before anybody wrote"
    );
    assert_eq!(tidings_json(&data, &["group", "add", "crew", "cy"])["members"], json!(["admin", "bo", "cy"]));
    tidings(&data, &["group", "remove", "crew", "cy"]);
    let sent = tidings_json(&data, &["send", "--to", "group:crew", "Ready", "to", "ship"]);
    assert_eq!(bo.inbox().await[0]["msgid"], sent["msgid"]);
    tidings(&data, &["send", "--to", "bo", "and to you"]);
    assert_eq!(bo.inbox().await[0]["conversation"], "user:admin");
    let listed = tidings_json(&data, &["group", "list"]);
    assert_eq!((&listed[0]["id"], &listed[0]["name"]), (&json!("crew"), &json!("Release crew")));
    assert!(tidings(&data, &["group", "show", "crew"]).contains("admin  owner"));
    tidings(&data, &["group", "leave", "group:crew"]);
    assert_eq!(bo.get("/groups/crew").await["members"], json!(["bo"]));
    let listed = tidings_json(&data, &["group", "list"]);
    assert_eq!(listed[0]["id"], "crew", "what was said in it stays");
    let (ok, _, err) = tidings_tried(&data, &["send", "--to", "group:crew", "gone"]);
    assert!(!ok && err.contains("403"), "{err}");
    let (ok, _, err) = tidings_tried(&data, &["send", "--to", "group:../me", "x"]);
    assert!(!ok && err.contains("no group"), "{err}");
}

#[tokio::test]
async fn groups_of_the_inbox_are_listed_with_and_without_their_server() {
    let mut server = Server::start();
    let [ana, bo, ..] = crew(&server).await;
    ana.post("/groups", json!({"id": "quiet", "name": "Quiet ones", "members": ["bo"]})).await;
    bo.post("/groups/crew/messages", json!({"body": "Ready to ship"})).await;
    let laptop = Device::of(&server, &ana);
    laptop.pull();
    let list = |url: &str| {
        let mut command = std::process::Command::new(built("tidings"));
        command.args(["group", "list", "--json"]).env("TIDINGS_DATA_DIR", laptop.data());
        command.env("TIDINGS_SERVER", url).env("TIDINGS_TOKEN", &ana.token);
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let listed: Value = serde_json::from_slice(&out.stdout).unwrap();
        let short = |one: &Value| json!([one["id"], one["unread"], one["source"]]);
        listed.as_array().unwrap().iter().map(short).collect::<Vec<_>>()
    };
    assert_eq!(
        list(&server.url()),
        [json!(["crew", 1, null]), json!(["quiet", 0, null])],
        "each of them once"
    );
    server.stop();
    assert_eq!(list(&server.url()), [json!(["crew", 1, "Work"])], "what was pulled is there");
    let (ok, _, err) = tidings_tried(server.data().as_path(), &["group", "list"]);
    assert!(!ok && err.contains("no server runs"), "{err}");
}
