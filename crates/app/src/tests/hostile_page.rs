//! Tests of a page that runs a stranger's code: every command with hostile arguments. Each gives an error with a sentence or
//! does no harm. No file appears outside of the data folder, and only commands whose form names an address ask it. No
//! answer has a token of the reader's, and no address of the page's choosing gets one.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tidings_ipc::{
    ErrorCode, IpcError, NewPublication, Preview, ProxyForm, PublishForm, QuietHours, Rule, Settings,
    SignInForm, SourceForm, ThreadQuery, TopicForm,
};
use tidings_model::Lang;
use tidings_replica::Replica;
use tidings_sync::PullReason;
use tidings_testkit::report::tried;
use tidings_testkit::scripted::response;
use tidings_testkit::wait::within_timeout;

use super::harness::{TestApp, notification, open, open_at, until};
use super::http_server::answering;
use super::inbox;
use crate::Command;
use crate::commands::NAMES;
use crate::context::MAX_DISK_JOBS;

/// What a command may do with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It asks nobody.
    Inside,
    /// It asks what the reader set up or what an item has, or another program, and no address of the page's choosing.
    Asks,
    /// A person chooses the file in the desktop's dialog.
    Dialog,
    /// A person types the address in its form, and it is asked.
    Form,
    /// The desktop opens a web or mail address in its program.
    Opens,
}

use Reach::{Asks, Dialog, Form, Inside, Opens};

/// Commands that reach outside and are not counted. Files, icons, images, lines of an import and calendars have bounds of their
/// own. What is shown of a thread is asked at its server, which may ask to wait.
const OWN_BOUNDS: [&str; 9] = [
    "fetch_file",
    "icon",
    "show_image",
    "add_imported",
    "settings",
    "look_up",
    "members",
    "read_by",
    "announcement_readers",
];

/// What the app keeps from its page.
const TOKEN: &str = "tdg_5e81d0_planted";

/// Stores it as the token of each source, whatever a command made of the last ones.
fn plant_token(test: &TestApp) {
    for source in test.app.context.replica.sources().unwrap_or_default() {
        test.store_token_of(source.id, TOKEN);
    }
}

/// Every command with arguments as the page has them: a thread, its source, and an address of the page's choosing.
fn commands(thread: i64, source: i64, url: &str) -> Vec<(&'static str, Reach, Value)> {
    let item = json!({"thread": thread, "msgid": "m1"});
    let target = json!({"place": {"place": "inbox"}, "search": "disk", "within": true});
    let search = json!({"id": 0, "name": "Disk", "query": "disk", "unread": 0});
    let rule = json!({"rule": Rule { name: "Disk".to_owned(), ..Rule::default() }});
    let form = SourceForm {
        protocol: "tidings".to_owned(),
        url: url.to_owned(),
        token: "t".to_owned(),
        ..SourceForm::default()
    };
    let publish =
        PublishForm { topic: "backups".to_owned(), address: url.to_owned(), ..PublishForm::default() };
    let publication = NewPublication {
        source,
        topic: "backups".to_owned(),
        key: "k1".to_owned(),
        ..NewPublication::default()
    };
    let sign_in = SignInForm { protocol: "forgejo".to_owned(), url: url.to_owned(), ..SignInForm::default() };
    let topic = TopicForm { topic: "backups".to_owned(), icon: url.to_owned(), ..TopicForm::default() };
    let button =
        json!({"label": "Open", "opens": true, "host": "example.org", "method": "GET", "copies": null});
    let line = json!({"id": "a", "label": "A", "enabled": true, "checked": null, "lines": []});
    let mut settings = Settings::default();
    settings.notify.quiet = vec![QuietHours { calendar: Some(url.to_owned()), ..QuietHours::default() }];
    let proxy = ProxyForm { address: url.to_owned(), user: "me".to_owned(), ..ProxyForm::default() };
    let mut proxy = json!({ "form": proxy });
    proxy["form"]["choice"] = json!("this");
    let none = || json!({});
    vec![
        ("bootstrap", Inside, none()),
        ("listen", Inside, none()),
        ("first_paint", Inside, none()),
        (
            "threads",
            Inside,
            json!({"query": ThreadQuery { search: Some("disk".to_owned()), after: Some("1".to_owned()), ..inbox() }}),
        ),
        ("thread", Inside, json!({"id": thread, "position": {"at": "around", "msgid": "m1"}})),
        ("look_up", Asks, json!({"thread": thread})),
        ("pull_now", Asks, none()),
        ("read_again", Inside, none()),
        (
            "mark",
            Inside,
            json!({"threads": [thread], "mark": {"op": "snooze", "until": "2026-11-01T08:00:00Z"}}),
        ),
        ("mark_items", Inside, json!({"thread": thread, "msgids": ["m1"], "mark": {"op": "read"}})),
        ("read_items", Inside, json!({"thread": thread, "seen": ["m1"], "through": "m1"})),
        ("watch", Inside, json!({"thread": thread})),
        ("answer_question", Inside, json!({"thread": thread, "msgid": "m1", "answer": "yes", "text": "Yes"})),
        ("unread_from", Inside, item.clone()),
        ("mark_all_read", Inside, json!({"place": {"place": "source", "source": source}})),
        ("mark_bulk", Inside, json!({"target": target, "mark": {"op": "read"}})),
        ("undo", Inside, json!({"undo": 1})),
        ("digest", Inside, json!({"query": {"since": 1_600_000_000_000_i64, "last_item": 9}})),
        (
            "archive_digest",
            Inside,
            json!({"target": {"since": 0, "last_item": 9, "source": source, "thread": thread}}),
        ),
        ("here", Inside, none()),
        ("away", Inside, none()),
        ("close_away", Inside, none()),
        ("suggest", Inside, json!({"query": "from:a"})),
        ("corrections", Inside, json!({"target": target})),
        ("save_search", Inside, json!({"search": search})),
        ("remove_search", Inside, json!({"id": 1})),
        ("order_searches", Inside, json!({"ids": [2, 1]})),
        ("send_message", Asks, json!({"thread": thread, "body": "Hello", "files": ["f"]})),
        ("choose_file", Dialog, json!({"thread": thread})),
        ("given_file", Inside, json!({"thread": thread})),
        ("begin_file", Inside, json!({"thread": thread, "name": "a.txt", "size": 3})),
        ("add_piece", Inside, json!({"id": "f", "data": "YWJj"})),
        ("remove_file", Inside, json!({"id": "f"})),
        (
            "start_conversation",
            Asks,
            json!({"conversation": {"source": source, "to": ["bo"], "group": false, "name": "", "body": "Hello"}}),
        ),
        ("publish_on_topic", Asks, json!({ "publication": publication })),
        ("people", Inside, json!({"source": source})),
        ("find_people", Asks, json!({"source": source, "typed": "bo"})),
        ("save_draft", Inside, json!({"thread": thread, "text": "Hello"})),
        ("retry_message", Inside, json!({"id": "a"})),
        ("discard_message", Inside, json!({"id": "a"})),
        ("leave_thread", Inside, json!({"thread": thread})),
        ("read_by", Asks, item.clone()),
        ("members", Asks, json!({"thread": thread})),
        ("change_group", Asks, json!({"thread": thread, "change": {"change": "rename", "name": "Crew"}})),
        ("written_text", Inside, item.clone()),
        ("edit_item", Asks, json!({"thread": thread, "msgid": "m1", "body": "Hello"})),
        ("recall_item", Asks, item.clone()),
        ("announcement_readers", Asks, item.clone()),
        ("open_link", Opens, json!({"url": "https://example.org/", "background": true})),
        (
            "run_action",
            Asks,
            json!({"thread": thread, "msgid": "m1", "index": 0, "button": button, "background": false}),
        ),
        ("popup", Inside, json!({"entries": [line], "at": [1, 2]})),
        ("settings", Form, json!({ "settings": settings })),
        ("choose_sound", Dialog, none()),
        ("autostart", Asks, json!({"on": true})),
        ("pause_toasts", Inside, json!({"until": 1_800_000_000_000_i64})),
        ("test_notification", Asks, none()),
        ("global_shortcut", Inside, none()),
        ("set_global_shortcut", Asks, json!({"keys": "Control+Alt+KeyT"})),
        (
            "set_source_notify",
            Inside,
            json!({"source": source, "notify": {"level": null, "from_priority": 3, "sound": true}}),
        ),
        (
            "set_thread_notify",
            Inside,
            json!({"thread": thread, "notify": {"level": null, "from_priority": 3, "sound": true}}),
        ),
        ("quiet_now", Inside, none()),
        (
            "mute",
            Inside,
            json!({"source": source, "origin": "topic:backups", "until": 1_800_000_000_000_i64}),
        ),
        ("unmute", Inside, json!({"source": source, "origin": "topic:backups"})),
        ("rules", Inside, none()),
        ("save_rule", Inside, rule.clone()),
        ("remove_rule", Inside, json!({"id": 1})),
        ("order_rules", Inside, json!({"ids": [2, 1]})),
        ("try_rule", Inside, rule.clone()),
        ("apply_rule", Inside, rule),
        ("complete_rule", Inside, json!({"field": "actor", "text": "a"})),
        ("rule_days", Inside, none()),
        ("rule_acts", Inside, json!({"rule": 1})),
        ("noise", Inside, none()),
        ("set_source_icons", Inside, json!({"source": source, "on": true})),
        ("keep_application", Inside, json!({"source": source, "name": "Mail", "on": true})),
        ("test_source", Form, json!({ "form": form })),
        ("add_source", Form, json!({ "form": form })),
        ("read_import", Dialog, none()),
        ("add_imported", Asks, json!({"id": 1, "line": 0, "token": "t", "known": true})),
        ("end_import", Inside, json!({"id": 1})),
        ("export_feeds", Dialog, none()),
        ("edit_source", Form, json!({"source": source, "form": form})),
        ("pause_source", Inside, json!({"source": source, "on": false})),
        ("removal_hint", Inside, json!({"source": source})),
        ("sign_in_source", Asks, json!({"source": source, "token": "t"})),
        ("sign_in_client", Inside, json!({"protocol": "forgejo", "url": url})),
        ("begin_sign_in", Form, json!({ "form": sign_in })),
        ("finish_sign_in", Inside, json!({"id": 0})),
        ("cancel_sign_in", Inside, json!({"id": 1})),
        ("certificates", Inside, none()),
        ("add_authorities", Dialog, json!({"address": url})),
        ("add_client_certificate", Dialog, json!({"address": url})),
        ("remove_certificate", Inside, json!({"origin": url, "fingerprint": "00"})),
        ("proxy", Inside, none()),
        ("try_source", Asks, json!({"source": source})),
        ("order_sources", Inside, json!({"ids": [source, 1]})),
        ("server", Inside, none()),
        ("set_server", Asks, json!({"port": 1, "others": true})),
        ("set_origins", Asks, json!({"origins": [url]})),
        ("create_token", Asks, json!({"label": "phone", "reads": true})),
        ("revoke_token", Inside, json!({"id": "1"})),
        ("add_user", Asks, json!({"id": "bo", "name": "Bo"})),
        ("rename_user", Inside, json!({"id": "bo", "name": "Bo"})),
        ("remove_user", Inside, json!({"id": "bo", "recalls": true})),
        ("export_user", Dialog, json!({"id": "bo"})),
        ("publishing", Inside, json!({ "form": publish })),
        ("create_application", Asks, json!({"name": "app"})),
        ("test_publishing", Asks, json!({"form": publish, "door": "gotify"})),
        ("topics", Inside, none()),
        ("save_topic", Inside, json!({ "form": topic })),
        ("remove_topic", Inside, json!({"topic": "backups"})),
        ("try_template", Inside, json!({"topic": "backups", "template": "{{ a }}"})),
        ("storage", Inside, none()),
        ("diagnosis", Inside, none()),
        ("releases", Inside, none()),
        ("close_release_notice", Inside, none()),
        ("compact", Inside, none()),
        ("set_pull_limit", Inside, json!({"mebibytes": 64})),
        ("mend_clock", Inside, none()),
        ("export_inbox", Dialog, json!({"format": "json"})),
        ("backup", Dialog, none()),
        ("restore", Dialog, none()),
        ("export_settings", Dialog, none()),
        ("import_settings", Dialog, none()),
        ("open_folder", Asks, json!({"folder": "logs"})),
        ("fetch_file", Asks, item.clone()),
        ("cancel_file", Inside, item.clone()),
        ("preview_file", Inside, item.clone()),
        ("preview_outgoing", Inside, json!({"id": "a"})),
        ("show_image", Asks, json!({"thread": thread, "msgid": "m1", "address": url})),
        ("icon", Asks, json!({"source": source, "address": url, "fetch": true})),
        ("save_file", Dialog, item),
        // What is after these has nothing to work on.
        ("set_proxy", Form, proxy),
        ("remove_source", Inside, json!({"source": source, "keep": false})),
        ("repair_inbox", Inside, none()),
        ("quit", Inside, none()),
    ]
}

/// Texts in place of one that the page would send.
fn texts(outside: &Path, url: &str) -> Vec<Value> {
    let outside = outside.display();
    let texts = [
        String::new(),
        "a".repeat(100_000),
        "x\0y".to_owned(),
        "a\r\nX-Evil: 1\r\n\r\n\u{1b}[2J".to_owned(),
        "\u{202e}moc.knab\u{2066}".to_owned(),
        "../../../../hostile".to_owned(),
        format!("{outside}/hostile"),
        format!("file://{outside}/hostile"),
        "javascript:alert(1)".to_owned(),
        format!("{url}hostile"),
        "' OR 1=1; DROP TABLE items; --".to_owned(),
        "\" AND NEAR(a b) * ^ from: before:x".to_owned(),
        "%00%2e%2e%2f".to_owned(),
        "-1".to_owned(),
    ];
    texts.into_iter().map(Value::from).collect()
}

/// Addresses in place of one that a person would type.
fn addresses(outside: &Path, url: &str) -> Vec<Value> {
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let addresses = [
        format!("file://{}/hostile", outside.display()),
        "javascript:alert(1)".to_owned(),
        format!("ftp://{host}/"),
        format!("http://{host}@127.0.0.1:1/"),
        "http://[::1".to_owned(),
        "http://".to_owned(),
        "data:text/html,hi".to_owned(),
        "unix:/run/dbus/system_bus_socket".to_owned(),
        format!("{url}{}", "a".repeat(100_000)),
        format!("{url}a\r\nX-Evil: 1\r\n\r\n"),
        format!("{url}../../..?a=%0d%0a"),
    ];
    addresses.into_iter().map(Value::from).collect()
}

/// A value in many lists, as deep as JSON is read.
fn deep() -> Value {
    (0..100).fold(json!(1), |inner, _| json!([inner]))
}

/// The values that take the place of one.
fn instead_of(value: &Value, texts: &[Value]) -> Vec<Value> {
    let mut all = vec![json!(null), deep()];
    match value {
        Value::String(_) => all.extend(texts.iter().cloned().chain([json!(7), json!({})])),
        Value::Number(_) => all.extend([
            json!(-1),
            json!(0),
            json!(i64::MIN),
            json!(i64::MAX),
            json!(u64::MAX),
            json!(1.5),
            json!(-1e300),
            json!("1"),
        ]),
        Value::Array(of) => {
            let many = of.first().cloned().unwrap_or(json!("x"));
            all.extend([json!([]), Value::Array(vec![many; 20_000])]);
        }
        _ => all.extend([json!("x"), json!(-1), json!([]), json!({})]),
    }
    all
}

/// The places in a value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(all) => all.iter().enumerate().map(|(n, one)| (n.to_string(), one)).collect(),
        Value::Object(all) => all.iter().map(|(name, one)| (name.clone(), one)).collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let place = format!("{at}/{name}");
        places(child, &place, found);
        found.push(place);
    }
}

/// The beginning of what is shown of a value.
fn start(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").chars().take(300).collect()
}

/// Calls a command as the page does: from JSON. `None` if the arguments are none of the command.
async fn call(test: &TestApp, name: &str, args: &Value) -> Option<Result<String, IpcError>> {
    test.app.call_rate.forget();
    let command = Command::deserialize(json!({"command": name, "args": args})).ok()?;
    Some(within_timeout(name, Box::pin(test.app.call(command))).await)
}

/// An app with a group's conversation, whose folder is alone in another one.
async fn app_in(outside: &Path) -> (TestApp, i64, i64) {
    let test = open_at(tempfile::TempDir::new_in(outside).unwrap(), Lang::En);
    test.source("");
    let source = test.source("Work");
    let more = json!({"kind": "message", "thread": "group:crew", "conversation": "group:crew", "action": null,
        "target": null, "actor": {"id": "bo", "name": "Bo"}, "body": "The disk is full"});
    test.pulled(source, PullReason::Backlog, vec![notification(&test.clock, 1, &more)]).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    (test, thread, source)
}

#[test]
fn every_command_has_a_row() {
    let rows: BTreeSet<&str> = commands(1, 1, "").into_iter().map(|(name, ..)| name).collect();
    assert_eq!(rows, NAMES.iter().copied().collect());
    for (name, _, args) in commands(1, 1, "http://127.0.0.1:1/") {
        let command = Command::deserialize(json!({"command": name, "args": args}));
        assert!(command.is_ok(), "{name}: {:?}", command.err());
    }
}

#[test]
fn what_is_no_json_is_no_command() {
    let deep = format!("{}1{}", "[".repeat(1_000), "]".repeat(1_000));
    for value in [r#""\ud800""#, "NaN", "-Infinity", "1e999", "'x'", "\"\u{0}\"", &deep] {
        let text = format!(r#"{{"command": "suggest", "args": {{"query": {value}}}}}"#);
        assert!(serde_json::from_str::<Command>(&text).is_err(), "{value:.40}");
    }
    for name in ["", "__proto__", "Mark", "mark ", "call"] {
        assert!(Command::deserialize(json!({"command": name, "args": {}})).is_err(), "{name}");
    }
}

#[tokio::test]
async fn hostile_arguments_are_refused_in_words_or_do_no_harm() {
    let outside = tempfile::tempdir().unwrap();
    let (url, requests) = answering(response("404 Not Found", "", "")).await;
    let url = format!("{url}/");
    let (test, thread, source) = app_in(outside.path()).await;
    let (texts, addresses) = (texts(outside.path(), &url), addresses(outside.path(), &url));
    plant_token(&test);
    assert_eq!(test.token_of(source).as_deref(), Some(TOKEN));
    let mut calls = 0;
    for (name, reach, args) in commands(thread, source, &url) {
        plant_token(&test);
        let (asked, opened) = (requests.lock().unwrap().len(), test.desktop.opened.lock().unwrap().len());
        let mut found = Vec::new();
        places(&args, "", &mut found);
        let mut all = vec![args.clone()];
        for place in found {
            let value = args.pointer(&place).unwrap();
            let is_address = ["/url", "/address", "/calendar"].iter().any(|end| place.ends_with(end));
            let texts = if reach == Form && is_address { &addresses } else { &texts };
            for other in instead_of(value, texts) {
                let mut hostile = args.clone();
                *hostile.pointer_mut(&place).unwrap() = other;
                all.push(hostile);
            }
        }
        for args in all {
            let Some(answer) = call(&test, name, &args).await else { continue };
            calls += 1;
            let said = answer.as_ref().unwrap_or_else(|error| &error.text);
            assert!(!said.contains(TOKEN), "{name} {} tells a token: {said:.300}", start(&args));
            if let Err(IpcError { text, .. }) = answer {
                let is_sentence = !text.is_empty() && text.len() <= 4_096;
                let is_safe = !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t'));
                assert!(is_sentence && is_safe, "{name} {}: {}", start(&args), start(&text));
            }
        }
        let opened: Vec<String> = test.desktop.opened.lock().unwrap()[opened..].to_vec();
        assert!(reach == Opens || opened.is_empty(), "{name} opened {opened:?}");
        let is_external = |url: &String| url.starts_with("http") || url.starts_with("mailto:");
        assert!(opened.iter().all(is_external), "{opened:?}");
        let asked: Vec<String> = requests.lock().unwrap()[asked..].to_vec();
        assert!(reach == Form || asked.is_empty(), "{name} asked {asked:?}");
        assert!(asked.iter().all(|head| !head.to_lowercase().contains("\nx-evil")), "{name}: {asked:?}");
        assert!(asked.iter().all(|head| !head.contains(TOKEN)), "{name} sends a token elsewhere: {asked:?}");
        assert!(test.desktop.calls.lock().unwrap().is_empty(), "{name} called somebody");
    }
    assert!(calls > 1_000, "{calls}");
    tried("a page that runs a stranger's code", &[("commands", NAMES.len() as u64), ("calls", calls)], &[]);
    let beside = std::fs::read_dir(outside.path()).unwrap().count();
    assert_eq!(beside, 1, "only the data folder is there");
    assert!(!Path::new("hostile").exists() && !Path::new("../../../../hostile").exists());
    assert!(call(&test, "bootstrap", &json!({})).await.unwrap().is_ok(), "the app goes on");
}

#[tokio::test]
async fn an_image_is_fetched_only_if_the_body_of_its_item_shows_a_box_for_it() {
    let test = open();
    let source = test.source("");
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0";
    let (url, requests) = answering(response("200 OK", "", picture)).await;
    let body = format!("![chart]({url}/a?x=1&y=2) [link]({url}/b) `![code]({url}/c)`");
    let plain = format!("![chart]({url}/d)");
    let items = vec![
        notification(&test.clock, 1, &json!({"body": body, "format": "markdown"})),
        notification(&test.clock, 2, &json!({"body": plain, "format": "plain"})),
    ];
    test.pulled(source, PullReason::Backlog, items).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let show = async |msgid: &str, path: &str| {
        let args = json!({"thread": thread, "msgid": msgid, "address": format!("{url}{path}")});
        call(&test, "show_image", &args).await.unwrap()
    };
    for (msgid, path) in
        [("m1", "/b"), ("m1", "/c"), ("m1", "/a?x=1"), ("m2", "/d"), ("m2", "/a?x=1&y=2"), ("m9", "/a")]
    {
        assert_eq!(show(msgid, path).await.map_err(|error| error.code), Err(ErrorCode::NotFound), "{path}");
    }
    assert!(requests.lock().unwrap().is_empty());
    let shown: Preview = serde_json::from_str(&show("m1", "/a?x=1&y=2").await.unwrap()).unwrap();
    assert!(matches!(shown, Preview::Image { .. }), "{shown:?}");
}

#[tokio::test]
async fn an_icon_is_fetched_only_if_an_item_of_its_source_names_it() {
    let test = open();
    let (own, work) = (test.source(""), test.source("Work"));
    let (url, requests) = answering(response("404 Not Found", "", "")).await;
    let item =
        notification(&test.clock, 1, &json!({"thread": "topic:nas", "icon": format!("{url}/nas.png")}));
    test.pulled(own, PullReason::Backlog, vec![item]).await;
    test.app.icons.set_source_icons(work, true).await.unwrap();
    for (source, path) in [(own, "/other.png"), (own, "/nas.png?secret=1"), (work, "/nas.png")] {
        let args = json!({"source": source, "address": format!("{url}{path}"), "fetch": true});
        let answer = call(&test, "icon", &args).await.unwrap();
        assert_eq!(answer.map_err(|error| error.code), Err(ErrorCode::NotFound), "{path}");
    }
    assert!(requests.lock().unwrap().is_empty());
    let args = json!({"source": own, "address": format!("{url}/nas.png"), "fetch": true});
    let _ = call(&test, "icon", &args).await;
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_page_that_opens_links_without_end_is_told_to_wait_and_what_stays_inside_goes_on() {
    let test = open();
    let mut refused = 0;
    for n in 0..200 {
        let args = json!({"url": format!("https://example.org/{n}"), "background": false});
        let command = Command::deserialize(json!({"command": "open_link", "args": args})).unwrap();
        if let Err(error) = test.app.call(command).await {
            assert_eq!((error.code, error.text.contains("too often")), (ErrorCode::Outside, true));
            refused += 1;
        }
    }
    let opened = test.desktop.opened.lock().unwrap().len();
    assert_eq!(opened + refused, 200);
    assert!((60..150).contains(&opened), "{opened}");
    let inside = Command::deserialize(json!({"command": "rules", "args": {}})).unwrap();
    assert!(test.app.call(inside).await.is_ok());
}

#[test]
fn whatever_reaches_outside_is_counted_or_has_a_bound_of_its_own() {
    for (name, reach, args) in commands(1, 1, "http://127.0.0.1:1/") {
        let command = Command::deserialize(json!({"command": name, "args": args})).unwrap();
        let (is_counted, is_bounded) = (command.reaches_outside(), OWN_BOUNDS.contains(&name));
        assert!(!(is_counted && is_bounded), "{name} is counted");
        assert_eq!(is_counted || is_bounded, reach != Inside, "{name} is {reach:?}");
    }
}

#[tokio::test]
async fn a_page_that_asked_too_often_reaches_nobody_by_any_other_command() {
    let outside = tempfile::tempdir().unwrap();
    let (url, requests) = answering(response("404 Not Found", "", "")).await;
    let (test, thread, source) = app_in(outside.path()).await;
    // A call of the next hour, so that none is left for this one.
    assert!(test.app.call_rate.take(Instant::now() + Duration::from_secs(3_600)));
    for (name, _, args) in commands(thread, source, &format!("{url}/")) {
        let command = Command::deserialize(json!({"command": name, "args": args})).unwrap();
        if command.reaches_outside() {
            let error = Box::pin(test.app.call(command)).await.unwrap_err();
            assert_eq!((error.code, error.text.contains("too often")), (ErrorCode::Outside, true), "{name}");
        }
    }
    let opened = test.desktop.opened.lock().unwrap().len();
    assert_eq!((opened, requests.lock().unwrap().len()), (0, 0));
}

#[tokio::test]
async fn whatever_a_page_asks_at_once_a_bounded_number_of_threads_works_on_the_inbox() {
    let test = open();
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let jobs: Vec<_> = (0..3 * MAX_DISK_JOBS)
        .map(|_| {
            let (context, gate) = (Arc::clone(&test.app.context), Arc::clone(&gate));
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let job = move |_: &Replica| {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let (is_open, opened) = &*gate;
                    drop(opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                };
                context.disk(job).await
            })
        })
        .collect();
    until("as many as may", || running.load(Ordering::SeqCst) >= MAX_DISK_JOBS).await;
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    for job in jobs {
        job.await.unwrap().unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), MAX_DISK_JOBS);
}
