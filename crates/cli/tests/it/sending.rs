//! Tests of what `send` publishes, and of `list` and `watch`, which show it.

use std::fs;
use std::io::{BufRead, BufReader};

use serde_json::{Value, json};
use tidings_testkit::services::{Ntfy, ScriptedService};
use tokio::runtime::Runtime;

use crate::data_folder::{DataFolder, server_and_replica};
use crate::inbox::put;
use crate::serving::Serving;

/// A server, and Ana's laptop; she is subscribed to the topic `backups`.
pub(crate) fn subscribed() -> (DataFolder, Serving, DataFolder) {
    let (server_dir, serving, laptop) = server_and_replica();
    let token = server_dir.token("ana", "inbox");
    let subscription = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    put(&serving.url, "/api/v1/subscriptions", &token, &subscription);
    (server_dir, serving, laptop)
}

/// The first notification that the laptop lists after a pull; null if there is none.
pub(crate) fn newest(laptop: &DataFolder) -> Value {
    laptop.run(&["pull"]);
    laptop.json(&["list"]).get_mut(0).map_or(Value::Null, Value::take)
}

#[test]
fn a_publication_has_the_tags_link_buttons_and_markup_that_it_was_sent_with() {
    let (server_dir, _serving, laptop) = subscribed();
    let words = ["send", "--topic", "backups", "--title", "NAS", "--tags", "warning,disk", "--tag", "weekly"];
    let link = ["--click", "https://nas.example/log", "--markdown"];
    let open = ["--action", "view, Öffnen, https://nas.example/log"];
    let restart = ["--action", "http, Restart, https://nas.example/restart, method=PUT"];
    server_dir.run(&[words.as_slice(), &link, &open, &restart, &["**Backup**", "done"]].concat());
    let item = newest(&laptop);
    assert_eq!((&item["title"], &item["body"]), (&json!("NAS"), &json!("**Backup** done")));
    assert_eq!((&item["tags"], &item["format"]), (&json!(["warning", "disk", "weekly"]), &json!("markdown")));
    assert_eq!(item["url"], "https://nas.example/log");
    let buttons = item["actions"].as_array().unwrap();
    assert_eq!((buttons.len(), &buttons[0]["label"]), (2, &json!("Öffnen")));
    assert_eq!((&buttons[1]["action"], &buttons[1]["method"]), (&json!("http"), &json!("PUT")));
}

#[test]
fn a_file_goes_along_by_its_path_or_by_its_address_on_a_topic_and_to_a_user() {
    let (server_dir, _serving, laptop) = subscribed();
    let file = server_dir.path().join("nightly log.txt");
    fs::write(&file, "all is well\n").unwrap();
    let path = file.to_str().unwrap();
    server_dir.run(&["send", "--topic", "backups", "--title", "Log", "--attach", path, "Here", "it", "is"]);
    let item = newest(&laptop);
    assert_eq!((&item["title"], &item["body"]), (&json!("Log"), &json!("Here it is")));
    assert_eq!(
        (&item["attachment"]["name"], &item["attachment"]["size"]),
        (&json!("nightly log.txt"), &json!(12))
    );

    server_dir.run(&["send", "--topic", "backups", "--attach", "https://nas.example/log.txt"]);
    assert_eq!(newest(&laptop)["attachment"]["url"], "https://nas.example/log.txt");

    let tags = ["--tag", "weekly", "--click", "https://nas.example/"];
    server_dir.run(&[["send", "--to", "ana", "--attach", path].as_slice(), &tags].concat());
    let item = newest(&laptop);
    assert_eq!((&item["conversation"], &item["tags"]), (&json!("user:admin"), &json!(["weekly"])));
    assert_eq!((&item["attachment"]["size"], &item["url"]), (&json!(12), &json!("https://nas.example/")));
}

#[test]
fn what_is_delayed_does_not_come_yet_and_what_cannot_be_sent_says_why() {
    let (server_dir, _serving, laptop) = subscribed();
    let said = server_dir.run(&["send", "--topic", "backups", "--delay", "30m", "later"]);
    assert!(said.starts_with("will be sent as "), "{said}");
    laptop.run(&["pull"]);
    assert_eq!(laptop.json(&["list"]), json!([]));
    let wrong = server_dir.try_run(&["send", "--topic", "backups", "--delay", "soon", "later"]);
    assert!(wrong.code == Some(1) && wrong.err.contains("refused (400)"), "{wrong:?}");
    let missing = server_dir.try_run(&["send", "--attach", "/nowhere/at/all.txt"]);
    assert!(missing.code == Some(1) && missing.err.contains("nothing was sent"), "{missing:?}");
    for usage in [
        ["--delay", "30m", "x"].as_slice(),
        &["--action", "view, Open, https://nas.example"],
        &["--attach", "https://nas.example/log.txt", "x"],
    ] {
        assert_eq!(
            server_dir.try_run(&[&["send", "--to", "ana"], usage].concat()).code,
            Some(2),
            "{usage:?}"
        );
    }
    assert_eq!(server_dir.try_run(&["send"]).code, Some(2), "neither a text nor a file");
}

#[test]
fn a_line_of_the_list_names_the_topic_or_who_wrote_it_to_whom() {
    let (server_dir, serving, laptop) = subscribed();
    server_dir.run(&["user", "add", "bo"]);
    server_dir.run(&["send", "--topic", "backups", "--title", "NAS", "Backup done"]);
    server_dir.run(&["send", "--to", "ana", "lunch?"]);
    let token = server_dir.token("ana", "inbox");
    for to in ["bo", "group:crew"] {
        let mut command = match to {
            "bo" => laptop.command(&["send", "--to", to, "hello"]),
            _ => laptop.command(&["group", "create", "Crew", "--id", "crew", "--member", "bo"]),
        };
        command.env("TIDINGS_SERVER", &serving.url).env("TIDINGS_TOKEN", &token);
        let done = DataFolder::run_command(&mut command);
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let mut post = laptop.command(&["send", "--to", "group:crew", "all aboard"]);
    post.env("TIDINGS_SERVER", &serving.url).env("TIDINGS_TOKEN", &token);
    assert_eq!(DataFolder::run_command(&mut post).code, Some(0));
    laptop.run(&["pull"]);
    let list = laptop.run(&["list"]);
    for line in [
        "backups: NAS: Backup done",
        "admin: lunch?",
        "Ana → bo: hello",
        "Ana → Crew (group:crew): all aboard",
    ] {
        assert!(list.contains(line), "{line} in {list}");
    }
    assert!(laptop.run(&["search", "aboard"]).contains("Ana → Crew (group:crew): all aboard"));
}

/// Starts `tidings watch` and waits until it watches.
fn watching(laptop: &DataFolder, args: &[&str]) -> Serving {
    let mut child = laptop.command(&[&["watch"], args].concat()).spawn().unwrap();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let mut watch = Serving::with_unread_output(child);
    watch.read(out);
    let mut first = String::new();
    let mut err = BufReader::new(err);
    err.read_line(&mut first).unwrap();
    assert!(first.contains("watching"), "{first}");
    // What comes later is dropped, so that the pipe never fills.
    std::thread::spawn(move || std::io::copy(&mut err, &mut std::io::sink()));
    watch
}

#[test]
fn what_arrives_is_printed_by_whoever_watches_also_beside_another_who_pulls() {
    let (server_dir, _serving, laptop) = subscribed();
    server_dir.run(&["send", "--to", "ana", "before"]);
    laptop.run(&["pull"]);
    let pulls = watching(&laptop, &[]);
    let reads = watching(&laptop, &["--json"]);
    let topic = watching(&laptop, &["--topic", "backups"]);
    server_dir.run(&["send", "--to", "ana", "lunch?"]);
    server_dir.run(&["send", "--topic", "backups", "Backup done"]);
    assert!(pulls.line().contains("admin: lunch?"), "what was there before is not printed");
    assert!(pulls.line().contains("Backup done"));
    let document: Value = serde_json::from_str(&reads.line()).unwrap();
    assert_eq!((&document["body"], &document["source"]), (&json!("lunch?"), &json!("Work")));
    assert!(topic.line().contains("Backup done"));
    for watch in [topic, reads, pulls] {
        assert_eq!(watch.terminate().0, Some(0));
    }
}

#[test]
fn a_topic_of_a_source_is_published_on_once_and_only_where_one_may() {
    let runtime = Runtime::new().unwrap();
    let ntfy = runtime.block_on(Ntfy::with(&["alerts", "door"], false));
    let folder = DataFolder::new();
    let (url, token) = (ntfy.url(), ntfy.token());
    folder.run(&["source", "add", "ntfy", &url, "--token", &token, "--name", "Home"]);
    let send = |topic: &str, more: &[&str]| {
        folder
            .try_run(&[&["send", "--source", "Home", "--topic", topic], more, &["Soup", "is ready"]].concat())
    };
    let sent = send("alerts", &["--title", "Lunch", "--priority", "4", "--tags", "stew", "--markdown"]);
    assert_eq!((sent.code, sent.out.as_str()), (Some(0), "published to alerts, at Home\n"), "{sent:?}");
    let published = ntfy.published();
    assert_eq!(published.len(), 1);
    for (member, value) in
        [("message", json!("Soup is ready")), ("title", json!("Lunch")), ("priority", json!(4))]
    {
        assert_eq!(published[0][member], value);
    }
    folder.run(&["pull"]);
    assert_eq!(folder.unread(), 1);

    let unknown = send("cellar", &[]);
    assert!(unknown.code == Some(2) && unknown.err.contains("alerts, door"), "{unknown:?}");
    ntfy.refuse_writes("door");
    let refused = send("door", &[]);
    assert!(refused.code == Some(1) && refused.err.contains("may not publish to `door`"), "{refused:?}");
    assert_eq!(ntfy.published().len(), 1);
}

#[test]
fn what_was_sent_is_edited_and_recalled_by_its_msgid() {
    let (server_dir, _serving, laptop) = subscribed();
    let sent = server_dir.json(&["send", "--topic", "backups", "--title", "NAS", "Backup", "don"]);
    let msgid = sent["msgid"].as_str().unwrap();
    assert_eq!(newest(&laptop)["body"], "Backup don");
    assert_eq!(server_dir.run(&["send", "--edit", msgid, "Backup done"]), format!("edited {msgid}\n"));
    let item = newest(&laptop);
    assert_eq!((&item["title"], &item["body"]), (&json!("NAS"), &json!("Backup done")));
    assert_eq!(server_dir.json(&["send", "--edit", msgid, "--priority", "5"])["msgid"], msgid);
    assert_eq!(newest(&laptop)["priority"], 5);
    for (args, code, says) in [
        (vec!["send", "--edit", msgid], 2, "--edit needs"),
        (vec!["send", "--edit", msgid, "--to", "ana", "x"], 2, "--edit"),
        (vec!["send", "--edit", "nothing", "x"], 1, "refused (404)"),
        (vec!["recall", "nothing"], 1, "refused (404)"),
        (vec!["recall", "no/id"], 2, "no msgid"),
    ] {
        let wrong = server_dir.try_run(&args);
        assert!(wrong.code == Some(code) && wrong.err.contains(says), "{args:?}: {wrong:?}");
    }
    assert_eq!(server_dir.run(&["recall", msgid]), format!("recalled {msgid}\n"));
    assert_eq!(server_dir.json(&["recall", msgid])["msgid"], msgid);
    laptop.run(&["pull"]);
    assert_eq!(laptop.json(&["list"]), json!([]));
    assert_eq!(laptop.json(&["search", "backup"]), json!([]));
    assert_eq!(laptop.json(&["unread"])["total"], 0);
}
