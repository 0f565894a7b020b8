//! A replica: what the reader wrote is there, and what was pulled is there or pulled again.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use support::app::{tidings, tidings_json};
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_model::{Mark, MsgId, Notification, Stamp, SystemClock};
use tidings_replica::{ItemFilter, NewSource, Page, Replica, SavedSearch, SourceId, Targets, create_folder};
use tidings_testkit::disk::{Disk, Image};
use tokio::task::block_in_place;

use super::{images, tidings_done};

/// Names the data folder of [`the_part_that_writes`].
const FOLDER: &str = "TIDINGS_TEST_FOLDER";

/// Pages, and the items of each.
const PAGES: i64 = 30;
const ITEMS: i64 = 8;

/// A page of a server's history.
fn page(nth: i64) -> Page {
    let item = |n: i64| -> Notification {
        let stamp = Stamp::from_micros(1_800_000_000_000_000 + n);
        let value = json!({
            "msgid": format!("m{n}"), "stamp": stamp, "version": 1, "kind": "message", "created_at": stamp,
            "thread": format!("user:p{}", n % 9), "conversation": format!("user:p{}", n % 9),
            "actor": {"id": "bob", "name": "Bob"}, "body": format!("words {n} {}", "x".repeat(900)),
        });
        serde_json::from_value(value).unwrap()
    };
    let items: Vec<_> = (nth * ITEMS..(nth + 1) * ITEMS).map(item).collect();
    let next = items.last().map(|item| item.stamp.to_string());
    Page { items, next, epoch: Some("e".into()), ..Page::default() }
}

/// Says what the window would call kept, with the position of the record.
fn say(what: &str) {
    let position = std::fs::metadata(std::env::var("FAULT_LOG").unwrap()).unwrap().len();
    println!("kept {position} {what}");
    std::io::stdout().flush().unwrap();
}

#[test]
#[ignore = "a part of what_the_window_called_kept_survives_a_loss_of_power"]
fn the_part_that_writes() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    create_folder(&data).unwrap();
    let mut source: SourceId = 0;
    for start in 0..3 {
        let replica = Replica::open(&data, Arc::new(SystemClock)).unwrap();
        if start == 0 {
            source = replica
                .add_source(NewSource {
                    name: "Work".into(),
                    protocol: "tidings".into(),
                    url: "http://127.0.0.1:7878".into(),
                    user: Some("me".into()),
                    own: false,
                })
                .unwrap();
            say("source");
        }
        for nth in start * PAGES / 3..(start + 1) * PAGES / 3 {
            replica.apply(source, page(nth)).unwrap();
            match nth % 4 {
                0 => {
                    replica.save_draft(source, &format!("user:p{nth}"), &format!("words {nth}")).unwrap();
                    say(&format!("draft {nth}"));
                }
                1 => {
                    let message = serde_json::from_value(json!({"body": format!("sent {nth}")})).unwrap();
                    replica.write_message(source, "user:bob", message).unwrap();
                    say(&format!("message {nth}"));
                }
                2 => {
                    let search =
                        SavedSearch { id: 0, name: format!("search {nth}"), query: "is:unread".into() };
                    replica.save_search(search).unwrap();
                    say(&format!("search {nth}"));
                }
                _ => {
                    let first = replica.items(&ItemFilter::default(), 1).unwrap();
                    replica.mark(Targets::Items(vec![first[0].id]), Mark::Archive).unwrap();
                }
            }
        }
        if start == 1 {
            replica.compact().unwrap();
        }
    }
}

#[test]
fn what_the_window_called_kept_survives_a_loss_of_power() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Disk::recorded(folder.path());
    let part = "power::replica::the_part_that_writes";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", part, "--ignored", "--nocapture"]);
    let done = command.env(FOLDER, disk.folder().join("data")).envs(disk.env()).output().unwrap();
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{out}{}", String::from_utf8_lossy(&done.stderr));
    let kept = out.lines().filter_map(|line| line.split_once("kept ")?.1.split_once(' '));
    let kept: Vec<(u64, &str)> = kept.map(|(position, what)| (position.parse().unwrap(), what)).collect();
    assert!(kept.len() > 20, "{out}");
    for image in images(&disk, 30) {
        is_kept(&image, &kept);
    }
}

/// Asserts that an image has what the window called kept, is sound, and is pulled on.
fn is_kept(image: &Image, kept: &[(u64, &str)]) {
    let data = image.folder().join("data");
    let known: Vec<&str> =
        kept.iter().filter(|(position, _)| *position <= image.position).map(|(_, what)| *what).collect();
    if known.is_empty() && !data.is_dir() {
        return;
    }
    let replica = Replica::open(&data, Arc::new(SystemClock)).unwrap();
    let is_sound = || {
        let found = replica.check().unwrap();
        assert!(found.is_empty(), "{found:?}");
    };
    is_sound();
    let Some(source) = replica.sources().unwrap().pop().map(|source| source.id) else {
        assert!(known.is_empty(), "{known:?}");
        return;
    };
    let outgoing = replica.outgoing(source).unwrap();
    let is_outgoing = |body: String| {
        outgoing.iter().any(|message| serde_json::to_value(&message.message).unwrap()["body"] == body)
    };
    let searches = replica.saved_searches().unwrap();
    for what in known {
        match what.split_once(' ').unwrap_or((what, "")) {
            ("draft", n) => {
                let draft = replica.draft(source, &format!("user:p{n}")).unwrap();
                assert_eq!(draft, format!("words {n}"));
            }
            ("message", n) => assert!(is_outgoing(format!("sent {n}")), "{what}: {outgoing:?}"),
            ("search", _) => {
                assert!(searches.iter().any(|search| search.name == what), "{what}: {searches:?}");
            }
            _ => {}
        }
    }
    for nth in 0..PAGES {
        replica.apply(source, page(nth)).unwrap();
    }
    let all: Vec<_> = (0..PAGES * ITEMS).map(|n| MsgId(format!("m{n}"))).collect();
    assert_eq!(replica.items_by_msgid(None, &all).unwrap().len(), all.len());
    is_sound();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_terminal_did_survives_a_loss_of_power() {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    for n in 0..6 {
        let news = json!({"title": format!("News {n}"), "body": "x".repeat(500 * n)});
        server.admin().post("announcements", news).await.success();
    }
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Disk::recorded(folder.path());
    let data = disk.folder().join("data");
    let run = |args: &[&str]| block_in_place(|| tidings_done(&disk, &data, args));
    run(&["source", "add", "tidings", &ana.url, "--token", &ana.token, "--name", "Work"]);
    let added = disk.position();
    run(&["pull"]);
    let list: serde_json::Value = serde_json::from_str(&run(&["list", "--json"])).unwrap();
    let msgid = list[0]["msgid"].as_str().unwrap();
    run(&["mark", "archive", msgid]);
    let marked = disk.position();
    run(&["pull"]);

    for image in images(&disk, 10) {
        let data = image.folder().join("data");
        block_in_place(|| tidings(&data, &["check"]));
        if image.position >= marked {
            let list = block_in_place(|| tidings_json(&data, &["list"]));
            let item = list.as_array().unwrap().iter().find(|item| item["msgid"] == msgid).unwrap();
            assert!(item["archived_at"].is_string(), "{item}");
        }
        if image.position >= added {
            block_in_place(|| tidings(&data, &["pull"]));
            let list = block_in_place(|| tidings_json(&data, &["list"]));
            assert_eq!(list.as_array().unwrap().len(), 6, "{list}");
        }
    }
}
