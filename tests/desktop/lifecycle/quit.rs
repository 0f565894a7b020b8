//! Tests that nothing refers to the app after it has quit. There is no endpoint file, no token is sent to the next program on
//! the port of its own server, and no toast is on the screen.

use std::io::ErrorKind;
use std::net::TcpListener;

use support::{
    app::{self, App},
    desktop::Desktop,
    tray::Tray,
    wait,
};

/// Listens on the port that the own server had.
fn take_port(url: &str) -> TcpListener {
    let at = url.strip_prefix("http://").expect("an address of this computer");
    let stranger = TcpListener::bind(at).expect("the port is free");
    stranger.set_nonblocking(true).expect("it need not wait");
    stranger
}

/// Asserts that `tidings send` reports that no server runs, and connects to nobody.
fn assert_no_token_sent(desktop: &Desktop, url: &str) {
    assert!(!desktop.data_dir().join("endpoint.json").exists(), "it names a server that is gone");
    let stranger = take_port(url);
    let (sent, _, why) = app::try_tidings(&desktop.data_dir(), &["send", "A secret"]);
    assert!(!sent && why.contains("no server runs on this machine"), "{why}");
    let asked = stranger.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(asked, Err(ErrorKind::WouldBlock), "nobody came");
}

#[tokio::test]
async fn after_a_quit_nothing_points_to_the_own_server_however_it_was_asked_to_end() {
    let desktop = Desktop::start();
    let mut app = App::start(&desktop, &["--background"]);
    let url = app.server().await.url;
    app::tidings(&desktop.data_dir(), &["send", "While it runs"]);
    let tray = Tray::find(&desktop).await;
    // The menu has changed with the new item; nothing changes it any further.
    wait::until("what was sent in the menu", || async {
        tray.menu().await.iter().any(|line| line.label.contains("While it runs"))
    })
    .await;
    tray.choose("Quit").await;
    assert!(app.exits_cleanly(), "{}", app.log());
    assert_no_token_sent(&desktop, &url);

    // SIGTERM, as at the end of a session.
    let mut app = App::start(&desktop, &["--background"]);
    let url = app.server().await.url;
    app.process.terminate();
    wait::until_equal("programs that run", 0, || async { app::pids(&desktop).len() }).await;
    assert_no_token_sent(&desktop, &url);

    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    app::tidings(&desktop.data_dir(), &["send", "Back again"]);
    wait::until_equal("unread", 2, || async { app::unread(&desktop.data_dir()) }).await;
}

#[tokio::test]
async fn a_quit_takes_the_toasts_along_whose_clicks_nobody_would_hear() {
    let desktop = Desktop::start();
    let mut app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let displayed = || async { desktop.run("dunstctl", &["count", "displayed"]) };
    // Urgent ones stay until somebody closes them.
    for topic in ["doorbell", "kitchen"] {
        server.publish(topic, "Look at once", &[("Priority", "urgent")]).await;
    }
    wait::until_equal("toasts on the screen", "2".to_owned(), displayed).await;
    Tray::find(&desktop).await.choose("Quit").await;
    assert!(app.exits_cleanly(), "{}", app.log());
    wait::until_equal("toasts on the screen", "0".to_owned(), displayed).await;
    assert_eq!(app::unread(&desktop.data_dir()), 2, "what they told of waits to be read");
}
