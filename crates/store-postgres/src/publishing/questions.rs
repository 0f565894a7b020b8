//! Questions of publications: their answers, and the end of their time. The publication is written once; inboxes get it at
//! their next fan-in, as they got the publication.

use tidings_model::{Code, Content, MsgId, Question, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::Post;
use tidings_store::domain::editor::Editor;
use tidings_store::domain::question::{self, Reply};
use tidings_store::published::{Published, content_json, waiting_question};

use super::recall::{self, StoredPublication};
use super::statements::CLOSE;
use crate::PostgresStore;
use crate::session::{Columns, Session, rows};
use crate::tx::{WriteTx, in_transaction, reading};

/// `$1` the creation.
const CONTENT: &str =
    "SELECT content, coalesce((SELECT asked_at FROM open_questions WHERE created_at = $1), 0)
     FROM notifications WHERE created_at = $1 AND revision <> 3";

/// The content of a publication, and when its question was asked in place of an earlier one: zero for a first one.
async fn asked(session: &Session, created_at: Stamp) -> Result<Option<(Content, Stamp)>, Error> {
    let row = session.query_opt(CONTENT, &[&created_at.as_micros()]).await?;
    row.map(|row| Ok((serde_json::from_str(row.at(0)?)?, row.stamp(1)?))).transpose()
}

async fn content(session: &Session, created_at: Stamp) -> Result<Option<Content>, Error> {
    Ok(asked(session, created_at).await?.map(|(content, _)| content))
}

/// Answers the question of a publication; `None` for one that was taken back. The log is locked by it, so that little may follow in the transaction.
pub(crate) async fn answer(
    tx: &mut WriteTx<'_>,
    msgid: &MsgId,
    reply: Reply<'_>,
) -> Result<Option<Result<Post, Code>>, Error> {
    let found = recall::find(tx, msgid).await?.filter(|found| !found.published.is_recalled);
    let Some(found) = found else { return Ok(None) };
    let created_at = found.published.created_at;
    let Some((before, asked_at)) = asked(tx, created_at).await? else { return Ok(None) };
    if let Err(code) = question::answered(&before, asked_at, reply, tx.now) {
        return Ok(Some(Err(code)));
    }
    let stamp = tx.creation_stamp().await?;
    // With the log locked nobody else answers it or takes it back; somebody may have while it was waited for.
    let Some((now, asked_at)) = asked(tx, created_at).await? else { return Ok(None) };
    match question::answered(&now, asked_at, reply, tx.now) {
        Ok(content) => close(tx, found, &content, stamp).await.map(|post| Some(Ok(post))),
        Err(code) => Ok(Some(Err(code))),
    }
}

/// Writes the outcome of a question.
async fn close(
    tx: &WriteTx<'_>,
    found: StoredPublication,
    content: &Content,
    stamp: Stamp,
) -> Result<Post, Error> {
    let (created_at, content) = (found.published.created_at.as_micros(), content_json(content)?);
    if tx.query_opt(CLOSE, &[&created_at, &content, &stamp.as_micros()]).await?.is_none() {
        return Err(Error::interrupted("a publication was deleted while it was answered"));
    }
    Ok(found.post(stamp))
}

/// The questions whose time is over at `$1`, the first of them.
const DUE: &str = "SELECT q.created_at, n.msgid FROM (SELECT created_at FROM open_questions WHERE due <= $1 ORDER BY due LIMIT $2) q
    LEFT JOIN LATERAL (SELECT msgid FROM notifications WHERE created_at = q.created_at LIMIT 1) n ON true";

/// `$1` the creation.
const FORGET: &str = "DELETE FROM open_questions WHERE created_at = $1";

/// Ends a portion of the questions whose time is over, for a reader; false if there is no room for it. Others hear of
/// it with what is delivered next.
pub(crate) async fn end_for_reader(store: &PostgresStore) -> Result<bool, Error> {
    match expire_due(store).await {
        Ok(posts) => {
            store.ended.lock().extend(posts);
            Ok(true)
        }
        Err(e) if e.is_of_disk() => Ok(false),
        Err(e) => Err(e),
    }
}

/// Ends a portion of the questions whose time is over.
pub(super) async fn expire_due(store: &PostgresStore) -> Result<Vec<Post>, Error> {
    in_transaction!(store, |tx| {
        let due = tx.query(DUE, &[&tx.now.as_micros(), &rows(store.bounds.ended_questions)]).await?;
        let mut posts = Vec::new();
        for row in due {
            posts.extend(expire(tx, row.stamp(0)?, row.at(1)?).await?);
        }
        Ok(posts)
    })
}

async fn expire(
    tx: &mut WriteTx<'_>,
    created_at: Stamp,
    msgid: Option<String>,
) -> Result<Option<Post>, Error> {
    let found = match msgid {
        Some(msgid) => recall::find(tx, &MsgId(msgid)).await?,
        None => None,
    };
    let Some(found) = found else {
        tx.execute(FORGET, &[&created_at.as_micros()]).await?;
        return Ok(None);
    };
    let stamp = tx.creation_stamp().await?;
    // With the log locked nobody answers it any more.
    let content = content(tx, created_at).await?;
    if let Some(content) = content.and_then(|content| question::expired(&content, tx.now)) {
        return close(tx, found, &content, stamp).await.map(Some);
    }
    tx.execute(FORGET, &[&created_at.as_micros()]).await?;
    Ok(None)
}

/// Implements [`RevisionStore::question`](tidings_store::RevisionStore::question).
pub(super) async fn question(
    store: &PostgresStore,
    id: &MsgId,
    by: &Editor,
) -> Result<(MsgId, Question), Error> {
    reading!(store, |s| {
        let mut found = recall::find(s, id).await?;
        if found.is_none() {
            if let Some(question) = waiting(s, id, by).await? {
                return Ok((id.clone(), question));
            }
            // What waited may have been delivered meanwhile.
            found = recall::find(s, id).await?;
        }
        let found = found.ok_or_else(Published::missing)?.published;
        found.check_change(by)?;
        let content = content(s, found.created_at).await?;
        let question = content.and_then(|content| content.question).ok_or_else(Published::missing)?;
        Ok((found.msgid, question))
    })
}

/// `$1` the msgid.
const WAITING: &str = "SELECT publisher, draft FROM scheduled WHERE msgid = $1";

/// The question of what waits under a msgid; `None` if nothing waits that `by` may change, or if it asks nothing.
async fn waiting(session: &Session, msgid: &MsgId, by: &Editor) -> Result<Option<Question>, Error> {
    let Some(row) = session.query_opt(WAITING, &[&msgid.as_str()]).await? else { return Ok(None) };
    Ok(waiting_question(row.at(0)?, row.at(1)?, by))
}
