//! Tests of editing and taking back what was published, over HTTP.

use reqwest::Method;
use serde_json::json;
use tidings_model::wire::Scope;

use crate::live::Channel;
use crate::support::{msgids, start, start_with};

#[tokio::test]
async fn what_is_recalled_comes_once_more_without_content_and_who_listens_is_told() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let posted = alice.post("messages", json!({"to": "bob", "title": "T", "body": "wrong"})).await.is(201);
    let (_, _, next) = bob.pull(None, 10).await;
    assert_eq!(bob.unread("message").await, 1);
    let mut channel = Channel::open(&bob).await;
    let path = format!("notifications/{}", posted["msgid"].as_str().unwrap());
    bob.delete(&path).await.problem(404, "not_found", None);
    alice.delete(&path).await.is(204);
    channel.event("hint").await;
    assert_eq!(bob.unread("total").await, 0);
    let (items, _, _) = bob.pull(Some(&next), 10).await;
    assert_eq!(msgids(&items), msgids(&[posted]));
    assert_eq!((items[0]["deleted"].as_bool(), items[0]["version"].as_u64()), (Some(true), Some(2)));
    assert_eq!((items[0]["title"].as_str(), items[0]["body"].as_str()), (Some(""), Some("")));
    assert_eq!(bob.get("conversations").await.is(200), json!([]));
    alice.delete(&path).await.is(204);
    bob.delete(&path).await.problem(404, "not_found", None);
    alice.delete("notifications/unknown").await.problem(404, "not_found", None);
    s.holds_together().await;
}

#[tokio::test]
async fn a_publisher_recalls_at_the_doors_of_ntfy_and_gotify_too() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let topic = me.request(Method::POST, "/backups").body("secret");
    let id = me.send(topic).await.is(200)["id"].as_str().unwrap().to_owned();
    me.delete(&format!("notifications/{id}")).await.is(204);
    let poll = me.request(Method::GET, "/backups/json?poll=1&since=all").send().await.unwrap();
    let poll = poll.text().await.unwrap();
    assert!(!poll.contains("secret") && !poll.contains(r#""event":"message","#), "{poll}");
    let later = me.request(Method::POST, "/backups").header("In", "30m").body("later");
    let id = me.send(later).await.is(200)["id"].as_str().unwrap().to_owned();
    for _ in 0..2 {
        me.delete(&format!("notifications/{id}")).await.is(204);
    }
    let waiting = me.request(Method::GET, "/backups/json?poll=1&since=all&scheduled=1").send().await.unwrap();
    let waiting = waiting.text().await.unwrap();
    assert!(!waiting.contains("later"), "{waiting}");
    let made = me.send(me.request(Method::POST, "/application").json(&json!({"name": "app"}))).await.is(200);
    let app = me.with_token(made["token"].as_str().unwrap());
    for message in ["one", "two"] {
        app.send(app.request(Method::POST, "/message").json(&json!({"message": message}))).await.is(200);
    }
    let inbox = me.get("inbox?limit=1").await.is(200);
    me.delete(&format!("notifications/{}", inbox["items"][0]["msgid"].as_str().unwrap())).await.is(204);
    let listed = me.send(me.request(Method::GET, "/message")).await.is(200);
    let texts = listed["messages"].as_array().unwrap().iter().map(|m| m["message"].clone());
    assert_eq!(texts.collect::<Vec<_>>(), ["one"]);
    assert_eq!(me.unread("reminder").await, 1);
    s.holds_together().await;
}

#[tokio::test]
async fn what_is_edited_is_seen_at_every_door_and_who_listens_is_told() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let publish = async |path: &str, body: &str| {
        me.send(me.request(Method::POST, path).body(body.to_owned())).await.is(200)["id"].clone()
    };
    let first = publish("/job/run", "50 %").await;
    let second = publish("/job/run", "60 %").await;
    publish("/job", "other").await;
    assert_ne!(first, second);
    me.pull(None, 10).await;
    let mut channel = Channel::open(&me).await;
    let edit = |id: &serde_json::Value| format!("notifications/{}", id.as_str().unwrap());
    let edited =
        me.patch(&edit(&second), json!({"body": "65 %", "priority": 5, "title": null})).await.is(200);
    assert_eq!((&edited["msgid"], &edited["stamp"]), (&first, &edited["revised_at"]));
    channel.event("hint").await;
    let items = me.inbox().await;
    let item = items.iter().find(|item| item["msgid"] == first).unwrap();
    assert_eq!((item["body"].as_str(), item["priority"].as_u64()), (Some("65 %"), Some(5)));
    assert_eq!((&item["revised_at"], item["title"].as_str()), (&edited["revised_at"], Some("job")));
    assert_eq!(me.patch(&edit(&first), json!({"body": "65 %"})).await.is(200), edited, "nothing differs");
    assert_eq!(me.inbox().await, items);
    let poll = me.request(Method::GET, "/job/json?poll=1&since=all").send().await.unwrap();
    let poll = poll.text().await.unwrap();
    let lines: Vec<serde_json::Value> =
        poll.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<&str> = lines.iter().map(|line| line["message"].as_str().unwrap()).collect();
    assert_eq!(texts, ["other", "65 %"], "a revised text comes last");
    me.patch(&edit(&lines[1]["id"]), json!({"body": "70 %"})).await.is(200);
    me.patch(&edit(&first), json!({"priority": "urgent"})).await.problem(400, "invalid", Some("priority"));
    me.patch(&edit(&first), json!([])).await.problem(400, "invalid", Some("body"));
    me.delete(&edit(&second)).await.is(204);
    me.patch(&edit(&first), json!({"body": "x"})).await.problem(404, "not_found", None);
    s.holds_together().await;
}

#[tokio::test]
async fn an_edited_message_of_gotify_keeps_its_place() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let made = me.send(me.request(Method::POST, "/application").json(&json!({"name": "app"}))).await.is(200);
    let app = me.with_token(made["token"].as_str().unwrap());
    for message in ["one", "two"] {
        app.send(app.request(Method::POST, "/message").json(&json!({"message": message}))).await.is(200);
    }
    let inbox = me.get("inbox?limit=2").await.is(200);
    let one = inbox["items"][1]["msgid"].as_str().unwrap();
    app.patch(&format!("notifications/{one}"), json!({"body": "eins"})).await.is(200);
    let listed = me.send(me.request(Method::GET, "/message")).await.is(200);
    let texts = listed["messages"].as_array().unwrap().iter().map(|m| m["message"].clone());
    assert_eq!(texts.collect::<Vec<_>>(), ["two", "eins"]);
}

#[tokio::test]
async fn an_edited_message_has_its_new_priority_and_markup_for_gotifys_clients() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let made = me.send(me.request(Method::POST, "/application").json(&json!({"name": "app"}))).await.is(200);
    let app = me.with_token(made["token"].as_str().unwrap());
    let sent = json!({"message": "one", "priority": 6, "extras": {"home::lamp": {"on": true}}});
    app.send(app.request(Method::POST, "/message").json(&sent)).await.is(200);
    let msgid = me.get("inbox?limit=1").await.is(200)["items"][0]["msgid"].as_str().unwrap().to_owned();
    let listed = async || me.send(me.request(Method::GET, "/message")).await.is(200)["messages"][0].clone();
    let edit =
        async |with: serde_json::Value| app.patch(&format!("notifications/{msgid}"), with).await.is(200);
    edit(json!({"body": "eins"})).await;
    let message = listed().await;
    assert_eq!((&message["priority"], &message["extras"]), (&json!(6), &sent["extras"]), "as they were sent");
    edit(json!({"priority": 5, "format": "markdown"})).await;
    let message = listed().await;
    assert_eq!((&message["message"], &message["priority"]), (&json!("eins"), &json!(10)));
    let extras = json!({"home::lamp": {"on": true}, "client::display": {"contentType": "text/markdown"}});
    assert_eq!(message["extras"], extras);
}

#[tokio::test]
async fn the_token_of_an_application_changes_what_that_application_posted_and_nothing_else() {
    let s = start_with(|c| c.standalone_owner = Some("me".to_owned())).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let mut apps = Vec::new();
    for name in ["door", "bell"] {
        let made =
            me.send(me.request(Method::POST, "/application").json(&json!({"name": name}))).await.is(200);
        let app = me.with_token(made["token"].as_str().unwrap());
        app.send(app.request(Method::POST, "/message").json(&json!({"message": name}))).await.is(200);
        apps.push(app);
    }
    me.send(me.request(Method::POST, "/backups").body("secret")).await.is(200);
    let inbox = me.get("inbox?limit=3").await.is(200);
    let path = |nth: usize| format!("notifications/{}", inbox["items"][nth]["msgid"].as_str().unwrap());
    let (backup, bell, door) = (path(0), path(1), path(2));
    for foreign in [&backup, &bell] {
        apps[0].patch(foreign, json!({"body": "mine"})).await.problem(404, "not_found", None);
        apps[0].delete(foreign).await.problem(404, "not_found", None);
        apps[0].get(&format!("{foreign}/answer")).await.problem(404, "not_found", None);
    }
    apps[0].delete(&door).await.is(204);
    me.delete(&backup).await.is(204);
    s.holds_together().await;
}

#[tokio::test]
async fn the_readers_of_an_announcement_are_counted_for_who_posted_it_alone() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let press = s.publisher().await;
    let posted = press.post("announcements", json!({"title": "Hello"})).await.is(201);
    let path = format!("announcements/{}/readers", posted["msgid"].as_str().unwrap());
    // The admin is a user, too.
    assert_eq!(press.get(&path).await.is(200), json!({"read_count": 0, "user_count": 3}));
    alice.put("views/announcements/all", json!({})).await.is(200);
    assert_eq!(press.get(&path).await.is(200), json!({"read_count": 1, "user_count": 3}));
    assert_eq!(s.admin.get(&path).await.is(200)["read_count"], 1);
    bob.get(&path).await.problem(404, "not_found", None);
    press.get("announcements/nothing/readers").await.problem(404, "not_found", None);
}
