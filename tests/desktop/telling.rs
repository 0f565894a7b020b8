//! Being told, as a person meets it: buttons that do what they say, a number on the launcher, and silence when the
//! desktop is not to be disturbed. Refuses to look at how a daemon draws it.

use support::{
    app::{self, App},
    desktop::Desktop,
    launcher::Launcher,
    listener::Listener,
    page::Page,
    toasts::Toasts,
    tray::Tray,
    wait,
};

#[tokio::test]
async fn a_toast_archives_without_a_window() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    let toast = toasts.with("Backup").await;
    toasts.press(&toast, "Archive").await;
    Tray::find(&desktop).await.shows("none").await;
    wait::until("it to be archived at the server", || async {
        server.inbox().await.is_empty().then_some(())
    })
    .await;
    assert_eq!(desktop.windows(), Vec::<String>::new());
}

#[tokio::test]
async fn a_toasts_own_button_calls_out_only_when_it_is_pressed_and_says_where() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    let there = Listener::open().await;
    let button = format!("http, Look, http://{}/look, method=GET", there.host());
    server.publish("builds", "Build failed", &[("Actions", &button)]).await;
    let toast = toasts.with("Build failed").await;
    there.hears_nothing().await;

    toasts.press(&toast, &format!("Look ({})", there.host())).await;
    let mut call = there.hears("\r\n\r\n").await;
    assert!(call.text.starts_with("GET /look HTTP/1.1"), "{}", call.text);
    call.say(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    wait::until("the toast to go", || async { toasts.shown().is_empty().then_some(()) }).await;
    assert_eq!(desktop.windows(), Vec::<String>::new());
}

#[tokio::test]
async fn a_toasts_button_that_changes_something_asks_in_the_window_first() {
    let desktop = Desktop::recorded();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let there = Listener::open().await;
    let button = format!("http, Restart, http://{}/restart, body=yes", there.host());
    server.publish("builds", "Build failed", &[("Actions", &button)]).await;
    let toast = toasts.with("Build failed").await;
    let label = format!("Restart ({})", there.host());
    toasts.press(&toast, &label).await;
    page.reads(&format!("Send “Restart” to {}?", there.host())).await;
    page.reads("This sends a POST request").await;
    if let Some(folder) = std::env::var_os("TIDINGS_PICTURES") {
        let file = std::path::Path::new(&folder).join("press-question.png");
        std::fs::write(file, page.picture().await).expect("the picture can be kept");
    }
    there.hears_nothing().await;

    page.press("Cancel").await;
    page.reads_no_more("This sends a POST request").await;
    there.hears_nothing().await;

    server.publish("builds", "Build failed again", &[("Actions", &button)]).await;
    let toast = toasts.with("failed again").await;
    toasts.press(&toast, &label).await;
    page.reads("This sends a POST request").await;
    page.press("Send").await;
    let mut call = there.hears("yes").await;
    assert!(call.text.starts_with("POST /restart HTTP/1.1"), "{}", call.text);
    call.say(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    page.says("Done").await;
    page.end().await;
}

#[tokio::test]
async fn a_toast_says_how_many_it_stands_for() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    for n in 1..=3 {
        server.publish("backups", &format!("Backup {n}"), &[]).await;
    }
    let toast = toasts.with("3 new in backups").await;
    assert!(toast.body.contains("Backup 3"), "{}", toast.body);
    assert_eq!(toasts.shown().len(), 1, "replaced, not stacked");
}

#[tokio::test]
async fn a_toast_that_comes_again_after_it_was_dismissed_goes_when_it_was_read() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    server.publish("backups", "Backup 1", &[]).await;
    let first = toasts.with("Backup 1").await;
    // Comes while the first one rests, and waits.
    server.publish("backups", "Backup 2", &[]).await;
    let tray = Tray::find(&desktop).await;
    tray.shows("2").await;
    toasts.dismiss(first.id).await;
    toasts.with("Backup 2").await;
    tray.choose("Mark all read").await;
    wait::until("the toast to go", || async { toasts.shown().is_empty().then_some(()) }).await;
}

#[tokio::test]
async fn nothing_pierces_the_desktops_silence() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    server.publish("fire", "It burns", &[("Priority", "5")]).await;
    let loud = toasts.with("burns").await;
    assert_eq!((loud.urgency, loud.sound.is_some()), (Some(2), true));

    toasts.inhibit(true);
    server.publish("water", "It floods", &[("Priority", "5")]).await;
    let hushed = toasts.with("floods").await;
    assert_eq!((hushed.urgency, hushed.sound), (Some(1), None));
    toasts.inhibit(false);
    server.publish("storm", "It blows", &[("Priority", "5")]).await;
    assert_eq!(toasts.with("blows").await.urgency, Some(2));
}

#[tokio::test]
async fn the_launcher_shows_what_deserves_it() {
    let desktop = Desktop::recorded();
    let _toasts = Toasts::record(&desktop).await;
    let launcher = Launcher::listen(&desktop).await;
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    launcher.shows(0).await;
    server.publish("backups", "Backup done", &[]).await;
    launcher.shows(1).await;
    server.publish("backups", "Backup again", &[]).await;
    launcher.shows(2).await;
    // Listed, and counted nowhere: the tray has a dot for it.
    server.publish("noise", "Heartbeat", &[("Priority", "1")]).await;
    wait::stays(wait::A_WHILE, "the number", (), || async { launcher.shows(2).await }).await;
    let tray = Tray::find(&desktop).await;
    tray.shows("2").await;
    tray.choose("Mark all read").await;
    launcher.shows(0).await;
    server.publish("noise", "Heartbeat", &[("Priority", "1")]).await;
    tray.shows("dot").await;
}

#[tokio::test]
async fn the_tray_pauses_for_an_hour_and_tells_what_came_when_it_is_resumed() {
    let desktop = Desktop::recorded();
    let (toasts, _app, server) = app::told(&desktop).await;
    let tray = Tray::find(&desktop).await;
    tray.choose("Pause for an hour").await;
    let offers = |label: &'static str| {
        let tray = &tray;
        move || async move { tray.menu().await.iter().any(|entry| entry.label == label).then_some(()) }
    };
    wait::until("the way back", offers("Resume notifications")).await;
    server.publish("backups", "Backup done", &[]).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    // The picture is fainter than any that is known; the words say it.
    wait::until("the number", || async { tray.tooltip().await.contains("2 unread").then_some(()) }).await;
    assert!(toasts.calls().is_empty());
    tray.choose("Resume notifications").await;
    toasts.with("2 new while you were away").await;
    wait::until("the pauses to be offered again", offers("Pause until tomorrow")).await;
}
