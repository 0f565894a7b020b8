//! Suggests terms for a query: those that find something. People and sources are passed in.

use chrono::{Datelike, NaiveDate};
use tidings_ipc::Suggestion;
use tidings_model::{Actor, Lang, text};
use tidings_replica::{Result, StateFilter};

use crate::keys::{HAS, KEYS, KINDS, Key, QUALITIES, STATES};
use crate::parse::{Token, tokens};
use crate::{Query, Term, begins, quoted};

/// The most suggestions.
const MAX_SUGGESTIONS: usize = 6;
/// The most terms that are looked up for a letter.
const MAX_LOOKUPS: usize = 24;
/// The most sources of which one is looked for that narrows the query.
const MAX_SOURCES: usize = 4;

/// The inbox's data that suggestions are made from.
pub struct SuggestContext<'a> {
    /// The language of the suggestions.
    pub lang: Lang,
    /// The names of the sources as the reader sees them, in their order.
    pub sources: &'a [String],
    /// Actions that fit the text after `reason:`, the latest first.
    pub reasons: &'a [String],
    /// Tags that fit the text after `tag:`, the latest first.
    pub tags: &'a [String],
    /// Topics, applications and repositories that fit the text after `in:`, the latest first, with their titles.
    pub origins: &'a [(String, String)],
    /// People whose name fits the text after `from:`, the likeliest first.
    pub people: &'a [Actor],
    /// Today in the reader's time zone.
    pub today: NaiveDate,
    /// The day of the oldest item in that zone; `None` without items.
    pub oldest: Option<NaiveDate>,
    /// Whether a query finds something.
    pub finds: &'a dyn Fn(&Query) -> Result<bool>,
}

impl SuggestContext<'_> {
    /// A day before which there is something: the first of this month, the day a week ago, or today.
    fn past_day(&self) -> Option<NaiveDate> {
        let week_ago = self.today.checked_sub_days(chrono::Days::new(7));
        let days = [self.today.with_day(1), week_ago, Some(self.today)];
        days.into_iter().flatten().find(|day| self.oldest.is_some_and(|oldest| oldest < *day))
    }

    /// Whether a text is a query that finds something. Its words and names are taken as whole ones: every word with a
    /// beginning would have to be looked up.
    fn finds(&self, text: &str) -> Result<bool> {
        let Ok(mut query) = Query::parse(text) else { return Ok(false) };
        query.last_is_prefix = false;
        for term in &mut query.terms {
            if let Term::From(name) = term {
                name.push(' ');
            }
        }
        (self.finds)(&query)
    }
}

/// The text after `from:`, or an open word that may begin a name; `None` if no name can be meant.
pub fn typed_name(query: &str) -> Option<&str> {
    let last = tokens(query).pop().filter(|token| token.incomplete)?;
    match last.key {
        Some(Key::From) => Some(last.value),
        None if !last.quoted => Some(last.value),
        _ => None,
    }
}

/// The text after a key; `None` if no value of that key is being typed.
pub fn typed_value(query: &str, key: Key) -> Option<&str> {
    let last = tokens(query).pop().filter(|token| token.incomplete)?;
    (last.key == Some(key)).then_some(last.value)
}

/// At most six suggestions: completions of the open part that find something, else terms with which the query does.
///
/// # Errors
/// The error of a lookup.
pub fn suggest(query: &str, context: &SuggestContext<'_>) -> Result<Vec<Suggestion>> {
    let typed = tokens(query);
    let completions = match typed.last().filter(|token| token.incomplete) {
        Some(last) => match last.key {
            Some(key) => complete_value(key, last.value, context),
            None if last.quoted => Vec::new(),
            None => complete_word(last.value, context),
        },
        None => Vec::new(),
    };
    let is_new = |one: &Suggestion| typed.iter().all(|token| token.typed != one.token);
    let fitting = completions.into_iter().filter(is_new);
    let mut found = offered(fitting, |token| Ok(is_from_inbox(token) || context.finds(token)?))?;
    if found.is_empty() {
        let mut before = Vec::new();
        for token in &typed {
            // An open word narrows once it is one that is there.
            if !token.incomplete || token.key.is_none() && context.finds(token.typed)? {
                before.push(token.typed);
            }
        }
        let before = before.join(" ");
        let finds = |token: &str| context.finds(&format!("{before} {token}"));
        let narrowing = narrowing_terms(&typed, context, &finds)?;
        found = offered(narrowing.into_iter().filter(is_new), finds)?;
    }
    // Names come from other systems and may hold control characters.
    for shown in found.iter_mut().flat_map(|suggestion| [&mut suggestion.token, &mut suggestion.label]) {
        text::make_line(shown);
    }
    Ok(found)
}

/// The first of some suggestions that find something.
fn offered(
    all: impl Iterator<Item = Suggestion>,
    finds: impl Fn(&str) -> Result<bool>,
) -> Result<Vec<Suggestion>> {
    let mut found = Vec::new();
    for suggestion in all.take(MAX_LOOKUPS) {
        if found.len() == MAX_SUGGESTIONS {
            break;
        }
        if finds(&suggestion.token)? {
            found.push(suggestion);
        }
    }
    Ok(found)
}

/// Whether a term is a key without a value, or has a value that was taken from the inbox: it needs no lookup.
fn is_from_inbox(token: &str) -> bool {
    let key = tokens(token).first().and_then(|token| token.key);
    token.ends_with(':') || matches!(key, Some(Key::From | Key::Reason | Key::Tag | Key::In))
}

fn completion(token: String, label: String) -> Suggestion {
    Suggestion { token, label, completes: true }
}

/// Completions of a key's value.
fn complete_value(key: Key, typed: &str, context: &SuggestContext<'_>) -> Vec<Suggestion> {
    let token = |value: &str| format!("{}:{}", key.name(), quoted(value));
    let plain = |value: &str| completion(token(value), String::new());
    match key {
        Key::From => context.people.iter().map(person).collect(),
        Key::Source => {
            let fitting = context.sources.iter().filter(|name| begins(name, typed));
            fitting.map(|name| plain(&name.to_lowercase())).collect()
        }
        // As people write it; the query reads both.
        Key::Reason => context.reasons.iter().map(|reason| plain(&reason.replace('_', "-"))).collect(),
        Key::Tag => context.tags.iter().map(|tag| plain(tag)).collect(),
        Key::In => {
            let titled = |(origin, title): &(String, String)| completion(token(origin), title.clone());
            context.origins.iter().map(titled).collect()
        }
        Key::Is => {
            let mut all = from_table(&STATES, typed, context.lang, token);
            all.extend(from_table(&QUALITIES, typed, context.lang, token));
            all
        }
        Key::Kind => from_table(&KINDS, typed, context.lang, token),
        Key::Has => from_table(&HAS, typed, context.lang, token),
        Key::Priority => {
            ["5", "4", "3", "2"].into_iter().filter(|level| level.starts_with(typed)).map(plain).collect()
        }
        Key::Before | Key::After | Key::On => dates(context.today)
            .into_iter()
            .filter(|date| date.starts_with(typed))
            .map(|date| plain(&date))
            .collect(),
    }
}

/// Entries of a table that begin like the typed text, in either language.
fn from_table<T: Copy>(
    table: &[(T, &[&str])],
    typed: &str,
    lang: Lang,
    token: impl Fn(&str) -> String,
) -> Vec<Suggestion> {
    let typed = typed.to_lowercase();
    let fitting = table.iter().filter(|(_, words)| words.iter().any(|word| word.starts_with(&typed)));
    fitting
        .filter_map(|(_, words)| {
            let label = if lang == Lang::ZhCn { words.iter().find(|word| !word.is_ascii())? } else { "" };
            Some(completion(token(words.first()?), (*label).to_owned()))
        })
        .collect()
}

fn person(actor: &Actor) -> Suggestion {
    let label = if actor.name == actor.id { String::new() } else { actor.name.clone() };
    let plain = !actor.id.contains(['"', '“', '”']);
    let value = if plain { &actor.id } else { &actor.name };
    completion(format!("from:{}", quoted(&value.replace(['"', '“', '”'], " "))), label)
}

/// Recent days, two months and the year, as likely dates.
fn dates(today: NaiveDate) -> Vec<String> {
    let month =
        |back: u32| today.with_day(1).and_then(|day| day.checked_sub_months(chrono::Months::new(back)));
    let day = |back: u64| today.checked_sub_days(chrono::Days::new(back));
    let mut dates: Vec<String> = [day(0), day(1), day(7), month(0)]
        .into_iter()
        .flatten()
        .map(|day| day.format("%F").to_string())
        .collect();
    dates.extend([month(0), month(1)].into_iter().flatten().map(|day| day.format("%Y-%m").to_string()));
    dates.push(format!("{:04}", today.year()));
    dates.dedup();
    dates
}

/// Completions of a word: to a key, a value, a person or a source.
fn complete_word(typed: &str, context: &SuggestContext<'_>) -> Vec<Suggestion> {
    let lowercase = typed.to_lowercase();
    let mut found: Vec<Suggestion> = KEYS
        .iter()
        .filter(|(_, words)| words.iter().any(|word| word.starts_with(&lowercase)))
        .map(|(key, _)| completion(format!("{}:", key.name()), String::new()))
        .collect();
    found.extend(from_table(&STATES, typed, context.lang, |word| format!("is:{word}")));
    found.extend(from_table(&QUALITIES, typed, context.lang, |word| format!("is:{word}")));
    found.extend(from_table(&KINDS, typed, context.lang, |word| format!("type:{word}")));
    found.extend(context.people.iter().map(person));
    let sources = context.sources.iter().filter(|name| begins(name, typed));
    found.extend(
        sources.map(|name| completion(format!("source:{}", quoted(&name.to_lowercase())), String::new())),
    );
    found
}

/// Terms that may narrow a query, with keys that it does not have yet. Of the sources it is one that `finds` something.
fn narrowing_terms(
    typed: &[Token<'_>],
    context: &SuggestContext<'_>,
    finds: &impl Fn(&str) -> Result<bool>,
) -> Result<Vec<Suggestion>> {
    let has = |key: Key| typed.iter().any(|token| token.key == Some(key));
    let mut found = Vec::new();
    let mut add = |token: String| found.push(Suggestion { token, label: String::new(), completes: false });
    if !has(Key::Is) {
        add(format!("is:{}", super::keys::state_name(StateFilter::Unread)));
    }
    if !has(Key::Source) && context.sources.len() > 1 {
        // The first one is this computer.
        let others = context.sources.iter().skip(1).take(MAX_SOURCES);
        let terms = others.map(|name| format!("source:{}", quoted(&name.to_lowercase())));
        for term in terms {
            if finds(&term)? {
                add(term);
                break;
            }
        }
    }
    if !(has(Key::Before) || has(Key::After) || has(Key::On))
        && let Some(day) = context.past_day()
    {
        add(format!("before:{}", day.format("%F")));
    }
    if !has(Key::Kind) {
        add("type:activity".to_owned());
    }
    if !has(Key::Has) {
        add("has:attachment".to_owned());
    }
    if !has(Key::Priority) {
        add("priority:4".to_owned());
    }
    Ok(found)
}
