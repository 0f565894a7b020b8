//! Tests of `pull` at its bounds, of items that can't be read, and of msgids that two sources have.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::{Actor, Stamp, SystemClock};
use tidings_replica::{NewSource, Page, Replica, ServiceItem};
use tidings_testkit::scripted::{ScriptedServer, response};
use tokio::runtime::Runtime;

use crate::data_folder::{DataFolder, server_and_replica};

#[test]
fn a_pull_ends_at_its_limit_names_the_source_and_the_next_one_goes_on() {
    let (server_dir, _serving, laptop) = server_and_replica();
    // The first page of a pull has a thousand items.
    for n in 0..3 {
        server_dir.run(&["send", "--to", "ana", &format!("{n} {}", "x".repeat(100_000))]);
    }
    let full = laptop.try_run(&["pull", "--keep-free", "99999999G"]);
    assert_eq!(full.code, Some(1), "{full:?}");
    assert!(full.err.contains("Work: The pull ended, because") && full.err.contains("Make room"), "{full:?}");
    assert_eq!(laptop.unread(), 0);
    assert_eq!(
        laptop.json(&["pull", "--max-size", "64K", "--max-pages", "1"])["sources"]["Work"]["arrived"],
        3
    );
    for bad in ["0", "-1"] {
        assert_eq!(laptop.try_run(&["pull", "--max-pages", bad]).code, Some(2));
    }
    assert_eq!(laptop.try_run(&["pull", "--max-size", "much"]).code, Some(2));
}

/// The answer of a server to a request of a pull, whose pages never end.
fn endless(url: &url::Url) -> Value {
    let at = |n: u64| Stamp::from_secs(1_800_000_000).plus_micros(n.try_into().unwrap()).to_string();
    let since = url.query_pairs().find(|(name, _)| name == "since");
    let n = since.map_or(0, |(_, since)| {
        u64::try_from(since.parse::<Stamp>().unwrap().as_micros() % 1_000_000).unwrap()
    });
    let item = |kind: &str, n: u64| {
        json!({
            "msgid": format!("m{n}"), "stamp": at(n), "version": 1, "kind": kind, "created_at": at(n),
            "thread": "article:1#comment", "actor": {"id": "bo", "name": "Bo"}, "action": "comment",
            "target": {"type": "article", "id": "1"}, "body": "x",
        })
    };
    match url.path().trim_start_matches("/api/v1/") {
        "me" => json!({"id": "ana", "name": "Ana", "scopes": ["inbox"]}),
        "catalog" => json!({"actions": {}, "reasons": {}}),
        "unread" => {
            let none = json!({"count": 0, "capped": false});
            json!({"total": none, "announcement": none, "reminder": none, "message": none, "conversations": {}})
        }
        "sync" => json!({
            "items": [item("reminder", n + 1), item("rumour", n + 2)], "marks": [], "next": at(n + 2), "more": true, "epoch": "e",
        }),
        _ => json!({"items": [], "next": null}),
    }
}

#[test]
fn a_source_without_end_ends_its_own_pull_and_its_odd_items_are_named_while_the_others_go_on() {
    let runtime = Runtime::new().unwrap();
    let endless_server = runtime.block_on(ScriptedServer::start());
    let url = endless_server.url();
    let _served = runtime.block_on(async {
        endless_server.serve(|mut exchange| async move {
            let body = endless(&exchange.url()).to_string();
            let _ = exchange.send(&response("200 OK", "content-type: application/json\r\n", &body)).await;
        })
    });
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Hello"]);
    laptop.run(&["source", "add", "tidings", &url, "--token", "tdg_x", "--name", "Endless"]);
    for pulled in 1..=2 {
        let ended = laptop.try_run(&["pull", "--max-pages", "5"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.err.contains("Endless: The pull ended after 5 pages"), "{ended:?}");
        assert!(ended.err.contains("Endless: 5 items skipped, could not be read (m"), "{ended:?}");
        assert!(ended.out.contains("Work: "), "the others go on: {ended:?}");
        // The number is the server's until all has come; the list has what is here.
        let here = laptop.json(&["list"]).as_array().unwrap().len();
        assert_eq!(here, 1 + 5 * pulled, "the next pull goes on where this one ended");
    }
    drop(runtime);
}

/// A folder with two sources, both of which have `m1`; `m2` and `m3` are of one each.
fn two_sources() -> DataFolder {
    let folder = DataFolder::new();
    let replica = Replica::open(folder.path(), Arc::new(SystemClock)).unwrap();
    for (name, own) in [("Work", "m2"), ("Home/x", "m3")] {
        let url = format!("https://{own}.example");
        let new = NewSource { name: name.into(), protocol: "gotify".into(), url, user: None, own: false };
        let source = replica.add_source(new).unwrap();
        let item = |msgid: &str| {
            ServiceItem::new(msgid, Stamp::from_secs(5), "t", Actor { id: "a".into(), name: name.into() })
        };
        let page = Page { service_items: vec![item("m1"), item(own)], ..Page::default() };
        replica.apply(source, page).unwrap();
    }
    folder
}

#[test]
fn a_msgid_that_two_sources_have_needs_its_source_before_it() {
    let folder = two_sources();
    let lines = folder.run(&["list"]);
    for name in ["[Work/m1]", "[Home/x/m1]", "[m2]", "[m3]"] {
        assert!(lines.contains(name), "{name}: {lines}");
    }
    for command in [
        vec!["mark", "read", "m2", "m1"],
        vec!["mark", "archive", "m1"],
        vec!["snooze", "m1", "--until", "1h"],
        vec!["answer", "m1", "yes"],
    ] {
        let refused = folder.try_run(&command);
        assert_eq!(refused.code, Some(2), "{command:?}: {refused:?}");
        assert!(refused.err.contains("Work/m1, Home/x/m1"), "both are named: {refused:?}");
        assert_eq!(folder.unread(), 4, "nothing was changed by {command:?}");
    }
    folder.run(&["mark", "read", "Home/x/m1"]);
    assert_eq!(folder.json(&["unread"])["sources"], json!({"Work": 2, "Home/x": 1}));
    folder.run(&["snooze", "Work/m1", "--until", "1h"]);
    assert_eq!(folder.json(&["unread"])["sources"], json!({"Work": 1, "Home/x": 1}));
    folder.run(&["mark", "read", "m2", "m3", "m2"]);
    assert_eq!(folder.unread(), 0);
    let unknown = folder.try_run(&["mark", "read", "Work/m3"]);
    assert_eq!((unknown.code, unknown.err.trim()), (Some(1), "tidings: there is no notification `Work/m3`"));
}
