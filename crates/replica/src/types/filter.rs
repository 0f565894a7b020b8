//! Search filters: conditions that one and the same item must meet, and conditions on its thread. A typed query is parsed
//! into one by the app.

use tidings_model::{Kind, Stamp};

use crate::SourceId;

/// A state that a search asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateFilter {
    /// The item itself is unread.
    Unread,
    /// Nothing in its thread is unread.
    Read,
    /// Its thread is pinned.
    Pinned,
    /// Its thread is muted.
    Muted,
    /// Its thread is snoozed.
    Snoozed,
    /// Its thread is done.
    Done,
}

/// What a search asks for. All conditions hold at once, and those on items for one and the same item; of a list of
/// alternatives one must hold. The default asks for nothing.
///
/// ```
/// use tidings_replica::{SearchFilter, StateFilter};
///
/// let from_ana = SearchFilter { from: vec![vec!["ana".into()]], ..SearchFilter::default() };
/// let unread = SearchFilter { states: vec![StateFilter::Unread], ..SearchFilter::words("backup") };
/// let both = from_ana.and(unread);
/// assert_eq!((both.words.len(), both.from.len()), (1, 1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Words; in each entry the last one may be the beginning of one, unless a space follows it or it stands in double
    /// quotes with others, which then stand together in the item too.
    pub words: Vec<String>,
    /// Who did it: of each entry one must fit the beginning of the actor's id or of a word of the name.
    pub from: Vec<Vec<String>>,
    /// All of these states.
    pub states: Vec<StateFilter>,
    /// One of these kinds, of the thread.
    pub kinds: Option<Vec<Kind>>,
    /// One of these sources.
    pub sources: Option<Vec<SourceId>>,
    /// `created_at` at or after this time.
    pub since: Option<Stamp>,
    /// `created_at` before this time.
    pub before: Option<Stamp>,
    /// At least this priority, 1 to 5.
    pub priority: Option<u8>,
    /// Only items with a file.
    pub attachment: bool,
    /// Only items with a link.
    pub link: bool,
}

impl SearchFilter {
    /// A filter for these words alone.
    pub fn words(words: impl Into<String>) -> Self {
        Self { words: vec![words.into()], ..Self::default() }
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it asks for one of these states.
    pub fn asks_for(&self, states: &[StateFilter]) -> bool {
        self.states.iter().any(|state| states.contains(state))
    }

    /// What meets both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.words.extend(other.words);
        self.from.extend(other.from);
        self.states.extend(other.states);
        self.kinds = both(self.kinds, other.kinds);
        self.sources = both(self.sources, other.sources);
        self.since = self.since.max(other.since);
        self.before = [self.before, other.before].into_iter().flatten().min();
        self.priority = self.priority.max(other.priority);
        self.attachment |= other.attachment;
        self.link |= other.link;
        self
    }

    /// Whether it asks anything that only an item's own row or text can answer.
    pub(crate) fn needs_items(&self) -> bool {
        !self.words.is_empty()
            || !self.from.is_empty()
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
