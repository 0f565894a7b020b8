//! Tells whose write-ahead log lies beside a database. SQLite takes any log that is called like it, so that one of another
//! database, or of an older copy, would overwrite its pages.
//!
//! Each database has a number of its own, its `application_id`. The writer puts it into each log once. A copy gets a new number: a log that was left where the copy is put is not its own.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufReader, Read, Seek as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use crate::Error;
use crate::files::with_suffix;

/// The first bytes of a database file.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// The bytes before the first frame of a log, and those before the page of each frame.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;
/// The place of the salt in the head of a log.
const SALT: Range<usize> = 16..24;
type Salt = [u8; 8];
/// The place of the number in the first page.
const NUMBER_AT: usize = 68;
/// The bytes of the first page up to the end of SQLite's own part.
const DATABASE_HEAD: usize = 100;

/// Puts the number of a database into each of its logs once: SQLite begins a new one by itself when all of the old one was
/// copied. It is a hint: a log without a number is taken as it is.
pub(crate) struct Marking {
    statement: String,
    log: PathBuf,
    file: Option<File>,
    /// The salt of the log that has the number.
    marked: Option<Salt>,
}

impl Marking {
    /// For the log of an open database; `None` if it has no number and can't get one, as on a full disk.
    pub(crate) fn of(conn: &mut Connection, path: &Path) -> Option<Self> {
        let log = with_suffix(path, "-wal");
        match settled(conn) {
            Ok(number) => Some(Self { statement: statement(number), log, file: None, marked: None }),
            Err(error) => {
                tracing::debug!(%error, "the log of this database will not say whose it is");
                None
            }
        }
    }

    /// The statement for the next commit, unless its log has the number.
    pub(crate) fn due(&mut self) -> Option<&str> {
        let salt = self.salt();
        if salt.is_some() && salt == self.marked {
            return None;
        }
        self.marked = salt;
        Some(&self.statement)
    }

    /// Handles that a commit failed, and with it perhaps the statement.
    pub(crate) fn failed(&mut self) {
        self.marked = None;
    }

    /// What tells a log from the one before; `None` if there is none yet.
    fn salt(&mut self) -> Option<Salt> {
        if self.file.is_none() {
            self.file = File::open(&self.log).ok();
        }
        let file = self.file.as_mut()?;
        let mut head = [0; SALT.end];
        file.rewind().ok()?;
        file.read_exact(&mut head).ok()?;
        head.get(SALT)?.try_into().ok()
    }
}

/// The number of a database. One without a number gets it.
fn settled(conn: &mut Connection) -> Result<i32, Error> {
    let known = number(conn)?;
    if known != 0 {
        return Ok(known);
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let settled = match number(&tx)? {
        0 => drawn(),
        known => known,
    };
    tx.execute_batch(&statement(settled))?;
    tx.commit()?;
    Ok(settled)
}

/// Gives a copy a number of its own.
pub(crate) fn renumber(conn: &Connection) -> Result<(), Error> {
    Ok(conn.execute_batch(&statement(drawn()))?)
}

/// Gives a copy the number of the database whose content it is to become.
pub(crate) fn number_as(conn: &Connection, number: i32) -> Result<(), Error> {
    Ok(conn.execute_batch(&statement(number))?)
}

/// The number of an open database; 0 if it has none yet.
pub(crate) fn number(conn: &Connection) -> Result<i32, Error> {
    Ok(conn.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

/// Begins a log of which all was copied: writes the number again.
pub(crate) fn begin(conn: &Connection) -> Result<(), Error> {
    number_as(conn, number(conn)?)
}

fn statement(number: i32) -> String {
    format!("PRAGMA application_id = {number}")
}

/// A number above 0, by lot.
fn drawn() -> i32 {
    let lot = RandomState::new().hash_one(DATABASE) % 0x7fff_ffff;
    i32::try_from(lot).map_or(1, |n| n + 1)
}

/// Refuses a database that has the log of another one beside it. Neither is changed. This process must not have the
/// database open: closing a file gives up what SQLite has locked of it.
///
/// # Errors
/// [`Error::Damaged`]. A log that can't be read, or that names nobody, is left to SQLite.
pub(crate) fn refuse_foreign(path: &Path) -> Result<(), Error> {
    let log = with_suffix(path, "-wal");
    match (number_in_file(path), number_in_log(&log)) {
        (Some(own), Some(other)) if own != other => Err(Error::Damaged(format!(
            "its log {} is of another database, or of an older copy of this one",
            log.display()
        ))),
        _ => Ok(()),
    }
}

/// The number of a database file that nobody has open; `None` if it has none.
fn number_in_file(path: &Path) -> Option<u32> {
    let mut head = [0; DATABASE_HEAD];
    File::open(path).ok()?.read_exact(&mut head).ok()?;
    head.starts_with(DATABASE).then(|| word(&head, NUMBER_AT))?.filter(|number| *number != 0)
}

/// The number in the first commit of a log that has it; `None` if none has.
fn number_in_log(log: &Path) -> Option<u32> {
    let mut log = BufReader::with_capacity(1 << 16, File::open(log).ok()?);
    let mut head = [0; LOG_HEAD];
    log.read_exact(&mut head).ok()?;
    let is_big_endian = match word(&head, 0)? {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return None,
    };
    let page_bytes = usize::try_from(word(&head, 8)?).ok()?;
    if !(512..=65_536).contains(&page_bytes) {
        return None;
    }
    let mut sums = Sums { is_big_endian, one: 0, two: 0 };
    sums.add(head.get(..FRAME_HEAD)?);
    if !sums.are_at(&head, FRAME_HEAD) {
        return None;
    }
    let mut written = None;
    let mut frame = vec![0; FRAME_HEAD + page_bytes];
    while log.read_exact(&mut frame).is_ok() {
        // What comes after the last frame of this log is left of an earlier one.
        sums.add(frame.get(..8)?);
        sums.add(frame.get(FRAME_HEAD..)?);
        if frame.get(8..16) != head.get(SALT) || !sums.are_at(&frame, 16) {
            break;
        }
        if word(&frame, 0)? == 1 {
            written = word(&frame, FRAME_HEAD + NUMBER_AT).filter(|number| *number != 0);
        }
        // A frame that ends a commit has the size of the database.
        if word(&frame, 4)? != 0 && written.is_some() {
            return written;
        }
    }
    None
}

/// SQLite's sums over the words of a log.
struct Sums {
    is_big_endian: bool,
    one: u32,
    two: u32,
}

impl Sums {
    fn add(&mut self, bytes: &[u8]) {
        let (words, _) = bytes.as_chunks::<4>();
        let (pairs, _) = words.as_chunks::<2>();
        let read = if self.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
        for [first, second] in pairs {
            self.one = self.one.wrapping_add(read(*first)).wrapping_add(self.two);
            self.two = self.two.wrapping_add(read(*second)).wrapping_add(self.one);
        }
    }

    /// Whether they are what the bytes at a place say.
    fn are_at(&self, bytes: &[u8], at: usize) -> bool {
        (word(bytes, at), word(bytes, at + 4)) == (Some(self.one), Some(self.two))
    }
}

/// The number that four bytes at a place stand for.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*bytes))
}
