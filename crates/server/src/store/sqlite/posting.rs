//! Stores publications: once each, whoever they reach, and messages in their inboxes at once. Refuses to copy anything
//! per subscriber or per member.

use rusqlite::{OptionalExtension, ToSql, params};
use tidings_model::wire::Posted;
use tidings_model::{Code, Format, Kind, MsgId, Stamp};

use super::portions::Budget;
use super::write_context::WriteContext;
use super::{accounts, conversations, groups, sequences, subscriptions};
use crate::domain::account::UserKey;
use crate::domain::draft::{Audience, Draft, Extra, Post, Recipients};
use crate::domain::{limits, msgid};
use crate::error::Error;
use crate::store::TargetRef;

/// Stores one publication.
pub(super) fn post(ctx: &mut WriteContext<'_>, draft: Draft) -> Result<Post, Error> {
    if let (Some(user), Some(target)) = (draft.subscribe, &draft.target) {
        let target = TargetRef { kind: target.kind.clone(), id: target.id.clone() };
        subscriptions::ensure(ctx, user, &target, &draft.action)?;
    }
    if let Some(post) = sequences::revise(ctx, &draft)? {
        return Ok(post);
    }
    let stamp = ctx.next_stamp();
    let msgid = draft.msgid.clone().unwrap_or_else(|| msgid::mint(stamp));
    insert(ctx, &draft, &msgid, stamp)?;
    sequences::remember(ctx, &draft, stamp)?;
    let recipients = hand_out(ctx, draft, stamp)?;
    Ok(Post { posted: Posted { msgid, stamp }, recipients })
}

/// Drafts that one commit shares with other changes, and the bytes of their texts: about a millisecond of the writer.
const FEW: usize = 16;
const FEW_BYTES: usize = 256 * 1024;

/// Whether so much is to be stored that others should not wait for it.
pub(super) fn is_much(drafts: &[Draft]) -> bool {
    drafts.len() > FEW || drafts.iter().map(|d| d.title.len() + d.body.len()).sum::<usize>() > FEW_BYTES
}

fn insert(ctx: &WriteContext<'_>, draft: &Draft, msgid: &MsgId, stamp: Stamp) -> Result<(), Error> {
    let name = match &draft.actor_name {
        Some(name) => name.clone(),
        None => accounts::user(ctx.tx, &draft.actor)?.map_or_else(|| draft.actor.clone(), |u| u.name),
    };
    let target = draft.target.as_ref();
    ctx.tx
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
fn hand_out(ctx: &mut WriteContext<'_>, draft: Draft, stamp: Stamp) -> Result<Recipients, Error> {
    match draft.audience {
        Audience::Everyone => Ok(Recipients::Everyone),
        Audience::Subscribers => {
            let (kind, id) = draft.target.map(|t| (t.kind, t.id)).unwrap_or_default();
            Ok(Recipients::Subscribers { kind, id, action: draft.action, actor: draft.actor })
        }
        Audience::User(to) => to_user(ctx, &draft.actor, &to, stamp),
        Audience::Group(id) => {
            let sender = groups::add_message(ctx, &id, &draft.actor, stamp)?;
            if let Some(sender) = sender {
                put(ctx, sender, stamp, &format!("group:{id}"), true)?;
            }
            Ok(Recipients::Group(id))
        }
    }
}

fn to_user(ctx: &mut WriteContext<'_>, from: &str, to: &str, stamp: Stamp) -> Result<Recipients, Error> {
    let recipient = accounts::user(ctx.tx, to)?.ok_or_else(|| Error::not_found("user"))?.key;
    let sender = accounts::user(ctx.tx, from)?.map(|u| u.key);
    put(ctx, recipient, stamp, &format!("user:{from}"), sender == Some(recipient))?;
    let mut reached = vec![recipient];
    if let Some(sender) = sender.filter(|s| *s != recipient) {
        put(ctx, sender, stamp, &format!("user:{to}"), true)?;
        reached.push(sender);
    }
    Ok(Recipients::Users(reached))
}

/// Puts a message into an inbox at its own stamp: a mark never lies ahead of it.
fn put(ctx: &WriteContext<'_>, user: UserKey, stamp: Stamp, view: &str, own: bool) -> Result<(), Error> {
    ctx.tx
        .prepare_cached(
            "INSERT INTO items (user, created_at, stamp, version, kind, view, auto, own, unread)
             VALUES (?1, ?2, ?2, 1, ?3, ?4, 1, ?5, ?6)",
        )?
        .execute(params![user.0, stamp.as_micros(), Kind::Message.as_row(), view, own, i64::from(!own)])?;
    conversations::message_arrived(ctx, user, view, stamp)
}

/// Keeps a publication for later, unless too many wait for its topic or from its publisher.
pub(super) fn schedule(
    ctx: &mut WriteContext<'_>,
    mut draft: Draft,
    publisher: Option<UserKey>,
    deliver_at: Stamp,
) -> Result<MsgId, Error> {
    let msgid = msgid::mint(ctx.next_stamp());
    draft.msgid = Some(msgid.clone());
    let target = draft.target.as_ref().map_or_else(String::new, |t| format!("{}:{}", t.kind, t.id));
    let text = serde_json::to_string(&draft)?;
    let publisher = publisher.map_or(0, |user| user.0);
    if !target.is_empty() {
        BY_TARGET.holds_with(ctx, &target, text.len())?;
    }
    BY_PUBLISHER.holds_with(ctx, &publisher, text.len())?;
    ctx.tx
        .prepare_cached(
            "INSERT INTO scheduled (msgid, deliver_at, draft, publisher, target, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![msgid.as_str(), deliver_at.as_micros(), text, publisher, target, text.len()])?;
    Ok(msgid)
}

/// How much may wait of one kind of origin or destination.
struct Bound {
    waiting: &'static str,
    many: usize,
    bytes: usize,
    whose: &'static str,
}

const BY_TARGET: Bound = Bound {
    waiting: "SELECT count(*), coalesce(sum(bytes), 0) FROM scheduled WHERE target = ?1",
    many: limits::SCHEDULED_TOPIC,
    bytes: limits::SCHEDULED_TOPIC_BYTES,
    whose: "for this topic",
};

const BY_PUBLISHER: Bound = Bound {
    waiting: "SELECT count(*), coalesce(sum(bytes), 0) FROM scheduled WHERE publisher = ?1",
    many: limits::SCHEDULED_USER,
    bytes: limits::SCHEDULED_USER_BYTES,
    whose: "from this publisher",
};

impl Bound {
    /// Refuses another one of so many bytes where that would be too much.
    fn holds_with(&self, ctx: &WriteContext<'_>, whose: &dyn ToSql, bytes: usize) -> Result<(), Error> {
        let (many, taken): (usize, usize) =
            ctx.tx.prepare_cached(self.waiting)?.query_row([whose], |r| Ok((r.get(0)?, r.get(1)?)))?;
        if many < self.many && taken.saturating_add(bytes) <= self.bytes {
            return Ok(());
        }
        Err(Error::refused(
            Code::RateLimited,
            format!(
                "{many} delayed publications with {taken} bytes wait {}; at most {} with {} bytes may. Nothing was kept: \
                 publish it without a delay, or again when some of them were delivered",
                self.whose, self.many, self.bytes
            ),
        ))
    }
}

/// When the next scheduled publication is due.
pub(super) fn next_due(conn: &rusqlite::Connection) -> Result<Option<Stamp>, Error> {
    let next: Option<i64> =
        conn.prepare_cached("SELECT min(deliver_at) FROM scheduled")?.query_row([], |r| r.get(0))?;
    Ok(next.map(Stamp::from_micros))
}

/// Rows that are written to deliver one: itself, its name, and items of its sender and its recipient.
const ROWS: usize = 6;
/// Bytes that take as long to write as a row.
const ROW_BYTES: usize = 4096;

/// Delivers a portion of what is due, in the order in which it is; one that can't be delivered any more is dropped.
pub(super) fn deliver_due(ctx: &mut WriteContext<'_>, budget: &mut Budget) -> Result<Vec<Post>, Error> {
    let mut posts = Vec::new();
    loop {
        let due: Option<(String, String)> = ctx
            .tx
            .prepare_cached(
                "SELECT msgid, draft FROM scheduled WHERE deliver_at <= ?1 ORDER BY deliver_at, msgid LIMIT 1",
            )?
            .query_row([ctx.now.as_micros()], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?;
        let Some((msgid, draft)) = due else { return Ok(posts) };
        ctx.tx.prepare_cached("DELETE FROM scheduled WHERE msgid = ?1")?.execute([&msgid])?;
        budget.charge_writes(ROWS + draft.len() / ROW_BYTES);
        match deliver(ctx, &draft) {
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
        if budget.is_spent() {
            return Ok(posts);
        }
    }
}

/// Delivers one. What is no publication, of another version or of a damaged backup, is refused: it must not keep those
/// behind it waiting.
fn deliver(ctx: &mut WriteContext<'_>, draft: &str) -> Result<Post, Error> {
    let draft = serde_json::from_str(draft)
        .map_err(|e| Error::refused(Code::Invalid, format!("it is no publication: {e}")))?;
    post(ctx, draft)
}
