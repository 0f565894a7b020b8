//! Tests of Gotify Tray, a program of others that shows what Gotify's applications publish. It is tried at the app's
//! own server beside the app, and at a server that goes away and comes back.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use support::{
    app,
    client::Client,
    clients,
    desktop::Desktop,
    program::Process,
    server::ServerProcess,
    toasts::{Toast, Toasts},
    wait,
};

/// The name under which it shows its toasts.
const NAME: &str = "Gotify Tray";

/// The file of its settings.
fn settings(desktop: &Desktop) -> PathBuf {
    desktop.home().join(".config/gotify-tray.conf")
}

/// Starts Gotify Tray with the settings that its own dialog would write, and waits until it hears the server.
async fn start(desktop: &Desktop, server: &Client) -> Process {
    let text =
        format!("[Server]\nurl={}\nclient_token={}\n\n[logging]\nlevel=DEBUG\n", server.url, server.token);
    fs::write(settings(desktop), text).expect("a home is writable");
    let mut command = desktop.command(clients::program("gotify-tray"));
    // It runs once for each folder of temporary files.
    command.env("TMPDIR", desktop.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut tray = Process::start(NAME, command, &desktop.path().join("gotify-tray.log"));
    let log = desktop.home().join(".local/share").join(NAME).join(format!("{NAME}.log"));
    wait::until("its stream", || {
        assert!(tray.is_running(), "{}", tray.output());
        let open = fs::read_to_string(&log).is_ok_and(|log| log.contains("Connection established"));
        async move { open }
    })
    .await;
    tray
}

/// Waits for a toast of Gotify Tray with this text.
async fn toast_of_tray(toasts: &Toasts, text: &str) -> Toast {
    wait::until(&format!("a toast of Gotify Tray with {text:?}"), || async {
        toasts.calls().into_iter().find(|toast| toast.app == NAME && toast.body == text)
    })
    .await
}

/// Makes an application; gives a client with its token.
async fn application(client: &Client) -> Client {
    let made = client.post("/application", json!({"name": "NAS"})).await.is(200);
    client.with_token(made["token"].as_str().unwrap())
}

/// Publishes with a priority of Gotify's scale, and waits until Gotify Tray has it in its list. The program ends if
/// another one comes within the milliseconds until then.
async fn publish(desktop: &Desktop, app: &Client, text: &str, priority: u8) {
    let message = json!({"title": "Disk", "message": text, "priority": priority});
    let id = app.post("/message", message).await.is(200)["id"].clone();
    wait::until("its list", || async {
        let written = fs::read_to_string(settings(desktop)).unwrap_or_default();
        written.lines().any(|line| line == format!("last={id}"))
    })
    .await;
}

/// Publishes again and again until it shows a toast, and gives the number of publications. It shows none while its window,
/// which it opens and hides at its start, counts as the active one.
async fn publish_until_shown(desktop: &Desktop, toasts: &Toasts, app: &Client) -> u64 {
    for published in 1..=60 {
        publish(desktop, app, "hello", 8).await;
        let shown = tokio::time::timeout(Duration::from_secs(1), toast_of_tray(toasts, "hello")).await;
        if shown.is_ok() {
            return published;
        }
    }
    panic!("it shows nothing");
}

/// The files that it has fetched.
fn fetched(desktop: &Desktop) -> Vec<PathBuf> {
    let entries = fs::read_dir(desktop.home().join(".cache").join(NAME).join("cache"));
    entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[tokio::test]
async fn gotify_tray_tells_what_the_app_tells() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    let nas = application(&server).await;
    let client = server.post("/client", json!({"name": NAME})).await.is(200);
    let mut tray = start(&desktop, &server.with_token(client["token"].as_str().unwrap())).await;

    let picture = wait::until("the application's picture", || async { fetched(&desktop).pop() }).await;
    wait::until("the whole picture", || async {
        fs::read(&picture)
            .is_ok_and(|bytes| bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB\x60\x82"))
    })
    .await;
    let before = publish_until_shown(&desktop, &toasts, &nas).await;
    wait::until("the app's own toast", || async {
        toasts.calls().iter().any(|toast| toast.app != NAME && toast.body.contains("hello"))
    })
    .await;
    publish(&desktop, &nas, "nearly full", 8).await;
    assert_eq!(toast_of_tray(&toasts, "nearly full").await.summary, "Disk");
    assert_eq!(server.unread("total").await, before + 1);
    // It shows nothing below its own threshold, 5 of 10.
    publish(&desktop, &nas, "checked", 2).await;
    publish(&desktop, &nas, "done", 5).await;
    toast_of_tray(&toasts, "done").await;
    let shown = toasts.calls().into_iter().filter(|toast| toast.app == NAME && toast.body != "hello");
    assert_eq!(shown.map(|toast| toast.body).collect::<Vec<_>>(), ["nearly full", "done"]);
    assert!(tray.is_running());
    assert_eq!(server.unread("total").await, before + 3);
}

#[tokio::test]
async fn gotify_tray_tells_what_came_while_it_heard_nothing() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let mut server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    let nas = application(&ana).await;
    let mut tray = start(&desktop, &ana).await;
    publish_until_shown(&desktop, &toasts, &nas).await;
    server.stop();
    server.restart();
    // It comes back a second later at the earliest, and asks for what it missed.
    publish(&desktop, &nas, "full", 8).await;
    toast_of_tray(&toasts, "full").await;
    publish(&desktop, &nas, "empty again", 8).await;
    toast_of_tray(&toasts, "empty again").await;
    assert!(tray.is_running());
    server.stop();
}
