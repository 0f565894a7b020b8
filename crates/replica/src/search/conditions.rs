//! The conditions of a search that the rows of items and threads answer, as SQL.

use std::fmt::Write as _;

use rusqlite::Connection;
use tidings_replica_tables::aggregates::inbox_counts;
use tidings_replica_tables::thread_filter::ThreadFilter;

use crate::{Result, SearchFilter, StateFilter};

/// Whether the words for tags and origins are in the index of every item. Until they are, rows answer these conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faceted(pub(super) bool);

/// The conditions on `items i`, without the part that the full-text index answers.
pub(super) fn of_items(filter: &SearchFilter, places: &ThreadFilter, Faceted(faceted): Faceted) -> String {
    let mut sql = String::from("i.deleted = 0");
    if places.done {
        sql.push_str(" AND i.archived_at IS NOT NULL");
    }
    if filter.has_any_state(&[StateFilter::Unread, StateFilter::Quiet]) {
        sql.push_str(" AND i.unread = 1");
    }
    if let Some(since) = filter.since {
        let _ = write!(sql, " AND i.listed_at >= {}", since.as_micros());
    }
    if let Some(before) = filter.before {
        let _ = write!(sql, " AND i.listed_at < {}", before.as_micros());
    }
    if let Some(least) = filter.priority.filter(|least| *least > 1) {
        let _ = write!(sql, " AND i.priority >= {least}");
    }
    if filter.bot {
        let _ = write!(
            sql,
            " AND ({} OR {} OR instr(i.content, '\"bot\"') > 0 AND i.content ->> '$.data.bot' = 1)",
            is_bot("i.actor"),
            is_bot("i.actor_name")
        );
    }
    if !faceted {
        for tag in &filter.tags {
            let _ = write!(
                sql,
                " AND instr(i.content, '\"tags\"') > 0
                  AND EXISTS (SELECT 1 FROM json_each(i.content, '$.tags') WHERE lower(value) = {})",
                literal(tag)
            );
        }
        if let Some(origins) = &filter.origins {
            let any: Vec<String> = origins.iter().map(|origin| is_from(&literal(origin))).collect();
            let _ = write!(sql, " AND ({})", if any.is_empty() { "0".to_owned() } else { any.join(" OR ") });
        }
    }
    sql
}

/// A text as a literal in lower case.
fn literal(text: &str) -> String {
    format!("'{}'", text.trim().to_lowercase().replace('\'', "''").replace('\0', " "))
}

/// Whether a name ends with the word "bot", as `renovate[bot]` does.
fn is_bot(column: &str) -> String {
    format!("('-' || rtrim(lower({column}), '])')) GLOB '*[^a-z0-9]bot'")
}

/// Whether an item is from a topic, an application or a repository.
fn is_from(origin: &str) -> String {
    format!(
        "(i.target ->> '$.type' IN ('topic', 'application')
            AND {origin} IN (lower(i.target ->> '$.id'), lower(i.target ->> '$.title'))
          OR substr(lower(i.target ->> '$.id'), 1, length({origin}) + 1)
            IN ({origin} || '#', {origin} || '!', {origin} || '@') AND instr({origin}, '/') > 0)"
    )
}

/// The condition that an item is counted on the badge, or that it is not, on `items i` and `threads t`; none if the filter
/// does not ask for that.
pub(super) fn badge(conn: &Connection, filter: &SearchFilter) -> Result<String> {
    let mut sql = String::new();
    if filter.has_any_state(&[StateFilter::Quiet]) {
        let _ = write!(sql, " AND {}", inbox_counts::quiet(conn)?);
    }
    if filter.counted {
        let _ = write!(sql, " AND NOT {}", inbox_counts::quiet(conn)?);
    }
    Ok(sql)
}
