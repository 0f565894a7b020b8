//! The table `scheduled`: delayed publications until they are due.

use rusqlite::{Connection, ToSql, params};
use tidings_model::{Code, MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::editor::Editor;
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::domain::{limits, msgid};

use crate::sql;
use crate::tables::files;
use crate::write_tx::WriteTx;

/// Stores a publication for later delivery; `rate_limited` if too many wait for its topic or from its publisher. What it
/// replaces was cancelled before.
pub(crate) fn add(ctx: &mut WriteTx<'_>, mut draft: Draft, deliver_at: Stamp) -> Result<MsgId, Error> {
    let msgid = msgid::mint(ctx.next_stamp());
    draft.msgid = Some(msgid.clone());
    let target = draft.target.as_ref().map_or_else(String::new, |t| format!("{}:{}", t.kind, t.id));
    let text = serde_json::to_string(&draft)?;
    let publisher = draft.posted_by.key();
    let sequence = draft.sequence.clone().unwrap_or_default();
    if !target.is_empty() {
        BY_TARGET.check(ctx, &target, text.len())?;
    }
    BY_PUBLISHER.check(ctx, &publisher, text.len())?;
    let sql =
        "INSERT INTO scheduled (msgid, deliver_at, draft, publisher, target, sequence, bytes, changes_others)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    sql::run(
        ctx.tx,
        sql,
        params![
            msgid.as_str(),
            deliver_at.as_micros(),
            text,
            publisher,
            target,
            sequence,
            text.len(),
            draft.posted_by.changes_others
        ],
    )?;
    if let Some(file) = &draft.file {
        files::insert(ctx, file, &msgid, deliver_at)?;
    }
    Ok(msgid)
}

/// Cancels what waits for a topic under a sequence or a msgid, from a publisher, with its files. At most
/// [`limits::TOPIC_SCHEDULED`] rows wait for a topic.
pub(crate) fn cancel(ctx: &WriteTx<'_>, topic: &str, name: &str, publisher: i64) -> Result<(), Error> {
    let target = topic_target(topic);
    files::expire_waiting(ctx, &target, name, publisher)?;
    let sql = "DELETE FROM scheduled WHERE target = ?1 AND (sequence = ?2 OR msgid = ?2) AND publisher = ?3";
    sql::run(ctx.tx, sql, params![target, name, publisher]).map(drop)
}

/// Cancels what waits under a msgid, with its files, and gives its publisher; `None` if there is nothing that `by` may
/// change.
pub(crate) fn recall(ctx: &WriteTx<'_>, msgid: &MsgId, by: &Editor) -> Result<Option<i64>, Error> {
    let sql = "SELECT publisher FROM scheduled WHERE msgid = ?1";
    let publisher: Option<i64> = sql::first(ctx.tx, sql, [msgid.as_str()], |r| Ok(r.get(0)?))?;
    let Some(publisher) = publisher.filter(|publisher| by.may_cancel(*publisher)) else { return Ok(None) };
    files::expire_of(ctx, msgid)?;
    sql::run(ctx.tx, "DELETE FROM scheduled WHERE msgid = ?1", [msgid.as_str()])?;
    Ok(Some(publisher))
}

/// Whether anything waits for a topic under a sequence or a msgid, from a publisher.
pub(crate) fn waits(conn: &Connection, topic: &str, name: &str, publisher: i64) -> Result<bool, Error> {
    let sql =
        "SELECT 1 FROM scheduled WHERE target = ?1 AND (sequence = ?2 OR msgid = ?2) AND publisher = ?3";
    sql::exists(conn, sql, params![topic_target(topic), name, publisher])
}

/// Whose it is what waits for a topic under a sequence or a msgid; of several the one that is delivered first.
pub(crate) fn publisher_of_waiting(conn: &Connection, topic: &str, name: &str) -> Result<Option<i64>, Error> {
    let sql = "SELECT publisher, min(deliver_at) FROM scheduled
             WHERE target = ?1 AND (sequence = ?2 OR msgid = ?2)";
    sql::one(conn, sql, params![topic_target(topic), name], |r| Ok(r.get(0)?))
}

/// What these publishers let wait for a topic, the first to be delivered first: msgid, time of delivery, and the draft.
pub(crate) fn waiting_on(
    conn: &Connection,
    topic: &str,
    publishers: &[Option<UserKey>],
) -> Result<Vec<(MsgId, Stamp, Draft)>, Error> {
    let sql = "SELECT msgid, deliver_at, draft FROM scheduled WHERE target = ?1 AND publisher = ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let mut waiting = Vec::new();
    for publisher in publishers {
        let publisher = PostedBy { user: *publisher, ..PostedBy::default() }.key();
        let mut rows = statement.query(params![topic_target(topic), publisher])?;
        while let Some(row) = rows.next()? {
            let (msgid, due) = (MsgId(row.get(0)?), Stamp::from_micros(row.get(1)?));
            // One that can't be read is dropped when it is due.
            if let Ok(draft) = serde_json::from_str(row.get_ref(2)?.as_str().unwrap_or_default()) {
                waiting.push((msgid, due, draft));
            }
        }
    }
    waiting.sort_by_key(|(_, due, _)| *due);
    Ok(waiting)
}

/// The column `target` of a publication on a topic.
fn topic_target(topic: &str) -> String {
    format!("topic:{topic}")
}

/// A limit on waiting publications, for each target or for each publisher.
struct ScheduleLimit {
    usage_sql: &'static str,
    max_count: usize,
    max_bytes: usize,
    subject: &'static str,
}

const BY_TARGET: ScheduleLimit = ScheduleLimit {
    usage_sql: "SELECT count(*), coalesce(sum(bytes), 0) FROM scheduled WHERE target = ?1",
    max_count: limits::TOPIC_SCHEDULED,
    max_bytes: limits::TOPIC_SCHEDULED_BYTES,
    subject: "for this topic",
};

const BY_PUBLISHER: ScheduleLimit = ScheduleLimit {
    usage_sql: "SELECT count(*), coalesce(sum(bytes), 0) FROM scheduled WHERE publisher = ?1",
    max_count: limits::USER_SCHEDULED,
    max_bytes: limits::USER_SCHEDULED_BYTES,
    subject: "from this publisher",
};

impl ScheduleLimit {
    /// An error if another publication of this many bytes would exceed the limit.
    fn check(&self, ctx: &WriteTx<'_>, subject: &dyn ToSql, bytes: usize) -> Result<(), Error> {
        let sql = self.usage_sql;
        let (count, used_bytes): (usize, usize) =
            sql::one(ctx.tx, sql, [subject], |r| Ok((r.get(0)?, r.get(1)?)))?;
        if count < self.max_count && used_bytes.saturating_add(bytes) <= self.max_bytes {
            return Ok(());
        }
        Err(Error::refused(
            Code::RateLimited,
            format!(
                "{count} delayed publications with {used_bytes} bytes wait {}; at most {} with {} bytes may. Nothing was kept: \
                 publish it without a delay, or again when some of them were delivered",
                self.subject, self.max_count, self.max_bytes
            ),
        ))
    }
}

/// The time at which the next publication is due.
pub(crate) fn next_due(conn: &Connection) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT min(deliver_at) FROM scheduled";
    let next: Option<i64> = sql::one(conn, sql, [], |r| Ok(r.get(0)?))?;
    Ok(next.map(Stamp::from_micros))
}

/// A publication that is due: its msgid, the draft as JSON, and who published it.
pub(crate) struct Due {
    pub(crate) msgid: String,
    pub(crate) draft: String,
    pub(crate) posted_by: PostedBy,
}

/// Deletes the first publication that is due, and gives it.
pub(crate) fn take_due(ctx: &WriteTx<'_>) -> Result<Option<Due>, Error> {
    let sql = "SELECT msgid, draft, publisher, changes_others FROM scheduled WHERE deliver_at <= ?1
             ORDER BY deliver_at, msgid LIMIT 1";
    let due = sql::first(ctx.tx, sql, [ctx.now.as_micros()], |r| {
        let posted_by = PostedBy::stored(r.get(2)?, r.get(3)?);
        Ok(Due { msgid: r.get(0)?, draft: r.get(1)?, posted_by })
    })?;
    if let Some(Due { msgid, .. }) = &due {
        sql::run(ctx.tx, "DELETE FROM scheduled WHERE msgid = ?1", [msgid])?;
    }
    Ok(due)
}

/// Cancels what a removed user let wait; `?1` the user, `?2` the most rows.
pub(crate) const DELETE_OF_USER: &str = "DELETE FROM scheduled WHERE msgid IN (
    SELECT msgid FROM scheduled INDEXED BY scheduled_by_publisher WHERE publisher = ?1 LIMIT ?2)";
