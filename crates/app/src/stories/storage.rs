//! The inbox as files: what leaves it after its days, what it takes, backups and exports. Refuses what it says.

use std::sync::Arc;

use serde_json::json;
use tidings_model::Lang;
use tidings_sync::Occasion;

use super::desktop::{notification, open, open_at, published, until};
use super::exchange::Standing;
use super::inbox;
use crate::archive::{self, REPLICA, SERVER};
use crate::page::{ErrorCode, ExportFormat, Folder, Mark, PageEvent, Place, SavedSearch, ThreadQuery};

#[tokio::test]
async fn what_is_done_with_goes_after_its_days_and_pinned_threads_stay() {
    let sitting = open().running();
    let own = sitting.source("");
    let items = (1..5).map(|i| published(&sitting.clock, i, &format!("t{i}"), "words")).collect();
    sitting.pulled(own, Occasion::Live, items).await;
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    sitting.app.mark(vec![ids[0]], &Mark::Pin).await.unwrap();
    // As if the server had said so: nothing waits to be sent.
    let archived: Vec<_> = (1..4)
        .map(|i| {
            let at = sitting.clock.now_stamp().plus_micros(100 + i);
            let topic = format!("t{}", 5 - i);
            notification(
                &sitting.clock,
                5 - i,
                &json!({"thread": format!("topic:{topic}#publish"), "actor": {"id": topic, "name": topic},
                    "action": "publish", "target": {"type": "topic", "id": topic}, "title": topic, "body": "words",
                    "archived_at": at, "stamp": at, "version": 2}),
            )
        })
        .collect();
    sitting.pulled(own, Occasion::Live, archived).await;
    let done = ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Done) };
    assert_eq!(sitting.app.threads(done.clone()).await.unwrap().rows.len(), 3);

    let mut settings = sitting.app.page_settings();
    settings.keep_days = Some(30);
    sitting.app.settings(&settings).await.unwrap();
    sitting.clock.pass(29 * 24 * 3_600);
    assert_eq!(sitting.app.take_off_old().await.unwrap(), 0);
    sitting.clock.pass(2 * 24 * 3_600);
    assert_eq!(sitting.app.take_off_old().await.unwrap(), 2);
    let left = sitting.app.threads(done).await.unwrap().rows;
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[0]], "it is pinned");
    assert_eq!(sitting.app.threads(inbox()).await.unwrap().rows.len(), 1);
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);

    // A later change on the server brings one back.
    let at = sitting.clock.now_stamp();
    let again = notification(
        &sitting.clock,
        3,
        &json!({"thread": "topic:t3#publish", "actor": {"id": "t3", "name": "t3"}, "action": "publish",
            "target": {"type": "topic", "id": "t3"}, "title": "t3", "body": "words", "stamp": at, "version": 3}),
    );
    sitting.pulled(own, Occasion::Live, vec![again]).await;
    assert_eq!(sitting.app.threads(inbox()).await.unwrap().rows.len(), 2);
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);
}

#[tokio::test]
async fn compacting_gives_room_back_and_is_refused_where_there_is_none() {
    let sitting = open();
    let own = sitting.source("");
    let body = "room ".repeat(2_000);
    let items = (1..200).map(|i| published(&sitting.clock, i, &format!("t{i}"), &body)).collect();
    sitting.pulled(own, Occasion::Live, items).await;
    sitting.app.inner.replica.remove_source(own, false).unwrap();
    let before = sitting.app.storage().await.unwrap();
    assert!(before.spare > 500_000, "{before:?}");
    *sitting.desktop.room.lock().unwrap() = Some(1_000);
    let refused = sitting.app.compact().await.unwrap_err().to_page(Lang::En);
    assert_eq!(refused.code, ErrorCode::Storage);
    assert!(refused.text.contains("1 KB are free"), "{}", refused.text);
    *sitting.desktop.room.lock().unwrap() = None;
    let after = sitting.app.compact().await.unwrap();
    assert!(after.spare < before.spare / 10 && after.inbox < before.inbox, "{before:?} {after:?}");
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);
}

#[tokio::test]
async fn a_backup_brings_everything_back_and_no_token_goes_astray() {
    let sitting = open().running();
    let own = sitting.source("");
    let work = sitting.source("Work");
    sitting.keep_token_of(work, "tdg_work");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;
    let search = |query: &str| SavedSearch { id: 0, name: String::new(), query: query.into(), unread: 0 };
    sitting.app.save_search(search("is:unread")).await.unwrap();
    let file = sitting.folder.path().join("out.tar");
    assert_eq!(sitting.app.backup().await.unwrap(), None, "the dialog was left");
    sitting.chooses(&file);
    let written = sitting.app.backup().await.unwrap().unwrap();
    assert!(written.text.starts_with("Backup written"), "{}", written.text);

    // Since then: more came, a source went, and another one has its number.
    sitting
        .pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "later", "after the backup")])
        .await;
    assert_eq!(sitting.app.save_search(search("later")).await.unwrap()[0].unread, 2);
    let change =
        tidings_replica::SourceChange { url: Some("http://127.0.0.1:2".into()), ..Default::default() };
    sitting.app.inner.replica.change_source(work, change).unwrap();
    sitting.with_page().await;
    sitting.chooses(&file);
    let restored = sitting.app.restore().await.unwrap().unwrap();
    assert!(restored.text.contains("1 notifications"), "{}", restored.text);
    let kept = sitting.app.saved_searches().await.unwrap();
    assert_eq!(kept.iter().map(|s| (s.query.as_str(), s.unread)).collect::<Vec<_>>(), [("is:unread", 1)]);
    assert_eq!(sitting.app.inner.found_unread.lock().unwrap().len(), 1, "no number of a search that is gone");
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.who.as_str()).collect::<Vec<_>>(), ["backups"]);
    assert_eq!(sitting.token_of(work), None, "the token was for another address");
    assert!(sitting.folder.path().join("replica.db.before").exists());
    assert_eq!(sitting.app.inner.replica.check().unwrap(), []);
    until("the page to look anew", || {
        let events = sitting.events.lock().unwrap();
        events.iter().any(|event| matches!(event, PageEvent::Threads { refetch: true, .. }))
    })
    .await;
    // It goes on: what comes is kept, in the file too.
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 3, "again", "x")]).await;
    let folder = sitting.folder;
    drop(sitting.app);
    let again = open_at(folder, Lang::En);
    assert_eq!(again.app.threads(inbox()).await.unwrap().rows.len(), 2);

    let nonsense = again.folder.path().join("nonsense.tar");
    std::fs::write(&nonsense, "this is no backup".repeat(100)).unwrap();
    again.chooses(&nonsense);
    let refused = again.app.restore().await.unwrap_err().to_page(Lang::En);
    assert!(refused.text.contains("nonsense.tar is no backup"), "{}", refused.text);
    assert_eq!(again.app.threads(inbox()).await.unwrap().rows.len(), 2);
}

#[tokio::test]
async fn a_backup_that_is_refused_leaves_the_copy_of_what_was_there_before_the_last_one() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "one")]).await;
    let good = sitting.folder.path().join("good.tar");
    sitting.chooses(&good);
    sitting.app.backup().await.unwrap().unwrap();
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 2, "backups", "two")]).await;
    sitting.chooses(&good);
    sitting.app.restore().await.unwrap().unwrap();
    let kept = sitting.folder.path().join("replica.db.before");
    let before = std::fs::read(&kept).unwrap();

    // Its inbox is one; its server is not, which the own server finds out.
    let parts = sitting.folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    sitting.app.inner.replica.backup(&parts.join(REPLICA)).unwrap();
    std::fs::copy(parts.join(REPLICA), parts.join(SERVER)).unwrap();
    let bad = sitting.folder.path().join("bad.tar");
    archive::write(&mut std::fs::File::create(&bad).unwrap(), &parts, &[SERVER, REPLICA]).unwrap();
    assert!(sitting.app.inner.own.set(Arc::new(Standing::default())).is_ok());
    sitting.chooses(&bad);
    let refused = sitting.app.restore().await.unwrap_err().to_page(Lang::En);
    assert!(refused.text.contains("nothing is kept"), "{}", refused.text);
    assert!(std::fs::read(&kept).unwrap() == before, "the copy is still that of the inbox with two");
    assert_eq!(sitting.app.inner.replica.counts().unwrap().total, 1);
}

#[tokio::test]
async fn the_inbox_is_written_for_other_programs() {
    let sitting = open();
    let own = sitting.source("");
    let items = (1..4).map(|i| published(&sitting.clock, i, "backups", &format!("Done {i}"))).collect();
    sitting.pulled(own, Occasion::Live, items).await;
    for (format, holds) in [
        (ExportFormat::Json, "\"Done 2\""),
        (ExportFormat::Csv, ",Done 2,"),
        (ExportFormat::Mbox, "\nDone 2\n"),
    ] {
        let file = sitting.folder.path().join("out");
        sitting.chooses(&file);
        let done = sitting.app.export_inbox(format).await.unwrap().unwrap();
        assert_eq!(done.text, "3 notifications written");
        assert!(std::fs::read_to_string(&file).unwrap().contains(holds), "{format:?}");
    }
    assert_eq!(*sitting.desktop.asked.lock().unwrap().first().unwrap(), "tidings-2023-11-14.json");
    sitting.chooses(std::path::Path::new("/nowhere/at/all.json"));
    let refused = sitting.app.export_inbox(ExportFormat::Json).await.unwrap_err().to_page(Lang::En);
    assert!(refused.text.starts_with("The file could not be written"), "{}", refused.text);
    sitting.app.open_folder(Folder::Logs).unwrap();
    assert!(sitting.desktop.folders.lock().unwrap()[0].ends_with("logs"));
}
