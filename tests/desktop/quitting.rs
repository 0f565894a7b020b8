//! The app's end, as far as other programs notice it: what pointed to its server is gone with it. Refuses to leave a
//! token behind for whoever has the port next.

use std::io::ErrorKind;
use std::net::TcpListener;

use support::{
    app::{self, App},
    desktop::Desktop,
    tray::Tray,
    wait,
};

/// Another program takes the port that was the server's.
fn stranger(url: &str) -> TcpListener {
    let at = url.strip_prefix("http://").expect("an address of this computer");
    let stranger = TcpListener::bind(at).expect("the port is free");
    stranger.set_nonblocking(true).expect("it need not wait");
    stranger
}

/// The terminal says that nothing runs, and asks nobody who has the port now.
fn sends_nothing(desktop: &Desktop, url: &str) {
    assert!(!desktop.data().join("endpoint.json").exists(), "it names a server that is gone");
    let stranger = stranger(url);
    let (sent, _, why) = app::tidings_tried(&desktop.data(), &["send", "A secret"]);
    assert!(!sent && why.contains("no server runs on this machine"), "{why}");
    let asked = stranger.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(asked, Err(ErrorKind::WouldBlock), "nobody came");
}

#[tokio::test]
async fn after_a_quit_nothing_points_to_the_own_server_however_it_was_asked_to_end() {
    let desktop = Desktop::start();
    let mut app = App::start(&desktop, &["--background"]);
    let url = app.server().await.url;
    app::tidings(&desktop.data(), &["send", "While it runs"]);
    let tray = Tray::find(&desktop).await;
    // What arrives changes the menu: nothing more does.
    wait::until("what was sent in the menu", || async {
        tray.menu().await.iter().any(|line| line.label.contains("While it runs")).then_some(())
    })
    .await;
    tray.choose("Quit").await;
    assert!(app.ends(), "{}", app.said());
    sends_nothing(&desktop, &url);

    // As a session ends, in which nobody quits anything.
    let mut app = App::start(&desktop, &["--background"]);
    let url = app.server().await.url;
    app.process.terminate();
    wait::until_equal("programs that run", 0, || async { app::pids(&desktop).len() }).await;
    sends_nothing(&desktop, &url);

    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    app::tidings(&desktop.data(), &["send", "Back again"]);
    wait::until_equal("unread", 2, || async {
        app::tidings_json(&desktop.data(), &["unread"])["total"].as_u64().unwrap_or(0)
    })
    .await;
}
