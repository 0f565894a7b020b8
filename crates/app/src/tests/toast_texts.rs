//! Tests of the texts of toasts, and of how many are on the screen after a flood.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidings_model::{Clock, Mark};
use tidings_ports::{Toast, ToastKey, Urgency};
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, published, until};
use super::inbox;

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
async fn the_toast_of_an_item_that_came_back_alone_says_that_item() {
    let test = open().running();
    let own = test.source("");
    let both =
        vec![published(&test.clock, 1, "nas", "disk full"), published(&test.clock, 2, "nas", "disk fine")];
    test.pulled(own, PullReason::Live, both).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let until_then = test.app.context.now().plus_secs(60);
    for (msgid, mark) in [("m1", Mark::Snooze { until: until_then }), ("m2", Mark::Read)] {
        test.app.marks.mark_items(thread, vec![msgid.into()], mark).await.unwrap();
    }
    until("the first toast to go", || {
        test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(thread))
    })
    .await;
    test.clock.advance(61);
    test.app.silence.silence_changed();
    until("another toast", || shown_times(&test) == 2).await;
    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("nas", "disk full"));
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

/// The tombstone of an item that its publisher recalled.
fn recalled(test: &TestApp, nth: i64) -> tidings_model::Notification {
    let at = test.clock.now().plus_micros(1_000 + nth);
    let more = json!({"version": 2, "stamp": at, "deleted": true, "thread": "topic:nas#publish", "body": ""});
    notification(&test.clock, nth, &more)
}

#[tokio::test]
async fn a_recalled_item_leaves_the_toast_of_several_in_silence_and_the_toast_of_one_goes() {
    let test = open().running();
    let own = test.source("");
    let both = vec![published(&test.clock, 1, "nas", "one"), published(&test.clock, 2, "nas", "the secret")];
    test.pulled(own, PullReason::Live, both).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("2 new in nas", "the secret"));

    test.pulled(own, PullReason::Live, vec![recalled(&test, 2)]).await;
    until("the toast without it", || test.last_toast().body == "one").await;
    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), toast.sound.as_str(), shown_times(&test)), ("nas", "", 2));
    assert!(test.desktop.closed.lock().unwrap().is_empty());

    test.pulled(own, PullReason::Live, vec![recalled(&test, 1)]).await;
    until("it to go", || test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(thread))).await;
    assert!(on_screen(&test).is_empty());
}

#[tokio::test]
async fn what_others_did_to_one_s_own_article_reads_so_in_the_toast_and_in_the_tray() {
    let test = open().running();
    let work = test.source("Work");
    let by_bo = |nth| notification(&test.clock, nth, &json!({"actor": {"id": "bo", "name": "Bo"}}));
    test.pulled(work, PullReason::Live, vec![by_bo(1)]).await;
    let toast = test.last_toast();
    let text = (toast.title.as_str(), toast.body.as_str());
    assert_eq!(text, ("Bo", "commented on your article Rust in 2026\nAgreed."));
    until("the tray's line", || {
        let view = test.last_view().map(|view| format!("{:?}", view.menu)).unwrap_or_default();
        view.contains("Bo: commented on your article Rust in 2026")
    })
    .await;
    test.pulled(work, PullReason::Live, vec![by_bo(2)]).await;
    let toast = test.last_toast();
    let text = (toast.title.as_str(), toast.body.as_str());
    assert_eq!(text, ("2 new in Rust in 2026", "Bo commented on your article Rust in 2026\nAgreed."));
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
