//! The window's life: closing goes to the tray, a second start shows it, the background has none.
//! Refuses to keep a WebView that nobody sees.

use std::fs;

use support::{
    app::{self, App},
    desktop::{Desktop, Has},
    page::Page,
    program::{Running, built},
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
    wait::until_equal("windows of the app", 0, || async { page.handles().await.len() }).await;
    wait::until_equal("processes of WebKit", 0, || async { web_processes(pid) }).await;
    assert_eq!(app::pids(&desktop), [pid], "the app goes on");

    server.publish("backups", "Backup done", &[]).await;
    tray.shows("1").await;
    tray.click().await;
    desktop.shows_a_page().await;
}

/// How many processes of WebKit a program has.
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
    let desktop = Desktop::with(Has { tray_host: false, ..Has::default() });
    let mut app = App::start(&desktop, &[]);
    wait::until_equal("windows on the screen", 1, || async { desktop.windows().len() }).await;
    app.server().await;
    app.says("no place for a tray icon").await;
    desktop.close_window().await;
    assert!(app.ends(), "{}", app.process.output());
}

#[tokio::test]
async fn in_the_background_it_starts_with_no_window() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    app.server().await;
    Tray::find(&desktop).await;
    wait::stays(wait::A_WHILE, "the screen", Vec::<String>::new(), || async { desktop.windows() }).await;
    assert_eq!(web_processes(app.process.pid()), 0);
}

#[tokio::test]
async fn a_second_start_shows_the_window_of_the_first() {
    let desktop = Desktop::start();
    let first = App::start(&desktop, &["--background"]);
    first.server().await;
    Tray::find(&desktop).await;
    let command = desktop.command(built("tidings-desktop"));
    let mut second = Running::start("second start", command, &desktop.path().join("second.log"));
    let status = second.exit_within(wait::SOON).expect("the second start ends by itself");
    assert!(status.success(), "{}", second.output());
    wait::until_equal("windows on the screen", 1, || async { desktop.windows().len() }).await;
    assert_eq!(app::pids(&desktop), [first.process.pid()]);
    assert_eq!(Tray::count(&desktop).await, 1);
}

#[tokio::test]
async fn the_window_comes_back_where_it_was() {
    let desktop = Desktop::start();
    let size = || {
        let id = desktop.ask("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
        desktop
            .ask("xdotool", &["getwindowgeometry", id.lines().next().unwrap_or_default()])
            .lines()
            .find(|line| line.contains("Geometry"))
            .unwrap_or_default()
            .to_owned()
    };
    let mut app = App::start(&desktop, &[]);
    wait::until_equal("windows on the screen", 1, || async { desktop.windows().len() }).await;
    app.server().await;
    let id = desktop.ask("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
    desktop.ask("xdotool", &["windowsize", "--sync", id.lines().next().unwrap(), "1010", "660"]);
    wait::until("the new size", || async { size().contains("1010x660").then_some(()) }).await;
    desktop.close_window().await;
    wait::until_equal("windows on the screen", 0, || async { desktop.windows().len() }).await;
    Tray::find(&desktop).await.choose("Quit").await;
    assert!(app.ends(), "{}", app.process.output());
    let _again = App::start(&desktop, &[]);
    wait::until("the size as it was", || async { size().contains("1010x660").then_some(()) }).await;
}
