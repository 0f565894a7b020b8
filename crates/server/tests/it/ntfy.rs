//! Tests of the ntfy API with requests of ntfy's own tools.

use base64::Engine;
use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::support::{Client, Running, start, start_with};

async fn standalone() -> (Running, Client, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    let nobody = Client::without_token(&s.url);
    (s, me, nobody)
}

async fn newest(me: &Client) -> Value {
    me.get("inbox?limit=1").await.is(200)["items"][0].clone()
}

#[tokio::test]
async fn one_curl_reaches_the_owner_of_a_standalone_server() {
    let (s, me, nobody) = standalone().await;
    let answer = nobody.send(nobody.request(Method::POST, "/backups").body("Backup done")).await.is(200);
    assert_eq!((answer["event"].as_str(), answer["topic"].as_str()), (Some("message"), Some("backups")));
    assert_eq!(answer["message"], "Backup done");
    assert_eq!(answer["id"].as_str().unwrap().len(), 12);
    assert!(answer["time"].is_i64() && answer["expires"].as_i64() > answer["time"].as_i64());
    assert_eq!(me.unread("reminder").await, 1);
    let item = newest(&me).await;
    assert_eq!(item["msgid"], answer["id"]);
    assert_eq!(
        (item["action"].as_str(), item["thread"].as_str()),
        (Some("publish"), Some("topic:backups#publish"))
    );
    assert_eq!((item["title"].as_str(), item["body"].as_str()), (Some("backups"), Some("Backup done")));
    assert_eq!(item["actor"]["id"], "backups");
    s.holds_together().await;
}

#[tokio::test]
async fn headers_in_every_spelling_say_what_it_is() {
    let (_s, me, nobody) = standalone().await;
    let request = nobody
        .request(Method::PUT, "/nas")
        .header("Title", "=?UTF-8?B?8J+HqfCfh6ogVGl0ZWw=?=")
        .header("p", "urgent")
        .header("X-Tags", "warning, skull")
        .header("Click", "https://example.org/")
        .header("Icon", "https://example.org/i.png")
        .header("md", "yes")
        .header("Attach", "https://example.org/flower%20a.jpg")
        .header("Actions", "view, Open, https://example.org/, clear=true")
        .body("**bold**");
    nobody.send(request).await.is(200);
    let item = newest(&me).await;
    assert_eq!(item["title"], "🇩🇪 Titel");
    assert_eq!(item["priority"], 5);
    assert_eq!(item["tags"], json!(["warning", "skull"]));
    assert_eq!(
        (item["url"].as_str(), item["icon"].as_str()),
        (Some("https://example.org/"), Some("https://example.org/i.png"))
    );
    assert_eq!(item["format"], "markdown");
    assert_eq!(item["attachment"]["name"], "flower a.jpg");
    assert_eq!(item["actions"][0]["label"], "Open");
    nobody.send(nobody.request(Method::POST, "/nas?t=Query&prio=low&tags=a,b&message=hi")).await.is(200);
    let item = newest(&me).await;
    assert_eq!(
        (item["title"].as_str(), item["priority"].as_u64(), item["body"].as_str()),
        (Some("Query"), Some(2), Some("hi"))
    );
    nobody.send(nobody.request(Method::POST, "/nas")).await.is(200);
    assert_eq!(newest(&me).await["body"], "triggered");
}

#[tokio::test]
async fn json_at_the_root_and_get_publish_too() {
    let (_s, me, nobody) = standalone().await;
    let body = json!({"topic": "cam", "message": "motion", "title": "Cam", "tags": ["x"], "priority": 4,
        "attach": "https://example.org/a.jpg", "filename": "b.jpg", "click": "https://example.org",
        "actions": [{"action": "view", "label": "A", "url": "https://example.org"}]});
    let request = nobody.request(Method::POST, "/").header("Icon", "https://example.org/i.png").json(&body);
    let answer = nobody.send(request).await.is(200);
    assert_eq!((answer["title"].as_str(), answer["priority"].as_u64()), (Some("Cam"), Some(4)));
    let item = newest(&me).await;
    assert_eq!(item["attachment"]["name"], "b.jpg");
    assert_eq!(item["icon"], "https://example.org/i.png", "headers hold for what the JSON leaves out");
    let token = me.token.clone();
    nobody.send(nobody.request(Method::GET, "/cam/trigger")).await.is(403);
    me.get("/cam/publish?message=via+get&priority=high").await.is(200);
    assert_eq!(newest(&me).await["body"], "via get");
    let basic = nobody.request(Method::GET, "/cam/send?m=basic").basic_auth("", Some(&token));
    nobody.send(basic).await.is(200);
    let auth = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(format!("Bearer {token}"));
    nobody.send(nobody.request(Method::GET, &format!("/cam/send?m=query&auth={auth}"))).await.is(200);
    assert_eq!(newest(&me).await["body"], "query");
}

#[tokio::test]
async fn errors_have_ntfys_own_shape_and_numbers() {
    let (_s, _me, nobody) = standalone().await;
    let send = |method: Method, path: &str, headers: &[(&'static str, &str)], body: &str| {
        let mut request = nobody.request(method, path).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let nobody = nobody.clone();
        async move { nobody.send(request).await }
    };
    for (path, headers, body, http, code) in [
        ("/api", &[][..], "x", 400, 40010),
        ("/a%20b", &[], "x", 400, 40009),
        ("/t", &[("Priority", "9")], "x", 400, 40007),
        ("/t", &[("Actions", "shout, A, b")], "x", 400, 40018),
        ("/t", &[("Attach", "ftp://x")], "x", 400, 40013),
        ("/t", &[("Icon", "nope")], "x", 400, 40021),
        ("/t", &[("Delay", "soon")], "x", 400, 40004),
        ("/t", &[("Delay", "1s")], "x", 400, 40005),
        ("/t", &[("At", "30d")], "x", 400, 40006),
        ("/t", &[("Cache", "no"), ("Delay", "soon")], "x", 400, 40002),
        ("/", &[], "{\"topic\":\"t\",\"cache\":\"no\",\"delay\":\"30m\"}", 400, 40002),
        ("/", &[("Cache", "no")], "{\"topic\":\"t\",\"delay\":\"30m\"}", 400, 40002),
        ("/t", &[("X-Sequence-ID", "a b")], "x", 400, 40049),
        ("/", &[], "no json", 400, 40017),
        ("/", &[], "{\"message\":\"no topic\"}", 400, 40009),
    ] {
        let got = send(Method::POST, path, headers, body).await;
        assert_eq!(got.headers["content-type"], "application/json");
        let body = got.is(http);
        assert_eq!((&body["code"], &body["http"]), (&json!(code), &json!(http)), "{path}");
        assert!(body["error"].is_string());
    }
    let large = "x".repeat(300 * 1024);
    let by_url = [("Attach", "https://example.org/a.jpg")];
    assert_eq!(send(Method::PUT, "/t", &by_url, &large).await.is(413)["http"], 413);
}

#[tokio::test]
async fn without_open_publish_a_token_is_needed_and_its_user_gets_what_it_subscribed_to() {
    let s = start().await;
    let alice = s.user("alice").await;
    let nobody = Client::without_token(&s.url);
    let refused = nobody.send(nobody.request(Method::POST, "/alice").body("x")).await.is(403);
    assert_eq!(refused["code"], 40301);
    let target = json!({"type": "topic", "id": "alice"});
    alice.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
    alice.send(alice.request(Method::POST, "/alice").body("from myself")).await.is(200);
    assert_eq!(alice.unread("reminder").await, 1, "the topic is the actor, also under the user's name");
}

#[tokio::test]
async fn a_delayed_publication_gets_its_stamps_when_it_is_delivered() {
    let (s, me, nobody) = standalone().await;
    nobody.send(nobody.request(Method::POST, "/t").body("now")).await.is(200);
    let (_, _, next) = me.pull(None, 10).await;
    let request = nobody.request(Method::POST, "/t").header("In", "30 min").body("later");
    let answer = nobody.send(request).await.is(200);
    assert!(me.pull(Some(&next), 10).await.0.is_empty());
    s.clock.advance(1_801);
    nobody
        .send(nobody.request(Method::POST, "/t").header("In", "1h").body("wakes the delivery"))
        .await
        .is(200);
    crate::support::until("it is delivered", || async { me.unread("reminder").await == 2 }).await;
    let (items, _, _) = me.pull(Some(&next), 10).await;
    assert_eq!(items[0]["msgid"], answer["id"]);
    assert_eq!(items[0]["body"], "later");
    let (dir, clock) = s.stop().await;
    clock.advance(3_601);
    let s = crate::support::start_in(dir, clock, |_| {}).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    crate::support::until("a restart delivers too", || async { me.unread("reminder").await == 3 }).await;
}

#[tokio::test]
async fn a_known_sequence_changes_its_item() {
    let (s, me, nobody) = standalone().await;
    let publish = |text: &'static str| {
        nobody.send(nobody.request(Method::POST, "/job").header("X-Sequence-ID", "run-1").body(text))
    };
    let first = publish("10 %").await.is(200);
    let (items, _, next) = me.pull(None, 10).await;
    me.op("read", &[first["id"].as_str().unwrap()], json!({})).await;
    let again = publish("90 %").await.is(200);
    assert_eq!(again["sequence_id"], "run-1");
    let (changed, _, _) = me.pull(Some(&next), 10).await;
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0]["msgid"], items[0]["msgid"]);
    assert_eq!((changed[0]["body"].as_str(), changed[0]["version"].as_u64()), (Some("90 %"), Some(3)));
    assert!(changed[0]["read_at"].is_null());
    assert_eq!(me.unread("reminder").await, 1);
    s.holds_together().await;
}

#[tokio::test]
async fn a_delayed_publication_is_kept_once_under_its_key() {
    let (s, me, _) = standalone().await;
    let publish = |delay: &'static str| {
        let request = me.request(Method::POST, "/t").header("In", delay).header("Idempotency-Key", "k");
        me.send(request.body("later"))
    };
    let first = publish("30 min").await.is(200);
    let (dir, clock) = s.stop().await;
    let s = crate::support::start_in(dir, clock, |c| c.standalone_owner = Some("me".to_owned())).await;
    let me = Client::new(&s.url, &me.token);
    let again = me.request(Method::POST, "/t").header("In", "1h").header("Idempotency-Key", "k");
    assert_eq!(me.send(again.body("later")).await.is(200), first, "a repetition gets the first answer");
    s.clock.advance(3_601);
    me.send(me.request(Method::POST, "/wake").header("In", "1h").body("wakes the delivery")).await.is(200);
    crate::support::until("it is delivered", || async { me.unread("reminder").await > 0 }).await;
    assert_eq!(me.unread("reminder").await, 1);
}

#[tokio::test]
async fn a_key_without_a_token_counts_for_one_topic_and_one_user_of_the_machine() {
    let (_s, me, nobody) = standalone().await;
    let publish = |topic: &'static str, text: &'static str| {
        let request = nobody.request(Method::POST, topic).header("Idempotency-Key", "k");
        nobody.send(request.body(text))
    };
    let first = publish("/a", "one").await;
    if first.status == 400 {
        // A system that does not report the peer's user: the key is refused, and nothing is stored.
        assert!(first.body["error"].as_str().unwrap().contains("Idempotency-Key needs a token"));
        assert_eq!(me.unread("reminder").await, 0);
        return;
    }
    let first = first.is(200);
    assert_eq!(publish("/a", "one").await.is(200), first);
    assert_eq!(publish("/b", "two").await.is(200)["message"], "two", "another topic has another answer");
    let by_me = me.request(Method::POST, "/a").header("Idempotency-Key", "k");
    assert_eq!(me.send(by_me.body("three")).await.is(200)["message"], "three", "a token has its own");
    assert_eq!(me.unread("reminder").await, 3);
}
