//! Tests of `run`: what a command reads, writes and ends with is as without us, and how it ended is told.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tidings_testkit::services::{Ntfy, ScriptedService};
use tidings_testkit::wait::until_blocking;
use tokio::runtime::Runtime;

use crate::data_folder::{CommandOutput, DataFolder};
use crate::sending::{newest, subscribed};
use crate::serving::Serving;
use crate::terminal::{Terminal, under};

/// `tidings run` of a shell's script.
fn running(folder: &DataFolder, options: &[&str], script: &str) -> Command {
    folder.command(&[&["run", "--topic", "backups"], options, &["--", "sh", "-c", script]].concat())
}

fn ran(folder: &DataFolder, options: &[&str], script: &str) -> CommandOutput {
    DataFolder::run_command(&mut running(folder, options, script))
}

/// The command as a process that gets signals as one in a shell of its own, whatever this test's parents ignore.
fn started(command: &Command) -> Serving {
    let mut child = under(&["env", "--default-signal"], command).process_group(0).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let mut process = Serving::with_unread_output(child);
    process.read(out);
    process
}

fn kill(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

fn title(item: &Value) -> &str {
    item["title"].as_str().unwrap()
}

/// A pipe with a name in a folder, on which a command waits for its test.
fn gate(folder: &DataFolder) -> PathBuf {
    let path = folder.path().join("gate");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

fn open_gate(path: &Path) {
    fs::write(path, "go\n").unwrap();
}

#[test]
fn a_command_reads_and_writes_as_without_us_and_its_last_lines_are_told() {
    let (server_dir, _serving, laptop) = subscribed();
    let script = "cat; printf 'no end of line'; echo wrong >&2";
    let mut child =
        running(&server_dir, &["--title", "Nightly"], script).stdin(Stdio::piped()).spawn().unwrap();
    let typed = b"first\n\xff\x1b[31mred\x1b[0m\r\n";
    child.stdin.take().unwrap().write_all(typed).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.stdout, [typed.as_slice(), b"no end of line"].concat());
    assert_eq!((done.stderr.as_slice(), done.status.code()), (b"wrong\n".as_slice(), Some(0)));
    let item = newest(&laptop);
    assert!(title(&item).starts_with("Nightly ended after ") && title(&item).ends_with(" s"), "{item}");
    assert_eq!((&item["priority"], &item["tags"]), (&json!(3), &json!([])));
    let body = item["body"].as_str().unwrap();
    assert!(body.contains("first\n\u{fffd}red\n") && body.contains("wrong"), "{body:?}");
}

#[test]
fn a_failure_keeps_its_exit_code_and_is_told_with_more_weight_and_a_success_may_go_without_saying() {
    let (server_dir, _serving, laptop) = subscribed();
    let quiet = ran(&server_dir, &["--only-failure"], "echo fine");
    assert_eq!((quiet.code, &quiet.out[..], &quiet.err[..]), (Some(0), "fine\n", ""));
    laptop.run(&["pull"]);
    assert_eq!(laptop.json(&["list"]), json!([]));

    let failed = ran(&server_dir, &["--only-failure", "--lines", "2"], "seq 1 50; exit 3");
    assert_eq!((failed.code, failed.out.lines().count(), &failed.err[..]), (Some(3), 50, ""));
    let item = newest(&laptop);
    assert!(title(&item).starts_with("sh -c seq 1 50; exit 3 failed with exit code 3 after "), "{item}");
    assert_eq!((&item["priority"], &item["tags"]), (&json!(4), &json!(["warning"])));
    assert_eq!(item["body"], "49\n50");

    ran(&server_dir, &[], "exit 1");
    assert_eq!(newest(&laptop)["body"], "It printed nothing.");
    ran(&server_dir, &["--lines", "0"], "echo secret; exit 1");
    assert_eq!(newest(&laptop)["body"], "Its output was left out.");
}

#[test]
fn outputs_that_go_to_one_place_keep_their_order() {
    let (server_dir, _serving, _laptop) = subscribed();
    let script = "i=0; while [ $i -lt 600 ]; do echo $i; echo $((i + 1)) >&2; i=$((i + 2)); done";
    let (mut reader, writer) = io::pipe().unwrap();
    let mut command = running(&server_dir, &[], script);
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let expected: Vec<String> = (0..600).map(|n| n.to_string()).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_signal_reaches_the_command_which_may_take_its_time_and_one_that_it_dies_of_is_told() {
    let (server_dir, _serving, laptop) = subscribed();
    for (signal, number) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)] {
        let caught = format!("trap 'echo caught; exit 7' {signal}; echo ready; while :; do sleep 0.05; done");
        let mut process = started(&running(&server_dir, &["--only-failure"], &caught));
        process.wait_for_line("ready");
        kill(signal, process.pid());
        assert_eq!(process.line(), "caught");
        assert_eq!(process.wait_for_exit().code(), Some(7));

        let mut process = started(&running(&server_dir, &[], "ulimit -c 0; echo ready; exec sleep 1000"));
        process.wait_for_line("ready");
        kill(signal, process.pid());
        assert_eq!(process.wait_for_exit().code(), Some(128 + number));
        let item = newest(&laptop);
        assert!(title(&item).contains(&format!(" was ended by signal {number} after ")), "{item}");
        assert_eq!((&item["priority"], &item["body"]), (&json!(4), &json!("ready")));
    }
}

#[test]
fn what_nohup_has_ignored_is_ignored_by_us_and_by_the_command() {
    let (server_dir, _serving, laptop) = subscribed();
    let gate = gate(&server_dir);
    let script = format!("echo ready; read line < '{}'; echo survived", gate.display());
    let nohup = under(&["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"], &running(&server_dir, &[], &script));
    let mut process = started(&nohup);
    process.wait_for_line("ready");
    kill("HUP", process.pid());
    open_gate(&gate);
    process.wait_for_line("survived");
    assert_eq!(process.wait_for_exit().code(), Some(0));
    assert!(title(&newest(&laptop)).contains(" ended after "));
}

#[test]
fn ctrl_c_in_a_terminal_reaches_the_command_once() {
    let (server_dir, _serving, laptop) = subscribed();
    let script = "n=0; trap 'n=$((n + 1)); echo caught $n' INT; echo ready; \
                  while [ $n = 0 ]; do sleep 0.05; done; read line; exit $n";
    let mut terminal = Terminal::of(&under(&["env", "--default-signal"], &running(&server_dir, &[], script)));
    terminal.wait_for("ready");
    terminal.press("\u{3}");
    terminal.wait_for("caught 1");
    terminal.press("go\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(1), "{screen}");
    assert!(title(&newest(&laptop)).contains(" failed with exit code 1 after "));
}

#[test]
fn a_server_that_is_away_or_refuses_changes_no_exit_code_and_a_sentence_says_so() {
    let nobody = DataFolder::new();
    let (server_dir, serving, _laptop) = subscribed();
    let mut away = running(&server_dir, &[], "echo out; exit 5");
    away.env("TIDINGS_SERVER", "http://127.0.0.1:9");
    let mut refused = running(&server_dir, &[], "echo out; exit 5");
    refused.env("TIDINGS_SERVER", &serving.url).env("TIDINGS_TOKEN", "tdg_unknown");
    let unknown_source = running(&server_dir, &["--source", "Nowhere"], "echo out; exit 5");
    for (mut command, why) in [
        (running(&nobody, &[], "echo out; exit 5"), "no server runs on this machine"),
        (away, "does not answer"),
        (refused, "refused (401)"),
        (unknown_source, "there is no source `Nowhere`"),
    ] {
        let done = DataFolder::run_command(&mut command);
        assert_eq!((done.code, &done.out[..]), (Some(5), "out\n"), "{done:?}");
        let says = "tidings: the exit code is the command's, but how it ended was not published: ";
        assert!(done.err.starts_with(says) && done.err.contains(why), "{done:?}");
        assert_eq!(done.err.lines().count(), 1, "{done:?}");
    }
    assert_eq!(ran(&nobody, &[], "true").code, Some(0));
    assert_eq!(ran(&nobody, &["--json"], "true").code, Some(2), "standard output is the command's");
}

#[test]
fn what_cannot_be_started_has_the_exit_code_of_a_shell_and_is_told() {
    let (server_dir, _serving, laptop) = subscribed();
    let text = server_dir.path().join("notes.txt");
    fs::write(&text, "no program").unwrap();
    for (program, code) in
        [("/nowhere/at/all", 127), ("no-such-program-here", 127), (text.to_str().unwrap(), 126)]
    {
        let done = server_dir.try_run(&["run", "--topic", "backups", "--", program, "x"]);
        assert_eq!((done.code, &done.out[..]), (Some(code), ""), "{done:?}");
        assert!(done.err.starts_with(&format!("tidings: `{program} x` can't be started: ")), "{done:?}");
        let item = newest(&laptop);
        assert_eq!(
            (title(&item), &item["priority"]),
            (&*format!("{program} x could not be started"), &json!(4))
        );
        assert!(done.err.contains(item["body"].as_str().unwrap()), "it says why: {item}");
    }
}

/// The anonymous memory of a process, in KiB.
fn memory_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_endless_line_is_passed_on_whole_and_takes_little_memory() {
    const BYTES: usize = 96 << 20;
    let (server_dir, _serving, laptop) = subscribed();
    let gate = gate(&server_dir);
    let script = format!("head -c {BYTES} /dev/zero | tr '\\0' x; read line < '{}'", gate.display());
    let mut child: Child = running(&server_dir, &[], &script).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let passed = io::copy(&mut out.take(BYTES as u64), &mut io::sink()).unwrap();
    assert_eq!(passed, BYTES as u64);
    let kib = memory_kib(child.id());
    assert!(kib < 48 << 10, "{kib} KiB");
    open_gate(&gate);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(newest(&laptop)["body"], "x".repeat(4_096));
}

#[test]
fn a_reader_that_goes_ends_the_command_as_in_any_pipe() {
    let (server_dir, _serving, laptop) = subscribed();
    let mut child = server_dir.command(&["run", "--topic", "backups", "--", "yes"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!((line.as_str(), done.status.code()), ("y\n", Some(128 + 13)), "{done:?}");
    assert!(title(&newest(&laptop)).starts_with("yes was ended by signal 13 after "));
}

#[test]
fn what_stays_in_the_background_goes_on_writing_after_the_end_was_told() {
    let (server_dir, _serving, laptop) = subscribed();
    let gate = gate(&server_dir);
    let script = format!("(read line < '{}'; echo late) & echo done; exit 3", gate.display());
    let child = running(&server_dir, &[], &script).spawn().unwrap();
    let item = until_blocking("the notification", || Some(newest(&laptop)).filter(|item| !item.is_null()));
    assert!(title(&item).contains(" failed with exit code 3 after "), "{item}");
    open_gate(&gate);
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.stdout.as_slice(), done.status.code()), (b"done\nlate\n".as_slice(), Some(3)));
}

#[test]
fn the_limit_on_core_dumps_is_the_one_of_the_caller() {
    let folder = DataFolder::new();
    let script = "ulimit -Sc; ulimit -Hc";
    let without = Command::new("sh").args(["-c", script]).output().unwrap();
    assert_eq!(ran(&folder, &[], script).out.as_bytes(), without.stdout);
}

#[test]
fn it_is_told_on_a_topic_of_a_source_if_one_is_named() {
    let runtime = Runtime::new().unwrap();
    let ntfy = runtime.block_on(Ntfy::with(&["alerts"], false));
    let folder = DataFolder::new();
    folder.run(&["source", "add", "ntfy", &ntfy.url(), "--token", &ntfy.token(), "--name", "Home"]);
    let run = ["run", "--source", "Home", "--topic", "alerts", "--title", "Soup", "--"];
    let done = folder.try_run(&[&run[..], &["sh", "-c", "echo burnt; exit 2"]].concat());
    assert_eq!((done.code, &done.out[..], &done.err[..]), (Some(2), "burnt\n", ""));
    let published = ntfy.published();
    assert_eq!((published.len(), &published[0]["message"]), (1, &json!("burnt")));
    assert!(title(&published[0]).starts_with("Soup failed with exit code 2 after "), "{published:?}");
    assert_eq!(published[0]["priority"], 4);
}
