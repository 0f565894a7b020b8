//! `migrate`: moves a server from a data folder into PostgreSQL, or back. How far it is goes to standard error.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, sync::Mutex};

use serde::Serialize;
use tidings_model::SystemClock;
use tidings_server::migrate::{Location, Migrated, migrate};

use crate::{
    args::Migrate,
    error::Result,
    output::{Output, Progress, warn},
};

/// Rows of one table between two lines on standard error.
const ROWS_PER_LINE: u64 = 100_000;

/// The result.
#[derive(Serialize)]
struct Moved {
    from: String,
    to: String,
    /// The rows of each table.
    tables: BTreeMap<&'static str, u64>,
    /// The uploaded files that are known.
    files: u64,
    /// The folder with their bytes, of the data folder that the server was in or goes to.
    files_folder: PathBuf,
}

/// Runs `tidings migrate`.
pub(crate) async fn run(args: Migrate, out: Output) -> Result<()> {
    let (from, to) = args.locations()?;
    let lines = Mutex::new(BTreeMap::new());
    warn(&format!("moving the server of {from} to {to}"));
    let progress = Progress::begin(out, "moving");
    let tell = |table: &'static str, rows: u64| {
        if progress.is_seen() {
            return progress.step(format!("moving {table}: {rows} rows so far"));
        }
        let Ok(mut told) = lines.lock() else { return };
        let next = told.entry(table).or_insert(ROWS_PER_LINE);
        if rows >= *next {
            *next = rows + ROWS_PER_LINE;
            warn(&format!("{table}: {rows} rows so far"));
        }
    };
    let migrated = migrate(&from, &to, Arc::new(SystemClock), &tell).await?;
    drop(progress);
    print(&from, &to, migrated, out)
}

fn print(from: &Location, to: &Location, migrated: Migrated, out: Output) -> Result<()> {
    let ((Location::Folder(folder), _) | (_, Location::Folder(folder))) = (from, to) else { return Ok(()) };
    let moved = Moved {
        from: from.to_string(),
        to: to.to_string(),
        files: migrated.files,
        files_folder: folder.join("files"),
        tables: migrated.rows.into_iter().collect(),
    };
    let files = match to {
        Location::Database(_) => format!(
            "its {} uploaded files stay in {}: start each server with `--files` and this folder, or one that all of them \
             share and to which it was copied",
            moved.files,
            moved.files_folder.display()
        ),
        Location::Folder(_) => format!(
            "its {} uploaded files were not moved: before the server starts, copy the folder that `--files` named to {}",
            moved.files,
            moved.files_folder.display()
        ),
    };
    out.print(&moved, |lines| {
        for (table, rows) in moved.tables.iter().filter(|(_, rows)| **rows > 0) {
            writeln!(lines, "{table}: {rows}")?;
        }
        writeln!(lines, "{} is now in {}; both were recounted and agree", moved.from, moved.to)?;
        if moved.files > 0 {
            writeln!(lines, "{files}")?;
        }
        writeln!(lines, "{} has not changed: do not start a server on it again", moved.from)
    })
}
