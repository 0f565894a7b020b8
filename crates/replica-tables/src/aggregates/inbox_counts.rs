//! The counts of the whole inbox, summed from the rows of `counters`. Items are never counted here.

use std::collections::BTreeMap;

use rusqlite::Connection;
use tidings_model::{Kind, wire};

use crate::columns::count;
use crate::counters::{self, Counters};
use crate::sql;
use crate::{Counts, Error, KindCounts, NotifyLevel, NotifySettings, Result, SourceCounts, SourceId};
use crate::{settings, sources};

/// Waiting operations and messages are counted up to this number.
const MAX_COUNTED_WAITING: i64 = 10_000;

/// The badge settings of a source, for threads without settings of their own.
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

    /// Returns the number of unread items on the badge, and of those that no list has shown.
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

/// Converts the value of a counter; a negative one means a damaged row.
fn unsigned(n: i64) -> Result<u64> {
    u64::try_from(n).map_err(|_| Error::Row(format!("a counter is {n}")))
}

/// The condition that an item is not counted on the badge, on `items i` and `threads t`.
pub fn quiet(conn: &Connection) -> Result<String> {
    let default_from = settings::from_priority(conn)?;
    let of_source = |(source, _, notify, _): (SourceId, String, NotifySettings, Option<KindCounts>)| {
        let BadgeRule { muted, from_priority } = BadgeRule::of(notify, default_from);
        let inherits = if muted { " OR t.notify_level IS NULL" } else { "" };
        format!(
            "i.source = {source} AND (t.muted = 1{inherits} OR i.priority < coalesce(t.notify_from_priority, {from_priority}))"
        )
    };
    let any: Vec<String> = sources::for_counts(conn)?.into_iter().map(of_source).collect();
    Ok(if any.is_empty() { "0".to_owned() } else { format!("({})", any.join(" OR ")) })
}

/// Reads the counts of the inbox.
pub fn read(conn: &Connection) -> Result<Counts> {
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
            // The server does not report their priorities, so all of them count.
            let badge = if rule.muted { 0 } else { unread };
            add(&mut counts, (nth, kind), (unread, badge, badge));
        }
    }
    let sql = "SELECT
                (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN outbox INDEXED BY outbox_waiting
                    ON outbox.source = sources.id
                    WHERE sources.removing = 0 AND operation <> 'seen' AND answered IS NULL LIMIT ?1))
                + (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN subscriptions INDEXED BY subscriptions_waiting
                    ON subscriptions.source = sources.id
                    WHERE sources.removing = 0 AND wanted IS NOT NULL LIMIT ?1)),
                (SELECT count(*) FROM (SELECT 1 FROM sources CROSS JOIN outgoing INDEXED BY outgoing_waiting
                    ON outgoing.source = sources.id
                    WHERE sources.removing = 0 AND refusal IS NULL AND posted_as IS NULL LIMIT ?1))";
    let (operations, messages) =
        sql::one(conn, sql, [MAX_COUNTED_WAITING], |r| Ok((count(r, 0)?, count(r, 1)?)))?;
    counts.waiting = operations + messages;
    counts.waiting_messages = messages;
    Ok(counts)
}

/// Adds the share of one source and kind.
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

/// Stores the server's unread counts; returns `false` and stores nothing if the source's backlog is complete, because
/// the counters are exact then.
pub fn apply_server_counts(tx: &Connection, source: SourceId, counts: &wire::UnreadCounts) -> Result<bool> {
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

/// Adjusts the stored server counts by the unread items that local marks added or removed.
pub fn adjust_server_counts(tx: &Connection, by: &BTreeMap<(SourceId, Kind), i64>) -> Result<()> {
    for ((source, kind), by) in by {
        if let Some(mut counts) = sources::server_counts(tx, *source)? {
            let n = counts.of_mut(*kind);
            *n = n.saturating_add_signed(*by);
            sources::set_server_counts(tx, *source, &counts)?;
        }
    }
    Ok(())
}
