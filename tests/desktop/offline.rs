//! With the server gone everything that is here goes on, and what was done meanwhile arrives later.
//! Refuses to lose a mark.

use serde_json::json;
use support::{
    app::{self, App},
    desktop::Desktop,
    page::{Page, keys},
    server::Server,
    tray::Tray,
    wait,
};
use tempfile::TempDir;

#[tokio::test]
async fn offline_it_lists_searches_counts_and_marks_and_the_marks_arrive_later() {
    let desktop = Desktop::start();
    let mut server = Server::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let add = ["source", "add", "tidings", &server.url(), "--token", &ana.token, "--name", "Work"];
    app::tidings(&desktop.data(), &add);
    for n in 1..=4 {
        server
            .admin()
            .post("/announcements", json!({"title": format!("Note {n}"), "body": format!("About topic-{n}")}))
            .await;
    }
    ana.post("/reminders", json!({"actor": "bo", "action": "comment", "target": {"type": "article", "id": "1", "title": "Tides", "owner": "ana"}, "body": "nobody hears this"})).await;
    ana.api(
        reqwest::Method::PUT,
        "/subscriptions",
        json!({"target": {"type": "article", "id": "1"}, "actions": ["comment"]}),
    )
    .await;
    for who in ["bo", "chen"] {
        ana.post("/reminders", json!({"actor": {"id": who, "name": who}, "action": "comment", "target": {"type": "article", "id": "1", "title": "Tides", "owner": "ana"}, "body": format!("{who} was here")})).await;
    }
    assert_eq!(ana.unread().await, 6);

    // The app pulls all of it, is closed, and the server goes away.
    let mut app = App::start(&desktop, &["--background"]);
    let unread = || async { app::tidings_json(&desktop.data(), &["unread"])["total"].clone() };
    wait::until_equal("unread in the replica", json!(6), unread).await;
    app.process.terminate();
    drop(app);
    server.stop();

    let page = Page::open(&desktop).await;
    page.has_row("Tides").await;
    let tray = Tray::find(&desktop).await;
    tray.shows("6").await;
    wait::until("the state in words", || async {
        let text = page.text().await.to_lowercase();
        (text.contains("retrying") || text.contains("no answer") || text.contains("offline")).then_some(())
    })
    .await;
    page.types("/").await;
    page.types("chen was").await;
    wait::until_equal("rows that were found", 1, || async { page.rows().await.len() }).await;
    page.keys([keys::ESCAPE, keys::ESCAPE]).await;
    page.click_row("Tides").await;
    tray.shows("4").await;
    assert_eq!(unread().await, json!(4));

    // Back again: the mark arrives without anybody asking for it, and a second replica agrees.
    server.again();
    wait::within(2 * wait::SOON, "the mark to arrive", || async { (ana.unread().await == 4).then_some(()) })
        .await;
    let second = TempDir::new().unwrap();
    app::tidings(second.path(), &add);
    app::tidings(second.path(), &["pull"]);
    assert_eq!(app::tidings_json(second.path(), &["unread"])["total"], 4);
    let ids = |data: &std::path::Path| {
        let list = app::tidings_json(data, &["list", "--unread"]);
        list.as_array().unwrap().iter().map(|item| item["msgid"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(second.path()), ids(&desktop.data()));
    app::tidings(&desktop.data(), &["check"]);
    app::tidings(second.path(), &["check"]);
    page.end().await;
}

#[tokio::test]
async fn killed_at_any_moment_it_loses_nothing_and_doubles_nothing() {
    let desktop = Desktop::start();
    let mut server = Server::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let add = ["source", "add", "tidings", &server.url(), "--token", &ana.token, "--name", "Work"];
    app::tidings(&desktop.data(), &add);
    let mut published = 0_u64;
    for round in 0..4 {
        let mut app = App::start(&desktop, &["--background"]);
        for _ in 0..3 {
            let many =
                (0..200).map(|n| json!({"title": format!("Round {round}, {n}"), "body": "x"})).collect();
            server.admin().post("/announcements", many).await;
            published += 200;
        }
        // In the middle of whatever it is doing now.
        app.process.kill();
        if round % 2 == 1 {
            server.kill();
            server.again();
        }
        app::tidings(&desktop.data(), &["check"]);
    }
    assert_eq!(ana.get("/unread?cap=1000").await["announcement"], json!({"count": 1000, "capped": true}));
    let _app = App::start(&desktop, &["--background"]);
    wait::until_equal("unread in the end", json!(published), || async {
        app::tidings_json(&desktop.data(), &["unread"])["total"].clone()
    })
    .await;
    app::tidings(&desktop.data(), &["check"]);
    app::tidings(&server.data(), &["check"]);
}
