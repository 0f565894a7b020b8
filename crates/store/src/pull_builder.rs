//! Builds a page of a pull from its rows: where it ends, and what comes with its items.
//!
//! A page names, besides the marks that moved up to its end, the later ones that make its items read (`later_marks`).
//! Any other read time is that item's alone, set by its publisher. While a mark covers an item, the mark is its read
//! time and hides the item's. So if a mark goes back, the items under it that have one come again, each in a new
//! version after the mark. A page without a new group message writes nothing.

use std::collections::BTreeMap;

use tidings_model::wire::{ClosedConversation, ViewMark};
use tidings_model::{Kind, Stamp, View};

use super::bounds::Bounds;
use super::fields::Fields;
use super::item_row;
use super::page::{PageBuilder, PullPage, mark_size};
use crate::Error;
use crate::domain::json_size::json_size;

/// A page of the items and marks that are new or changed after a stamp. Its rows are pushed in the order of the stamps:
/// items, then the user's read marks, then those of others. Marks that make its items read and have their place on a
/// later page come in a list of their own.
pub struct PullBuilder {
    since: Stamp,
    /// Nothing on the page is later.
    upto: Stamp,
    more: bool,
    page: PageBuilder,
    stamps: Vec<Stamp>,
    /// The stamps and times of creation of group messages by others.
    group_messages: Vec<(Stamp, Stamp)>,
    /// The marks of views that make items of the page read, by view.
    reading_marks: BTreeMap<String, ViewMark>,
    marks: Marks,
    peer_marks: Marks,
    closed: Vec<ClosedConversation>,
    closed_bytes: usize,
    max_closed: usize,
    max_closed_bytes: usize,
    max_groups: usize,
}

struct Marks {
    found: Vec<ViewMark>,
    size: usize,
    max_size: usize,
    max_count: usize,
}

impl Marks {
    fn new(max_size: usize, max_count: usize) -> Self {
        Self { found: Vec::new(), size: 0, max_size, max_count }
    }

    /// Adds a mark; false if it does not fit on the page, which always takes the first.
    fn push(&mut self, mark: ViewMark) -> bool {
        self.size += mark_size(&mark);
        let fits = self.found.len() < self.max_count && (self.size <= self.max_size || self.found.is_empty());
        if fits {
            self.found.push(mark);
        }
        fits
    }
}

impl PullBuilder {
    /// A page of at most `limit` items.
    pub fn new(since: Stamp, limit: usize, bounds: &Bounds) -> Self {
        Self {
            since,
            upto: Stamp::MAX,
            more: false,
            page: PageBuilder::with_max_bytes(limit, bounds.page_bytes),
            stamps: Vec::new(),
            group_messages: Vec::new(),
            reading_marks: BTreeMap::new(),
            marks: Marks::new(bounds.marks_bytes, bounds.page_marks),
            peer_marks: Marks::new(bounds.marks_bytes / 4, bounds.page_marks),
            closed: Vec::new(),
            closed_bytes: 0,
            max_closed: bounds.page_marks,
            max_closed_bytes: bounds.marks_bytes / 4,
            max_groups: bounds.page_groups,
        }
    }

    /// The stamp at which the page ends, as far as that is known.
    pub fn upto(&self) -> Stamp {
        self.upto
    }

    /// Adds the item of a row with the columns of [`item_row`]; false if the page ends before it.
    pub fn push_item(&mut self, row: &impl Fields) -> Result<bool, Error> {
        let item = item_row::notification(row)?;
        if !self.page.push(&item)? {
            self.more = true;
            self.upto = self.stamps.last().copied().unwrap_or(self.since);
            return Ok(false);
        }
        self.stamps.push(item.stamp);
        let is_own = row.flag(6)?;
        if !is_own && item.conversation.as_ref().is_some_and(|id| id.starts_with("group:")) {
            self.group_messages.push((item.stamp, item.created_at));
        }
        if let Some(mark) = item_row::reading_mark(row, &item)? {
            let size = mark_size(&mark);
            if self.reading_marks.insert(mark.view.to_string(), mark).is_none() {
                self.page.charge(size);
            }
        }
        Ok(true)
    }

    /// Adds a read mark from a row with its kind, view, time and stamp; false if the page ends before it.
    pub fn push_mark(&mut self, row: &impl Fields) -> Result<bool, Error> {
        let id = row.string(1)?;
        let view = match row.kind(0)? {
            Kind::Announcement => View::Announcements,
            Kind::Message => View::Conversation(id),
            Kind::Reminder => View::Target(id),
        };
        let mark = ViewMark { view, through: row.stamp(2)?, stamp: row.stamp(3)? };
        Ok(self.push_to(|page| &mut page.marks, mark))
    }

    /// Adds the read mark of another user, from a row with their id, its time and its stamp; false if the page ends
    /// before it.
    pub fn push_peer_mark(&mut self, row: &impl Fields) -> Result<bool, Error> {
        let view = View::Conversation(format!("user:{}", row.text(0)?));
        let mark = ViewMark { view, through: row.stamp(1)?, stamp: row.stamp(2)? };
        Ok(self.push_to(|page| &mut page.peer_marks, mark))
    }

    /// Adds a conversation that was closed, from a row with its id, the other's name and the stamp; false if the page
    /// ends before it.
    pub fn push_closed(&mut self, row: &impl Fields) -> Result<bool, Error> {
        let stamp = row.stamp(2)?;
        if stamp > self.upto {
            return Ok(false);
        }
        let closed = ClosedConversation { conversation: row.string(0)?, title: row.string(1)?, stamp };
        self.closed_bytes += json_size(&closed)? + 1;
        let is_full = self.closed_bytes > self.max_closed_bytes || self.closed.len() >= self.max_closed;
        if is_full && !self.closed.is_empty() {
            self.upto = self.closed.last().map_or(self.upto, |last| last.stamp);
            self.more = true;
            return Ok(false);
        }
        self.closed.push(closed);
        Ok(true)
    }

    fn push_to(&mut self, list: fn(&mut Self) -> &mut Marks, mark: ViewMark) -> bool {
        if mark.stamp > self.upto {
            return false;
        }
        let list = list(self);
        if list.push(mark) {
            return true;
        }
        // The page ends at its last read mark, because items and marks share one order.
        if let Some(last) = list.found.last().map(|mark| mark.stamp) {
            self.upto = last;
        }
        self.more = true;
        false
    }

    /// The groups that are to be looked for: one more than the page takes.
    pub fn groups_wanted(&self) -> usize {
        self.max_groups.saturating_add(1)
    }

    /// The page, with the groups that changed, in the order of their stamps, and what the history is. If there are more
    /// groups than it takes, the page ends at the last one that it has.
    pub fn finish(mut self, groups: Vec<(String, Stamp)>, epoch: String, forgotten: Stamp) -> PullPage {
        if groups.get(self.max_groups).is_some_and(|(_, stamp)| *stamp <= self.upto)
            && let Some((_, last)) = self.max_groups.checked_sub(1).and_then(|last| groups.get(last))
        {
            (self.upto, self.more) = (*last, true);
        }
        let upto = self.upto;
        self.closed.retain(|closed| closed.stamp <= upto);
        let items = self.stamps.iter().zip(self.page.into_elements());
        let items = items.filter(|(stamp, _)| **stamp <= upto).map(|(_, written)| written).collect();
        let (mut marks, mut peer_marks) = (self.marks.found, self.peer_marks.found);
        for marks in [&mut marks, &mut peer_marks] {
            marks.retain(|mark| mark.stamp <= upto);
        }
        let changes = marks.iter().chain(&peer_marks).map(|mark| mark.stamp);
        let changes = changes.chain(self.closed.iter().map(|closed| closed.stamp));
        let changes = changes.chain(self.stamps).chain(groups.iter().map(|(_, stamp)| *stamp));
        let arrived = self.group_messages.iter().filter(|(stamp, _)| *stamp <= upto);
        PullPage {
            delivered_to: arrived.map(|(_, created_at)| *created_at).max(),
            next: changes.filter(|stamp| *stamp <= upto).max().map_or(self.since, |at| at.max(self.since)),
            items,
            marks,
            later_marks: self.reading_marks.into_values().filter(|mark| mark.stamp > upto).collect(),
            peer_marks,
            closed: self.closed,
            groups: groups.into_iter().filter(|(_, stamp)| *stamp <= upto).map(|(id, _)| id).collect(),
            more: self.more,
            epoch,
            forgotten_before: (forgotten > Stamp::ZERO).then_some(forgotten),
            remaining: None,
        }
    }
}
