//! Tests that a secret of the window is where it has to be, and nowhere else. Known ones are typed into the window, sources
//! work and fail with them at the most verbose level of the log, and the program ends and begins again. Whatever it showed and
//! wrote is then searched. That is the page with its storage, logs, databases, exports, a backup, and the report of the
//! diagnostics. All that the engine of the window and the desktop keep in the home is searched, too. No process leaves a
//! core dump.

use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::json;
use support::page::{Page, keys};
use support::program::free_port;
use support::server::ServerProcess;
use support::{app, desktop::Desktop, wait};
use tidings_testkit::report::tried;
use tidings_testkit::services::{Feed, Gotify, ScriptedService};

/// The page as it stands, what its fields hold, and all that it can store.
const SHOWN: &str = "return [document.documentElement.outerHTML, document.title, location.href,
    ...[...document.querySelectorAll('input, textarea')].map(one => one.value),
    JSON.stringify(localStorage), JSON.stringify(sessionStorage), JSON.stringify(history.state),
    ...performance.getEntries().map(one => one.name)].join('\\n')";

/// A secret, and the only files that may hold it, each for its owner alone: this desktop has no keyring.
struct Secret {
    what: &'static str,
    text: String,
    held_by: &'static [&'static str],
}

/// The secrets, and where they were looked for.
#[derive(Default)]
struct Planted {
    all: Vec<Secret>,
    /// The names of files that hold one, and which.
    seen: Vec<(String, &'static str)>,
    searched: u64,
}

impl Planted {
    fn add(&mut self, what: &'static str, text: &str, held_by: &'static [&'static str]) {
        self.all.push(Secret { what, text: text.to_owned(), held_by });
    }

    /// Asserts that what is at a place holds none but the secrets that it has to hold.
    #[track_caller]
    fn look(&mut self, place: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let name = place.rsplit('/').next().unwrap_or_default();
        self.searched += 1;
        for Secret { what, text: secret, held_by } in &self.all {
            // The engine of the window stores texts in two bytes for each letter.
            let wide: String = secret.chars().flat_map(|letter| [letter, '\0']).collect();
            if text.contains(secret) || text.contains(&wide) {
                assert!(held_by.contains(&name), "{place} holds {what}");
                self.seen.push((name.to_owned(), *what));
            }
        }
    }

    fn look_through(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                self.look_through(&path);
            } else if kind.is_file() {
                // A file of the desktop may go meanwhile.
                let bytes = fs::read(&path).unwrap_or_default();
                self.look(&path.to_string_lossy(), &bytes);
            }
        }
    }

    /// Looks at the page as it is now, and at the command lines of the program and of its page.
    async fn look_at(&mut self, desktop: &Desktop, page: &Page<'_>) {
        let shown = page.script(SHOWN).await;
        self.look("the window", shown.as_str().expect("the page can be read").as_bytes());
        for pid in app::pids(desktop).into_iter().chain(app::page_pids(desktop)) {
            self.look("a command line", &fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default());
            leaves_no_core_dump(pid);
        }
    }

    /// The tokens that the program has for its own server, in this session.
    fn add_own_tokens(&mut self, desktop: &Desktop) {
        let token = Regex::new("tdg_[A-Za-z0-9_-]+").unwrap();
        let files: [(&str, &'static str, &'static [&'static str]); 2] = [
            ("endpoint.json", "the token for programs of this computer", &["endpoint.json"]),
            ("tokens.json", "a token of the inbox", &["tokens.json"]),
        ];
        for (file, what, held_by) in files {
            let text = fs::read_to_string(desktop.data_dir().join(file)).unwrap();
            let found: Vec<&str> = token.find_iter(&text).map(|found| found.as_str()).collect();
            assert!(!found.is_empty(), "{file} has one");
            for found in found {
                if self.all.iter().all(|secret| secret.text != found) {
                    self.add(what, found, held_by);
                }
            }
        }
    }
}

/// Asserts that the system writes no memory of a process into a file if it crashes.
#[track_caller]
fn leaves_no_core_dump(pid: u32) {
    // It may have ended meanwhile.
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let is_none = core.is_none_or(|line| line.split_ascii_whitespace().skip(4).take(2).eq(["0", "0"]));
    assert!(is_none, "{pid}: {core:?}");
}

/// Fills the form of a new source, and presses its button.
async fn add_source(page: &Page<'_>, kind: &str, address: &str, token: Option<&str>, name: &str) {
    page.open_settings("Sources").await;
    page.press_button("Add source").await;
    page.select_option("Type", kind).await;
    page.fill_field("Address", address).await;
    if let Some(token) = token {
        page.fill_field("Token", token).await;
    }
    page.fill_field("Name", name).await;
    page.press_button("Add").await;
}

/// Sets a proxy for other computers, of which this story asks none.
async fn set_proxy(page: &Page<'_>, password: &str) {
    page.open_section("Sources", "sources-advanced").await;
    page.click("[data-testid=proxy] [role=radio]:last-child").await;
    page.fill_field("Address of the proxy", "http://127.0.0.1:9").await;
    page.fill_field("User name", "me").await;
    page.fill_field("Password", password).await;
    page.press_button("Use this proxy").await;
    page.wait_for_snackbar("is used from now on").await;
}

/// Makes a token of the own server, which is shown once.
async fn make_token(page: &Page<'_>) -> String {
    page.open_section("This computer", "tokens").await;
    page.press_button("Create token…").await;
    page.fill_field("Purpose", "nas-01").await;
    page.press_button("Create").await;
    page.wait_for_text("Copy it now. It is shown only once").await;
    let token = page.script("return document.querySelector('[data-token-secret] code').innerText").await;
    page.press_button("Done").await;
    let token = token.as_str().expect("a token").to_owned();
    page.wait_for_no_text(&token).await;
    token
}

/// Writes an export, a backup and the settings into the folder of the test.
async fn save_files(desktop: &Desktop, page: &Page<'_>) {
    page.open_settings("Storage").await;
    page.press_button("Export…").await;
    page.press_button("JSON").await;
    desktop.answer_file_dialog("Export the inbox", &desktop.path().join("inbox.json")).await;
    page.wait_for_snackbar("exported").await;
    page.press_button("Back up…").await;
    desktop.answer_file_dialog("Save a backup", &desktop.path().join("backup.tar")).await;
    page.wait_for_snackbar("Backup saved").await;
    page.press_button("Export settings").await;
    desktop.answer_file_dialog("Export settings", &desktop.path().join("settings-of-here.json")).await;
    page.wait_for_snackbar("Settings exported").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_the_window_is_where_it_has_to_be_and_nowhere_else() {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    server.admin().post("announcements", json!({"title": "Welcome aboard", "body": "All"})).await.success();
    let (gotify, feed) = (Gotify::start().await, Feed::start().await);
    gotify.publish(0);
    let (guess, password, cookie, proxy) =
        ("tdg_gu3ss-of-a-stranger-0000", "passw0rd-in-an-address", "c00kie-of-a-session", "pr0xy-passw0rd");
    let headers = format!("content-type: application/rss+xml\r\nset-cookie: session={cookie}\r\n");
    feed.put(
        "/private.xml",
        &headers,
        "<rss version=\"2.0\"><channel><title>News</title><item><guid>1</guid><title>A bridge opens</title>\
         <pubDate>Fri, 20 Nov 2026 06:00:00 GMT</pubDate></item></channel></rss>",
    );
    let mut planted = Planted::default();
    planted.add("the token of a source", &ana.token, &["tokens.json"]);
    planted.add("the token of a service", &gotify.token(), &["tokens.json"]);
    planted.add("the password of a proxy", proxy, &["secrets.json"]);
    planted.add("a token that was refused", guess, &[]);
    planted.add("the password in an address", password, &[]);
    planted.add("a header of an answer", cookie, &[]);

    let desktop = Desktop::start().with_variable("TIDINGS_LOG", "trace");
    let page = Page::open(&desktop).await;
    let own = app::own_server(&desktop).await;
    planted.add("a token of the terminal", &own.token, &[]);
    add_source(&page, "Tidings server", &server.url(), Some(guess), "Work").await;
    page.wait_for_text("refused the token").await;
    page.fill_field("Token", &ana.token).await;
    page.press_button("Add").await;
    page.wait_for_snackbar("“Work” added").await;
    add_source(&page, "Gotify", &gotify.url(), Some(&gotify.token()), "Push").await;
    page.wait_for_snackbar("“Push” added").await;
    let with_password = |address: &str| address.replace("://", &format!("://reader:{password}@"));
    let nobody = with_password(&format!("http://127.0.0.1:{}/rss", free_port()));
    add_source(&page, "Feed (RSS, Atom, JSON)", &nobody, None, "News").await;
    page.wait_for_text("No answer from").await;
    page.fill_field("Address", &with_password(&feed.at("/private.xml"))).await;
    page.press_button("Add").await;
    page.wait_for_snackbar("“News” added").await;
    set_proxy(&page, proxy).await;
    planted.look_at(&desktop, &page).await;
    let made = make_token(&page).await;
    planted.add("a token that was shown once", &made, &[]);
    planted.add_own_tokens(&desktop);
    planted.look_at(&desktop, &page).await;
    page.type_quickly("gi").await;
    for row in ["Welcome aboard", "A bridge opens"] {
        page.wait_for_row(row).await;
    }
    planted.look_at(&desktop, &page).await;
    save_files(&desktop, &page).await;
    planted.look_at(&desktop, &page).await;
    page.close().await;
    // The driver's file has what the program printed; the next session begins it anew.
    planted.look_through(desktop.path());

    // Two of the sources fail from now on.
    feed.remove("/private.xml");
    let tokens = ana.get("tokens").await.is(200);
    let id = tokens[0]["id"].as_str().expect("a token has an id").to_owned();
    server.admin().delete(&format!("tokens/{id}")).await.is(204);
    let page = Page::open(&desktop).await;
    page.open_settings("Sources").await;
    page.wait_for_text("Needs sign-in. The token was refused").await;
    planted.look_at(&desktop, &page).await;
    for name in ["Work", "Push", "News"] {
        page.press_button(&format!("More for {name}")).await;
        page.press_button("Edit…").await;
        page.wait_for_text(&format!("Edit {name}")).await;
        planted.look_at(&desktop, &page).await;
        page.press_keys([keys::ESCAPE]).await;
        page.wait_for("body:not(:has(.dialog))").await;
    }
    page.open_section("About", "diagnosis").await;
    page.wait_for("[data-finding]").await;
    planted.look_at(&desktop, &page).await;
    page.press_button("Copy Report").await;
    page.wait_for_text("Copied").await;
    planted.look("the report", page.clipboard().await.as_bytes());
    app::own_server(&desktop).await;
    planted.add_own_tokens(&desktop);
    let logged = || async { app::logs(&desktop).iter().any(|log| has_details(log)) };
    wait::until("details in the log", logged).await;
    page.close().await;

    planted.look_through(desktop.path());
    planted.look_through(&desktop.home());
    // What was searched for can be found.
    for (file, what) in
        [("tokens.json", "the token of a source"), ("secrets.json", "the password of a proxy")]
    {
        assert!(planted.seen.contains(&(file.to_owned(), what)), "{file} has {what}");
    }
    let counts = [("secrets", planted.all.len() as u64), ("places searched", planted.searched)];
    tried("secrets that are planted", &counts, &[]);
}

fn has_details(log: &Path) -> bool {
    fs::read_to_string(log).is_ok_and(|text| text.contains("DEBUG"))
}
