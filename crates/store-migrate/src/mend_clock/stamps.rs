//! Which columns hold stamps, and the statements that mend them. SQLite and PostgreSQL take the same ones.
//!
//! Every stamp in the future, of whatever table, gets its place in one order. So equal stamps stay equal and earlier
//! ones stay earlier, over all tables.

use std::fmt::Write;

use tidings_model::Stamp;

use crate::migrate::table::{Column, ColumnType};
use crate::migrate::tables::TABLES;

/// Names of columns of stamps, besides those that end in `_at` or `_to`.
const NAMES: [&str; 7] = ["stamp", "mark", "through", "message", "last", "last_used", "list_position"];

/// Names that end in `_at` of times that are due: they lie in the future by right.
const DUE: [&str; 2] = ["deliver_at", "expires_at"];

/// The time of a publication, or the one at which it is due: it follows the publication and is nobody's own stamp.
const FOLLOWS: (&str, &str) = ("files", "published_at");

/// Ids of revisions have this stamp, so it stays: every id that was handed out leads to its notification.
const IDS: (&str, &str) = ("revision_ids", "stamp");

/// Columns of the whole server.
const WHOLE_SQLITE: [(&str, &str); 3] =
    [("meta", "last_stamp"), ("meta", "forgotten_before"), ("meta", "swept_to")];
const WHOLE_POSTGRES: [(&str, &str); 3] =
    [("log", "last"), ("meta", "forgotten_before"), ("meta", "swept_to")];

/// If two places of the order lie one over the other, stamps go by way of a time that nothing has.
const DETOUR: i64 = 1 << 61;

/// Whether a column of this name holds stamps.
pub(super) fn is_stamp(name: &str) -> bool {
    !DUE.contains(&name) && (name.ends_with("_at") || name.ends_with("_to") || NAMES.contains(&name))
}

/// The stamps in the future, and what lies before them.
pub(super) struct Range {
    /// The newest stamp that is not in the future, microseconds.
    pub(super) past: i64,
    /// How many different ones are in the future.
    pub(super) count: i64,
    /// The first of them.
    pub(super) first: i64,
}

impl Range {
    /// The place before the first one's new place.
    pub(super) fn base(&self, now: Stamp) -> i64 {
        self.past.max(now.as_micros().saturating_sub(self.count))
    }

    /// What is added to new places until all are moved; 0 if no detour is needed.
    pub(super) fn detour(&self, now: Stamp) -> i64 {
        // None lies before its new place, so only those that are not yet moved can be in the way.
        if self.base(now).saturating_add(self.count) < self.first { 0 } else { DETOUR }
    }
}

/// The columns of stamps of a database, by table.
pub(super) struct Stamps(Vec<(&'static str, Vec<&'static str>)>);

impl Stamps {
    pub(super) fn of_sqlite() -> Self {
        Self::of(&WHOLE_SQLITE, |column| column.sqlite)
    }

    pub(super) fn of_postgres() -> Self {
        Self::of(&WHOLE_POSTGRES, |column| column.postgres)
    }

    fn of(whole: &[(&'static str, &'static str)], name: impl Fn(&Column) -> &'static str) -> Self {
        let stamps = TABLES.iter().map(|table| {
            let numbers = table.columns.iter().filter(|column| column.kind == ColumnType::Big);
            let mended = numbers.map(&name).filter(|name| is_stamp(name) && (table.name, *name) != IDS);
            (table.name, mended.collect())
        });
        let whole = whole.iter().map(|(table, column)| (*table, vec![*column]));
        Self(stamps.chain(whole).filter(|(_, columns): &(_, Vec<_>)| !columns.is_empty()).collect())
    }

    /// Each column with its table.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.0.iter().flat_map(|(table, columns)| columns.iter().map(|column| (*table, *column)))
    }

    /// Statements that gather the stamps in the future in a temporary table.
    pub(super) fn collect(&self, now: Stamp) -> String {
        let now = now.as_micros();
        let mut sql = "CREATE TEMPORARY TABLE future (was bigint PRIMARY KEY);
            CREATE TEMPORARY TABLE mended (was bigint PRIMARY KEY, becomes bigint NOT NULL UNIQUE);"
            .to_owned();
        for (table, column) in self.columns().filter(|at| *at != FOLLOWS) {
            let _ = write!(
                sql,
                "INSERT INTO future SELECT DISTINCT {column} FROM {table} WHERE {column} > {now} ON CONFLICT DO NOTHING;"
            );
        }
        sql
    }

    /// The query of a [`Range`], after [`Stamps::collect`].
    pub(super) fn range(&self, now: Stamp) -> String {
        let now = now.as_micros();
        let newest: Vec<String> = self
            .columns()
            .filter(|at| *at != FOLLOWS)
            .chain([IDS])
            .map(|(table, column)| format!("SELECT max({column}) AS at FROM {table} WHERE {column} <= {now}"))
            .collect();
        format!(
            "SELECT coalesce((SELECT max(p.at) FROM ({}) p), 0), (SELECT count(*) FROM future),
                coalesce((SELECT min(was) FROM future), 0)",
            newest.join(" UNION ALL ")
        )
    }

    /// Statements that give each of them its place: the last one gets that of now, if there is room before it. Ids of
    /// revisions that were handed out stay, and those of their new stamps come with them.
    pub(super) fn mend(&self, range: &Range, now: Stamp) -> String {
        let (base, detour) = (range.base(now), range.detour(now));
        let mut sql = format!(
            "INSERT INTO mended SELECT was, {base} + {detour} + row_number() OVER (ORDER BY was) FROM future;"
        );
        for (table, columns) in &self.0 {
            let new = |column: &&str| {
                format!(
                    "{column} = coalesce((SELECT m.becomes FROM mended m WHERE m.was = {table}.{column}), {column})"
                )
            };
            update(&mut sql, table, columns, new, now.as_micros());
        }
        if detour > 0 {
            for (table, columns) in &self.0 {
                let new = |column: &&str| {
                    format!(
                        "{column} = CASE WHEN {column} > {detour} THEN {column} - {detour} ELSE {column} END"
                    )
                };
                update(&mut sql, table, columns, new, detour);
            }
        }
        // What was revised last is shown under an id of its new stamp from now on, which leads to it as well.
        let _ = write!(
            sql,
            "INSERT INTO revision_ids (stamp, created_at) SELECT m.becomes - {detour}, r.created_at
             FROM revision_ids r, mended m WHERE m.was = r.stamp ON CONFLICT DO NOTHING;"
        );
        sql
    }
}

/// A statement that changes rows in which one of the columns is later than a time.
fn update(sql: &mut String, table: &str, columns: &[&str], new: impl Fn(&&str) -> String, later_than: i64) {
    let set: Vec<String> = columns.iter().map(new).collect();
    let later: Vec<String> = columns.iter().map(|column| format!("{column} > {later_than}")).collect();
    let _ = write!(sql, "UPDATE {table} SET {} WHERE {};", set.join(", "), later.join(" OR "));
}
