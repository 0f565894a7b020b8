//! Applying a page: items, threads, counters, search rows and cursor in one transaction. A version that is not newer
//! than the stored one changes nothing, so that a page can be applied again.
//!
//! A pull loses nothing: rows and cursor commit together, items are deduped by source and msgid, and a crash
//! repeats a page at worst. Rules act in the same transaction, so no number is wrong for a moment.

mod finish;
mod insert;
mod on_arrival;
mod read_by_rules;
pub(crate) mod rules_here;
mod service_items;
mod skipped;
mod tombstones;
mod update;
mod view_marks;

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::Connection;
use tidings_model::{Kind, MsgId, Notification, Stamp};
use tidings_replica_tables::aggregates::{Aggregates, GiveWay, ROWS_BETWEEN_LOOKS};
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::Named;
use tidings_replica_tables::views::ViewRow;
use tidings_replica_tables::{sources, tombstones as tombstone_rows};

use crate::conversations::{closed, groups, messages};
use crate::outbox;
use crate::outbox::overlay::Overlay;
use crate::rules::log::RuleActs;
use crate::rules::matching::Rules;
use crate::{Applied, ItemId, Mark, Mute, NotifySettings, Page, Result, SourceId, ThreadId};

pub(crate) use self::tombstones::remove;
pub(crate) use self::view_marks::{advance_view_marks, rows_of_marks};

/// The effect of one item of the page.
enum Outcome {
    /// The item changed nothing.
    Ignored,
    /// The item was inserted (`new`) or came in a newer version.
    Stored { item: ItemId, thread: ThreadId, new: bool, unread: bool, unread_again: bool, priority: u8 },
}

/// A row of the search index to write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SearchRow {
    item: ItemId,
    /// The index of the item in the page.
    nth: usize,
    /// Whether the item already has a row.
    replaces: bool,
    /// The priority of the item, which a rule may have changed.
    priority: u8,
}

/// The state of applying one page.
pub(crate) struct Pull<'t> {
    tx: &'t Connection,
    give_way: GiveWay<'t>,
    now: Stamp,
    source: SourceId,
    user: Option<String>,
    generation: i64,
    overlay: Overlay,
    aggregates: Aggregates<'t>,
    /// Views of the page's items and marks, by name.
    views: HashMap<String, ViewRow>,
    /// Whether the source has tombstones.
    has_tombstones: bool,
    /// Whether the last item was known already: the next one is then queried before an insertion is tried.
    expect_stored: bool,
    /// Items that became read or unread by another cause than their own version in this page, and whether they are
    /// unread.
    unread_overrides: HashMap<ItemId, bool>,
    /// The notify settings of the source.
    notify: NotifySettings,
    /// The origins of the source that are muted.
    muted_origins: Vec<Mute>,
    rules: Rules,
    /// The threads of new unread items, and the time of arrival of each.
    unread_arrivals: Vec<(ThreadId, Stamp)>,
    /// Items that rules archived.
    archived: BTreeSet<ItemId>,
    /// Items that rules mark as read, and when each arrived.
    read: Vec<(ItemId, Stamp)>,
    /// What the rules did in this page.
    rule_acts: RuleActs,
    /// Items for which a rule suppresses the toast.
    no_toast: HashSet<ItemId>,
    search_rows: Vec<SearchRow>,
    /// Whether the server's state replaces local marks.
    server_wins: bool,
    /// Whether an item of the source was ever skipped for its size.
    has_skipped: bool,
    /// The server removed every item with content from before this time; such items are ignored.
    forgotten_before: Option<Stamp>,
    /// Whether the server keeps view marks, so that items may be of auto class.
    stores_view_marks: bool,
    /// The stamp of the item that changed last, of a service that keeps none.
    last_stamp: Stamp,
    /// The clock of the server minus this machine's, in microseconds.
    clock_offset: i64,
    /// The last time of creation that was given in place of a time that several items share.
    given_times: HashMap<Stamp, Stamp>,
    /// Deletions of an earlier history that the server has lost; they are requested again.
    lost_deletions: Vec<Named>,
}

/// Applies a page and returns its effect, with the items of the page. It gives way between rows; then the page is as
/// it was. From the search rows on it has a page cache of `end_cache_kib`, if one is given.
pub(crate) fn apply<'t>(
    tx: &'t Connection,
    now: Stamp,
    source: SourceId,
    page: &mut Page,
    give_way: GiveWay<'t>,
    end_cache_kib: Option<usize>,
) -> Result<Applied> {
    let (item_count, service_items) = (page.items.len(), page.service_items.clone());
    let applied = apply_page(tx, now, source, page, give_way, end_cache_kib);
    if applied.is_err() {
        page.items.truncate(item_count);
        page.service_items = service_items;
    }
    applied
}

fn apply_page<'t>(
    tx: &'t Connection,
    now: Stamp,
    source: SourceId,
    page: &mut Page,
    give_way: GiveWay<'t>,
    end_cache_kib: Option<usize>,
) -> Result<Applied> {
    let mut pull = Pull::start(tx, now, source, page, give_way)?;
    for mark in &page.marks {
        pull.view_mark(mark)?;
    }
    let mut outcomes = Vec::with_capacity(page.items.len());
    for (nth, item) in page.items.iter().enumerate() {
        if nth % ROWS_BETWEEN_LOOKS == 0 {
            give_way()?;
        }
        outcomes.push(pull.item(item, nth)?);
    }
    pull.service_items(page, &mut outcomes)?;
    pull.peer_marks(&page.peer_marks)?;
    closed::close(tx, &mut pull.aggregates, source, &page.closed)?;
    groups::set_changed(tx, source, &page.groups)?;
    pull.queue_archived()?;
    pull.read_by_rules()?;
    pull.rule_acts.write(tx, now)?;
    pull.wake_early()?;
    if let Some(kib) = end_cache_kib {
        tidings_sqlite::set_page_cache(tx, kib)?;
    }
    pull.index(&page.items)?;
    messages::forget_arrived(tx, &mut pull.aggregates, source)?;
    let complete = page.next.is_some() && !page.more;
    pull.requeue_lost(complete)?;
    if complete {
        pull.end_assumptions()?;
    }
    match &page.next {
        Some(_) => sources::finish_page(tx, source, page.epoch.as_deref(), !page.more, now)?,
        None => sources::finish_preview(tx, source, now)?,
    }
    pull.finish(&mut page.items, outcomes)
}

impl<'t> Pull<'t> {
    fn start(
        tx: &'t Connection,
        now: Stamp,
        source: SourceId,
        page: &Page,
        give_way: GiveWay<'t>,
    ) -> Result<Self> {
        let state = sources::pull_state(tx, source)?;
        sources::advance_tick(tx, source)?;
        if let Some(next) = &page.next {
            sources::set_cursor(tx, source, next)?;
        }
        let mut generation = state.generation;
        if page.is_of_another_history(state.epoch.as_deref()) {
            generation += 1;
            sources::begin_history(tx, source, generation)?;
        }
        if let Some(before) = page.forgotten_before {
            sources::set_forgotten_before(tx, source, before)?;
        }
        Ok(Self {
            tx,
            give_way,
            now,
            source,
            user: state.user,
            generation,
            overlay: Overlay::of(tx, source)?,
            aggregates: Aggregates::new(tx, give_way),
            views: HashMap::new(),
            has_tombstones: tombstone_rows::any(tx, source)?,
            expect_stored: false,
            unread_overrides: HashMap::new(),
            notify: state.notify,
            rules: Rules::of(tx)?,
            muted_origins: on_arrival::muted_origins(tx, source, now.plus_micros(state.clock_offset))?,
            unread_arrivals: Vec::new(),
            archived: BTreeSet::new(),
            read: Vec::new(),
            rule_acts: RuleActs::default(),
            no_toast: HashSet::new(),
            search_rows: Vec::new(),
            server_wins: state.server_wins,
            has_skipped: skipped::any(tx, source)?,
            forgotten_before: sources::forgotten_before(tx, source)?,
            stores_view_marks: state.stores_view_marks,
            last_stamp: state.stamp,
            clock_offset: state.clock_offset,
            given_times: HashMap::new(),
            lost_deletions: Vec::new(),
        })
    }

    fn item(&mut self, n: &Notification, nth: usize) -> Result<Outcome> {
        if self.has_skipped {
            skipped::forget(self.tx, self.source, n.msgid.as_str())?;
        }
        if self.forgotten_before.is_some_and(|before| n.content_at() < before) {
            return Ok(Outcome::Ignored);
        }
        if n.deleted {
            return self.tombstone(n).map(|()| Outcome::Ignored);
        }
        if self.expect_stored {
            if let Some(known) = self.stored_item(&n.msgid)? {
                return self.update(n, nth, known);
            }
        } else if let Some(outcome) = self.insert(n, nth)? {
            return Ok(outcome);
        }
        // The expectation was wrong: try the other way.
        self.expect_stored = !self.expect_stored;
        if self.expect_stored {
            match self.stored_item(&n.msgid)? {
                Some(known) => self.update(n, nth, known),
                None => Ok(Outcome::Ignored),
            }
        } else {
            Ok(self.insert(n, nth)?.unwrap_or(Outcome::Ignored))
        }
    }

    /// Whether the item is a message or announcement of the user.
    fn is_own(&self, n: &Notification) -> bool {
        n.kind != Kind::Reminder && self.user.as_deref() == Some(n.actor.id.as_str())
    }

    fn stored_item(&self, msgid: &MsgId) -> Result<Option<ItemState>> {
        let values = rusqlite::params![self.source, msgid.as_str()];
        Ok(ItemState::select(self.tx, "WHERE i.source = ?1 AND i.msgid = ?2", values)?.pop())
    }

    /// Queues an operation; from now on it is applied on top of the page's state.
    fn queue(&mut self, mark: Mark, named: &[Named]) -> Result<()> {
        if named.is_empty() {
            return Ok(());
        }
        outbox::queue(self.tx, self.source, mark, named, self.now)?;
        self.overlay.any = true;
        Ok(())
    }
}
