//! Tests that a page of a stranger, in a real browser on this computer, gets nowhere with the app's own server. It tries
//! requests of every method and type of content, forms, elements, beacons, event streams and sockets. It does so at every
//! path of the API, at every route of a door for programs of others, and at the port for mail. A scan of ports finds that
//! something listens, and no more. The same page reads and publishes at a server that lets it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::{NoExpand, Regex};
use reqwest::Method;
use serde_json::{Value, json};
use support::browser::Browser;
use support::client::Client;
use support::program::root;
use support::server::ServerProcess;
use support::{app, app::App, desktop::Desktop, wait};
use tidings_testkit::names::Names;
use tidings_testkit::report::tried;
use tidings_testkit::scripted::{Requests, ScriptedServer, response};
use tokio::task::block_in_place;

/// The script of the page.
const ATTACKS: &str = include_str!("hostile_page.js");
/// The browsers, by their drivers. The first one draws the app's window, too.
const DRIVERS: [&str; 2] = ["WebKitWebDriver", "chromedriver"];
/// A name that leads to this computer.
const REBOUND: &str = "rebound.test";

/// What takes publications: of ntfy, Gotify, hooks, `UnifiedPush`, Matrix and the API.
const PUBLISHING: [&str; 13] = [
    "/",
    "/page",
    "/page/one",
    "/page/publish?message=from+a+page",
    "/page/send?message=from+a+page",
    "/page/trigger?message=from+a+page",
    "/page?up=1",
    "/_matrix/push/v1/notify",
    "/message",
    "/message?token=guess",
    "/hooks/page",
    "/api/v1/announcements",
    "/api/v1/messages",
];
/// What else programs of others ask for in a query.
const ASKED: [&str; 3] = ["/page/json?poll=1", "/page/raw?poll=1", "/stream?token=guess"];
/// The folders whose sources name the routes of the server and its doors.
const ROUTED: [&str; 2] = ["crates/doors/src", "crates/server/src/http"];
/// What names other routes than a text does: those of the API, of Gotify's table, and Matrix's.
const NAMED_ELSEWHERE: [&str; 3] = ["e.path", "path", "push::MATRIX_PATH"];

/// The sources below a folder.
fn sources(folder: &Path) -> Vec<String> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path| fs::read_to_string(path).unwrap();
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![read(path)] }).collect()
}

/// The routes of the server and its doors but those of the API, each with what answers it.
fn routes() -> Vec<(String, String)> {
    let route = Regex::new(r#"\(\s*"(/[^"]*)",\s*((?:any|delete|get|lines|patch|post|put)\(.*)"#).unwrap();
    let texts = ROUTED.iter().flat_map(|folder| sources(&root().join(folder)));
    let found = texts.flat_map(|text| {
        let all = route.captures_iter(&text).map(|found| (found[1].to_owned(), found[2].to_owned()));
        all.collect::<Vec<_>>()
    });
    found.collect()
}

#[test]
fn a_route_of_a_door_is_tried_by_the_page_and_by_its_forms_if_it_publishes() {
    let other = Regex::new(r#"\.route\(\s*([^"\s][^,]*),"#).unwrap();
    let texts: Vec<String> = ROUTED.iter().flat_map(|folder| sources(&root().join(folder))).collect();
    let named = texts.iter().flat_map(|text| other.captures_iter(text).map(|found| found[1].to_owned()));
    assert_eq!(named.collect::<BTreeSet<_>>(), BTreeSet::from(NAMED_ELSEWHERE.map(str::to_owned)));
    let (part, rest) = (Regex::new(r"\{[a-z]+\}").unwrap(), Regex::new(r"\{\*[a-z]+\}").unwrap());
    let mut published = 0;
    for (path, answers) in routes() {
        if ["publish::publish", "receive", "notify"].iter().any(|word| answers.contains(word)) {
            let pattern = rest.replace_all(&path, NoExpand(".+")).into_owned();
            let pattern = part.replace_all(&pattern, NoExpand("[^/?]+"));
            let is_it = Regex::new(&format!(r"^{pattern}(\?.*)?$")).unwrap();
            assert!(PUBLISHING.iter().any(|tried| is_it.is_match(tried)), "{path} is not tried by forms");
            published += 1;
        }
    }
    assert!(published > 6 && routes().len() > 30, "{published} of {} routes publish", routes().len());
}

/// Every path of the API, by its reference, and those of all doors.
async fn paths_of(own: &Client) -> Vec<String> {
    let reference = own.get("openapi.json").await.is(200);
    let described = reference["paths"].as_object().expect("paths").keys().cloned();
    let routes = routes().into_iter().map(|(path, _)| path);
    let filled = described.chain(routes).map(|path| {
        let fill = |part| match part {
            "{id}" => "1",
            part if part.starts_with('{') => "page",
            part => part,
        };
        path.split('/').map(fill).collect::<Vec<_>>().join("/")
    });
    let doors = PUBLISHING.into_iter().chain(ASKED).map(str::to_owned);
    doors.chain(filled).collect::<BTreeSet<_>>().into_iter().collect()
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

/// How the requests of a page at some paths end, by what they are.
async fn ends(browser: &Browser, server: &str, paths: &[String]) -> BTreeMap<String, String> {
    let lines = attack(browser, "ends", server, paths).await;
    let parts = lines.iter().map(|line| line.rsplit_once(": ").expect("what it is, and its end"));
    parts.map(|(what, end)| (what.to_owned(), end.to_owned())).collect()
}

/// A scan of ports finds that something listens. Requests end there as at any server that refuses them.
async fn tells_no_more_than_that_something_listens(browser: &Browser, own: &str) {
    let other = ScriptedServer::start().await;
    let refuses = other.url();
    let headers = "content-type: application/json\r\nx-content-type-options: nosniff\r\n";
    other.always(response("403 Forbidden", headers, "{}"));
    let paths =
        ["/", "/version", "/health", "/api/v1/info", "/docs", "/static/defaultapp.png"].map(str::to_owned);
    let (here, there) = (ends(browser, own, &paths).await, ends(browser, &refuses, &paths).await);
    // What did not end in time tells nothing.
    let both: Vec<_> = here.iter().filter_map(|(what, end)| Some((what, end, there.get(what)?))).collect();
    assert!(both.len() > paths.len(), "{here:#?}");
    for (what, here, there) in both {
        assert_eq!(here, there, "{what}");
    }
}

/// What a page of another origin is answered names no program and no version in its head, and lets the page read nothing.
async fn names_nothing(own: &Client, origin: &str, paths: &[String]) {
    let stranger = own.with_token("");
    for path in paths {
        let answer = stranger.send(stranger.request(Method::GET, path).header("Origin", origin)).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        let head = format!("{:?}", answer.headers).to_lowercase();
        let says = |word: &str| head.contains(word) || answer.body["detail"].to_string().contains(word);
        for word in ["\"server\"", "access-control-", "tidings", env!("CARGO_PKG_VERSION")] {
            assert!(!says(word), "{path} says {word}: {head} {}", answer.body);
        }
    }
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
    let mut taking_mail =
        block_in_place(|| ServerProcess::start_with(&["--open-publish", "--smtp", "127.0.0.1:0"]));
    let reader = taking_mail.admin().user("reader", &["inbox"]).await;
    let target = json!({"type": "topic", "id": "page"});
    reader.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
    let mail = format!("http://{}/", block_in_place(|| taking_mail.mail()));
    let stranger = ScriptedServer::start().await;
    let here = stranger.url();
    names_nothing(&own, &here, &paths).await;
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
            let read = attack(&browser, "mails", &mail, &[]).await;
            assert!(read.is_empty(), "{driver} at {url}, mail: {read:#?}");
            tells_no_more_than_that_something_listens(&browser, &own.url).await;
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
    assert_eq!(reader.inbox().await, [] as [Value; 0], "a mail of a page");
    let counts = [("browsers", browsers), ("paths", paths.len() as u64)];
    tried("pages of strangers at the own server", &counts, &[]);
}
