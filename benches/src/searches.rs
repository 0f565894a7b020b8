//! What a search costs, in units that do not depend on the machine: statements, their steps, and pages of the file.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use tidings_model::SystemClock;
use tidings_replica::{FILE, Place, Replica, SearchFilter, ThreadQuery};

use crate::Result;
use crate::reads::{page, raw_search};
use crate::report::Report;
use crate::work::{Watch, Work};

/// A word that some items have, and the beginning of words that most have.
const SEARCHED: [&str; 2] = ["certificate", "the"];

/// How often each is searched.
const TIMES: usize = 10;

/// Counts searches in the replica that [`crate::pull`] has left.
pub(crate) fn run(report: &mut Report, data: &Path) -> Result<()> {
    let (watch, home) = (Watch::steps(), data.join("replica"));
    // Nothing is done in the background of a replica that can't be written.
    let replica = Replica::open_read_only(&home, Arc::new(SystemClock))?;
    let conn = Connection::open_with_flags(home.join(FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let floor = counted(&watch, &mut || raw_search(&conn))?;
    let mut all = Vec::new();
    for words in SEARCHED {
        let filter = SearchFilter::words(words);
        let items = counted(&watch, &mut || Ok(replica.search(&filter, 50).map(drop)?))?;
        let query = ThreadQuery { filter: filter.clone(), ..page(Place::Inbox) };
        let threads = counted(&watch, &mut || Ok(replica.threads(&query).map(drop)?))?;
        all.extend([
            (format!(", items with `{words}`"), items),
            (format!(", threads with `{words}`"), threads),
        ]);
    }
    report.section("Work of a search", "for each search for the newest 50; the floor is 50 ids of one word");
    for (of, work) in &all {
        work.write_to(report, &floor, (TIMES, of.as_str()), &["statements", "steps", "pages"]);
    }
    Ok(())
}

/// Counts what `run` does again and again. The first time prepares its statements.
fn counted(watch: &Watch, run: &mut dyn FnMut() -> Result<()>) -> Result<Work> {
    run()?;
    let counting = watch.count()?;
    for _ in 0..TIMES {
        run()?;
    }
    counting.end()
}
