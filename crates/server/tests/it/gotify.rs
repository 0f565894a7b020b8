//! Tests of publishing by Gotify's API, with requests as its clients send them.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::support::{Answer, Client, Running, start, start_with, unique};

/// Makes an application; gives its number and a client with its token.
pub(crate) async fn application(client: &Client, name: &str) -> (i64, Client) {
    let made = client.post("/application", json!({"name": name})).await.is(200);
    (made["id"].as_i64().unwrap(), client.with_token(made["token"].as_str().unwrap()))
}

/// Asserts that an answer is an error in Gotify's form, and gives its description.
#[track_caller]
pub(crate) fn refused(answer: Answer, status: u16, error: &str) -> String {
    assert_eq!(answer.headers["content-type"], "application/json");
    let body = answer.is(status);
    assert_eq!((&body["errorCode"], &body["error"]), (&json!(status), &json!(error)), "{body}");
    body["errorDescription"].as_str().unwrap().to_owned()
}

/// The messages that a client lists, newest first.
pub(crate) async fn messages(client: &Client) -> Vec<Value> {
    client.get("/message").await.is(200)["messages"].as_array().unwrap().clone()
}

async fn users(s: &Running) -> (Client, Client) {
    (s.user("alice").await, s.user("bob").await)
}

#[tokio::test]
async fn a_message_is_an_item_like_any_other_and_comes_back_as_it_was_sent() {
    let s = start().await;
    let (alice, bob) = users(&s).await;
    let made = alice.post("/application", json!({"name": "Backup", "description": "d"})).await.is(200);
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("tdg_"));
    for (name, value) in [
        ("name", json!("Backup")),
        ("description", json!("d")),
        ("internal", json!(false)),
        ("image", json!("static/defaultapp.png")),
        ("defaultPriority", json!(0)),
        ("lastUsed", Value::Null),
    ] {
        assert_eq!(made[name], value, "{name}");
    }
    let app = alice.with_token(token);
    let extras = json!({
        "client::display": {"contentType": "text/markdown"},
        "client::notification": {"click": {"url": "https://example.org/"}},
        "home::lamp": {"on": true, "level": 0.5, "list": [1, null]},
    });
    let sent = json!({"message": "**done**", "title": "T", "priority": 8, "extras": extras});
    let answer = app.post("/message", sent).await.is(200);
    assert_eq!((&answer["appid"], &answer["priority"], &answer["extras"]), (&made["id"], &json!(8), &extras));
    assert_eq!((&answer["title"], &answer["message"]), (&json!("T"), &json!("**done**")));
    assert!(answer["id"].is_i64() && answer["date"].as_str().unwrap().ends_with('Z'));
    assert_eq!(alice.unread("reminder").await, 1);
    let item = alice.inbox().await[0].clone();
    assert_eq!((&item["created_at"], &item["priority"]), (&answer["date"], &json!(4)));
    assert_eq!((&item["format"], &item["url"]), (&json!("markdown"), &json!("https://example.org/")));
    assert_eq!((&item["action"], &item["actor"]["name"]), (&json!("publish"), &json!("Backup")));
    assert_eq!(
        (&item["target"]["type"], &item["target"]["title"]),
        (&json!("application"), &json!("Backup"))
    );
    assert_eq!(item["actor"]["id"], item["target"]["id"]);
    assert_eq!(messages(&alice).await, std::slice::from_ref(&answer));
    alice.op("read", &[item["msgid"].as_str().unwrap()], json!({})).await;
    assert_eq!(messages(&alice).await, [answer], "what is read here stays there");
    assert!(messages(&bob).await.is_empty() && bob.inbox().await.is_empty());
    s.holds_together().await;
}

#[tokio::test]
async fn an_application_and_a_client_that_are_asked_for_twice_under_a_key_are_made_once() {
    let s = start().await;
    let alice = s.user("alice").await;
    for path in ["/application", "/client"] {
        let add = async |key: &'static str, name: &'static str| {
            let request = alice.request(Method::POST, path).header("Idempotency-Key", key);
            alice.send(request.json(&json!({"name": name}))).await
        };
        let first = add(path, "first").await.is(200);
        assert_eq!(add(path, "again").await.is(200), first, "with the same token");
        assert_eq!(alice.get(path).await.is(200).as_array().unwrap().len(), 1);
        assert_ne!(add("another key", "second").await.is(200)["token"], first["token"]);
        refused(add("", "x").await, 400, "Bad Request");
        alice.with_token(first["token"].as_str().unwrap()).get("me").await.is(200);
    }
}

#[tokio::test]
async fn what_is_not_said_is_the_applications_and_priorities_are_mapped() {
    let s = start().await;
    let (alice, _) = users(&s).await;
    let (id, app) = application(&alice, "Backup").await;
    let mut wanted = Vec::new();
    for (gotify, tidings) in
        [(0, 1), (1, 2), (3, 2), (4, 3), (7, 3), (8, 4), (9, 4), (10, 5), (-3, 1), (99, 5)]
    {
        let answer = app.post("/message", json!({"message": "m", "priority": gotify})).await.is(200);
        assert_eq!(answer["priority"], gotify);
        wanted.insert(0, tidings);
    }
    let priorities: Vec<i64> =
        alice.inbox().await.iter().map(|item| item["priority"].as_i64().unwrap()).collect();
    assert_eq!(priorities, wanted);
    let plain = app.post("/message", json!({"message": "m"})).await.is(200);
    assert_eq!((&plain["title"], &plain["priority"]), (&json!("Backup"), &json!(0)));
    assert!(plain.get("extras").is_none());
    assert_eq!(alice.inbox().await[0]["priority"], 3);
    let change = json!({"name": "Nightly", "defaultPriority": 9, "sortKey": "a5"});
    let changed = alice.put(&format!("/application/{id}"), change).await.is(200);
    assert_eq!((&changed["defaultPriority"], &changed["sortKey"]), (&json!(9), &json!("a5")));
    let by_default = app.post("/message", json!({"message": "m"})).await.is(200);
    assert_eq!((&by_default["title"], &by_default["priority"]), (&json!("Nightly"), &json!(9)));
    assert_eq!(alice.inbox().await[0]["priority"], 4);
    let listed = alice.get("/application").await.is(200);
    assert_eq!((&listed[0]["name"], &listed[0]["token"]), (&json!("Nightly"), &json!("")));
    assert!(listed[0]["lastUsed"].is_string());
}

#[tokio::test]
async fn a_form_a_query_and_a_multipart_form_publish_too() {
    let s = start().await;
    let (alice, _) = users(&s).await;
    let (_, app) = application(&alice, "curl").await;
    let nobody = Client::without_token(&s.url);
    let form = "title=my+title&message=my%20message&priority=5";
    let request = nobody
        .request(Method::POST, &format!("/message?token={}", app.token))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form);
    let answer = nobody.send(request).await.is(200);
    assert_eq!((&answer["title"], &answer["message"]), (&json!("my title"), &json!("my message")));
    let path = format!("/message?token={}&message=query&priority=1", app.token);
    let answer = nobody.send(nobody.request(Method::POST, &path)).await.is(200);
    assert_eq!((&answer["message"], &answer["priority"]), (&json!("query"), &json!(1)));
    let part = |name: &str, value: &str| {
        format!("--xyz\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body =
        part("title", "T") + &part("message", "two\r\nlines") + &part("priority", "10") + "--xyz--\r\n";
    let request = nobody
        .request(Method::POST, &format!("/message?token={}", app.token))
        .header("Content-Type", "multipart/form-data; boundary=xyz")
        .body(body);
    let answer = nobody.send(request).await.is(200);
    assert_eq!((&answer["message"], &answer["priority"]), (&json!("two\r\nlines"), &json!(10)));
    assert_eq!(alice.unread("reminder").await, 3);
}

#[tokio::test]
async fn a_token_counts_wherever_gotifys_clients_put_it() {
    let s = start().await;
    let (alice, _) = users(&s).await;
    let (_, app) = application(&alice, "a").await;
    let nobody = Client::without_token(&s.url);
    let post = |path: &str| nobody.request(Method::POST, path).json(&json!({"message": "m"}));
    nobody.send(post("/message").header("X-Gotify-Key", &app.token)).await.is(200);
    nobody.send(post("/message").bearer_auth(&app.token)).await.is(200);
    nobody.send(post("/message").basic_auth("anyone", Some(&app.token))).await.is(200);
    nobody.send(post(&format!("/message?token={}", app.token))).await.is(200);
    let as_client = nobody.request(Method::GET, "/current/user").basic_auth("alice", Some(&alice.token));
    assert_eq!(nobody.send(as_client).await.is(200)["name"], "alice");
    for request in [
        post("/message"),
        post("/message?token=tdg_unknown"),
        post("/message").basic_auth("alice", Some("password")),
        nobody.request(Method::GET, "/message"),
        nobody.request(Method::GET, "/stream"),
        nobody.request(Method::POST, "/user").json(&json!({"name": "x", "pass": "x"})),
    ] {
        let description = refused(nobody.send(request).await, 401, "Unauthorized");
        assert!(description.starts_with("you need to provide a valid access token"));
    }
}

#[tokio::test]
async fn no_token_gets_more_than_the_one_that_made_it() {
    let s = start().await;
    let (alice, _) = users(&s).await;
    let (id, app) = application(&alice, "a").await;
    for path in ["/message", "/application", "/client", "/current/user", "/user", "/stream"] {
        refused(app.get(path).await, 401, "Unauthorized");
    }
    refused(app.delete(&format!("/application/{id}")).await, 401, "Unauthorized");
    refused(app.post("/client", json!({"name": "x"})).await, 401, "Unauthorized");
    app.get("inbox").await.problem(403, "forbidden", None);
    let reminder = json!({"actor": "a", "action": "like", "target": {"type": "a", "id": "1"}});
    app.post("reminders", reminder.clone()).await.problem(403, "forbidden", None);
    app.send(app.request(Method::POST, "/topic").body("x")).await.is(403);
    let scopes = async |client: &Client| client.get("me").await.is(200)["scopes"].clone();
    assert_eq!(scopes(&app).await, json!([]));
    let client = async |by: &Client| {
        let made = by.post("/client", json!({"name": "phone"})).await.is(200);
        by.with_token(made["token"].as_str().unwrap())
    };
    assert_eq!(scopes(&client(&alice).await).await, json!(["inbox"]));
    assert_eq!(scopes(&client(&s.admin).await).await, json!(["inbox", "publish"]));
    let both = s.token("alice", &[Scope::Inbox, Scope::Publish]).await;
    let (_, publishing) = application(&both, "b").await;
    assert_eq!(scopes(&publishing).await, json!(["publish"]));
    publishing.post("reminders", reminder).await.is(201);
}

#[tokio::test]
async fn a_token_that_publishes_gets_an_application_and_one_that_reads_names_one() {
    let s = start().await;
    let (alice, bob) = users(&s).await;
    let publisher = s.server.create_token("alice", "cron", &[Scope::Publish]).await.unwrap().token;
    let publisher = alice.with_token(&publisher);
    let first = publisher.post("/message", json!({"message": "1", "appid": 77})).await.is(200);
    let second = publisher.post("/message", json!({"message": "2"})).await.is(200);
    assert_eq!(first["appid"], second["appid"]);
    assert_eq!(first["title"], "cron");
    assert_eq!(alice.get("/application").await.is(200).as_array().unwrap().len(), 1);
    let named = json!({"message": "3", "appid": first["appid"]});
    assert_eq!(alice.post("/message", named.clone()).await.is(200)["title"], "cron");
    let description = refused(bob.post("/message", named).await, 400, "Bad Request");
    assert_eq!(description, "appid not found");
    refused(alice.post("/message", json!({"message": "4"})).await, 403, "Forbidden");
    assert_eq!((alice.unread("total").await, bob.unread("total").await), (3, 0));
}

#[tokio::test]
async fn errors_have_gotifys_form_and_texts() {
    let s = start().await;
    let (alice, bob) = users(&s).await;
    let (id, app) = application(&alice, "a").await;
    let (of_bob, _) = application(&bob, "b").await;
    for (body, description) in [
        (json!({}), "Field 'message' is required"),
        (json!({"message": ""}), "Field 'message' is required"),
        (json!({"message": 5}), "Field 'message' must be a text"),
        (json!({"message": "m", "priority": "5"}), "Field 'priority' must be a whole number"),
        (json!({"message": "m", "extras": []}), "Field 'extras' must be an object"),
        (json!([]), "body must be an object"),
    ] {
        assert_eq!(refused(app.post("/message", body).await, 400, "Bad Request"), description);
    }
    let large = json!({"message": "m", "extras": {"a": "x".repeat(70_000)}});
    let description = refused(app.post("/message", large).await, 400, "Bad Request");
    assert_eq!(description, "data may have 65536 bytes as JSON");
    // They are read no further than they may go: what follows is no JSON.
    let endless = format!("{{\"message\":\"m\",\"extras\":{{\"a\":[{}what follows", "0,".repeat(70_000));
    let endless =
        app.request(Method::POST, "/message").header("Content-Type", "application/json").body(endless);
    assert_eq!(refused(app.send(endless).await, 400, "Bad Request"), description);
    refused(app.post("/message", json!({"message": "x".repeat(300_000)})).await, 400, "Bad Request");
    let no_json = app.request(Method::POST, "/message").header("Content-Type", "application/json").body("{");
    refused(app.send(no_json).await, 400, "Bad Request");
    for (query, description) in [
        ("limit=0", "Field 'limit' must be more or equal to 1"),
        ("limit=201", "Field 'limit' must be less or equal to 200"),
        ("limit=x", "Field 'limit' must be a whole number"),
        ("since=-1", "Field 'since' must be more or equal to 0"),
    ] {
        assert_eq!(refused(alice.get(&format!("/message?{query}")).await, 400, "Bad Request"), description);
    }
    let not_mine = [
        (Method::GET, format!("/application/{of_bob}/message"), json!(null)),
        (Method::DELETE, format!("/application/{of_bob}/message"), json!(null)),
        (Method::DELETE, format!("/application/{of_bob}"), json!(null)),
        (Method::PUT, format!("/application/{of_bob}"), json!({"name": "x"})),
        (Method::DELETE, format!("/application/{of_bob}/image"), json!(null)),
        (Method::DELETE, "/message/99".to_owned(), json!(null)),
        (Method::DELETE, "/client/99".to_owned(), json!(null)),
        (Method::PUT, "/client/99".to_owned(), json!({"name": "x"})),
        (Method::PUT, "/message/1".to_owned(), json!({})),
        (Method::GET, "/static/none.png".to_owned(), json!(null)),
        (Method::GET, "/static/none".to_owned(), json!(null)),
    ];
    for (method, path, body) in not_mine {
        refused(alice.ask(method, &path, body).await, 404, "Not Found");
    }
    for path in ["/message/x", "/application/-1", "/client/1.5"] {
        assert_eq!(refused(alice.delete(path).await, 400, "Bad Request"), "invalid id");
    }
    refused(alice.put(&format!("/application/{id}"), json!({"name": ""})).await, 400, "Bad Request");
    refused(alice.delete(&format!("/application/{id}/image")).await, 400, "Bad Request");
    refused(alice.get("/stream").await, 400, "Bad Request");
    assert_eq!(alice.unread("total").await, 0);
}

#[tokio::test]
async fn a_repeated_key_publishes_once() {
    let s = start().await;
    let (alice, _) = users(&s).await;
    let (_, app) = application(&alice, "a").await;
    let key = unique();
    let first = app.post_keyed("/message", json!({"message": "1"}), &key).await.unwrap().is(200);
    let again = app.post_keyed("/message", json!({"message": "2"}), &key).await.unwrap().is(200);
    assert_eq!(first, again);
    assert_eq!((messages(&alice).await.len(), alice.unread("total").await), (1, 1));
}

#[tokio::test]
async fn a_token_that_asks_too_often_is_told_to_wait_wherever_it_comes_from() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 3, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let alice = s.user("alice").await;
    let asked = (2..22).map(|n| {
        let client = alice.from_address(std::net::Ipv4Addr::new(127, 0, 0, n).into());
        async move { client.get("/message").await }
    });
    let answers = futures_util::future::join_all(asked).await;
    let limited: Vec<Answer> = answers.into_iter().filter(|answer| answer.status == 429).collect();
    assert!(!limited.is_empty() && limited.iter().all(|answer| answer.headers.contains_key("retry-after")));
    for answer in limited {
        refused(answer, 429, "Too Many Requests");
    }
}
