//! What a reader does with threads: marks, undo, sleep, mute. Refuses to look at what a thread says.

use tidings_model::Lang;
use tidings_sync::Occasion;

use super::desktop::{open, published, until};
use super::inbox;
use crate::page::{ErrorCode, Mark, PageEvent, Place};
use crate::policy::badge::Badge;

#[tokio::test]
async fn marks_can_be_taken_back_and_all_of_a_place_read_at_once() {
    let sitting = open().running();
    let own = sitting.source("");
    let page = (1..6).map(|i| published(&sitting.clock, i, &format!("t{i}"), "x")).collect();
    sitting.pulled(own, Occasion::Live, page).await;
    let marked = sitting.app.mark_all_read(&Place::Inbox).await.unwrap();
    assert_eq!(marked.threads, 5);
    let unread = || async { sitting.app.sync_and_places().await.unwrap().1.unread };
    assert_eq!(unread().await, 0);
    sitting.app.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(unread().await, 5);
    assert!(sitting.app.undo(marked.undo.unwrap()).await.is_err(), "once is enough");
}

#[tokio::test]
async fn a_mark_names_the_changes_that_a_list_has_to_know_of_to_include_it() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "builds", "x")]).await;
    sitting.with_page().await;
    let before = sitting.app.threads(inbox()).await.unwrap();
    let marked = sitting.app.mark(vec![before.rows[0].id], &Mark::Read).await.unwrap();
    assert!(before.as_of < marked.as_of, "{} {}", before.as_of, marked.as_of);
    let after = sitting.app.threads(inbox()).await.unwrap();
    assert_eq!((after.rows[0].unread, after.as_of >= marked.as_of), (0, true));
    until("the page to hear of it", || {
        let events = sitting.events.lock().unwrap();
        let told =
            |event: &PageEvent| matches!(event, PageEvent::Threads { as_of, .. } if *as_of >= marked.as_of);
        events.iter().any(told)
    })
    .await;
    for event in sitting.events.lock().unwrap().iter() {
        let PageEvent::Threads { rows, as_of, .. } = event else { continue };
        assert!(*as_of < marked.as_of || rows.iter().all(|row| row.unread == 0), "{rows:?}");
    }
}

#[tokio::test]
async fn from_an_item_on_a_thread_is_new_again() {
    let sitting = open().running();
    let own = sitting.source("");
    let page = (1..6).map(|i| published(&sitting.clock, i, "builds", "x")).collect();
    sitting.pulled(own, Occasion::Live, page).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    sitting.app.mark(vec![id], &Mark::Read).await.unwrap();
    let items = sitting.app.thread(id, None).await.unwrap().items;
    let marked = sitting.app.unread_from(id, items[3].msgid.clone()).await.unwrap();
    let unread = || async {
        let items = sitting.app.thread(id, None).await.unwrap().items;
        items.iter().map(|item| item.unread).collect::<Vec<_>>()
    };
    assert_eq!(unread().await, [false, false, false, true, true]);
    sitting.app.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(unread().await, [false; 5]);
    let lost = sitting.app.unread_from(id, "nope".into()).await.unwrap_err();
    assert_eq!(lost.to_page(Lang::En).code, ErrorCode::NotFound);
}

#[tokio::test]
async fn what_sleeps_wakes_at_its_time() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "a", "one")]).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    until("the badge", || sitting.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    let wake = sitting.app.now().plus_secs(3_600);
    sitting.app.mark(vec![id], &Mark::Snooze { until: wake.as_millis() }).await.unwrap();
    until("sleep", || sitting.last_view().is_some_and(|v| v.badge == Badge::None)).await;
    assert!(sitting.app.threads(inbox()).await.unwrap().rows.is_empty());
    sitting.clock.pass(3_601);
    // The clock was moved by hand; the computer tells of such a jump by changing anything.
    sitting.app.inner.retimed.notify_one();
    until("it to wake", || sitting.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
}

#[tokio::test]
async fn a_muted_thread_is_counted_nowhere() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "doorbell", "x")]).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    sitting.app.mark(vec![id], &Mark::Mute).await.unwrap();
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "doorbell", "y")]).await;
    assert_eq!(sitting.desktop.toasts.lock().unwrap().len(), 1, "only the one before");
    assert_eq!(sitting.app.sync_and_places().await.unwrap().1.unread, 0);
}
