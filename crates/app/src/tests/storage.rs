//! Tests of retention, sizes, backups and exports.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use tidings_home::archive::{self, REPLICA, SERVER};
use tidings_ipc::{ErrorCode, ExportFormat, Folder, IpcEvent, NoticeCode, Place, SavedSearch, ThreadQuery};
use tidings_model::{Clock, Lang, Mark, Notification};
use tidings_sync::{PullLimit, PullReason};

use super::harness::{TestApp, notification, open, open_at, published, until};
use super::inbox;
use super::settings_file::FakeOwnServer;

#[tokio::test]
async fn what_is_done_with_goes_after_its_days_and_pinned_threads_stay() {
    let test = open().running();
    let own = test.source("");
    let items = (1..5).map(|i| published(&test.clock, i, &format!("t{i}"), "words")).collect();
    test.pulled(own, PullReason::Live, items).await;
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    test.app.marks.mark(vec![ids[0]], Mark::Pin).await.unwrap();
    // The changes come from the server, so that nothing waits to be sent.
    let archived: Vec<_> = (1..4)
        .map(|i| {
            let at = test.clock.now().plus_micros(100 + i);
            let topic = format!("t{}", 5 - i);
            notification(
                &test.clock,
                5 - i,
                &json!({"thread": format!("topic:{topic}#publish"), "actor": {"id": topic, "name": topic},
                    "action": "publish", "target": {"type": "topic", "id": topic}, "title": topic, "body": "words",
                    "archived_at": at, "stamp": at, "version": 2}),
            )
        })
        .collect();
    test.pulled(own, PullReason::Live, archived).await;
    let done = ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Done) };
    assert_eq!(test.app.reading.threads(done.clone()).await.unwrap().rows.len(), 3);

    let mut settings = test.app.settings.current_settings();
    settings.keep_days = Some(30);
    test.app.settings.settings(&settings).await.unwrap();
    for _ in 0..5 {
        test.clock.advance(6 * 24 * 3_600 - 10);
        assert_eq!(test.app.retention.apply_retention().await.unwrap(), 0);
    }
    test.clock.advance(24 * 3_600);
    assert_eq!(test.app.retention.apply_retention().await.unwrap(), 2);
    let left = test.app.reading.threads(done).await.unwrap().rows;
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[0]], "it is pinned");
    assert_eq!(test.app.reading.threads(inbox()).await.unwrap().rows.len(), 1);
    assert_eq!(test.app.context.replica.check().unwrap(), []);

    // A later change on the server brings an item back.
    let at = test.clock.now();
    let again = notification(
        &test.clock,
        3,
        &json!({"thread": "topic:t3#publish", "actor": {"id": "t3", "name": "t3"}, "action": "publish",
            "target": {"type": "topic", "id": "t3"}, "title": "t3", "body": "words", "stamp": at, "version": 3}),
    );
    test.pulled(own, PullReason::Live, vec![again]).await;
    assert_eq!(test.app.reading.threads(inbox()).await.unwrap().rows.len(), 2);
    assert_eq!(test.app.context.replica.check().unwrap(), []);
}

#[tokio::test]
async fn a_clock_a_year_ahead_removes_nothing_for_a_day_of_running_also_after_a_restart() {
    let test = open().running();
    let own = test.source("");
    let archived = archived_item(&test);
    test.pulled(own, PullReason::Live, vec![archived]).await;
    let done = ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Done) };
    let mut settings = test.app.settings.current_settings();
    settings.keep_days = Some(30);
    test.app.settings.settings(&settings).await.unwrap();
    assert_eq!(test.app.retention.apply_retention().await.unwrap(), 0);
    assert_eq!(test.app.storage.storage().await.unwrap().hold_hours, 0);
    test.clock.advance(365 * 24 * 3_600);
    assert_eq!(test.app.retention.apply_retention().await.unwrap(), 0);
    assert_eq!(test.app.storage.storage().await.unwrap().hold_hours, 24);

    // Nothing odd is seen by the next start, whose clock is as wrong.
    let folder = tempfile::tempdir().unwrap();
    test.app.context.replica.backup(&folder.path().join("replica.db")).unwrap();
    let again = open_at(folder, Lang::En);
    again.clock.advance(365 * 24 * 3_600);
    assert_eq!(again.app.retention.apply_retention().await.unwrap(), 0);
    assert_eq!(again.app.storage.storage().await.unwrap().hold_hours, 24);
    assert!(!crate::state::age_hold::left(&again.app.context.replica).unwrap().is_zero());
    assert_eq!(again.app.reading.threads(done).await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn stamps_that_a_wrong_clock_left_ahead_are_told_until_they_are_mended() {
    let test = open();
    let server = Arc::new(FakeOwnServer::default());
    server.1.store(true, Ordering::Relaxed);
    test.app.server_state.set_server(Arc::<FakeOwnServer>::clone(&server));
    test.app.server.start_server(server.as_ref()).await;
    let notices = test.app.context.notices.all(Lang::En);
    assert!(
        notices.iter().any(|notice| notice.code == NoticeCode::ClockAhead && !notice.danger),
        "{notices:?}"
    );
    test.app.server.mend_clock().await.unwrap();
    assert!(!test.app.context.notices.has(NoticeCode::ClockAhead));
}

/// An item that was archived a moment ago.
fn archived_item(test: &TestApp) -> Notification {
    let at = test.clock.now().plus_micros(100);
    notification(
        &test.clock,
        1,
        &json!({"thread": "topic:t1#publish", "actor": {"id": "t1", "name": "t1"}, "action": "publish",
            "target": {"type": "topic", "id": "t1"}, "title": "t1", "body": "words", "archived_at": at, "stamp": at,
            "version": 2}),
    )
}

#[tokio::test]
async fn compacting_gives_room_back_and_is_refused_where_there_is_none() {
    let test = open();
    let own = test.source("");
    let body = "room ".repeat(2_000);
    let items = (1..200).map(|i| published(&test.clock, i, &format!("t{i}"), &body)).collect();
    test.pulled(own, PullReason::Live, items).await;
    test.app.context.replica.remove_source(own, false).unwrap();
    let before = test.app.storage.storage().await.unwrap();
    assert!(before.spare > 500_000, "{before:?}");
    *test.desktop.free_space.lock().unwrap() = Some(1_000);
    let refused = test.app.storage.compact().await.unwrap_err().to_ipc(Lang::En);
    assert_eq!(refused.code, ErrorCode::Storage);
    assert!(refused.text.contains("1 KB is free"), "{}", refused.text);
    *test.desktop.free_space.lock().unwrap() = None;
    let after = test.app.storage.compact().await.unwrap();
    assert!(after.spare < before.spare / 10 && after.inbox < before.inbox, "{before:?} {after:?}");
    assert_eq!(test.app.context.replica.check().unwrap(), []);
}

#[tokio::test]
async fn a_backup_brings_everything_back_and_no_token_goes_astray() {
    let test = open().running();
    let own = test.source("");
    let work = test.source("Work");
    test.store_token_of(work, "tdg_work");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "backups", "Backup done")]).await;
    let search =
        |query: &str| SavedSearch { id: 0, name: String::new(), query: query.into(), unread: 0, quiet: 0 };
    test.app.searches.save_search(search("is:unread")).await.unwrap();
    let file = test.folder.path().join("out.tar");
    assert_eq!(test.app.backups.backup().await.unwrap(), None, "the dialog was left");
    test.choose_file(&file);
    let written = test.app.backups.backup().await.unwrap().unwrap();
    let (begin, end) = (format!("Backup saved to {}, ", file.display()), "KB. It has no tokens");
    assert!(written.text.starts_with(&begin) && written.text.ends_with(end), "{}", written.text);

    // Changes after the backup: an item came, a search was saved, and a source's address changed.
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "later", "after the backup")]).await;
    assert_eq!(test.app.searches.save_search(search("later")).await.unwrap()[0].unread, 2);
    let change =
        tidings_replica::SourceChange { url: Some("http://127.0.0.1:2".into()), ..Default::default() };
    test.app.context.replica.change_source(work, change).unwrap();
    test.with_page().await;
    test.choose_file(&file);
    let restored = test.app.backups.restore().await.unwrap().unwrap();
    assert!(restored.text.contains("1 notifications"), "{}", restored.text);
    let searches = test.app.searches.saved_searches().await.unwrap();
    assert_eq!(searches.iter().map(|s| (s.query.as_str(), s.unread)).collect::<Vec<_>>(), [("is:unread", 1)]);
    assert_eq!(test.app.searches.counted(), 1, "no number of a search that is gone");
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.who.as_str()).collect::<Vec<_>>(), ["backups"]);
    assert_eq!(test.token_of(work), None, "the token was for another address");
    assert!(test.folder.path().join("replica.db.before").exists());
    assert_eq!(test.app.context.replica.check().unwrap(), []);
    until("the page to look anew", || {
        let events = test.events.lock().unwrap();
        events.iter().any(|event| matches!(event, IpcEvent::Threads { refetch: true, .. }))
    })
    .await;
    // The app goes on after the restore: new items are kept, also in the file.
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 3, "again", "x")]).await;
    let folder = test.folder;
    drop(test.app);
    let again = open_at(folder, Lang::En);
    assert_eq!(again.app.reading.threads(inbox()).await.unwrap().rows.len(), 2);

    let nonsense = again.folder.path().join("nonsense.tar");
    std::fs::write(&nonsense, "this is no backup".repeat(100)).unwrap();
    again.choose_file(&nonsense);
    let refused = again.app.backups.restore().await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("nonsense.tar is not a backup"), "{}", refused.text);
    assert_eq!(again.app.reading.threads(inbox()).await.unwrap().rows.len(), 2);
}

#[tokio::test]
async fn a_backup_that_is_refused_leaves_the_copy_of_what_was_there_before_the_last_one() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "backups", "one")]).await;
    let good = test.folder.path().join("good.tar");
    test.choose_file(&good);
    test.app.backups.backup().await.unwrap().unwrap();
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 2, "backups", "two")]).await;
    test.choose_file(&good);
    test.app.backups.restore().await.unwrap().unwrap();
    let former_inbox = test.folder.path().join("replica.db.before");
    let before = std::fs::read(&former_inbox).unwrap();

    // The archive's replica is valid; its server database is not, which the own server detects.
    let parts = test.folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    test.app.context.replica.backup(&parts.join(REPLICA)).unwrap();
    std::fs::copy(parts.join(REPLICA), parts.join(SERVER)).unwrap();
    let bad = test.folder.path().join("bad.tar");
    archive::write(&mut std::fs::File::create(&bad).unwrap(), &parts, &[SERVER, REPLICA]).unwrap();
    test.app.server_state.set_server(Arc::new(FakeOwnServer::default()));
    test.choose_file(&bad);
    let refused = test.app.backups.restore().await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("nothing is kept"), "{}", refused.text);
    assert!(std::fs::read(&former_inbox).unwrap() == before, "the copy is still that of the inbox with two");
    assert_eq!(test.app.context.replica.counts().unwrap().total, 1);
}

#[tokio::test]
async fn the_inbox_is_written_for_other_programs() {
    let test = open();
    let own = test.source("");
    let items = (1..4).map(|i| published(&test.clock, i, "backups", &format!("Done {i}"))).collect();
    test.pulled(own, PullReason::Live, items).await;
    for (format, holds) in [
        (ExportFormat::Json, "\"Done 2\""),
        (ExportFormat::Csv, ",Done 2,"),
        (ExportFormat::Mbox, "\nDone 2\n"),
    ] {
        let file = test.folder.path().join("out");
        test.choose_file(&file);
        let done = test.app.storage.export_inbox(format).await.unwrap().unwrap();
        assert_eq!(done.text, "3 notifications exported");
        assert!(std::fs::read_to_string(&file).unwrap().contains(holds), "{format:?}");
    }
    assert_eq!(*test.desktop.dialog_names.lock().unwrap().first().unwrap(), "tidings-2023-11-14.json");
    test.choose_file(std::path::Path::new("/nowhere/at/all.json"));
    let refused = test.app.storage.export_inbox(ExportFormat::Json).await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.starts_with("The file could not be saved"), "{}", refused.text);
    test.app.storage.open_folder(Folder::Logs).unwrap();
    assert!(test.desktop.folders.lock().unwrap()[0].ends_with("logs"));
}

#[tokio::test]
async fn an_export_tells_what_was_asked_and_which_answer_counts() {
    let test = open();
    let own = test.source("");
    let asks = json!({"question": {"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z", "text": true,
        "answers": [{"id": "yes", "label": "Approve"}, {"id": "no", "label": "Deny"}]}});
    test.pulled(
        own,
        PullReason::Live,
        vec![notification(&test.clock, 1, &asks), notification(&test.clock, 2, &asks)],
    )
    .await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app
        .answers
        .answer_question(thread, "m2".into(), Some("no".into()), Some("not now".into()))
        .await
        .unwrap();
    let file = test.folder.path().join("out");
    for (format, holds) in [
        (ExportFormat::Json, ["\"state\":\"open\"", "\"id\":\"no\",\"text\":\"not now\""]),
        (ExportFormat::Csv, [",\"Approve, Deny\",open,,,,", ",\"Approve, Deny\",answered,Deny: not now,"]),
        (
            ExportFormat::Mbox,
            ["X-Tidings-question-state: open", "X-Tidings-answer: =?utf-8?q?=44=65=6E=79=3A"],
        ),
    ] {
        test.choose_file(&file);
        test.app.storage.export_inbox(format).await.unwrap().unwrap();
        let written = std::fs::read_to_string(&file).unwrap();
        assert!(holds.iter().all(|part| written.contains(part)), "{format:?}: {written}");
    }
}

#[tokio::test]
async fn the_most_of_one_pull_is_chosen_within_bounds_and_its_pages_grow_with_it() {
    let test = open();
    assert_eq!(test.app.storage.storage().await.unwrap().pull_mebibytes, 1_024);
    assert_eq!(test.app.storage.set_pull_limit(4_096).await.unwrap().pull_mebibytes, 4_096);
    let limit = PullLimit::stored(&test.app.context.replica).unwrap();
    assert_eq!((limit.bytes, limit.pages, limit.keep_free), (4 << 30, 4_000, None));
    assert_eq!(test.app.storage.set_pull_limit(0).await.unwrap().pull_mebibytes, 16);
}

/// Damages the first page of a table of an inbox that nobody has open.
fn damage(file: &std::path::Path, table: &str) {
    let conn = rusqlite::Connection::open(file).unwrap();
    conn.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let root = "SELECT rootpage FROM sqlite_master WHERE name = ?1";
    let page: i64 = conn.query_row(root, [table], |row| row.get(0)).unwrap();
    drop(conn);
    let mut bytes = std::fs::read(file).unwrap();
    let begin = (usize::try_from(page).unwrap() - 1) * 4_096;
    bytes[begin..begin + 16].iter_mut().for_each(|byte| *byte ^= 0xa5);
    std::fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn an_inbox_that_is_damaged_at_the_start_is_repaired_by_a_button_and_used_from_the_next_start_on() {
    let test = open();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "backups", "Backup done")]).await;
    test.app.context.replica.set_setting("kept", &json!(7)).unwrap();
    let folder = test.folder;
    drop(test.app);
    damage(&folder.path().join(REPLICA), "sources");
    let test = open_at(folder, Lang::ZhCn);
    let notices = test.app.context.notices.all(Lang::En);
    let notice = notices.iter().find(|notice| notice.code == NoticeCode::Damaged).unwrap();
    assert!(notice.danger && notice.text.contains("It is a copy"), "{notice:?}");
    let repaired = test.app.repair.repair_inbox().await.unwrap();
    assert!(
        repaired.text.starts_with("收件箱已修复") && repaired.path.ends_with("replica.db.before"),
        "{repaired:?}"
    );
    let codes: Vec<NoticeCode> =
        test.app.context.notices.all(Lang::En).iter().map(|notice| notice.code).collect();
    assert!(codes.contains(&NoticeCode::Repaired) && !codes.contains(&NoticeCode::Damaged), "{codes:?}");
    let folder = test.folder;
    drop(test.app);
    let test = open_at(folder, Lang::En);
    assert_eq!(test.app.context.replica.setting("kept").unwrap(), Some(json!(7)));
    assert_eq!(test.app.context.replica.check().unwrap(), []);
}

#[tokio::test]
async fn damage_that_is_met_while_the_app_runs_is_said_and_repaired_at_once() {
    let test = open();
    let own = test.source("");
    let items = (1..50).map(|i| published(&test.clock, i, &format!("t{i}"), "words")).collect();
    test.pulled(own, PullReason::Live, items).await;
    test.app.context.replica.set_setting("kept", &json!(7)).unwrap();
    // Pages that were read before are in memory, so that all of them are replaced by damaged ones.
    let copy = test.folder.path().join("elsewhere.db");
    test.app.context.replica.backup(&copy).unwrap();
    damage(&copy, "threads");
    test.app.context.replica.restore(&copy).unwrap();
    assert!(test.app.reading.threads(inbox()).await.is_err());
    let has = |code| test.app.context.notices.has(code);
    assert!(has(NoticeCode::Damaged));
    let in_the_way = test.folder.path().join("replica.db.before");
    std::fs::create_dir_all(in_the_way.join("something")).unwrap();
    assert!(test.app.repair.repair_inbox().await.is_err(), "an inbox that cannot be kept is not replaced");
    assert!(has(NoticeCode::Damaged) && test.app.reading.threads(inbox()).await.is_err());
    std::fs::remove_dir_all(&in_the_way).unwrap();
    let repaired = test.app.repair.repair_inbox().await.unwrap();
    assert!(repaired.text.contains("49 notifications were kept"), "{repaired:?}");
    assert!(!has(NoticeCode::Damaged) && !has(NoticeCode::Repaired));
    assert_eq!(test.app.reading.threads(inbox()).await.unwrap().rows.len(), 49);
    assert_eq!(test.app.context.replica.setting("kept").unwrap(), Some(json!(7)));
    assert_eq!(test.app.context.replica.check().unwrap(), []);
    assert!(test.folder.path().join("replica.db.before").exists());
}
