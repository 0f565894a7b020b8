//! Search filters: conditions on one item and on its thread. The app parses a typed query into a filter.

use tidings_model::{Kind, Stamp};

use crate::SourceId;

/// A state that a search filter requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateFilter {
    /// The item itself is unread.
    Unread,
    /// The item itself is unread, and not counted on the badge.
    Quiet,
    /// Nothing in its thread is unread.
    Read,
    /// Its thread is pinned.
    Pinned,
    /// Its thread is muted.
    Muted,
    /// Its thread is snoozed.
    Snoozed,
    /// The item itself is archived.
    Done,
}

/// The conditions of a search. All of them must hold, and those on items for one single item; of a list of
/// alternatives one must hold. The default has no conditions.
///
/// ```
/// use tidings_replica_tables::{SearchFilter, StateFilter};
///
/// let from_ana = SearchFilter { from: vec![vec!["ana".into()]], ..SearchFilter::default() };
/// let unread = SearchFilter { states: vec![StateFilter::Unread], ..SearchFilter::words("backup") };
/// let both = from_ana.and(unread);
/// assert_eq!((both.words.len(), both.from.len()), (1, 1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Texts whose words must all occur. In each text the last word may be a prefix, unless a space follows it or it
    /// is in double quotes; words within double quotes must be adjacent.
    pub words: Vec<String>,
    /// Actors: for each entry one of its texts must match the beginning of the actor's id or of a word of the name.
    pub from: Vec<Vec<String>>,
    /// The required states.
    pub states: Vec<StateFilter>,
    /// The allowed kinds of the thread; `None` allows all.
    pub kinds: Option<Vec<Kind>>,
    /// The allowed sources; `None` allows all.
    pub sources: Option<Vec<SourceId>>,
    /// The allowed actions of the item, such as `review_requested`; letter case and all that is neither letter nor
    /// digit are ignored. `None` allows all.
    pub actions: Option<Vec<String>>,
    /// Tags that the item must have; letter case is ignored here and below.
    pub tags: Vec<String>,
    /// The allowed topics and applications, by id or title, and repositories, as `owner/name`; `None` allows all.
    pub origins: Option<Vec<String>>,
    /// Only items that are counted on the badge, once they are unread.
    pub counted: bool,
    /// Only items of bots: the source says so in their data, or the actor's id or name ends with the word "bot", as
    /// `renovate[bot]` does.
    pub bot: bool,
    /// The earliest time of the content, inclusive.
    pub since: Option<Stamp>,
    /// The latest time of the content, exclusive.
    pub before: Option<Stamp>,
    /// The least priority, 1 to 5.
    pub priority: Option<u8>,
    /// Only items with an attachment.
    pub attachment: bool,
    /// Only items with a link: a `url`, or an address in the body.
    pub link: bool,
}

impl SearchFilter {
    /// A filter with these words as its only condition.
    pub fn words(words: impl Into<String>) -> Self {
        Self { words: vec![words.into()], ..Self::default() }
    }

    /// Whether it has no conditions.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it requires one of these states.
    pub fn has_any_state(&self, states: &[StateFilter]) -> bool {
        self.states.iter().any(|state| states.contains(state))
    }

    /// The filter that has the conditions of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.words.extend(other.words);
        self.from.extend(other.from);
        self.states.extend(other.states);
        self.kinds = both(self.kinds, other.kinds);
        self.sources = both(self.sources, other.sources);
        self.actions = both(self.actions, other.actions);
        self.tags.extend(other.tags);
        self.origins = both(self.origins, other.origins);
        self.counted |= other.counted;
        self.bot |= other.bot;
        self.since = self.since.max(other.since);
        self.before = [self.before, other.before].into_iter().flatten().min();
        self.priority = self.priority.max(other.priority);
        self.attachment |= other.attachment;
        self.link |= other.link;
        self
    }

    /// Whether it has a condition that only an item's row or text can answer.
    pub fn needs_items(&self) -> bool {
        !self.words.is_empty()
            || !self.from.is_empty()
            || self.actions.is_some()
            || !self.tags.is_empty()
            || self.origins.is_some()
            || self.counted
            || self.bot
            || self.has_any_state(&[StateFilter::Quiet])
            || self.since.is_some()
            || self.before.is_some()
            || self.priority.is_some_and(|least| least > 1)
            || self.attachment
            || self.link
    }
}

fn both<T: PartialEq>(one: Option<Vec<T>>, other: Option<Vec<T>>) -> Option<Vec<T>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.into_iter().filter(|x| other.contains(x)).collect()),
        (one, other) => one.or(other),
    }
}
