//! The table `scheduled`: delayed publications until they are due.

use rusqlite::{Connection, ToSql, params};
use tidings_model::{MsgId, Question, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::editor::Editor;
use tidings_store::domain::msgid;
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::fields::Fields;
use tidings_store::page::PageBuilder;
use tidings_store::published::waiting_question;
use tidings_store::schedule_limit::{BY_PUBLISHER, BY_TARGET, ScheduleLimit};
use tidings_store::written::push_waiting;
use tidings_store::{Error, ListPage, ListQuery};

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
        check(ctx, &BY_TARGET, &target, text.len())?;
    }
    check(ctx, &BY_PUBLISHER, &publisher, text.len())?;
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
/// [`TOPIC_SCHEDULED`](tidings_store::domain::limits::TOPIC_SCHEDULED) rows wait for a topic.
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

/// The question of what waits under a msgid; `None` if nothing waits that `by` may change, or if it asks nothing.
pub(crate) fn question(conn: &Connection, msgid: &MsgId, by: &Editor) -> Result<Option<Question>, Error> {
    let sql = "SELECT publisher, draft FROM scheduled WHERE msgid = ?1";
    let found = sql::first(conn, sql, [msgid.as_str()], |r| {
        let draft: String = r.get(1)?;
        Ok(waiting_question(r.get(0)?, &draft, by))
    })?;
    Ok(found.flatten())
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

/// A page of what a publisher lets wait, by msgid.
pub(crate) fn page_of(conn: &Connection, publisher: UserKey, page: &ListQuery) -> Result<ListPage, Error> {
    let mut statement = conn.prepare_cached(
        "SELECT deliver_at, draft FROM scheduled INDEXED BY scheduled_of_publisher
         WHERE publisher = ?1 AND msgid > ?2 ORDER BY msgid LIMIT ?3",
    )?;
    let after = page.after.as_deref().unwrap_or_default();
    let mut rows = statement.query(params![publisher.0, after, page.limit])?;
    let mut found = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        if !push_waiting(&mut found, row.stamp(0)?, row.text(1)?)? {
            break;
        }
    }
    Ok(ListPage(found.into_elements()))
}

/// The column `target` of a publication on a topic.
fn topic_target(topic: &str) -> String {
    format!("topic:{topic}")
}

/// Refuses another publication of this many bytes beyond a limit.
fn check(ctx: &WriteTx<'_>, limit: &ScheduleLimit, subject: &dyn ToSql, bytes: usize) -> Result<(), Error> {
    sql::one(ctx.tx, &sql::shared(limit.usage), [subject], |row| limit.check(row, bytes))
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
