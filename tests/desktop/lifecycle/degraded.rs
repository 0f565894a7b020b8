//! Tests on desktops without a tray host, session bus, notification daemon, keyring, free port or writable folder: each
//! lack is reported once, and the rest works.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;
use support::{
    app::{self, App},
    desktop::{Desktop, DesktopOptions},
    page::Page,
    program,
    screen_reader::ScreenReader,
    server::ServerProcess,
    toasts::Toasts,
    tray::Tray,
    wait,
};

/// The number of occurrences of a text in the app's log files.
fn times_logged(desktop: &Desktop, text: &str) -> usize {
    let logs = app::logs(desktop);
    let texts = logs.iter().filter_map(|file| fs::read_to_string(file).ok());
    texts.map(|log| log.matches(text).count()).sum()
}

#[test]
fn no_display_is_one_sentence_that_names_the_program_for_a_terminal() {
    let desktop = Desktop::start();
    let mut command = desktop.command(program::built("tidings-desktop"));
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let last = told.lines().last().unwrap_or_default();
    assert!(
        last.contains("no display") && last.contains("`tidings`") && !told.contains("panicked"),
        "{told}"
    );
}

#[tokio::test]
async fn no_session_bus_leaves_the_window_and_the_numbers() {
    let desktop = Desktop::with_options(DesktopOptions {
        bus: false,
        tray_host: false,
        dunst: false,
        ..DesktopOptions::default()
    });
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    page.wait_for_text("This desktop shows no notifications").await;
    page.wait_for_text("This desktop has no place for a tray icon").await;
    page.close().await;
}

#[tokio::test]
async fn a_bus_that_is_lost_takes_neither_the_window_nor_the_inbox_along() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &[]);
    let server = app.server().await;
    desktop.wait_for_rendered_page().await;
    let bus = desktop.bus().await;
    let bus = zbus::fdo::DBusProxy::new(&bus).await.unwrap();
    let name = zbus::names::BusName::try_from("org.freedesktop.DBus").unwrap();
    app::end_process(bus.get_connection_unix_process_id(name).await.unwrap());
    wait::stays(wait::QUIET_PERIOD, "the program", true, || async {
        app::pids(&desktop) == [app.process.pid()]
    })
    .await;
    server.publish("doors", "Door open", &[]).await;
    wait::until("the item", || async {
        app::tidings_json(&desktop.data_dir(), &["list"]).to_string().contains("Door open")
    })
    .await;
    assert_eq!(desktop.window_titles().len(), 1);
}

#[tokio::test]
async fn no_tray_host_leaves_toasts_and_the_window() {
    let desktop =
        Desktop::with_options(DesktopOptions { tray_host: false, dunst: false, ..DesktopOptions::default() });
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    toasts.wait_for("Backup done").await;
    page.wait_for_row("Backup done").await;
    page.wait_for_text("This desktop has no place for a tray icon").await;
    page.close().await;
}

#[tokio::test]
async fn no_notification_daemon_leaves_the_tray_and_the_window_and_toasts_come_back_with_one() {
    let desktop = Desktop::with_options(DesktopOptions { dunst: false, ..DesktopOptions::default() });
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    Tray::find(&desktop).await.wait_for_number("1").await;
    page.wait_for_text("This desktop shows no notifications").await;

    let toasts = Toasts::record(&desktop).await;
    server.publish("parcels", "Your parcel is here", &[]).await;
    toasts.wait_for("parcel").await;
    page.close().await;
}

#[tokio::test]
async fn no_keyring_means_a_file_that_only_the_owner_can_read() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    // It is on standard error before it is in the file.
    wait::until_equal("times logged", 1, || async { times_logged(&desktop, "no keyring") }).await;
    let secret = fs::read_dir(desktop.data_dir()).unwrap().flatten().map(|file| file.path());
    for file in secret.filter(|path| path.is_file()) {
        let text = fs::read(&file).unwrap_or_default();
        if text.windows(4).any(|bytes| bytes == b"tdg_") {
            let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{} holds a token", file.display());
        }
    }
    assert!(!app.log().contains("tdg_"), "a token in the log");
}

#[tokio::test]
async fn with_a_keyring_the_token_is_in_it() {
    let desktop = Desktop::with_options(DesktopOptions { keyring: true, ..DesktopOptions::default() });
    let mut app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    assert_eq!(times_logged(&desktop, "no keyring"), 0, "{}", app.log());
    app.process.terminate();
    drop(app);
    let app = App::start(&desktop, &["--background"]);
    app.server().await.publish("backups", "Backup done again", &[]).await;
    wait::until_equal("unread", 2, || async { app::unread(&desktop.data_dir()) }).await;
}

#[tokio::test]
async fn a_keyring_that_never_answers_does_not_hold_up_the_own_server() {
    let desktop = Desktop::start();
    // A service that owns the Secret Service's bus name and never answers a call.
    let locked = desktop.bus_builder().name("org.freedesktop.secrets").expect("a valid name");
    let _locked = locked.build().await.expect("the name is free");
    for round in 1..=2 {
        let mut app = App::start(&desktop, &["--background"]);
        app.server().await.publish("backups", "Backup done", &[]).await;
        wait::until_equal("unread", round, || async { app::unread(&desktop.data_dir()) }).await;
        assert_eq!(times_logged(&desktop, "the keyring does not answer"), 0, "{}", app.log());
        app.process.terminate();
    }
}

#[tokio::test]
async fn a_port_in_use_means_another_one_and_a_sentence() {
    let desktop = Desktop::start();
    let _taken = TcpListener::bind(("127.0.0.1", desktop.port())).expect("a free port");
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    assert!(!server.url.ends_with(&format!(":{}", desktop.port())), "{}", server.url);
    page.wait_for_text(&format!("Another program uses port {}", desktop.port())).await;
    server.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    page.close().await;
}

#[tokio::test]
async fn a_read_only_data_folder_still_shows_what_is_there() {
    let desktop = Desktop::start().as_unprivileged_user();
    let mut app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    wait::until_equal("unread", 1, || async { app::unread(&desktop.data_dir()) }).await;
    app.process.terminate();
    drop(app);

    let _read_only = ReadOnlyFolder::make(&desktop.data_dir());
    let page = Page::open(&desktop).await;
    page.wait_for_text("cannot write to the folder").await;
    page.wait_for_row("Backup done").await;
    page.close().await;
}

/// Makes a folder read-only until this value is dropped.
struct ReadOnlyFolder(PathBuf);

impl ReadOnlyFolder {
    fn make(folder: &Path) -> Self {
        change_mode(folder, "a-w");
        Self(folder.to_owned())
    }
}

impl Drop for ReadOnlyFolder {
    fn drop(&mut self) {
        change_mode(&self.0, "u+w");
    }
}

fn change_mode(folder: &Path, mode: &str) {
    let status = Command::new("chmod").args(["-R", mode]).arg(folder).status();
    assert!(status.is_ok_and(|status| status.success()), "chmod -R {mode} {}", folder.display());
}

#[tokio::test]
async fn a_page_whose_process_ends_is_there_again_unless_it_ends_at_once() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &[]);
    desktop.wait_for_rendered_page().await;
    let first = app::page_pid(&desktop);
    assert!(app::end_process(first), "the process of the page can be ended");
    wait::until("another process of the page", || async {
        app::page_pids(&desktop).into_iter().find(|pid| *pid != first)
    })
    .await;
    desktop.wait_for_rendered_page().await;
    app.wait_for_log("the page is read in again").await;

    // If a busy machine took long to draw it, it has not ended at once, and is read in once more.
    wait::until("the window to be closed", || async {
        for pid in app::page_pids(&desktop).into_iter().filter(|pid| app::is_connected(*pid)) {
            app::end_process(pid);
        }
        desktop.window_titles().is_empty()
    })
    .await;
    app.wait_for_log("the window is closed").await;
    let server = app::own_server(&desktop).await;
    assert!(server.healthy().await, "the program goes on");
}

/// Presses Enter in the app's window.
fn press_enter(desktop: &Desktop) {
    desktop.run("xdotool", &["search", "--onlyvisible", "--class", "tidings", "windowactivate", "--sync"]);
    desktop.press_keys(&["Return"]);
}

// A driver would end with the process of the page, so that keys of the desktop and a screen reader stand in for it.
#[tokio::test]
async fn a_page_whose_process_is_killed_comes_back_where_it_was_with_the_draft() {
    let draft = "see you at the harbour";
    let desktop = Desktop::with_options(DesktopOptions { screen_reader: true, ..DesktopOptions::default() });
    let reader = ScreenReader::start(&desktop).await;
    let server = ServerProcess::start();
    let ana = server.admin().user_named("ana", "Ana Ruiz", &["inbox"]).await;
    let bo = server.admin().user_named("bo", "Bo Kessler", &["inbox"]).await;
    let chen = server.admin().user_named("chen", "Chen Yu", &["inbox"]).await;
    let lunch = bo.post("messages", json!({"to": "ana", "body": "Lunch at noon?"})).await.is(201);
    // It is the uppermost thread, with which a list begins.
    chen.post("messages", json!({"to": "ana", "body": "Tea at four?"})).await.is(201);
    app::add_source(&desktop.data_dir(), &ana);
    app::tidings(&desktop.data_dir(), &["pull"]);

    let link = format!("tidings://open/{}", lunch["msgid"].as_str().unwrap());
    let app = App::start(&desktop, &[&link]);
    desktop.wait_for_rendered_page().await;
    reader.wait_for("textbox", "Write to Bo Kessler").await;
    wait::until("the focus in the field", || async {
        press_enter(&desktop);
        let objects = reader.objects().await;
        objects.iter().any(|one| one.focused && one.role == "textbox" && one.name.contains("Bo Kessler"))
    })
    .await;
    desktop.run("xdotool", &["type", "--delay", "20", draft]);
    wait::until("the draft to be kept", || async {
        let is_kept = |text: &str| text.contains("Draft kept");
        reader.objects().await.iter().any(|one| is_kept(&one.name) || is_kept(&one.text))
    })
    .await;

    let first = app::page_pid(&desktop);
    assert!(app::end_process(first), "the process of the page can be killed");
    wait::until("another process of the page", || async {
        app::page_pids(&desktop).into_iter().any(|pid| pid != first)
    })
    .await;
    desktop.wait_for_rendered_page().await;
    app.wait_for_log("the page is read in again").await;
    // Enter goes to the field of the open thread, and then sends what is in it.
    wait::until("the draft to reach Bo", || async {
        press_enter(&desktop);
        bo.pull(None, 100).await.0.iter().any(|item| item["body"] == draft)
    })
    .await;
    assert!(chen.pull(None, 100).await.0.iter().all(|item| item["body"] != draft));
    app::tidings(&desktop.data_dir(), &["check"]);
}
