//! What a place and a query ask of threads, apart from what they ask of items. Refuses to know any index.

use std::fmt::Write as _;

use tidings_model::Kind;

use crate::{Place, SearchFilter, SourceId, StateFilter};

/// What a place and a query ask of threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    /// 0 inbox, 1 snoozed, 2 done.
    pub(crate) places: Vec<i64>,
    kinds: Option<Vec<Kind>>,
    sources: Option<Vec<SourceId>>,
    pub(crate) unread: Option<bool>,
    pub(crate) pinned: bool,
    pub(crate) muted: bool,
}

impl Held {
    pub(crate) fn of(place: Place, place_only: bool, filter: &SearchFilter) -> Self {
        let mut held = Self {
            places: vec![0],
            kinds: filter.kinds.clone(),
            sources: filter.sources.clone(),
            unread: None,
            pinned: false,
            muted: false,
        };
        match place {
            Place::Inbox if place_only || filter.is_empty() => {}
            Place::Inbox => held.places = vec![0, 1, 2],
            Place::Unread => held.unread = Some(true),
            Place::Pinned => (held.places, held.pinned) = (vec![0, 1, 2], true),
            Place::Snoozed => held.places = vec![1],
            Place::Done => held.places = vec![2],
            Place::Kind(kind) => held.kinds = Some(narrow(held.kinds, kind)),
            Place::Source(source) => held.sources = Some(narrow(held.sources, source)),
        }
        for is in &filter.states {
            held.also(*is);
        }
        held
    }

    fn also(&mut self, is: StateFilter) {
        match is {
            StateFilter::Unread | StateFilter::Read => {
                let unread = is == StateFilter::Unread;
                if self.unread.is_some_and(|other| other != unread) {
                    self.places.clear();
                }
                self.unread = Some(unread);
            }
            StateFilter::Pinned => self.pinned = true,
            StateFilter::Muted => self.muted = true,
            StateFilter::Snoozed => self.places.retain(|place| *place == 1),
            StateFilter::Done => self.places.retain(|place| *place == 2),
        }
    }

    /// Whether it leaves anything out.
    pub(crate) fn narrows(&self) -> bool {
        self.places.len() < 3
            || self.kinds.is_some()
            || self.sources.is_some()
            || self.unread.is_some()
            || self.pinned
            || self.muted
    }

    /// As a condition on `threads t`.
    pub(crate) fn sql(&self) -> String {
        let mut sql = format!("t.place IN ({})", list(&self.places));
        sql.push_str(" AND t.source IN (SELECT id FROM sources WHERE going = 0)");
        if let Some(kinds) = &self.kinds {
            let rows: Vec<i64> = kinds.iter().map(|kind| kind.as_row()).collect();
            let _ = write!(sql, " AND t.kind IN ({})", list(&rows));
        }
        if let Some(sources) = &self.sources {
            let _ = write!(sql, " AND t.source IN ({})", list(sources));
        }
        if let Some(unread) = self.unread {
            sql.push_str(if unread { " AND t.unread > 0" } else { " AND t.unread = 0" });
        }
        if self.pinned {
            sql.push_str(" AND t.pinned = 1");
        }
        if self.muted {
            sql.push_str(" AND t.muted = 1");
        }
        sql
    }

    /// Whether threads of this source and kind are meant.
    pub(crate) fn takes(&self, source: SourceId, kind: Kind) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
            && self.sources.as_ref().is_none_or(|sources| sources.contains(&source))
    }
}

fn narrow<T: PartialEq>(known: Option<Vec<T>>, to: T) -> Vec<T> {
    if known.is_none_or(|known| known.contains(&to)) { vec![to] } else { Vec::new() }
}

fn list(counts: &[i64]) -> String {
    counts.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
