//! Tests of the window's life: closing leaves the program running, a second start shows it, in the background there is no
//! WebView, and it comes back whole.

use std::fs;

use support::{
    app::{self, App},
    desktop::{Desktop, DesktopOptions},
    page::Page,
    program::{Process, built},
    toasts::Toasts,
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
async fn with_no_tray_host_closing_says_once_how_to_come_back() {
    let desktop =
        Desktop::with_options(DesktopOptions { tray_host: false, dunst: false, ..DesktopOptions::default() });
    let toasts = Toasts::record(&desktop).await;
    let app = App::start(&desktop, &[]);
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    let server = app.server().await;
    app.wait_for_log("no place for a tray icon").await;
    desktop.close_window().await;
    let toast = toasts.wait_for("keeps running in the background").await;
    assert!(toast.body.contains("Start it again"), "{toast:?}");
    server.publish("backups", "Backup done", &[]).await;
    toasts.wait_for("Backup done").await;

    // A click on the sentence, or a second start, brings the window back.
    toasts.click(toast.id, "default").await;
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    desktop.close_window().await;
    let command = desktop.command(built("tidings-desktop"));
    let mut second = Process::start("second start", command, &desktop.path().join("second.log"));
    assert!(second.exit_within(wait::TEST_TIMEOUT).is_some_and(|status| status.success()));
    wait::until_equal("windows on the screen", 1, || async { desktop.window_titles().len() }).await;
    assert_eq!(app::pids(&desktop), [app.process.pid()]);
    let told = toasts.calls().iter().filter(|toast| toast.summary.contains("background")).count();
    assert_eq!(told, 1, "said once");
}

#[tokio::test]
async fn where_it_is_switched_off_closing_the_window_quits() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    app::own_server(&desktop).await;
    page.open_settings("General").await;
    page.press_button("Keep running when the window is closed").await;
    wait::until_equal("the switch", serde_json::json!("false"), || async {
        let script = "return document.querySelector('[role=switch][aria-label^=Keep]').ariaChecked";
        page.script(script).await
    })
    .await;
    // The page shows it before the program has it on the disk.
    wait::until("the choice on the disk", || async {
        let file = |name: &str| fs::read(desktop.data_dir().join(name)).unwrap_or_default();
        let chosen = br#""keep_running":false"#;
        [file("replica.db"), file("replica.db-wal")].concat().windows(chosen.len()).any(|part| part == chosen)
    })
    .await;
    page.close().await;
    wait::until("the app to be gone", || async { app::pids(&desktop).is_empty().then_some(()) }).await;

    let mut app = App::start(&desktop, &[]);
    app.server().await;
    Tray::find(&desktop).await;
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

/// The position and the size of the app's window with its content, px.
fn geometry(desktop: &Desktop) -> Option<[i64; 4]> {
    let ids = desktop.run("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
    let shell = desktop.run("xdotool", &["getwindowgeometry", "--shell", ids.lines().next()?]);
    let value = |name: &str| {
        let line = shell.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.and_then(|text| text.parse().ok())
    };
    Some([value("X")?, value("Y")?, value("WIDTH")?, value("HEIGHT")?])
}

#[tokio::test]
async fn a_window_that_was_kept_larger_than_the_screen_shows_all_its_edges() {
    let desktop = Desktop::with_options(DesktopOptions { size: "800x600", ..DesktopOptions::default() });
    fs::create_dir_all(desktop.data_dir()).unwrap();
    let kept = r#"{"main": {"width": 1900, "height": 1300, "x": 2100, "y": 40, "prev_x": 0, "prev_y": 0,
        "maximized": false, "visible": true, "decorated": true, "fullscreen": false}}"#;
    fs::write(desktop.data_dir().join("window.json"), kept).unwrap();
    let app = App::start(&desktop, &[]);
    app.server().await;
    wait::until("the whole window to be on the screen", || async {
        let [x, y, width, height] = geometry(&desktop)?;
        let fits = x >= 0 && y >= 0 && x + width <= 800 && y + height <= 600;
        (fits && width > 600 && height > 400).then_some(())
    })
    .await;
}
