//! For tests only: records the statements that run, so that a test can require an index for every statement. Nothing is
//! recorded before [`record`] is called.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};

use crate::Error;

static RECORDING: AtomicBool = AtomicBool::new(false);
static RECORDED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
/// The texts as they were run, of which each is looked at once.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Makes every connection that this process opens from now on record its statements.
pub fn record() {
    RECORDING.store(true, Ordering::SeqCst);
}

/// The texts of all statements that ran since [`record`], with each run of white space as one space. Statements of
/// migrations, statements of virtual tables on their own tables, and statements that read no table (`PRAGMA`,
/// `COMMIT` and so on) are left out.
pub fn recorded() -> BTreeSet<String> {
    RECORDED.lock().clone()
}

/// Makes a connection record its statements if [`record`] was called.
pub(crate) fn attach(conn: &mut Connection) -> Result<(), Error> {
    if RECORDING.load(Ordering::SeqCst) {
        conn.trace_v2(
            TraceEventCodes::SQLITE_TRACE_STMT,
            Some(|event: TraceEvent<'_>| {
                if let TraceEvent::Stmt(statement, _) = event {
                    record_statement(&statement.sql());
                }
            }),
        )?;
    }
    Ok(())
}

fn record_statement(sql: &str) {
    if SEEN.lock().contains(sql) {
        return;
    }
    let text = collapse_whitespace(sql);
    if is_query(&text) && !text.contains("'main'.") && !text.contains("\"main\".") {
        RECORDED.lock().insert(text);
    }
    SEEN.lock().insert(sql.to_owned());
}

/// Whether a text begins like a statement that reads or changes rows.
pub fn is_query(text: &str) -> bool {
    ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "REPLACE ", "WITH "]
        .iter()
        .any(|word| text.starts_with(word))
}

/// Replaces each run of white space by one space.
pub fn collapse_whitespace(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}
