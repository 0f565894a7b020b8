//! Near words: those of the index, and of people's names, that a typing error may have turned into a word that finds
//! nothing. The search ends after a fixed amount of work.
//!
//! Words are compared by edit distance with those of the index (`search_words`), along the likely beginnings. Only
//! what finds something is offered.

use std::cmp::Reverse;

use rusqlite::{Connection, params};
use strsim::osa_distance;
use tidings_replica_tables::columns::count;
use tidings_replica_tables::facets::FACET;
use tidings_replica_tables::search_text::{is_dense, query};
use tidings_replica_tables::sql;

use super::completions::completed;
use crate::{Replica, Result, SearchFilter};

/// The fewest and the most characters of a word for which near ones are looked up.
const CHARS: std::ops::RangeInclusive<usize> = 3..=32;
/// From this length on two errors are forgiven, else one.
const TWO_ERRORS_FROM: usize = 6;
/// The most work of a lookup: a word of the index is one, and so is each item that has it.
const MAX_WORK: u64 = 1_000_000;
/// The number of the latest people whose names are compared.
const MAX_PEOPLE: i64 = 20_000;

impl Replica {
    /// Whether a word, or one that begins with it, is in any item.
    pub fn has_word(&self, word: &str) -> Result<bool> {
        let Some(expression) = query(word) else { return Ok(false) };
        let sql = "SELECT rowid FROM search WHERE search MATCH ?1 LIMIT 1";
        self.read(|conn| {
            let expression = completed(conn, &SearchFilter::words(word), expression)?;
            Ok(sql::first(conn, sql, [&expression], |r| r.get::<_, i64>(0))?.is_some())
        })
    }

    /// Words of the index that differ from `word` by one typing error, or by two if it is long. An error is a letter
    /// too many, too few or another, or two that changed places. Only the nearest words are given, the commonest first,
    /// at most `most`. Chinese words have none.
    pub fn near_words(&self, word: &str, most: usize) -> Result<Vec<String>> {
        let Some(near) = Near::to(word) else { return Ok(Vec::new()) };
        self.read(|conn| near.words(conn)).map(|found| best(found, most))
    }

    /// Names of people, or words of them, that differ from `name` as in [`Replica::near_words`].
    pub fn near_names(&self, name: &str, most: usize) -> Result<Vec<String>> {
        let Some(near) = Near::to(name) else { return Ok(Vec::new()) };
        self.read(|conn| near.names(conn)).map(|found| best(found, most))
    }
}

/// A found word: its distance, the number of items or people that have it, and the word.
type NearWord = (usize, Reverse<u64>, String);

fn best(mut found: Vec<NearWord>, most: usize) -> Vec<String> {
    found.sort_unstable();
    found.dedup_by(|a, b| a.2 == b.2);
    // With one error in it, nothing is meant that needs two.
    let nearest = found.first().map_or(0, |(distance, ..)| *distance);
    found.retain(|(distance, ..)| *distance == nearest);
    found.into_iter().take(most).map(|(_, _, word)| word).collect()
}

struct Near {
    word: String,
    chars: Vec<char>,
}

impl Near {
    /// `None` if near words of this one make no sense.
    fn to(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let chars: Vec<char> = word.chars().collect();
        let spelled = chars.iter().all(|c| c.is_alphanumeric() && !is_dense(*c));
        let fits = CHARS.contains(&chars.len()) && spelled && chars.iter().any(|c| c.is_alphabetic());
        fits.then_some(Self { word, chars })
    }

    const fn errors(&self) -> usize {
        if self.chars.len() < TWO_ERRORS_FROM { 1 } else { 2 }
    }

    fn distance(&self, other: &str) -> Option<usize> {
        let length = other.chars().count();
        if length.abs_diff(self.chars.len()) > self.errors() || other.contains(FACET) {
            return None;
        }
        let distance = osa_distance(&self.word, other);
        (distance > 0 && distance <= self.errors()).then_some(distance)
    }

    /// The beginnings of the words that are compared, the likeliest first: most errors are behind the second letter.
    fn beginnings(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut add = |letters: &[Option<&char>]| {
            let beginning: Option<String> =
                letters.iter().copied().collect::<Option<Vec<_>>>().map(|of| of.into_iter().collect());
            if let Some(beginning) =
                beginning.filter(|one| !all.iter().any(|known| one.starts_with(known.as_str())))
            {
                all.push(beginning);
            }
        };
        let [first, second, third] = [0, 1, 2].map(|at| self.chars.get(at));
        add(&[first, second]);
        add(&[second, first]);
        add(&[second, third]);
        add(&[first]);
        all
    }

    fn words(&self, conn: &Connection) -> Result<Vec<NearWord>> {
        let mut found = Vec::new();
        let mut work = 0;
        let mut rows =
            conn.prepare_cached("SELECT term, doc FROM search_words WHERE term >= ?1 AND term < ?2")?;
        for beginning in self.beginnings() {
            let end = format!("{beginning}{}", char::MAX);
            let mut rows = rows.query(params![beginning, end])?;
            while let Some(r) = rows.next()? {
                let items = count(r, 1)?;
                work += 1 + items;
                let term: String = r.get(0)?;
                if let Some(distance) = self.distance(&term) {
                    found.push((distance, Reverse(items), term));
                }
                if work > MAX_WORK {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    fn names(&self, conn: &Connection) -> Result<Vec<NearWord>> {
        let mut rows =
            conn.prepare_cached("SELECT actor, name FROM people ORDER BY last_at DESC LIMIT ?1")?;
        let mut rows = rows.query([MAX_PEOPLE])?;
        let mut found: std::collections::HashMap<String, (usize, u64)> = std::collections::HashMap::new();
        while let Some(r) = rows.next()? {
            let (id, name): (String, String) = (r.get(0)?, r.get(1)?);
            let names = [id.to_lowercase(), name.to_lowercase()];
            for word in names.iter().flat_map(|name| name.split_whitespace()) {
                if let Some(distance) = self.distance(word) {
                    found.entry(word.to_owned()).or_insert((distance, 0)).1 += 1;
                }
            }
        }
        Ok(found.into_iter().map(|(word, (distance, people))| (distance, Reverse(people), word)).collect())
    }
}
