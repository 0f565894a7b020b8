//! The last word of a search may be the beginning of others. For a beginning the index gathers all items that have one of
//! its words, before it returns the newest, whatever bounds their ids have. It has the items of each whole word in
//! their order, though. So a beginning is replaced by its words, if they are few.

use rusqlite::Connection;
use tidings_replica_tables::{search_text, sql};

use crate::{Result, SearchFilter};

/// The most words that take the place of a beginning. A beginning of more words is left to the index.
const MAX_WORDS: usize = 32;
/// Sorts behind a word, and before all words that it begins.
const BEHIND: char = '\u{1}';

/// A filter's FTS5 query, in which words of the index take the place of beginnings; it finds the same items.
pub(super) fn completed(conn: &Connection, filter: &SearchFilter, fts_query: String) -> Result<String> {
    let mut completed = fts_query;
    let texts = filter.words.iter().chain(filter.from.iter().flatten());
    for beginning in texts.filter_map(|text| search_text::beginning(text)) {
        let words = words_of(conn, &beginning.to_ascii_lowercase())?;
        if !words.is_empty() {
            let any: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            completed = completed.replace(&format!("\"{beginning}\" *"), &format!("({})", any.join(" OR ")));
        }
    }
    Ok(completed)
}

/// The words of the index with a beginning; none if they are too many, or if the index has their items together.
fn words_of(conn: &Connection, beginning: &str) -> Result<Vec<String>> {
    // Items are indexed by the first letter, and numbers with the same first digits are too many.
    if beginning.len() < 2 || beginning.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Vec::new());
    }
    let mut words: Vec<String> = Vec::new();
    let mut from = beginning.to_owned();
    while let Some(word) = first_word(conn, &from)?.filter(|word| word.starts_with(beginning)) {
        // The query takes apart other words in its own way.
        if words.len() == MAX_WORDS || !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(Vec::new());
        }
        from = format!("{word}{BEHIND}");
        words.push(word);
    }
    Ok(words)
}

/// The first word of the index that is not before another.
fn first_word(conn: &Connection, from: &str) -> Result<Option<String>> {
    sql::first(conn, "SELECT term FROM search_terms WHERE term >= ?1 LIMIT 1", [from], |r| r.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_of(texts: &[&str]) -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        let tables = "CREATE VIRTUAL TABLE search USING fts5(
                body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1');
            CREATE VIRTUAL TABLE search_terms USING fts5vocab(search, instance);";
        conn.execute_batch(tables).unwrap();
        for text in texts {
            conn.execute("INSERT INTO search (body) VALUES (?1)", [text]).unwrap();
        }
        conn
    }

    fn of(conn: &Connection, text: &str) -> String {
        completed(conn, &SearchFilter::words(text), search_text::query(text).unwrap()).unwrap()
    }

    #[test]
    fn a_beginning_of_few_words_is_replaced_by_them() {
        let conn = index_of(&["The end", "then: a theme", "a the", "thé", "tha thf"]);
        assert_eq!(of(&conn, "The"), "(\"the\" OR \"theme\" OR \"then\")");
        assert_eq!(of(&conn, "end the"), "\"end\" AND (\"the\" OR \"theme\" OR \"then\")");
        for kept in ["t", "the ", "\"the\"", "none", "a-the", "thé"] {
            assert_eq!(of(&conn, kept), search_text::query(kept).unwrap(), "{kept}");
        }
    }

    #[test]
    fn a_beginning_of_many_or_of_other_words_is_left_to_the_index() {
        let many: Vec<String> = (0..=MAX_WORDS).map(|n| format!("build{n}")).collect();
        let mut texts: Vec<&str> = many.iter().map(String::as_str).collect();
        texts.extend(["übßer ober", "straße strand", "42 421"]);
        let conn = index_of(&texts);
        assert_eq!(of(&conn, "build"), "\"build\" *");
        assert_eq!(of(&conn, "build3"), "(\"build3\" OR \"build30\" OR \"build31\" OR \"build32\")");
        assert_eq!(of(&conn, "stra"), "\"stra\" *");
        assert_eq!(of(&conn, "42"), "\"42\" *");
    }
}
