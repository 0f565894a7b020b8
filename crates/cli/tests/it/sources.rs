//! Tests of sources and their tokens from the terminal; no token is printed.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::SystemClock;
use tidings_net::address::AddressKind;
use tidings_replica::{NewSource, Replica};
use tidings_sources::{Credential, PROTOCOLS, Protocol};
use tidings_testkit::port;
use tidings_testkit::services::oauth::{CLIENT_ID, USER_CODE};
use tidings_testkit::services::{DeviceStep, GitLab, ScriptedService};
use tidings_testkit::wait::until_blocking;
use tokio::runtime::Runtime;

use crate::data_folder::{DataFolder, server_and_replica};
use crate::serving::Serving;

#[test]
fn a_source_added_beside_a_watcher_is_pulled_by_it() {
    let (server_dir, serving, _) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Waiting"]);
    let token = server_dir.token("ana", "inbox");
    let folder = DataFolder::new();
    let watch = Serving::watch(&folder, &["pull", "--watch"]);
    // The socket exists before the first line could be printed.
    until_blocking("the socket", || folder.path().join("app.sock").exists());
    folder.run(&["source", "add", "tidings", &serving.url, "--token", &token]);
    let name = serving.url.trim_start_matches("http://");
    watch.wait_for_line(&format!("{name}: live"));
    assert_eq!(folder.unread(), 1);
    folder.run(&["source", "pause", name]);
    watch.wait_for_line(&format!("{name}: paused"));
    folder.run(&["source", "resume", name]);
    watch.wait_for_line(&format!("{name}: live"));
}

#[test]
fn sources_are_listed_without_their_tokens_and_removed_by_name() {
    let (server_dir, serving, laptop) = server_and_replica();
    server_dir.run(&["send", "--to", "ana", "Kept"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["source", "list"]);
    assert_eq!(list[0]["name"], "Work");
    assert_eq!(list[0]["url"], serving.url.as_str());
    assert_eq!(list[0]["user"], "ana");
    assert!(!list[0]["last_pull"].is_null());
    let lines = laptop.run(&["source", "list"]);
    assert!(lines.contains("Work") && !lines.contains("tdg_"), "{lines}");
    laptop.run(&["source", "remove", "Work"]);
    assert_eq!(laptop.json(&["source", "list"]), json!([]));
    assert_eq!(laptop.unread(), 0);
    let tokens = fs::read_to_string(laptop.path().join("tokens.json")).unwrap();
    assert!(!tokens.contains("tdg_"), "its token is forgotten");
    let gone = laptop.try_run(&["source", "remove", "Work"]);
    assert_eq!((gone.code, gone.err.trim()), (Some(1), "tidings: there is no source `Work`"));
}

#[test]
fn a_token_may_come_by_standard_input_or_by_the_environment() {
    let (server_dir, serving, _) = server_and_replica();
    let token = server_dir.token("ana", "inbox");
    let folder = DataFolder::new();
    let mut piped =
        folder.command(&["source", "add", "tidings", &serving.url, "--token", "-", "--name", "Piped"]);
    let mut child = piped.stdin(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{token}").unwrap();
    assert!(child.wait().unwrap().success());
    let mut named = folder.command(&["source", "add", "tidings", &serving.url, "--name", "Named"]);
    let named = DataFolder::run_command(named.env("TIDINGS_TOKEN", &token));
    assert_eq!(named.code, Some(0), "{named:?}");
    folder.run(&["pull"]);
    let none = folder.try_run(&["source", "add", "tidings", &serving.url, "--name", "None"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    let wrong =
        folder.try_run(&["source", "add", "tidings", &serving.url, "--token", "tdg_no", "--name", "No"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("does not accept this token") && !wrong.err.contains("tdg_"), "{wrong:?}");
    let taken =
        folder.try_run(&["source", "add", "tidings", &serving.url, "--token", &token, "--name", "Named"]);
    assert_eq!(taken.code, Some(1), "{taken:?}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(folder.path().join("tokens.json")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn an_address_without_a_scheme_is_tried_with_https_and_on_this_machine_with_http() {
    let (server_dir, serving, _) = server_and_replica();
    let (token, typed) = (server_dir.token("ana", "inbox"), serving.url.strip_prefix("http://").unwrap());
    let folder = DataFolder::new();
    let said = folder.run(&["source", "add", "tidings", typed, "--token", &token, "--name", "Near"]);
    assert_eq!(said, format!("added Near, at {}\n", serving.url));
    assert_eq!(folder.json(&["source", "list"])[0]["url"], serving.url.as_str());
    folder.run(&["pull"]);
    assert_eq!(serving.terminate().0, Some(0));
    let typed = folder.json(&["source", "list"])[0]["url"].as_str().unwrap().replace("http://", "");
    let gone = folder.try_run(&["source", "add", "tidings", &typed, "--token", &token, "--name", "Gone"]);
    assert!(
        gone.code == Some(1) && gone.err.contains(&format!("https://{typed} or http://{typed}")),
        "{gone:?}"
    );
}

/// The address of a server that answers everything with a page, as the portal of a hotel does, for as long as the test runs.
fn captive_portal() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/alerts", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            // The end of the head is in its only packet; a client that sends none gets its answer all the same.
            let _ = stream.read(&mut [0; 4096]);
            let page = "<!doctype html><title>Sign in</title>";
            let head =
                format!("content-type: text/html\r\ncontent-length: {}\r\nconnection: close", page.len());
            let _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{page}");
        }
    });
    url
}

#[test]
fn a_kind_that_is_not_known_is_answered_with_those_that_are() {
    let folder = DataFolder::new();
    let pigeon = folder.try_run(&["source", "add", "pigeon", "https://a.example"]);
    assert_eq!(pigeon.code, Some(2), "{pigeon:?}");
    for known in PROTOCOLS {
        assert!(pigeon.err.contains(known.name), "{pigeon:?}");
    }
    let help = folder.run(&["source", "add", "--help"]);
    for known in PROTOCOLS {
        assert!(
            help.contains(&format!("{}: {}", known.label, known.default_url.unwrap_or(known.example))),
            "{help}"
        );
    }
}

/// The kinds of sources that are asked over a network.
fn servers() -> impl Iterator<Item = &'static Protocol> {
    PROTOCOLS.iter().copied().filter(|known| known.address != AddressKind::Applications)
}

#[test]
fn every_kind_is_asked_before_it_is_kept_and_says_what_it_needs() {
    let folder = DataFolder::new();
    // Nothing listens at this address.
    let nobody = format!("http://127.0.0.1:{}/alerts", port::free());
    for known in servers() {
        let nowhere = folder.try_run(&["source", "add", known.name]);
        if known.default_url.is_none() {
            let example = format!("tidings source add {} {}", known.name, known.example);
            assert!(nowhere.code == Some(2) && nowhere.err.contains(&example), "{nowhere:?}");
        }
        let nameless = folder.try_run(&["source", "add", known.name, &nobody]);
        if known.credential == Credential::Token {
            assert!(nameless.code == Some(2) && nameless.err.contains("a token is required"), "{nameless:?}");
        } else {
            assert!(nameless.code == Some(1) && nameless.err.contains("can't be tested"), "{nameless:?}");
        }
        let asked = folder.try_run(&["source", "add", known.name, &nobody, "--token", "tdg_secret"]);
        assert_eq!(asked.code, Some(1), "{asked:?}");
        assert!(asked.err.contains("127.0.0.1") && !asked.err.contains("tdg_secret"), "{asked:?}");
        let wrong =
            folder.try_run(&["source", "add", known.name, "ftp://a.example", "--token", "tdg_secret"]);
        assert_eq!((wrong.code, wrong.err.contains("ftp://a.example")), (Some(1), true), "{wrong:?}");
    }
    assert_eq!(folder.json(&["source", "list"]), json!([]), "nothing was kept");
}

#[test]
fn what_other_programs_tell_needs_a_session_bus_and_a_pull_without_the_app_brings_nothing() {
    let folder = DataFolder::new();
    let without_bus = |args: &[&str]| {
        let mut command = folder.command(args);
        command
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env("XDG_RUNTIME_DIR", "/nonexistent");
        DataFolder::run_command(&mut command)
    };
    let refused = without_bus(&["source", "add", "desktop", "Mail,Chat"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.err.contains("There is no session bus") && refused.err.contains("desktop session"),
        "{refused:?}"
    );
    let address = without_bus(&["source", "add", "desktop", "https://mail.example"]);
    assert!(address.code == Some(1) && address.err.contains("is not an address of"), "{address:?}");
    assert_eq!(folder.json(&["source", "list"]), json!([]));

    let replica = Replica::open(folder.path(), Arc::new(SystemClock)).unwrap();
    let (name, protocol, url) =
        ("Other programs".to_owned(), "desktop".to_owned(), "desktop:Mail".to_owned());
    replica.add_source(NewSource { name, protocol, url, user: None, own: false }).unwrap();
    let pulled = without_bus(&["pull"]);
    assert_eq!(
        (pulled.code, pulled.out.as_str()),
        (Some(0), "Other programs: 0 new, 0 sent\n"),
        "{pulled:?}"
    );
}

#[test]
fn what_answers_but_is_no_such_service_is_not_kept() {
    let folder = DataFolder::new();
    let portal = captive_portal();
    for known in servers() {
        let asked = folder.try_run(&["source", "add", known.name, &portal, "--token", "tdg_secret"]);
        assert_eq!(asked.code, Some(1), "{}: {asked:?}", known.name);
        assert!(asked.err.contains("does not answer as"), "{}: {asked:?}", known.name);
    }
    assert_eq!(folder.json(&["source", "list"]), json!([]));
}

#[test]
fn a_source_is_called_by_its_host_and_the_same_inbox_is_not_added_twice() {
    let (server_dir, serving, _) = server_and_replica();
    server_dir.run(&["user", "add", "bo", "--name", "Bo"]);
    let (ana, bo) = (server_dir.token("ana", "inbox"), server_dir.token("bo", "inbox"));
    let folder = DataFolder::new();
    let add = |token: &str| folder.try_run(&["source", "add", "tidings", &serving.url, "--token", token]);
    assert_eq!(add(&ana).code, Some(0));
    let (again, host) = (add(&ana), serving.url.trim_start_matches("http://"));
    let there = format!("tidings: it is already added, as `{host}`");
    assert_eq!((again.code, again.err.trim()), (Some(1), &*there));
    assert_eq!(add(&bo).out, format!("added {host} 2, at {}\n", serving.url));
    let list = folder.json(&["source", "list"]);
    assert_eq!((&list[1]["name"], &list[1]["protocol"]), (&json!(format!("{host} 2")), &json!("tidings")));
}

#[test]
fn a_revoked_token_needs_a_sign_in() {
    let (server_dir, _serving, laptop) = server_and_replica();
    let tokens = server_dir.json(&["token", "list", "--user", "ana"]);
    server_dir.run(&["token", "revoke", tokens[0]["id"].as_str().unwrap()]);
    let result = laptop.try_run(&["pull"]);
    assert_eq!((result.code, result.err.trim()), (Some(1), "tidings: Work: Sign-in needed"));
}

/// Serves a feed with one entry at every path, for as long as the test runs; returns its root address.
fn feed_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // The end of the head is in its only packet; a client that sends none gets its answer all the same.
            let _ = stream.read(&mut [0; 4096]);
            let feed = "<rss version=\"2.0\"><channel><title>Blog</title><item><guid>1</guid>\
                        <title>A first entry</title></item></channel></rss>";
            let head = format!(
                "content-type: application/rss+xml\r\ncontent-length: {}\r\nconnection: close",
                feed.len()
            );
            let _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{feed}");
        }
    });
    url
}

#[test]
fn feeds_of_another_reader_are_imported_each_tried_first_and_listed_for_the_next_one() {
    let (folder, server) = (DataFolder::new(), feed_server());
    // Nothing listens at this address.
    let closed = format!("127.0.0.1:{}", port::free());
    let list = folder.path().join("feeds.opml");
    let outline = |name: &str, url: &str| format!("<outline type=\"rss\" text=\"{name}\" xmlUrl=\"{url}\"/>");
    let outlines = [
        outline("The blog", &format!("{server}/a")),
        outline("The blog", &format!("{server}/b")),
        outline("Gone", &format!("http://{closed}/c")),
    ]
    .concat();
    fs::write(&list, format!("<opml version=\"2.0\"><head/><body>{outlines}</body></opml>")).unwrap();
    let refused = folder.try_run(&["source", "import", list.to_str().unwrap()]);
    assert!(
        refused.code == Some(1) && refused.err.matches("use --private to test it").count() == 3,
        "{refused:?}"
    );
    assert_eq!(folder.json(&["source", "list"]), json!([]), "nobody is asked on one's own network");
    let import = folder.try_run(&["source", "import", "--private", list.to_str().unwrap()]);
    assert_eq!(import.code, Some(1), "{import:?}");
    let named = import.err.matches(&format!("http://{closed}/c")).count();
    assert_eq!(named, 1, "the address is said once: {import:?}");
    let twice = folder.try_run(&["source", "import", "--private", list.to_str().unwrap()]);
    assert!(twice.err.contains("it is already added, as `The blog 2`"), "{twice:?}");
    let names: Vec<_> =
        folder.json(&["source", "list"]).as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["The blog", "The blog 2"]);
    folder.run(&["pull"]);
    assert_eq!(folder.unread(), 2);

    let other = DataFolder::new();
    let added = other.run(&["source", "add", "feed", &format!("{server}/d")]);
    assert_eq!(added, format!("added Blog, at {server}/d\n"), "by its title, as in the window");
    let exported = folder.path().join("exported.opml");
    fs::write(&exported, folder.run(&["source", "opml"])).unwrap();
    let other = DataFolder::new();
    let again = other.json(&["source", "import", "--private", exported.to_str().unwrap()]);
    assert_eq!((again["added"].as_array().unwrap().len(), again["refused"].clone()), (2, json!([])));
    fs::write(&exported, "nothing of the kind").unwrap();
    let unknown = other.try_run(&["source", "import", exported.to_str().unwrap()]);
    assert!(unknown.code == Some(1) && unknown.err.contains("neither OPML"), "{unknown:?}");
}

#[test]
fn one_signs_in_with_the_browser_from_the_terminal_and_the_token_is_renewed() {
    let runtime = Runtime::new().unwrap();
    let service = runtime.block_on(GitLab::start());
    service.oauth().set_interval(1);
    service.oauth().set_life(7_200);
    let folder = DataFolder::new();
    let add = |more: &[&str]| {
        let url = service.url();
        let args = [&["source", "add", "gitlab", &url, "--name", "Work", "--sign-in"], more].concat();
        folder.try_run(&args)
    };
    let unasked = format!("http://127.0.0.1:{}", port::free());
    let unasked = folder.try_run(&["source", "add", "mastodon", &unasked, "--sign-in"]);
    assert!(unasked.err.contains("read your notifications; nothing is changed"), "said first: {unasked:?}");
    assert!(unasked.code == Some(1) && unasked.err.contains("the sign-in failed"), "{unasked:?}");
    let none = add(&[]);
    assert!(none.code == Some(1) && none.err.contains("register an application"), "{none:?}");
    service.oauth().plan(&[DeviceStep::Denied]);
    let denied = add(&["--client-id", CLIENT_ID]);
    assert!(denied.code == Some(1) && denied.err.contains("the sign-in was denied"), "{denied:?}");
    assert_eq!(folder.json(&["source", "list"]), json!([]));

    // The client id is kept.
    service.oauth().plan(&[DeviceStep::Pending, DeviceStep::Granted]);
    let added = add(&["--more"]);
    assert_eq!((added.code, added.out.trim()), (Some(0), &*format!("added Work, at {}", service.url())));
    let page = format!("enter the code {USER_CODE} at {}/oauth/device", service.url());
    assert!(added.err.contains("read your to-do list") && added.err.contains(&page), "{added:?}");
    assert_eq!(service.oauth().scopes(), ["read_api", "api"]);

    // An hour later the token is refused, and nobody has to sign in again.
    service.publish(0);
    let file = folder.path().join("tokens.json");
    let mut tokens: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    tokens["tokens"][0]["renewal"]["obtained_at"] = json!("2026-01-01T00:00:00Z");
    fs::write(&file, tokens.to_string()).unwrap();
    service.oauth().expire();
    let pulled = folder.try_run(&["pull"]);
    assert_eq!((pulled.code, folder.unread(), service.oauth().given()), (Some(0), 1, 2), "{pulled:?}");
    for secret in service.oauth().secrets() {
        for said in [&none, &denied, &added, &pulled] {
            assert!(!said.out.contains(&secret) && !said.err.contains(&secret), "{said:?}");
        }
    }
    // A sign-in that was taken back at the service is renewed by hand.
    service.oauth().revoke();
    assert_eq!(folder.try_run(&["pull"]).code, Some(1));
    service.oauth().plan(&[DeviceStep::Granted]);
    service.publish(1);
    let again = folder.try_run(&["source", "sign-in", "Work"]);
    assert!(again.code == Some(0) && again.out.trim() == "signed in to Work", "{again:?}");
    assert!(again.err.contains("read your to-do list"), "what is asked for is said first: {again:?}");
    folder.run(&["pull"]);
    assert_eq!(folder.unread(), 2);
    let wrong = folder.try_run(&["source", "sign-in", "Work", "--token", "wrong"]);
    assert!(wrong.code == Some(1) && wrong.err.contains("does not accept this token"), "{wrong:?}");
    folder.run(&["pull"]);

    let removed = folder.try_run(&["source", "remove", "Work"]);
    assert!(removed.err.contains(&format!("its sign-in at {} was revoked", service.url())), "{removed:?}");
    assert_eq!(service.oauth().taken_back().len(), 1);
    let without = folder.try_run(&["source", "add", "gotify", &service.url(), "--sign-in"]);
    assert!(without.code == Some(2) && without.err.contains("no browser sign-in"), "{without:?}");
}
