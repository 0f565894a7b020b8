//! The app as it stands: what is kept over a restart, a pause, and what does not work. Refuses to hide it.

use tidings_model::Lang;
use tidings_sync::Occasion;

use super::desktop::{open, open_at, published, until};
use crate::home::Home;
use crate::page::{NoticeCode, PageEvent};
use crate::policy::badge::{Badge, MenuWish};
use crate::ports::Wish;

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
async fn a_wish_of_the_desktop_that_panics_is_counted_and_the_next_one_is_heard() {
    let sitting = open();
    let (wishes, wished) = tokio::sync::mpsc::unbounded_channel();
    sitting.app.follow(wished);
    let before = tidings_sync::supervise::faults();
    *sitting.desktop.breaks.lock().unwrap() = true;
    wishes.send(Wish::Show(None)).unwrap();
    wishes.send(Wish::Show(None)).unwrap();
    until("the window", || *sitting.desktop.shown.lock().unwrap() == 1).await;
    assert!(tidings_sync::supervise::faults() > before);
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
    assert_eq!(replica.counts().unwrap().total, 1);
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
