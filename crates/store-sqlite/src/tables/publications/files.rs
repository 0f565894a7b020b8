//! The table `files`: the records of uploaded files. A row whose file is to be deleted has expired; it is deleted after
//! the file.

use std::collections::HashSet;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Code, MsgId, Stamp};
use tidings_store::domain::file::UploadedFile;
use tidings_store::domain::limits;
use tidings_store::{Draft, Error, FileStore, FileUsage, StoredFile, UserKey};

use crate::tables::meta;
use crate::write_tx::WriteTx;
use crate::{SqliteStore, sql};

#[async_trait]
impl FileStore for SqliteStore {
    async fn file(&self, name: &str) -> Result<Option<StoredFile>, Error> {
        let name = name.to_owned();
        let sql = "SELECT file_name, media_type, bytes, expires_at FROM files WHERE name = ?1";
        self.read(move |c| sql::first(c, sql, [name], |r| StoredFile::from_row(r))).await
    }

    async fn file_usage(&self, uploader: Option<UserKey>) -> Result<FileUsage, Error> {
        let now = self.clock.now();
        self.read(move |c| usage(c, uploader, now)).await
    }

    async fn expired_files(&self, by_age: bool, limit: usize) -> Result<Vec<String>, Error> {
        let now = if by_age { self.clock.now() } else { Stamp::ZERO };
        let sql = "SELECT name FROM files WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2";
        self.read(move |c| sql::all(c, sql, params![now.as_micros(), limit], |r| Ok(r.get(0)?))).await
    }

    async fn known_files(&self, names: Vec<String>) -> Result<HashSet<String>, Error> {
        self.read(move |c| {
            let mut row = c.prepare_cached("SELECT 1 FROM files WHERE name = ?1")?;
            let mut known = HashSet::new();
            for name in names {
                if row.exists([&name])? {
                    known.insert(name);
                }
            }
            Ok(known)
        })
        .await
    }

    async fn files_after(&self, name: &str, limit: usize) -> Result<Vec<String>, Error> {
        let name = name.to_owned();
        let sql = "SELECT name FROM files WHERE name > ?1 ORDER BY name LIMIT ?2";
        self.read(move |c| sql::all(c, sql, params![name, limit], |r| Ok(r.get(0)?))).await
    }

    async fn forget_files(&self, names: Vec<String>) -> Result<(), Error> {
        self.write_long(move |w| {
            let mut row = w.tx.prepare_cached("DELETE FROM files WHERE name = ?1 RETURNING bytes")?;
            let mut bytes: i64 = 0;
            for name in names {
                let deleted: Option<i64> = row.query_row([name], |r| r.get(0)).optional()?;
                bytes = bytes.saturating_add(deleted.unwrap_or(0));
            }
            meta::count_file_bytes(w, -bytes)
        })
        .await
    }
}

/// Records the file of a publication that is stored now, or was delivered.
pub(crate) fn record(ctx: &WriteTx<'_>, draft: &Draft, msgid: &MsgId, stamp: Stamp) -> Result<(), Error> {
    match &draft.file {
        // The row of a delayed publication was inserted when it was scheduled.
        Some(file) if draft.msgid.is_some() => attach(ctx, &file.name, msgid, stamp),
        Some(file) => insert(ctx, file, msgid, stamp),
        None => Ok(()),
    }
}

/// Inserts the row of a new file; `too_large` if its uploader, or all together, would have more than the quota.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    file: &UploadedFile,
    msgid: &MsgId,
    published_at: Stamp,
) -> Result<(), Error> {
    check_quota(ctx, file)?;
    let sql =
        "INSERT INTO files (name, msgid, uploader, file_name, media_type, bytes, published_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    sql::run(
        ctx.tx,
        sql,
        params![
            file.name,
            msgid.as_str(),
            file.uploader.map_or(0, |user| user.0),
            file.file_name,
            file.media_type,
            file.bytes,
            published_at.as_micros(),
            file.expires_at.as_micros(),
        ],
    )?;
    meta::count_file_bytes(ctx, i64::try_from(file.bytes).unwrap_or(i64::MAX))
}

fn check_quota(ctx: &WriteTx<'_>, file: &UploadedFile) -> Result<(), Error> {
    let used = usage(ctx.tx, file.uploader, ctx.now)?;
    let fits = used.files < limits::USER_FILES
        && used.bytes.saturating_add(file.bytes) <= file.quota.user_bytes
        && used.total_bytes.saturating_add(file.bytes) <= file.quota.total_bytes;
    if fits { Ok(()) } else { Err(Error::refused(Code::TooLarge, "there is no room for this file")) }
}

/// Moves a file to the publication that its delayed publication has become.
fn attach(ctx: &WriteTx<'_>, name: &str, msgid: &MsgId, published_at: Stamp) -> Result<(), Error> {
    let sql = "UPDATE files SET msgid = ?2, published_at = ?3 WHERE name = ?1";
    sql::run(ctx.tx, sql, params![name, msgid.as_str(), published_at.as_micros()]).map(drop)
}

/// Lets the files of a publication expire.
pub(crate) fn expire_of(ctx: &WriteTx<'_>, msgid: &MsgId) -> Result<(), Error> {
    let sql = "UPDATE files SET expires_at = 0 WHERE msgid = ?1 AND expires_at > 0";
    sql::run(ctx.tx, sql, [msgid.as_str()]).map(drop)
}

/// Lets the files of a waiting publication expire: one of a publisher for a target, under a sequence or a msgid.
pub(crate) fn expire_waiting(
    ctx: &WriteTx<'_>,
    target: &str,
    name: &str,
    publisher: i64,
) -> Result<(), Error> {
    let sql = "UPDATE files SET expires_at = 0 WHERE expires_at > 0 AND msgid IN (
                 SELECT msgid FROM scheduled
                 WHERE target = ?1 AND (sequence = ?2 OR msgid = ?2) AND publisher = ?3)";
    sql::run(ctx.tx, sql, params![target, name, publisher]).map(drop)
}

/// The size of an uploader's files, at most [`limits::USER_FILES`] of them, and of all files.
fn usage(conn: &Connection, uploader: Option<UserKey>, now: Stamp) -> Result<FileUsage, Error> {
    let sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM files INDEXED BY files_by_uploader
             WHERE uploader = ?1 AND expires_at > ?2";
    let (files, bytes) =
        sql::one(conn, sql, params![uploader.map_or(0, |user| user.0), now.as_micros()], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })?;
    Ok(FileUsage { files, bytes, total_bytes: meta::get(conn)?.file_bytes })
}
