//! Tests of tidying in a folder that several processes share.

use std::path::Path;
use std::time::UNIX_EPOCH;

use tidings_model::{Actor, Kind};
use tidings_store::domain::file::{FileQuota, FileUsage, UploadedFile};
use tidings_store::prelude::*;
use tidings_store::{Audience, Draft};
use tidings_store_sqlite::SqliteStore;
use tidings_testkit::clock::ManualClock;

use super::*;
use crate::files::{FileLimits, Upload};

fn store(dir: &Path) -> SqliteStore {
    SqliteStore::open(&dir.join("server.db"), Arc::new(ManualClock::default())).unwrap()
}

async fn upload(folder: &Arc<FileFolder>) -> Upload {
    let admission = folder.admit(&FileLimits::default(), None, FileUsage::default(), 0).unwrap();
    let mut upload = Upload::create(admission, "bin", 0).await.unwrap();
    upload.write(b"bytes").await.unwrap();
    upload
}

/// A publication with a file of this name.
async fn publish(store: &SqliteStore, name: &str) {
    let by = Actor { id: "press".into(), name: "Press".into() };
    let mut draft = Draft::new(Kind::Announcement, Audience::Everyone, by);
    draft.file = Some(UploadedFile {
        name: name.to_owned(),
        file_name: "a.bin".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        bytes: 5,
        uploader: None,
        expires_at: tidings_model::Stamp::MAX,
        quota: FileQuota::default(),
    });
    store.post(vec![draft], None).await.unwrap();
}

fn names(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

#[tokio::test]
async fn in_a_shared_folder_what_another_process_is_about_to_store_stays() {
    let (dir, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = store(data.path());
    let [one, two] = [0, 1].map(|_| Arc::new(FileFolder::shared(dir.path())));
    let (begun, mut whole) = (upload(&one).await, upload(&one).await);
    whole.finish().await.unwrap();
    delete_strays(&store, &two).await.unwrap();
    assert_eq!(names(dir.path()), 2, "one that comes in, and one that is whole and not stored yet");
    publish(&store, whole.stored_name()).await;
    whole.submit();
    // As long after a kill of the process that uploaded the other one.
    for entry in fs::read_dir(dir.path()).unwrap() {
        let file = fs::File::options().write(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(UNIX_EPOCH).unwrap();
    }
    delete_strays(&store, &two).await.unwrap();
    assert_eq!(names(dir.path()), 1, "what the store knows stays");
    assert!(dir.path().join(whole.stored_name()).exists());
    drop(begun);
}

#[tokio::test]
async fn a_shared_folder_that_is_not_mounted_makes_no_file_forgotten() {
    let (dir, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = store(data.path());
    let [there, missing] = ["a", "b"].map(|c| c.repeat(64));
    for name in [&there, &missing] {
        publish(&store, name).await;
    }
    let folder = Arc::new(FileFolder::shared(dir.path()));
    let known = async || store.known_files(vec![there.clone(), missing.clone()]).await.unwrap().len();
    forget_missing(&store, &folder).await.unwrap();
    assert_eq!(known().await, 2, "an empty folder");
    let gone = Arc::new(FileFolder::shared(&dir.path().join("gone")));
    forget_missing(&store, &gone).await.unwrap();
    assert_eq!(known().await, 2, "no folder");
    fs::write(dir.path().join(&there), "bytes").unwrap();
    forget_missing(&store, &folder).await.unwrap();
    assert_eq!(known().await, 1, "one file among others");
    let admission = gone.admit(&FileLimits::default(), None, FileUsage::default(), 0).unwrap();
    assert!(Upload::create(admission, "bin", 0).await.is_err(), "nothing is written beside the mount");
}
