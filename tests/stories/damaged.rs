//! Tests a server whose file is damaged: it serves what is right, or names `tidings restore`, and never serves anything else.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use support::app::try_tidings;
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_model::{Notification, SystemClock};
use tidings_server::{Error, Server, ServerConfig, User};
use tokio::task::block_in_place;

/// The size of a page of the file.
const PAGE_BYTES: usize = 4_096;

/// What a server has, user by user.
async fn exported(data: &Path) -> Result<Vec<(String, Vec<Notification>)>, Error> {
    let server = Server::open(ServerConfig::new(data), Arc::new(SystemClock)).await?;
    let mut all = Vec::new();
    let mut each = |user: &User, items: Vec<Notification>| {
        all.push((user.id.clone(), items));
        true
    };
    server.export(&mut each).await?;
    Ok(all)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_file_is_damaged_serves_what_is_right_or_names_the_restore() {
    let folder = TempDir::with_prefix("tidings-damaged.").unwrap();
    let mut server = block_in_place(|| ServerProcess::in_folder(folder.path(), &[], ""));
    server.admin().user("reader", &["inbox"]).await;
    for n in 0..60 {
        let message = json!({"to": "reader", "body": format!("{n} {}", "x".repeat(n % 5 * 200))});
        server.admin().post("messages", message).await.is(201);
    }
    block_in_place(|| server.stop());
    let right = exported(folder.path()).await.unwrap();
    assert!(right.iter().any(|(user, items)| user == "reader" && items.len() == 60), "{right:?}");
    let file = fs::read(folder.path().join("server.db")).unwrap();
    let pages = file.len() / PAGE_BYTES;
    let stride = if std::env::var_os("TIDINGS_SOAK").is_some() { 1 } else { 4 };
    let damaged = (0..pages).step_by(stride).map(|page| {
        let mut bytes = file.clone();
        for byte in &mut bytes[page * PAGE_BYTES..][..16] {
            *byte ^= 0xa5;
        }
        (format!("page {page} of {pages}"), bytes)
    });
    let short = [2, 3].map(|part| (format!("1 part of {part}"), file[..pages / part * PAGE_BYTES].to_vec()));
    let mut found = 0;
    for (what, bytes) in damaged.chain(short) {
        let copy = TempDir::with_prefix("tidings-damaged.").unwrap();
        fs::write(copy.path().join("server.db"), bytes).unwrap();
        match exported(copy.path()).await {
            Ok(all) => assert_eq!(all, right, "{what}"),
            Err(error) => {
                assert!(error.to_string().contains("`tidings restore`"), "{what}: {error}");
                let problem = error.into_problem();
                assert!(problem.detail.contains("restore a backup"), "{what}: {}", problem.detail);
                found += 1;
            }
        }
    }
    assert!(found > 3, "{found} of {pages} pages");
}

#[test]
fn a_start_on_a_damaged_file_is_refused_in_a_sentence_that_names_the_restore() {
    let folder = TempDir::with_prefix("tidings-damaged.").unwrap();
    fs::write(folder.path().join("server.db"), "no database ".repeat(1_000)).unwrap();
    let (is_done, _, err) = try_tidings(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    assert!(!is_done && err.contains("damaged") && err.contains("`tidings restore`"), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}
