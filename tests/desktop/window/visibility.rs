//! Tests of the window's life: closing hides it in the tray, a second start shows it, in the background there is no
//! WebView.

use std::fs;

use support::{
    app::{self, App},
    desktop::{Desktop, DesktopOptions},
    page::Page,
    program::{Process, built},
    tray::Tray,
    wait,
};

#[tokio::test]
async fn closing_goes_to_the_tray_and_destroys_the_web_view() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    let tray = Tray::find(&desktop).await;
    let pid = page.pid();
    assert!(web_processes(pid) > 0);
    desktop.close_window().await;
    wait::until_equal("windows of the app", 0, || async { page.window_handles().await.len() }).await;
    wait::until_equal("processes of WebKit", 0, || async { web_processes(pid) }).await;
    assert_eq!(app::pids(&desktop), [pid], "the app goes on");

    server.publish("backups", "Backup done", &[]).await;
    tray.wait_for_number("1").await;
    tray.click().await;
    desktop.wait_for_rendered_page().await;
}

/// The number of a program's WebKit processes.
fn web_processes(pid: u32) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let web = all.filter(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let Some((head, tail)) = stat.rsplit_once(") ") else { return false };
        let mut fields = tail.split(' ');
        let (state, parent) = (fields.next(), fields.next());
        head.contains("(WebKit") && state != Some("Z") && parent == Some(&pid.to_string())
    });
    web.count()
}

#[tokio::test]
async fn with_no_tray_host_closing_says_so_and_quits() {
    let desktop = Desktop::with_options(DesktopOptions { tray_host: false, ..DesktopOptions::default() });
    let mut app = App::start(&desktop, &[]);
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    app.server().await;
    app.wait_for_log("no place for a tray icon").await;
    desktop.close_window().await;
    assert!(app.exits_cleanly(), "{}", app.process.output());
}

#[tokio::test]
async fn in_the_background_it_starts_with_no_window() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    Tray::find(&desktop).await;
    wait::stays(wait::QUIET_PERIOD, "the screen", Vec::<String>::new(), || async { desktop.window_titles() })
        .await;
    assert_eq!(web_processes(app.process.pid()), 0);
}

#[tokio::test]
async fn a_second_start_shows_the_window_of_the_first() {
    let desktop = Desktop::start();
    let first = App::start(&desktop, &["--background"]);
    first.server().await;
    Tray::find(&desktop).await;
    let command = desktop.command(built("tidings-desktop"));
    let mut second = Process::start("second start", command, &desktop.path().join("second.log"));
    let status = second.exit_within(wait::TEST_TIMEOUT).expect("the second start ends by itself");
    assert!(status.success(), "{}", second.output());
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    assert_eq!(app::pids(&desktop), [first.process.pid()]);
    assert_eq!(Tray::count(&desktop).await, 1);
}

#[tokio::test]
async fn the_window_comes_back_where_it_was() {
    let desktop = Desktop::start();
    let size = || {
        let id = desktop.run("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
        desktop
            .run("xdotool", &["getwindowgeometry", id.lines().next().unwrap_or_default()])
            .lines()
            .find(|line| line.contains("Geometry"))
            .unwrap_or_default()
            .to_owned()
    };
    let mut app = App::start(&desktop, &[]);
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    app.server().await;
    let id = desktop.run("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
    desktop.run("xdotool", &["windowsize", "--sync", id.lines().next().unwrap(), "1010", "660"]);
    wait::until("the new size", || async { size().contains("1010x660") }).await;
    desktop.close_window().await;
    wait::until_equal("windows on the screen", 0, || async { desktop.window_titles().len() }).await;
    Tray::find(&desktop).await.choose("Quit").await;
    assert!(app.exits_cleanly(), "{}", app.process.output());
    let _again = App::start(&desktop, &[]);
    wait::until("the size as it was", || async { size().contains("1010x660") }).await;
}
