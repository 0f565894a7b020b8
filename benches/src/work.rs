//! What a piece of work costs, in units that do not depend on the machine: bytes written, transactions and statements of
//! SQLite, allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rusqlite::ffi;

use crate::Result;
use crate::report::Report;

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static STATEMENTS: AtomicU64 = AtomicU64::new(0);
static TRANSACTIONS: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, which counts while work is counted.
pub(crate) struct CountingAllocator;

fn count(what: &AtomicU64) {
    if COUNTING.load(Ordering::Relaxed) {
        what.fetch_add(1, Ordering::Relaxed);
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

/// Counts a statement that begins; SQLite calls it with the statement's text.
#[allow(unsafe_code, reason = "SQLite passes the text of the statement, which ends with a zero")]
unsafe extern "C" fn statement_begins(
    _kind: c_uint,
    _context: *mut c_void,
    _statement: *mut c_void,
    text: *mut c_void,
) -> c_int {
    count(&STATEMENTS);
    if unsafe { CStr::from_ptr(text.cast::<c_char>()) }.to_bytes().starts_with(b"COMMIT") {
        count(&TRANSACTIONS);
    }
    ffi::SQLITE_OK
}

/// Counts the statements of a new connection.
#[allow(unsafe_code, reason = "SQLite passes the connection that it opens")]
unsafe extern "C" fn connection_opens(
    connection: *mut ffi::sqlite3,
    _error: *mut *mut c_char,
    _functions: *const ffi::sqlite3_api_routines,
) -> c_int {
    let kinds = ffi::SQLITE_TRACE_STMT;
    unsafe { ffi::sqlite3_trace_v2(connection, kinds, Some(statement_begins), std::ptr::null_mut()) }
}

/// Bytes that this process has written to files and sockets.
fn bytes_written() -> Result<u64> {
    let account = fs::read_to_string("/proc/self/io")?;
    let line = account.lines().find_map(|line| line.strip_prefix("wchar: "));
    Ok(line.ok_or("no account of what was written")?.trim().parse()?)
}

/// What a piece of work cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    bytes_written: u64,
    transactions: u64,
    statements: u64,
    allocations: u64,
}

impl Work {
    /// Counts what `run` does, with the databases that it opens. Nothing else may run meanwhile.
    #[allow(
        unsafe_code,
        reason = "the function that SQLite calls for new connections is there while it may call it"
    )]
    pub(crate) fn of<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, Self)> {
        // SQLite takes the function in this form, whatever its parameters are.
        let opens: unsafe extern "C" fn(
            *mut ffi::sqlite3,
            *mut *mut c_char,
            *const ffi::sqlite3_api_routines,
        ) -> c_int = connection_opens;
        unsafe { ffi::sqlite3_auto_extension(Some(opens)) };
        let counters = [&TRANSACTIONS, &STATEMENTS, &ALLOCATIONS];
        let before = counters.map(|counter| counter.load(Ordering::Relaxed));
        let written_before = bytes_written()?;
        COUNTING.store(true, Ordering::Relaxed);
        let done = run();
        COUNTING.store(false, Ordering::Relaxed);
        let bytes_written = bytes_written()? - written_before;
        unsafe { ffi::sqlite3_reset_auto_extension() };
        let after = counters.map(|counter| counter.load(Ordering::Relaxed));
        let mut counts = after.into_iter().zip(before).map(|(after, before)| after - before);
        let mut next = || counts.next().unwrap_or_default();
        let work = Self { bytes_written, transactions: next(), statements: next(), allocations: next() };
        done.map(|done| (done, work))
    }

    /// Bytes written for each of so many items.
    pub(crate) fn bytes_written_each(self, items: usize) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        let each = self.bytes_written as f64 / items as f64;
        each
    }

    /// Writes the cost of the work for each of its items, beside the cost of its floor.
    pub(crate) fn write_to(self, report: &mut Report, floor: Self, items: usize) {
        #[allow(clippy::cast_precision_loss)]
        let each = |count: u64| count as f64 / items as f64;
        for (what, count, floor) in [
            ("bytes written", self.bytes_written, floor.bytes_written),
            ("transactions", self.transactions, floor.transactions),
            ("statements", self.statements, floor.statements),
            ("allocations", self.allocations, floor.allocations),
        ] {
            report.count(what, each(count), each(floor));
        }
    }
}
