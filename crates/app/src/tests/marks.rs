//! Tests of marks, undo, snoozing and muting.

use serde_json::json;
use tidings_ipc::{DoneToday, ErrorCode, Follow, IpcEvent, Place, ThreadQuery};
use tidings_model::{Lang, Mark};
use tidings_ports::{Badge, ToastKey};
use tidings_replica::{NewSource, Subscription};
use tidings_sync::{EngineEvent, PullReason};

use super::harness::{notification, open, open_when, published, until};
use super::inbox;

#[tokio::test]
async fn marks_can_be_taken_back_and_all_of_a_place_read_at_once() {
    let test = open().running();
    let own = test.source("");
    let page = (1..6).map(|i| published(&test.clock, i, &format!("t{i}"), "x")).collect();
    test.pulled(own, PullReason::Live, page).await;
    let marked = test.app.marks.mark_all_read(&Place::Inbox).await.unwrap();
    assert_eq!(marked.threads, 5);
    let unread = || async { test.app.page.sync_and_places().await.unwrap().1.inbox.unread };
    assert_eq!(unread().await, 0);
    test.app.marks.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(unread().await, 5);
    assert!(test.app.marks.undo(marked.undo.unwrap()).await.is_err(), "once is enough");
}

#[tokio::test]
async fn an_empty_inbox_has_the_number_of_threads_that_were_archived_today_whenever_they_came() {
    let test = open().running();
    let own = test.source("");
    let page = (1..4).map(|i| published(&test.clock, i, &format!("t{i}"), "x")).collect();
    test.pulled(own, PullReason::Live, page).await;
    let done = || async { test.app.page.sync_and_places().await.unwrap().1.done_today };
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    test.app.marks.mark(vec![rows[0].id], Mark::Archive).await.unwrap();
    test.clock.advance(86_400);
    test.app.marks.mark(vec![rows[1].id], Mark::Archive).await.unwrap();
    assert_eq!(done().await, None, "one is left");
    test.app.marks.mark(vec![rows[2].id], Mark::Archive).await.unwrap();
    // The clock began on 14 November 2023.
    let since = 1_700_006_400_000;
    assert_eq!(done().await, Some(DoneToday { since, threads: 2, at_least: false }));
    test.clock.advance(86_400);
    assert_eq!(done().await.map(|today| today.threads), Some(0), "the next day");
}

#[tokio::test]
async fn a_mark_names_the_changes_that_a_list_has_to_know_of_to_include_it() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "builds", "x")]).await;
    test.with_page().await;
    let before = test.app.reading.threads(inbox()).await.unwrap();
    let marked = test.app.marks.mark(vec![before.rows[0].id], Mark::Read).await.unwrap();
    assert!(before.as_of < marked.as_of, "{} {}", before.as_of, marked.as_of);
    let after = test.app.reading.threads(inbox()).await.unwrap();
    assert_eq!((after.rows[0].unread, after.as_of >= marked.as_of), (0, true));
    until("the page to hear of it", || {
        let events = test.events.lock().unwrap();
        let includes_mark =
            |event: &IpcEvent| matches!(event, IpcEvent::Threads { as_of, .. } if *as_of >= marked.as_of);
        events.iter().any(includes_mark)
    })
    .await;
    for event in test.events.lock().unwrap().iter() {
        let IpcEvent::Threads { rows, as_of, .. } = event else { continue };
        assert!(*as_of < marked.as_of || rows.iter().all(|row| row.unread == 0), "{rows:?}");
    }
}

#[tokio::test]
async fn from_an_item_on_a_thread_is_new_again() {
    let test = open().running();
    let own = test.source("");
    let page = (1..6).map(|i| published(&test.clock, i, "builds", "x")).collect();
    test.pulled(own, PullReason::Live, page).await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.marks.mark(vec![id], Mark::Read).await.unwrap();
    let items = test.app.reading.thread(id, None).await.unwrap().items;
    let marked = test.app.marks.unread_from(id, items[3].msgid.clone()).await.unwrap();
    let unread = || async {
        let items = test.app.reading.thread(id, None).await.unwrap().items;
        items.iter().map(|item| item.unread).collect::<Vec<_>>()
    };
    assert_eq!(unread().await, [false, false, false, true, true]);
    test.app.marks.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(unread().await, [false; 5]);
    let lost = test.app.marks.unread_from(id, "nope".into()).await.unwrap_err();
    assert_eq!(lost.to_ipc(Lang::En).code, ErrorCode::NotFound);
}

#[tokio::test]
async fn what_sleeps_comes_back_at_its_time_unread_on_top_and_with_a_toast() {
    let test = open().running();
    let own = test.source("");
    test.arrive(1, "a", "one").await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    let wake = test.app.context.now().plus_secs(3_600);
    test.app.marks.mark(vec![id], Mark::Read).await.unwrap();
    test.app.marks.mark(vec![id], Mark::Snooze { until: wake }).await.unwrap();
    until("sleep", || test.last_view().is_some_and(|v| v.badge == Badge::None)).await;
    assert!(test.app.reading.threads(inbox()).await.unwrap().rows.is_empty());
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "b", "two")]).await;
    assert_eq!(test.last_toast().title, "b");
    test.clock.advance(3_601);
    // The manual clock has jumped; a real computer reports such a jump, here the test does.
    test.app.silence.silence_changed();
    until("it to wake", || test.last_view().is_some_and(|v| v.badge == Badge::Number(2))).await;
    until("its toast", || test.last_toast().title == "a").await;
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    let shown: Vec<_> = rows.iter().map(|row| (row.who.as_str(), row.unread, row.woken_at)).collect();
    assert_eq!(shown, [("a", 1, Some(wake.as_millis())), ("b", 1, None)]);
    let filtered = ThreadQuery { search: Some("is:unread".into()), within: true, ..inbox() };
    let rows = test.app.reading.threads(filtered).await.unwrap().rows;
    let shown: Vec<_> = rows.iter().map(|row| (row.who.as_str(), row.woken_at)).collect();
    assert_eq!(shown, [("a", Some(wake.as_millis())), ("b", None)], "and so under a filter");
    test.app.marks.mark(vec![id], Mark::Read).await.unwrap();
    assert_eq!(test.app.reading.threads(inbox()).await.unwrap().rows[0].woken_at, None, "it is read");
}

#[tokio::test]
async fn what_came_back_from_a_snooze_while_the_app_was_closed_has_a_toast_at_its_start_and_only_then() {
    let test = open();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "a", "one")]).await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app
        .marks
        .mark(vec![id], Mark::Snooze { until: test.app.context.now().plus_secs(60) })
        .await
        .unwrap();
    let (folder, clock) = (test.folder, test.clock);
    drop(test.app);
    clock.advance(3_600);

    let again = open_when(folder, Lang::En, clock).running();
    let titles = || -> Vec<String> {
        again.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
    };
    until("its toast", || titles() == ["a"]).await;
    until("it to be noted down", || again.app.context.replica.woken().unwrap().is_empty()).await;
    again.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(), ["a"]);
}

#[tokio::test]
async fn a_muted_thread_is_counted_nowhere() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "doorbell", "x")]).await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.marks.mark(vec![id], Mark::Mute { until: None }).await.unwrap();
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "doorbell", "y")]).await;
    assert_eq!(test.desktop.toasts.lock().unwrap().len(), 1, "only the one before");
    let inbox = test.app.page.sync_and_places().await.unwrap().1.inbox;
    assert_eq!((inbox.unread, inbox.counted), (2, 0), "it is unread all the same");
    until("the tooltip", || test.last_view().is_some_and(|v| v.tooltip == "2 quiet")).await;
}

#[tokio::test]
async fn a_single_item_of_a_thread_is_read_archived_brought_back_and_deleted_and_every_number_stays_true() {
    let test = open().running();
    let own = test.source("Work");
    let items = (1..=3).map(|nth| notification(&test.clock, nth, &json!({}))).collect();
    test.pulled(own, PullReason::Live, items).await;
    let row = async || test.app.reading.threads(inbox()).await.unwrap().rows.first().cloned();
    let thread = row().await.unwrap().id;
    let mark = async |msgid: &str, mark| {
        test.app.marks.mark_items(thread, vec![msgid.to_owned()], mark).await.unwrap()
    };
    let states = async || {
        let view = test.app.reading.thread(thread, None).await.unwrap();
        view.items.iter().map(|item| (item.msgid.clone(), item.unread, item.archived)).collect::<Vec<_>>()
    };
    let state = |msgid: &str, unread, archived| (msgid.to_owned(), unread, archived);

    mark("m2", Mark::Read).await;
    let archived = mark("m3", Mark::Archive).await;
    assert_eq!(
        states().await,
        [state("m1", true, false), state("m2", false, false), state("m3", false, true)]
    );
    let now = row().await.unwrap();
    assert_eq!((now.unread, now.total, now.archived), (1, 2, false), "the thread stays in the inbox");
    test.app.marks.undo(archived.undo.unwrap()).await.unwrap();
    assert_eq!(row().await.unwrap().unread, 2);
    mark("m3", Mark::Archive).await;
    mark("m3", Mark::Unarchive).await;
    mark("m2", Mark::Unread).await;
    assert_eq!(row().await.unwrap().unread, 3);
    mark("m1", Mark::Delete).await;
    assert_eq!(states().await, [state("m2", true, false), state("m3", true, false)]);
    assert_eq!((row().await.unwrap().unread, row().await.unwrap().total), (2, 2));
    assert!(test.app.context.replica.check().unwrap().is_empty(), "counting again gives the same");

    // Every mark of an item is an operation that names it alone.
    let queued = test.app.context.replica.pending(own, 100).unwrap();
    assert!(!queued.is_empty());
    for op in &queued {
        assert_eq!(op.change.msgids().unwrap().len(), 1, "{op:?}");
    }
    for msgid in ["m1", "nope"] {
        assert!(
            test.app.marks.mark_items(thread, vec![msgid.to_owned()], Mark::Read).await.is_err(),
            "{msgid}"
        );
    }
    assert!(
        test.app.marks.mark_items(thread, vec!["m2".to_owned()], Mark::Pin).await.is_err(),
        "threads are pinned"
    );
    assert!(
        test.app.marks.mark_items(thread + 1, vec!["m2".to_owned()], Mark::Read).await.is_err(),
        "of another thread"
    );
}

#[tokio::test]
async fn one_archived_item_of_a_thread_is_told_and_listed_as_done_shows_it() {
    let test = open().running();
    let own = test.source("Work");
    let items = (1..=3).map(|nth| notification(&test.clock, nth, &json!({}))).collect();
    test.pulled(own, PullReason::Live, items).await;
    test.with_page().await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let marked = test.app.marks.mark_items(thread, vec!["m2".to_owned()], Mark::Archive).await.unwrap();
    let told = |events: &[IpcEvent]| {
        events.iter().find_map(|event| match event {
            IpcEvent::Threads { rows, as_of, .. } if *as_of >= marked.as_of => rows.first().cloned(),
            _ => None,
        })
    };
    until("the row in Done", || told(&test.events.lock().unwrap()).is_some()).await;
    let row = told(&test.events.lock().unwrap()).unwrap();
    let done = row.done.clone().unwrap();
    assert_eq!((row.archived, row.unread, row.total, &row.hit), (false, 2, 2, &None));
    assert_eq!((done.archived, done.unread, done.total, done.hit.as_deref()), (true, 0, 1, Some("m2")));
    let listed = test.app.reading.threads(ThreadQuery::top(Place::Done)).await.unwrap();
    assert_eq!((listed.rows, listed.total), (vec![*done], 1));
    test.app.marks.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(test.app.reading.threads(ThreadQuery::top(Place::Done)).await.unwrap().rows, []);
}

#[tokio::test]
async fn what_was_on_screen_is_read_and_what_was_below_it_stays_unread_with_its_toast() {
    let test = open().running();
    let own = test.source("Work");
    let items = (1..=5).map(|nth| notification(&test.clock, nth, &json!({}))).collect();
    test.pulled(own, PullReason::Live, items).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let read = async |seen: &[&str], through: Option<&str>| {
        let seen = seen.iter().map(|msgid| (*msgid).to_owned()).collect();
        test.app.marks.read_items(thread, seen, through.map(str::to_owned)).await
    };
    let unread = async || {
        let items = test.app.reading.thread(thread, None).await.unwrap().items;
        items.into_iter().filter(|item| item.unread).map(|item| item.msgid).collect::<Vec<_>>()
    };
    // Everything before it was seen or is folded.
    read(&["m2"], Some("m2")).await.unwrap();
    assert_eq!(unread().await, ["m3", "m4", "m5"]);
    assert!(test.desktop.closed.lock().unwrap().is_empty(), "its newest item was not on screen");
    // Its reader came to the end without what is between.
    read(&["m5"], None).await.unwrap();
    assert_eq!(unread().await, ["m3", "m4"]);
    assert_eq!(test.app.reading.threads(inbox()).await.unwrap().rows[0].unread, 2);
    let undo = read(&["m3", "m4"], Some("m5")).await.unwrap().undo.unwrap();
    assert_eq!(unread().await, Vec::<String>::new());
    until("its toast to go", || test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(thread)))
        .await;
    test.app.marks.undo(undo).await.unwrap();
    assert_eq!(unread().await, ["m3", "m4"]);
    read(&["gone"], Some("gone")).await.unwrap();
    assert_eq!(unread().await, ["m3", "m4"], "what is gone by now reads nothing");
    assert!(test.app.context.replica.check().unwrap().is_empty());
}

#[tokio::test]
async fn messages_that_are_read_as_a_whole_are_read_only_up_to_where_all_was_seen() {
    let test = open().running();
    let own = test.source("Work");
    let message = |nth: i64| {
        let more = json!({"kind": "message", "thread": "user:ana", "conversation": "user:ana", "action": null,
            "target": null, "auto": true});
        notification(&test.clock, nth, &more)
    };
    test.pulled(own, PullReason::Live, (1..=4).map(message).collect()).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let unread = async || test.app.reading.threads(inbox()).await.unwrap().rows[0].unread;
    // The mark of the view would cover what is before it, too.
    test.app.marks.read_items(thread, vec!["m4".into()], None).await.unwrap();
    assert_eq!(unread().await, 4);
    test.app.marks.read_items(thread, vec!["m1".into(), "m2".into()], Some("m2".into())).await.unwrap();
    assert_eq!(unread().await, 2);
    test.app.marks.read_items(thread, Vec::new(), Some("m4".into())).await.unwrap();
    assert_eq!(unread().await, 0);
    assert!(test.app.context.replica.check().unwrap().is_empty());
}

#[tokio::test]
async fn a_subscription_is_offered_where_the_service_keeps_it_and_its_refusal_is_said() {
    let test = open().running();
    let forge = NewSource {
        name: "Code".into(),
        protocol: "github".into(),
        url: "https://api.github.com".into(),
        user: Some("me".into()),
        own: false,
    };
    let forge = test.app.context.replica.add_source(forge).unwrap();
    let other = test.source("Work");
    test.pulled(forge, PullReason::Live, vec![published(&test.clock, 1, "widgets", "x")]).await;
    test.pulled(other, PullReason::Live, vec![published(&test.clock, 2, "backups", "x")]).await;
    test.with_page().await;
    let row = async |source| {
        let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
        rows.into_iter().find(|row| row.source == source).unwrap()
    };
    let (code, work) = (row(forge).await, row(other).await);
    assert_eq!(code.follow, Some(Follow { service: "GitHub".into(), subscription: None }));
    assert_eq!(work.follow, None);

    let marked = test.app.marks.mark(vec![code.id, work.id], Mark::Ignore).await.unwrap();
    let ignored = Some(Follow { service: "GitHub".into(), subscription: Some(Subscription::Ignored) });
    assert_eq!((row(forge).await.follow, row(other).await.muted), (ignored, false));
    assert!(row(forge).await.muted && row(forge).await.pending);
    test.app.marks.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!((row(forge).await.follow, row(forge).await.muted), (code.follow, false));
    let refused = test.app.marks.mark(vec![work.id], Mark::Unsubscribe).await.unwrap_err();
    assert_eq!(refused.to_ipc(Lang::En).code, ErrorCode::NotFound);

    let event = EngineEvent::SubscriptionRefused { source: forge, thread: code.id };
    test.app.handle_engine_event(event).await;
    until("the refusal to be said", || {
        let events = test.events.lock().unwrap();
        events.iter().any(|event| {
            matches!(event, IpcEvent::Announce { text } if text.starts_with("Code refused to change the subscription"))
        })
    })
    .await;
    // Without an engine nothing is asked, and nothing is said.
    test.app.reading.look_up(code.id).await.unwrap();
}
