//! The file as a whole, for a migration.

use std::path::Path;

use rusqlite::Connection;
use tidings_sqlite::Database;
use tidings_store::{Bounds, Difference, Error};

use super::upkeep::check;
use super::{OPTIONS, SqliteStore};

impl SqliteStore {
    /// Reads in one snapshot, for as long as it takes. Blocks.
    pub fn read_whole<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.db.read(work)
    }

    /// Creates a file with the tables of a server and no row. Blocks.
    pub fn create_file(path: &Path) -> Result<Database, Error> {
        Ok(Database::open(path, &OPTIONS)?)
    }

    /// Like [`check`](tidings_store::UpkeepStore::check), of a file that is no server's yet: nothing has it open
    /// afterwards. Blocks.
    pub fn check_file(file: &Database) -> Result<Vec<Difference>, Error> {
        let mut found = file.read(|c| check::check(c, Bounds::default().differences))?;
        found.extend(check::damage(file)?);
        Ok(found)
    }
}
