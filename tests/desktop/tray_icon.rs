//! The tray icon: its number, its menu, and coming when a host comes.
//! Refuses to depend on how a host draws it.

use serde_json::json;
use support::{
    app::{self, App},
    desktop::{Desktop, Has},
    tray::Tray,
    wait,
};

#[tokio::test]
async fn the_icon_counts_to_nine_and_then_says_more() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    tray.shows("none").await;
    for n in 1..=9 {
        server.publish("backups", &format!("Backup {n}"), &[]).await;
        tray.shows(&n.to_string()).await;
    }
    server.publish("backups", "Backup 10", &[]).await;
    tray.shows("9plus").await;
    assert!(tray.tooltip().await.contains("10 unread"), "{}", tray.tooltip().await);

    let now = server.get("/info").await["now"].clone();
    server.post("/inbox/ops", json!({"ops": [{"id": "phone-1", "op": "read_all", "through": now}]})).await;
    tray.shows("none").await;
}

#[tokio::test]
async fn a_left_click_opens_the_window() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    let tray = Tray::find(&desktop).await;
    assert!(desktop.windows().is_empty());
    tray.click().await;
    desktop.shows_a_page().await;
}

#[tokio::test]
async fn the_menu_opens_marks_pauses_and_quits() {
    let desktop = Desktop::start();
    let mut app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    tray.shows("2").await;

    let labels = || async { tray.menu().await.into_iter().map(|entry| entry.label).collect::<Vec<_>>() };
    wait::until("the next unread ones in the menu", || async {
        let all = labels().await.join("\n");
        (all.contains("Backup done") && all.contains("parcel")).then_some(())
    })
    .await;
    for label in ["Open Tidings", "Mark all read", "Pause notifications", "Quit"] {
        assert!(
            labels().await.iter().any(|entry| entry.starts_with(label)),
            "{label} in {:?}",
            labels().await
        );
    }

    tray.choose("Mark all read").await;
    tray.shows("none").await;
    wait::until_equal("unread at the server", 0, || server.unread()).await;

    tray.choose("Pause notifications").await;
    wait::until("the menu to offer the way back", || async {
        labels().await.iter().any(|entry| entry.starts_with("Resume notifications")).then_some(())
    })
    .await;

    tray.choose("Open Tidings").await;
    wait::until_equal("windows on the screen", 1, || async { desktop.windows().len() }).await;
    tray.choose("Quit").await;
    assert!(app.ends(), "{}", app.process.output());
}

#[tokio::test]
async fn an_unread_entry_of_the_menu_opens_that_thread() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    server.publish("backups", "Backup done", &[]).await;
    tray.shows("2").await;
    let entry = wait::until("the parcel in the menu", || async {
        tray.menu().await.into_iter().find(|entry| entry.label.contains("parcel"))
    })
    .await;
    tray.choose(&entry.label).await;
    desktop.shows_a_page().await;
    wait::until_equal("what was read", vec!["Your parcel is here".to_owned()], || server.read_bodies()).await;
    tray.shows("1").await;
}

#[tokio::test]
async fn the_icon_appears_when_a_tray_host_comes_later() {
    let desktop = Desktop::with(Has { tray_host: false, ..Has::default() });
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    wait::until_equal("unread", json!(1), || async {
        app::tidings_json(&desktop.data(), &["unread"])["total"].clone()
    })
    .await;
    let _host = desktop.start_tray_host();
    Tray::find(&desktop).await.shows("1").await;
}

#[tokio::test]
async fn the_icon_comes_back_when_the_tray_host_is_started_again() {
    let desktop = Desktop::with(Has { tray_host: false, ..Has::default() });
    let host = desktop.start_tray_host();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    Tray::find(&desktop).await.shows("1").await;
    drop(host);
    wait::until_equal("items in the tray", 0, || Tray::count(&desktop)).await;
    server.publish("backups", "Backup done again", &[]).await;
    let _again = desktop.start_tray_host();
    Tray::find(&desktop).await.shows("2").await;
}
