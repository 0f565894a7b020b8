//! The table `files`: the records of uploaded files. A row whose file is to be deleted has expired; it is deleted after
//! the file.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use tidings_model::{Code, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::file::{FileUsage, StoredFile, UploadedFile};
use tidings_store::domain::limits;
use tidings_store::{Error, FileStore};

use super::facts::Facts;
use super::request::{Item, name_of};
use super::statements::{CANCEL, EXPIRE_OF};
use super::topic_target;
use crate::PostgresStore;
use crate::session::{Columns, Value, Values, rows};
use crate::tx::{WriteTx, in_transaction, reading};

/// The files of the uploaders `$1` that have not expired at `$2`, and their bytes.
const USED: &str = "SELECT uploader, count(*), sum(bytes)::bigint FROM files
    WHERE uploader = ANY($1) AND expires_at > $2 GROUP BY uploader";

/// The bytes of all files, locked: who adds files does so one after the other.
const TOTAL: &str = "SELECT file_bytes FROM counters FOR UPDATE";

/// What the files of some uploaders take, while nobody else adds any.
pub(super) struct Room {
    used: HashMap<i64, (usize, u64)>,
    total: u64,
}

impl Room {
    /// Locks the number of bytes of all files, and counts those of these uploaders, after what `before` does.
    pub(super) async fn lock(
        tx: &WriteTx<'_>,
        before: &[(&str, Values<'_>)],
        uploaders: &[i64],
    ) -> Result<Self, Error> {
        let now = tx.now.as_micros();
        let values: [&dyn Value; 2] = [&uploaders, &now];
        let mut statements = before.to_vec();
        statements.push((TOTAL, &[]));
        statements.push((USED, &values));
        let mut results = tx.pipeline(&statements).await?;
        let (used, total) = (results.pop().unwrap_or_default(), results.pop().unwrap_or_default());
        let bytes = |n: i64| u64::try_from(n).unwrap_or_default();
        let mut room = Self { used: HashMap::new(), total: 0 };
        if let Some(row) = total.first() {
            room.total = bytes(row.at(0)?);
        }
        for row in &used {
            room.used.insert(row.at(0)?, (row.count(1)?, bytes(row.at(2)?)));
        }
        Ok(room)
    }

    /// Takes room for a file.
    ///
    /// # Errors
    /// `too_large` if its uploader, or all together, would have more than the quota.
    pub(super) fn take(&mut self, file: &UploadedFile) -> Result<(), Error> {
        let (files, bytes) = self.used.entry(file.uploader.map_or(0, |user| user.0)).or_default();
        let fits = *files < limits::USER_FILES
            && bytes.saturating_add(file.bytes) <= file.quota.user_bytes
            && self.total.saturating_add(file.bytes) <= file.quota.total_bytes;
        if !fits {
            return Err(Error::refused(Code::TooLarge, "there is no room for this file"));
        }
        *files += 1;
        *bytes = bytes.saturating_add(file.bytes);
        self.total = self.total.saturating_add(file.bytes);
        Ok(())
    }
}

/// Takes room for the files of publications, after the files of the replaced publications have expired.
pub(super) async fn make_room(tx: &WriteTx<'_>, facts: &Facts, run: &[Item<'_>]) -> Result<(), Error> {
    let new_files: Vec<&UploadedFile> = run
        .iter()
        .filter(|item| item.draft.msgid.is_none())
        .filter_map(|item| item.draft.file.as_ref())
        .collect();
    if new_files.is_empty() {
        return Ok(());
    }
    let (mut targets, mut names, mut publishers, mut replaced) = (vec![], vec![], vec![], vec![]);
    for item in run {
        let (Some((topic, name)), Some(found)) = (name_of(item.draft), facts.named(item.draft)) else {
            continue;
        };
        targets.push(topic_target(topic));
        names.push(name);
        publishers.push(found.publisher);
        replaced.extend(found.item.as_ref().map(|(_, MsgId(msgid))| msgid.clone()));
    }
    let uploaders: Vec<i64> = new_files.iter().map(|file| file.uploader.map_or(0, |user| user.0)).collect();
    let before: [(&str, Values<'_>); 2] =
        [(CANCEL, &[&targets, &names, &publishers]), (EXPIRE_OF, &[&replaced])];
    let mut room = Room::lock(tx, &before, &uploaders).await?;
    new_files.into_iter().try_for_each(|file| room.take(file))
}

/// Inserts the row of the file of a delayed publication, for which there is room.
pub(super) async fn insert_waiting(
    tx: &WriteTx<'_>,
    file: &UploadedFile,
    msgid: &MsgId,
    deliver_at: Stamp,
) -> Result<(), Error> {
    let sql =
        "INSERT INTO files (name, msgid, uploader, file_name, media_type, bytes, published_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let (uploader, bytes) =
        (file.uploader.map_or(0, |user| user.0), i64::try_from(file.bytes).unwrap_or(i64::MAX));
    let (published_at, expires_at) = (deliver_at.as_micros(), file.expires_at.as_micros());
    let values: Values<'_> = &[
        &file.name,
        &msgid.as_str(),
        &uploader,
        &file.file_name,
        &file.media_type,
        &bytes,
        &published_at,
        &expires_at,
    ];
    let count = "UPDATE counters SET file_bytes = file_bytes + $1";
    tx.pipeline(&[(sql, values), (count, &[&bytes])]).await?;
    Ok(())
}

async fn names(store: &PostgresStore, sql: &str, values: Values<'_>) -> Result<Vec<String>, Error> {
    let found = reading!(store, |s| s.query(sql, values).await)?;
    found.iter().map(|row| row.at(0)).collect()
}

#[async_trait]
impl FileStore for PostgresStore {
    async fn file(&self, name: &str) -> Result<Option<StoredFile>, Error> {
        let sql = "SELECT file_name, media_type, bytes, expires_at FROM files WHERE name = $1";
        let row = reading!(self, |s| s.query_opt(sql, &[&name]).await)?;
        row.as_ref().map(StoredFile::from_row).transpose()
    }

    async fn file_usage(&self, uploader: Option<UserKey>) -> Result<FileUsage, Error> {
        let sql =
            "SELECT count(*), coalesce(sum(bytes), 0)::bigint, (SELECT file_bytes FROM counters) FROM files
               WHERE uploader = $1 AND expires_at > $2";
        let (uploader, now) = (uploader.map_or(0, |user| user.0), self.clock.now().as_micros());
        let row = reading!(self, |s| s.query_one(sql, &[&uploader, &now]).await)?;
        let bytes = |n: i64| u64::try_from(n).unwrap_or_default();
        Ok(FileUsage { files: row.count(0)?, bytes: bytes(row.at(1)?), total_bytes: bytes(row.at(2)?) })
    }

    async fn expired_files(&self, by_age: bool, limit: usize) -> Result<Vec<String>, Error> {
        let sql = "SELECT name FROM files WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2";
        let now = if by_age { self.clock.now() } else { Stamp::ZERO };
        names(self, sql, &[&now.as_micros(), &rows(limit)]).await
    }

    async fn known_files(&self, asked: Vec<String>) -> Result<HashSet<String>, Error> {
        let found = names(self, "SELECT name FROM files WHERE name = ANY($1)", &[&asked]).await?;
        Ok(found.into_iter().collect())
    }

    async fn files_after(&self, name: &str, limit: usize) -> Result<Vec<String>, Error> {
        names(self, "SELECT name FROM files WHERE name > $1 ORDER BY name LIMIT $2", &[&name, &rows(limit)])
            .await
    }

    async fn forget_files(&self, gone: Vec<String>) -> Result<(), Error> {
        // The counter first, as everybody who changes it.
        let sql = "WITH gone AS (DELETE FROM files WHERE name = ANY($1) RETURNING bytes)
        UPDATE counters SET file_bytes = file_bytes - coalesce((SELECT sum(bytes) FROM gone), 0)::bigint";
        in_transaction!(self, |tx| tx.pipeline(&[(TOTAL, &[]), (sql, &[&gone])]).await)?;
        Ok(())
    }
}
