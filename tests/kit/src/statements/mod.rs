//! Audits of the SQL statements that a test has run: each goes through an index, each index serves one, and each statement of the
//! sources runs.

mod literals;
mod plan;

pub use literals::{Unrun, never_ran};
pub use plan::{Listed, audit, audit_ranges, unused_indexes};
pub use tidings_sqlite::statements::{record, recorded};
