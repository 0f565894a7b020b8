//! Tests of the settings of topics: how they are set, and that they hold at every door.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig, TopicSettings};

use crate::support::{Client, Running, start, start_with};

/// A standalone server, and a client of its owner.
async fn standalone() -> (Running, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    (s, me)
}

async fn publish(client: &Client, path: &str, headers: &[(&str, &str)]) -> crate::support::Answer {
    let request = client.request(Method::POST, path).body("text");
    client.send(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
}

/// A reminder that is a publication on a topic.
fn on_topic(topic: &str) -> Value {
    json!({"actor": topic, "action": "publish", "target": {"type": "topic", "id": topic}, "body": "text"})
}

#[tokio::test]
async fn settings_are_set_listed_and_removed() {
    let s = start().await;
    s.admin.get("topics/nas").await.problem(404, "not_found", None);
    let settings = json!({"name": "NAS", "icon": "https://nas.example/i.png", "priority_floor": 3,
        "template": "{{ a }}", "publishers": ["ann"], "expect_secs": 93_600, "secrets": {"github": "s", "sentry": "t"}});
    let mut expected = settings.clone();
    expected["topic"] = json!("nas");
    expected["readers"] = json!(null);
    expected["secrets"] = json!(["github", "sentry"]);
    assert_eq!(s.admin.put("topics/nas", settings).await.is(200), expected);
    assert_eq!(s.admin.get("topics/nas").await.is(200), expected);
    let after = s.admin.put("topics/nas", json!({"secrets": {"sentry": ""}})).await.is(200);
    assert_eq!(
        (&after["name"], &after["icon"], &after["secrets"]),
        (&json!(""), &json!(null), &json!(["github"]))
    );
    s.admin.put("topics/a", json!({"name": "A"})).await.is(200);
    let page = s.admin.get("topics?limit=1").await.is(200);
    assert_eq!((page.as_array().unwrap().len(), &page[0]["topic"]), (1, &json!("a")));
    assert_eq!(s.admin.get("topics?after=a").await.is(200)[0]["topic"], "nas");
    s.admin.delete("topics/nas").await.is(204);
    s.admin.delete("topics/nas").await.problem(404, "not_found", None);
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused_by_their_field() {
    let s = start().await;
    for (settings, field) in [
        (json!({"name": "x".repeat(2_000)}), "name"),
        (json!({"icon": "javascript:alert(1)"}), "icon"),
        (json!({"priority_floor": 6}), "priority_floor"),
        (json!({"template": "{% include 'x' %}"}), "template"),
        (json!({"template": "x".repeat(20_000)}), "template"),
        (json!({"publishers": ["a b"]}), "publishers[0]"),
        (json!({"secrets": {"alertmanager": "s"}}), "secrets"),
        (json!({"secrets": {"github": "s".repeat(2_000)}}), "secrets.github"),
    ] {
        s.admin.put("topics/nas", settings).await.problem(400, "invalid", Some(field));
    }
    s.admin.put("topics/hooks", json!({})).await.problem(400, "invalid", Some("topic"));
    s.admin.put("topics/a.b", json!({})).await.problem(400, "invalid", Some("topic"));
    assert_eq!(s.admin.get("topics").await.is(200), json!([]));
}

#[tokio::test]
async fn the_owner_of_a_standalone_server_sets_topics_without_the_scope_admin() {
    let (s, me) = standalone().await;
    me.put("topics/nas", json!({"name": "NAS"})).await.is(200);
    assert_eq!(me.get("topics").await.is(200)[0]["name"], "NAS");
    s.user("ann").await.put("topics/nas", json!({})).await.problem(403, "forbidden", None);
    let me_publishing = s.token("me", &[Scope::Publish]).await;
    me_publishing.put("topics/nas", json!({})).await.problem(403, "forbidden", None);
}

#[tokio::test]
async fn name_icon_and_floor_hold_at_every_door() {
    let (s, me) = standalone().await;
    let settings = json!({"name": "The NAS", "icon": "https://nas.example/i.png", "priority_floor": 4});
    me.put("topics/nas", settings).await.is(200);
    let publisher = s.publisher().await;
    let answer = publish(&publisher, "/nas", &[("Priority", "2")]).await.is(200);
    assert_eq!((&answer["title"], &answer["priority"]), (&json!("The NAS"), &json!(4)));
    publisher
        .send(publisher.request(Method::POST, "/").json(&json!({"topic": "nas", "priority": 1})))
        .await
        .is(200);
    publish(&publisher, "/hooks/nas", &[]).await.is(200);
    publisher.post("reminders", on_topic("nas")).await.is(201);
    publisher.post("reminders", json!([on_topic("nas"), on_topic("nas")])).await.is(201);
    let items = me.inbox().await;
    assert_eq!(items.len(), 6);
    for item in &items {
        assert_eq!(item["title"], "The NAS", "{item}");
        assert_eq!(
            (&item["actor"]["name"], &item["target"]["title"]),
            (&json!("The NAS"), &json!("The NAS"))
        );
        assert_eq!(item["icon"], "https://nas.example/i.png");
        assert_eq!(item["priority"], 4, "{item}");
    }
    let own = [("Title", "Own"), ("Icon", "https://other.example/i.png"), ("Priority", "5")];
    publish(&publisher, "/nas", &own).await.is(200);
    let item = &me.inbox().await[0];
    assert_eq!((&item["title"], &item["priority"]), (&json!("Own"), &json!(5)));
    assert_eq!(item["icon"], "https://other.example/i.png");
    publish(&publisher, "/other", &[]).await.is(200);
    assert_eq!(me.inbox().await[0]["title"], "other", "another topic has none of it");
}

#[tokio::test]
async fn who_may_publish_holds_at_every_door_in_its_own_form() {
    let (s, me) = standalone().await;
    me.put("topics/nas", json!({"publishers": ["press"]})).await.is(200);
    s.user("ann").await;
    let ann = s.token("ann", &[Scope::Publish, Scope::Inbox]).await;
    let nobody = Client::without_token(&s.url);
    for client in [&ann, &nobody] {
        let refused = publish(client, "/nas", &[]).await.is(403);
        assert_eq!((&refused["code"], &refused["error"]), (&json!(40301), &json!("forbidden")));
        publish(client, "/nas", &[("Filename", "a.txt")]).await.is(403);
        publish(client, "/nas/some-sequence", &[]).await.is(403);
        client.send(client.request(Method::DELETE, "/nas/some-sequence")).await.is(403);
        client.send(client.request(Method::PUT, "/nas/some-sequence/clear")).await.is(403);
        publish(client, "/hooks/nas", &[]).await.problem(403, "forbidden", None);
    }
    ann.get("/nas/publish?message=x").await.is(403);
    ann.post("reminders", on_topic("nas")).await.problem(403, "forbidden", None);
    ann.post("reminders", json!([on_topic("other"), on_topic("nas")])).await.problem(403, "forbidden", None);
    assert_eq!(me.inbox().await.len(), 0, "nothing was published");
    let press = s.publisher().await;
    publish(&press, "/nas", &[]).await.is(200);
    publish(&press, "/hooks/nas", &[]).await.is(200);
    press.post("reminders", on_topic("nas")).await.is(201);
    publish(&s.admin, "/nas", &[]).await.is(200);
    assert_eq!(me.inbox().await.len(), 4);
}

#[tokio::test]
async fn what_another_process_sets_for_a_topic_holds_when_it_is_done() {
    let (s, _me) = standalone().await;
    s.user("ann").await;
    let ann = s.token("ann", &[Scope::Publish]).await;
    publish(&ann, "/nas", &[]).await.is(200);
    let other = Server::open(ServerConfig::new(s.dir.path()), s.clock.clone()).await.unwrap();
    let only_press = TopicSettings { publishers: Some(vec!["press".to_owned()]), ..TopicSettings::default() };
    other.set_topic("nas", only_press).await.unwrap();
    publish(&ann, "/nas", &[]).await.is(403);
    other.remove_topic("nas").await.unwrap();
    publish(&ann, "/nas", &[]).await.is(200);
}
