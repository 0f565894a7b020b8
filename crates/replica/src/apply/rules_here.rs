//! What a rule does to the items that are here already, when its reader asks for that: as marks of the reader, which can be
//! undone. Priorities and toasts concern what arrives alone.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::views;

use super::read_by_rules::first_other_unread;
use crate::marks::jobs::{self, Step};
use crate::rules::matching::examine;
use crate::{ItemId, Mark, Result, Rule, Targets, ThreadId};

/// What a rule matches.
#[derive(Default)]
struct Matched {
    /// Items that are not archived.
    open: Vec<ItemId>,
    unread: Vec<ItemId>,
    threads: BTreeSet<ThreadId>,
}

/// The marks by which a rule acts on the newest items, each with its steps of `portion` rows.
pub(crate) fn marks(conn: &Connection, rule: &Rule, portion: usize) -> Result<Vec<(Mark, Vec<Step>)>> {
    let mut matched = Matched::default();
    examine(conn, rule, |item, matches| {
        if !matches {
            return;
        }
        if item.notification.archived_at.is_none() {
            matched.open.push(item.id);
        }
        if item.unread {
            matched.unread.push(item.id);
        }
        matched.threads.insert(item.thread);
    })?;
    let Matched { open, unread, threads } = matched;
    let mut marks = Vec::new();
    let mut put = |targets: Targets, mark: Mark| -> Result<()> {
        marks.push((mark, jobs::plan_mark(conn, &targets, mark, portion)?.steps));
        Ok(())
    };
    let then = rule.then;
    if then.read {
        put(Targets::Items(readable(conn, unread)?), Mark::Read)?;
    }
    if then.archive {
        put(Targets::Items(open), Mark::Archive)?;
    }
    if then.pin {
        put(Targets::Threads(threads.iter().copied().collect()), Mark::Pin)?;
    }
    if then.mute {
        put(Targets::Threads(threads.into_iter().collect()), Mark::Mute { until: None })?;
    }
    Ok(marks)
}

/// Those of the unread items that can be read without reading others: of a view up to the first that is not among them.
fn readable(conn: &Connection, unread: Vec<ItemId>) -> Result<Vec<ItemId>> {
    let mut all = Vec::new();
    let mut by_view: BTreeMap<i64, Vec<(ItemId, Stamp)>> = BTreeMap::new();
    for id in unread {
        let Some(item) = ItemState::get(conn, id)? else { continue };
        match item.view {
            None => all.push(id),
            Some(view) => by_view.entry(view).or_default().push((id, item.content_at())),
        }
    }
    for (view, items) in by_view {
        let ids: BTreeSet<ItemId> = items.iter().map(|(id, _)| *id).collect();
        let Some(last) = items.iter().map(|(_, at)| *at).max() else { continue };
        let other = first_other_unread(conn, &views::one(conn, view)?, last, &ids)?;
        let is_free = |at: &Stamp| other.is_none_or(|other| *at < other);
        all.extend(items.iter().filter(|(_, at)| is_free(at)).map(|(id, _)| *id));
    }
    Ok(all)
}
