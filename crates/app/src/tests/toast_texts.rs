//! Tests of the texts of toasts, and of how many are on the screen after a flood.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidings_model::Clock;
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, published};
use crate::ports::Toast;
use crate::ports::{ToastKey, Urgency};

/// The toasts on the screen, as a desktop has them that only the app closes.
fn on_screen(test: &TestApp) -> Vec<Toast> {
    let mut shown: BTreeMap<ToastKey, Toast> = BTreeMap::new();
    for toast in &*test.desktop.toasts.lock().unwrap() {
        shown.insert(toast.key, toast.clone());
    }
    for key in &*test.desktop.closed.lock().unwrap() {
        shown.remove(key);
    }
    shown.into_values().collect()
}

fn shown_times(test: &TestApp) -> usize {
    test.desktop.toasts.lock().unwrap().len()
}

#[tokio::test]
async fn a_toast_of_several_says_the_text_of_the_newest_once() {
    let test = open().running();
    let work = test.source("Work");
    let crew = |nth: i64, title: &str| {
        let more = json!({"kind": "message", "thread": "group:crew", "conversation": "group:crew", "action": null,
            "target": null, "actor": {"id": "bo", "name": "Bo"}, "title": title, "body": "The build is green"});
        notification(&test.clock, nth, &more)
    };
    let nas = |nth: i64| {
        let more = json!({"thread": "topic:nas#publish", "actor": {"id": "nas", "name": "nas"}, "action": "publish",
            "target": {"type": "topic", "id": "nas"}, "title": "Backup done", "body": "14.2 GB"});
        notification(&test.clock, nth, &more)
    };
    for (page, title, body) in [
        (vec![crew(1, ""), crew(2, "")], "2 new in crew", "Bo: The build is green"),
        (vec![crew(3, ""), crew(4, "CI")], "4 new in crew", "Bo: CI\nThe build is green"),
        (vec![nas(5), nas(6)], "2 new in nas", "Backup done\n14.2 GB"),
    ] {
        test.pulled(work, PullReason::Live, page).await;
        let toast = test.last_toast();
        assert_eq!((toast.title.as_str(), toast.body.as_str()), (title, body));
    }
}

#[tokio::test]
async fn five_hundred_at_once_leave_one_calm_toast() {
    let test = open().running();
    let own = test.source("");
    for (start, end) in [(1, 4), (4, 20), (20, 300), (300, 501)] {
        let page = (start..end).map(|n| published(&test.clock, n, &format!("topic-{n}"), "x")).collect();
        test.pulled(own, PullReason::Live, page).await;
    }
    let toasts = on_screen(&test);
    let said: Vec<(&str, Urgency)> =
        toasts.iter().map(|toast| (toast.title.as_str(), toast.urgency)).collect();
    assert_eq!(said, [("This computer: 500 new", Urgency::Normal)]);
}

#[tokio::test]
async fn a_change_that_a_toast_does_not_show_sends_no_toast() {
    let test = open().running();
    let own = test.source("");
    let first = published(&test.clock, 1, "a", "one");
    test.pulled(own, PullReason::Live, vec![first.clone()]).await;
    // Another device has shown it in a list.
    let seen = |version: u32, more: Value| {
        let mut all = serde_json::to_value(&first).unwrap();
        let at = test.clock.now().plus_micros(100 + i64::from(version));
        let fields = json!({"version": version, "stamp": at, "seen_at": at});
        for fields in [fields, more] {
            all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        }
        serde_json::from_value(all).unwrap()
    };
    test.pulled(own, PullReason::Live, vec![seen(2, json!({}))]).await;
    assert_eq!(shown_times(&test), 1, "it reads as before");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 9, "b", "two")]).await;
    assert_eq!(shown_times(&test), 2, "what arrives elsewhere shows itself alone");
    test.pulled(own, PullReason::Live, vec![seen(3, json!({"body": "one, corrected"}))]).await;
    assert_eq!((shown_times(&test), test.last_toast().body), (3, "one, corrected".to_owned()));
}

#[tokio::test]
async fn a_table_in_markdown_reads_as_its_cells() {
    let test = open().running();
    let own = test.source("");
    let table = "# Nightly\n\nAll of it:\n\n| target | result |\n|---|:-:|\n| linux | **ok** |\n| mac | ok |\n\n- one\n- two";
    let more = json!({"thread": "topic:ci#publish", "action": "publish", "target": {"type": "topic", "id": "ci"},
        "actor": {"id": "ci", "name": "ci"}, "title": "Build", "body": table, "format": "markdown"});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &more)]).await;
    assert_eq!(test.last_toast().body, "Build\nNightly All of it: target result linux ok mac ok one two");
}
