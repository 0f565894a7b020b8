//! What a piece of work costs, in units that do not depend on the machine. They are bytes written, transactions and
//! statements of SQLite, their steps and the pages that they ask for, and allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use rusqlite::ffi;

use crate::Result;
use crate::report::Report;

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static STATEMENTS: AtomicU64 = AtomicU64::new(0);
static TRANSACTIONS: AtomicU64 = AtomicU64::new(0);
static STEPS: AtomicU64 = AtomicU64::new(0);
static PAGES: AtomicU64 = AtomicU64::new(0);

/// How many counters there are.
const KINDS: usize = 5;

/// Each counter with the name of what it counts.
fn counters() -> [(&'static str, &'static AtomicU64); KINDS] {
    [
        ("allocations", &ALLOCATIONS),
        ("statements", &STATEMENTS),
        ("transactions", &TRANSACTIONS),
        ("steps", &STEPS),
        ("pages", &PAGES),
    ]
}

/// The events of SQLite that new connections tell.
static EVENTS: AtomicU32 = AtomicU32::new(0);

/// The system's allocator, which counts while work is counted.
pub(crate) struct CountingAllocator;

fn count(what: &AtomicU64) {
    add(what, 1);
}

fn add(what: &AtomicU64, more: u64) {
    if COUNTING.load(Ordering::Relaxed) {
        what.fetch_add(more, Ordering::Relaxed);
    }
}

#[allow(unsafe_code, reason = "each call goes on to the system's allocator as it came")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(&ALLOCATIONS);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(&ALLOCATIONS);
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Counts a statement; SQLite calls it with the statement's text if it begins, and with its time if it has ended.
#[allow(
    unsafe_code,
    reason = "SQLite passes a statement, and the text of one that begins, which ends with a zero"
)]
unsafe extern "C" fn statement_runs(
    event: c_uint,
    _context: *mut c_void,
    statement: *mut c_void,
    text: *mut c_void,
) -> c_int {
    if event == ffi::SQLITE_TRACE_PROFILE {
        unsafe { statement_ends(statement.cast()) };
        return ffi::SQLITE_OK;
    }
    count(&STATEMENTS);
    if unsafe { CStr::from_ptr(text.cast::<c_char>()) }.to_bytes().starts_with(b"COMMIT") {
        count(&TRANSACTIONS);
    }
    ffi::SQLITE_OK
}

/// Counts the steps of a statement, and the pages that its connection asked for since the statement before it ended.
#[allow(unsafe_code, reason = "the caller passes a statement, which has a connection")]
unsafe fn statement_ends(statement: *mut ffi::sqlite3_stmt) {
    let steps = unsafe { ffi::sqlite3_stmt_status(statement, ffi::SQLITE_STMTSTATUS_VM_STEP, 1) };
    add(&STEPS, steps.unsigned_abs().into());
    for kind in [ffi::SQLITE_DBSTATUS_CACHE_HIT, ffi::SQLITE_DBSTATUS_CACHE_MISS] {
        let (mut pages, mut most): (c_int, c_int) = (0, 0);
        unsafe {
            let connection = ffi::sqlite3_db_handle(statement);
            ffi::sqlite3_db_status(connection, kind, &raw mut pages, &raw mut most, 1);
        }
        add(&PAGES, pages.unsigned_abs().into());
    }
}

/// Counts the statements of a new connection.
#[allow(unsafe_code, reason = "SQLite passes the connection that it opens")]
unsafe extern "C" fn connection_opens(
    connection: *mut ffi::sqlite3,
    _error: *mut *mut c_char,
    _functions: *const ffi::sqlite3_api_routines,
) -> c_int {
    let events = EVENTS.load(Ordering::Relaxed);
    unsafe { ffi::sqlite3_trace_v2(connection, events, Some(statement_runs), std::ptr::null_mut()) }
}

/// Bytes that this process has written to files and sockets.
fn bytes_written() -> Result<u64> {
    let account = fs::read_to_string("/proc/self/io")?;
    let line = account.lines().find_map(|line| line.strip_prefix("wchar: "));
    Ok(line.ok_or("no account of what was written")?.trim().parse()?)
}

/// Statements of the databases that are opened while it exists are counted.
pub(crate) struct Watch(());

impl Watch {
    /// Counts statements and transactions.
    pub(crate) fn statements() -> Self {
        Self::of(ffi::SQLITE_TRACE_STMT)
    }

    /// Counts the steps and pages of statements as well, which takes time.
    pub(crate) fn steps() -> Self {
        Self::of(ffi::SQLITE_TRACE_STMT | ffi::SQLITE_TRACE_PROFILE)
    }

    #[allow(
        unsafe_code,
        reason = "the function that SQLite calls for new connections is there while it may call it"
    )]
    fn of(events: c_uint) -> Self {
        EVENTS.store(events, Ordering::Relaxed);
        // SQLite takes the function in this form, whatever its parameters are.
        let opens: unsafe extern "C" fn(
            *mut ffi::sqlite3,
            *mut *mut c_char,
            *const ffi::sqlite3_api_routines,
        ) -> c_int = connection_opens;
        unsafe { ffi::sqlite3_auto_extension(Some(opens)) };
        Self(())
    }

    /// Begins to count. Nothing else may run until the end.
    pub(crate) fn count(&self) -> Result<Counting<'_>> {
        let before = counters().map(|(_, counter)| counter.load(Ordering::Relaxed));
        let written = bytes_written()?;
        COUNTING.store(true, Ordering::Relaxed);
        Ok(Counting { _watch: self, before, written })
    }
}

impl Drop for Watch {
    #[allow(unsafe_code, reason = "it only forgets the function")]
    fn drop(&mut self) {
        unsafe { ffi::sqlite3_reset_auto_extension() };
    }
}

/// A count that has begun.
pub(crate) struct Counting<'w> {
    _watch: &'w Watch,
    before: [u64; KINDS],
    written: u64,
}

impl Counting<'_> {
    pub(crate) fn end(self) -> Result<Work> {
        COUNTING.store(false, Ordering::Relaxed);
        let mut counts = vec![("bytes written", bytes_written()? - self.written)];
        for ((name, counter), before) in counters().into_iter().zip(self.before) {
            counts.push((name, counter.load(Ordering::Relaxed) - before));
        }
        Ok(Work { counts })
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        COUNTING.store(false, Ordering::Relaxed);
    }
}

/// What a piece of work cost.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    /// The name of what was counted, and how much it was.
    counts: Vec<(&'static str, u64)>,
}

impl Work {
    /// Counts what `run` does, with the databases that it opens. Nothing else may run meanwhile.
    pub(crate) fn of<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, Self)> {
        let watch = Watch::statements();
        let counting = watch.count()?;
        let done = run()?;
        let work = counting.end()?;
        Ok((done, work))
    }

    /// How much of what has this name was counted for each of so many items.
    pub(crate) fn each(&self, name: &str, items: usize) -> f64 {
        let count = self.counts.iter().find(|(counted, _)| *counted == name).map_or(0, |(_, count)| *count);
        #[allow(clippy::cast_precision_loss)]
        let each = count as f64 / items as f64;
        each
    }

    /// Writes what has these names for each item, beside the cost of the floor. `of` says of which work it is, if there
    /// are several.
    pub(crate) fn write_to(
        &self,
        report: &mut Report,
        floor: &Self,
        (items, of): (usize, &str),
        names: &[&str],
    ) {
        for name in names {
            report.count(&format!("{name}{of}"), self.each(name, items), floor.each(name, items));
        }
    }
}
