//! What arrives, and how it is told: toasts, badge, the page. Refuses what holds it back: that is told beside it.

use serde_json::json;
use tidings_model::Stamp;
use tidings_sync::Occasion;

use super::desktop::{notification, open, published, until};
use super::inbox;
use crate::page::{Mark, PageEvent};
use crate::policy::badge::{Badge, MenuLine, MenuWish};
use crate::policy::toast::ToastKey;
use crate::ports::Wish;

#[tokio::test]
async fn what_arrives_is_toasted_counted_and_told_to_the_page() {
    let sitting = open().running();
    let own = sitting.source("");
    let first = sitting.with_page().await;
    assert!(first.first_run.show && first.inbox.rows.is_empty());
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;

    let toast = sitting.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("backups", "Backup done"));
    assert_eq!(toast.read.as_deref(), Some("Mark read"));
    until("the badge", || sitting.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    let view = sitting.last_view().unwrap();
    assert_eq!(view.tooltip, "1 unread");
    assert!(view.menu.iter().any(
        |line| matches!(line, MenuLine::Item { label, wish: MenuWish::Thread(_), .. } if label == "backups: Backup done")
    ));
    assert_eq!(sitting.desktop.titles.lock().unwrap().last().unwrap(), "Tidings (1)");
    until("the page to hear of it", || {
        sitting.events.lock().unwrap().iter().any(|event| {
            matches!(event, PageEvent::Threads { rows, refetch, places, .. }
                if places.unread == 1 && (*refetch || rows.iter().any(|row| row.who == "backups")))
        })
    })
    .await;
}

#[tokio::test]
async fn five_hundred_while_away_are_one_toast_and_a_true_badge() {
    let sitting = open().running();
    let work = sitting.source("Work");
    let items = |range: std::ops::Range<i64>| {
        range.map(|i| published(&sitting.clock, i, &format!("topic-{i}"), "x")).collect::<Vec<_>>()
    };
    sitting.pulled(work, Occasion::Gap, items(1..301)).await;
    sitting.pulled(work, Occasion::Gap, items(301..501)).await;
    assert!(sitting.desktop.toasts.lock().unwrap().is_empty());
    sitting.caught_up(work, Occasion::Gap).await;
    let titles: Vec<String> =
        sitting.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect();
    assert_eq!(titles, ["Work: 500 new while you were away"]);
    until("the badge", || sitting.last_view().is_some_and(|v| v.tooltip == "500 unread")).await;
    assert_eq!(sitting.last_view().unwrap().badge, Badge::NinePlus);
}

#[tokio::test]
async fn the_first_backlog_of_a_source_is_not_news() {
    let sitting = open().running();
    let work = sitting.source("Work");
    let old = json!({"created_at": Stamp::from_secs(1_000)});
    sitting.pulled(work, Occasion::Backlog, vec![notification(&sitting.clock, 1, &old)]).await;
    sitting.caught_up(work, Occasion::Backlog).await;
    assert!(sitting.desktop.toasts.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_toast_goes_when_its_thread_is_read_and_its_button_reads_only_what_it_showed() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "a", "one")]).await;
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "b", "two")]).await;
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    let (a, b) = (rows[1].id, rows[0].id);

    // It was read in the window.
    sitting.app.mark(vec![a], &Mark::Read).await.unwrap();
    until("the toast to go", || sitting.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(a))).await;

    // Something comes into the thread that the toast does not show: here without being told.
    let replica = &sitting.app.inner.replica;
    let page = tidings_replica::Page {
        items: vec![published(&sitting.clock, 3, "b", "unseen")],
        ..tidings_replica::Page::default()
    };
    replica.apply(own, page).unwrap();
    let toast = sitting.last_toast().seen();
    sitting.app.wish(Wish::ToastRead(toast)).await;
    let thread = sitting.app.thread(b, None).await.unwrap();
    let unread: Vec<bool> = thread.items.iter().map(|item| item.unread).collect();
    assert_eq!(unread, [false, true]);
    assert!(sitting.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(b)));
}

#[tokio::test]
async fn a_clicked_toast_opens_its_thread_also_in_a_window_that_is_not_there_yet() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "a", "one")]).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    let click = || {
        let toast = sitting.last_toast().seen();
        Wish::ToastOpen { toast, token: None }
    };
    sitting.app.wish(click()).await;
    assert_eq!(*sitting.desktop.shown.lock().unwrap(), 1);
    let page = sitting.with_page().await;
    assert_eq!((page.open, page.open_item.as_deref()), (Some(id), Some("m1")));
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "a", "two")]).await;
    sitting.app.wish(click()).await;
    until("the page to be told", || {
        sitting.events.lock().unwrap().contains(&PageEvent::Open {
            thread: id,
            item: Some("m2".into()),
            action: None,
        })
    })
    .await;
}

#[tokio::test]
async fn a_thousand_changes_reach_the_page_at_most_ten_times_a_second() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.with_page().await;
    let start = std::time::Instant::now();
    for i in 1..200 {
        sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, i, "a", "one")]).await;
    }
    until("the last number", || {
        sitting
            .events
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, PageEvent::Threads { places, .. } if places.unread == 199))
    })
    .await;
    let told = sitting.events.lock().unwrap().len();
    let most = start.elapsed().as_millis() / 100 + 2;
    assert!(u128::try_from(told).unwrap() <= most, "{told} events, at most {most}");
}
