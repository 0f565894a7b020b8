//! Tests of the app while the server is down: lists, search and marks work, and the marks arrive later.

use serde_json::json;
use support::{
    app::{self, App},
    desktop::Desktop,
    page::{Page, keys},
    server::ServerProcess,
    tray::Tray,
    wait,
};
use tempfile::TempDir;

#[tokio::test]
async fn offline_it_lists_searches_counts_and_marks_and_the_marks_arrive_later() {
    let desktop = Desktop::start();
    let mut server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    app::add_source(&desktop.data_dir(), &ana);
    for n in 1..=4 {
        server
            .admin()
            .post("announcements", json!({"title": format!("Note {n}"), "body": format!("About topic-{n}")}))
            .await
            .success();
    }
    ana.post("reminders", json!({"actor": "bo", "action": "comment", "target": {"type": "article", "id": "1", "title": "Tides", "owner": "ana"}, "body": "nobody hears this"})).await.success();
    ana.put("subscriptions", json!({"target": {"type": "article", "id": "1"}, "actions": ["comment"]})).await;
    for who in ["bo", "chen"] {
        ana.post("reminders", json!({"actor": {"id": who, "name": who}, "action": "comment", "target": {"type": "article", "id": "1", "title": "Tides", "owner": "ana"}, "body": format!("{who} was here")})).await.success();
    }
    assert_eq!(ana.unread("total").await, 6);

    // The app pulls everything and is closed; then the server stops.
    let mut app = App::start(&desktop, &["--background"]);
    let unread = || async { app::unread(&desktop.data_dir()) };
    wait::until_equal("unread in the replica", 6, unread).await;
    app.process.terminate();
    drop(app);
    server.stop();

    let page = Page::open(&desktop).await;
    page.wait_for_row("Tides").await;
    let tray = Tray::find(&desktop).await;
    tray.wait_for_number("6").await;
    wait::until("the state in words", || async {
        let text = page.text().await.to_lowercase();
        text.contains("retrying") || text.contains("no answer") || text.contains("offline")
    })
    .await;
    page.type_text("/").await;
    page.type_text("chen was").await;
    wait::until_equal("rows that were found", 1, || async { page.rows().await.len() }).await;
    page.press_keys([keys::ESCAPE, keys::ESCAPE]).await;
    page.click_row("Tides").await;
    tray.wait_for_number("4").await;
    assert_eq!(unread().await, 4);

    // The server is back: the mark arrives without user action, and a second replica agrees.
    server.restart();
    wait::within(2 * wait::TEST_TIMEOUT, "the mark to arrive", || async { ana.unread("total").await == 4 })
        .await;
    let second = TempDir::new().unwrap();
    app::add_source(second.path(), &ana);
    app::tidings(second.path(), &["pull"]);
    assert_eq!(app::unread(second.path()), 4);
    let ids = |data: &std::path::Path| {
        let list = app::tidings_json(data, &["list", "--unread"]);
        list.as_array().unwrap().iter().map(|item| item["msgid"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(second.path()), ids(&desktop.data_dir()));
    app::tidings(&desktop.data_dir(), &["check"]);
    app::tidings(second.path(), &["check"]);
    page.close().await;
}

#[tokio::test]
async fn killed_at_any_moment_it_loses_nothing_and_doubles_nothing() {
    let desktop = Desktop::start();
    let mut server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    app::add_source(&desktop.data_dir(), &ana);
    let mut published = 0_u64;
    for round in 0..4 {
        let mut app = App::start(&desktop, &["--background"]);
        for _ in 0..3 {
            let many =
                (0..200).map(|n| json!({"title": format!("Round {round}, {n}"), "body": "x"})).collect();
            server.admin().post("announcements", many).await.success();
            published += 200;
        }
        // The kill comes at an arbitrary moment of its work.
        app.process.kill();
        if round % 2 == 1 {
            server.kill();
            server.restart();
        }
        app::tidings(&desktop.data_dir(), &["check"]);
    }
    assert_eq!(
        ana.get("unread?cap=1000").await.is(200)["announcement"],
        json!({"count": 1000, "capped": true})
    );
    let _app = App::start(&desktop, &["--background"]);
    wait::until_equal("unread in the end", published, || async { app::unread(&desktop.data_dir()) }).await;
    app::tidings(&desktop.data_dir(), &["check"]);
    app::tidings(&server.data_dir(), &["check"]);
}
