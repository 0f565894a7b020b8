//! Tests of the users of the own server, as the settings add, rename, export and remove them.

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings_home::Home;
use tidings_model::SystemClock;
use tidings_model::wire::Scope;
use tidings_ports::{ListenConfig, OwnServer, TokenPurpose, UserError};
use tidings_testkit::client::Client;
use tidings_testkit::wait::until;

use crate::own_server::Embedded;

/// The own server, in a folder of its own.
struct Served {
    folder: TempDir,
    embedded: Embedded,
    /// The owner's client, with the token of the app's inbox.
    me: Client,
}

impl Served {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let embedded = Embedded::new(Home::at(folder.path()), Arc::new(SystemClock));
        let port = embedded.start(at_a_free_port()).await.unwrap();
        let token = embedded.token(TokenPurpose::Inbox).await.unwrap();
        let me = Client::new(&format!("http://127.0.0.1:{port}"), &token);
        Self { folder, embedded, me }
    }

    /// Adds a user; gives their client, with a token as `tidings token create` makes one.
    async fn added(&self, id: &str, name: &str) -> Client {
        self.embedded.add_user(id, name).await.unwrap();
        let server = self.embedded.server().unwrap();
        let fresh = server.create_token(id, "laptop", &[Scope::Inbox]).await.unwrap();
        self.me.with_token(&fresh.token)
    }

    /// The users as the settings list them.
    async fn listed(&self) -> Vec<String> {
        let users = self.embedded.users().await.unwrap();
        users.into_iter().map(|user| format!("{}: {}", user.id, user.name)).collect()
    }
}

fn at_a_free_port() -> ListenConfig {
    ListenConfig { port: Some(0), ..ListenConfig::default() }
}

async fn send(from: &Client, to: &str, body: &str) {
    from.post("messages", json!({"to": to, "body": body})).await.is(201);
}

/// The messages that a pull brings, each with the name of who wrote it.
async fn messages(by: &Client) -> Vec<String> {
    let items = by.pull(None, 100).await.0;
    let messages = items.iter().filter(|item| item["kind"] == "message" && item["deleted"] == false);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    messages.map(|item| format!("{}: {}", text(&item["actor"]["name"]), text(&item["body"]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_is_added_and_what_they_send_once_they_are_renamed_has_the_new_name() {
    let own = Served::start().await;
    let (ana, bo) = (own.added("ana", "Ana").await, own.added("bo", "").await);
    assert_eq!(own.listed().await, ["ana: Ana", "bo: bo", "me: Me"]);
    let shown = ana.get("me").await.is(200);
    assert_eq!(
        (&shown["id"], &shown["name"], &shown["scopes"]),
        (&json!("ana"), &json!("Ana"), &json!(["inbox"]))
    );
    assert_eq!(bo.get("me").await.is(200)["name"], "bo", "the id stands for the name");

    send(&ana, "me", "one").await;
    assert_eq!(own.embedded.rename_user("ana", "Ana Ruiz").await, Ok(()));
    send(&ana, "me", "two").await;
    assert_eq!(messages(&own.me).await, ["Ana: one", "Ana Ruiz: two"]);
    assert_eq!(ana.get("me").await.is(200)["name"], "Ana Ruiz");
    assert_eq!(own.listed().await, ["ana: Ana Ruiz", "bo: bo", "me: Me"]);
    own.embedded.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exported_user_has_their_own_items_in_the_file_and_nobody_elses() {
    let own = Served::start().await;
    let (ana, bo) = (own.added("ana", "Ana").await, own.added("bo", "Bo").await);
    send(&ana, "bo", "from Ana to Bo").await;
    send(&bo, "ana", "from Bo to Ana").await;
    send(&bo, "me", "from Bo to the owner").await;
    let file = own.folder.path().join("ana.jsonl");
    assert_eq!(own.embedded.export_user("ana", &file).await, Ok(()));

    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |what: &str| lines.iter().filter_map(|line| line.get(what)).collect::<Vec<_>>();
    let bodies = |what: &str| of(what).iter().map(|line| line["body"].clone()).collect::<Vec<_>>();
    assert_eq!((of("profile").len(), of("token").len()), (1, 1));
    assert_eq!((&of("profile")[0]["id"], &of("token")[0]["label"]), (&json!("ana"), &json!("laptop")));
    assert_eq!(bodies("item"), ["from Ana to Bo", "from Bo to Ana"]);
    assert_eq!(bodies("written"), ["from Ana to Bo"]);
    assert!(!text.contains("the owner") && !text.contains("tdg_"), "{text}");
    own.embedded.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_user_is_shut_out_and_their_id_is_never_given_again() {
    for (recalls, left) in [(false, &["Ana: hers", "Me: mine"][..]), (true, &["Me: mine"])] {
        let own = Served::start().await;
        let ana = own.added("ana", "Ana").await;
        send(&ana, "me", "hers").await;
        send(&own.me, "ana", "mine").await;
        assert_eq!(own.embedded.remove_user("ana", recalls).await, Ok(()));
        ana.get("me").await.problem(401, "unauthorized", None);
        own.me.post("messages", json!({"to": "ana", "body": "x"})).await.problem(404, "not_found", None);
        assert_eq!(own.listed().await, ["me: Me"]);
        until("nothing is left to remove", || async {
            !own.embedded.server().unwrap().has_removals().await.unwrap()
        })
        .await;
        assert_eq!(messages(&own.me).await, left);

        own.embedded.stop().await;
        own.embedded.start(at_a_free_port()).await.unwrap();
        assert_eq!(own.embedded.add_user("ana", "Ana").await, Err(UserError::Taken));
        assert_eq!(own.embedded.rename_user("ana", "Ana").await, Err(UserError::Gone));
        assert_eq!(own.embedded.remove_user("ana", recalls).await, Err(UserError::Gone));
        assert_eq!(own.listed().await, ["me: Me"]);
        own.embedded.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_reason_why_a_user_is_not_changed_is_told_apart_and_changes_nothing() {
    let own = Served::start().await;
    let (embedded, file) = (&own.embedded, own.folder.path().join("nobody.jsonl"));
    assert_eq!(embedded.add_user("ana", "Ana").await, Ok(()));
    let too_long = "x".repeat(2_000);
    for (id, name, why) in [
        ("", "Bo", UserError::Invalid),
        ("b o", "Bo", UserError::Invalid),
        ("bo", too_long.as_str(), UserError::Invalid),
        ("ana", "Bo", UserError::Taken),
        ("me", "Bo", UserError::Taken),
    ] {
        assert_eq!(embedded.add_user(id, name).await, Err(why), "{id:?}");
    }
    assert_eq!(embedded.rename_user("ana", &too_long).await, Err(UserError::Invalid));
    assert_eq!(embedded.rename_user("nobody", "Bo").await, Err(UserError::Gone));
    assert_eq!(embedded.export_user("nobody", &file).await, Err(UserError::Gone));
    assert!(!file.exists());
    for recalls in [false, true] {
        assert_eq!(embedded.remove_user("nobody", recalls).await, Err(UserError::Gone));
        assert_eq!(embedded.remove_user("me", recalls).await, Err(UserError::Own));
    }
    assert_eq!(own.listed().await, ["ana: Ana", "me: Me"]);
    own.me.get("me").await.is(200);
    embedded.stop().await;
    assert!(matches!(embedded.add_user("bo", "Bo").await, Err(UserError::Other(_))));
}
