//! Tests of `doctor`, each with a fault that is planted.

use std::fs::{self, File};
use std::net::TcpListener;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::SystemClock;
use tidings_replica::{NewSource, Replica};
use tidings_testkit::bus::Bus;
use tidings_testkit::port;
use tidings_testkit::postgres::Database;
use tidings_testkit::tls::{Authority, TlsFront};
use tokio::runtime::Runtime;

use crate::data_folder::{CommandOutput, DataFolder, server_and_replica};
use crate::repairing::damage_file;

/// A year and an hour, so that it is 365 days whatever an answer takes.
const YEAR: i64 = 365 * 86_400 + 3_600;

/// Runs the command outside of a desktop, but for what the environment says.
fn doctor(folder: &DataFolder, options: &[&str], env: &[(&str, &str)]) -> CommandOutput {
    let mut command = folder.command(&[&["doctor"], options].concat());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.env("TIDINGS_PORT", port::free().to_string()).envs(env.iter().copied());
    DataFolder::run_command(&mut command)
}

/// The exit code, and the states of the parts with what was found.
fn found(folder: &DataFolder, env: &[(&str, &str)]) -> (Option<i32>, Vec<(String, String, String)>) {
    let told = doctor(folder, &["--json"], env);
    let document: Value = serde_json::from_str(&told.out).unwrap_or_else(|error| panic!("{error}: {told:?}"));
    assert_eq!(document["well"], told.code == Some(0), "{document}");
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    let findings = document["findings"].as_array().unwrap().iter();
    (told.code, findings.map(|one| (text(one, "what"), text(one, "state"), text(one, "why"))).collect())
}

/// Asserts that a part is in a state, and what is said of it.
fn assert_found(folder: &DataFolder, env: &[(&str, &str)], part: &str, state: &str, words: &str) {
    let (code, all) = found(folder, env);
    let is_told =
        |(what, how, why): &(String, String, String)| what == part && how == state && why.contains(words);
    assert!(all.iter().any(is_told), "{part} is not {state}: {all:#?}");
    assert!(state != "trouble" || code == Some(1), "{code:?}: {all:#?}");
}

#[test]
fn a_new_folder_on_a_machine_without_a_desktop_needs_nobody() {
    let folder = DataFolder::new();
    let (code, all) = found(&folder, &[]);
    assert_eq!(code, Some(0), "{all:#?}");
    assert!(all.iter().all(|(_, state, _)| state != "trouble"), "{all:#?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn what_a_desktop_lacks_is_named_and_so_are_a_taken_port_and_a_folder_that_cannot_be_written() {
    let folder = DataFolder::new();
    let nowhere = [("DISPLAY", ":0"), ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")];
    assert_found(&folder, &nowhere, "session", "trouble", "no session bus");
    let bus = Bus::start();
    let empty = [("DISPLAY", ":0"), ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str())];
    for (part, state) in
        [("tray", "limited"), ("notifications", "trouble"), ("keyring", "limited"), ("portals", "limited")]
    {
        assert_found(&folder, &empty, part, state, "");
    }
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().port().to_string();
    assert_found(&folder, &[("TIDINGS_PORT", &taken)], "port", "limited", "Another program uses port");
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let inside = file.join("data");
    let inside = [("TIDINGS_DATA_DIR", inside.to_str().unwrap())];
    assert_found(&folder, &inside, "folder", "trouble", "cannot be written");
}

#[test]
fn a_wrong_clock_a_refused_token_and_a_server_out_of_reach_are_told_without_names_in_a_report() {
    let (_server_dir, serving, laptop) = server_and_replica();
    assert_found(&laptop, &[], "source", "well", "");
    laptop.set_clock_ahead(YEAR);
    assert_found(&laptop, &[], "clock", "trouble", "365 days ahead");
    laptop.set_clock_ahead(0);
    let tokens = laptop.path().join("tokens.json");
    let right = fs::read_to_string(&tokens).unwrap();
    fs::write(&tokens, right.replace("tdg_", "tdg_no")).unwrap();
    assert_found(&laptop, &[], "source", "trouble", "Needs sign-in");
    fs::write(&tokens, right).unwrap();
    let host = serving.url.replace("http://", "");
    drop(serving);
    assert_found(&laptop, &[], "source", "trouble", "No answer");
    let (named, report) = (doctor(&laptop, &[], &[]).out, doctor(&laptop, &["--report"], &[]).out);
    assert!(named.contains("✗ Work: No answer"), "{named}");
    assert!(
        report.starts_with("Tidings ") && report.contains(&format!("✗ Tidings {host}: No answer")),
        "{report}"
    );
    assert!(!report.contains("Work") && !report.contains("tdg_"), "{report}");
}

#[test]
fn a_certificate_of_an_unknown_authority_is_named() {
    let (runtime, folder, authority) =
        (Runtime::new().unwrap(), DataFolder::new(), Authority::new("Company CA"));
    let front = runtime.block_on(TlsFront::start("127.0.0.1:1", &authority.server("localhost"), None));
    let replica = Replica::open(folder.path(), Arc::new(SystemClock)).unwrap();
    let url = format!("{}/feed.xml", front.url());
    let (name, protocol) = ("News".to_owned(), "feed".to_owned());
    replica.add_source(NewSource { name, protocol, url, user: None, own: false }).unwrap();
    assert_found(&folder, &[], "source", "trouble", "signed by an unknown authority");
}

#[test]
fn a_newer_version_is_named_with_its_link_as_the_app_learned_it() {
    let folder = DataFolder::new();
    let replica = Replica::open(folder.path(), Arc::new(SystemClock)).unwrap();
    let newest = json!({"version": "999.0.0", "link": "https://forge.example/releases/999"});
    let at = "2026-11-01T08:00:00.000000Z";
    let known = json!({"newest": newest, "tried_at": at, "read_at": at});
    replica.set_setting("release", &known).unwrap();
    assert_found(&folder, &[], "version", "limited", "Tidings 999.0.0 is available");
    let (named, report) = (doctor(&folder, &[], &[]).out, doctor(&folder, &["--report"], &[]).out);
    assert!(named.contains("https://forge.example/releases/999"), "{named}");
    assert!(report.contains("999.0.0 is available") && !report.contains("forge.example"), "{report}");
}

#[test]
fn damaged_databases_and_one_that_another_program_has_for_itself_are_named() {
    let (server_dir, serving, laptop) = server_and_replica();
    serving.terminate();
    let other = File::open(laptop.path().join("replica.db.lock")).unwrap();
    other.lock().unwrap();
    assert_found(&laptop, &[], "inbox", "trouble", "Another program is using it");
    drop(other);
    for (folder, file, part) in [(&server_dir, "server.db", "server"), (&laptop, "replica.db", "inbox")] {
        assert_found(folder, &[], part, "well", "");
        damage_file(folder, file, "the first page");
        assert_found(folder, &[], part, "trouble", "damaged");
    }
}

#[test]
fn a_database_that_servers_share_is_named_by_whether_it_answers_and_nothing_is_made_in_it() {
    let (folder, database) = (DataFolder::new(), Database::empty());
    assert_found(&folder, &[("TIDINGS_STORE", &database.url)], "server", "well", "It answers");
    assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
    let nowhere = format!("postgres://ana:hunter2@127.0.0.1:{}/secrets", port::free());
    let nowhere = [("TIDINGS_STORE", nowhere.as_str())];
    assert_found(&folder, &nowhere, "server", "trouble", "It does not answer (");
    let report = doctor(&folder, &["--report"], &nowhere);
    assert!(report.out.contains("It does not answer\n"), "{report:?}");
    assert!(!report.out.contains("hunter2") && !report.out.contains("secrets"), "{report:?}");
}
