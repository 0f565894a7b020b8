//! What a pull remembers of the list, and how far its walk through it came.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, LINK};
use serde::{Deserialize, Serialize};
use tidings_model::Stamp;
use tidings_replica::ServiceItem;

use super::super::offset::NumberedPage;
use super::todo::Todo;
use crate::service::{Answer, Validators};

/// The most pending items that are remembered, the newest.
const MAX_PENDING: usize = 400;
/// The most pages in a row that are read again because the list moved.
pub(super) const MAX_STEPS_BACK: u32 = 3;

/// The cursor, kept as JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    /// The items that were pending, by id, with a hash of each.
    pub(super) pending: BTreeMap<u64, u64>,
    /// The highest id that was pulled, after all below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) highest: Option<u64>,
    /// The state of the first page.
    pub(super) validators: Validators,
    /// When the list was last walked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) walked_at: Option<Stamp>,
    /// The walk that this pull is in the middle of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) walk: Option<Walk>,
    /// The number of walks of this pull.
    pub(super) rounds: u32,
    /// Whether this pull has to look at the head of the list again.
    pub(super) is_due: bool,
}

/// A walk through the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Walk {
    /// The position after the last page.
    pub(super) offset: u64,
    /// The lowest id down to which nothing was missed; `None` before the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lowest: Option<u64>,
    /// How often the walk stepped back without coming further down since.
    pub(super) steps_back: u32,
    /// Whether something may be missing: what is not listed is then not taken for done.
    pub(super) is_broken: bool,
    /// The newest items that were listed.
    pub(super) found: BTreeMap<u64, u64>,
    /// The state of the first page.
    pub(super) validators: Validators,
}

impl Cursor {
    /// The item of a to-do item that is new or has changed.
    pub(super) fn news_of(&self, todo: &Todo) -> Option<ServiceItem> {
        match self.pending.get(&todo.id) {
            Some(hash) if *hash == todo.hash() => None,
            // What is done here may not be done there yet.
            Some(_) => Some(todo.item()),
            None if self.is_beyond_memory(todo.id) => None,
            None => Some(ServiceItem { archived: Some(false), ..todo.item() }),
        }
    }

    /// Whether an item was pulled so long ago that it is not remembered.
    fn is_beyond_memory(&self, id: u64) -> bool {
        self.highest.is_some_and(|highest| id <= highest)
            && self.pending.len() >= MAX_PENDING
            && self.pending.first_key_value().is_some_and(|(oldest, _)| id < *oldest)
    }

    /// The items that are not pending any more, as far as the walk reached; they are forgotten.
    pub(super) fn done_elsewhere(&mut self, walk: &Walk, has_more: bool) -> Vec<ServiceItem> {
        let reached = walk.lowest.unwrap_or(0);
        let mut done = Vec::new();
        self.pending.retain(|id, _| {
            let was_listed = !walk.is_broken && (!has_more || *id >= reached);
            let is_done = was_listed && !walk.found.contains_key(id);
            if is_done {
                done.push(ServiceItem::state(id.to_string().as_str(), None, Some(true)));
            }
            !is_done
        });
        done
    }

    /// Remembers items as pending, but for the oldest ones above the bound.
    pub(super) fn remember(&mut self, todos: &[Todo]) {
        self.pending.extend(todos.iter().map(|todo| (todo.id, todo.hash())));
        while self.pending.len() > MAX_PENDING {
            self.pending.pop_first();
        }
    }
}

impl Walk {
    /// Takes a page, whose items are sorted by falling ids. `false` if something may be missing between it and the page
    /// before: the walk then goes on further up, and takes it as it is in the end.
    pub(super) fn take_page(&mut self, todos: &[Todo], page: NumberedPage, has_next: bool) -> bool {
        let highest = todos.first().map(|todo| todo.id);
        let joins = match (self.lowest, highest) {
            (None, _) => true,
            (Some(lowest), Some(highest)) => highest >= lowest,
            // Items that the user may not see any more are left out of a page.
            (Some(_), None) => has_next,
        };
        if !joins && page.start() > 0 {
            if self.steps_back < MAX_STEPS_BACK {
                self.steps_back += 1;
                self.offset = page.start().saturating_sub(page.size << self.steps_back);
                return false;
            }
            self.is_broken = true;
        }
        self.offset = page.start() + page.size;
        if let Some(last) = todos.last().map(|todo| todo.id)
            && self.lowest.is_none_or(|lowest| last < lowest)
        {
            (self.lowest, self.steps_back) = (Some(last), 0);
        }
        self.found.extend(todos.iter().map(|todo| (todo.id, todo.hash())));
        while self.found.len() > 2 * MAX_PENDING {
            self.found.pop_first();
        }
        true
    }
}

/// What the headers of a page say of the next one.
pub(super) struct Pages {
    next: Option<bool>,
}

impl Pages {
    pub(super) fn of(answer: &Answer) -> Self {
        let text = |headers: &HeaderMap| {
            headers.get("x-next-page")?.to_str().ok().map(|next| !next.trim().is_empty())
        };
        let link = answer.headers.contains_key(LINK).then(|| answer.next_page().is_some());
        Self { next: text(&answer.headers).or(link) }
    }

    /// Whether there is a next page; if the service does not say, a full page has one.
    pub(super) fn has_next(&self, count: u64, size: u64) -> bool {
        self.next.unwrap_or(count == size)
    }
}
