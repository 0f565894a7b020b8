//! Tests of certificates from the terminal, against a real TLS server that wants one of its clients.

use std::fs;

use serde_json::json;
use tidings_testkit::services::{Feed, ScriptedService};
use tidings_testkit::tls::{Authority, TlsFront};
use tidings_testkit::wait::until_blocking;
use tokio::runtime::Runtime;

use crate::data_folder::DataFolder;
use crate::serving::Serving;

/// A file in the data folder with this content.
fn file(folder: &DataFolder, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_server_of_a_company_is_reached_with_its_authority_and_ones_own_certificate() {
    let runtime = Runtime::new().unwrap();
    let (feed, authority) = (runtime.block_on(Feed::start()), Authority::new("Company CA"));
    feed.publish(0);
    let host = feed.url().replace("http://", "").replace("/feed.xml", "");
    let server = authority.server("localhost");
    let front = runtime.block_on(TlsFront::start(&host, &server, Some(&authority)));
    let (folder, url) = (DataFolder::new(), format!("{}/feed.xml", front.url()));
    let (ca, ana) = (file(&folder, "ca.pem", &authority.pem()), authority.client("ana"));
    let (certificate, key) = (file(&folder, "ana.pem", &ana.certificate), file(&folder, "ana.key", &ana.key));
    let add = || folder.try_run(&["source", "add", "feed", &url, "--name", "News"]);

    let unknown = add();
    let advice = format!("add its certificate: tidings certificate add {url} FILE");
    assert!(unknown.code == Some(1) && unknown.err.contains(&advice), "{unknown:?}");
    let added = folder.run(&["certificate", "add", &url, &ca]);
    assert!(added.contains("authority  Company CA  valid until 4096-01-01"), "{added}");
    let wanted = add();
    assert!(wanted.code == Some(1) && wanted.err.contains("--client --key FILE"), "{wanted:?}");
    let alone = folder.try_run(&["certificate", "add", &url, &certificate, "--client"]);
    assert!(alone.code == Some(1) && alone.err.contains("name the file of its key with --key"), "{alone:?}");
    let added = folder.try_run(&["certificate", "add", &url, &certificate, "--client", "--key", &key]);
    assert!(added.out.contains("client  ana, signed by Company CA"), "{added:?}");
    assert!(added.err.contains("there is no keyring"), "{added:?}");

    // A program that pulls already hears of what is added and removed.
    let watch = Serving::watch(&folder, &["pull", "--watch"]);
    until_blocking("the socket", || folder.path().join("app.sock").exists());
    assert_eq!(add().code, Some(0));
    folder.until_unread(1);
    let listed = folder.json(&["certificate", "list"]);
    assert_eq!((&listed[0]["kind"], &listed[0]["valid"]), (&json!("client"), &json!(true)));
    let fingerprint = listed[0]["fingerprint"].as_str().unwrap();
    folder.run(&["certificate", "remove", &front.url(), &fingerprint.to_uppercase()]);
    watch.wait_for_line("News: The server requires a client certificate that it knows");
    folder.run(&["certificate", "remove", &front.url()]);
    assert_eq!(folder.json(&["certificate", "list"]), json!([]));
    let gone = folder.try_run(&["certificate", "remove", &front.url()]);
    assert!(gone.code == Some(1) && gone.err.contains("there is no such certificate"), "{gone:?}");

    let line = ana.key.lines().nth(2).unwrap();
    for said in [&added, &wanted] {
        assert!(!said.out.contains(line) && !said.err.contains(line), "{said:?}");
    }
    let kept = fs::read_to_string(folder.path().join("secrets.json")).unwrap();
    assert!(!kept.contains(line), "it goes with its certificate");
    let plain = folder.try_run(&["certificate", "add", "http://nas.local", &ca]);
    assert!(plain.code == Some(1) && plain.err.contains("does not begin with https://"), "{plain:?}");
}
