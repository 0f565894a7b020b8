//! Stores publications: once each, whoever they reach, and messages in their inboxes at once. Refuses to copy anything
//! per subscriber or per member.

use rusqlite::{OptionalExtension, params};
use tidings_model::wire::Posted;
use tidings_model::{Format, Kind, MsgId, Stamp};

use super::portions::Budget;
use super::work::Work;
use super::{accounts, conversations, groups, sequences, subscriptions};
use crate::domain::account::UserKey;
use crate::domain::draft::{Audience, Draft, Extra, Post, Reach};
use crate::domain::msgid;
use crate::error::Error;
use crate::store::TargetRef;

/// Stores one publication.
pub(super) fn post(work: &mut Work<'_>, draft: Draft) -> Result<Post, Error> {
    if let (Some(user), Some(target)) = (draft.subscribe, &draft.target) {
        let target = TargetRef { kind: target.kind.clone(), id: target.id.clone() };
        subscriptions::ensure(work, user, &target, &draft.action)?;
    }
    if let Some(post) = sequences::revise(work, &draft)? {
        return Ok(post);
    }
    let stamp = work.stamp();
    let msgid = draft.msgid.clone().unwrap_or_else(|| msgid::mint(stamp));
    insert(work, &draft, &msgid, stamp)?;
    sequences::remember(work, &draft, stamp)?;
    let reach = deliver(work, draft, stamp)?;
    Ok(Post { posted: Posted { msgid, stamp }, reach })
}

fn insert(work: &Work<'_>, draft: &Draft, msgid: &MsgId, stamp: Stamp) -> Result<(), Error> {
    let name = match &draft.actor_name {
        Some(name) => name.clone(),
        None => accounts::user(work.tx, &draft.actor)?.map_or_else(|| draft.actor.clone(), |u| u.name),
    };
    let target = draft.target.as_ref();
    work.tx
        .prepare_cached(
            "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
                 target_more, title, body, format, priority, extra)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            stamp.as_micros(),
            msgid.as_str(),
            draft.kind.as_row(),
            draft.actor,
            name,
            draft.action,
            target.map_or("", |t| t.kind.as_str()),
            target.map_or("", |t| t.id.as_str()),
            more(draft)?,
            draft.title,
            draft.body,
            format_row(draft.format),
            draft.priority.get(),
            extra(draft)?,
        ])?;
    Ok(())
}

/// What is rarely there of a target, as JSON.
pub(super) fn more(draft: &Draft) -> Result<String, Error> {
    match &draft.target {
        Some(t) if t.title.is_some() || t.url.is_some() || t.owner.is_some() => {
            Ok(serde_json::to_string(&(&t.title, &t.url, &t.owner))?)
        }
        _ => Ok(String::new()),
    }
}

/// What is rarely there of a notification, as JSON.
pub(super) fn extra(draft: &Draft) -> Result<String, Error> {
    if draft.extra == Extra::default() { Ok(String::new()) } else { Ok(serde_json::to_string(&draft.extra)?) }
}

/// A small number for a database row; never changes.
pub(super) const fn format_row(format: Format) -> i64 {
    match format {
        Format::Plain => 0,
        Format::Markdown => 1,
    }
}

/// Puts messages where they belong, and says who has to hear.
fn deliver(work: &mut Work<'_>, draft: Draft, stamp: Stamp) -> Result<Reach, Error> {
    match draft.audience {
        Audience::Everyone => Ok(Reach::Everyone),
        Audience::Subscribers => {
            let (kind, id) = draft.target.map(|t| (t.kind, t.id)).unwrap_or_default();
            Ok(Reach::Subscribers { kind, id, action: draft.action, actor: draft.actor })
        }
        Audience::User(to) => to_user(work, &draft.actor, &to, stamp),
        Audience::Group(id) => {
            let sender = groups::add_message(work, &id, &draft.actor, stamp)?;
            if let Some(sender) = sender {
                put(work, sender, stamp, &format!("group:{id}"), true)?;
            }
            Ok(Reach::Group(id))
        }
    }
}

fn to_user(work: &mut Work<'_>, from: &str, to: &str, stamp: Stamp) -> Result<Reach, Error> {
    let recipient = accounts::user(work.tx, to)?.ok_or_else(|| Error::not_found("user"))?.key;
    let sender = accounts::user(work.tx, from)?.map(|u| u.key);
    put(work, recipient, stamp, &format!("user:{from}"), sender == Some(recipient))?;
    let mut reached = vec![recipient];
    if let Some(sender) = sender.filter(|s| *s != recipient) {
        put(work, sender, stamp, &format!("user:{to}"), true)?;
        reached.push(sender);
    }
    Ok(Reach::Users(reached))
}

/// Puts a message into an inbox at its own stamp: a mark never lies ahead of it.
fn put(work: &Work<'_>, user: UserKey, stamp: Stamp, view: &str, own: bool) -> Result<(), Error> {
    work.tx
        .prepare_cached(
            "INSERT INTO items (user, created_at, stamp, version, kind, view, auto, own, unread)
             VALUES (?1, ?2, ?2, 1, ?3, ?4, 1, ?5, ?6)",
        )?
        .execute(params![user.0, stamp.as_micros(), Kind::Message.as_row(), view, own, i64::from(!own)])?;
    conversations::came(work, user, view, stamp)
}

/// Keeps a publication for later.
pub(super) fn schedule(work: &mut Work<'_>, mut draft: Draft, deliver_at: Stamp) -> Result<MsgId, Error> {
    let msgid = msgid::mint(work.stamp());
    draft.msgid = Some(msgid.clone());
    work.tx.execute(
        "INSERT INTO scheduled (msgid, deliver_at, draft) VALUES (?1, ?2, ?3)",
        params![msgid.as_str(), deliver_at.as_micros(), serde_json::to_string(&draft)?],
    )?;
    Ok(msgid)
}

/// When the next scheduled publication is due.
pub(super) fn next_due(conn: &rusqlite::Connection) -> Result<Option<Stamp>, Error> {
    let next: Option<i64> =
        conn.prepare_cached("SELECT min(deliver_at) FROM scheduled")?.query_row([], |r| r.get(0))?;
    Ok(next.map(Stamp::from_micros))
}

/// Rows that are written to deliver one: itself, its name, and items of its sender and its recipient.
const ROWS: usize = 6;

/// Delivers a portion of what is due, in the order in which it is; one that can't be delivered any more is dropped.
pub(super) fn deliver_due(work: &mut Work<'_>, budget: &mut Budget) -> Result<Vec<Post>, Error> {
    let mut posts = Vec::new();
    loop {
        let due: Option<(String, String)> = work
            .tx
            .prepare_cached(
                "SELECT msgid, draft FROM scheduled WHERE deliver_at <= ?1 ORDER BY deliver_at, msgid LIMIT 1",
            )?
            .query_row([work.now.as_micros()], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?;
        let Some((msgid, draft)) = due else { return Ok(posts) };
        work.tx.execute("DELETE FROM scheduled WHERE msgid = ?1", [&msgid])?;
        match post(work, serde_json::from_str(&draft)?) {
            Ok(post) => posts.push(post),
            Err(Error::Refused(problem)) => {
                tracing::warn!(
                    msgid,
                    code = problem.code.as_str(),
                    "a scheduled publication is undeliverable"
                );
            }
            Err(e) => return Err(e),
        }
        budget.wrote(ROWS);
        if budget.is_spent() {
            return Ok(posts);
        }
    }
}
