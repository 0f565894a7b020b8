//! Tests a server whose file is damaged, or has no log or that of another server beside it. It serves what is right, or
//! names `tidings restore`, and never serves anything else.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use support::app::try_tidings;
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_model::{Notification, SystemClock};
use tidings_server::{Error, Server, ServerConfig, User};
use tidings_testkit::pages::{PAGE_BYTES, bits, kinds};
use tidings_testkit::report::tried;
use tokio::task::block_in_place;

/// The row of the report.
const DAMAGED: &str = "damaged files of a server";

/// What a server has, user by user.
type Exported = Vec<(String, Vec<Notification>)>;

async fn exported(data: &Path) -> Result<Exported, Error> {
    let server = Server::open(ServerConfig::new(data), Arc::new(SystemClock)).await?;
    export(&server).await
}

async fn export(server: &Server) -> Result<Exported, Error> {
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
    let (mut files, mut found) = (0, 0);
    for (what, bytes) in damaged.chain(short) {
        files += 1;
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
    tried(DAMAGED, &[("files", files)], &[]);
}

#[test]
fn a_start_on_a_damaged_file_is_refused_in_a_sentence_that_names_the_restore() {
    let folder = TempDir::with_prefix("tidings-damaged.").unwrap();
    fs::write(folder.path().join("server.db"), "no database ".repeat(1_000)).unwrap();
    let (is_done, _, err) = try_tidings(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    assert!(!is_done && err.contains("damaged") && err.contains("`tidings restore`"), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_bit_in_each_kind_of_page_is_told_or_changes_nothing() {
    let folder = TempDir::with_prefix("tidings-damaged.").unwrap();
    let mut server = block_in_place(|| ServerProcess::in_folder(folder.path(), &[], ""));
    server.admin().user("reader", &["inbox"]).await;
    for n in 0..60 {
        let message = json!({"to": "reader", "body": format!("{n} {}", "x".repeat(n % 6 * 1_500))});
        server.admin().post("messages", message).await.is(201);
    }
    block_in_place(|| server.stop());
    let right = exported(folder.path()).await.unwrap();
    let file = fs::read(folder.path().join("server.db")).unwrap();
    let kinds = kinds(&file);
    for kind in ["leaf of a table", "leaf of an index", "interior page of a table", "rest of a long row"] {
        assert!(kinds.contains_key(kind), "{kinds:?}");
    }
    let (mut files, mut told) = (0, 0);
    for (kind, page) in kinds {
        for (at, bit) in bits(kind) {
            let what = format!("bit {bit} of byte {at} of page {page}, {kind}");
            files += 1;
            let copy = TempDir::with_prefix("tidings-damaged.").unwrap();
            let mut bytes = file.clone();
            bytes[(page - 1) * PAGE_BYTES + at] ^= bit;
            fs::write(copy.path().join("server.db"), bytes).unwrap();
            let looked_at = async {
                let server = Server::open(ServerConfig::new(copy.path()), Arc::new(SystemClock)).await?;
                Ok::<_, Error>((export(&server).await?, server.check().await?))
            };
            match looked_at.await {
                Ok((all, differences)) => {
                    told += usize::from(!differences.is_empty());
                    assert!(all == right || !differences.is_empty(), "{what}");
                }
                Err(error) => {
                    told += 1;
                    assert!(error.to_string().contains("`tidings restore`"), "{what}: {error}");
                }
            }
        }
    }
    assert!(told >= 10, "{told} are told");
    tried(DAMAGED, &[("files", files)], &[]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_of_another_server_is_refused_and_what_is_right_is_served_without_it() {
    let [folder, other] = [(); 2].map(|()| TempDir::with_prefix("tidings-damaged.").unwrap());
    let mut server = block_in_place(|| ServerProcess::in_folder(folder.path(), &[], ""));
    server.admin().user("reader", &["inbox"]).await;
    server.admin().post("messages", json!({"to": "reader", "body": "Ours"})).await.is(201);
    block_in_place(|| server.stop());
    let right = exported(folder.path()).await.unwrap();
    let mut theirs = block_in_place(|| ServerProcess::in_folder(other.path(), &[], ""));
    theirs.admin().user("stranger", &["inbox"]).await;
    theirs.admin().post("messages", json!({"to": "stranger", "body": "Theirs"})).await.is(201);
    block_in_place(|| theirs.kill());
    let log = folder.path().join("server.db-wal");
    fs::copy(other.path().join("server.db-wal"), &log).unwrap();
    let serve = || block_in_place(|| try_tidings(folder.path(), &["serve", "--listen", "127.0.0.1:0"]));
    let (is_done, _, err) = serve();
    assert!(!is_done && err.contains("of another database") && err.contains("`tidings restore`"), "{err}");
    fs::remove_file(&log).unwrap();
    assert_eq!(exported(folder.path()).await.unwrap(), right);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_without_its_log_begins_no_new_one_in_its_place() {
    let folder = TempDir::with_prefix("tidings-damaged.").unwrap();
    let mut server = block_in_place(|| ServerProcess::in_folder(folder.path(), &[], ""));
    server.admin().user("reader", &["inbox"]).await;
    block_in_place(|| server.kill());
    for log in ["server.db-wal", "server.db-shm"] {
        fs::remove_file(folder.path().join(log)).unwrap();
    }
    let serve = || try_tidings(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    let (is_done, _, err) = block_in_place(serve);
    assert!(!is_done && err.contains("its log") && err.contains("`tidings restore`"), "{err}");
}
