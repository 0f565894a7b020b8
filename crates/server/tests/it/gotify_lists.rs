//! Tests of the objects that Gotify's clients list, change and delete: messages, applications with their pictures,
//! clients, users.

use reqwest::Method;
use serde_json::{Value, json};

use crate::gotify::{application, messages, refused};
use crate::support::{Answer, Client, start, until};

async fn publish(app: &Client, message: &str) -> Value {
    app.post("/message", json!({"message": message})).await.is(200)
}

fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["message"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn pages_follow_their_next_link_to_the_end() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (a, app_a) = application(&alice, "a").await;
    let (_, app_b) = application(&alice, "b").await;
    for n in 0..7 {
        publish(if n % 2 == 0 { &app_a } else { &app_b }, &n.to_string()).await;
    }
    let first = alice.get("/message?limit=3").await.is(200);
    let paging = &first["paging"];
    assert_eq!((&paging["size"], &paging["limit"]), (&json!(3), &json!(3)));
    assert_eq!(paging["since"], first["messages"][2]["id"]);
    let (mut seen, mut next) = (Vec::new(), Some("/message?limit=3".to_owned()));
    while let Some(path) = next {
        let page = alice.get(&path).await.is(200);
        seen.extend(texts(page["messages"].as_array().unwrap()).iter().map(|text| (*text).to_owned()));
        next = page["paging"]["next"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, ["6", "5", "4", "3", "2", "1", "0"]);
    let of_a = alice.get(&format!("/application/{a}/message?limit=2")).await.is(200);
    assert_eq!(texts(of_a["messages"].as_array().unwrap()), ["6", "4"]);
    let next = of_a["paging"]["next"].as_str().unwrap();
    assert!(next.starts_with(&format!("/application/{a}/message?limit=2&since=")), "{next}");
    let last = alice.get(next).await.is(200);
    assert_eq!(texts(last["messages"].as_array().unwrap()), ["2", "0"]);
    assert_eq!((&last["paging"]["since"], last["paging"].get("next")), (&json!(0), None));
}

#[tokio::test]
async fn a_page_of_large_messages_ends_early_and_goes_on() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (_, app) = application(&alice, "a").await;
    for n in 0..20 {
        publish(&app, &format!("{n} {}", "x".repeat(250_000))).await;
    }
    let (mut seen, mut pages, mut next) = (0, 0, Some("/message".to_owned()));
    while let Some(path) = next {
        let page = alice.get(&path).await.is(200);
        seen += page["messages"].as_array().unwrap().len();
        pages += 1;
        next = page["paging"]["next"].as_str().map(str::to_owned);
    }
    assert_eq!((seen, pages), (20, 2));
}

#[tokio::test]
async fn deleting_there_archives_here_and_deleting_here_deletes_there() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (a, app_a) = application(&alice, "a").await;
    let (_, app_b) = application(&alice, "b").await;
    let one = publish(&app_a, "one").await;
    for text in ["two", "three"] {
        publish(&app_a, text).await;
    }
    publish(&app_b, "four").await;
    let (_, _, position) = alice.pull(None, 10).await;
    let deleted = alice.delete(&format!("/message/{}", one["id"])).await;
    assert_eq!((deleted.status.as_u16(), deleted.body), (200, json!("")));
    let (changed, _, _) = alice.pull(Some(&position), 10).await;
    assert_eq!((changed.len(), &changed[0]["body"]), (1, &json!("one")));
    assert!(changed[0]["archived_at"].is_string());
    refused(alice.delete(&format!("/message/{}", one["id"])).await, 404, "Not Found");
    alice.delete(&format!("/application/{a}/message")).await.is(200);
    assert_eq!(texts(&messages(&alice).await), ["four"]);
    let inbox = alice.inbox().await;
    assert_eq!((inbox.len(), alice.unread("reminder").await), (1, 1));
    alice.op("delete", &[inbox[0]["msgid"].as_str().unwrap()], json!({})).await;
    assert!(messages(&alice).await.is_empty());
    for n in 0..250 {
        publish(&app_b, &n.to_string()).await;
    }
    alice.delete("/message").await.is(200);
    assert!(messages(&alice).await.is_empty());
    let archived = alice.get("inbox?archived=true&limit=1000").await.is(200);
    assert_eq!(archived["items"].as_array().unwrap().len(), 253);
    assert_eq!(alice.unread("reminder").await, 0);
    s.holds_together().await;
}

#[tokio::test]
async fn a_removed_applications_token_is_dead_and_its_items_stay() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (id, app) = application(&alice, "a").await;
    publish(&app, "kept").await;
    alice.delete(&format!("/application/{id}")).await.is(200);
    refused(app.post("/message", json!({"message": "x"})).await, 401, "Unauthorized");
    assert_eq!(alice.get("/application").await.is(200), json!([]));
    assert!(messages(&alice).await.is_empty());
    assert_eq!(alice.inbox().await[0]["body"], "kept");
    let description = refused(alice.delete(&format!("/application/{id}")).await, 404, "Not Found");
    assert_eq!(description, format!("app with id {id} doesn't exists"));
    let (another, _) = application(&alice, "b").await;
    assert!(another > id, "a number is given once");
    s.holds_together().await;
}

#[tokio::test]
async fn a_program_that_embeds_the_server_makes_an_application_whose_token_does_that_alone() {
    let s = start().await;
    let alice = s.user("alice").await;
    let app = alice.with_token(&s.server.create_application("alice", "NAS").await.unwrap());
    let listed = alice.get("/application").await.is(200);
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["name"]), (1, &json!("NAS")));
    publish(&app, "done").await;
    assert_eq!(texts(&messages(&alice).await), ["done"]);
    app.put("/backups", json!("x")).await.is(403);
    refused(app.get("/message").await, 401, "Unauthorized");
    s.server.create_application("nobody", "NAS").await.unwrap_err();
    s.holds_together().await;
}

#[tokio::test]
async fn a_client_is_named_renamed_and_revoked() {
    let s = start().await;
    let alice = s.user("alice").await;
    let made = alice.post("/client", json!({"name": "phone"})).await.is(200);
    let phone = alice.with_token(made["token"].as_str().unwrap());
    assert_eq!(phone.get("/current/user").await.is(200)["clientId"], made["id"]);
    phone.get("inbox").await.is(200);
    let path = format!("/client/{}", made["id"]);
    assert_eq!(alice.put(&path, json!({"name": "tablet"})).await.is(200)["name"], "tablet");
    let listed = alice.get("/client").await.is(200);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!((&listed[0]["name"], &listed[0]["token"]), (&json!("tablet"), &json!("")));
    let tokens = alice.get("tokens").await.is(200);
    assert!(tokens.as_array().unwrap().iter().any(|token| token["label"] == "tablet"));
    let bob = s.user("bob").await;
    refused(bob.delete(&path).await, 404, "Not Found");
    alice.delete(&path).await.is(200);
    refused(phone.get("/message").await, 401, "Unauthorized");
    assert_eq!(alice.get("/client").await.is(200), json!([]));
}

#[tokio::test]
async fn a_client_says_when_it_was_used_last_and_reads_while_that_waits_to_be_written() {
    let s = start().await;
    let alice = s.user("alice").await;
    let made = alice.post("/client", json!({"name": "phone"})).await.is(200);
    let phone = alice.with_token(made["token"].as_str().unwrap());
    let last_used = || async { alice.get("/client").await.is(200)[0]["lastUsed"].clone() };
    assert_eq!((&made["lastUsed"], last_used().await), (&Value::Null, Value::Null));
    let blocked_writer = s.block_writer(0);
    phone.get("/message").await.is(200);
    blocked_writer.wait_for_write().await;
    phone.get("/message").await.is(200);
    assert_eq!(last_used().await, Value::Null, "it is not written yet");
    drop(blocked_writer);
    until("its use is written", || async { last_used().await.is_string() }).await;
    let used = last_used().await;
    s.clock.advance(301);
    phone.get("/message").await.is(200);
    until("its next use is written", || async { last_used().await != used }).await;
}

/// Uploads a file as `curl -F file=@name` does.
async fn upload(client: &Client, id: i64, field: &str, content: &[u8]) -> Answer {
    client.send(upload_request(client, id, field, content)).await
}

fn upload_request(client: &Client, id: i64, field: &str, content: &[u8]) -> reqwest::RequestBuilder {
    let mut body =
        format!("--xyz\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"a.png\"\r\n\r\n")
            .into_bytes();
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n--xyz--\r\n");
    client
        .request(Method::POST, &format!("/application/{id}/image"))
        .header("Content-Type", "multipart/form-data; boundary=xyz")
        .body(body)
}

fn extension(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(_, extension)| extension)
}

#[tokio::test]
async fn a_picture_is_known_by_its_first_bytes_and_served_without_risk() {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest of it\r\n";
    let s = start().await;
    let alice = s.user("alice").await;
    let (id, _) = application(&alice, "a").await;
    let nobody = Client::without_token(&s.url);
    let default = nobody.request(Method::GET, "/static/defaultapp.png").send().await.unwrap();
    assert_eq!(
        (default.status().as_u16(), &default.headers()["content-type"]),
        (200, &"image/png".parse().unwrap())
    );
    let image = upload(&alice, id, "file", PNG).await.is(200)["image"].as_str().unwrap().to_owned();
    assert!(image.starts_with("static/") && extension(&image) == Some("png"), "{image}");
    assert_eq!(alice.get("/application").await.is(200)[0]["image"], image.as_str());
    let served = nobody.request(Method::GET, &format!("/{image}")).send().await.unwrap();
    let headers = served.headers().clone();
    assert_eq!(
        (&headers["content-type"], &headers["x-content-type-options"]),
        (&"image/png".parse().unwrap(), &"nosniff".parse().unwrap())
    );
    assert!(headers["cache-control"].to_str().unwrap().contains("immutable"));
    assert!(headers["content-security-policy"].to_str().unwrap().contains("sandbox"));
    assert_eq!(served.bytes().await.unwrap(), PNG);
    let gif = upload(&alice, id, "file", b"GIF89a").await.is(200)["image"].as_str().unwrap().to_owned();
    assert_eq!(extension(&gif), Some("gif"));
    refused(nobody.get(&format!("/{image}")).await, 404, "Not Found");
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    assert_eq!(refused(upload(&alice, id, "file", svg).await, 400, "Bad Request"), "file must be an image");
    let no_file = refused(upload(&alice, id, "other", PNG).await, 400, "Bad Request");
    assert_eq!(no_file, "file with key 'file' must be present");
    let large = [PNG, &vec![0; 512 * 1024]].concat();
    refused(upload(&alice, id, "file", &large).await, 413, "Payload Too Large");
    let bob = s.user("bob").await;
    refused(upload(&bob, id, "file", PNG).await, 404, "Not Found");
    let removed = alice.delete(&format!("/application/{id}/image")).await.is(200);
    assert_eq!(removed["image"], "static/defaultapp.png");
    refused(nobody.get(&format!("/{gif}")).await, 404, "Not Found");
}

#[tokio::test]
async fn a_picture_that_is_sent_again_under_its_key_is_set_once() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (id, _) = application(&alice, "a").await;
    let send = async |content: &[u8]| {
        let request = upload_request(&alice, id, "file", content).header("Idempotency-Key", "k");
        alice.send(request).await
    };
    refused(send(b"no picture").await, 400, "Bad Request");
    let first = send(b"GIF89a").await.is(200);
    assert_eq!(send(b"GIF87a").await.is(200), first, "only an answer of success is kept");
    assert_eq!(alice.get("/application").await.is(200)[0]["image"], first["image"]);
    upload(&alice, id, "file", b"GIF87a").await.is(200);
    assert_ne!(alice.get("/application").await.is(200)[0]["image"], first["image"]);
}

#[tokio::test]
async fn users_are_seen_as_far_as_a_token_may_and_changed_elsewhere() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let own = alice.get("/current/user").await.is(200);
    assert_eq!((&own["name"], &own["admin"]), (&json!("alice"), &json!(false)));
    assert!(own["id"].is_i64() && own["createdAt"].is_string());
    assert_eq!(alice.get("/user").await.is(200), json!([own]));
    let of_bob = bob.get("/current/user").await.is(200)["id"].as_i64().unwrap();
    refused(alice.get(&format!("/user/{of_bob}")).await, 403, "Forbidden");
    assert_eq!(bob.get(&format!("/user/{of_bob}")).await.is(200)["name"], "bob");
    let everybody = s.admin.get("/user").await.is(200);
    let names: Vec<&str> =
        everybody.as_array().unwrap().iter().map(|u| u["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["root", "alice", "bob"]);
    assert_eq!(everybody[0]["admin"], true);
    let page = s.admin.get(&format!("/user?limit=1&after={}", everybody[0]["id"])).await.is(200);
    assert_eq!((page.as_array().unwrap().len(), &page[0]["name"]), (1, &json!("alice")));
    assert_eq!(s.admin.get(&format!("/user/{of_bob}")).await.is(200)["name"], "bob");
    refused(s.admin.get("/user/999").await, 404, "Not Found");
    for (method, path) in [
        (Method::POST, "/user".to_owned()),
        (Method::POST, format!("/user/{of_bob}")),
        (Method::DELETE, format!("/user/{of_bob}")),
    ] {
        let request = s.admin.request(method, &path).json(&json!({"name": "x", "pass": "x"}));
        assert!(refused(s.admin.send(request).await, 403, "Forbidden").contains("tidings user"));
    }
    let password = alice.post("/current/user/password", json!({"pass": "x"})).await;
    assert!(refused(password, 403, "Forbidden").contains("token"));
}

#[tokio::test]
async fn version_and_health_need_no_token_and_topics_stay_topics() {
    let s = start().await;
    let alice = s.user("alice").await;
    let nobody = Client::without_token(&s.url);
    assert_eq!(nobody.get("/health").await.is(200), json!({"health": "green", "database": "green"}));
    let version = nobody.get("/version").await.is(200);
    for name in ["version", "commit", "buildDate"] {
        assert!(version[name].is_string(), "{name}");
    }
    refused(nobody.ask(Method::POST, "/version", json!({})).await, 404, "Not Found");
    alice.send(alice.request(Method::POST, "/messages-of-mine").body("x")).await.is(200);
    alice.get("/message/json?poll=1").await.is(404);
}

#[tokio::test]
async fn slashes_too_many_in_a_client_s_address_lead_to_the_same_place() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (id, app) = application(&alice, "a").await;
    let nobody = Client::without_token(&s.url);
    app.post("//message", json!({"message": "1"})).await.is(200);
    let path = format!("/message/?token={}", app.token);
    nobody.post(&path, json!({"message": "2"})).await.is(200);
    for path in ["//message/", &format!("//application/{id}//message?limit=2")] {
        let page = alice.get(path).await.is(200);
        assert_eq!(texts(page["messages"].as_array().unwrap()), ["2", "1"], "{path}");
    }
    nobody.get("//version").await.is(200);
    refused(alice.get("//stream/").await, 400, "Bad Request");
    refused(nobody.get("//current/user/").await, 401, "Unauthorized");
    alice.get("/api/v1//me").await.is(404);
}

#[tokio::test]
async fn there_are_no_plugins() {
    let s = start().await;
    let alice = s.user("alice").await;
    assert_eq!(alice.get("/plugin").await.is(200), json!([]));
    assert_eq!(refused(alice.get("/plugin/1/config").await, 404, "Not Found"), "unknown plugin");
    let enabled = alice.post("/plugin/1/enable", json!(null)).await;
    assert_eq!(refused(enabled, 404, "Not Found"), "unknown plugin");
    assert_eq!(refused(alice.get("/plugin/x/display").await, 400, "Bad Request"), "invalid id");
    refused(Client::without_token(&s.url).get("/plugin").await, 401, "Unauthorized");
}

#[tokio::test]
async fn what_gotify_has_goes_with_its_user() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (_, app) = application(&alice, "a").await;
    for n in 0..60 {
        publish(&app, &n.to_string()).await;
    }
    s.admin.delete("users/alice").await.is(204);
    refused(app.post("/message", json!({"message": "x"})).await, 401, "Unauthorized");
    let again = s.admin.post("users", json!({"id": "alice", "name": "Alice"})).await;
    assert_eq!(again.status, 409, "its id is not given to another one, who would have its lists");
    let bob = s.user("bob").await;
    assert!(messages(&bob).await.is_empty());
    assert_eq!(bob.get("/application").await.is(200), json!([]));
    s.holds_together().await;
}
