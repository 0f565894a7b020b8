//! Tests of restarts, pauses and degradations.

use std::sync::Arc;

use serde_json::json;
use tidings_home::Home;
use tidings_ipc::{IpcEvent, NoticeCode, Place, ThreadQuery};
use tidings_model::Lang;
use tidings_ports::{Badge, DesktopRequest, MenuAction};
use tidings_sync::PullReason;

use super::harness::{notification, open, open_at, published, until};
use crate::events::OpenTarget;
use crate::state::data_folder::open_copy;

#[tokio::test]
async fn what_a_reader_set_is_there_after_a_restart() {
    let test = open();
    let mut settings = test.app.settings.current_settings();
    settings.welcome_closed = true;
    settings.list_width = 512;
    test.app.settings.settings(&settings).await.unwrap();
    test.app.silence.pause_toasts(Some(0)).await.unwrap();
    let folder = test.folder;
    drop(test.app);
    let again = open_at(folder, Lang::En);
    let page = again.with_page().await;
    assert!(!page.first_run.show);
    assert_eq!(page.settings.list_width, 512);
    assert_eq!(page.sync.paused_until, Some(0));
}

#[tokio::test]
async fn a_document_brings_what_its_page_shows_and_the_page_hears_what_came_since() {
    let test = open().running();
    assert_eq!(test.app.document_data().await, None, "the first run waits for the own server");
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "</script>", "one")]).await;
    let data = test.app.document_data().await.unwrap();
    assert!(!data.contains('<'), "no text leaves the element: {data}");
    let brought: serde_json::Value = serde_json::from_str(&data).unwrap();
    let row = &brought["inbox"]["rows"][0];
    assert!(row.to_string().contains("</script>"), "{row}");
    assert_eq!(brought["places"]["inbox"]["unread"], 1);

    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "b", "two")]).await;
    until("the tray", || test.last_view().is_some_and(|view| view.badge == Badge::Number(2))).await;
    let open = OpenTarget { thread: row["id"].as_i64().unwrap(), item: None, action: None };
    test.app.context.events.update(|dirty| dirty.open = Some(open));
    let events = Arc::clone(&test.events);
    test.app.listen(Box::new(move |event| {
        events.lock().unwrap().push(event);
        true
    }));
    test.app.page.listen();
    let heard = |wanted: fn(&IpcEvent) -> bool| test.events.lock().unwrap().iter().any(wanted);
    until("what to open", || heard(|event| matches!(event, IpcEvent::Open { .. }))).await;
    until("what came", || heard(|event| matches!(event, IpcEvent::Threads { refetch: true, .. }))).await;
    until("the sources", || heard(|event| matches!(event, IpcEvent::Sync { .. }))).await;
}

#[tokio::test]
async fn a_wish_of_the_desktop_that_panics_is_counted_and_the_next_one_is_heard() {
    let test = open();
    let (sender, requests) = tokio::sync::mpsc::unbounded_channel();
    test.app.spawn_request_handler(requests);
    let before = tidings_net::supervise::faults();
    *test.desktop.panics_on_show.lock().unwrap() = true;
    sender.send(DesktopRequest::Show(None)).unwrap();
    sender.send(DesktopRequest::Show(None)).unwrap();
    until("the window", || *test.desktop.shown.lock().unwrap() == 1).await;
    assert!(tidings_net::supervise::faults() > before);
}

#[tokio::test]
async fn a_pause_from_the_tray_is_silent_until_it_is_ended_there() {
    let test = open().running();
    let own = test.source("");
    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::TogglePause)).await;
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "a", "one")]).await;
    assert!(test.desktop.toasts.lock().unwrap().is_empty());
    until("the tray", || test.last_view().is_some_and(|v| v.faint && v.badge == Badge::Number(1))).await;
    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::TogglePause)).await;
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "b", "two")]).await;
    let titles: Vec<String> =
        test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect();
    assert_eq!(titles, ["a", "b"], "what was missed is told at the end");
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_still_shows_what_is_in_it() {
    let test = open();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "backups", "Backup done")]).await;
    let folder = test.folder;
    drop(test.app);
    // A file in place of the folder: nobody can write into it, not even root.
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "").unwrap();
    let home = Home::at(&blocked);
    assert!(home.prepare().is_err());
    let inner = tempfile::tempdir().unwrap();
    let again = open_at(inner, Lang::En);
    assert!(!again.app.context.data.is_temporary());
    let (replica, temporary) = open_copy(Some(folder.path()), &again.app.context.clock).unwrap();
    assert!(temporary.path().is_dir());
    assert_eq!(replica.counts().unwrap().total, 1);
}

#[tokio::test]
async fn a_broken_inbox_is_left_as_it_is_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(tidings_replica::FILE);
    std::fs::write(&file, "this is no database, and was somebody's".repeat(200)).unwrap();
    let before = std::fs::read(&file).unwrap();
    let test = open_at(folder, Lang::En);
    assert!(test.app.context.data.is_temporary());
    let page = test.with_page().await;
    assert_eq!(page.notices.iter().map(|n| n.code).collect::<Vec<_>>(), [NoticeCode::Damaged]);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn what_does_not_work_is_said_for_as_long_as_it_is_true() {
    let test = open().running();
    test.with_page().await;
    test.app.requests.handle_request(DesktopRequest::ToastsAvailable(false)).await;
    test.app.requests.handle_request(DesktopRequest::TrayAvailable(false)).await;
    until("both notices", || {
        test.events
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, IpcEvent::Notices { notices } if notices.len() == 2))
    })
    .await;
    test.app.requests.handle_request(DesktopRequest::TrayAvailable(true)).await;
    until("one notice", || {
        matches!(test.events.lock().unwrap().last(),
            Some(IpcEvent::Notices { notices }) if notices.len() == 1)
    })
    .await;
}

#[tokio::test]
async fn a_page_whose_process_ended_comes_back_with_the_thread_that_it_showed_and_its_draft() {
    let test = open().running();
    let own = test.source("");
    let message = |nth| {
        let more = json!({"kind": "message", "thread": "user:bo", "conversation": "user:bo", "action": null,
            "target": null, "actor": {"id": "bo", "name": "Bo"}, "body": "Lunch?"});
        notification(&test.clock, nth, &more)
    };
    test.pulled(own, PullReason::Live, vec![message(1)]).await;
    let thread = test.with_page().await.inbox.rows[0].id;
    assert_eq!(test.with_page().await.open, None, "none was open");
    test.app.reading.thread(thread, None).await.unwrap();
    test.app.page_ended();
    assert_eq!(test.with_page().await.open, None, "its reader had not turned to it");
    test.app.reading.thread(thread, None).await.unwrap();
    test.app.conversations.save_draft(thread, "At noon".into()).await.unwrap();
    test.app.toasts.watch(Some(thread));
    test.desktop.toasts.lock().unwrap().clear();

    test.app.page_ended();
    test.pulled(own, PullReason::Live, vec![message(2)]).await;
    until("a toast, as nobody looks", || !test.desktop.toasts.lock().unwrap().is_empty()).await;
    assert_eq!(test.with_page().await.open, Some(thread));
    let view = test.app.reading.thread(thread, None).await.unwrap();
    assert_eq!(view.composer.unwrap().draft, "At noon");

    // Another list has closed it.
    test.app.reading.threads(ThreadQuery { limit: 10, ..ThreadQuery::top(Place::Done) }).await.unwrap();
    test.app.page_ended();
    assert_eq!(test.with_page().await.open, None);
}
