//! Tests of toast buttons, the launcher's number, do-not-disturb and pauses.

use support::{
    app::{self, App},
    client::Client,
    desktop::Desktop,
    launcher::Launcher,
    page::Page,
    scripted::ScriptedServer,
    toasts::Toasts,
    tray::Tray,
    wait,
};
use tidings_model::{Clock, SystemClock};

#[tokio::test]
async fn a_toast_archives_without_a_window() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    let toast = toasts.wait_for("Backup").await;
    toasts.press_button(&toast, "Archive").await;
    Tray::find(&desktop).await.wait_for_number("none").await;
    wait::until("it to be archived at the server", || async { server.inbox().await.is_empty() }).await;
    assert_eq!(desktop.window_titles(), Vec::<String>::new());
}

/// Publishes a notification and reads it from the terminal; returns its msgid.
async fn read_backup(desktop: &Desktop, page: &Page<'_>, toasts: &Toasts, server: &Client) -> String {
    server.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    toasts.wait_for("Backup done").await;
    let listed = app::tidings_json(&desktop.data_dir(), &["list"]);
    let msgid = listed[0]["msgid"].as_str().expect("a msgid").to_owned();
    app::tidings(&desktop.data_dir(), &["mark", "read", &msgid]);
    wait::until("the toast to go", || async { toasts.shown().is_empty() }).await;
    msgid
}

/// Waits until the notification that was read has a toast and is unread, on top of another one.
async fn backup_is_back(desktop: &Desktop, page: &Page<'_>, toasts: &Toasts) {
    toasts.wait_for("Backup done").await;
    wait::until("it to be the first row", || async {
        let rows = page.rows().await;
        rows.first().is_some_and(|row| row.contains("Backup done") && row.contains("Snoozed until"))
    })
    .await;
    wait::until_equal("unread", 2, || async { app::unread(&desktop.data_dir()) }).await;
}

#[tokio::test]
async fn a_snooze_from_the_terminal_ends_with_a_toast_unread_and_on_top() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let (server, data) = (app::own_server(&desktop).await, desktop.data_dir());
    let msgid = read_backup(&desktop, &page, &toasts, &server).await;

    app::tidings(&data, &["snooze", &msgid, "--until", "1h"]);
    wait::until("the row to leave", || async { page.rows().await.is_empty() }).await;
    server.publish("doorbell", "Somebody is here", &[]).await;
    page.wait_for_row("Somebody is here").await;
    let until = SystemClock.now().plus_secs(10).to_string();
    app::tidings(&data, &["snooze", &msgid, "--until", &until]);
    backup_is_back(&desktop, &page, &toasts).await;
    page.close().await;
}

#[tokio::test]
async fn a_snooze_that_ends_while_the_app_is_closed_has_its_toast_at_the_next_start_unread_and_on_top() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let msgid = read_backup(&desktop, &page, &toasts, &server).await;
    server.publish("doorbell", "Somebody is here", &[]).await;
    page.wait_for_row("Somebody is here").await;
    page.close().await;

    // It is snoozed once no app runs: on a busy machine a short snooze could end before the app does.
    app::tidings(&desktop.data_dir(), &["snooze", &msgid, "--until", "5s"]);
    let ended = SystemClock.now().plus_secs(5);
    wait::until("the snooze to end", || async { SystemClock.now() > ended }).await;
    assert!(toasts.shown().iter().all(|toast| !toast.body.contains("Backup done")), "no app runs");

    let page = Page::open(&desktop).await;
    backup_is_back(&desktop, &page, &toasts).await;
    page.close().await;
    app::tidings(&desktop.data_dir(), &["check"]);
}

#[tokio::test]
async fn a_toasts_own_button_calls_out_only_when_it_is_pressed_and_says_where() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    let button_server = ScriptedServer::start().await;
    let button = format!("http, Look, http://{}/look, method=GET", button_server.host());
    server.publish("builds", "Build failed", &[("Actions", &button)]).await;
    let toast = toasts.wait_for("Build failed").await;
    button_server.assert_no_request().await;

    toasts.press_button(&toast, &format!("Look ({})", button_server.host())).await;
    let mut call = button_server.request().await;
    assert!(call.request.starts_with("GET /look HTTP/1.1"), "{}", call.request);
    call.send(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    wait::until("the toast to go", || async { toasts.shown().is_empty() }).await;
    assert_eq!(desktop.window_titles(), Vec::<String>::new());
}

#[tokio::test]
async fn a_toasts_button_that_changes_something_asks_in_the_window_first() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let button_server = ScriptedServer::start().await;
    let button = format!("http, Restart, http://{}/restart, body=yes", button_server.host());
    server.publish("builds", "Build failed", &[("Actions", &button)]).await;
    let toast = toasts.wait_for("Build failed").await;
    let label = format!("Restart ({})", button_server.host());
    toasts.press_button(&toast, &label).await;
    page.wait_for_text(&format!("Send “Restart” to {}?", button_server.host())).await;
    page.wait_for_text("This sends a POST request").await;
    if let Some(folder) = std::env::var_os("TIDINGS_PICTURES") {
        let file = std::path::Path::new(&folder).join("press-question.png");
        std::fs::write(file, page.screenshot().await).expect("the picture can be kept");
    }
    button_server.assert_no_request().await;

    page.press_button("Cancel").await;
    page.wait_for_no_text("This sends a POST request").await;
    button_server.assert_no_request().await;

    // What comes in the thread that is on the screen is seen there.
    server.publish("nightly", "Build failed again", &[("Actions", &button)]).await;
    let toast = toasts.wait_for("failed again").await;
    toasts.press_button(&toast, &label).await;
    page.wait_for_text("This sends a POST request").await;
    page.press_button("Send").await;
    let mut call = button_server.request().await;
    assert!(call.request.starts_with("POST /restart HTTP/1.1"), "{}", call.request);
    call.send(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    page.wait_for_snackbar("Done").await;
    page.close().await;
}

#[tokio::test]
async fn a_toast_says_how_many_it_stands_for() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    for n in 1..=3 {
        server.publish("backups", &format!("Backup {n}"), &[]).await;
    }
    let toast = toasts.wait_for("3 new in backups").await;
    assert!(toast.body.contains("Backup 3"), "{}", toast.body);
    assert_eq!(toasts.shown().len(), 1, "replaced, not stacked");
}

#[tokio::test]
async fn a_toast_that_comes_again_after_it_was_dismissed_goes_when_it_was_read() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    let tray = Tray::find(&desktop).await;
    let mut second = String::new();
    // A busy machine may have shown the second one, too, before the first is dismissed: then two others are sent.
    for sent in [2, 4, 6, 8] {
        let first = format!("Backup {}", sent - 1);
        second = format!("Backup {sent}");
        server.publish("backups", &first, &[]).await;
        let toast = toasts.wait_for(&first).await;
        // Arrives soon after the first toast, so that its own toast is delayed.
        server.publish("backups", &second, &[]).await;
        tray.wait_for_number(&sent.to_string()).await;
        toasts.dismiss(toast.id).await;
        if toasts.calls().iter().all(|call| call.id != toast.id || !call.body.contains(&second)) {
            break;
        }
    }
    toasts.wait_for(&second).await;
    tray.choose("Mark all read").await;
    wait::until("the toast to go", || async { toasts.shown().is_empty() }).await;
}

#[tokio::test]
async fn nothing_pierces_the_desktops_silence() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    server.publish("fire", "It burns", &[("Priority", "5")]).await;
    let loud = toasts.wait_for("burns").await;
    assert_eq!((loud.urgency, loud.sound.is_some()), (Some(2), true));

    toasts.set_do_not_disturb(true).await;
    server.publish("water", "It floods", &[("Priority", "5")]).await;
    let hushed = toasts.wait_for("floods").await;
    assert_eq!((hushed.urgency, hushed.sound), (Some(1), None));
    toasts.set_do_not_disturb(false).await;
    server.publish("storm", "It blows", &[("Priority", "5")]).await;
    assert_eq!(toasts.wait_for("blows").await.urgency, Some(2));
}

#[tokio::test]
async fn the_window_says_that_the_desktop_is_not_to_be_disturbed() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    app::own_server(&desktop).await.publish("backups", "Backup done", &[]).await;
    toasts.wait_for("Backup done").await;
    toasts.set_do_not_disturb(true).await;
    page.wait_for_text("Do not disturb").await;
    page.open_settings("Notifications").await;
    page.wait_for_text("The desktop’s Do Not Disturb is on").await;
    toasts.set_do_not_disturb(false).await;
    page.wait_for_text("New notifications are shown as toasts").await;
    page.close().await;
}

#[tokio::test]
async fn a_test_notification_tells_what_this_desktop_does_with_it() {
    let desktop = Desktop::with_recorded_toasts();
    let page = Page::open(&desktop).await;
    app::own_server(&desktop).await;
    page.open_settings("Notifications").await;
    page.press_button("Send a test notification").await;
    page.wait_for_text("This desktop has no notification service").await;
    page.wait_for_text("This desktop shows no notifications").await;

    let toasts = Toasts::record(&desktop).await;
    page.wait_for_no_text("This desktop shows no notifications").await;
    page.press_button("Send a test notification").await;
    page.wait_for_text("Shown by the desktop").await;
    toasts.wait_for("test").await;
    toasts.set_do_not_disturb(true).await;
    // The result of a test is taken away when the page hears of it.
    page.wait_for_text("The desktop’s Do Not Disturb is on").await;
    page.press_button("Send a test notification").await;
    page.wait_for_text("Not shown: the desktop’s Do Not Disturb is on").await;
    page.close().await;
}

#[tokio::test]
async fn the_launcher_shows_what_deserves_it() {
    let desktop = Desktop::with_recorded_toasts();
    let _toasts = Toasts::record(&desktop).await;
    let launcher = Launcher::listen(&desktop).await;
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    launcher.wait_for_number(0).await;
    server.publish("backups", "Backup done", &[]).await;
    launcher.wait_for_number(1).await;
    server.publish("backups", "Backup again", &[]).await;
    launcher.wait_for_number(2).await;
    // An item of the lowest priority is listed, but not counted: the tray shows a dot for it.
    server.publish("noise", "Heartbeat", &[("Priority", "1")]).await;
    wait::stays(wait::QUIET_PERIOD, "the number", (), || async { launcher.wait_for_number(2).await }).await;
    let tray = Tray::find(&desktop).await;
    tray.wait_for_number("2").await;
    tray.choose("Mark all read").await;
    launcher.wait_for_number(0).await;
    server.publish("noise", "Heartbeat", &[("Priority", "1")]).await;
    tray.wait_for_number("dot").await;
}

#[tokio::test]
async fn the_tray_pauses_for_an_hour_and_tells_what_came_when_it_is_resumed() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    let tray = Tray::find(&desktop).await;
    tray.choose("Pause toasts for an hour").await;
    let offers = |label: &'static str| {
        let tray = &tray;
        move || async move { tray.menu().await.iter().any(|entry| entry.label == label) }
    };
    wait::until("the way back", offers("Resume toasts")).await;
    server.publish("backups", "Backup done", &[]).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    // The tray's picture is a faded one that no glyph matches; the tooltip has the number.
    wait::until("the number", || async { tray.tooltip().await.contains("2 unread") }).await;
    assert!(toasts.calls().is_empty());
    tray.choose("Resume toasts").await;
    toasts.wait_for("2 new while you were away").await;
    wait::until("the pauses to be offered again", offers("Pause toasts until tomorrow")).await;
}
