//! Tests of the buttons of toasts, and of when a toast closes.

use serde_json::json;
use tidings_ipc::IpcEvent;
use tidings_model::{Clock, Mark};
use tidings_ports::{DesktopRequest, ToastKey};
use tidings_replica::Targets;
use tidings_sync::PullReason;

use super::harness::{notification, open, until};
use super::inbox;

#[tokio::test]
async fn a_toast_archives_and_does_what_its_item_offers() {
    let test = open().running();
    let own = test.source("");
    let with_actions = json!({"actions": [
        {"action": "copy", "label": "Copy", "value": "4812", "clear": true},
        {"action": "http", "label": "Restart", "url": "https://ci.example.org/restart", "method": "get"},
        {"action": "view", "label": "Log", "url": "https://ci.example.org/log"}]});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &with_actions)]).await;
    let toast = test.last_toast();
    assert_eq!(toast.actions, ["Restart (ci.example.org)", "Log"], "a call says where it goes");
    assert_eq!(toast.archive.as_deref(), Some("Archive"));
    assert!(test.desktop.calls.lock().unwrap().is_empty(), "nothing goes out before a click");

    test.app.requests.handle_request(DesktopRequest::ToastAction { toast: toast.to_ref(), index: 0 }).await;
    until("the call", || test.desktop.calls.lock().unwrap().len() == 1).await;
    until("what came of it", || test.last_toast().body == "ci.example.org did not answer").await;
    assert_eq!(test.last_toast().title, "Rust in 2026");

    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 2, &with_actions)]).await;
    let toast = test.last_toast().to_ref();
    test.app.requests.handle_request(DesktopRequest::ToastAction { toast, index: 1 }).await;
    until("the link", || test.desktop.opened.lock().unwrap().len() == 1).await;

    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 3, &json!({}))]).await;
    test.app.requests.handle_request(DesktopRequest::ToastArchive(test.last_toast().to_ref())).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let unread: Vec<bool> =
        test.app.reading.thread(thread, None).await.unwrap().items.iter().map(|item| item.unread).collect();
    assert_eq!(unread, [true, true, false], "only what the toast showed");
    assert_eq!(test.app.context.replica.counts().unwrap().waiting, 1);
}

#[tokio::test]
async fn a_button_that_copies_is_in_the_window_alone_and_may_read_its_item() {
    let test = open().running();
    let own = test.source("");
    let code = json!({"actions": [{"action": "copy", "label": "Copy", "value": "4812", "clear": true}]});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &code)]).await;
    assert_eq!(test.last_toast().actions, [""; 0]);
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let copy = test.app.reading.thread(thread, None).await.unwrap().items[0].actions[0].clone();
    assert_eq!(copy.copies.as_deref(), Some("4812"));
    let said = test.app.actions.run_action(thread, "m1".into(), 0, &copy, false).await.unwrap();
    let read = !test.app.reading.thread(thread, None).await.unwrap().items[0].unread;
    assert_eq!((said.as_str(), read), ("Copied", true));
}

#[tokio::test]
async fn a_toast_goes_when_the_very_item_was_read_though_its_thread_has_others() {
    let test = open().running();
    test.source("");
    test.arrive(1, "a", "old").await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.requests.handle_request(DesktopRequest::ToastClosed(test.last_toast().to_ref())).await;
    test.arrive(2, "a", "new").await;
    let new = Targets::MsgIds(vec!["m2".into()]);
    test.app.context.replica.mark(new, tidings_model::Mark::Read).unwrap();
    until("it to go", || test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(thread))).await;
}

#[tokio::test]
async fn a_toast_that_was_shown_anew_while_its_reader_took_it_away_still_goes_when_it_is_read() {
    let test = open().running();
    test.source("");
    test.arrive(1, "a", "one").await;
    let toast = test.last_toast().to_ref();
    test.arrive(2, "a", "two").await;
    // The desktop reports the close of the toast that it showed before the update.
    test.app.requests.handle_request(DesktopRequest::ToastClosed(toast)).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.marks.mark(vec![thread], Mark::Read).await.unwrap();
    until("it to go", || test.desktop.closed.lock().unwrap().contains(&toast.key)).await;
}

#[tokio::test]
async fn a_button_is_about_what_was_on_screen_and_what_came_meanwhile_is_still_told() {
    let test = open().running();
    let own = test.source("");
    let asks = |nth: i64, which: &str| {
        let link =
            json!({"action": "view", "label": "Approve", "url": format!("https://ci.example.org/{which}")});
        notification(&test.clock, nth, &json!({"title": which, "actions": [link]}))
    };
    test.pulled(own, PullReason::Live, vec![asks(1, "first")]).await;
    let first = test.last_toast().to_ref();
    test.pulled(own, PullReason::Live, vec![asks(2, "second")]).await;
    // The desktop has not drawn the second version yet.
    test.app.requests.handle_request(DesktopRequest::ToastAction { toast: first, index: 0 }).await;
    until("the link", || !test.desktop.opened.lock().unwrap().is_empty()).await;
    assert_eq!(test.desktop.opened.lock().unwrap()[0].as_str(), "https://ci.example.org/first");
    let rest = test.last_toast();
    assert!(rest.serial > first.serial && rest.sound.is_silent(), "{rest:?}");

    test.pulled(own, PullReason::Live, vec![asks(3, "third")]).await;
    test.app.requests.handle_request(DesktopRequest::ToastRead(rest.to_ref())).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let unread: Vec<bool> =
        test.app.reading.thread(thread, None).await.unwrap().items.iter().map(|item| item.unread).collect();
    assert_eq!(unread, [true, false, true], "only what the toast showed");
    test.app.requests.handle_request(DesktopRequest::ToastArchive(test.last_toast().to_ref())).await;
    until("the last to go", || test.desktop.closed.lock().unwrap().last() == Some(&first.key)).await;
}

#[tokio::test]
async fn a_toast_s_call_that_changes_something_is_asked_about_again_in_the_window() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let calls = json!({"actions": [
        {"action": "http", "label": "Deploy", "url": "https://ops.example.org/deploy", "clear": true,
            "headers": {"Host": "127.0.0.1", "Proxy-Authorization": "x", "X-Run": 7}}]});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &calls)]).await;
    let toast = test.last_toast();
    assert_eq!(toast.actions, ["Deploy (ops.example.org)"]);
    test.app.requests.handle_request(DesktopRequest::ToastAction { toast: toast.to_ref(), index: 0 }).await;
    let mut request = None;
    until("the question in the window", || {
        request = test.events.lock().unwrap().iter().find_map(|event| match event {
            IpcEvent::Open { thread, item, action: Some(pressed) } => {
                Some((*thread, item.clone(), pressed.clone()))
            }
            _ => None,
        });
        request.is_some()
    })
    .await;
    assert!(test.desktop.calls.lock().unwrap().is_empty(), "nothing goes out before the answer");
    assert_eq!(*test.desktop.shown.lock().unwrap(), 1, "the window comes up");
    let (thread, item, pressed) = request.unwrap();
    assert_eq!((item.as_deref(), pressed.index), (Some("m1"), 0));
    assert_eq!((pressed.button.label.as_str(), pressed.button.method.as_str()), ("Deploy", "POST"));
    assert_eq!(pressed.from, "Ana", "who asks for it");

    *test.desktop.answer.lock().unwrap() = Some(204);
    assert_eq!(
        test.app.actions.run_action(thread, "m1".into(), 0, &pressed.button, false).await.unwrap(),
        "Done"
    );
    let calls = test.desktop.calls.lock().unwrap();
    assert_eq!((calls.len(), calls[0].method.as_str()), (1, "POST"));
    assert_eq!(calls[0].headers, [("X-Run".to_owned(), "7".to_owned())], "the client says where it goes");
    assert_eq!(calls[0].source_url.as_ref().map(url::Url::as_str), Some("http://127.0.0.1:1/"));
}

#[tokio::test]
async fn a_button_does_what_was_read_on_it_or_nothing() {
    let test = open().running();
    let own = test.source("");
    let offering = |nth: i64, version: u32, label: &str, method: &str| {
        let action =
            json!({"action": "http", "label": label, "url": "https://ops.example.org/", "method": method});
        let at = test.clock.now().plus_micros(nth * 10 + i64::from(version));
        let more = json!({"version": version, "stamp": at, "actions": [action]});
        notification(&test.clock, nth, &more)
    };
    let revised = |nth, label, method| {
        // The revision is applied without a report to the app, so that no toast follows.
        let page = tidings_replica::Page {
            items: vec![offering(nth, 2, label, method)],
            ..tidings_replica::Page::default()
        };
        test.app.context.replica.apply(own, page).unwrap();
    };
    let changed = tidings_strings::strings(tidings_model::Lang::En).button_changed;
    for (nth, method) in [(1, "GET"), (2, "POST")] {
        test.pulled(own, PullReason::Live, vec![offering(nth, 1, "Show state", method)]).await;
        let toast = test.last_toast();
        assert_eq!(toast.actions, ["Show state (ops.example.org)"]);
        revised(nth, "Shut down", method);
        test.app
            .requests
            .handle_request(DesktopRequest::ToastAction { toast: toast.to_ref(), index: 0 })
            .await;
        until("its reader to be told", || test.last_toast().body == changed).await;
    }
    // The item is read in the window, and revised before its button is pressed there.
    test.pulled(own, PullReason::Live, vec![offering(3, 1, "Show state", "POST")]).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let items = test.app.reading.thread(thread, None).await.unwrap().items;
    let read = items.last().unwrap().actions[0].clone();
    revised(3, "Shut down", "POST");
    let refused = test.app.actions.run_action(thread, "m3".into(), 0, &read, false).await.unwrap_err();
    assert_eq!(refused.to_ipc(tidings_model::Lang::En).text, changed);
    assert!(test.desktop.calls.lock().unwrap().is_empty(), "nothing went out");
    assert_eq!(*test.desktop.shown.lock().unwrap(), 0, "nothing was asked");
}

#[tokio::test]
async fn a_button_of_an_older_toast_is_not_taken_for_one_of_another_item() {
    let test = open().running();
    let own = test.source("");
    let links = |nth: i64, version: u32, label: &str| {
        let url = format!("https://ci.example.org/{nth}/{version}");
        let at = test.clock.now().plus_micros(nth * 10 + i64::from(version));
        let more = json!({"version": version, "stamp": at,
            "actions": [{"action": "view", "label": label, "url": url}]});
        notification(&test.clock, nth, &more)
    };
    test.pulled(own, PullReason::Live, vec![links(1, 1, "Open the first")]).await;
    test.pulled(own, PullReason::Live, vec![links(2, 1, "Open the second")]).await;
    let second = test.last_toast().to_ref();
    // The toast was updated, but the desktop has not drawn the update yet.
    test.pulled(own, PullReason::Live, vec![links(2, 2, "Open another")]).await;
    test.app.requests.handle_request(DesktopRequest::ToastAction { toast: second, index: 0 }).await;
    let changed = tidings_strings::strings(tidings_model::Lang::En).button_changed;
    until("its reader to be told", || test.last_toast().body == changed).await;
    assert!(test.desktop.opened.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_stands_in_toasts_and_tray_reads_in_the_order_of_its_letters() {
    let test = open().running();
    test.source("");
    test.arrive(1, "a\u{202e}b", "annex\u{202e}txt.exe\u{1b}[2J").await;
    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("ab", "annextxt.exe [2J"));
    until("the tray's menu", || {
        test.last_view().is_some_and(|view| format!("{:?}", view.menu).contains("ab: annextxt.exe"))
    })
    .await;
    assert!(!format!("{:?}", test.last_view()).contains("202e"));
}

#[tokio::test]
async fn an_open_question_comes_with_its_thread_however_many_items_are_newer() {
    let test = open().running();
    let own = test.source("");
    let asks = json!({"question": {"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z",
        "answers": [{"id": "approve", "label": "Approve"}]}});
    let mut items = vec![notification(&test.clock, 1, &asks)];
    items.extend((2..=60).map(|nth| notification(&test.clock, nth, &json!({}))));
    test.pulled(own, PullReason::Live, items).await;
    let row = test.app.reading.threads(inbox()).await.unwrap().rows.remove(0);
    assert_eq!(row.question.unwrap().msgid, "m1");
    let asking = || async {
        let view = test.app.reading.thread(row.id, None).await.unwrap();
        assert_eq!((view.items.len(), view.earlier), (50, 10));
        view.asking.into_iter().map(|item| item.msgid).collect::<Vec<_>>()
    };
    assert_eq!(asking().await, ["m1"]);
    test.clock.advance(3600);
    test.app.answers.answer_question(row.id, "m1".into(), Some("approve".into()), None).await.unwrap();
    assert_eq!(asking().await, [""; 0]);
    let row = test.app.reading.threads(inbox()).await.unwrap().rows.remove(0);
    assert!(row.pending);
    assert_eq!(row.question.unwrap().outcome.as_deref(), Some("You answered Approve"));
}

#[tokio::test]
async fn the_row_of_an_open_question_has_the_icon_and_the_link_of_the_item_that_asks() {
    let test = open().running();
    let own = test.source("");
    let from = |nth: i64, more: serde_json::Value| {
        let mut all = json!({"url": format!("https://ci.example.org/{nth}"),
            "icon": format!("https://ci.example.org/{nth}.png"), "data": {"floor": nth}});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        notification(&test.clock, nth, &all)
    };
    let question = json!({"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z",
        "answers": [{"id": "approve", "label": "Approve"}]});
    let items = vec![from(1, json!({"question": question, "tags": ["ci"]})), from(2, json!({}))];
    test.pulled(own, PullReason::Live, items).await;
    let row = || async { test.app.reading.threads(inbox()).await.unwrap().rows.remove(0) };
    let shown = row().await;
    assert_eq!(shown.question.unwrap().msgid, "m1");
    assert_eq!(shown.link.unwrap().url, "https://ci.example.org/1");
    assert_eq!(shown.icon.as_deref(), Some("https://ci.example.org/1.png"));

    test.app.answers.answer_question(shown.id, "m1".into(), Some("approve".into()), None).await.unwrap();
    test.clock.advance(60);
    test.pulled(own, PullReason::Live, vec![from(3, json!({}))]).await;
    assert_eq!(row().await.link.unwrap().url, "https://ci.example.org/3", "the newest, once it is closed");
}

#[tokio::test]
async fn a_toast_goes_when_its_question_was_answered_on_another_device() {
    let test = open().running();
    let own = test.source("");
    let asks = |version: u32, state: &str, answer: serde_json::Value| {
        let at = test.clock.now().plus_micros(1 + i64::from(version));
        let question = json!({"state": state, "answer": answer, "expires_at": "2999-01-01T00:00:00Z",
            "answers": [{"id": "approve", "label": "Approve"}]});
        notification(&test.clock, 1, &json!({"version": version, "stamp": at, "question": question}))
    };
    test.pulled(own, PullReason::Live, vec![asks(1, "open", json!(null))]).await;
    let toast = test.last_toast();
    assert_eq!(toast.actions, ["Approve"]);
    let answer = json!({"id": "approve", "text": null, "by": "bo", "at": test.clock.now()});
    test.pulled(own, PullReason::Live, vec![asks(2, "answered", answer)]).await;
    until("it to go", || test.desktop.closed.lock().unwrap().contains(&toast.key)).await;
    assert_eq!(test.desktop.toasts.lock().unwrap().len(), 1, "no toast comes in its place");
    let outcome = || async {
        let row = test.app.reading.threads(inbox()).await.unwrap().rows.remove(0);
        row.question.unwrap().outcome.unwrap()
    };
    assert_eq!(outcome().await, "bo answered Approve");
    // The reader themselves, who did it on another device.
    let answer = json!({"id": "approve", "text": null, "by": "me", "at": test.clock.now()});
    test.pulled(own, PullReason::Live, vec![asks(3, "answered", answer)]).await;
    assert_eq!(outcome().await, "You answered Approve");
}

#[tokio::test]
async fn a_question_is_answered_in_its_toast_which_goes_and_the_answer_waits_to_be_sent() {
    let test = open().running();
    let own = test.source("");
    let asks = json!({"question": {"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z",
        "answers": [{"id": "approve", "label": "Approve"}, {"id": "deny", "label": "Deny"}]},
        "actions": [{"action": "view", "label": "Log", "url": "https://ci.example.org/log"}]});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &asks)]).await;
    let toast = test.last_toast();
    assert_eq!(toast.actions, ["Approve", "Deny", "Log"]);
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.requests.handle_request(DesktopRequest::ToastAction { toast: toast.to_ref(), index: 1 }).await;
    until("it to go", || test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(thread))).await;
    let item = test.app.reading.thread(thread, None).await.unwrap().items.remove(0);
    let question = item.question.unwrap();
    assert!(!question.open && question.waits && item.pending && !item.unread);
    assert_eq!(question.outcome.as_deref(), Some("You answered Deny"));
    assert_eq!(test.app.context.replica.counts().unwrap().total, 0);
    let late = test.app.answers.answer_question(thread, item.msgid, Some("approve".into()), None).await;
    assert!(late.unwrap_err().to_string().contains("closed"));
}
