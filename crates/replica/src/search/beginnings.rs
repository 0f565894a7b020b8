//! Short beginnings of words, `th` or `the`, as they are typed. The index gathers every item that has a word with such
//! a beginning before it returns the newest one. It has the items with a first letter in their order, though. So the
//! newest of these are read, and their words compared.

use std::borrow::Cow;

use rusqlite::{Row, params};
use serde::Deserialize;
use tidings_model::Target;
use tidings_replica_tables::columns::{limit, optional_json};
use tidings_replica_tables::search_text;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::{Findings, Found, Search, found};
use crate::{Result, SearchFilter};

/// The most items that are read. A beginning of which these have too few is rare, and the index finds it quickly.
const EXAMINED: usize = 1_500;
/// A beginning of more letters has fewer words.
const MAX_LETTERS: usize = 4;

/// A filter that asks for the first letter of its last word alone, and the beginning of that word.
pub(super) fn widened(filter: &SearchFilter) -> Option<(SearchFilter, &str)> {
    let words = filter.words.last()?;
    let beginning = search_text::beginning(words).filter(|word| (2..=MAX_LETTERS).contains(&word.len()))?;
    let mut widened = filter.clone();
    widened.words.last_mut()?.truncate(words.len() - beginning.len() + 1);
    Some((widened, beginning))
}

/// Whether a text has a word with a beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Has {
    Yes,
    No,
    /// The index may take one of its letters for another, as é for e.
    Perhaps,
}

/// Whether a text has a word that begins with these letters or digits of ASCII.
fn has(text: &str, beginning: &str) -> Has {
    let mut answer = Has::No;
    let mut within = false;
    for (at, c) in text.char_indices() {
        let is_letter = c.is_alphanumeric() && !search_text::is_dense(c);
        let continues = is_letter || (within && is_combining_mark(c));
        if is_letter && !within {
            match at_word(text.get(at..).unwrap_or_default(), beginning) {
                Has::Yes => return Has::Yes,
                Has::Perhaps => answer = Has::Perhaps,
                Has::No => {}
            }
        }
        within = continues;
    }
    answer
}

fn at_word(word: &str, beginning: &str) -> Has {
    let mut letters = word.chars().filter(|c| !is_combining_mark(*c));
    let mut answer = Has::Yes;
    for wanted in beginning.chars() {
        match letters.next() {
            Some(c) if c.is_ascii() && c.eq_ignore_ascii_case(&wanted) => {}
            Some(c) if !c.is_ascii() && base(c).eq_ignore_ascii_case(&wanted) => answer = Has::Perhaps,
            _ => return Has::No,
        }
    }
    answer
}

/// The letter without its marks.
fn base(c: char) -> char {
    let mut first = None;
    decompose_compatible(c, |part| first = first.or(Some(part)));
    first.unwrap_or(c)
}

/// The text of an item's content.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow, default)]
    title: Cow<'a, str>,
    #[serde(borrow, default)]
    body: Cow<'a, str>,
}

/// Like [`has`], for the text of an item that is indexed; its columns begin with the sixth.
fn item_has(r: &Row<'_>, beginning: &str) -> rusqlite::Result<Has> {
    let content = r.get_ref(5)?.as_str()?;
    let Ok(Texts { title, body }) = serde_json::from_str(content) else { return Ok(Has::Perhaps) };
    let target: Option<Target> = optional_json(r, 8)?;
    let conversation = r.get_ref(9)?.as_str_or_null()?;
    let other = conversation.and_then(|name| name.split_once(':')).map_or("", |(_, id)| id);
    let about = target.as_ref().map_or(other, |target| target.title.as_deref().unwrap_or(&target.id));
    let texts = [&*title, &*body, r.get_ref(6)?.as_str()?, r.get_ref(7)?.as_str()?, about];
    let answers = texts.map(|text| has(text, beginning));
    let answer = [Has::Yes, Has::Perhaps].into_iter().find(|answer| answers.contains(answer));
    Ok(answer.unwrap_or(Has::No))
}

impl Search<'_> {
    /// Items that hold a beginning, among the newest ones with its first letter; `None` if their text does not show
    /// that. `fts_query` asks for the letter.
    pub(super) fn by_beginning(&self, fts_query: &str, beginning: &str) -> Result<Option<Findings>> {
        let sql = format!(
            "SELECT {}, i.content, i.actor, i.actor_name, i.target, i.conversation
             FROM (SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid DESC LIMIT ?2) s
             CROSS JOIN items i ON i.id = s.rowid CROSS JOIN threads t ON t.id = i.thread
             WHERE {}",
            self.columns, self.condition
        );
        let mut rows = self.conn.prepare_cached(&sql)?;
        let mut rows = rows.query(params![fts_query, limit(EXAMINED)])?;
        let mut all: Vec<Found> = Vec::new();
        while let Some(r) = rows.next()? {
            match item_has(r, beginning)? {
                Has::Yes => all.push(found(r)?),
                Has::Perhaps => return Ok(None),
                Has::No => {}
            }
        }
        Ok(Some(Findings { found: all, complete: !self.has_more_than(fts_query, EXAMINED)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_where_the_index_begins_one() {
        assert_eq!(has("t\u{301}he", "the"), Has::Yes);
        for text in ["the end", "At THE end", "a_the", "(then)", "用the写", "x-the", "1.the"] {
            assert_eq!(has(text, "the"), Has::Yes, "{text}");
        }
        for text in ["", "breathe", "th", "4the", "éthe", "e\u{301}the", "用写"] {
            assert_eq!(has(text, "the"), Has::No, "{text}");
        }
        for text in ["thé", "in thĕn", "ﬁ ťhe"] {
            assert_eq!(has(text, "the"), Has::Perhaps, "{text}");
        }
        assert_eq!(has("thé, then", "the"), Has::Yes);
    }

    #[test]
    fn a_beginning_that_is_being_typed_is_widened_to_its_first_letter() {
        let widened_of = |words: &str| {
            let filter = SearchFilter::words(words);
            widened(&filter).map(|(wide, beginning)| (wide.words, beginning.to_owned()))
        };
        assert_eq!(widened_of("disk the"), Some((vec!["disk t".to_owned()], "the".to_owned())));
        assert_eq!(widened_of("备份th"), Some((vec!["备份t".to_owned()], "th".to_owned())));
        for words in ["t", "there", "the ", "\"the\"", "thé", "th-e", "数据", ""] {
            assert_eq!(widened_of(words), None, "{words}");
        }
    }
}
