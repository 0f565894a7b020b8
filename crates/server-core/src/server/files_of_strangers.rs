//! Files that are no longer what a server wrote, on their way from a backup to a server.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tidings_model::wire::Scope;
use tidings_model::{Actor, Clock, Kind, Notification, Target};
use tidings_store::domain::account::User;
use tidings_store::future_stamps::FutureStamps;
use tidings_store::{Audience, DATABASE_FILE, Draft};
use tidings_store_migrate::mend_clock::prepare_copy;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::fuzz;

use super::Server;
use crate::config::ServerConfig;

/// The file of a server of a user with a few reminders.
async fn written(folder: &Path, clock: Arc<dyn Clock>) -> Vec<u8> {
    let server = Server::open(ServerConfig::new(folder), clock).await.unwrap();
    server.owner("ann", "Ann", "test", &[Scope::Inbox]).await.unwrap();
    let ann = server.store.user("ann").await.unwrap().unwrap();
    for n in 0..20 {
        let bob = Actor { id: "bob".into(), name: "Bob".into() };
        let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, bob);
        draft.action = "publish".into();
        draft.target = Some(Target { kind: "topic".into(), id: format!("t{n}"), ..Target::default() });
        draft.content.body = "Nice work ".repeat(n);
        draft.subscribe = Some(ann.key);
        server.store.post(vec![draft], None).await.unwrap();
    }
    while server.store.fan_in(ann.key).await.unwrap() {}
    let copy = folder.join("copy.db");
    server.backup(&copy).await.unwrap();
    fs::read(copy).unwrap()
}

/// Restores a file and reads all of it. What is refused is refused in words.
async fn restore(folder: &Path, clock: Arc<dyn Clock>) -> Result<(), tidings_store::Error> {
    prepare_copy(&folder.join(DATABASE_FILE), &clock, FutureStamps::Refuse)?;
    let server = Server::open(ServerConfig::new(folder), clock).await?;
    server.check().await?;
    let mut each = |_: &User, _: Vec<Notification>| true;
    server.export(&mut each).await
}

#[test]
fn whatever_became_of_a_servers_file_it_is_served_or_refused_in_words() {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::running());
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = runtime().block_on(written(folder.path(), Arc::clone(&clock)));
    fuzz::run("server-file", 60, |input| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(DATABASE_FILE), fuzz::changed(&file, input)).unwrap();
        if let Err(refusal) = runtime().block_on(restore(folder.path(), Arc::clone(&clock))) {
            assert!(!refusal.to_string().is_empty());
        }
    });
}
