//! Digests for the page: what happened since a time, with rendered rows, and archiving exactly that.

use std::sync::Arc;

use chrono::{Duration, NaiveDateTime, NaiveTime, Timelike};
use tidings_ipc::{
    Digest, DigestBar, DigestLine, DigestPerson, DigestQuery, DigestSource, DigestSpan, DigestTarget, Marked,
    UnreadCount,
};
use tidings_model::{Actor, Mark, Stamp, text};
use tidings_render::avatar;
use tidings_render::contexts::RenderContexts;
use tidings_replica::{self as replica, DigestScope};
use tidings_toasts::quiet::Zone;

use super::presence::Absences;
use crate::context::{Context, part};
use crate::error::Result;
use crate::state::undo_log::UndoLog;

/// A longer digest has a bar a day instead of an hour.
const MAX_HOURS: i64 = 48;
/// The most bars; in a longer digest a bar stands for several days.
const MAX_DAYS: i64 = 92;
/// A digest of an absence, if none is known, has this much.
const DAY_SECS: i64 = 24 * 60 * 60;

part! {
    /// Makes digests, and archives exactly what they show.
    pub(crate) struct Digests {
        context: Arc<Context>,
        absences: Arc<Absences>,
        undo_log: Arc<UndoLog>,
    }
}

impl Digests {
    /// Makes a digest.
    pub(crate) async fn digest(&self, query: DigestQuery) -> Result<Digest> {
        let now = self.context.now();
        let since = match query.since {
            Some(millis) => Stamp::from_millis(millis),
            None => self.absences.last_absence().await?.unwrap_or_else(|| now.plus_secs(-DAY_SECS)),
        }
        .min(now);
        let (language, zone) = (self.context.language(), Arc::clone(&self.context.zone));
        self.context
            .disk(move |r| {
                let last_item = match query.last_item {
                    Some(item) => item,
                    None => r.last_item()?,
                };
                let scope = DigestScope { since, last_item, source: None, thread: None };
                let digest = r.digest(scope, &|since| bar_starts(zone.as_ref(), since, now).1)?;
                let contexts = RenderContexts::load(r, &language)?;
                Ok(rendered(digest, &contexts, zone.as_ref(), now))
            })
            .await
    }

    /// Archives exactly the items of a digest.
    pub(crate) async fn archive_digest(&self, target: DigestTarget) -> Result<Marked> {
        let DigestTarget { since, last_item, source, thread } = target;
        let scope = DigestScope { since: Stamp::from_micros(since), last_item, source, thread };
        let marked = self.context.disk(move |r| r.mark_digest(scope, Mark::Archive)).await?;
        let threads = marked.changed.threads.len().try_into().unwrap_or(u64::MAX);
        Ok(Marked {
            undo: self.undo_log.add(marked.undo, false),
            threads: u64::max(threads, u64::from(marked.items > 0)),
            as_of: self.context.replica.changes(),
        })
    }
}

fn rendered(digest: replica::Digest, contexts: &RenderContexts, zone: &dyn Zone, now: Stamp) -> Digest {
    let since = digest.scope.since;
    let (by, starts) = bar_starts(zone, since, now);
    let bars = starts.iter().zip(digest.bars);
    Digest {
        since: since.as_millis(),
        since_micros: since.as_micros(),
        last_item: digest.scope.last_item,
        made: now.as_millis(),
        shortened: digest.is_shortened,
        items: digest.items,
        unread: UnreadCount { unread: digest.unread, counted: digest.counted },
        high: digest.high,
        threads: digest.threads,
        by,
        bars: bars.map(|(at, items)| DigestBar { at: at.as_millis(), items }).collect(),
        sources: digest.sources.iter().map(|one| source(one, contexts)).collect(),
        people: digest.people.into_iter().map(person).collect(),
        people_count: digest.people_count,
    }
}

fn source(of: &replica::DigestSource, contexts: &RenderContexts) -> DigestSource {
    let line = |line: &replica::DigestLine| {
        let row = contexts.rows(std::slice::from_ref(&line.thread), &[]).pop()?;
        Some(DigestLine { row, items: line.items, priority: line.priority })
    };
    DigestSource {
        source: of.source,
        items: of.items,
        threads: of.threads,
        lines: of.lines.iter().filter_map(line).collect(),
    }
}

fn person(of: replica::DigestPerson) -> DigestPerson {
    let replica::DigestPerson { id, name, items, thread } = of;
    let shown = if name.is_empty() { id.clone() } else { name };
    let face = avatar::face(&Actor { id, name: shown.clone() });
    DigestPerson { name: text::line(&shown).into_owned(), face, items, thread }
}

/// The beginnings of the bars from `since` to `now`, by the reader's clock: whole hours, or whole days.
fn bar_starts(zone: &dyn Zone, since: Stamp, now: Stamp) -> (DigestSpan, Vec<Stamp>) {
    let (first, last) = (zone.local_time(since), zone.local_time(now));
    let hours = last.signed_duration_since(first).num_hours();
    if hours <= MAX_HOURS {
        let whole = first.date().and_hms_opt(first.hour(), 0, 0).unwrap_or(first);
        return (DigestSpan::Hour, steps(zone, whole, last, Duration::hours(1)));
    }
    let days = (last.date() - first.date()).num_days() + 1;
    let each = Duration::days((days + MAX_DAYS - 1) / MAX_DAYS);
    (DigestSpan::Day, steps(zone, first.date().and_time(NaiveTime::MIN), last, each))
}

fn steps(zone: &dyn Zone, first: NaiveDateTime, last: NaiveDateTime, each: Duration) -> Vec<Stamp> {
    let next = |at: &NaiveDateTime| at.checked_add_signed(each);
    let mut starts: Vec<Stamp> = std::iter::successors(Some(first), next)
        .take_while(|at| *at <= last)
        .map(|at| zone.instant(at))
        .collect();
    // Hours that a change of the clock skips are one.
    starts.dedup();
    starts
}
