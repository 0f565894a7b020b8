//! Publications that their sender changes later under a name of its own. Refuses to touch an inbox: a revision is
//! brought in at the reader's pull, as the publication was.

use rusqlite::{OptionalExtension, params};
use tidings_model::wire::Posted;
use tidings_model::{MsgId, Stamp};

use super::posting::{extra, format_row};
use super::write_context::WriteContext;
use crate::domain::draft::{Draft, Post, Recipients};
use crate::error::Error;
use crate::store::SequenceChange;

/// How a notification changed after its post, as it stands in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    Content = 1,
    Clear = 2,
    Delete = 3,
}

impl Revision {
    pub(super) fn from_row(row: i64) -> Option<Self> {
        match row {
            1 => Some(Self::Content),
            2 => Some(Self::Clear),
            3 => Some(Self::Delete),
            _ => None,
        }
    }
}

fn known(ctx: &WriteContext<'_>, topic: &str, name: &str) -> Result<Option<(Stamp, MsgId)>, Error> {
    Ok(ctx
        .tx
        .prepare_cached(
            "SELECT n.created_at, n.msgid FROM sequences s JOIN notifications n ON n.created_at = s.created_at
             WHERE s.topic = ?1 AND s.name = ?2",
        )?
        .query_row([topic, name], |r| Ok((Stamp::from_micros(r.get(0)?), MsgId(r.get(1)?))))
        .optional()?)
}

fn recipients(topic: &str) -> Recipients {
    Recipients::Subscribers {
        kind: "topic".to_owned(),
        id: topic.to_owned(),
        action: "publish".to_owned(),
        actor: topic.to_owned(),
    }
}

/// Gives a known name its new content; none where the draft has no name or a new one.
pub(super) fn revise(ctx: &mut WriteContext<'_>, draft: &Draft) -> Result<Option<Post>, Error> {
    let (Some(name), Some(target)) = (&draft.sequence, &draft.target) else { return Ok(None) };
    let Some((created_at, msgid)) = known(ctx, &target.id, name)? else { return Ok(None) };
    let stamp = ctx.next_stamp();
    ctx.tx.execute(
        "UPDATE notifications SET title = ?2, body = ?3, format = ?4, priority = ?5, extra = ?6, revised_at = ?7,
             revision = ?8 WHERE created_at = ?1",
        params![
            created_at.as_micros(),
            draft.title,
            draft.body,
            format_row(draft.format),
            draft.priority.get(),
            extra(draft)?,
            stamp.as_micros(),
            Revision::Content as i64
        ],
    )?;
    Ok(Some(Post { posted: Posted { msgid, stamp }, recipients: recipients(&target.id) }))
}

/// Remembers under which name a publication can be changed: the one that its sender gave, or its own id.
pub(super) fn remember(ctx: &WriteContext<'_>, draft: &Draft, created_at: Stamp) -> Result<(), Error> {
    let (Some(name), Some(target)) = (&draft.sequence, &draft.target) else { return Ok(()) };
    ctx.tx
        .prepare_cached("INSERT OR REPLACE INTO sequences (topic, name, created_at) VALUES (?1, ?2, ?3)")?
        .execute(params![target.id, name, created_at.as_micros()])?;
    Ok(())
}

/// Clears or deletes what is known under a name; a publication's own id is a name as well.
pub(super) fn change(
    ctx: &mut WriteContext<'_>,
    topic: &str,
    name: &str,
    change: SequenceChange,
) -> Result<Option<Post>, Error> {
    let found = match known(ctx, topic, name)? {
        Some(found) => Some(found),
        None => ctx
            .tx
            .prepare_cached(
                "SELECT created_at, msgid FROM notifications
                 WHERE msgid = ?2 AND kind = 2 AND target_type = 'topic' AND target_id = ?1",
            )?
            .query_row([topic, name], |r| Ok((Stamp::from_micros(r.get(0)?), MsgId(r.get(1)?))))
            .optional()?,
    };
    let Some((created_at, msgid)) = found else { return Ok(None) };
    let stamp = ctx.next_stamp();
    let revision = match change {
        SequenceChange::Clear => Revision::Clear,
        SequenceChange::Delete => Revision::Delete,
    };
    ctx.tx.execute(
        "UPDATE notifications SET revised_at = ?2, revision = ?3 WHERE created_at = ?1",
        params![created_at.as_micros(), stamp.as_micros(), revision as i64],
    )?;
    if change == SequenceChange::Delete {
        ctx.tx.execute("DELETE FROM sequences WHERE topic = ?1 AND name = ?2", [topic, name])?;
    }
    Ok(Some(Post { posted: Posted { msgid, stamp }, recipients: recipients(topic) }))
}
