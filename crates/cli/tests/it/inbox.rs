//! Tests of the inbox in the terminal: pulled, listed, searched, marked, snoozed.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::{Actor, Stamp, SystemClock};
use tidings_replica::{NewSource, NotifyLevel, NotifySettings, Page, Replica, ServiceItem, Subscription};
use tidings_testkit::wait::until_blocking;

use crate::data_folder::{DataFolder, msgid, replica, server_and_replica};
use crate::serving::Serving;

#[test]
fn a_message_is_sent_pulled_counted_found_read_and_the_server_hears_of_it() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&[
        "send",
        "--to",
        "ana",
        "--title",
        "Nightly",
        "--priority",
        "4",
        "Backup",
        "done",
        "备份完成",
    ]);
    server_dir.run(&["send", "--to", "ana", "Second one"]);
    assert_eq!(laptop.json(&["pull"])["sources"]["Work"]["arrived"], 2);
    assert_eq!(
        laptop.json(&["unread"]),
        json!({"total": 2, "announcement": 0, "reminder": 0, "message": 2, "sources": {"Work": 2},
            "counted": {"total": 2, "announcement": 0, "reminder": 0, "message": 2, "sources": {"Work": 2}}})
    );
    let list = laptop.json(&["list"]);
    assert_eq!(list[0]["body"], "Second one", "newest first");
    assert_eq!(list[1]["title"], "Nightly");
    assert_eq!(list[1]["priority"], 4);
    assert_eq!(list[1]["source"], "Work");
    assert_eq!(list[1]["conversation"], "user:admin");
    assert!(list[1]["read_at"].is_null());
    let found = laptop.json(&["search", "备份"]);
    assert_eq!((found.as_array().unwrap().len(), msgid(&found[0])), (1, msgid(&list[1])));
    assert_eq!(laptop.json(&["search", "is:quiet"]), json!([]), "all of it counts");
    let mistyped = laptop.try_run(&["search", "secnod"]);
    assert_eq!((mistyped.code, mistyped.out.as_str()), (Some(0), ""));
    assert!(mistyped.err.contains("did you mean: second (1)"), "{}", mistyped.err);
    assert_eq!(laptop.json(&["search", "secnod"]), json!([]));

    laptop.run(&["mark", "archive", msgid(&list[0])]);
    assert_eq!(laptop.unread(), 1, "a mark holds before it is sent");
    let other = replica(&server_dir, &serving);
    other.run(&["pull"]);
    assert_eq!(other.unread(), 2);
    laptop.run(&["pull"]);
    other.run(&["pull"]);
    assert_eq!(other.unread(), 1);
    laptop.run(&["mark", "read", "--all"]);
    laptop.run(&["pull"]);
    other.run(&["pull"]);
    assert_eq!(other.unread(), 0);
    for folder in [&server_dir, &laptop, &other] {
        folder.run(&["check"]);
    }
}

#[test]
fn what_is_unread_and_what_is_counted_on_the_badge_are_two_numbers_with_names() {
    let (server_dir, _serving, laptop) = server_and_replica();
    for (priority, text) in [("1", "faint"), ("2", "fainter than most"), ("4", "loud")] {
        server_dir.run(&["send", "--to", "ana", "--priority", priority, text]);
    }
    laptop.run(&["pull"]);
    let numbers = laptop.json(&["unread"]);
    assert_eq!((&numbers["total"], &numbers["counted"]["total"]), (&json!(3), &json!(1)));
    assert_eq!(numbers["counted"]["sources"], json!({"Work": 1}));
    let text = laptop.run(&["unread"]);
    assert!(text.starts_with("1 unread, 2 quiet\n"), "{text}");
    assert!(text.ends_with("  messages: 1 unread, 2 quiet\nWork: 1 unread, 2 quiet\n"), "{text}");
}

#[test]
fn what_is_pulled_stays_readable_with_the_server_gone() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Still here"]);
    laptop.run(&["pull"]);
    drop(serving);
    let result = laptop.try_run(&["pull"]);
    assert_eq!(result.code, Some(1));
    assert_eq!(result.err.trim(), "tidings: Work: The server doesn't answer");
    assert_eq!(laptop.json(&["search", "still"]).as_array().unwrap().len(), 1);
    assert_eq!(laptop.unread(), 1);
    let lines = laptop.run(&["list"]);
    assert!(lines.starts_with("● ") && lines.contains("Still here"), "{lines}");
}

#[test]
fn a_line_says_that_it_is_archived_and_the_inbox_leaves_it_out() {
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Nightly"]);
    server_dir.run(&["send", "--to", "ana", "Second one"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    laptop.run(&["mark", "archive", msgid(&list[1])]);
    let lines = laptop.run(&["list"]);
    assert!(lines.contains("Nightly (archived)") && !lines.contains("Second one (archived)"), "{lines}");
    let inbox = laptop.run(&["list", "--inbox"]);
    assert!(inbox.contains("Second one") && !inbox.contains("Nightly"), "{inbox}");
}

#[test]
fn the_app_s_own_server_has_the_name_here_that_the_window_shows() {
    let (laptop, url) = (DataFolder::new(), "http://127.0.0.1:9");
    let replica = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let (name, protocol) = (String::new(), "tidings".to_owned());
    let own =
        replica.add_source(NewSource { name, protocol, url: url.into(), user: None, own: true }).unwrap();
    let item = ServiceItem::new("m1", Stamp::from_secs(1_790_000_000), "topic:ci#publish", Actor::default());
    let page = Page { service_items: vec![item], next: Some("1".into()), ..Page::default() };
    replica.apply(own, page).unwrap();
    drop(replica);
    assert_eq!(laptop.json(&["list"])[0]["source"], "This computer");
    assert_eq!(laptop.json(&["unread"])["sources"], json!({"This computer": 1}));
    assert!(laptop.run(&["source", "list"]).starts_with("This computer  tidings  "));
    assert_eq!(laptop.json(&["mark", "read", "This computer/m1"]), json!({"items": 1}));
    let refused = laptop.try_run(&["mark", "subscribe", "m1"]);
    assert!(refused.err.contains("This computer has no subscriptions of threads"), "{refused:?}");
    laptop.run(&["source", "pause", "This computer"]);
    laptop.run(&["source", "resume", url]);
}

/// Sends a PUT that must succeed.
pub(crate) fn put(url: &str, path: &str, token: &str, body: &Value) {
    request("PUT", url, path, token, body);
}

/// Sends a request with a body, which must succeed.
pub(crate) fn request(method: &str, url: &str, path: &str, token: &str, body: &Value) {
    let host = url.trim_start_matches("http://");
    let body = body.to_string();
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
}

#[test]
fn a_topic_reaches_who_is_subscribed_to_it() {
    let (server_dir, serving, laptop) = server_and_replica();
    let token = server_dir.token("ana", "inbox");
    let subscription = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    put(&serving.url, "/api/v1/subscriptions", &token, &subscription);
    let mut send = server_dir.command(&["send", "--topic", "backups", "Backup done", "--json"]);
    send.env("TIDINGS_SERVER", &serving.url).env("TIDINGS_TOKEN", &token);
    let sent = DataFolder::run_command(&mut send);
    assert_eq!(sent.code, Some(0), "{sent:?}");
    laptop.run(&["pull"]);
    let list = laptop.json(&["list", "--kind", "reminder", "--unread"]);
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["target"]["id"], "backups");
    assert_eq!(laptop.json(&["list", "--kind", "message"]), json!([]));
    let thread = list[0]["thread"].as_str().unwrap();
    assert_eq!(laptop.json(&["list", "--thread", thread]).as_array().unwrap().len(), 1);
    assert_eq!(laptop.json(&["list", "--thread", "other"]), json!([]));
}

#[test]
fn watching_brings_what_comes_and_sends_what_is_marked_beside_it() {
    let (server_dir, serving, laptop) = server_and_replica();
    let watch = Serving::watch(&laptop, &["pull", "--watch"]);
    watch.wait_for_line("Work: live");
    server_dir.run(&["send", "--to", "ana", "One"]);
    laptop.until_unread(1);
    // Another process marks an item; the watching process sends the mark at once.
    laptop.run(&["mark", "read", "--all"]);
    let other = replica(&server_dir, &serving);
    until_blocking("the mark to arrive", || {
        other.run(&["pull"]);
        other.unread() == 0
    });
    // A pull in another process is left to the watching process.
    assert_eq!(laptop.json(&["pull"]), json!({"asked": "app"}));
    let second = laptop.try_run(&["pull", "--watch"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert_eq!(watch.terminate().0, Some(0));
    assert!(!laptop.path().join("app.sock").exists());
    laptop.run(&["check"]);
}

#[test]
fn an_empty_inbox_is_no_failure() {
    let folder = DataFolder::new();
    assert_eq!(folder.json(&["list"]), json!([]));
    assert_eq!(folder.json(&["search", "anything"]), json!([]));
    assert_eq!(folder.json(&["pull"]), json!({"sources": {}}));
    assert_eq!(
        folder.json(&["unread"]),
        json!({"total": 0, "announcement": 0, "reminder": 0, "message": 0, "sources": {},
            "counted": {"total": 0, "announcement": 0, "reminder": 0, "message": 0, "sources": {}}})
    );
    assert_eq!(folder.json(&["check"]), json!({"server": null, "replica": []}));
    let nothing: Value = serde_json::from_str(&folder.run(&["export", "--format", "json"])).unwrap();
    assert_eq!(nothing, json!([]));
}

#[test]
fn a_snoozed_notification_is_not_unread_until_then() {
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Later"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    laptop.run(&["snooze", msgid(&list[0]), "--until", "2h"]);
    assert_eq!(laptop.unread(), 0);
    laptop.run(&["pull"]);
    assert_eq!(laptop.unread(), 0);
    assert!(!laptop.json(&["list"])[0]["snoozed_until"].is_null());
}

#[test]
fn a_list_of_the_inbox_leaves_out_what_is_archived_or_snoozed() {
    let (server_dir, _serving, laptop) = server_and_replica();
    for text in ["first", "second", "third"] {
        server_dir.run(&["send", "--to", "ana", text]);
    }
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    laptop.run(&["snooze", msgid(&list[0]), "--until", "2h"]);
    laptop.run(&["mark", "archive", msgid(&list[1])]);
    let inbox = laptop.json(&["list", "--inbox"]);
    assert_eq!(inbox.as_array().unwrap().len(), 1, "{inbox}");
    assert_eq!(inbox[0]["body"], "first");
    assert_eq!(laptop.json(&["list", "--limit", "2"]).as_array().unwrap().len(), 2, "a plain list has them");
}

#[test]
fn an_unread_mark_brings_it_back() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Again"]);
    laptop.run(&["pull"]);
    laptop.run(&["mark", "read", "--all"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    laptop.run(&["mark", "unread", msgid(&list[0])]);
    laptop.run(&["pull"]);
    let other = replica(&server_dir, &serving);
    other.run(&["pull"]);
    assert_eq!((laptop.unread(), other.unread()), (1, 1));
    laptop.run(&["mark", "delete", msgid(&list[0])]);
    laptop.run(&["pull"]);
    other.run(&["pull"]);
    assert_eq!((laptop.json(&["list"]), other.json(&["list"])), (json!([]), json!([])));
}

#[test]
fn what_is_muted_in_the_terminal_is_quiet_until_its_end() {
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Hello"]);
    laptop.run(&["pull"]);
    assert_eq!(laptop.run(&["quiet"]).trim(), "nothing is quiet");
    let message = laptop.json(&["list"])[0]["msgid"].as_str().unwrap().to_owned();
    assert_eq!(laptop.json(&["mute", &message, "--until", "2h"]), json!({"threads": 1}));
    laptop.run(&["mute", "--source", "Work", "--topic", "ci"]);
    laptop.run(&["mute", "--source", "Work", "--until", "2030-01-01T00:00:00Z"]);
    let told = laptop.run(&["quiet"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[..2],
        ["muted source Work, until 2030-01-01T00:00:00.000000Z", "muted ci of Work, until you end it"]
    );
    assert!(lines[2].starts_with("muted thread of Work: admin: Hello, until 20"), "{told}");
    assert_eq!(laptop.json(&["unread"])["counted"]["total"], 0);

    laptop.run(&["unmute", "--source", "Work"]);
    laptop.run(&["unmute", &message]);
    assert_eq!(laptop.run(&["quiet"]).trim(), "muted ci of Work, until you end it");
    assert_eq!(laptop.json(&["quiet"])["causes"][0]["what"], json!({"is": "origin", "origin": "topic:ci"}));
    assert_eq!(laptop.json(&["unread"])["counted"]["total"], 1);
    laptop.run(&["unmute", "--source", "Work", "--topic", "ci"]);
    let inbox = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let badge = NotifySettings { level: Some(NotifyLevel::Badge), ..NotifySettings::default() };
    inbox.set_source_notify(inbox.sources().unwrap()[0].id, badge).unwrap();
    drop(inbox);
    assert_eq!(laptop.run(&["quiet"]).trim(), "badge only for Work, until you end it");
    for wrong in [vec!["mute"], vec!["mute", "--topic", "ci"], vec!["mute", &message, "--until", "tomorrow"]]
    {
        assert_eq!(laptop.try_run(&wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_thread_is_unsubscribed_from_where_its_service_keeps_subscriptions() {
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Hello"]);
    laptop.run(&["pull"]);
    let message = laptop.json(&["list"])[0]["msgid"].as_str().unwrap().to_owned();
    let refused = laptop.try_run(&["mark", "unsubscribe", &message]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("Work has no subscriptions of threads; nothing was changed"), "{refused:?}");
    assert_eq!(laptop.try_run(&["mark", "mute", "--all"]).code, Some(2), "threads are named");

    let replica = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let (protocol, url) = ("github".to_owned(), "https://api.github.com".to_owned());
    let forge = replica.add_source(NewSource { name: "Code".into(), protocol, url, user: None, own: false });
    let forge = forge.unwrap();
    let issue = ServiceItem::new("70", Stamp::from_secs(1_790_000_000), "issue:7", Actor::default());
    let page = Page { service_items: vec![issue], next: Some("1".into()), ..Page::default() };
    replica.apply(forge, page).unwrap();
    drop(replica);
    assert_eq!(laptop.json(&["mark", "unsubscribe", "70"]), json!({"items": 1}));
    let replica = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    let waiting = replica.waiting_subscriptions(forge, 10).unwrap();
    assert_eq!(waiting.iter().map(|one| one.to).collect::<Vec<_>>(), [Subscription::Unsubscribed]);
}
