//! Tests of the uploaded files of several servers that use one database: in a folder that they share, and in folders of
//! their own.

use std::fs;
use std::path::Path;

use reqwest::Method;
use serde_json::Value;
use support::{client::Client, server::ServerProcess, wait};
use tempfile::TempDir;
use tidings_testkit::postgres::Database;

/// Uploads a file with a publication; gives its path at any of the servers.
async fn upload(client: &Client, bytes: &[u8]) -> (String, Value) {
    let request =
        client.request(Method::PUT, "/photos").header("Filename", "flower.jpg").body(bytes.to_vec());
    let message = client.send(request).await.is(200);
    let url = message["attachment"]["url"].as_str().expect("a file");
    (format!("/file/{}", url.split("/file/").nth(1).unwrap()), message)
}

async fn fetch(server: &ServerProcess, path: &str) -> Option<Vec<u8>> {
    let response = Client::without_token(&server.url()).request(Method::GET, path).send().await.unwrap();
    if response.status() != 200 {
        return None;
    }
    Some(response.bytes().await.unwrap().to_vec())
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Two servers on a database, started with this folder of files, if any.
fn two_servers(database: &Database, files: Option<&Path>) -> [ServerProcess; 2] {
    let mut one = ServerProcess::on_database(&database.url);
    let mut two = one.beside();
    if let Some(files) = files {
        for server in [&mut one, &mut two] {
            server.stop();
            server.use_files(files);
            server.restart();
        }
    }
    [one, two]
}

#[tokio::test]
async fn a_file_that_one_server_took_is_given_by_all_that_share_its_folder() {
    let (database, shared) = (Database::empty(), TempDir::new().unwrap());
    let [mut one, two] = two_servers(&database, Some(shared.path()));
    let ana = one.admin().user("ana", &["inbox", "publish"]).await;
    let (path, message) = upload(&ana, b"petals").await;
    assert_eq!(fetch(&two, &path).await.as_deref(), Some(&b"petals"[..]));
    assert_eq!(count(shared.path()), 1);

    one.kill();
    assert_eq!(
        fetch(&two, &path).await.as_deref(),
        Some(&b"petals"[..]),
        "also without the one that took it"
    );
    one.restart();
    let there = Client::new(&two.url(), &ana.token);
    let (second, _) = upload(&there, b"leaves").await;
    assert_eq!(fetch(&one, &second).await.as_deref(), Some(&b"leaves"[..]));
    assert_eq!(
        fetch(&one, &path).await.as_deref(),
        Some(&b"petals"[..]),
        "a start removes nothing of others"
    );

    there.delete(&format!("/photos/{}", message["id"].as_str().unwrap())).await.is(200);
    wait::until("its file is gone", || async { count(shared.path()) == 1 }).await;
    assert_eq!(fetch(&one, &path).await, None);
}

#[tokio::test]
async fn servers_with_folders_of_their_own_forget_no_file_of_another() {
    let database = Database::empty();
    let [one, mut two] = two_servers(&database, None);
    let ana = one.admin().user("ana", &["inbox", "publish"]).await;
    let (path, _) = upload(&ana, b"petals").await;
    assert_eq!(fetch(&two, &path).await, None, "it has no such file");
    two.stop();
    two.restart();
    let there = Client::new(&two.url(), &ana.token);
    let (own, _) = upload(&there, b"leaves").await;
    assert_eq!(fetch(&two, &own).await.as_deref(), Some(&b"leaves"[..]));
    assert_eq!(fetch(&one, &path).await.as_deref(), Some(&b"petals"[..]), "the other one still has it");
}

#[test]
fn a_shared_folder_that_is_not_there_is_said_at_the_start() {
    let (database, dir) = (Database::empty(), TempDir::new().unwrap());
    let missing = dir.path().join("not-mounted");
    let done = std::process::Command::new(support::program::built("tidings"))
        .args(["serve", "--listen", "127.0.0.1:0", "--files"])
        .arg(&missing)
        .env("TIDINGS_DATA_DIR", dir.path().join("data"))
        .env("TIDINGS_STORE", &database.url)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("not-mounted") && said.contains("can't be used"), "{said}");
    assert!(!missing.exists(), "it is not created beside the mount");
}
