//! Tests of `ask`, which waits for the answer to a question, and of `answer`, by their exit codes and outputs.

use std::process::{Child, Command};

use serde_json::{Value, json};
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_testkit::wait::until_blocking;

use crate::data_folder::{CommandOutput, DataFolder, msgid, server_and_replica};
use crate::inbox::request;

/// A question to Ana that is being asked.
struct Asking(Child);

impl Asking {
    fn start(server_dir: &DataFolder, args: &[&str]) -> Self {
        Self(server_dir.command(&[&["ask", "--to", "ana"], args].concat()).spawn().unwrap())
    }

    /// The exit code and the outputs, at the end.
    fn end(self) -> CommandOutput {
        let done = self.0.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        CommandOutput { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
    }
}

/// The msgid of the newest question, as soon as the laptop has it and it is open.
fn open_question(laptop: &DataFolder) -> String {
    until_blocking("the question", || {
        laptop.run(&["pull"]);
        // There may be none yet, which is null.
        let newest = &laptop.json(&["list"])[0];
        (newest["question"]["state"] == "open").then(|| msgid(newest).to_owned())
    })
}

/// Asks Ana, who answers on the laptop.
fn asked_and_answered(
    (server_dir, laptop): (&DataFolder, &DataFolder),
    question: &[&str],
    answer: &[&str],
) -> CommandOutput {
    let asking = Asking::start(server_dir, question);
    let msgid = open_question(laptop);
    laptop.run(&[&["answer", &msgid], answer].concat());
    laptop.run(&["pull"]);
    asking.end()
}

#[test]
fn a_script_goes_on_with_the_first_answer_and_stops_at_any_other() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let folders = (&server_dir, &laptop);
    let deploy = ["Deploy 4812?", "--answer", "Approve it", "--answer", "Deny", "--text"];
    let approved = asked_and_answered(folders, &deploy, &["approve it"]);
    assert_eq!((approved.code, &approved.out[..]), (Some(0), "Approve it\n"), "{approved:?}");

    let denied = asked_and_answered(folders, &deploy, &["Deny", "--text", "not on a Friday"]);
    assert_eq!((denied.code, &denied.out[..]), (Some(1), "Deny: not on a Friday\n"), "{denied:?}");
    assert_eq!(denied.err, "", "an answer is no error");

    let in_json = asked_and_answered(folders, &[&deploy[..], &["--json"]].concat(), &["deny"]);
    let document: Value = serde_json::from_str(&in_json.out).unwrap();
    assert_eq!((in_json.code, &document["state"]), (Some(1), &json!("answered")));
    assert_eq!((&document["answer"]["id"], &document["answer"]["by"]), (&json!("deny"), &json!("ana")));

    let words = asked_and_answered(folders, &["Which version?", "--text"], &["--text", "2.1"]);
    assert_eq!((words.code, &words.out[..]), (Some(0), "2.1\n"), "{words:?}");
}

#[test]
fn what_nobody_answers_in_time_is_told_by_its_own_exit_code_with_the_default() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let question = ["Now?", "--answer", "Yes", "--answer", "No", "--timeout", "1s"];
    let with_default = Asking::start(&server_dir, &[&question[..], &["--default", "No"]].concat()).end();
    assert_eq!((with_default.code, &with_default.out[..]), (Some(3), "No\n"), "{with_default:?}");
    let first_by_default = Asking::start(&server_dir, &[&question[..], &["--default", "yes"]].concat()).end();
    assert_eq!((first_by_default.code, &first_by_default.out[..]), (Some(3), "Yes\n"), "nobody gave it");
    let without = Asking::start(&server_dir, &[&question[..], &["--json"]].concat()).end();
    let document: Value = serde_json::from_str(&without.out).unwrap();
    assert_eq!(
        (without.code, &document["state"], &document["answer"]),
        (Some(3), &json!("expired"), &json!(null))
    );

    laptop.run(&["pull"]);
    let late = laptop.try_run(&["answer", msgid(&document), "Yes"]);
    assert!(late.code == Some(1) && late.err.contains("closed; nothing was sent"), "{late:?}");
}

#[test]
fn a_question_ends_by_the_clock_of_the_server_whatever_that_of_its_asker_says() {
    let (server_dir, _serving, laptop) = server_and_replica();
    for days in [-1, 1] {
        server_dir.set_clock_ahead(days * 24 * 3_600);
        let asking = Asking::start(&server_dir, &["Now?", "--answer", "Yes", "--timeout", "10m"]);
        let msgid = open_question(&laptop);
        let ends = laptop.json(&["list"])[0]["question"]["expires_at"].clone();
        let (ends, now): (Stamp, _) = (ends.as_str().unwrap().parse().unwrap(), SystemClock.now());
        assert!(ends > now && ends <= now.plus_secs(600), "it ends at {ends}");
        laptop.run(&["answer", &msgid, "Yes"]);
        laptop.run(&["pull"]);
        let answered = asking.end();
        assert_eq!(answered.code, Some(0), "{answered:?}");
    }
}

#[test]
fn a_question_whose_asker_is_interrupted_is_taken_back() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let asking = Asking::start(&server_dir, &["Deploy?", "--answer", "Approve"]);
    let msgid = open_question(&laptop);
    assert!(Command::new("kill").args(["-INT", &asking.0.id().to_string()]).status().unwrap().success());
    let ended = asking.end();
    assert!(ended.code == Some(1) && ended.err.contains("taken back"), "{ended:?}");
    laptop.run(&["pull"]);
    assert_eq!(laptop.json(&["list"]), json!([]));
    assert_eq!(laptop.try_run(&["answer", &msgid, "Approve"]).code, Some(1));
}

#[test]
fn whoever_waits_for_an_answer_finds_a_server_again_that_starts_at_another_port() {
    let (server_dir, serving, laptop) = server_and_replica();
    let asking = Asking::start(&server_dir, &["Deploy?", "--answer", "Approve"]);
    let msgid = open_question(&laptop);
    let token = server_dir.token("ana", "inbox");
    let former = serving.url.clone();
    serving.terminate();
    let serving = server_dir.serve();
    assert_ne!(serving.url, former, "and its token for programs of this machine is new");
    let answer = json!({"ops": [{"id": "1", "op": "answer", "msgids": [msgid], "answer": "approve"}]});
    request("POST", &serving.url, "/api/v1/inbox/ops", &token, &answer);
    let answered = asking.end();
    assert_eq!((answered.code, &answered.out[..]), (Some(0), "Approve\n"), "{answered:?}");
}

#[test]
fn what_cannot_be_asked_or_answered_says_why_and_sends_nothing() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let ask = |args: &[&str]| server_dir.try_run(&[&["ask", "--to", "ana"], args].concat());
    assert_eq!(ask(&["Deploy?"]).code, Some(2), "neither answers nor a text");
    assert_eq!(ask(&["Deploy?", "--text", "--timeout", "soon"]).code, Some(2));
    let no_default = ask(&["Deploy?", "--answer", "Yes", "--default", "Perhaps"]);
    assert!(no_default.code == Some(2) && no_default.err.contains("nothing was asked"), "{no_default:?}");
    let nobody = server_dir.try_run(&["ask", "--to", "nobody-here", "Deploy?", "--text"]);
    assert!(nobody.code == Some(1) && nobody.err.contains("404"), "{nobody:?}");
    laptop.run(&["pull"]);
    assert_eq!(laptop.json(&["list"]), json!([]));

    server_dir.run(&["send", "--to", "ana", "lunch?"]);
    let asking = Asking::start(&server_dir, &["Deploy?", "--answer", "Approve"]);
    let question = open_question(&laptop);
    let list = laptop.json(&["list"]);
    let answer = |args: &[&str]| laptop.try_run(&[&["answer"], args].concat());
    let asks_nothing = answer(&[msgid(&list[1]), "Yes"]);
    assert!(
        asks_nothing.code == Some(1) && asks_nothing.err.contains("is not a question"),
        "{asks_nothing:?}"
    );
    let other = answer(&[&question, "Perhaps"]);
    assert!(other.code == Some(2) && other.err.contains("not one of the answers: Approve"), "{other:?}");
    let words = answer(&[&question, "Approve", "--text", "go"]);
    assert!(words.code == Some(1) && words.err.contains("does not have this answer"), "{words:?}");
    assert_eq!(answer(&["unknown", "Approve"]).code, Some(1));
    assert_eq!(answer(&[&question]).code, Some(2), "no answer");
    laptop.run(&["answer", &question, "Approve"]);
    laptop.run(&["pull"]);
    assert_eq!(asking.end().code, Some(0), "none of these closed it");
}
