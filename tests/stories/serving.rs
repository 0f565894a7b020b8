//! Tests of `tidings serve` as people run it: first start, signals, errors, tokens.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::Command,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::json;
use support::{
    app,
    client::Client,
    program::{Process, built},
    server::ServerProcess,
    wait,
};
use tempfile::TempDir;

#[tokio::test]
async fn a_first_start_makes_an_admin_and_a_second_one_does_not() {
    let mut server = ServerProcess::start();
    let me = server.admin().get("me").await.is(200);
    assert_eq!(me["id"], "admin");
    assert!(me["scopes"].as_array().unwrap().contains(&json!("admin")), "{me}");
    server.stop();
    server.restart();
    assert!(!server.process().unwrap().output().contains("tdg_"), "the token is shown once");
    assert_eq!(server.admin().get("me").await.is(200)["id"], "admin");
}

#[tokio::test]
async fn sigterm_ends_it_in_order_within_five_seconds_though_somebody_listens() {
    let mut server = ServerProcess::start();
    let admin = server.admin();
    let stream = admin.request(Method::GET, "events").send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let start = Instant::now();
    server.stop();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_port_in_use_is_one_clear_sentence() {
    let server = ServerProcess::start();
    let dir = TempDir::new().unwrap();
    let out = Command::new(built("tidings"))
        .args(["serve", "--listen", server.url().trim_start_matches("http://")])
        .env("TIDINGS_DATA_DIR", dir.path())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{err}");
    assert!(err.contains("another program uses") && !err.contains("panicked"), "{err}");
}

#[tokio::test]
async fn a_second_server_on_the_same_data_is_refused() {
    let server = ServerProcess::start();
    let out = Command::new(built("tidings"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("TIDINGS_DATA_DIR", server.data_dir())
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(server.admin().healthy().await);
}

#[tokio::test]
async fn its_log_never_has_a_token_or_a_body() {
    let mut server = ServerProcess::start();
    let admin = server.admin();
    admin
        .publish(
            "secrets?auth=nonsense",
            "the body of it",
            &[("Authorization", &format!("Bearer {}", admin.token))],
        )
        .await;
    admin.with_token("tdg_wrongwrongwrong").get("me").await.is(401);
    let output = server.process().unwrap().output();
    let without_first_line = output.replace(&admin.token, "");
    assert_eq!(output.matches(&admin.token).count(), 1, "once, at the first start");
    assert!(!without_first_line.contains("tdg_") && !output.contains("the body of it"), "{output}");
}

#[tokio::test]
async fn the_machine_s_running_server_is_found_through_its_endpoint_file() {
    let server = ServerProcess::start();
    let endpoint = server.data_dir().join("endpoint.json");
    assert_eq!(fs::metadata(&endpoint).unwrap().permissions().mode() & 0o777, 0o600);
    app::tidings(&server.data_dir(), &["send", "--topic", "backups", "--title", "Nightly", "Backup done"]);
}

#[tokio::test]
async fn tokens_are_made_and_revoked_while_it_runs() {
    let server = ServerProcess::start();
    app::tidings(&server.data_dir(), &["user", "add", "ana"]);
    let made =
        app::tidings_json(&server.data_dir(), &["token", "create", "--user", "ana", "--scope", "inbox"]);
    let ana = Client::new(&server.url(), made["token"].as_str().unwrap());
    assert_eq!(ana.get("me").await.is(200)["id"], "ana");
    app::tidings(&server.data_dir(), &["token", "revoke", made["id"].as_str().unwrap()]);
    ana.get("me").await.problem(401, "unauthorized", None);
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    let dir = TempDir::new().unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(built("tidings"));
        command
            .args(args)
            .env("TIDINGS_DATA_DIR", dir.path())
            .env_remove("TIDINGS_SERVER")
            .env_remove("TIDINGS_TOKEN");
        let log = dir.path().join("out.log");
        let mut run = Process::start("tidings", command, &log);
        run.exit_within(wait::TEST_TIMEOUT).unwrap().code()
    };
    assert_eq!(run(&["nonsense"]), Some(2));
    assert_eq!(run(&["send", "nobody listens here"]), Some(1));
}
