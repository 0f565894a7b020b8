//! Tests of toasts: a click opens the item, reading elsewhere closes the toast, a backlog makes a single toast.

use support::{
    app::{self, App},
    client::Client,
    desktop::Desktop,
    server::ServerProcess,
    toasts::{Closed, Toasts},
    tray::Tray,
    wait,
};

#[tokio::test]
async fn a_click_on_a_toast_opens_what_it_speaks_about() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    let first = toasts.wait_for("parcel").await;
    server.publish("backups", "Backup done", &[]).await;
    toasts.wait_for("Backup").await;

    toasts.click(first.id, "default").await;
    desktop.wait_for_rendered_page().await;
    // An item that the page shows becomes read, and the clicked toast closes.
    wait::until_equal("what was read", vec!["Your parcel is here".to_owned()], || server.read_bodies()).await;
    wait::until_equal("the clicked toast", true, || async {
        toasts.shown().iter().all(|t| t.id != first.id)
    })
    .await;
    toasts.wait_for("Backup").await;
}

#[tokio::test]
async fn a_toast_can_mark_its_item_read_without_a_window() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    let tray = Tray::find(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    let toast = toasts.wait_for("Backup").await;
    let (key, _) = toast.actions.iter().find(|(_, label)| label == "Mark read").expect("a Mark read button");
    toasts.click(toast.id, key).await;
    tray.wait_for_number("none").await;
    wait::until_equal("unread at the server", 0, || server.unread("total")).await;
    assert_eq!(desktop.window_titles(), Vec::<String>::new());
}

#[tokio::test]
async fn a_toast_goes_when_its_item_is_read_elsewhere() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    let toast = toasts.wait_for("Backup").await;

    let item = server.inbox().await.remove(0);
    let read = serde_json::json!({"ops": [{"id": "phone-1", "op": "read", "msgids": [item["msgid"]]}]});
    server.post("inbox/ops", read).await.success();

    wait::until_equal("why it went", vec![(toast.id, Closed::ByProgram)], || async { toasts.closed() }).await;
    Tray::find(&desktop).await.wait_for_number("none").await;
}

#[tokio::test]
async fn a_thousand_updates_add_no_thread_and_one_click_arrives_once() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, app, server) = app::start_with_recorded_toasts(&desktop).await;
    server.publish("progress", "0 of 1000", &[]).await;
    toasts.wait_for("0 of 1000").await;
    let before = app.process.threads();
    // A thread of the inbox has one toast, which is updated after each ten at least.
    for tenth in (10..=1000).step_by(10) {
        let text = |n: u32| format!("{n} of 1000");
        let others: Vec<_> = (tenth - 9..tenth).map(|n| ("progress".to_owned(), text(n))).collect();
        server.publish_many(&others).await;
        server.publish("progress", &text(tenth), &[]).await;
        toasts.wait_for(&text(tenth)).await;
    }
    assert_eq!(app::unread(&desktop.data_dir()), 1001);
    let after = app.process.threads();
    assert!(after <= before + 4, "{before} threads became {after}");
    assert_eq!(toasts.sender_count(), 1, "one connection asks for every toast");
    let shown = toasts.shown();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(toasts.calls().iter().all(|call| call.id == shown[0].id), "every update replaced it");

    toasts.click(shown[0].id, "default").await;
    desktop.wait_for_rendered_page().await;
    wait::until("what is on the screen to be read", || async {
        let unread = app::unread(&desktop.data_dir());
        (unread > 0 && unread < 1001).then_some(())
    })
    .await;
    wait::stays(wait::QUIET_PERIOD, "the number of windows", 1, || async { desktop.window_titles().len() })
        .await;
}

/// Creates a user on another server and adds the user's inbox as a source of the app.
async fn add_source(desktop: &Desktop, server: &ServerProcess) -> Client {
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    app::add_source(&desktop.data_dir(), &ana);
    ana
}

#[tokio::test]
async fn five_hundred_while_away_are_five_hundred_more_and_one_toast() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let server = ServerProcess::start();
    let ana = add_source(&desktop, &server).await;
    let mut app = App::start(&desktop, &["--background"]);
    app.server().await;
    announce_many(&server.admin(), "while here", 3).await;
    let unread = || async { app::unread(&desktop.data_dir()) };
    wait::until_equal("unread before", 3, unread).await;
    app.process.terminate();
    drop(app);
    let before = toasts.calls().len();

    for _ in 0..5 {
        announce_many(&server.admin(), "while away", 100).await;
    }
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    wait::until_equal("unread after", 503, unread).await;
    assert_eq!(ana.unread("total").await, 503);
    Tray::find(&desktop).await.wait_for_number("9plus").await;
    let toast_calls: Vec<_> =
        toasts.calls().split_off(before).into_iter().map(|toast| toast.summary + " " + &toast.body).collect();
    assert!(toast_calls.len() <= 1, "one toast for the whole gap: {toast_calls:?}");
    wait::until("the toast that speaks of all", || async {
        toasts.shown().iter().any(|t| format!("{} {}", t.summary, t.body).contains("500"))
    })
    .await;
    app::tidings(&desktop.data_dir(), &["check"]);
}

async fn announce_many(admin: &Client, title: &str, n: usize) {
    let each = |k: usize| serde_json::json!({"title": format!("{title} {k}"), "body": "One of many"});
    admin.post("announcements", (0..n).map(each).collect()).await.success();
}
