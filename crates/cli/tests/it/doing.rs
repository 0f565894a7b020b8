//! Tests of `watch --exec`: a command for each notification.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tidings_testkit::wait::until_blocking;

use crate::data_folder::DataFolder;
use crate::sending::subscribed;
use crate::serving::Serving;

/// Starts `tidings watch --exec` in its data folder, and waits until it watches; what it says is read in lines.
fn doing(laptop: &DataFolder, script: &str, more: &[&str]) -> Serving {
    let mut command = laptop.command(&[&["watch", "--exec", script], more].concat());
    let mut child = command.current_dir(laptop.path()).spawn().unwrap();
    let said = child.stderr.take().unwrap();
    let mut watch = Serving::with_unread_output(child);
    watch.read(said);
    watch.wait_for_line("watching");
    watch
}

/// The lines of a file, as soon as it has so many.
fn lines(path: &Path, count: usize) -> Vec<String> {
    until_blocking(&format!("{count} lines in {}", path.display()), || {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        (lines.len() >= count && text.ends_with('\n')).then_some(lines)
    })
}

/// The id of a process that a command wrote down.
fn written_pid(path: &Path) -> u32 {
    lines(path, 1)[0].parse().unwrap()
}

/// Whether a process runs. One that ended may still be listed until its parent takes note.
fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[test]
fn each_notification_runs_the_command_with_its_variables_and_its_json() {
    let (server_dir, _serving, laptop) = subscribed();
    server_dir.run(&["send", "--to", "ana", "before"]);
    laptop.run(&["pull"]);
    let script = "printf '%s|' \"$TIDINGS_KIND\" \"$TIDINGS_TITLE\" \"$TIDINGS_BODY\" \"$TIDINGS_SOURCE\" \
                  \"$TIDINGS_TOPIC\" \"$TIDINGS_PRIORITY\" \"$TIDINGS_TAGS\" \"$TIDINGS_URL\" \"$TIDINGS_ACTOR\" \
                  >> log; printf '\\n' >> log; echo \"$TIDINGS_MSGID\" >> ids; cat >> json";
    let watch = doing(&laptop, script, &[]);
    let full =
        ["--title", "NAS", "--priority", "5", "--tags", "disk,weekly", "--click", "https://nas.example/"];
    server_dir.run(&[&["send", "--topic", "backups"], &full[..], &["Backup done"]].concat());
    // One pull may bring both, and a message before a reminder.
    lines(&laptop.path().join("log"), 1);
    server_dir.run(&["send", "--to", "ana", "lunch?"]);
    let log = lines(&laptop.path().join("log"), 2);
    let fields = "reminder|NAS|Backup done|Work|backups|5|disk,weekly|https://nas.example/|backups|";
    assert_eq!(log, [fields, "message|admin|lunch?|Work||3|||admin|"], "what was there before is none of it");
    let json: Vec<Value> = lines(&laptop.path().join("json"), 2)
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&json[0]["title"], &json[1]["body"]), (&json!("NAS"), &json!("lunch?")));
    for (item, id) in json.iter().zip(lines(&laptop.path().join("ids"), 2)) {
        assert_eq!(item["msgid"], id.as_str());
        laptop.run(&["mark", "read", &id]);
    }
    assert_eq!(watch.terminate().0, Some(0));
}

#[test]
fn nothing_that_a_notification_says_is_run() {
    let (server_dir, _serving, laptop) = subscribed();
    let watch = doing(&laptop, "printf '%s\\n' \"$TIDINGS_TITLE\" \"$TIDINGS_BODY\" >> log", &[]);
    let title = "\"; touch pwned; \" $(touch pwned) '";
    let body = "`touch pwned`; touch pwned & $(touch pwned)\n\u{1b}[2Jtouch pwned \u{1}é";
    server_dir.run(&["send", "--topic", "backups", "--title", title, body]);
    let log = lines(&laptop.path().join("log"), 3);
    assert_eq!(log, [title, "`touch pwned`; touch pwned & $(touch pwned)", "[2Jtouch pwned é"]);
    assert!(!laptop.path().join("pwned").exists());
    assert_eq!(watch.terminate().0, Some(0));
}

#[test]
fn however_long_a_command_takes_the_others_wait_for_their_turn() {
    let (server_dir, _serving, laptop) = subscribed();
    let script = "until [ -e go ]; do sleep 0.05; done; echo \"$TIDINGS_BODY\" >> log";
    let watch = doing(&laptop, script, &[]);
    for n in 0..5 {
        server_dir.run(&["send", "--to", "ana", &n.to_string()]);
    }
    laptop.until_unread(5);
    assert!(!laptop.path().join("log").exists());
    fs::write(laptop.path().join("go"), "").unwrap();
    assert_eq!(lines(&laptop.path().join("log"), 5), ["0", "1", "2", "3", "4"]);
    assert_eq!(watch.terminate().0, Some(0));
}

/// Writes down a process that would go on for long, and waits for it.
const ENDLESS: &str = "sleep 1000 & echo $! > pid; wait";

#[test]
fn a_command_that_fails_or_takes_too_long_is_told_and_the_next_one_runs() {
    let (server_dir, _serving, laptop) = subscribed();
    let script =
        format!("case $TIDINGS_BODY in fail) exit 3;; hang) {ENDLESS};; esac; echo \"$TIDINGS_BODY\" >> log");
    let watch = doing(&laptop, &script, &["--time-limit", "1s"]);
    for text in ["fail", "hang", "well"] {
        server_dir.run(&["send", "--to", "ana", text]);
    }
    watch.wait_for_line(": the command failed (exit status: 3)");
    watch.wait_for_line(": the command took longer than 1 s, so it was ended");
    assert_eq!(lines(&laptop.path().join("log"), 1), ["well"]);
    let pid = written_pid(&laptop.path().join("pid"));
    until_blocking("the end of what it had started", || !runs(pid));
    assert_eq!(watch.terminate().0, Some(0));
    for wrong in [&["watch", "--time-limit", "1s"][..], &["watch", "--exec", "true", "--time-limit", "soon"]]
    {
        assert_eq!(laptop.try_run(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn whoever_stops_the_watch_stops_what_runs_for_it() {
    let (server_dir, _serving, laptop) = subscribed();
    let watch = doing(&laptop, ENDLESS, &[]);
    server_dir.run(&["send", "--to", "ana", "hello"]);
    let pid = written_pid(&laptop.path().join("pid"));
    assert!(runs(pid));
    assert_eq!(watch.terminate().0, Some(0));
    until_blocking("the end of what ran", || !runs(pid));
}

#[test]
fn a_command_that_reads_nothing_and_a_text_longer_than_a_variable_are_no_trouble() {
    let (server_dir, _serving, laptop) = subscribed();
    let log: PathBuf = laptop.path().join("log");
    let watch = doing(&laptop, "echo ${#TIDINGS_BODY} >> log", &[]);
    let file = laptop.path().join("long");
    fs::write(&file, "x".repeat(200_000)).unwrap();
    let mut send = server_dir.command(&["send", "--to", "ana", "-"]);
    let sent = DataFolder::run_command(send.stdin(fs::File::open(&file).unwrap()));
    assert_eq!(sent.code, Some(0), "{sent:?}");
    server_dir.run(&["send", "--to", "ana", "short"]);
    assert_eq!(lines(&log, 2), ["65536", "5"]);
    assert_eq!(watch.terminate().0, Some(0));
}
