//! A replica: what the reader wrote is there, and what was pulled is there or pulled again.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use support::app::{tidings, tidings_json};
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_model::{Mark, MsgId, Notification, Stamp, SystemClock};
use tidings_replica::{ItemFilter, NewSource, Page, Replica, SavedSearch, SourceId, Targets, create_folder};
use tidings_testkit::disk::{Disk, Image};
use tokio::task::block_in_place;

use super::{FOLDER, LONG_LOG, copied_by_hand, images, images_after, part, tidings_done};

/// A server's history.
struct History {
    pages: i64,
    /// The items of each page.
    items: i64,
    /// How much longer than a few words an item is.
    padding: usize,
}

/// The pages of a reader who is there.
const FEW: History = History { pages: 30, items: 8, padding: 900 };
/// The pages of a backlog.
const BACKLOG: History = History { pages: 8, items: 250, padding: 40 };
/// The marks that are made while every second page of a backlog is written.
const MARKS: i64 = 5;

impl History {
    fn page(&self, nth: i64) -> Page {
        let items: Vec<_> =
            (nth * self.items..(nth + 1) * self.items).map(|n| item(n, self.padding)).collect();
        let next = items.last().map(|item| item.stamp.to_string());
        Page { items, next, epoch: Some("e".into()), ..Page::default() }
    }

    /// The pages that come after this position.
    fn after(&self, cursor: Option<&String>) -> impl Iterator<Item = Page> + use<'_> {
        let pages = (0..self.pages).map(|nth| self.page(nth));
        let known = cursor.map_or(0, |cursor| {
            let nth = pages.clone().position(|page| page.next.as_ref() == Some(cursor));
            nth.expect("the position of a page") + 1
        });
        pages.skip(known)
    }
}

fn item(n: i64, padding: usize) -> Notification {
    let stamp = Stamp::from_micros(1_800_000_000_000_000 + n);
    let value = json!({
        "msgid": format!("m{n}"), "stamp": stamp, "version": 1, "kind": "message", "created_at": stamp,
        "thread": format!("user:p{}", n % 9), "conversation": format!("user:p{}", n % 9),
        "actor": {"id": "bob", "name": "Bob"}, "body": format!("words {n} {}", "x".repeat(padding)),
    });
    serde_json::from_value(value).unwrap()
}

fn add_source(replica: &Replica) -> SourceId {
    let (name, protocol) = ("Work".into(), "tidings".into());
    let url = "http://127.0.0.1:7878".into();
    replica.add_source(NewSource { name, protocol, url, user: Some("me".into()), own: false }).unwrap()
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
            source = add_source(&replica);
            say("source");
        }
        for nth in start * FEW.pages / 3..(start + 1) * FEW.pages / 3 {
            replica.apply(source, FEW.page(nth)).unwrap();
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
#[ignore = "a part of a_backlog_whose_log_is_copied_by_hand_survives_a_loss_of_power"]
fn the_part_that_takes_in_a_backlog() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    create_folder(&data).unwrap();
    let replica = Replica::open_within(&data, Arc::new(SystemClock), copied_by_hand(LONG_LOG)).unwrap();
    let source = add_source(&replica);
    say("source");
    let mark = |n: i64| {
        let msgid = MsgId(format!("m{}", n % BACKLOG.items));
        replica.mark(Targets::MsgIds(vec![msgid]), Mark::Archive).unwrap();
        replica.save_draft(source, &format!("user:p{n}"), &format!("words {n}")).unwrap();
        say(&format!("draft {n}"));
    };
    for nth in 0..BACKLOG.pages {
        std::thread::scope(|scope| {
            if nth % 2 == 1 {
                scope.spawn(|| (nth * MARKS..(nth + 1) * MARKS).for_each(mark));
            }
            replica.apply(source, BACKLOG.page(nth)).unwrap();
        });
    }
}

#[test]
#[ignore = "a part of an_inbox_that_loses_power_while_it_is_compacted_is_whole"]
fn the_part_that_compacts() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    create_folder(&data).unwrap();
    let replica = Replica::open(&data, Arc::new(SystemClock)).unwrap();
    let source = add_source(&replica);
    say("source");
    for nth in 0..FEW.pages {
        replica.apply(source, FEW.page(nth)).unwrap();
        replica.save_draft(source, &format!("user:p{nth}"), &format!("words {nth}")).unwrap();
        say(&format!("draft {nth}"));
    }
    for value in [json!("x".repeat(400_000)), json!("x")] {
        replica.set_setting("room", &value).unwrap();
    }
    assert!(replica.reclaimable_bytes().unwrap() > 300_000);
    say("all before the compaction");
    replica.compact().unwrap();
}

/// Runs a part on a disk that records. Gives what it called kept, each with the position of the record.
fn kept_by(part_name: &str, disk: &Disk) -> Vec<(u64, String)> {
    let mut command = part(&format!("power::replica::{part_name}"));
    let done = command.env(FOLDER, disk.folder().join("data")).envs(disk.env()).output().unwrap();
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{out}{}", String::from_utf8_lossy(&done.stderr));
    let kept = out.lines().filter_map(|line| line.split_once("kept ")?.1.split_once(' '));
    let kept: Vec<_> = kept.map(|(position, what)| (position.parse().unwrap(), what.to_owned())).collect();
    assert!(kept.len() > 20, "{out}");
    kept
}

#[test]
fn what_the_window_called_kept_survives_a_loss_of_power() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Disk::recorded(folder.path());
    let kept = kept_by("the_part_that_writes", &disk);
    for image in images(&disk, 30) {
        is_kept(&image, &kept, &FEW);
    }
}

#[test]
fn an_inbox_that_loses_power_while_it_is_compacted_is_whole() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Disk::recorded(folder.path());
    let kept = kept_by("the_part_that_compacts", &disk);
    let begins = kept.last().unwrap().0;
    for image in images_after(&disk, 12, begins) {
        is_kept(&image, &kept, &FEW);
    }
}

#[test]
fn a_backlog_whose_log_is_copied_by_hand_survives_a_loss_of_power() {
    let folder = TempDir::with_prefix("tidings-power.").unwrap();
    let disk = Disk::recorded(folder.path());
    let kept = kept_by("the_part_that_takes_in_a_backlog", &disk);
    for image in images(&disk, 12) {
        is_kept(&image, &kept, &BACKLOG);
    }
}

/// Asserts that an image has what the window called kept, is sound, and is pulled on from its position.
fn is_kept(image: &Image, kept: &[(u64, String)], history: &History) {
    let data = image.folder().join("data");
    let known: Vec<&str> = kept
        .iter()
        .filter(|(position, _)| *position <= image.position)
        .map(|(_, what)| what.as_str())
        .collect();
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
    for page in history.after(replica.source(source).unwrap().cursor.as_ref()) {
        replica.apply(source, page).unwrap();
    }
    let all: Vec<_> = (0..history.pages * history.items).map(|n| MsgId(format!("m{n}"))).collect();
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
