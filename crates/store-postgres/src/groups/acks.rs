//! How far members have read a group, and what follows from that. These are the read counts of messages, receipts for
//! their senders, and a new version of each sender's own item.

use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tokio_postgres::Row;

use crate::portions::Portion;
use crate::session::{Columns, Values};

/// The time up to which user `$2` has read group `g`, at least that of the first joining; NULL for one who never was a
/// member.
macro_rules! last_read {
    ($user:literal) => {
        concat!(
            "CROSS JOIN LATERAL (SELECT CASE WHEN f.joined_at IS NULL THEN NULL
                ELSE greatest(f.joined_at, coalesce(a.through, 0)) END AS through
            FROM (SELECT min(joined_at) AS joined_at FROM memberships WHERE group_key = g.key AND user_key = ",
            $user,
            ") f, (SELECT max(through) AS through FROM acks WHERE group_key = g.key AND user_key = ",
            $user,
            ") a) l"
        )
    };
}

/// The messages of a group that a member has not read, the oldest first. Those count among them that are by others, and
/// were posted while the reader was a member. `$1` the group, `$2` the reader, `$3` up to a time, `$4` the most
/// messages. They are locked in their order, because others read them at the same time. There is one row without a
/// message if there are none.
pub(crate) const UNREAD_MESSAGES: &str = concat!(
    "SELECT g.key, l.through, m.created_at, m.sender,
        m.sender <> $2 AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = g.key AND s.user_key = $2
            AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at)),
        EXISTS (SELECT 1 FROM inboxes i WHERE i.user_key = m.sender)
    FROM groups g ",
    last_read!("$2"),
    " LEFT JOIN LATERAL (SELECT created_at, sender FROM group_messages WHERE group_key = g.key
            AND created_at > l.through AND created_at <= $3 ORDER BY created_at LIMIT $4 FOR NO KEY UPDATE) m ON true
    WHERE g.id = $1 ORDER BY m.created_at"
);

/// The users who wrote messages that a member has not read. `$1` the reader, `$2` groups, `$3` up to a time in each, `$4` the
/// most messages of a group.
pub(crate) const SENDERS: &str = concat!(
    "SELECT DISTINCT m.sender FROM unnest($2::text[], $3::bigint[]) v (id, upto) JOIN groups g ON g.id = v.id ",
    last_read!("$1"),
    " CROSS JOIN LATERAL (SELECT sender FROM group_messages WHERE group_key = g.key AND created_at > l.through
            AND created_at <= v.upto ORDER BY created_at LIMIT $4) m
    JOIN inboxes i ON i.user_key = m.sender WHERE m.sender <> $1"
);

/// Counts messages as read, and as arrived if no pull that is counted already did so. `$1` the group, `$2` the messages,
/// `$3` the reader, whose inbox is locked: nothing else of theirs is counted meanwhile.
const COUNT_READ: &str = "UPDATE group_messages m SET read_count = m.read_count + 1,
        delivered_count = m.delivered_count + (m.created_at > c.upto)::int,
        told_count = m.delivered_count + (m.created_at > c.upto)::int
    FROM (SELECT coalesce((SELECT counted_to FROM deliveries WHERE user_key = $3), 0) AS upto) c
    WHERE m.group_key = $1 AND m.created_at = ANY($2)";

/// `$1` the senders, `$2` the stamps, `$3` the messages, `$4` the reader, `$5` when they were read.
const ADD_RECEIPTS: &str = "INSERT INTO receipts (sender, stamp, message, reader, read_at)
    SELECT r.sender, r.stamp, r.message, u.id, $5
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) r (sender, stamp, message) JOIN users u ON u.key = $4";

/// Gives the senders' own items a new version, at the stamps of the receipts; parameters as in [`ADD_RECEIPTS`].
const RESTAMP_OWN: &str = "UPDATE items i SET stamp = r.stamp, version = i.version + 1
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) r (sender, stamp, message)
    WHERE i.user_key = r.sender AND i.created_at = r.message AND NOT i.deleted";

/// Records how far a member has read. An acknowledgement that reads no message replaces the one before it, at `$3`. `$1` the
/// group, `$2` the reader, `$4` how far, `$5` when, `$6` whether it reads nothing.
const ACK: &str = "WITH moved AS (UPDATE acks SET through = $4 WHERE group_key = $1 AND user_key = $2 AND through = $3 AND $6
        RETURNING 1)
    INSERT INTO acks (group_key, user_key, through, acked_at)
    SELECT $1, $2, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM moved) ON CONFLICT DO NOTHING";

/// A message of a group that a member has not read.
struct UnreadMessage {
    created_at: Stamp,
    sender: UserKey,
    /// Whether it is by another, and was posted while the reader was a member.
    counts: bool,
    /// Whether its sender gets a receipt.
    notified: bool,
}

/// The next messages of a group that a member reads.
pub(crate) struct ReadMessages {
    group: i64,
    /// How far the member has read.
    last_read: Stamp,
    messages: Vec<UnreadMessage>,
    /// Whether there may be more.
    full: bool,
}

impl ReadMessages {
    /// From the rows of [`UNREAD_MESSAGES`], of which there are at most `most`; `None` if there is no such group, or if
    /// the reader never was a member.
    pub(crate) fn from_rows(found: &[Row], most: usize) -> Result<Option<Self>, Error> {
        let Some(first) = found.first() else { return Ok(None) };
        let Some(last_read) = first.time(1)? else { return Ok(None) };
        let mut messages = Vec::with_capacity(found.len());
        for row in found {
            let Some(created_at) = row.time(2)? else { break };
            let (counts, is_user): (bool, bool) = (row.at(4)?, row.at(5)?);
            let notified = counts && is_user;
            messages.push(UnreadMessage { created_at, sender: UserKey(row.at(3)?), counts, notified });
        }
        let full = messages.len() >= most;
        Ok(Some(Self { group: first.at(0)?, last_read, messages, full }))
    }

    /// The last of them, if there may be more.
    pub(crate) fn last(&self) -> Option<Stamp> {
        self.messages.last().filter(|_| self.full).map(|message| message.created_at)
    }

    /// Leaves out those created after a time.
    pub(crate) fn keep_through(&mut self, through: Stamp) {
        self.messages.retain(|message| message.created_at <= through);
    }

    /// Those who get receipts.
    pub(crate) fn notified(&self) -> impl Iterator<Item = UserKey> {
        self.messages.iter().filter(|message| message.notified).map(|message| message.sender)
    }
}

/// Acknowledges messages up to a time, which makes one receipt for each newly read one. The inboxes of those who get
/// receipts are locked. Gives the number of messages.
pub(crate) async fn read(
    portion: &mut Portion<'_, '_>,
    read: &ReadMessages,
    through: Stamp,
    at: Stamp,
) -> Result<usize, Error> {
    if through <= read.last_read {
        return Ok(0);
    }
    let counted = || read.messages.iter().filter(|message| message.counts);
    portion.affected.extend(counted().map(|message| message.sender));
    let messages: Vec<i64> = counted().map(|message| message.created_at.as_micros()).collect();
    let (mut senders, mut stamps, mut notified) = (Vec::new(), Vec::new(), Vec::new());
    for message in counted().filter(|message| message.notified) {
        senders.push(message.sender.0);
        stamps.push(portion.locked.next_stamp(message.sender).as_micros());
        notified.push(message.created_at.as_micros());
    }
    let (reader, reads_nothing) = (portion.user.0, messages.is_empty());
    let (last_read, through, at) = (read.last_read.as_micros(), through.as_micros(), at.as_micros());
    let of_messages: Values<'_> = &[&read.group, &messages, &reader];
    let of_receipts: Values<'_> = &[&senders, &stamps, &notified, &reader, &at];
    let of_items: Values<'_> = &[&senders, &stamps, &notified];
    let of_ack: Values<'_> = &[&read.group, &reader, &last_read, &through, &at, &reads_nothing];
    let mut statements = vec![(ACK, of_ack)];
    if !messages.is_empty() {
        statements.push((COUNT_READ, of_messages));
    }
    if !senders.is_empty() {
        statements.extend([(ADD_RECEIPTS, of_receipts), (RESTAMP_OWN, of_items)]);
    }
    portion.tx.pipeline(&statements).await?;
    Ok(messages.len())
}
