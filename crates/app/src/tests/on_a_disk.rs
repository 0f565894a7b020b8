//! Tests of the app's inbox on a disk whose calls fail: drafts, marks, searches, compaction, exports, backups and restores.
//! Each says so, keeps what it called kept, and is done again by the same process once the disk is well.
//!
//! `TIDINGS_SOAK` lets every call fail in turn; a usual run takes a sample.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command as Process, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};
use tidings_ipc::ThreadQuery;
use tidings_model::Lang;
use tidings_replica::ItemFilter;
use tidings_sync::PullReason;
use tidings_testkit::disk::{Disk, plans};
use tidings_testkit::wait;

use super::harness::{notification, open_at};
use super::inbox;
use crate::Command;

/// Names the folder of [`the_part_that_reads`].
const FOLDER: &str = "TIDINGS_TEST_FOLDER";
/// The name of that part.
const PART: &str = "tests::on_a_disk::the_part_that_reads";
/// The notifications of the inbox.
const ITEMS: usize = 40;

/// Calls the app as the page does, with what each line of the input has: a command, its arguments and the file of its
/// dialog. `facts` tells of the draft, and of what was read.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a part of the other test here, as a process of its own"]
async fn the_part_that_reads() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let test = open_at(tempfile::TempDir::new_in(folder).unwrap(), Lang::En);
    let source = test.source("Work");
    let more = json!({"kind": "message", "thread": "group:crew", "conversation": "group:crew", "action": null,
        "target": null, "actor": {"id": "bo", "name": "Bo"}, "body": "The disk is full"});
    let items = (1..).take(ITEMS).map(|nth| notification(&test.clock, nth, &more)).collect();
    test.pulled(source, PullReason::Backlog, items).await;
    let test = test.running();
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let replica = test.app.context.replica.clone();
    println!("done: {thread}");
    while let Some(line) =
        tokio::task::spawn_blocking(|| std::io::stdin().lines().next()).await.unwrap().map(Result::unwrap)
    {
        let asked: Value = serde_json::from_str(&line).unwrap();
        if asked["command"] == "facts" {
            let items = replica.items(&ItemFilter::default(), 2 * ITEMS).unwrap();
            let read = items.iter().filter(|item| !item.unread).map(|item| &item.notification.msgid);
            let draft = replica.draft(source, "group:crew").unwrap();
            println!("done: {}", json!({"draft": draft, "read": read.collect::<Vec<_>>()}));
            continue;
        }
        test.app.call_rate.forget();
        *test.desktop.chosen.lock().unwrap() =
            asked["file"].as_str().map(PathBuf::from).into_iter().collect();
        let called = json!({"command": asked["command"], "args": asked["args"]});
        match Box::pin(test.app.call(Command::deserialize(called).unwrap())).await {
            Ok(answer) => println!("done: {answer}"),
            Err(error) => println!("fails: {}", error.text),
        }
    }
    assert_eq!(replica.check().unwrap(), []);
}

/// A process with an app whose files are on a disk.
struct Part {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Part {
    fn start(disk: &Disk) -> Self {
        let mut command = Process::new(std::env::current_exe().unwrap());
        command.args(["--exact", PART, "--ignored", "--nocapture"]);
        command.env(FOLDER, disk.folder()).env("TIDINGS_NO_KEYRING", "1").envs(disk.env());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Waits for what came of the last call: its answer, or the sentence that says why it failed.
    fn outcome(&mut self) -> Result<Value, String> {
        let found = self.lines.by_ref().map(Result::unwrap).find_map(|line| {
            let why = line.split_once("fails: ").map(|(_, why)| Err(why.to_owned()));
            why.or_else(|| Some(Ok(serde_json::from_str(line.split_once("done: ")?.1).unwrap())))
        });
        found.expect("it says what came of it")
    }

    fn call(&mut self, command: &str, args: &Value, file: Option<&Path>) -> Result<Value, String> {
        let line = json!({"command": command, "args": args, "file": file});
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.outcome()
    }
}

#[test]
fn whatever_the_window_does_on_a_failing_disk_is_told_kept_and_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::below(folder.path());
    let mut part = Part::start(&disk);
    let thread = part.outcome().unwrap();
    let (backup, export) = (disk.folder().join("inbox.tar"), disk.folder().join("inbox.json"));
    let query = ThreadQuery { search: Some("disk".to_owned()), ..inbox() };
    let firsts = if std::env::var_os("TIDINGS_SOAK").is_some() { 40 } else { 8 };
    let (mut failed, mut refused, mut draft) = (0, 0, String::new());
    for (nth, plan) in plans(firsts, 13).enumerate() {
        let (text, msgid) = (format!("draft {nth}"), format!("m{}", nth % ITEMS + 1));
        let calls: [(&str, Value, Option<&Path>); 7] = [
            ("save_draft", json!({"thread": thread, "text": text}), None),
            ("mark_items", json!({"thread": thread, "msgids": [msgid], "mark": {"op": "read"}}), None),
            ("threads", json!({"query": query}), None),
            ("compact", json!({}), None),
            ("export_inbox", json!({"format": "json"}), Some(&export)),
            ("backup", json!({}), Some(&backup)),
            ("restore", json!({}), Some(&backup)),
        ];
        let (command, args, file) = &calls[nth % calls.len()];
        if *command == "restore" {
            part.call("backup", args, *file).unwrap();
        }
        disk.plan(&plan);
        let mut outcome = part.call(command, args, *file);
        failed += disk.failed();
        disk.heal();
        if let Err(why) = &outcome {
            refused += 1;
            assert!(why.contains(' ') && !why.contains("panicked"), "{plan:?}: {command}: {why}");
            let facts = part.call("facts", &json!({}), None).unwrap();
            assert!(facts["draft"] == draft || facts["draft"] == text, "{plan:?}: {command}: {facts}");
            wait::until_blocking(&format!("{command} after {plan:?}"), || {
                outcome = part.call(command, args, *file);
                outcome.is_ok()
            });
        }
        let facts = part.call("facts", &json!({}), None).unwrap();
        match *command {
            "save_draft" => draft = text,
            "mark_items" => assert!(facts["read"].as_array().unwrap().contains(&json!(msgid)), "{plan:?}"),
            "threads" => assert_eq!(outcome.unwrap()["rows"].as_array().unwrap().len(), 1, "{plan:?}"),
            "export_inbox" => {
                let written: Value = serde_json::from_slice(&std::fs::read(&export).unwrap()).unwrap();
                assert_eq!(written.as_array().unwrap().len(), ITEMS, "{plan:?}");
            }
            _ => {}
        }
        assert_eq!(facts["draft"], draft, "{plan:?}: {command}");
    }
    assert!(failed > 3 && refused > 1, "{failed} calls failed, {refused} commands were refused");
    drop(part.child.stdin.take());
    assert!(part.child.wait().unwrap().success());
}
