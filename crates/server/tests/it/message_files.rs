//! Tests of messages with a file: who gets it, what is refused before it is read, and when it goes.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server::{FileLimits, ServerConfig};
use tokio::io::AsyncWriteExt;

use crate::connections::RawConnection;
use crate::support::{Answer, Client, Running, start, start_with, until};
use crate::uploads::{DAY_SECS, bytes_on_disk, fetch, file_path, files, picture, until_files};

const FORM: &str = "multipart/form-data; boundary=xyz";
const END: &[u8] = b"--xyz--\r\n";

/// A server with the users alice, bob and cara, who are in the group `team`, and dave, who is not.
async fn with_people(configure: impl FnOnce(&mut ServerConfig)) -> (Running, [Client; 4]) {
    let s = start_with(configure).await;
    let people = [s.user("alice").await, s.user("bob").await, s.user("cara").await, s.user("dave").await];
    let team = json!({"id": "team", "name": "Team", "members": ["bob", "cara"]});
    people[0].post("groups", team).await.is(201);
    (s, people)
}

/// A part of a form; `named` is what its `Content-Disposition` says.
fn part(named: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    let head = format!("--xyz\r\nContent-Disposition: form-data; {named}\r\n\r\n");
    [head.as_bytes(), content.as_ref(), b"\r\n"].concat()
}

fn message_part(message: &Value) -> Vec<u8> {
    part("name=\"message\"", message.to_string())
}

fn file_part(name: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    part(&format!("name=\"file\"; filename=\"{name}\""), content)
}

/// A form with a message and a file.
fn form(message: &Value, name: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    [message_part(message), file_part(name, content), END.to_vec()].concat()
}

async fn send(client: &Client, path: &str, body: Vec<u8>) -> Answer {
    client.send(client.request(Method::POST, path).header("Content-Type", FORM).body(body)).await
}

async fn send_keyed(client: &Client, key: &str, body: Vec<u8>) -> Answer {
    let request = client.request(Method::POST, "messages").header("Content-Type", FORM);
    client.send(request.header("Idempotency-Key", key).body(body)).await
}

/// A connection on which the head of a form of this many bytes was sent, and then these.
async fn begin(client: &Client, path: &str, form_bytes: usize, sent: &[u8]) -> RawConnection {
    let mut raw = RawConnection::open(&client.url).await;
    let head = format!(
        "POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: {FORM}\r\n\
         Content-Length: {form_bytes}\r\n\r\n",
        client.token
    );
    raw.stream.write_all(&[head.as_bytes(), sent].concat()).await.unwrap();
    raw
}

/// The newest item of an inbox.
async fn newest(client: &Client) -> Value {
    client.inbox().await[0].clone()
}

/// The bytes of files that a user has.
async fn used(client: &Client) -> Value {
    client.get("/v1/account").await.is(200)["stats"]["attachment_total_size"].clone()
}

#[tokio::test]
async fn a_message_with_a_file_is_in_both_inboxes_and_the_file_is_fetched_byte_for_byte() {
    let (s, [alice, bob, ..]) = with_people(|_| {}).await;
    let sent = picture(700 * 1024);
    let message =
        json!({"to": "bob", "body": "see this", "attachment": {"name": "x", "url": "https://e.org"}});
    let posted = send(&alice, "messages", form(&message, "fl\u{f6}wer \\\"1\\\".png", &sent)).await.is(201);
    let item = newest(&bob).await;
    assert_eq!((&item["msgid"], &item["created_at"]), (&posted["msgid"], &posted["stamp"]));
    assert_eq!((&item["body"], &item["conversation"]), (&json!("see this"), &json!("user:alice")));
    let attachment = &item["attachment"];
    assert_eq!(
        (&attachment["name"], &attachment["type"]),
        (&json!("fl\u{f6}wer \"1\".png"), &json!("image/png"))
    );
    assert_eq!((&attachment["size"], bob.unread("message").await), (&json!(sent.len()), 1));
    assert_eq!(attachment["url"], format!("{}{}", s.url, file_path(&item)));
    assert!(attachment["expires"].is_i64());
    assert_eq!(newest(&alice).await["attachment"], *attachment);
    let listed = alice.get("conversations").await.is(200);
    assert_eq!(listed[0]["last"]["attachment"], *attachment);
    assert_eq!((fetch(&s, &item).await.bytes == sent, files(s.dir.path()).len()), (true, 1));
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_in_a_group_is_stored_once_for_all_members() {
    let (s, [alice, bob, cara, dave]) = with_people(|_| {}).await;
    send(&bob, "groups/team/messages", form(&json!({"body": ""}), "a.txt", "text")).await.is(201);
    let item = newest(&alice).await;
    assert_eq!((&item["conversation"], &item["attachment"]["name"]), (&json!("group:team"), &json!("a.txt")));
    for member in [&bob, &cara] {
        assert_eq!(newest(member).await["attachment"], item["attachment"]);
    }
    assert_eq!((fetch(&s, &item).await.bytes, files(s.dir.path()).len()), (b"text".to_vec(), 1));
    assert_eq!((used(&bob).await, used(&alice).await, dave.inbox().await), (json!(4), json!(0), vec![]));
    s.holds_together().await;
}

#[tokio::test]
async fn what_looks_like_a_boundary_stays_in_the_file() {
    let (s, [alice, bob, ..]) = with_people(|_| {}).await;
    for (n, content) in
        ["", "\r\n", "--xyz--", "\r\n--xy", "\r\r\n--xy\r\n--x\r\n\r\n--xyy--\r\n--", "--xyz\r\n\r\n"]
            .into_iter()
            .enumerate()
    {
        for content in [content.to_owned(), content.repeat(40_000)] {
            // Such a line would end the file.
            let content = content.replace("\r\n--xyz", "\r\n--xy.");
            let message = json!({"to": "bob", "body": n.to_string()});
            send(&alice, "messages", form(&message, "a.bin", &content)).await.is(201);
            assert!(fetch(&s, &newest(&bob).await).await.bytes == content.as_bytes(), "{n}");
        }
    }
    let epilogue = [form(&json!({"to": "bob", "body": "x"}), "a", "y"), b"epilogue".to_vec()].concat();
    let around = [b"preamble\r\n".to_vec(), epilogue].concat();
    send(&alice, "messages", around).await.is(201);
    assert_eq!(fetch(&s, &newest(&bob).await).await.bytes, b"y");
}

#[tokio::test]
async fn what_is_refused_for_another_reason_is_refused_before_the_file_is_read() {
    let (s, [alice, _, _, dave]) =
        with_people(|c| c.files = FileLimits { file_bytes: 300 * 1024, ..c.files }).await;
    let file_head = b"--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n";
    let until_file = |message: Value| [message_part(&message), file_head.to_vec()].concat();
    let (to_nobody, to_bob) = (json!({"to": "nobody", "body": "x"}), json!({"to": "bob", "body": "x"}));
    let as_alice = json!({"to": "bob", "from": "alice", "body": "x"});
    let invalid = json!({"to": "bob", "body": "x", "priority": 9});
    for (client, path, message, status) in [
        (&alice, "messages", to_nobody, 404),
        (&alice, "groups/none/messages", json!({"body": "x"}), 404),
        (&dave, "groups/team/messages", json!({"body": "x"}), 403),
        (&dave, "messages", as_alice, 403),
        (&dave, "messages", invalid, 400),
    ] {
        let sent = until_file(message);
        let mut raw = begin(client, path, sent.len() + 200 * 1024, &sent).await;
        assert_eq!(raw.answer().await.unwrap().status, status, "{path}");
    }
    let mut raw = begin(&alice, "messages", 20 * 1024 * 1024, b"").await;
    assert_eq!(raw.answer().await.unwrap().status, 413, "by the length of the form alone");
    let mut raw = begin(&alice, "messages", 600 * 1024, &until_file(to_bob.clone())).await;
    assert_eq!(raw.answer().await.unwrap().status, 413, "by what is left for the file");
    assert_eq!(files(s.dir.path()).len(), 0);
    send(&alice, "messages", form(&to_bob, "a.png", picture(300 * 1024))).await.is(201);
}

#[tokio::test]
async fn a_form_has_a_message_and_then_a_file_and_nothing_else() {
    let (s, [alice, bob, ..]) = with_people(|_| {}).await;
    let message = json!({"to": "bob", "body": "x"});
    let first = || message_part(&message);
    let file = || file_part("a.txt", "text");
    let two = |message: Value| [message_part(&message), file()].concat();
    let long_name = file_part(&"n".repeat(1_025), "text");
    for (body, field) in [
        ([file(), first()].concat(), "message"),
        (first(), "file"),
        (vec![], "message"),
        ([first(), part("name=\"other\"; filename=\"a\"", "x")].concat(), "file"),
        ([first(), part("name=\"file\"", "x")].concat(), "file"),
        ([first(), part("name=\"file\"; filename=\"\"", "x")].concat(), "file"),
        ([first(), file(), file()].concat(), "body"),
        ([first(), long_name].concat(), "filename"),
        (two(json!({"body": "x"})), "to"),
        (two(json!({"to": "bob"})), "body"),
    ] {
        send(&alice, "messages", [body, END.to_vec()].concat()).await.problem(400, "invalid", Some(field));
    }
    let in_array = [message_part(&json!([message])), file(), END.to_vec()].concat();
    assert_eq!(send(&alice, "messages", in_array).await.is(400)["code"], "invalid");
    let cut_off = [first(), file()].concat();
    send(&alice, "messages", cut_off).await.problem(400, "invalid", Some("body"));
    let endless_head = part(&format!("name=\"message\"; x=\"{}\"", "y".repeat(200 * 1024)), "x");
    send(&alice, "messages", endless_head).await.problem(400, "invalid", Some("body"));
    let request = alice.request(Method::POST, "messages").header("Content-Type", "multipart/form-data");
    let refused = alice.send(request.body(form(&message, "a", "x"))).await;
    refused.problem(400, "invalid", Some("Content-Type"));
    until_files(&s, "nothing is left", 0).await;
    assert_eq!((bob.unread("total").await, used(&alice).await), (0, json!(0)));
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_that_breaks_off_leaves_nothing_and_goes_to_the_disk_while_it_comes() {
    let (s, [alice, bob, ..]) = with_people(|_| {}).await;
    let whole = form(&json!({"to": "bob", "body": "x"}), "a.png", picture(1024 * 1024));
    let mut raw = begin(&alice, "messages", whole.len(), &whole[..200 * 1024]).await;
    until("it is being written", || async { bytes_on_disk(s.dir.path()) >= 100 * 1024 }).await;
    drop(raw);
    until_files(&s, "it is removed", 0).await;
    assert_eq!(bob.unread("total").await, 0);
    raw = begin(&alice, "messages", whole.len(), &whole[..600 * 1024]).await;
    raw.stream.write_all(&whole[600 * 1024..]).await.unwrap();
    assert_eq!(raw.answer().await.unwrap().status, 201);
    assert_eq!(bytes_on_disk(s.dir.path()), 1024 * 1024);
}

#[tokio::test]
async fn a_file_whose_recipient_goes_while_it_comes_leaves_nothing() {
    let (s, [alice, ..]) = with_people(|_| {}).await;
    let whole = form(&json!({"to": "bob", "body": "x"}), "a.png", picture(400 * 1024));
    let mut raw = begin(&alice, "messages", whole.len(), &whole[..200 * 1024]).await;
    until("it is being written", || async { bytes_on_disk(s.dir.path()) >= 100 * 1024 }).await;
    s.admin.delete("users/bob").await.is(204);
    raw.stream.write_all(&whole[200 * 1024..]).await.unwrap();
    assert_eq!(raw.answer().await.unwrap().status, 404);
    until_files(&s, "it is removed", 0).await;
    assert_eq!((alice.inbox().await, used(&alice).await), (vec![], json!(0)));
    s.holds_together().await;
}

#[tokio::test]
async fn a_repeated_form_has_its_first_answer_and_keeps_one_file() {
    let (s, [alice, bob, ..]) = with_people(|_| {}).await;
    let body = || form(&json!({"to": "bob", "body": "once"}), "a.txt", "text");
    let (one, other) = tokio::join!(send_keyed(&alice, "k", body()), send_keyed(&alice, "k", body()));
    let first = one.is(201);
    assert_eq!(other.is(201), first, "two at once have one answer");
    assert_eq!(send_keyed(&alice, "k", body()).await.is(201), first);
    let another = form(&json!({"to": "nobody", "body": "x"}), "b.txt", "other");
    assert_eq!(send_keyed(&alice, "k", another).await.is(201), first, "a key stands for its first request");
    until_files(&s, "one file is left", 1).await;
    assert_eq!(
        (fetch(&s, &newest(&bob).await).await.bytes, bob.unread("total").await),
        (b"text".to_vec(), 1)
    );
    let refused = form(&json!({"to": "nobody", "body": "x"}), "a.txt", "text");
    send_keyed(&alice, "l", refused).await.is(404);
    send_keyed(&alice, "l", body()).await.is(201);
    s.holds_together().await;
}

#[tokio::test]
async fn files_of_messages_take_the_room_of_their_sender() {
    let (s, [alice, bob, ..]) =
        with_people(|c| c.files = FileLimits { user_bytes: 1_000, total_bytes: 1_900, ..c.files }).await;
    let to_bob = json!({"to": "bob", "body": "x"});
    let body = |bytes| form(&to_bob, "a.png", picture(bytes));
    send(&alice, "messages", body(600)).await.is(201);
    assert_eq!((used(&alice).await, used(&bob).await), (json!(600), json!(0)));
    send(&alice, "messages", body(401)).await.problem(413, "too_large", None);
    let uploaded = alice.request(Method::PUT, "/t").header("Filename", "a.png").body(picture(401));
    assert_eq!(alice.send(uploaded).await.is(413)["code"], 41301, "ntfy's uploads share it");
    // A program's files are its own, for whomever it publishes.
    let press = s.publisher().await;
    let for_alice = json!({"to": "bob", "from": "alice", "body": "x"});
    send(&press, "messages", form(&for_alice, "a.png", picture(900))).await.is(201);
    assert_eq!(used(&alice).await, 600);
    send(&bob, "messages", body(401)).await.problem(413, "too_large", None);
    until_files(&s, "two are left", 2).await;
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_that_is_too_large_leaves_nothing_also_where_nothing_tells_its_size() {
    let (s, [alice, bob, ..]) =
        with_people(|c| c.files = FileLimits { file_bytes: 300 * 1024, ..c.files }).await;
    let large = form(&json!({"to": "bob", "body": "x"}), "a.png", picture(300 * 1024 + 1));
    send(&alice, "messages", large.clone()).await.problem(413, "too_large", None);
    let pieces: Vec<_> = large.chunks(10_000).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let request = alice.request(Method::POST, "messages").header("Content-Type", FORM).body(body);
    alice.send(request).await.problem(413, "too_large", None);
    until_files(&s, "nothing is left", 0).await;
    assert_eq!((bob.unread("total").await, used(&alice).await), (0, json!(0)));
}

#[tokio::test]
async fn files_of_messages_go_with_time_with_retention_and_with_their_sender() {
    let often = |c: &mut ServerConfig| {
        c.upkeep_interval = Duration::from_millis(50);
        c.retain_now = true;
    };
    let (s, [alice, bob, cara, _]) = with_people(often).await;
    let to_bob = form(&json!({"to": "bob", "body": "x"}), "a.txt", "hers");
    send(&alice, "messages", to_bob).await.is(201);
    let note = form(&json!({"to": "alice", "body": "x"}), "n.txt", "a note");
    send(&alice, "messages", note).await.is(201);
    let to_team = form(&json!({"body": "x"}), "b.txt", "his");
    send(&bob, "groups/team/messages", to_team).await.is(201);
    s.admin.delete("users/alice").await.is(204);
    until_files(&s, "her note is gone, and bob has hers", 2).await;
    let item = newest(&cara).await;
    assert_eq!(fetch(&s, &item).await.bytes, b"his");
    s.clock.advance(30 * DAY_SECS + 1);
    assert_eq!(fetch(&s, &item).await.status, 404);
    until_files(&s, "both have expired", 0).await;
    assert_eq!(newest(&cara).await["attachment"], item["attachment"], "which says when it expired");
    s.holds_together().await;
    let (s, [alice, ..]) = with_people(|c| {
        often(c);
        c.retain = Some(Duration::from_secs(3_600));
    })
    .await;
    for path in ["messages", "groups/team/messages"] {
        send(&alice, path, form(&json!({"to": "bob", "body": "x"}), "a.txt", "text")).await.is(201);
    }
    assert_eq!(files(s.dir.path()).len(), 2);
    s.clock.advance(3_601);
    until_files(&s, "both are gone with their messages", 0).await;
    s.holds_together().await;
}

#[tokio::test]
async fn a_form_needs_what_json_needs() {
    let (s, [alice, _, _, dave]) = with_people(|_| {}).await;
    let revoked = s.server.create_token("alice", "old", &[Scope::Admin]).await.unwrap();
    s.server.revoke_token(&revoked.about.id).await.unwrap();
    let (press, revoked) = (s.publisher().await, Client::new(&s.url, &revoked.token));
    let nobody = Client::without_token(&s.url);
    for path in ["messages", "groups/team/messages"] {
        for (client, status) in
            [(&nobody, 401), (&revoked, 401), (&dave, 403), (&press, 201), (&alice, 201), (&s.admin, 201)]
        {
            let as_alice = json!({"to": "bob", "from": "alice", "body": "x"});
            send(client, path, form(&as_alice, "a.txt", "text")).await.is(status);
        }
    }
    until_files(&s, "each that was let in has stored one", 6).await;
}

#[tokio::test]
async fn a_server_says_how_large_a_file_may_be_and_describes_the_form() {
    let s = start().await;
    let info = s.admin.get("info").await.is(200);
    assert_eq!(info["limits"]["file_bytes"], 15 * 1024 * 1024);
    assert!(info["features"].as_array().unwrap().contains(&json!("attachments")));
    let reference = s.admin.get("openapi.json").await.is(200);
    for path in ["/api/v1/messages", "/api/v1/groups/{gid}/messages"] {
        let content = &reference["paths"][path]["post"]["requestBody"]["content"];
        let described = &content["multipart/form-data"]["schema"];
        assert_eq!(described["required"], json!(["message", "file"]), "{path}");
        assert_eq!(described["properties"]["message"], content["application/json"]["schema"]["oneOf"][0]);
    }
    let (without, [alice, ..]) = with_people(|c| c.files.file_bytes = 0).await;
    let info = alice.get("info").await.is(200);
    assert_eq!(info["limits"]["file_bytes"], 0);
    assert!(!info["features"].as_array().unwrap().contains(&json!("attachments")));
    let body = form(&json!({"to": "bob", "body": "x"}), "a.txt", "text");
    send(&alice, "messages", body).await.problem(413, "too_large", None);
    assert_eq!(files(without.dir.path()).len(), 0);
}
