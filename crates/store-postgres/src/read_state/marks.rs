//! Moves the read marks of views forward. Versions of items stay the same, because readers derive the state of items from
//! the mark.

use std::collections::BTreeSet;

use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::{Bounds, Error};
use tokio_postgres::Row;

use super::covered_items::{COVER, NTH_UNREAD};
use super::{ViewKey, kind_row};
use crate::groups::acks::{self, ReadMessages};
use crate::portions::{Portion, Progress};
use crate::session::{Columns, Session, Values, rows};

/// `$1` is the user, `$2` the kind, `$3` the view, `$4` the mark and `$5` its stamp. `$6` says when the reader marked an
/// item as read, if that is the cause.
pub(super) const SET: &str =
    "INSERT INTO read_marks (user_key, kind, view, mark, stamp, read_marked_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (user_key, kind, view) DO UPDATE SET mark = excluded.mark, stamp = excluded.stamp,
        read_marked_at = coalesce(excluded.read_marked_at, read_marks.read_marked_at)";

/// Shows the other user of a conversation how far this one has read it, at a stamp of the other's inbox. `$1` the other
/// user, `$2` this one, `$3` the mark, `$4` the stamp.
const SET_PEER_MARK: &str = "INSERT INTO peer_marks (user_key, peer_key, mark, stamp) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_key, peer_key) DO UPDATE SET mark = excluded.mark, stamp = excluded.stamp";

/// The user with an id, who has an inbox.
const PEER: &str = "SELECT u.key FROM users u JOIN inboxes i ON i.user_key = u.key WHERE u.id = $1";

/// The users of ids, who have inboxes.
const PEERS: &str = "SELECT u.key FROM users u JOIN inboxes i ON i.user_key = u.key WHERE u.id = ANY($1)";

/// Moves a read mark forward, never back, as far as the budget permits. Each step sets a valid mark, which covers the
/// oldest unread items. `read_at` is when the reader marked an item as read, if that is the cause.
pub(super) async fn advance(
    portion: &mut Portion<'_, '_>,
    view: &ViewKey,
    to: Stamp,
    read_at: Option<Stamp>,
) -> Result<Progress, Error> {
    loop {
        match advance_once(portion, view, to, read_at).await? {
            Progress::More if !portion.budget.is_spent() => {}
            progress => return Ok(progress),
        }
    }
}

/// What one step of a read mark changes.
struct Step {
    /// Where the mark moves.
    mark: Stamp,
    /// The other user of the conversation.
    peer: Option<UserKey>,
    /// The messages of the group that are read with it.
    messages: Option<ReadMessages>,
}

/// Moves a read mark forward by one batch.
async fn advance_once(
    portion: &mut Portion<'_, '_>,
    view: &ViewKey,
    to: Stamp,
    read_at: Option<Stamp>,
) -> Result<Progress, Error> {
    let Some(step) = next_step(portion, view, to).await? else { return Ok(Progress::Done) };
    let senders = step.messages.iter().flat_map(ReadMessages::notified);
    let missing = portion.unlocked(step.peer.into_iter().chain(senders));
    if !missing.is_empty() {
        return Ok(Progress::Locks(missing));
    }
    let done = step.mark == to;
    let written = write(portion, view, step, read_at).await?;
    portion.budget.charge(written);
    Ok(if done { Progress::Done } else { Progress::More })
}

/// The next step of a mark towards a time; `None` if it is there.
async fn next_step(portion: &Portion<'_, '_>, view: &ViewKey, to: Stamp) -> Result<Option<Step>, Error> {
    let (user, kind, upto) = (portion.user.0, kind_row(view.kind), to.as_micros());
    let batch = portion.budget.batch_rows();
    let last_row = rows(batch - 1);
    // Each message that is read causes three writes: its read count, a receipt, and the sender's item.
    let most_messages = portion.budget.batch_rows_of_three_writes();
    let messages_limit = rows(most_messages);
    let (peer, group) = (view.peer().unwrap_or_default(), view.group().unwrap_or_default());
    let unread: Values<'_> = &[&user, &kind, &view.view, &upto, &last_row];
    let of_peer: Values<'_> = &[&peer];
    let of_group: Values<'_> = &[&group, &user, &upto, &messages_limit];
    let mut statements = vec![(NTH_UNREAD, unread)];
    if view.peer().is_some() {
        statements.push((PEER, of_peer));
    } else if view.group().is_some() {
        statements.push((acks::UNREAD_MESSAGES, of_group));
    }
    let found = portion.tx.pipeline(&statements).await?;
    let Some(row) = found.first().and_then(|found| found.first()) else { return Ok(None) };
    if row.time(0)?.is_some_and(|mark| mark >= to) {
        return Ok(None);
    }
    let mut mark = [row.time(1)?, row.time(2)?].into_iter().flatten().fold(to, Stamp::min);
    let mut step = Step { mark, peer: None, messages: None };
    let of_others = found.get(1).map(Vec::as_slice).unwrap_or_default();
    if view.peer().is_some() {
        step.peer = peer_key(of_others)?.filter(|peer| *peer != portion.user);
    } else if view.group().is_some() {
        step.messages = ReadMessages::from_rows(of_others, most_messages)?;
        mark = step.messages.as_ref().and_then(ReadMessages::last).map_or(mark, |last| mark.min(last));
        step.mark = mark;
        if let Some(messages) = &mut step.messages {
            messages.keep_through(mark);
        }
    }
    Ok(Some(step))
}

fn peer_key(found: &[Row]) -> Result<Option<UserKey>, Error> {
    Ok(found.first().map(|row| row.at(0)).transpose()?.map(UserKey))
}

/// Writes a step; gives the number of rows.
async fn write(
    portion: &mut Portion<'_, '_>,
    view: &ViewKey,
    step: Step,
    read_at: Option<Stamp>,
) -> Result<usize, Error> {
    let (user, kind, mark) = (portion.user, kind_row(view.kind), step.mark.as_micros());
    let at = portion.locked.next_stamp(user);
    let stamp = at.as_micros();
    let read_at = read_at.map(Stamp::as_micros);
    let set: Values<'_> = &[&user.0, &kind, &view.view, &mark, &stamp, &read_at];
    let covered: Values<'_> = &[&user.0, &kind, &view.view, &mark];
    let counted = format!("WITH c AS ({COVER} RETURNING 1) SELECT count(*) FROM c");
    let mut statements = vec![(SET, set), (counted.as_str(), covered)];
    let peer = step.peer.unwrap_or(user);
    let peer_stamp = step.peer.map_or(0, |peer| portion.locked.next_stamp(peer).as_micros());
    let of_peer: Values<'_> = &[&peer.0, &user.0, &mark, &peer_stamp];
    if step.peer.is_some() {
        // The other's pull says how far this user has read.
        statements.push((SET_PEER_MARK, of_peer));
        portion.affected.insert(peer);
    }
    let found = portion.tx.pipeline(&statements).await?;
    let covered = found.get(1).and_then(|found| found.first()).map(|row| row.count(0)).transpose()?;
    let mut written = covered.unwrap_or_default() + 1;
    if let Some(messages) = step.messages {
        written += acks::read(portion, &messages, step.mark, at).await? * 3;
    }
    Ok(written)
}

/// The users whose inboxes have to be locked to move the read marks of views to these times: the writers of the
/// messages that become read. A time is at most that of the newest creation, so that no sender is added to it
/// meanwhile.
pub(super) async fn lock_set<'v>(
    db: &Session,
    user: UserKey,
    bounds: &Bounds,
    views: impl Iterator<Item = (&'v ViewKey, Stamp)>,
) -> Result<BTreeSet<UserKey>, Error> {
    let (mut peers, mut groups, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let most = rows(bounds.sought_writers);
    for (view, to) in views {
        if let Some(peer) = view.peer() {
            peers.push(peer);
        } else if let Some(group) = view.group() {
            groups.push(group);
            times.push(to.as_micros());
        }
    }
    let of_peers: Values<'_> = &[&peers];
    let of_groups: Values<'_> = &[&user.0, &groups, &times, &most];
    let mut statements = Vec::new();
    if !peers.is_empty() {
        statements.push((PEERS, of_peers));
    }
    if !groups.is_empty() {
        statements.push((acks::SENDERS, of_groups));
    }
    let mut found = BTreeSet::new();
    for row in db.pipeline(&statements).await?.iter().flatten() {
        found.insert(UserKey(row.at(0)?));
    }
    Ok(found)
}
