//! The table `scheduled`: delayed publications until they are due.

use rusqlite::{Connection, OptionalExtension, ToSql, params};
use tidings_model::{Code, MsgId, Stamp};

use crate::domain::account::UserKey;
use crate::domain::draft::Draft;
use crate::domain::{limits, msgid};
use crate::error::Error;
use crate::store::sqlite::tables::files;
use crate::store::sqlite::write_tx::WriteTx;

/// Stores a publication for later delivery; `rate_limited` where too many wait for its topic or from its publisher.
pub(crate) fn add(
    ctx: &mut WriteTx<'_>,
    mut draft: Draft,
    publisher: Option<UserKey>,
    deliver_at: Stamp,
) -> Result<MsgId, Error> {
    let msgid = msgid::mint(ctx.next_stamp());
    draft.msgid = Some(msgid.clone());
    let target = draft.target.as_ref().map_or_else(String::new, |t| format!("{}:{}", t.kind, t.id));
    let text = serde_json::to_string(&draft)?;
    let publisher = publisher.map_or(0, |user| user.0);
    let sequence = draft.sequence.clone().unwrap_or_default();
    if let (Some(topic), false) = (&draft.target, sequence.is_empty()) {
        cancel(ctx, &topic.id, &sequence)?;
    }
    if !target.is_empty() {
        BY_TARGET.check(ctx, &target, text.len())?;
    }
    BY_PUBLISHER.check(ctx, &publisher, text.len())?;
    ctx.tx
        .prepare_cached(
            "INSERT INTO scheduled (msgid, deliver_at, draft, publisher, target, sequence, bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            msgid.as_str(),
            deliver_at.as_micros(),
            text,
            publisher,
            target,
            sequence,
            text.len()
        ])?;
    if let Some(file) = &draft.file {
        files::insert(ctx, file, &msgid, deliver_at)?;
    }
    Ok(msgid)
}

/// Cancels what waits for a topic under a sequence or a msgid, with its files. At most [`limits::TOPIC_SCHEDULED`] rows wait for it.
pub(crate) fn cancel(ctx: &WriteTx<'_>, topic: &str, name: &str) -> Result<(), Error> {
    let target = topic_target(topic);
    files::expire_waiting(ctx, &target, name)?;
    ctx.tx
        .prepare_cached("DELETE FROM scheduled WHERE target = ?1 AND (sequence = ?2 OR msgid = ?2)")?
        .execute([target.as_str(), name])?;
    Ok(())
}

/// What waits for a topic, the first to be delivered first: msgid, time of delivery, and the draft.
pub(crate) fn waiting_on(conn: &Connection, topic: &str) -> Result<Vec<(MsgId, Stamp, Draft)>, Error> {
    let mut rows = conn.prepare_cached("SELECT msgid, deliver_at, draft FROM scheduled WHERE target = ?1")?;
    let rows = rows.query_map([topic_target(topic)], |r| {
        Ok((MsgId(r.get(0)?), Stamp::from_micros(r.get(1)?), r.get::<_, String>(2)?))
    })?;
    let mut waiting = Vec::new();
    for row in rows {
        let (msgid, due, draft) = row?;
        // One that can't be read is dropped when it is due.
        if let Ok(draft) = serde_json::from_str(&draft) {
            waiting.push((msgid, due, draft));
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
    /// An error where another publication of this many bytes would exceed the limit.
    fn check(&self, ctx: &WriteTx<'_>, subject: &dyn ToSql, bytes: usize) -> Result<(), Error> {
        let (count, used_bytes): (usize, usize) =
            ctx.tx.prepare_cached(self.usage_sql)?.query_row([subject], |r| Ok((r.get(0)?, r.get(1)?)))?;
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
    let next: Option<i64> =
        conn.prepare_cached("SELECT min(deliver_at) FROM scheduled")?.query_row([], |r| r.get(0))?;
    Ok(next.map(Stamp::from_micros))
}

/// Deletes the first publication that is due; gives its msgid, and the draft as JSON.
pub(crate) fn take_due(ctx: &WriteTx<'_>) -> Result<Option<(String, String)>, Error> {
    let due: Option<(String, String)> = ctx
        .tx
        .prepare_cached(
            "SELECT msgid, draft FROM scheduled WHERE deliver_at <= ?1 ORDER BY deliver_at, msgid LIMIT 1",
        )?
        .query_row([ctx.now.as_micros()], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    if let Some((msgid, _)) = &due {
        ctx.tx.prepare_cached("DELETE FROM scheduled WHERE msgid = ?1")?.execute([msgid])?;
    }
    Ok(due)
}
