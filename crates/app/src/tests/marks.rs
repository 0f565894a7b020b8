//! Tests of marks, undo, snoozing and muting.

use tidings_model::{Lang, Mark};
use tidings_sync::PullReason;

use super::harness::{open, published, until};
use super::inbox;
use crate::ipc::{ErrorCode, IpcEvent, Place};
use crate::notify::badge::Badge;

#[tokio::test]
async fn marks_can_be_taken_back_and_all_of_a_place_read_at_once() {
    let test = open().running();
    let own = test.source("");
    let page = (1..6).map(|i| published(&test.clock, i, &format!("t{i}"), "x")).collect();
    test.pulled(own, PullReason::Live, page).await;
    let marked = test.app.mark_all_read(&Place::Inbox).await.unwrap();
    assert_eq!(marked.threads, 5);
    let unread = || async { test.app.sync_and_places().await.unwrap().1.inbox.unread };
    assert_eq!(unread().await, 0);
    test.app.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(unread().await, 5);
    assert!(test.app.undo(marked.undo.unwrap()).await.is_err(), "once is enough");
}

#[tokio::test]
async fn a_mark_names_the_changes_that_a_list_has_to_know_of_to_include_it() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "builds", "x")]).await;
    test.with_page().await;
    let before = test.app.threads(inbox()).await.unwrap();
    let marked = test.app.mark(vec![before.rows[0].id], Mark::Read).await.unwrap();
    assert!(before.as_of < marked.as_of, "{} {}", before.as_of, marked.as_of);
    let after = test.app.threads(inbox()).await.unwrap();
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
    let id = test.app.threads(inbox()).await.unwrap().rows[0].id;
    test.app.mark(vec![id], Mark::Read).await.unwrap();
    let items = test.app.thread(id, None).await.unwrap().items;
    let marked = test.app.unread_from(id, items[3].msgid.clone()).await.unwrap();
    let unread = || async {
        let items = test.app.thread(id, None).await.unwrap().items;
        items.iter().map(|item| item.unread).collect::<Vec<_>>()
    };
    assert_eq!(unread().await, [false, false, false, true, true]);
    test.app.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(unread().await, [false; 5]);
    let lost = test.app.unread_from(id, "nope".into()).await.unwrap_err();
    assert_eq!(lost.to_ipc(Lang::En).code, ErrorCode::NotFound);
}

#[tokio::test]
async fn what_sleeps_wakes_at_its_time() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "a", "one")]).await;
    let id = test.app.threads(inbox()).await.unwrap().rows[0].id;
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    let wake = test.app.now().plus_secs(3_600);
    test.app.mark(vec![id], Mark::Snooze { until: wake }).await.unwrap();
    until("sleep", || test.last_view().is_some_and(|v| v.badge == Badge::None)).await;
    assert!(test.app.threads(inbox()).await.unwrap().rows.is_empty());
    test.clock.advance(3_601);
    // The manual clock has jumped; a real computer reports such a jump, here the test does.
    test.app.inner.timers_changed.notify_one();
    until("it to wake", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
}

#[tokio::test]
async fn a_muted_thread_is_counted_nowhere() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "doorbell", "x")]).await;
    let id = test.app.threads(inbox()).await.unwrap().rows[0].id;
    test.app.mark(vec![id], Mark::Mute).await.unwrap();
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "doorbell", "y")]).await;
    assert_eq!(test.desktop.toasts.lock().unwrap().len(), 1, "only the one before");
    let inbox = test.app.sync_and_places().await.unwrap().1.inbox;
    assert_eq!((inbox.unread, inbox.counted), (2, 0), "it is unread all the same");
    until("the tooltip", || test.last_view().is_some_and(|v| v.tooltip == "2 unread, 0 counted")).await;
}
