//! The conditions on threads that a place and a search filter make, apart from conditions on their items.

use std::fmt::Write as _;

use tidings_model::Kind;

use crate::columns::ThreadPlace;
use crate::{Place, SearchFilter, SourceId, StateFilter};

/// The conditions on threads that a place and a search filter make, apart from conditions on their items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadFilter {
    pub(crate) places: Vec<ThreadPlace>,
    kinds: Option<Vec<Kind>>,
    sources: Option<Vec<SourceId>>,
    pub(crate) unread: Option<bool>,
    pub(crate) pinned: bool,
    pub(crate) muted: bool,
    /// Only threads of which something is archived, wherever the rest is; the list shows what is archived of them.
    pub done: bool,
}

impl ThreadFilter {
    /// The conditions of a place and a filter. With `place_only` a filter on the inbox stays within it.
    pub fn of(place: Place, place_only: bool, filter: &SearchFilter) -> Self {
        let mut threads = Self {
            places: vec![ThreadPlace::Inbox],
            kinds: filter.kinds.clone(),
            sources: filter.sources.clone(),
            unread: None,
            pinned: false,
            muted: false,
            done: false,
        };
        match place {
            Place::Inbox if place_only || filter.is_empty() => {}
            Place::Inbox => threads.places = ThreadPlace::LISTED.into(),
            Place::Unread => threads.unread = Some(true),
            Place::Pinned => (threads.places, threads.pinned) = (ThreadPlace::LISTED.into(), true),
            Place::Snoozed => threads.places = vec![ThreadPlace::Snoozed],
            Place::Done => (threads.places, threads.done) = (ThreadPlace::LISTED.into(), true),
            Place::Kind(kind) => threads.kinds = Some(narrow(threads.kinds, kind)),
            Place::Source(source) => threads.sources = Some(narrow(threads.sources, source)),
        }
        for state in &filter.states {
            threads.restrict(*state);
        }
        // What is archived is neither unread nor asleep.
        if threads.done && (threads.places.len() < ThreadPlace::LISTED.len() || threads.unread == Some(true))
        {
            threads.places.clear();
        }
        threads
    }

    fn restrict(&mut self, state: StateFilter) {
        match state {
            StateFilter::Unread | StateFilter::Quiet | StateFilter::Read => {
                let unread = state != StateFilter::Read;
                if self.unread.is_some_and(|other| other != unread) {
                    self.places.clear();
                }
                self.unread = Some(unread);
            }
            StateFilter::Pinned => self.pinned = true,
            StateFilter::Muted => self.muted = true,
            StateFilter::Snoozed => self.places.retain(|place| *place == ThreadPlace::Snoozed),
            StateFilter::Done => self.done = true,
        }
    }

    /// Whether it excludes any listed thread.
    pub fn narrows(&self) -> bool {
        self.places.len() < 3
            || self.kinds.is_some()
            || self.sources.is_some()
            || self.unread.is_some()
            || self.pinned
            || self.muted
            || self.done
    }

    /// The filter as a condition on `threads t`.
    pub fn sql(&self) -> String {
        let places: Vec<i64> = self.places.iter().map(|place| place.as_row()).collect();
        let mut sql = format!("t.place IN ({})", list(&places));
        sql.push_str(" AND t.source IN (SELECT id FROM sources WHERE removing = 0)");
        if let Some(kinds) = &self.kinds {
            let rows: Vec<i64> = kinds.iter().map(|kind| kind.as_row()).collect();
            let _ = write!(sql, " AND t.kind IN ({})", list(&rows));
        }
        if let Some(sources) = &self.sources {
            let _ = write!(sql, " AND t.source IN ({})", list(sources));
        }
        if let Some(unread) = self.unread.filter(|_| !self.done) {
            sql.push_str(if unread { " AND t.unread > 0" } else { " AND t.unread = 0" });
        }
        if self.pinned {
            sql.push_str(" AND t.pinned = 1");
        }
        if self.muted {
            sql.push_str(" AND t.muted = 1");
        }
        if self.done {
            sql.push_str(" AND t.done_at IS NOT NULL");
        }
        sql
    }

    /// Whether it includes threads of this source and kind.
    pub(crate) fn includes(&self, source: SourceId, kind: Kind) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
            && self.sources.as_ref().is_none_or(|sources| sources.contains(&source))
    }
}

fn narrow<T: PartialEq>(known: Option<Vec<T>>, to: T) -> Vec<T> {
    if known.is_none_or(|known| known.contains(&to)) { vec![to] } else { Vec::new() }
}

fn list(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
