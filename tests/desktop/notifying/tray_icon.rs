//! Tests of the tray icon: its number, its menu, and a tray host that starts later.

use std::sync::{Arc, Mutex};

use serde_json::json;
use support::{
    app::{self, App},
    desktop::{Desktop, DesktopOptions},
    program::{Process, built},
    tray::Tray,
    wait,
};
use zbus::{fdo, interface};

/// A tray host that has its name before it takes icons, as one does that has just started.
struct StartingHost {
    /// The icons that were offered.
    offers: Arc<Mutex<Vec<String>>>,
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl StartingHost {
    fn register_status_notifier_item(&self, service: String) -> fdo::Result<()> {
        let mut offers = self.offers.lock().unwrap();
        offers.push(service);
        if offers.len() == 1 { Err(fdo::Error::UnknownObject("not yet".to_owned())) } else { Ok(()) }
    }
}

#[tokio::test]
async fn the_icon_counts_to_nine_and_then_says_more() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    tray.wait_for_number("none").await;
    for n in 1..=9 {
        server.publish("backups", &format!("Backup {n}"), &[]).await;
        tray.wait_for_number(&n.to_string()).await;
    }
    server.publish("backups", "Backup 10", &[]).await;
    tray.wait_for_number("9plus").await;
    assert!(tray.tooltip().await.contains("10 unread"), "{}", tray.tooltip().await);

    let now = server.get("info").await.is(200)["now"].clone();
    server
        .post("inbox/ops", json!({"ops": [{"id": "phone-1", "op": "read_all", "through": now}]}))
        .await
        .success();
    tray.wait_for_number("none").await;
}

#[tokio::test]
async fn a_left_click_opens_the_window() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    let tray = Tray::find(&desktop).await;
    assert!(desktop.window_titles().is_empty());
    tray.click().await;
    desktop.wait_for_rendered_page().await;
}

#[tokio::test]
async fn the_menu_opens_marks_pauses_and_quits() {
    let desktop = Desktop::start();
    let mut app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    tray.wait_for_number("2").await;

    let labels = || async { tray.menu().await.into_iter().map(|entry| entry.label).collect::<Vec<_>>() };
    wait::until("the next unread ones in the menu", || async {
        let all = labels().await.join("\n");
        all.contains("Backup done") && all.contains("parcel")
    })
    .await;
    for label in ["Open Tidings", "Mark all read", "Pause toasts", "Quit"] {
        assert!(
            labels().await.iter().any(|entry| entry.starts_with(label)),
            "{label} in {:?}",
            labels().await
        );
    }

    tray.choose("Mark all read").await;
    tray.wait_for_number("none").await;
    wait::until_equal("unread at the server", 0, || server.unread("total")).await;

    tray.choose("Pause toasts").await;
    wait::until("the menu to offer the way back", || async {
        labels().await.iter().any(|entry| entry.starts_with("Resume toasts"))
    })
    .await;

    tray.choose("Open Tidings").await;
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    tray.choose("Quit").await;
    assert!(app.exits_cleanly(), "{}", app.process.output());
}

#[tokio::test]
async fn the_actions_of_the_desktop_entry_mark_and_pause_without_a_window() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    tray.wait_for_number("1").await;
    let act = |option: &str| {
        let mut command = desktop.command(built("tidings-desktop"));
        command.arg(option);
        let mut second = Process::start("second start", command, &desktop.path().join("second.log"));
        let status = second.exit_within(wait::TEST_TIMEOUT).expect("the second start ends by itself");
        assert!(status.success(), "{}", second.output());
    };
    act("--mark-all-read");
    tray.wait_for_number("none").await;
    act("--pause-hour");
    wait::until("the menu to offer the way back", || async {
        tray.menu().await.iter().any(|entry| entry.label.starts_with("Resume toasts"))
    })
    .await;
    assert!(desktop.window_titles().is_empty());
}

#[tokio::test]
async fn an_unread_entry_of_the_menu_opens_that_thread() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let tray = Tray::find(&desktop).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    server.publish("backups", "Backup done", &[]).await;
    tray.wait_for_number("2").await;
    let entry = wait::until("the parcel in the menu", || async {
        tray.menu().await.into_iter().find(|entry| entry.label.contains("parcel"))
    })
    .await;
    tray.choose(&entry.label).await;
    desktop.wait_for_rendered_page().await;
    wait::until_equal("what was read", vec!["Your parcel is here".to_owned()], || server.read_bodies()).await;
    tray.wait_for_number("1").await;
}

#[tokio::test]
async fn the_icon_appears_when_a_tray_host_comes_later() {
    let desktop = Desktop::with_options(DesktopOptions { tray_host: false, ..DesktopOptions::default() });
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    wait::until_equal("unread", 1, || async { app::unread(&desktop.data_dir()) }).await;
    let _host = desktop.start_tray_host();
    Tray::find(&desktop).await.wait_for_number("1").await;
}

#[tokio::test]
async fn the_icon_comes_back_when_the_tray_host_is_started_again() {
    let desktop = Desktop::with_options(DesktopOptions { tray_host: false, ..DesktopOptions::default() });
    let host = desktop.start_tray_host();
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    Tray::find(&desktop).await.wait_for_number("1").await;
    drop(host);
    wait::until_equal("items in the tray", 0, || Tray::count(&desktop)).await;
    server.publish("backups", "Backup done again", &[]).await;
    let _again = desktop.start_tray_host();
    Tray::find(&desktop).await.wait_for_number("2").await;
}

#[tokio::test]
async fn the_icon_is_offered_again_to_a_tray_host_that_could_not_take_it_yet() {
    let desktop = Desktop::with_options(DesktopOptions { tray_host: false, ..DesktopOptions::default() });
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    let offers = Arc::<Mutex<Vec<String>>>::default();
    let host = StartingHost { offers: offers.clone() };
    let builder = desktop.bus_builder().serve_at("/StatusNotifierWatcher", host).unwrap();
    let _host = builder.name("org.kde.StatusNotifierWatcher").unwrap().build().await.unwrap();
    wait::until("another offer", || async { (offers.lock().unwrap().len() >= 2).then_some(()) }).await;
}
