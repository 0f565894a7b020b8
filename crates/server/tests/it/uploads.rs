//! Tests of files that are uploaded through ntfy's API: what is stored, who gets it, and when it goes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server::{FileLimits, ServerConfig};
use tokio::io::AsyncWriteExt;

use crate::connections::RawConnection;
use crate::support::{Answer, Client, Running, TEST_TIMEOUT, start_in, start_with, until};

pub(crate) const DAY_SECS: i64 = 24 * 3_600;
const TEXT_BYTES: usize = 256 * 1024;

/// A standalone server, and a client of its owner.
async fn standalone(configure: impl FnOnce(&mut ServerConfig)) -> (Running, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
        configure(c);
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    (s, me)
}

/// A server whose upkeep runs all the time.
async fn with_upkeep(configure: impl FnOnce(&mut ServerConfig)) -> (Running, Client) {
    standalone(|c| {
        c.upkeep_interval = Duration::from_millis(50);
        c.retain_now = true;
        configure(c);
    })
    .await
}

pub(crate) async fn upload(
    client: &Client,
    path: &str,
    body: impl Into<Vec<u8>>,
    headers: &[(&str, &str)],
) -> Answer {
    let request = client.request(Method::PUT, path).body(body.into());
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    client.send(request).await
}

/// A downloaded file.
pub(crate) struct Download {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

/// Asks for the file of a message, as an app does: without a token.
async fn download(s: &Running, message: &Value, method: Method, headers: &[(&str, &str)]) -> Download {
    let path = file_path(message);
    let request = Client::without_token(&s.url).request(method, &path);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Download { status, headers, bytes: response.bytes().await.unwrap().to_vec() }
}

pub(crate) async fn fetch(s: &Running, message: &Value) -> Download {
    download(s, message, Method::GET, &[]).await
}

/// The path of a message's file.
pub(crate) fn file_path(message: &Value) -> String {
    let url = message["attachment"]["url"].as_str().expect("a file");
    format!("/file/{}", url.split("/file/").nth(1).unwrap())
}

/// Everything in the folder of files.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir.join("files")) else { return vec![] };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The bytes of everything in the folder of files.
pub(crate) fn bytes_on_disk(dir: &Path) -> u64 {
    files(dir).iter().filter_map(|path| path.metadata().ok()).map(|metadata| metadata.len()).sum()
}

pub(crate) async fn until_files(s: &Running, what: &str, count: usize) {
    until(what, || async { files(s.dir.path()).len() == count }).await;
}

/// A picture of this many bytes.
pub(crate) fn picture(bytes: usize) -> Vec<u8> {
    let start = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    (0..bytes).map(|i| start.get(i).copied().unwrap_or(u8::try_from(i % 251).unwrap())).collect()
}

#[tokio::test]
async fn a_file_that_curl_sends_is_listed_seen_in_the_inbox_and_fetched_byte_for_byte() {
    let (s, me) = standalone(|_| {}).await;
    let sent = picture(700 * 1024);
    let headers = [("Filename", "=?UTF-8?Q?dir/fl=C3=B6wer.png?="), ("Title", "Garden")];
    let answer = upload(&me, "/photos", sent.clone(), &headers).await.is(200);
    let attachment = &answer["attachment"];
    assert_eq!(answer["message"], "You received a file: fl\u{f6}wer.png");
    assert_eq!((&attachment["name"], &attachment["type"]), (&json!("fl\u{f6}wer.png"), &json!("image/png")));
    assert_eq!(attachment["size"], sent.len());
    let expires = attachment["expires"].as_i64().unwrap();
    assert!((30 * DAY_SECS - 60..=30 * DAY_SECS).contains(&(expires - answer["time"].as_i64().unwrap())));
    let address = format!("{}{}", s.url, file_path(&answer));
    assert_eq!(attachment["url"], address);
    assert_eq!(me.get("/photos/json?poll=1").await.is(200)["attachment"], *attachment);
    assert_eq!(me.inbox().await[0]["attachment"], *attachment);
    let fetched = fetch(&s, &answer).await;
    assert_eq!((fetched.status, fetched.bytes == sent), (200, true));
    assert_eq!(fetched.headers["content-type"], "image/png");
    assert_eq!(fetched.headers["content-length"], sent.len().to_string());
    let named = "inline; filename=\"fl_wer.png\"; filename*=UTF-8''fl%C3%B6wer.png";
    assert_eq!(fetched.headers["content-disposition"], named);
    assert_eq!(fetched.headers["content-security-policy"], "default-src 'none'; sandbox");
    assert_eq!(fetched.headers["x-content-type-options"], "nosniff");
    assert!(fetched.headers["cache-control"].to_str().unwrap().starts_with("private, max-age=25"));
    s.holds_together().await;
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_the_folder_and_its_names_tell_no_address() {
    use std::os::unix::fs::PermissionsExt;
    let (s, me) = standalone(|_| {}).await;
    let answer = upload(&me, "/t", "text", &[("f", "a.txt")]).await.is(200);
    let [file]: [PathBuf; 1] = files(s.dir.path()).try_into().unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(!file_path(&answer).contains(name));
    let nobody = Client::without_token(&s.url);
    for path in [format!("/file/{name}"), "/file/..%2Fserver.db".to_owned(), "/file/x".to_owned()] {
        let refused = nobody.send(nobody.request(Method::GET, &path)).await.is(404);
        assert_eq!((&refused["code"], &refused["http"]), (&json!(40401), &json!(404)), "{path}");
    }
}

#[tokio::test]
async fn parts_heads_and_known_files_are_answered_as_http_says() {
    let (s, me) = standalone(|_| {}).await;
    let sent = picture(1_000);
    let message = upload(&me, "/t", sent.clone(), &[("Filename", "a.png")]).await.is(200);
    let part = |range: &'static str| {
        let (s, message) = (&s, &message);
        async move { download(s, message, Method::GET, &[("Range", range)]).await }
    };
    for (range, from, to) in [("bytes=10-19", 10, 20), ("bytes=-5", 995, 1_000), ("bytes=990-", 990, 1_000)] {
        let got = part(range).await;
        assert_eq!((got.status, &got.bytes[..]), (206, &sent[from..to]), "{range}");
        assert_eq!(got.headers["content-range"], format!("bytes {from}-{}/1000", to - 1));
    }
    let beyond = part("bytes=1000-").await;
    assert_eq!((beyond.status, beyond.bytes.len()), (416, 0));
    assert_eq!(beyond.headers["content-range"], "bytes */1000");
    assert_eq!(part("bytes=0-1,5-6").await.bytes, sent, "several parts are the whole");
    let head = download(&s, &message, Method::HEAD, &[]).await;
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.headers["content-length"], "1000");
    assert_eq!(head.headers["accept-ranges"], "bytes");
    let etag = head.headers["etag"].to_str().unwrap();
    let known = download(&s, &message, Method::GET, &[("If-None-Match", etag)]).await;
    assert_eq!((known.status, known.bytes.len()), (304, 0));
    let of_this = [("Range", "bytes=0-9"), ("If-Range", etag)];
    assert_eq!(download(&s, &message, Method::GET, &of_this).await.status, 206);
    let of_another = [("Range", "bytes=0-9"), ("If-Range", "\"another\"")];
    assert_eq!(download(&s, &message, Method::GET, &of_another).await.bytes, sent);
}

#[tokio::test]
async fn a_body_that_is_no_text_and_one_that_is_too_long_are_files_without_a_name() {
    let (s, me) = standalone(|_| {}).await;
    for (body, name) in [
        (picture(100), "attachment.png"),
        (b"\xff\xfe\x00\x01".to_vec(), "attachment.bin"),
        (vec![0; 100], "attachment.bin"),
        ("x".repeat(TEXT_BYTES + 1).into_bytes(), "attachment.txt"),
    ] {
        let message = upload(&me, "/t", body.clone(), &[("m", "see this")]).await.is(200);
        assert_eq!((&message["attachment"]["name"], &message["message"]), (&json!(name), &json!("see this")));
        assert_eq!(fetch(&s, &message).await.bytes, body);
    }
    let text = "x".repeat(TEXT_BYTES);
    let message = upload(&me, "/t", text.clone(), &[]).await.is(200);
    assert_eq!((&message["message"], &message["attachment"]), (&json!(text), &Value::Null));
    let by_url = [("Attach", "https://example.org/a.jpg"), ("Filename", "b.jpg")];
    let message = upload(&me, "/t", "a text", &by_url).await.is(200);
    assert_eq!((&message["message"], &message["attachment"]["name"]), (&json!("a text"), &json!("b.jpg")));
    assert_eq!(upload(&me, "/t", b"\xff".to_vec(), &by_url).await.is(400)["code"], 40011);
    let message = upload(&me, "/t?up=1", b"\xff\x00".to_vec(), &[]).await.is(200);
    assert_eq!((&message["message"], &message["encoding"]), (&json!("/wA="), &json!("base64")));
    assert_eq!(files(s.dir.path()).len(), 4);
}

#[tokio::test]
async fn the_message_of_json_that_names_a_file_without_an_address_is_that_file() {
    let (s, me) = standalone(|_| {}).await;
    let named = json!({"topic": "t", "message": "two\nlines", "title": "Log", "filename": "dir/build.txt"});
    let message = me.post("/", named).await.is(200);
    assert_eq!((&message["attachment"]["name"], &message["title"]), (&json!("build.txt"), &json!("Log")));
    assert_eq!(message["message"], "You received a file: build.txt");
    assert_eq!(fetch(&s, &message).await.bytes, b"two\nlines");
    let by_header = me.request(Method::POST, "/").header("Filename", "a.txt").header("Message", "see this");
    let message = me.send(by_header.json(&json!({"topic": "t"}))).await.is(200);
    assert_eq!((&message["attachment"]["name"], &message["message"]), (&json!("a.txt"), &json!("see this")));
    assert_eq!(fetch(&s, &message).await.bytes, b"triggered", "as with ntfy");
    let for_program = json!({"topic": "t", "message": "text", "filename": "a.txt"});
    let message = me.post("/?up=1", for_program).await.is(200);
    assert_eq!((&message["message"], &message["attachment"]), (&json!("text"), &Value::Null));
    assert_eq!(files(s.dir.path()).len(), 2);
}

#[tokio::test]
async fn what_could_run_in_a_browser_is_saved_and_never_shown() {
    let (s, me) = standalone(|_| {}).await;
    for body in [
        "<!DOCTYPE html><script>alert(1)</script>",
        "<html ><body>",
        "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        "<?xml version='1.0'?><x/>",
        "%PDF-1.7 (a document)",
    ] {
        let message = upload(&me, "/t", body, &[("Filename", "picture.png")]).await.is(200);
        let got = fetch(&s, &message).await;
        assert_eq!(got.headers["content-type"], "application/octet-stream", "{body}");
        assert!(got.headers["content-disposition"].to_str().unwrap().starts_with("attachment;"), "{body}");
        assert_eq!(got.headers["content-security-policy"], "default-src 'none'; sandbox");
    }
    let message = upload(&me, "/t", "plain", &[("Filename", "page.html")]).await.is(200);
    assert_eq!(fetch(&s, &message).await.headers["content-type"], "text/plain; charset=utf-8");
}

#[tokio::test]
async fn a_file_that_is_too_large_leaves_nothing() {
    let (s, me) = standalone(|c| c.files = FileLimits { file_bytes: 300 * 1024, ..c.files }).await;
    let large = picture(300 * 1024 + 1);
    let refused = upload(&me, "/t", large.clone(), &[("Filename", "a.png")]).await;
    assert_eq!(refused.is(413)["code"], 41301);
    // Its size is not known beforehand.
    let parts =
        large.chunks(64 * 1024).map(|part| Ok::<_, std::io::Error>(part.to_vec())).collect::<Vec<_>>();
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(parts));
    let request = me.request(Method::PUT, "/t").header("Filename", "a.png").body(body);
    assert_eq!(me.send(request).await.is(413)["code"], 41301);
    until_files(&s, "nothing is left", 0).await;
    let refused = upload(&me, "/t", "x", &[("Filename", "a"), ("Priority", "9")]).await;
    assert_eq!(refused.is(400)["code"], 40007, "nothing was stored for it");
    assert_eq!((files(s.dir.path()).len(), me.unread("total").await), (0, 0));
    upload(&me, "/t", picture(300 * 1024), &[("Filename", "a.png")]).await.is(200);
}

#[tokio::test]
async fn a_user_has_so_much_room_and_gets_it_back() {
    let (s, me) =
        standalone(|c| c.files = FileLimits { user_bytes: 1_000, total_bytes: 1_900, ..c.files }).await;
    let other = s.user("other").await;
    let nobody = Client::without_token(&s.url);
    let named = [("Filename", "a.png")];
    let first = upload(&me, "/t", picture(600), &named).await.is(200);
    let account = me.get("/v1/account").await.is(200);
    assert_eq!(
        (&account["limits"]["attachment_total_size"], &account["stats"]["attachment_total_size"]),
        (&json!(1_000), &json!(600))
    );
    assert_eq!(account["stats"]["attachment_total_size_remaining"], 400);
    assert_eq!(account["limits"]["attachment_file_size"], 15 * 1024 * 1024);
    assert_eq!(account["limits"]["attachment_expiry_duration"], 30 * DAY_SECS);
    assert_eq!(upload(&me, "/t", picture(401), &named).await.is(413)["code"], 41301);
    upload(&other, "/t", picture(800), &named).await.is(200);
    assert_eq!(
        upload(&nobody, "/t", picture(501), &named).await.is(413)["code"],
        41301,
        "all files together"
    );
    until_files(&s, "two are left", 2).await;
    me.delete(&format!("/t/{}", first["id"].as_str().unwrap())).await.is(200);
    until_files(&s, "its file is gone", 1).await;
    let has_room =
        async |client: &Client, bytes| upload(client, "/t", picture(bytes), &named).await.status == 200;
    until("there is room again", || has_room(&me, 500)).await;
    until("for others too", || has_room(&nobody, 501)).await;
    s.holds_together().await;
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let (s, me) = standalone(|_| {}).await;
    let mut raw = begin_upload(&me, 1024 * 1024).await;
    raw.stream.write_all(&picture(200 * 1024)).await.unwrap();
    until("it is being written", || async { bytes_on_disk(s.dir.path()) >= 100 * 1024 }).await;
    assert!(files(s.dir.path())[0].extension().is_some_and(|end| end == "part"));
    drop(raw);
    until_files(&s, "it is removed", 0).await;
    assert_eq!(me.unread("total").await, 0);
}

/// A connection on which the head of an upload of this many bytes was sent.
async fn begin_upload(client: &Client, bytes: usize) -> RawConnection {
    let mut raw = RawConnection::open(&client.url).await;
    let head = format!(
        "PUT /t HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nFilename: a.png\r\n\
         Content-Length: {bytes}\r\n\r\n",
        client.token
    );
    raw.stream.write_all(head.as_bytes()).await.unwrap();
    raw
}

#[tokio::test]
async fn eight_large_files_at_once_go_to_the_disk_while_they_come() {
    const BYTES: usize = 15 * 1024 * 1024;
    let (s, me) = standalone(|c| {
        c.files.user_bytes = 8 * BYTES as u64;
        c.body_part_timeout = TEST_TIMEOUT;
    })
    .await;
    let sent = picture(BYTES);
    let mut uploads = Vec::new();
    for _ in 0..8 {
        let mut raw = begin_upload(&me, BYTES).await;
        raw.stream.write_all(&sent[..BYTES - 1]).await.unwrap();
        uploads.push(raw);
    }
    until("nearly all of it is on the disk", || async {
        bytes_on_disk(s.dir.path()) >= 8 * (BYTES - 1024 * 1024) as u64
    })
    .await;
    let one_more = upload(&me, "/t", "x", &[("Filename", "a.txt")]).await;
    assert_eq!(one_more.is(429)["code"], 42905);
    for raw in &mut uploads {
        raw.stream.write_all(&sent[BYTES - 1..]).await.unwrap();
        assert_eq!(raw.answer().await.unwrap().status, 200);
    }
    assert_eq!(bytes_on_disk(s.dir.path()), 8 * BYTES as u64);
    for item in me.inbox().await {
        let size = download(&s, &item, Method::HEAD, &[]).await.headers["content-length"].clone();
        assert_eq!(size, BYTES.to_string());
    }
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_goes_when_its_time_is_over_and_its_notification_stays() {
    let (s, me) = with_upkeep(|_| {}).await;
    let message = upload(&me, "/t", "text", &[("Filename", "a.txt")]).await.is(200);
    assert_eq!(fetch(&s, &message).await.bytes, b"text");
    s.clock.advance(30 * DAY_SECS + 1);
    assert_eq!(fetch(&s, &message).await.status, 404);
    until_files(&s, "the file is gone", 0).await;
    let item = me.inbox().await[0].clone();
    assert_eq!(item["attachment"], message["attachment"], "which says when it expired");
    let stats = || async { me.get("/v1/account").await.is(200)["stats"]["attachment_total_size"].clone() };
    assert_eq!(stats().await, 0);
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_is_kept_no_longer_than_its_notification() {
    let (s, me) = with_upkeep(|c| c.retain = Some(Duration::from_secs(3_600))).await;
    let message = upload(&me, "/t", "text", &[("Filename", "a.txt")]).await.is(200);
    let expires = message["attachment"]["expires"].as_i64().unwrap();
    assert!(expires - message["time"].as_i64().unwrap() <= 3_600);
    s.clock.advance(3_601);
    until_files(&s, "the file is gone", 0).await;
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_goes_when_its_publication_is_deleted_or_gets_another_content() {
    let (s, me) = standalone(|_| {}).await;
    let under = [("Filename", "a.txt"), ("X-Sequence-ID", "run")];
    let first = upload(&me, "/t", "first", &under).await.is(200);
    let second = upload(&me, "/t", "second", &under).await.is(200);
    until_files(&s, "the first is gone", 1).await;
    assert_eq!((fetch(&s, &first).await.status, fetch(&s, &second).await.bytes), (404, b"second".to_vec()));
    upload(&me, "/t", "no file", &[("X-Sequence-ID", "run")]).await.is(200);
    until_files(&s, "the second is gone", 0).await;
    upload(&me, "/t", "third", &under).await.is(200);
    assert_eq!(files(s.dir.path()).len(), 1);
    me.delete("/t/run").await.is(200);
    until_files(&s, "the third is gone", 0).await;
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_goes_at_once_when_its_notification_is_recalled() {
    let (s, me) = standalone(|_| {}).await;
    let sent = upload(&me, "/t", "secret", &[("Filename", "a.txt")]).await.is(200);
    me.delete(&format!("notifications/{}", sent["id"].as_str().unwrap())).await.is(204);
    assert_eq!(fetch(&s, &sent).await.status, 404);
    until_files(&s, "it is gone from the disk", 0).await;
    s.holds_together().await;
}

#[tokio::test]
async fn the_files_of_a_removed_user_go_that_nobody_else_has() {
    let s = start_with(|c| c.upkeep_interval = Duration::from_millis(50)).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let target = json!({"target": {"type": "topic", "id": "read"}, "actions": ["publish"]});
    bob.put("subscriptions", target).await.is(200);
    upload(&alice, "/unread", "hers", &[("Filename", "a.txt")]).await.is(200);
    let shared = upload(&alice, "/read", "for bob", &[("Filename", "a.txt")]).await.is(200);
    let his = upload(&bob, "/unread", "his", &[("Filename", "b.txt")]).await.is(200);
    s.admin.delete("users/alice").await.is(204);
    until_files(&s, "what nobody else has is gone", 2).await;
    assert_eq!(fetch(&s, &shared).await.bytes, b"for bob");
    assert_eq!(fetch(&s, &his).await.bytes, b"his");
    s.holds_together().await;
}

#[tokio::test]
async fn a_start_tidies_what_a_kill_or_a_restore_left() {
    let (s, me) = standalone(|_| {}).await;
    let kept = upload(&me, "/t", "kept", &[("Filename", "a.txt")]).await.is(200);
    let kept_file = files(s.dir.path())[0].clone();
    let lost = upload(&me, "/t", "lost", &[("Filename", "b.txt")]).await.is(200);
    let lost_file = files(s.dir.path()).into_iter().find(|file| *file != kept_file).unwrap();
    let (token, (dir, clock)) = (me.token.clone(), s.stop().await);
    std::fs::remove_file(lost_file).unwrap();
    let folder = dir.path().join("files");
    for name in [format!("{}.part", "a".repeat(64)), "b".repeat(64), "a note.txt".to_owned()] {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    let s = start_in(dir, clock, |_| {}).await;
    until_files(&s, "what nobody knows is gone, and what is nobody's business stays", 2).await;
    assert_eq!(fetch(&s, &kept).await.bytes, b"kept");
    assert_eq!(fetch(&s, &lost).await.status, 404);
    let me = Client::new(&s.url, &token);
    let used = me.get("/v1/account").await.is(200)["stats"]["attachment_total_size"].clone();
    assert_eq!(used, 4);
    s.holds_together().await;
}

#[tokio::test]
async fn a_delayed_file_is_there_when_its_message_comes() {
    let (s, me) = standalone(|c| c.files.keep = Duration::from_secs(7_200)).await;
    let later = |delay| [("Filename", "a.txt"), ("In", delay)];
    let message = upload(&me, "/t", "later", &later("30 min")).await.is(200);
    assert_eq!(me.unread("total").await, 0);
    s.clock.advance(1_801);
    let cancelled = upload(&me, "/t", "never", &later("1h")).await.is(200);
    until("it is delivered", || async { me.unread("total").await == 1 }).await;
    assert_eq!(me.inbox().await[0]["attachment"], message["attachment"]);
    assert_eq!(fetch(&s, &message).await.bytes, b"later");
    me.delete(&format!("/t/{}", cancelled["id"].as_str().unwrap())).await.is(200);
    until_files(&s, "what was cancelled is gone", 1).await;
    me.delete(&format!("/t/{}", message["id"].as_str().unwrap())).await.is(200);
    until_files(&s, "what was delivered and deleted is gone", 0).await;
    let refused = upload(&me, "/t", "too late", &later("3h")).await;
    assert_eq!(refused.is(400)["code"], 40015);
    s.holds_together().await;
}

#[tokio::test]
async fn a_program_without_a_token_uploads_where_it_may_publish() {
    let (s, me) = standalone(|c| c.files.user_bytes = 1_000).await;
    let nobody = Client::without_token(&s.url);
    let named = [("Filename", "a.txt")];
    let message = upload(&nobody, "/t", vec![b'x'; 900], &named).await.is(200);
    assert_eq!(me.inbox().await[0]["attachment"], message["attachment"]);
    assert_eq!(
        upload(&nobody, "/u", vec![b'x'; 900], &named).await.is(413)["code"],
        41301,
        "they share their room"
    );
    upload(&me, "/t", vec![b'x'; 900], &named).await.is(200);
    let closed = start_with(|_| {}).await;
    let refused = upload(&Client::without_token(&closed.url), "/t", "x", &named).await;
    assert_eq!((refused.is(403)["code"].clone(), files(closed.dir.path())), (json!(40301), vec![]));
    let (without, me) = standalone(|c| c.files.file_bytes = 0).await;
    assert_eq!(upload(&me, "/t", "x", &named).await.is(400)["code"], 40014);
    assert_eq!(files(without.dir.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_repeated_upload_is_stored_once() {
    let (s, me) = standalone(|_| {}).await;
    let keyed = [("Filename", "a.txt"), ("Idempotency-Key", "k")];
    let (one, other) = tokio::join!(upload(&me, "/t", "text", &keyed), upload(&me, "/t", "text", &keyed));
    let first = one.is(200);
    assert_eq!(other.is(200), first, "two at once have one answer");
    assert_eq!(upload(&me, "/t", "text", &keyed).await.is(200), first);
    until_files(&s, "one file is left", 1).await;
    assert_eq!((fetch(&s, &first).await.bytes, me.unread("total").await), (b"text".to_vec(), 1));
    s.holds_together().await;
}

#[tokio::test]
async fn a_file_has_the_address_under_which_the_server_is_known() {
    let url = |answer: Answer| answer.is(200)["attachment"]["url"].as_str().unwrap().to_owned();
    let through_proxy =
        [("Filename", "a"), ("X-Forwarded-For", "203.0.113.5"), ("X-Forwarded-Proto", "https")];
    let (s, me) = standalone(|_| {}).await;
    let of_a_stranger = url(upload(&me, "/t", "x", &through_proxy).await);
    assert!(
        of_a_stranger.starts_with(&format!("{}/file/", s.url)),
        "a proxy that nobody named is not believed"
    );
    let (s, me) = standalone(|c| c.trust_proxy = vec!["127.0.0.1".parse().unwrap()]).await;
    let secure = s.url.replace("http://", "https://");
    assert!(url(upload(&me, "/t", "x", &through_proxy).await).starts_with(&format!("{secure}/file/")));
    let (_s, me) = standalone(|c| c.public_url = Some("https://push.example.org/".to_owned())).await;
    assert!(url(upload(&me, "/t", "x", &through_proxy).await).starts_with("https://push.example.org/file/"));
}
