//! Tests of arriving items: toasts, badge, events.

use serde_json::json;
use tidings_ipc::{IpcEvent, ToastClick};
use tidings_model::{Mark, Stamp};
use tidings_ports::{Badge, DesktopRequest, MenuAction, MenuLine, ToastKey};
use tidings_sync::PullReason;

use super::harness::{notification, open, published, until};
use super::inbox;

#[tokio::test]
async fn what_arrives_is_toasted_counted_and_told_to_the_page() {
    let test = open().running();
    let own = test.source("");
    let first = test.with_page().await;
    assert!(first.first_run.show && first.inbox.rows.is_empty());
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "backups", "Backup done")]).await;

    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("backups", "Backup done"));
    assert_eq!(toast.read.as_deref(), Some("Mark read"));
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    let view = test.last_view().unwrap();
    assert_eq!(view.tooltip, "1 unread");
    assert!(view.menu.iter().any(
        |line| matches!(line, MenuLine::Item { label, action: MenuAction::Thread(_), .. } if label == "backups: Backup done")
    ));
    assert_eq!(test.desktop.titles.lock().unwrap().last().unwrap(), "Tidings (1)");
    until("the page to hear of it", || {
        test.events.lock().unwrap().iter().any(|event| {
            matches!(event, IpcEvent::Threads { rows, refetch, places, .. }
                if places.inbox.counted == 1 && (*refetch || rows.iter().any(|row| row.who == "backups")))
        })
    })
    .await;
}

#[tokio::test]
async fn five_hundred_while_away_are_one_toast_and_a_true_badge() {
    let test = open().running();
    let work = test.source("Work");
    let items = |range: std::ops::Range<i64>| {
        range.map(|i| published(&test.clock, i, &format!("topic-{i}"), "x")).collect::<Vec<_>>()
    };
    test.pulled(work, PullReason::Gap, items(1..301)).await;
    test.pulled(work, PullReason::Gap, items(301..501)).await;
    assert!(test.desktop.toasts.lock().unwrap().is_empty());
    test.caught_up(work, PullReason::Gap).await;
    let titles: Vec<String> =
        test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect();
    assert_eq!(titles, ["Work: 500 new while you were away"]);
    until("the badge", || test.last_view().is_some_and(|v| v.tooltip == "500 unread")).await;
    assert_eq!(test.last_view().unwrap().badge, Badge::NinePlus);
}

#[tokio::test]
async fn the_first_backlog_of_a_source_is_not_news() {
    let test = open().running();
    let work = test.source("Work");
    let old = json!({"created_at": Stamp::from_secs(1_000)});
    test.pulled(work, PullReason::Backlog, vec![notification(&test.clock, 1, &old)]).await;
    test.caught_up(work, PullReason::Backlog).await;
    assert!(test.desktop.toasts.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_toast_goes_when_its_thread_is_read_and_its_button_reads_only_what_it_showed() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "a", "one")]).await;
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "b", "two")]).await;
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    let (a, b) = (rows[1].id, rows[0].id);

    // The item was read in the window.
    test.app.marks.mark(vec![a], Mark::Read).await.unwrap();
    until("the toast to go", || test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(a))).await;

    // An item that the toast does not show enters the thread, without a report to the app.
    let replica = &test.app.context.replica;
    let page = tidings_replica::Page {
        items: vec![published(&test.clock, 3, "b", "unseen")],
        ..tidings_replica::Page::default()
    };
    replica.apply(own, page).unwrap();
    let toast = test.last_toast().to_ref();
    test.app.requests.handle_request(DesktopRequest::ToastRead(toast)).await;
    let thread = test.app.reading.thread(b, None).await.unwrap();
    let unread: Vec<bool> = thread.items.iter().map(|item| item.unread).collect();
    assert_eq!(unread, [false, true]);
    assert!(test.desktop.closed.lock().unwrap().contains(&ToastKey::Thread(b)));
}

#[tokio::test]
async fn a_clicked_toast_opens_its_thread_also_in_a_window_that_is_not_there_yet() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "a", "one")]).await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let click = || {
        let toast = test.last_toast().to_ref();
        DesktopRequest::ToastOpen { toast, token: None }
    };
    test.app.requests.handle_request(click()).await;
    assert_eq!(*test.desktop.shown.lock().unwrap(), 1);
    let page = test.with_page().await;
    assert_eq!((page.open, page.open_item.as_deref()), (Some(id), Some("m1")));
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "a", "two")]).await;
    test.app.requests.handle_request(click()).await;
    until("the page to be told", || {
        test.events.lock().unwrap().contains(&IpcEvent::Open {
            thread: id,
            item: Some("m2".into()),
            action: None,
        })
    })
    .await;
}

#[tokio::test]
async fn a_storm_of_changes_reaches_the_page_at_most_twenty_times_a_second_after_the_first() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let start = std::time::Instant::now();
    for i in 1..200 {
        test.pulled(own, PullReason::Live, vec![published(&test.clock, i, "a", "one")]).await;
    }
    until("the last number", || {
        test.events
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, IpcEvent::Threads { places, .. } if places.inbox.counted == 199))
    })
    .await;
    let is_round = |event: &&IpcEvent| matches!(event, IpcEvent::Threads { .. });
    let rounds = test.events.lock().unwrap().iter().filter(is_round).count();
    let first = 12;
    let limit = start.elapsed().as_millis() / 50 + first;
    assert!(u128::try_from(rounds).unwrap() <= limit, "{rounds} rounds, at most {limit}");
}

#[tokio::test]
async fn a_click_on_a_toast_opens_its_link_and_reads_it_where_the_reader_prefers_that() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    let linked =
        |nth: i64| notification(&test.clock, nth, &json!({"url": format!("https://blog.example.org/{nth}")}));
    let opened = || test.desktop.opened.lock().unwrap().clone();
    let shown = || *test.desktop.shown.lock().unwrap();
    let click = async || {
        let toast = test.last_toast().to_ref();
        test.app.requests.handle_request(DesktopRequest::ToastOpen { toast, token: None }).await;
    };
    test.pulled(own, PullReason::Live, vec![linked(1)]).await;
    click().await;
    assert_eq!((opened().len(), shown()), (0, 1), "the thread, unless the reader prefers the link");

    let mut settings = test.app.settings.current_settings();
    settings.notify.click = ToastClick::Link;
    test.app.settings.settings(&settings).await.unwrap();
    test.pulled(own, PullReason::Live, vec![linked(2), linked(3)]).await;
    click().await;
    assert_eq!(
        (opened(), shown()),
        (vec!["https://blog.example.org/3".to_owned()], 1),
        "the newest, and no window"
    );
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].clone();
    assert_eq!(thread.link.map(|link| link.url).as_deref(), Some("https://blog.example.org/3"));
    let unread: Vec<bool> = test
        .app
        .reading
        .thread(thread.id, None)
        .await
        .unwrap()
        .items
        .iter()
        .map(|item| item.unread)
        .collect();
    assert_eq!(unread, [true, false, false], "what the toast stood for is read");

    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 4, &json!({}))]).await;
    click().await;
    assert_eq!((opened().len(), shown()), (1, 2), "without a link, the thread");
}

#[tokio::test]
async fn a_link_in_the_background_leaves_the_window_the_focus() {
    let test = open();
    let kept = || *test.desktop.kept_focus.lock().unwrap();
    test.app.links.open_link("https://a.example/", false).await.unwrap();
    assert_eq!(kept(), 0);
    test.app.links.open_link("https://a.example/", true).await.unwrap();
    assert_eq!((kept(), test.desktop.opened.lock().unwrap().len()), (1, 2));
    assert!(test.app.links.open_link("javascript:1", true).await.is_err());
    assert_eq!(kept(), 1, "nothing was opened");
}

#[tokio::test]
async fn what_comes_on_screen_has_a_toast_only_where_it_is_not_read_there() {
    let test = open().running();
    test.source("");
    test.arrive(1, "a", "one").await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.requests.handle_request(DesktopRequest::ToastRead(test.last_toast().to_ref())).await;
    let bodies = || {
        let toasts = test.desktop.toasts.lock().unwrap();
        toasts.iter().skip(1).map(|toast| toast.body.clone()).collect::<Vec<_>>()
    };
    test.app.toasts.watch(Some(thread));
    test.arrive(2, "a", "read at once").await;
    test.app.marks.read_items(thread, vec!["m2".into()], Some("m2".into())).await.unwrap();
    test.arrive(3, "a", "below the edge").await;
    test.arrive(4, "b", "elsewhere").await;
    assert_eq!(bodies(), ["elsewhere"], "no other thread waits");
    until("the toast of what was not read", || bodies().len() == 2).await;
    assert_eq!(bodies(), ["elsewhere", "below the edge"]);
    // Nobody looks any more.
    test.app.window_closed();
    test.arrive(5, "a", "unseen").await;
    assert_eq!(bodies().len(), 3);
}
