//! The counts of the whole inbox: the counters of a few rows, summed. Items are never counted here.

use std::collections::BTreeMap;

use rusqlite::Connection;
use tidings_model::{Kind, wire};

use crate::tables::columns::count;
use crate::tables::counters::{self, Counters};
use crate::tables::sql;
use crate::tables::{settings, sources};
use crate::{Counts, Error, KindCounts, NotifyLevel, NotifySettings, Result, SourceCounts, SourceId};

/// Marks and messages that wait are counted up to this many.
const WAITING: i64 = 10_000;

/// What of a source is on the badge where its threads say nothing else.
#[derive(Debug, Clone, Copy)]
struct BadgeRule {
    muted: bool,
    from_priority: u8,
}

impl BadgeRule {
    fn of(notify: NotifySettings, default_from: u8) -> Self {
        Self {
            muted: notify.level == Some(NotifyLevel::Nothing),
            from_priority: notify.from_priority.unwrap_or(default_from),
        }
    }

    /// Unread items on the badge, and those that no list has shown.
    fn apply(self, counters: &Counters) -> Result<(u64, u64)> {
        let (mut badge, mut unseen) = (0, 0);
        for (of, muted) in [(&counters.inherited, self.muted), (&counters.explicit, false)] {
            if !muted {
                let below = usize::from(self.from_priority).saturating_sub(1);
                badge += of.badge + of.by_priority.iter().skip(below).sum::<i64>();
                unseen += of.unseen;
            }
        }
        Ok((unsigned(badge)?, unsigned(unseen)?))
    }
}

/// A counter's value; a negative one is a damaged row.
fn unsigned(n: i64) -> Result<u64> {
    u64::try_from(n).map_err(|_| Error::Row(format!("a counter is {n}")))
}

/// Adds up the counters.
pub(crate) fn read(conn: &Connection) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut sources: BTreeMap<SourceId, (usize, BadgeRule, Option<KindCounts>)> = BTreeMap::new();
    let default_from = settings::from_priority(conn)?;
    for (source, name, notify, server) in sources::for_counts(conn)? {
        sources.insert(source, (counts.sources.len(), BadgeRule::of(notify, default_from), server));
        let provisional = server.is_some();
        counts.sources.push(SourceCounts { source, name, provisional, ..SourceCounts::default() });
    }
    for (source, kind, counters) in counters::all(conn)? {
        let Some((nth, rule, server)) = sources.get(&source) else { continue };
        counts.places.inbox += unsigned(counters.inbox_threads)?;
        counts.places.unread += unsigned(counters.unread_threads)?;
        counts.places.pinned += unsigned(counters.pinned_threads)?;
        counts.places.snoozed += unsigned(counters.snoozed_threads)?;
        counts.places.done += unsigned(counters.done_threads)?;
        if let Some(of_source) = counts.sources.get_mut(*nth) {
            of_source.items += unsigned(counters.items)?;
        }
        if server.is_none() {
            let (badge, unseen) = rule.apply(&counters)?;
            add(&mut counts, (*nth, kind), (unsigned(counters.unread)?, badge, unseen));
        }
    }
    for (nth, rule, server) in sources.into_values() {
        let Some(mut server) = server else { continue };
        for kind in Kind::ALL {
            let unread = *server.of_mut(kind);
            // The server does not say of which priority they are.
            let badge = if rule.muted { 0 } else { unread };
            add(&mut counts, (nth, kind), (unread, badge, badge));
        }
    }
    let sql = "SELECT
                (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN outbox INDEXED BY outbox_waiting
                    ON outbox.source = sources.id
                    WHERE sources.removing = 0 AND operation <> 'seen' AND answered IS NULL LIMIT ?1)),
                (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN outgoing INDEXED BY outgoing_waiting
                    ON outgoing.source = sources.id
                    WHERE sources.removing = 0 AND refusal IS NULL AND posted_as IS NULL LIMIT ?1))";
    let (operations, messages) = sql::one(conn, sql, [WAITING], |r| Ok((count(r, 0)?, count(r, 1)?)))?;
    counts.waiting = operations + messages;
    counts.waiting_messages = messages;
    Ok(counts)
}

/// Adds what one source has of one kind.
fn add(counts: &mut Counts, (nth, kind): (usize, Kind), (unread, badge, unseen): (u64, u64, u64)) {
    counts.total += unread;
    match kind {
        Kind::Announcement => counts.announcement += unread,
        Kind::Reminder => counts.reminder += unread,
        Kind::Message => counts.message += unread,
    }
    counts.badge += badge;
    *counts.badge_by_kind.of_mut(kind) += badge;
    counts.unseen += unseen;
    if let Some(of_source) = counts.sources.get_mut(nth) {
        of_source.unread += unread;
        of_source.badge += badge;
    }
}

/// Keeps the server's counts; `false` when the backlog is in and the replica knows better.
pub(crate) fn apply_server_counts(
    tx: &Connection,
    source: SourceId,
    counts: &wire::UnreadCounts,
) -> Result<bool> {
    if sources::pull_state(tx, source)?.complete {
        return Ok(false);
    }
    let counts = KindCounts {
        announcement: counts.announcement.count,
        reminder: counts.reminder.count,
        message: counts.message.count,
    };
    sources::set_server_counts(tx, source, &counts)?;
    Ok(true)
}

/// Moves the server's counts by what was marked here meanwhile.
pub(crate) fn move_server_counts(tx: &Connection, by: &BTreeMap<(SourceId, Kind), i64>) -> Result<()> {
    for ((source, kind), by) in by {
        if let Some(mut counts) = sources::server_counts(tx, *source)? {
            let n = counts.of_mut(*kind);
            *n = n.saturating_add_signed(*by);
            sources::set_server_counts(tx, *source, &counts)?;
        }
    }
    Ok(())
}
