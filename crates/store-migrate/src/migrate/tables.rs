//! What a migration carries: the tables of both databases with their columns. A test compares the list with both schemas.

mod accounts;
mod gotify;
mod groups;
mod inbox;
mod publications;

use std::sync::LazyLock;

use super::table::Table;

/// The tables, in an order in which no row comes before one that it refers to.
pub(crate) static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    [accounts::tables(), publications::tables(), inbox::tables(), groups::tables(), gotify::tables()].concat()
});

/// The tables of PostgreSQL that a database of ours has besides: numbers of the whole, which are set, and what belongs to the
/// database alone.
pub(super) const OTHER_TABLES: &[&str] = &["meta", "counters", "log", "leases", "schema_version"];

/// Every table of ours in PostgreSQL.
pub(super) fn names() -> Vec<&'static str> {
    TABLES.iter().map(|table| table.name).chain(OTHER_TABLES.iter().copied()).collect()
}
