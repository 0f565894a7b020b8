//! Reads the query plans of the recorded statements and reports the steps whose work grows with a table.

use std::collections::HashSet;

use rusqlite::Connection;
use tidings_sqlite::Error;

use super::recorded;

/// A step of a plan that is accepted.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// A part of the statement's text, with each run of white space as one space.
    pub statement: &'static str,
    /// The beginning of the step's text, for example `SCAN m` or `USE TEMP B-TREE FOR ORDER BY`.
    pub step: &'static str,
    /// The reason for which its work is bounded, or may grow.
    pub reason: &'static str,
}

/// Explains every recorded statement in a database with the same schema. Returns one line for each step that scans a
/// table or an index, sorts in a temporary B-tree or builds an index for one query. The steps in `listed` are left out.
/// It also returns one line for each entry of `listed` that no statement matches any more.
///
/// # Errors
/// SQLite cannot explain a statement.
pub fn audit(conn: &Connection, listed: &[Listed]) -> Result<Vec<String>, Error> {
    unaccepted_steps(conn, listed, is_costly)
}

/// Like [`audit`], for each index search that is restricted by nothing but these columns, the first of which identifies
/// the owner of the rows. Such a search may read all rows of one owner.
///
/// # Errors
/// SQLite cannot explain a statement.
pub fn audit_ranges(conn: &Connection, columns: &[&str], listed: &[Listed]) -> Result<Vec<String>, Error> {
    unaccepted_steps(conn, listed, |step, _| is_range(step, columns))
}

/// The indexes of a table that no plan of a recorded statement uses, so that they only cost what they take to keep.
///
/// # Errors
/// SQLite cannot explain a statement.
pub fn unused_indexes(conn: &Connection, table: &str) -> Result<Vec<String>, Error> {
    let mut names = conn.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1")?;
    let mut unused: HashSet<String> =
        names.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for sql in recorded() {
        for step in steps(conn, &sql, |step, _| step.contains("INDEX "))? {
            let name = step.rsplit_once("INDEX ").and_then(|(_, rest)| rest.split(' ').next());
            unused.remove(name.unwrap_or_default());
        }
    }
    let mut unused: Vec<String> = unused.into_iter().collect();
    unused.sort();
    Ok(unused)
}

/// The steps that `rule` reports and `listed` does not accept, and the entries of `listed` that match no step.
fn unaccepted_steps(
    conn: &Connection,
    listed: &[Listed],
    rule: impl Fn(&str, &HashSet<&str>) -> bool,
) -> Result<Vec<String>, Error> {
    let mut unused: HashSet<usize> = (0..listed.len()).collect();
    let mut found = Vec::new();
    for sql in recorded() {
        for step in steps(conn, &sql, &rule)? {
            let known = |l: &Listed| sql.contains(l.statement) && step.starts_with(l.step);
            let mut any = false;
            for (at, _) in listed.iter().enumerate().filter(|(_, l)| known(l)) {
                unused.remove(&at);
                any = true;
            }
            if !any {
                found.push(format!("{step}: {sql}"));
            }
        }
    }
    for (at, l) in listed.iter().enumerate().filter(|(at, _)| unused.contains(at)) {
        found.push(format!("listed, but nothing is like it (number {at}): {} in {}", l.step, l.statement));
    }
    Ok(found)
}

fn steps(
    conn: &Connection,
    sql: &str,
    rule: impl Fn(&str, &HashSet<&str>) -> bool,
) -> Result<Vec<String>, Error> {
    let mut plan = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let steps: Vec<String> =
        plan.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<_, _>>()?;
    // The result of another step on bounded input is not a table.
    let derived_tables: HashSet<&str> = steps
        .iter()
        .filter_map(|s| s.strip_prefix("CO-ROUTINE ").or_else(|| s.strip_prefix("MATERIALIZE ")))
        .collect();
    Ok(steps.iter().filter(|s| rule(s, &derived_tables)).cloned().collect())
}

/// Whether a step reads all rows of one owner: its equality terms include the owner column and no column outside
/// `columns`. SQLite writes such a step as `SEARCH items USING INDEX items_by_stamp (user=? AND stamp>?)`.
fn is_range(step: &str, columns: &[&str]) -> bool {
    let Some((_, terms)) = step.strip_prefix("SEARCH ").and_then(|s| s.rsplit_once('(')) else {
        return false;
    };
    let pinned: Vec<&str> = terms
        .split(')')
        .next()
        .unwrap_or_default()
        .split(" AND ")
        .filter_map(|term| term.strip_suffix("=?"))
        .collect();
    columns.first().is_some_and(|owner| pinned.contains(owner)) && pinned.iter().all(|c| columns.contains(c))
}

fn is_costly(step: &str, derived_tables: &HashSet<&str>) -> bool {
    if let Some(scanned) = step.strip_prefix("SCAN ") {
        let name = scanned.split(' ').next().unwrap_or_default();
        let virtual_table = scanned.contains("VIRTUAL TABLE INDEX") && !scanned.ends_with("INDEX 0:");
        return !(scanned == "CONSTANT ROW"
            || name.starts_with('(')
            || derived_tables.contains(name)
            || virtual_table);
    }
    step.starts_with("USE TEMP B-TREE") || step.contains(" AUTOMATIC ")
}
