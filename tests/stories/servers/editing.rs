//! What one server edits or takes back is so at the others, for readers, at the doors, and for who listens.

use reqwest::Method;
use serde_json::{Value, json};
use support::{client::Client, server::ServerProcess};
use tidings_testkit::postgres::Database;

use super::{at, live, read_until};

/// The items that changed after a stamp, and the stamp of the next pull.
async fn pulled(client: &Client, since: &str) -> (Vec<Value>, String) {
    let (items, _, next) = client.pull(Some(since), 100).await;
    (items, next)
}

/// Everything that is in an inbox so far; the stamp from which to go on.
async fn caught_up(client: &Client) -> String {
    client.pull(None, 100).await.2
}

fn msgid(posted: &Value) -> String {
    posted["msgid"].as_str().expect("a msgid").to_owned()
}

#[tokio::test]
async fn what_is_edited_and_recalled_at_one_server_is_so_at_the_other_for_each_kind() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox", "publish"]).await;
    let bob = at(&one.admin().user("bob", &["inbox"]).await, &two);
    let crew = json!({"id": "crew", "name": "Crew", "members": ["ana", "bob"]});
    ana.post("groups", crew).await.success();
    bob.subscribe("42", &["comment"]).await;

    let reminder = json!({"actor": "ana", "action": "comment", "target": {"type": "article", "id": "42"},
        "body": "first"});
    let posts = [
        ("announcements", json!({"title": "Tonight", "body": "first"})),
        ("reminders", reminder),
        ("messages", json!({"to": "bob", "body": "first"})),
        ("groups/crew/messages", json!({"body": "first"})),
    ];
    for (path, post) in posts {
        let id = msgid(&ana.post(path, post).await.success());
        let of_it = format!("notifications/{id}");
        let next = caught_up(&bob).await;
        assert_eq!(bob.unread("total").await, 1, "{path}");
        let mut channel = live(&bob).await;

        let edited = ana.patch(&of_it, json!({"body": "second"})).await.is(200);
        read_until(&mut channel, "event: hint").await;
        let (items, next) = pulled(&bob, &next).await;
        assert_eq!(items.len(), 1, "{path}: {items:?}");
        let item = &items[0];
        assert_eq!((&item["msgid"], &item["body"]), (&json!(id), &json!("second")), "{path}");
        assert_eq!((&item["version"], &item["revised_at"]), (&json!(2), &edited["revised_at"]), "{path}");
        assert_eq!(bob.inbox().await[0]["body"], "second", "{path}");

        // What is not one's own is not found at the other server either.
        bob.delete(&of_it).await.problem(404, "not_found", None);
        // It is taken back at the server at which it was not posted.
        let mut channel = live(&bob).await;
        at(&ana, &two).delete(&of_it).await.is(204);
        read_until(&mut channel, "event: hint").await;
        for there in [&bob, &at(&bob, &one)] {
            let (items, _) = pulled(there, &next).await;
            assert_eq!(items.len(), 1, "{path}: {items:?}");
            let item = &items[0];
            assert_eq!((&item["msgid"], &item["deleted"]), (&json!(id), &json!(true)), "{path}");
            assert_eq!((&item["body"], &item["title"]), (&json!(""), &json!("")), "{path}");
            assert_eq!((there.unread("total").await, there.inbox().await.len()), (0, 0), "{path}");
        }
        ana.patch(&of_it, json!({"body": "third"})).await.problem(404, "not_found", None);
        ana.delete(&of_it).await.is(204);
    }
}

#[tokio::test]
async fn what_was_published_on_a_topic_is_edited_and_recalled_for_the_doors_of_the_other_server() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let there = at(&ana, &two);
    let publish = ana.request(Method::POST, "/backups").body("50 %");
    let id = ana.send(publish).await.success()["id"].as_str().expect("an id").to_owned();
    let polled = async || {
        let poll = there.request(Method::GET, "/backups/json?poll=1&since=all").send().await.unwrap();
        poll.text().await.unwrap()
    };
    assert!(polled().await.contains("50 %"));
    let mut stream = there.request(Method::GET, "/backups/json").send().await.unwrap();
    read_until(&mut stream, "open").await;

    ana.patch(&format!("notifications/{id}"), json!({"body": "65 %"})).await.is(200);
    read_until(&mut stream, "65 %").await;
    let texts = polled().await;
    assert!(texts.contains("65 %") && !texts.contains("50 %"), "{texts}");

    ana.delete(&format!("notifications/{id}")).await.is(204);
    read_until(&mut stream, "message_delete").await;
    let texts = polled().await;
    assert!(!texts.contains("65 %") && !texts.contains("50 %"), "{texts}");
}
