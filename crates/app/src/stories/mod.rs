//! Stories of the app with a real replica, on a desktop that writes down what it is told.

mod desktop;
mod exchange;
mod find;
mod house;
mod talk;
mod telling;

use serde_json::json;
use tidings_model::{Lang, Stamp};
use tidings_sync::Occasion;

use self::desktop::{notification, open, open_at, published, until};
use crate::home::Home;
use crate::page::{ErrorCode, Mark, NoticeCode, PageEvent, Place, ThreadQuery};
use crate::policy::badge::{Badge, MenuLine, MenuWish};
use crate::policy::toast::ToastKey;
use crate::ports::Wish;

fn inbox() -> ThreadQuery {
    ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Inbox) }
}

#[tokio::test]
async fn what_arrives_is_toasted_counted_and_told_to_the_page() {
    let sitting = open().running();
    let own = sitting.source("");
    let first = sitting.with_page().await;
    assert!(first.first_run.show && first.inbox.rows.is_empty());
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;

    let toast = sitting.desktop.toasts.lock().unwrap().last().cloned().unwrap();
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
    sitting.app.wish(Wish::ToastRead(ToastKey::Thread(b))).await;
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
    let click = Wish::ToastOpen { key: ToastKey::Thread(id), token: None };
    sitting.app.wish(click.clone()).await;
    assert_eq!(*sitting.desktop.shown.lock().unwrap(), 1);
    let page = sitting.with_page().await;
    assert_eq!((page.open, page.open_item.as_deref()), (Some(id), Some("m1")));
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "a", "two")]).await;
    sitting.app.wish(click).await;
    until("the page to be told", || {
        sitting.events.lock().unwrap().contains(&PageEvent::Open { thread: id, item: Some("m2".into()) })
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
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    let item = sitting.app.thread(id, None).await.unwrap().items[0].msgid.clone();
    sitting.app.mark_item(id, item, &Mark::Read).await.unwrap();
    assert_eq!(unread().await, 4);
    let lost = sitting.app.mark_item(id, "nope".into(), &Mark::Read).await.unwrap_err();
    assert_eq!(lost.to_page(Lang::En).code, ErrorCode::NotFound);
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
async fn a_thread_reads_as_it_should_in_both_languages() {
    let sitting = open().running();
    let own = sitting.source("Work");
    let bo = json!({"actor": {"id": "bo", "name": "Bo"}, "body": "**Yes**", "format": "markdown"});
    let page = vec![notification(&sitting.clock, 1, &json!({})), notification(&sitting.clock, 2, &bo)];
    sitting.pulled(own, Occasion::Live, page).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    let view = sitting.app.thread(id, None).await.unwrap();
    assert_eq!(view.row.who, "Bo and Ana");
    assert_eq!(view.title, "Rust in 2026");
    assert_eq!(view.facts, ["Your article", "Work", "2 comments, 2 new"]);
    assert_eq!(view.items[1].body.trim(), "<p><strong>Yes</strong></p>");
    let mut settings = sitting.app.page_settings();
    settings.lang = Some(Lang::ZhCn);
    assert_eq!(sitting.app.settings(&settings).await.unwrap().lang_now, Lang::ZhCn);
    let view = sitting.app.thread(id, None).await.unwrap();
    assert_eq!(view.row.who, "Bo和Ana");
    assert_eq!(view.facts, ["你的文章", "Work", "2 条评论，2 条新的"]);
    until("the tray to change its language", || {
        sitting.last_view().is_some_and(|view| view.tooltip == "2 条未读")
    })
    .await;
}

#[tokio::test]
async fn what_a_reader_set_is_there_after_a_restart() {
    let sitting = open();
    let mut settings = sitting.app.page_settings();
    settings.welcome_closed = true;
    settings.list_width = 512;
    sitting.app.settings(&settings).await.unwrap();
    sitting.app.pause_toasts(Some(0)).await.unwrap();
    let folder = sitting.folder;
    drop(sitting.app);
    let again = open_at(folder, Lang::En);
    let page = again.with_page().await;
    assert!(!page.first_run.show);
    assert_eq!(page.settings.list_width, 512);
    assert_eq!(page.sync.paused_until, Some(0));
}

#[tokio::test]
async fn a_pause_from_the_tray_is_silent_until_it_is_ended_there() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.app.wish(Wish::Menu(MenuWish::TogglePause)).await;
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "a", "one")]).await;
    assert!(sitting.desktop.toasts.lock().unwrap().is_empty());
    until("the tray", || sitting.last_view().is_some_and(|v| v.faint && v.badge == Badge::Number(1))).await;
    sitting.app.wish(Wish::Menu(MenuWish::TogglePause)).await;
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "b", "two")]).await;
    let titles: Vec<String> =
        sitting.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect();
    assert_eq!(titles, ["a", "b"], "what was missed is told at the end");
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
async fn a_button_says_what_came_of_it_and_reads_where_its_sender_wants_that() {
    let sitting = open().running();
    let own = sitting.source("");
    let actions = json!({"actions": [
        {"action": "view", "label": "Open", "url": "https://blog.example.org/a"},
        {"action": "http", "label": "Accept", "url": "https://blog.example.org/accept", "clear": true,
         "headers": {"X-Key": "k"}, "body": "yes"}]});
    sitting.pulled(own, Occasion::Live, vec![notification(&sitting.clock, 1, &actions)]).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    let run = |index| sitting.app.run_action(id, "m1".into(), index);
    assert_eq!(run(0).await.unwrap(), "Done");
    assert_eq!(*sitting.desktop.opened.lock().unwrap(), ["https://blog.example.org/a"]);
    assert_eq!(run(1).await.unwrap(), "blog.example.org did not answer");
    *sitting.desktop.answer.lock().unwrap() = Some(500);
    assert_eq!(run(1).await.unwrap(), "blog.example.org answered 500");
    assert!(sitting.app.thread(id, None).await.unwrap().items[0].unread, "nothing was done yet");
    *sitting.desktop.answer.lock().unwrap() = Some(204);
    assert_eq!(run(1).await.unwrap(), "Done");
    assert!(!sitting.app.thread(id, None).await.unwrap().items[0].unread);
    let call = sitting.desktop.calls.lock().unwrap().last().cloned().unwrap();
    assert_eq!((call.method.as_str(), call.body.as_deref()), ("POST", Some("yes")));
    assert!(run(2).await.is_err());
    assert!(sitting.app.open_link("file:///etc/passwd").is_err());
}

#[tokio::test]
async fn found_words_stand_out_in_the_list() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;
    let found = sitting.app.threads(ThreadQuery { search: Some("backup".into()), ..inbox() }).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    assert!(found.rows[0].what.iter().any(|span| span.found && span.text == "Backup"));
    let id = found.rows[0].id;
    sitting.app.mark(vec![id], &Mark::Archive).await.unwrap();
    for (within, rows) in [(false, 1), (true, 0)] {
        let asked = ThreadQuery { search: Some("backup".into()), within, ..inbox() };
        assert_eq!(sitting.app.threads(asked).await.unwrap().rows.len(), rows);
    }
    let wrong = ThreadQuery { after: Some("nonsense".into()), ..inbox() };
    assert_eq!(sitting.app.threads(wrong).await.unwrap_err().to_page(Lang::En).code, ErrorCode::Invalid);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_still_shows_what_is_in_it() {
    let sitting = open();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;
    let folder = sitting.folder;
    drop(sitting.app);
    // A file where the folder should be: cannot be written by anyone, whoever runs the test.
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "").unwrap();
    let home = Home::at(&blocked);
    assert!(home.prepare().is_err());
    let inner = tempfile::tempdir().unwrap();
    let again = open_at(inner, Lang::En);
    assert!(!again.app.is_stand_in());
    let (replica, stand_in) = crate::app::stand_in(Some(folder.path()), &again.app.inner.clock).unwrap();
    assert!(stand_in.is_some());
    assert_eq!(replica.numbers().unwrap().total, 1);
}

#[tokio::test]
async fn a_broken_inbox_is_left_as_it_is_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(tidings_replica::FILE);
    std::fs::write(&file, "this is no database, and was somebody's".repeat(200)).unwrap();
    let before = std::fs::read(&file).unwrap();
    let sitting = open_at(folder, Lang::En);
    assert!(sitting.app.is_stand_in());
    let page = sitting.with_page().await;
    assert_eq!(page.notices.iter().map(|n| n.code).collect::<Vec<_>>(), [NoticeCode::NoReplica]);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn what_does_not_work_is_said_for_as_long_as_it_is_true() {
    let sitting = open().running();
    sitting.with_page().await;
    sitting.app.wish(Wish::ToastsWork(false)).await;
    sitting.app.wish(Wish::TrayWorks(false)).await;
    assert!(sitting.app.close_quits());
    until("both notices", || {
        sitting
            .events
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, PageEvent::Notices { notices } if notices.len() == 2))
    })
    .await;
    sitting.app.wish(Wish::TrayWorks(true)).await;
    assert!(!sitting.app.close_quits());
    until("one notice", || {
        matches!(sitting.events.lock().unwrap().last(),
            Some(PageEvent::Notices { notices }) if notices.len() == 1)
    })
    .await;
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

#[tokio::test]
async fn the_first_backlog_of_a_source_is_not_news() {
    let sitting = open().running();
    let work = sitting.source("Work");
    let old = json!({"created_at": Stamp::from_secs(1_000)});
    sitting.pulled(work, Occasion::Backlog, vec![notification(&sitting.clock, 1, &old)]).await;
    sitting.caught_up(work, Occasion::Backlog).await;
    assert!(sitting.desktop.toasts.lock().unwrap().is_empty());
}
