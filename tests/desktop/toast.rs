//! Toasts as a person meets them: a click opens, reading elsewhere closes, a night offline is one sentence.
//! Refuses to look at how they are sent.

use support::{
    app::{self, App},
    client::Client,
    desktop::Desktop,
    server::Server,
    toasts::{Closed, Toasts},
    tray::Tray,
    wait,
};

#[tokio::test]
async fn a_click_on_a_toast_opens_what_it_speaks_about() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    let first = toasts.with("parcel").await;
    server.publish("backups", "Backup done", &[]).await;
    toasts.with("Backup").await;

    toasts.click(first.id, "default").await;
    desktop.shows_a_page().await;
    // What the page shows is read; what was acted on goes from the screen.
    wait::until_equal("what was read", vec!["Your parcel is here".to_owned()], || server.read_bodies()).await;
    wait::until_equal("the clicked toast", true, || async {
        toasts.shown().iter().all(|t| t.id != first.id)
    })
    .await;
    toasts.with("Backup").await;
}

#[tokio::test]
async fn a_toast_can_mark_its_item_read_without_a_window() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    let tray = Tray::find(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    let toast = toasts.with("Backup").await;
    let (key, _) = toast.actions.iter().find(|(_, label)| label == "Mark read").expect("a Mark read button");
    toasts.click(toast.id, key).await;
    tray.shows("none").await;
    wait::until_equal("unread at the server", 0, || server.unread()).await;
    assert_eq!(desktop.windows(), Vec::<String>::new());
}

#[tokio::test]
async fn a_toast_goes_when_its_item_is_read_elsewhere() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    let toast = toasts.with("Backup").await;

    let item = server.inbox().await.remove(0);
    let read = serde_json::json!({"ops": [{"id": "phone-1", "op": "read", "msgids": [item["msgid"]]}]});
    server.post("/inbox/ops", read).await;

    wait::until_equal("why it went", vec![(toast.id, Closed::ByProgram)], || async { toasts.closed() }).await;
    Tray::find(&desktop).await.shows("none").await;
}

#[tokio::test]
async fn a_thousand_updates_add_no_thread_and_one_click_arrives_once() {
    let desktop = Desktop::recorded();
    let (toasts, app, server) = app::told(&desktop).await;
    server.publish("progress", "0 of 1000", &[]).await;
    toasts.with("0 of 1000").await;
    let before = app.process.threads();
    // One thread of the inbox has one toast, which grows.
    for n in 1..=1000 {
        server.publish("progress", &format!("{n} of 1000"), &[]).await;
    }
    toasts.with("1000 of 1000").await;
    assert_eq!(app::tidings_json(&desktop.data(), &["unread"])["total"], 1001);
    let after = app.process.threads();
    assert!(after <= before + 4, "{before} threads became {after}");
    assert_eq!(toasts.senders(), 1, "one connection asks for every toast");
    let shown = toasts.shown();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(toasts.calls().iter().all(|call| call.id == shown[0].id), "every update replaced it");

    toasts.click(shown[0].id, "default").await;
    desktop.shows_a_page().await;
    wait::until_equal("unread at the server", 0, || server.unread()).await;
    wait::stays(wait::A_WHILE, "the number of windows", 1, || async { desktop.windows().len() }).await;
}

/// A user with a server elsewhere, pulled by the app on `desktop`.
async fn source_elsewhere(desktop: &Desktop, server: &Server) -> Client {
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    app::tidings(
        &desktop.data(),
        &["source", "add", "tidings", &server.url(), "--token", &ana.token, "--name", "Work"],
    );
    ana
}

#[tokio::test]
async fn five_hundred_while_away_are_five_hundred_more_and_one_toast() {
    let desktop = Desktop::recorded();
    let toasts = Toasts::record(&desktop).await;
    let server = Server::start();
    let ana = source_elsewhere(&desktop, &server).await;
    let mut app = App::start(&desktop, &["--background"]);
    app.server().await;
    announce(&server.admin(), "while here", 3).await;
    let unread = || async { app::tidings_json(&desktop.data(), &["unread"])["total"].as_u64().unwrap_or(0) };
    wait::until_equal("unread before", 3, unread).await;
    app.process.terminate();
    drop(app);
    let before = toasts.calls().len();

    for _ in 0..5 {
        announce(&server.admin(), "while away", 100).await;
    }
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    wait::until_equal("unread after", 503, unread).await;
    assert_eq!(ana.unread().await, 503);
    Tray::find(&desktop).await.shows("9plus").await;
    let told: Vec<_> =
        toasts.calls().split_off(before).into_iter().map(|toast| toast.summary + " " + &toast.body).collect();
    assert!(told.len() <= 1, "one toast for the whole gap: {told:?}");
    wait::until("the toast that speaks of all", || async {
        toasts.shown().iter().any(|t| format!("{} {}", t.summary, t.body).contains("500")).then_some(())
    })
    .await;
    app::tidings(&desktop.data(), &["check"]);
}

async fn announce(admin: &Client, title: &str, n: usize) {
    let each = |k: usize| serde_json::json!({"title": format!("{title} {k}"), "body": "One of many"});
    admin.post("/announcements", (0..n).map(each).collect()).await;
}
