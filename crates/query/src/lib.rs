//! The query language: `from:bob is:unread type:activity before:2026-11-01 "exact words"`, with English and Chinese
//! keys. A value that its key cannot take is an error that says what to write instead.

mod date;
mod keys;
mod near;
mod parse;
pub mod suggest;

use std::fmt;

use tidings_model::{Kind, Lang};
use tidings_replica::{SearchFilter, SourceId, StateFilter};
use tidings_strings::strings;

pub use self::date::{Date, Midnight, local_midnight};
pub use self::keys::{Has, Key, Quality};
pub use self::near::Correction;
pub use self::parse::{Expected, QueryError};

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The terms in the order in which they were typed.
    pub terms: Vec<Term>,
    /// The last word is not complete yet, so it matches as a prefix.
    pub last_is_prefix: bool,
}

/// One term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// A word to find.
    Word(String),
    /// A phrase: words that follow one another.
    Phrase(String),
    /// The beginning of an actor's id or name.
    From(String),
    /// The state.
    Is(StateFilter),
    /// Another quality.
    Quality(Quality),
    /// The kind.
    Kind(Kind),
    /// The beginning of a source's name, or its protocol.
    Source(String),
    /// The action of a reminder; dashes, underscores and spaces in it are equal.
    Reason(String),
    /// Before the start of a day, month or year.
    Before(Date),
    /// Since the start of a day, month or year.
    After(Date),
    /// Within a day, month or year.
    On(Date),
    /// The least priority.
    Priority(u8),
    /// A property.
    Has(Has),
    /// A tag.
    Tag(String),
    /// A topic, an application or a repository.
    In(String),
}

/// A source as `source:` may name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSource {
    /// Its row id.
    pub id: SourceId,
    /// The name that the reader sees.
    pub name: String,
    /// Its protocol, for example `github`.
    pub protocol: String,
}

impl NamedSource {
    /// Whether a text is the beginning of its name or of a word in it, or its protocol; letter case is ignored.
    fn is_meant(&self, text: &str) -> bool {
        begins(&self.name, text) || self.protocol.eq_ignore_ascii_case(text)
    }
}

impl Query {
    /// Parses a query as the reader typed it.
    ///
    /// ```
    /// use tidings_query::{Query, Term};
    ///
    /// let query = Query::parse("from:bob disk").unwrap();
    /// assert_eq!(query.terms, [Term::From("bob".into()), Term::Word("disk".into())]);
    /// assert_eq!(Query::parse("before:soon").unwrap_err().token, "before:soon");
    /// ```
    ///
    /// # Errors
    /// The first term whose value its key cannot take.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::query(text)
    }

    /// The search filter of the query. `midnight` gives the start of a day.
    pub fn filter(&self, sources: &[NamedSource], midnight: Midnight) -> SearchFilter {
        let mut filter = SearchFilter::default();
        let mut names = Vec::new();
        for term in &self.terms {
            match term {
                Term::Word(_) | Term::Phrase(_) => {}
                Term::From(name) => names.push(name.clone()),
                Term::Is(state) => filter.states.push(*state),
                Term::Kind(kind) => filter.kinds.get_or_insert_default().push(*kind),
                Term::Source(name) => {
                    let ids = sources.iter().filter(|known| known.is_meant(name)).map(|known| known.id);
                    filter.sources.get_or_insert_default().extend(ids);
                }
                Term::Reason(action) => filter.actions.get_or_insert_default().push(action.clone()),
                Term::Before(date) => {
                    let before = date.start(midnight);
                    filter.before = Some(filter.before.map_or(before, |known| known.min(before)));
                }
                Term::After(date) => filter.since = filter.since.max(Some(date.start(midnight))),
                Term::On(date) => {
                    let (since, before) = (date.start(midnight), date.end(midnight));
                    filter.since = filter.since.max(Some(since));
                    filter.before = Some(filter.before.map_or(before, |known| known.min(before)));
                }
                Term::Priority(least) => filter.priority = filter.priority.max(Some(*least)),
                Term::Has(Has::Attachment) => filter.attachment = true,
                Term::Has(Has::Link) => filter.link = true,
                Term::Tag(tag) => filter.tags.push(tag.clone()),
                Term::In(origin) => filter.origins.get_or_insert_default().push(origin.clone()),
                Term::Quality(Quality::Bot) => filter.bot = true,
                // Sources and webhooks give these tags.
                Term::Quality(tag) => filter.tags.push(tag.name().to_owned()),
            }
        }
        filter.words.extend(self.words());
        if !names.is_empty() {
            filter.from.push(names);
        }
        filter
    }

    /// The words and phrases in the replica's syntax; a space at the end completes the last word.
    fn words(&self) -> Option<String> {
        let mut parts = Vec::new();
        for term in &self.terms {
            match term {
                Term::Word(word) => parts.push(word.clone()),
                Term::Phrase(phrase) => parts.push(format!("\"{phrase}\"")),
                _ => {}
            }
        }
        let end = if self.last_is_prefix { "" } else { " " };
        if parts.is_empty() { None } else { Some(parts.join(" ") + end) }
    }

    /// The terms to highlight in results: words, phrases and names.
    pub fn highlights(&self) -> Vec<String> {
        let text = |term: &Term| match term {
            Term::Word(text) | Term::Phrase(text) | Term::From(text) => Some(text.clone()),
            _ => None,
        };
        self.terms.iter().filter_map(text).collect()
    }
}

/// Whether a name or a word in it begins with a prefix; letter case is ignored.
pub fn begins(name: &str, with: &str) -> bool {
    let (name, with) = (name.to_lowercase(), with.to_lowercase());
    name.starts_with(&with) || name.split_whitespace().any(|word| word.starts_with(&with))
}

/// A value as it is written after its key: quoted if it is empty or has white space.
fn quoted(value: &str) -> String {
    let unquoted = !value.is_empty() && !value.chars().any(char::is_whitespace);
    if unquoted { value.to_owned() } else { format!("\"{value}\"") }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Phrase(phrase) => write!(f, "\"{phrase}\""),
            Self::From(name) => write!(f, "from:{}", quoted(name)),
            Self::Is(state) => write!(f, "is:{}", keys::state_name(*state)),
            Self::Kind(kind) => write!(f, "type:{}", keys::kind_name(*kind)),
            Self::Source(name) => write!(f, "source:{}", quoted(name)),
            Self::Reason(action) => write!(f, "reason:{}", quoted(action)),
            Self::Before(date) => write!(f, "before:{date}"),
            Self::After(date) => write!(f, "after:{date}"),
            Self::On(date) => write!(f, "on:{date}"),
            Self::Priority(least) => write!(f, "priority:{least}"),
            Self::Has(has) => write!(f, "has:{}", has.name()),
            Self::Quality(quality) => write!(f, "is:{}", quality.name()),
            Self::Tag(tag) => write!(f, "tag:{}", quoted(tag)),
            Self::In(origin) => write!(f, "in:{}", quoted(origin)),
        }
    }
}

/// The query in its written form; parsing that gives the same query.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, term) in self.terms.iter().enumerate() {
            if n > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{term}")?;
        }
        // A trailing space completes the last word.
        let complete = !self.last_is_prefix && matches!(self.terms.last(), Some(Term::Word(_)));
        if complete { f.write_str(" ") } else { Ok(()) }
    }
}

impl QueryError {
    /// A sentence: what is wrong, and what to write instead.
    pub fn text(&self, lang: Lang) -> String {
        let table = strings(lang);
        let sentence = match self.expected {
            Expected::Date => table.query_date,
            Expected::State => table.query_state,
            Expected::Kind => table.query_kind,
            Expected::Priority => table.query_priority,
            Expected::Has => table.query_has,
        };
        sentence(&self.token)
    }
}

#[cfg(test)]
mod tests;
