//! Parses a query. A word before a colon that is no known key is searched for as text.

use crate::keys::{HAS, KEYS, KINDS, Key, QUALITIES, STATES, lookup};
use crate::{Date, Query, Term};

/// A term whose value its key cannot take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{token}: this key takes {}", self.expected.takes())]
pub struct QueryError {
    /// The term exactly as the reader typed it, shown again in the error's sentence.
    pub token: String,
    /// The values that the key takes.
    pub expected: Expected,
}

/// The values that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A day, month or year.
    Date,
    /// One of the states.
    State,
    /// One of the kinds.
    Kind,
    /// A number from 1 to 5.
    Priority,
    /// `attachment` or `link`.
    Has,
}

impl Expected {
    const fn takes(self) -> &'static str {
        match self {
            Self::Date => "2026-11-01, 2026-11 or 2026",
            Self::State => "unread, quiet, read, pinned, snoozed, done, muted, merged, closed or bot",
            Self::Kind => "announcement, activity or message",
            Self::Priority => "1 to 5",
            Self::Has => "attachment or link",
        }
    }
}

const QUOTES: [char; 3] = ['"', '“', '”'];

/// A part of a query's text.
pub(crate) struct Token<'t> {
    /// The whole part exactly as it was typed.
    pub(crate) typed: &'t str,
    /// The key, if the part has one.
    pub(crate) key: Option<Key>,
    /// The text after the key's colon, or the whole part; without quotes.
    pub(crate) value: &'t str,
    pub(crate) quoted: bool,
    /// The part reaches the end of the text, so more of it may be typed.
    pub(crate) incomplete: bool,
}

/// Splits a query into its parts.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after_key) = match key_of(rest) {
            Some((key, after_key)) => (Some(key), after_key),
            None => (None, rest),
        };
        let (value, after, quoted) = value_of(after_key);
        let typed = rest.get(..rest.len() - after.len()).unwrap_or(rest);
        tokens.push(Token {
            typed,
            key,
            value,
            quoted,
            incomplete: after.is_empty() && !(quoted && closed(typed)),
        });
        rest = after.trim_start();
    }
    tokens
}

fn closed(typed: &str) -> bool {
    let mut quotes = typed.matches(QUOTES);
    quotes.next().is_some() && quotes.next().is_some()
}

/// A known key, and the text after its colon.
fn key_of(text: &str) -> Option<(Key, &str)> {
    let end = text.find(|c: char| c == ':' || c == '：' || c.is_whitespace() || QUOTES.contains(&c))?;
    let (name, rest) = (text.get(..end)?, text.get(end..)?);
    let after_key = rest.strip_prefix([':', '：'])?;
    Some((lookup(&KEYS, name)?, after_key))
}

/// The value at the beginning of a text, the text after it, and whether it was in quotes.
fn value_of(text: &str) -> (&str, &str, bool) {
    if let Some(inside) = text.strip_prefix(QUOTES) {
        return match inside.split_once(QUOTES) {
            Some((value, after)) => (value, after, true),
            None => (inside, "", true),
        };
    }
    let end = text.find(|c: char| c.is_whitespace() || QUOTES.contains(&c)).unwrap_or(text.len());
    (text.get(..end).unwrap_or(text), text.get(end..).unwrap_or_default(), false)
}

pub(crate) fn query(text: &str) -> Result<Query, QueryError> {
    let mut terms = Vec::new();
    let mut last_is_prefix = false;
    for token in tokens(text) {
        let term = term(&token)?;
        last_is_prefix = token.incomplete && matches!(term, Some(Term::Word(_)));
        terms.extend(term);
    }
    Ok(Query { terms, last_is_prefix })
}

/// The term of a part; `None` if its value is still empty.
fn term(token: &Token<'_>) -> Result<Option<Term>, QueryError> {
    let value = token.value;
    let wrong = |expected| QueryError { token: token.typed.to_owned(), expected };
    if value.trim().is_empty() {
        return Ok(None);
    }
    let date = || Date::parse(value).ok_or_else(|| wrong(Expected::Date));
    Ok(Some(match token.key {
        None if token.quoted => Term::Phrase(value.to_owned()),
        None => Term::Word(value.to_owned()),
        Some(Key::From) => Term::From(value.to_owned()),
        Some(Key::Source) => Term::Source(value.to_owned()),
        Some(Key::Reason) => Term::Reason(value.to_owned()),
        Some(Key::Tag) => Term::Tag(value.trim().to_owned()),
        Some(Key::In) => Term::In(value.trim().to_owned()),
        Some(Key::Is) => {
            let state = lookup(&STATES, value).map(Term::Is);
            let quality = || lookup(&QUALITIES, value).map(Term::Quality);
            state.or_else(quality).ok_or_else(|| wrong(Expected::State))?
        }
        Some(Key::Kind) => Term::Kind(lookup(&KINDS, value).ok_or_else(|| wrong(Expected::Kind))?),
        Some(Key::Before) => Term::Before(date()?),
        Some(Key::After) => Term::After(date()?),
        Some(Key::On) => Term::On(date()?),
        Some(Key::Priority) => {
            let least = value.parse().ok().filter(|least| (1..=5).contains(least));
            Term::Priority(least.ok_or_else(|| wrong(Expected::Priority))?)
        }
        Some(Key::Has) => Term::Has(lookup(&HAS, value).ok_or_else(|| wrong(Expected::Has))?),
    }))
}
