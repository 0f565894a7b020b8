//! A SQLite database file: opens and migrates it, writes from one thread, reads from a pool of connections, backs it
//! up, replaces it, locks it. The tables belong to the crates that use it; they pass their migrations.
//!
//! ```
//! use tidings_sqlite::{Database, Durability, Error, Migration, Options};
//!
//! const MIGRATIONS: &[Migration] =
//!     &[Migration { version: 1, name: "notes", sql: "CREATE TABLE note(text TEXT NOT NULL) STRICT" }];
//!
//! # fn main() -> Result<(), Error> {
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().join("notes.db");
//! let options = Options { durability: Durability::Full, readers: 2, migrations: MIGRATIONS };
//! let notes = Database::open(&path, &options)?;
//! notes.write_blocking(|tx| Ok::<_, Error>(tx.execute("INSERT INTO note VALUES (?1)", ["hello"])?))?;
//! let n: i64 = notes.read(|c| Ok::<_, Error>(c.query_row("SELECT count(*) FROM note", [], |r| r.get(0))?))?;
//! assert_eq!(n, 1);
//! # Ok(())
//! # }
//! ```

mod bounds;
mod checkpoint;
mod database;
mod error;
mod files;
mod free_space;
mod lock;
mod log;
mod migrate;
mod open;
mod replace;
#[doc(hidden)]
pub mod statements;
mod threads;
mod validate;
mod writer;

pub use bounds::Bounds;
pub use database::Database;
pub use error::Error;
pub use files::{create_folder, create_private_folder, is_present};
pub use free_space::{disk_size, free_files, free_space};
pub use lock::{DataDir, LockError};
pub use migrate::Migration;
pub use open::{Durability, Options, open_damaged, quick_check, set_page_cache};
pub use replace::Replacement;
pub use validate::validate;
