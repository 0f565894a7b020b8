//! Looks at what the rows say: whether it can be read, and whether the search index has its words. A flipped bit in a text
//! breaks no rule of SQLite.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use tidings_replica_tables::facets::FACET;
use tidings_replica_tables::items::{self, ITEM, ITEM_FROM};
use tidings_replica_tables::search_index;

use crate::handle::FILE;
use crate::upkeep::check::room;
use crate::{Difference, Result};

/// The columns with JSON that are not read with an item: the table, the column, and what names a row.
const JSON: [(&str, &str, &str); 14] = [
    ("sources", "catalog", "name"),
    ("sources", "server_counts", "name"),
    ("threads", "actors", "key"),
    ("previews", "preview", "item"),
    ("outbox", "change", "id"),
    ("outgoing", "message", "id"),
    ("outgoing", "file", "id"),
    ("server_state", "assumed", "item"),
    ("groups", "members", "gid"),
    ("settings", "value", "key"),
    ("rules", "condition", "name"),
    ("rules", "actions", "name"),
    ("rule_items", "actions", "item"),
    ("mark_steps", "step", "seq"),
];

/// The texts of the reader, which are no JSON: the table, the column, and what names a row.
const TEXTS: [(&str, &str, &str); 3] =
    [("drafts", "text", "key"), ("saved_searches", "query", "id"), ("outgoing", "conversation", "id")];

/// The table of the words that should be in the index, with the same rules.
const EXPECTED: &str = "PRAGMA journal_mode = OFF;
    CREATE VIRTUAL TABLE search USING fts5(
        title, body, actor, target,
        content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE search_words USING fts5vocab(search, row);
    BEGIN;";

/// The words of an index with the number of items that have each and how often they have it, in the order of their bytes.
/// What an item is has words of its own, which begin with this character.
const WORDS: &str = "SELECT 'word', term, doc, cnt FROM search_words WHERE substr(term, 1, 1) <> ?1";

/// What can't be read, row by row, up to one above the bound of a check.
pub(crate) fn unreadable(conn: &Connection) -> Result<Vec<Difference>> {
    let mut found = Vec::new();
    for (table, column, name) in JSON.into_iter().chain(TEXTS) {
        let has_json = has_json(table, column);
        let sql = format!("SELECT '{column} of {table}', {name}, {column} FROM {table}");
        let mut statement = conn.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while room(&found) > 0
            && let Some(row) = rows.next()?
        {
            if !is_readable(row, has_json)? {
                found.push(damage(&format!("{column} of {table} {} can't be read", named(row)?)));
            }
        }
    }
    let mut statement = conn.prepare(&format!("SELECT {ITEM} FROM {ITEM_FROM} ORDER BY i.id"))?;
    let mut rows = statement.query([])?;
    while room(&found) > 0
        && let Some(row) = rows.next()?
    {
        if items::item(row).is_err() {
            let id: i64 = row.get(0)?;
            found.push(damage(&format!("item {id} can't be read")));
        }
    }
    let elsewhere = "SELECT 'source of item', i.id FROM items i JOIN threads t ON t.id = i.thread
         WHERE i.source <> t.source";
    let mut statement = conn.prepare(elsewhere)?;
    for item in statement.query_map([], |row| row.get::<_, i64>(1))?.take(room(&found)) {
        found.push(damage(&format!("item {} is in a thread of another source", item?)));
    }
    Ok(found)
}

/// Whether a column has JSON.
pub(crate) fn has_json(table: &str, column: &str) -> bool {
    JSON.iter().any(|(of, name, _)| (*of, *name) == (table, column))
}

/// Whether a text is JSON.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn damage(what: &str) -> Difference {
    Difference { what: FILE.into(), stored: what.into(), counted: "ok".into() }
}

/// Whether the value of a row is text, and JSON if it has to be. `NULL` is.
fn is_readable(row: &Row<'_>, has_json: bool) -> Result<bool> {
    Ok(match row.get_ref(2)?.as_str_or_null() {
        Ok(Some(text)) => !has_json || is_json(text),
        Ok(None) => true,
        Err(_) => false,
    })
}

/// What a row is called.
fn named(row: &Row<'_>) -> Result<String> {
    Ok(match row.get_ref(1)? {
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        _ => "without a name".to_owned(),
    })
}

/// The first word that more or fewer items have in the search index than have it in their text. All items can be read.
pub(crate) fn misindexed(conn: &Connection) -> Result<Option<Difference>> {
    if search_index::unfaceted(conn)?.is_some() {
        // The index is being made anew.
        return Ok(None);
    }
    // In a file without a name, which is gone with the connection, for it may be large.
    let expected = Connection::open("")?;
    expected.execute_batch(EXPECTED)?;
    let mut statement = conn.prepare(&format!("SELECT {ITEM} FROM {ITEM_FROM} ORDER BY i.id"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let item = items::item(row)?;
        let priority = item.notification.content.priority.get();
        search_index::insert(&expected, item.id, item.source, &item.notification, priority)?;
    }
    let facet = FACET.to_string();
    let (mut kept, mut counted) = (conn.prepare(WORDS)?, expected.prepare(WORDS)?);
    let (mut kept, mut counted) = (kept.query(params![facet])?, counted.query(params![facet])?);
    loop {
        let (one, other) = (kept.next()?.map(word).transpose()?, counted.next()?.map(word).transpose()?);
        if one != other {
            return Ok(Some(damage("the search index has other words than the items")));
        }
        if one.is_none() {
            return Ok(None);
        }
    }
}

/// A word with its numbers. The bytes of a damaged one may be no text.
fn word(row: &Row<'_>) -> rusqlite::Result<(Vec<u8>, i64, i64)> {
    let word = row.get_ref(1)?.as_bytes()?.to_vec();
    Ok((word, row.get(2)?, row.get(3)?))
}
