//! Tests that a page of a stranger, in a real browser on this computer, gets nowhere with the app's own server. It tries
//! requests of every method and type of content, forms, elements, beacons, event streams and sockets. It does so at every
//! path of the API and at every door for programs of others. The same page reads and publishes at a server that lets it.

use serde_json::{Value, json};
use support::browser::Browser;
use support::client::Client;
use support::{app, app::App, desktop::Desktop, wait};
use tidings_testkit::names::Names;
use tidings_testkit::report::tried;
use tidings_testkit::scripted::{Requests, ScriptedServer, response};

/// The script of the page.
const ATTACKS: &str = include_str!("hostile_page.js");
/// The browsers, by their drivers. The first one draws the app's window, too.
const DRIVERS: [&str; 2] = ["WebKitWebDriver", "chromedriver"];
/// A name that leads to this computer.
const REBOUND: &str = "rebound.test";

/// What takes publications: of ntfy, Gotify, hooks, `UnifiedPush`, Matrix and the API.
const PUBLISHING: [&str; 11] = [
    "/",
    "/page",
    "/page/one",
    "/page/publish?message=from+a+page",
    "/page?up=1",
    "/_matrix/push/v1/notify",
    "/message",
    "/message?token=guess",
    "/hooks/page",
    "/api/v1/announcements",
    "/api/v1/messages",
];
/// What else programs of others ask for.
const ASKED: [&str; 23] = [
    "/page/send?message=from+a+page",
    "/page/trigger?message=from+a+page",
    "/page/one/clear",
    "/page/json?poll=1",
    "/page/raw?poll=1",
    "/page/sse",
    "/page/ws",
    "/page/auth",
    "/file/page.txt",
    "/v1/account",
    "/v1/config",
    "/v1/health",
    "/application",
    "/client",
    "/stream",
    "/stream?token=guess",
    "/current/user",
    "/user",
    "/version",
    "/health",
    "/static/defaultapp.png",
    "/docs",
    "/metrics",
];

/// Every path of the API, by its reference, and those of all doors.
async fn paths_of(own: &Client) -> Vec<String> {
    let reference = own.get("openapi.json").await.is(200);
    let described = reference["paths"].as_object().expect("paths").keys();
    let of_api = described.map(|path| {
        let parts = path.split('/').map(|part| if part.starts_with('{') { "page" } else { part });
        parts.collect::<Vec<_>>().join("/")
    });
    let doors = PUBLISHING.into_iter().chain(ASKED).map(str::to_owned);
    doors.chain(of_api).collect()
}

/// What the own server has.
async fn kept_by(own: &Client) -> Vec<Value> {
    let mut all = Vec::new();
    for path in ["inbox?limit=100", "topics", "tokens", "users", "groups"] {
        all.push(own.get(path).await.is(200));
    }
    all
}

/// Runs one of the functions of the script at a server; gives what it could read.
async fn attack(browser: &Browser, what: &str, server: &str, paths: &[String]) -> Vec<String> {
    let script = format!(
        "{ATTACKS}\n{what}(arguments[0], arguments[1])
           .then(arguments[2], (error) => arguments[2](['it failed: ' + error]))"
    );
    let read = browser.script_until_done(&script, vec![json!(server), json!(paths)]).await;
    let lines = read.as_array().expect("a list").iter();
    lines.map(|line| line.as_str().expect("a text").to_owned()).collect()
}

/// A server that lets the pages of an origin do everything; its address, and what it was asked.
async fn lenient_server(origin: &str) -> (String, Requests) {
    let server = ScriptedServer::start().await;
    let url = server.url();
    let headers = format!(
        "access-control-allow-origin: {origin}\r\naccess-control-allow-credentials: true\r\n\
         access-control-allow-headers: authorization,x-gotify-key,content-type\r\n\
         access-control-allow-methods: PUT,PATCH,DELETE,OPTIONS\r\ncontent-type: text/html\r\n"
    );
    (url, server.always(response("200 OK", &headers, "open")))
}

/// How many publications arrived at its hook.
fn posts(requests: &Requests) -> usize {
    let requests = requests.lock().unwrap();
    let posts = requests.iter().filter(|request| request.starts_with("POST /hooks/page "));
    posts.filter(|post| post.contains("from a page") || post.contains("from+a+page")).count()
}

/// The attacks are real: if they may, they read and publish.
async fn succeed_where_they_may(browser: &Browser, origin: &str) {
    let (url, requests) = lenient_server(origin).await;
    let paths = ["/page", "/hooks/page"].map(str::to_owned);
    for (what, reads) in [("fetches", true), ("streams", true), ("elements", true), ("forms", false)] {
        requests.lock().unwrap().clear();
        let read = attack(browser, what, &url, &paths).await;
        assert!(read.iter().all(|line| !line.starts_with("it failed")), "{read:#?}");
        assert_eq!(!read.is_empty(), reads, "{what}: {read:#?}");
        if what != "elements" {
            wait::until(&format!("publications by {what}"), || async { posts(&requests) > 2 }).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_stranger_publishes_nothing_and_reads_nothing() {
    let desktop = Desktop::start();
    let app = App::start(&desktop, &["--background"]);
    let own = app.server().await;
    own.publish("backups", "Backup done", &[]).await;
    wait::until_equal("unread", 1, || async { app::unread(&desktop.data_dir()) }).await;
    let (paths, before) = (paths_of(&own).await, kept_by(&own).await);
    let publishing = PUBLISHING.map(str::to_owned);
    let stranger = ScriptedServer::start().await;
    let here = stranger.url();
    let page = "<!doctype html><title>A page</title><body>A page</body>";
    stranger.always(response("200 OK", "content-type: text/html\r\n", page));
    let names = Names::new();
    names.know(REBOUND, "127.0.0.1");

    let mut browsers = 0;
    for driver in DRIVERS {
        let opened = Browser::open(&desktop, driver, |command| names.hold_for(command)).await;
        let Some(browser) = opened else {
            println!("This machine has no {driver}, so its browser is left out.");
            continue;
        };
        browsers += 1;
        // Another port of the same host, and another host.
        for url in [here.clone(), here.replace("127.0.0.1", "localhost")] {
            browser.visit(&url).await;
            let all: [(&str, &[String]); 4] =
                [("fetches", &paths), ("streams", &paths), ("elements", &paths), ("forms", &publishing)];
            for (what, paths) in all {
                let read = attack(&browser, what, &own.url, paths).await;
                assert!(read.is_empty(), "{driver} at {url}, {what}: {read:#?}");
            }
        }
        // A name that led to a stranger's server, and leads to this one now: the page is of the same origin.
        browser.visit(&own.url.replace("127.0.0.1", REBOUND)).await;
        let read = attack(&browser, "fetches", "", &paths).await;
        let let_in: Vec<_> = read.iter().filter(|line| !line.contains("}: 421 ")).collect();
        assert!(!read.is_empty() && let_in.is_empty(), "{driver}: {let_in:#?}");
        browser.visit(&here).await;
        succeed_where_they_may(&browser, &here).await;
        browser.close().await;
    }
    assert!(browsers > 0, "WebKit's driver is installed");
    wait::stays(wait::QUIET_PERIOD, "what the server has", before, || kept_by(&own)).await;
    assert_eq!(app::unread(&desktop.data_dir()), 1);
    let counts = [("browsers", browsers), ("paths", paths.len() as u64)];
    tried("pages of strangers at the own server", &counts, &[]);
}
