//! Tests of exports and backups: they contain everything, and a backup can be restored.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::data_folder::server_and_replica;
use crate::serving::Serving;

#[test]
fn everything_can_be_taken_along() {
    let (server_dir, _serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "--title", "Zürich", "From here\n=1+1"]);
    laptop.run(&["pull"]);
    let json: Value = serde_json::from_str(&laptop.run(&["export", "--format", "json"])).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["title"]), (1, &json!("Zürich")));
    let csv = laptop.run(&["export", "--format", "csv"]);
    assert!(csv.starts_with("msgid,source,user,kind,") && csv.contains("\"From here\n=1+1\""), "{csv}");
    let mbox = laptop.run(&["export", "--format", "mbox"]);
    assert!(mbox.starts_with("From admin@tidings.invalid "), "{mbox}");
    assert!(mbox.contains("\n>From here\n"), "{mbox}");
}

#[test]
fn nothing_from_elsewhere_steers_a_terminal_a_spreadsheet_or_an_eye() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let (title, body) = ("annex\u{202e}txt.exe\u{1b}[2J", "=HYPERLINK(\"http://evil.example\")\u{9b}2J\r@x");
    server_dir.run(&["send", "--to", "ana", "--title", title, body]);
    laptop.run(&["pull"]);
    let steers = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
    let forms = ["json", "csv", "mbox"].map(|form| laptop.run(&["export", "--format", form]));
    for printed in [laptop.run(&["list"]), laptop.run(&["--json", "list"])].iter().chain(&forms) {
        assert!(!printed.chars().any(steers), "{printed:?}");
    }
    assert_eq!(laptop.json(&["list"])[0]["title"], title, "a program reads what was sent");
    let [json, csv, _] = forms;
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()[0]["body"], body);
    assert!(csv.contains(",\"'=HYPERLINK(") && csv.contains(",annextxt.exe[2J,"), "{csv}");
}

#[test]
fn what_the_server_has_is_taken_along_too() {
    let (server_dir, serving, _) = server_and_replica();
    let token = server_dir.token("admin", "admin");
    server_dir.run(&["send", "--to", "ana", "To both of us"]);
    server_dir.run(&["source", "add", "tidings", &serving.url, "--token", &token, "--name", "Here"]);
    server_dir.run(&["pull"]);
    server_dir.run(&["send", "--to", "ana", "Only on the server yet"]);
    let export = |args: &[&str]| -> Vec<Value> {
        let out = server_dir.run(&[&["export", "--format", "json"], args].concat());
        serde_json::from_str::<Value>(&out).unwrap().as_array().unwrap().clone()
    };
    let whose = |items: Vec<Value>| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let place = |item: &Value| text(&item["source"]) + &text(&item["user"]);
        let mut all: Vec<_> = items.iter().map(|item| (place(item), text(&item["body"]))).collect();
        all.sort();
        all
    };
    let of = |place: &str, bodies: &[&str]| -> Vec<(String, String)> {
        bodies.iter().map(|body| (place.to_owned(), (*body).to_owned())).collect()
    };
    let both = ["Only on the server yet", "To both of us"];
    let served = [of("admin", &both), of("ana", &both)].concat();
    assert_eq!(whose(export(&["--of", "inbox"])), of("Here", &both[1..]));
    assert_eq!(whose(export(&["--of", "server"])), served);
    assert_eq!(whose(export(&[])), [of("Here", &both[1..]), served.clone()].concat());
    let mbox = server_dir.run(&["export", "--format", "mbox", "--of", "server"]);
    assert_eq!(mbox.matches("\nDelivered-To: ana@tidings.invalid\n").count(), 2, "{mbox}");
    let unread: Vec<_> = mbox.split("Status: ").skip(1).map(|rest| rest.starts_with("O\n")).collect();
    assert_eq!(unread, [false, false, true, true], "own messages are read: {mbox}");
    let csv = server_dir.run(&["export", "--format", "csv", "--of", "server"]);
    assert_eq!(csv.matches(",,ana,message,").count(), 2, "{csv}");
    serving.terminate();
    assert_eq!(whose(export(&["--of", "server"])), served, "running or not");
    server_dir.run(&["check"]);
}

#[test]
fn a_backup_brings_server_and_inbox_back_and_replicas_pull_anew() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Before"]);
    laptop.run(&["pull"]);
    let file = |name: &str| -> PathBuf { server_dir.path().join(name) };
    let backup = file("all.tar");
    server_dir.run(&["backup", backup.to_str().unwrap()]);
    assert_eq!(server_dir.try_run(&["backup", backup.to_str().unwrap()]).code, Some(1), "never overwritten");
    server_dir.run(&["send", "--to", "ana", "After"]);
    laptop.run(&["pull"]);
    assert_eq!(
        server_dir.try_run(&["restore", backup.to_str().unwrap()]).code,
        Some(1),
        "not under a running server"
    );
    let listen = serving.url.trim_start_matches("http://").to_owned();
    serving.terminate();
    fs::write(file("junk"), "no backup at all").unwrap();
    assert_eq!(server_dir.try_run(&["restore", file("junk").to_str().unwrap()]).code, Some(1));
    server_dir.run(&["restore", backup.to_str().unwrap()]);
    let _serving = Serving::start(&server_dir, &["serve", "--listen", &listen]);
    server_dir.run(&["send", "--to", "ana", "Since"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    let bodies: Vec<_> = list.as_array().unwrap().iter().map(|item| item["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, ["Since", "After", "Before"], "what the server lost is kept here");
    server_dir.run(&["check"]);
    laptop.run(&["check"]);
}
