//! The list of items that a search finds, newest first.

use rusqlite::{Connection, params, params_from_iter};
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::items as rows_of_items;
use tidings_replica_tables::search_text::{Expression, expression};
use tidings_replica_tables::thread_filter::ThreadFilter;

use super::completions::completed;
use super::{Search, beginnings, conditions, is_faceted};
use crate::{Item, ItemId, Place, Result, SearchFilter, StateFilter};

/// The items that a short beginning of a word finds, with their times, if they are enough. Beside other words, of which each
/// leaves fewer items, the index is quicker.
fn of_short_beginning(
    conn: &Connection,
    places: &ThreadFilter,
    filter: &SearchFilter,
    enough: usize,
) -> Result<Option<Vec<(i64, ItemId)>>> {
    match beginnings::widened(filter) {
        Some((_, beginning)) if filter.words == [beginning] => {}
        _ => return Ok(None),
    }
    let Some(search) = Search::of(conn, places, filter)? else { return Ok(None) };
    let findings = search.short_beginning()?.filter(|findings| findings.is_enough(enough));
    Ok(findings.map(|all| all.found.iter().map(|one| (one.created_at.as_micros(), one.item)).collect()))
}

/// Items that meet the filter, newest first.
pub(crate) fn list(conn: &Connection, filter: &SearchFilter, most: usize) -> Result<Vec<Item>> {
    let places = ThreadFilter::of(Place::Inbox, false, filter);
    let faceted = is_faceted(conn, filter)?;
    let badge = conditions::badge(conn, filter)?;
    let condition = format!("{} AND {}{badge}", conditions::of_items(filter, &places, faceted), places.sql());
    let found: Vec<(i64, ItemId)> = match expression(filter, faceted.0) {
        Expression::Unanswerable => return Ok(Vec::new()),
        Expression::Query(fts_query) => {
            let asked = fts_query.clone();
            let fts_query = completed(conn, filter, fts_query)?;
            if fts_query == asked
                && let Some(found) = of_short_beginning(conn, &places, filter, most)?
            {
                return newest(conn, found, most);
            }
            // Ids first: the text is read only for the items of the page.
            let sql = format!(
                "SELECT i.listed_at, i.id FROM search s CROSS JOIN items i ON i.id = s.rowid
                 CROSS JOIN threads t ON t.id = i.thread
                 WHERE search MATCH ?1 AND {condition} ORDER BY s.rowid DESC LIMIT ?2"
            );
            let mut rows = conn.prepare_cached(&sql)?;
            rows.query_map(params![fts_query, limit(most.max(MAX_SORTED))], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?
        }
        Expression::Nothing => {
            let unread = filter.has_any_state(&[StateFilter::Unread, StateFilter::Quiet]);
            let index = if unread { "items_unread" } else { "items_time" };
            let sql = format!(
                "SELECT i.listed_at, i.id FROM items i INDEXED BY {index} CROSS JOIN threads t ON t.id = i.thread
                 WHERE {condition} ORDER BY i.listed_at DESC, i.id DESC LIMIT ?1"
            );
            let mut rows = conn.prepare_cached(&sql)?;
            rows.query_map(params_from_iter([limit(most)]), |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?
        }
    };
    newest(conn, found, most)
}

/// Larger results are not sorted by time and come in the order of arrival.
const MAX_SORTED: usize = 1_000;

fn newest(conn: &Connection, mut found: Vec<(i64, ItemId)>, most: usize) -> Result<Vec<Item>> {
    found.sort_unstable_by(|a, b| b.cmp(a));
    let sql = format!("SELECT {} FROM {} WHERE i.id = ?1", rows_of_items::ITEM, rows_of_items::ITEM_FROM);
    let mut one = conn.prepare_cached(&sql)?;
    let rows = found.iter().take(most).map(|(_, id)| one.query_row([id], rows_of_items::item));
    Ok(rows.collect::<Result<_, _>>()?)
}
