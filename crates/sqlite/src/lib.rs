//! A SQLite file that is opened, migrated, written by one thread and read by many. Refuses to know a table: whoever
//! uses it brings its own migrations and its own words.
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

mod database;
mod error;
mod files;
mod lock;
mod migrate;
mod open;
mod replace;
mod room;
#[doc(hidden)]
pub mod statements;
mod vet;
mod writer;

pub use database::Database;
pub use error::Error;
pub use files::is_present;
pub use lock::{DataDir, LockError};
pub use migrate::Migration;
pub use open::{Durability, Options};
pub use replace::Replacement;
pub use room::room;
pub use vet::vet;
