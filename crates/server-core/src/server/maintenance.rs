//! Checks, copies and the space of an open server's database, its hold on deletion by age, and the restore of a copy.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::Clock;
use tidings_sqlite::{DataDir, Replacement};
use tidings_store::future_stamps::{FutureStamps, is_ahead};
use tidings_store::{DATABASE_FILE, Difference, Error};
use tidings_store_migrate::mend_clock::prepare_copy;

use super::Server;

impl Server {
    /// Looks at the clock. False if nothing may be deleted by age now.
    pub async fn may_delete_by_age(&self) -> bool {
        let is_trusted = self.config.retain_now;
        self.clock_watch.allows_deletion(&*self.store, &*self.clock, is_trusted).await
    }

    /// The time of running for which nothing is deleted by age, because the clock jumped ahead; zero for none.
    pub async fn age_hold(&self) -> Duration {
        self.clock_watch.left().await
    }

    /// The same as the server that runs on this data has stored it. It knows whether the clock jumped or nothing was
    /// published for long ([`is_served`](tidings_store_migrate::served::is_served)).
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn stored_age_hold(&self) -> Result<Duration, Error> {
        self.store.age_hold().await
    }

    /// How far the newest stamp is ahead of the clock, if that is more than an hour. A wrong clock left it, and later
    /// ones follow it until it is mended ([`mend_clock`](tidings_store_migrate::mend_clock::mend_clock)).
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn stamps_ahead(&self) -> Result<Option<Duration>, Error> {
        let (newest, now) = (self.store.latest_stamp().await?, self.clock.now());
        let ahead = u64::try_from(newest.as_micros().saturating_sub(now.as_micros())).unwrap_or_default();
        Ok(is_ahead(newest, now).then(|| Duration::from_micros(ahead)))
    }

    /// Stores a hold on deletion by age that the start found, and says so in the log.
    pub async fn begin_age_hold(&self) {
        self.clock_watch.keep_and_tell(&*self.store).await;
    }

    /// Reads again what the server read from files as it was opened: the certificates that a database has to have. Connections
    /// from now on are checked by them.
    ///
    /// # Errors
    /// `invalid` if they can't be read: then everything stays as it was.
    pub async fn reload(&self) -> Result<(), Error> {
        self.store.reload().await
    }

    /// Recounts every counter and verifies the database; gives the differences.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// for difference in server.check().await? {
    ///     eprintln!("{difference}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check(&self) -> Result<Vec<Difference>, Error> {
        self.store.check().await
    }

    /// Copies the server's database to one file while it stays in use. Uploaded files are not in it: their notifications
    /// are, and their addresses lead nowhere after a restore elsewhere.
    ///
    /// # Errors
    /// [`Error::Store`] if the file can't be written.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.backup(std::path::Path::new("/backups/server.db")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn backup(&self, to: &Path) -> Result<(), Error> {
        self.store.backup(to).await
    }

    /// Estimated bytes that [`Server::compact`] would free.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        self.store.reclaimable_bytes().await
    }

    /// Rewrites the database without unused space; needs as much free disk space as the data takes.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be written, [`Error::DiskFull`] if the disk has no room.
    pub async fn compact(&self) -> Result<(), Error> {
        self.store.compact().await
    }

    /// Replaces the database of a data folder by a backup, in one step and with a new epoch, so that every replica
    /// pulls from the beginning. No process may serve the folder. The replaced database is kept as `server.db.before`.
    ///
    /// # Errors
    /// [`Error::DataDir`] if a process serves the folder, [`Error::Store`] if `from` is not a backup of a server.
    /// The folder is then unchanged.
    pub async fn restore(
        data_dir: &Path,
        from: &Path,
        clock: Arc<dyn Clock>,
        future: FutureStamps,
    ) -> Result<(), Error> {
        let (dir, from) = (data_dir.to_owned(), from.to_owned());
        tokio::task::spawn_blocking(move || {
            let _lock = DataDir::lock(&dir, "server")?;
            let replacement = Replacement::begin(&dir.join(DATABASE_FILE))?;
            replacement.copy_in(&from)?;
            prepare_copy(&replacement.file(), &clock, future)?;
            Ok(Replacement::put_in_place(&[replacement])?)
        })
        .await
        .map_err(|_| tidings_sqlite::Error::Panicked)?
    }

    /// The first half of a restore, for callers that replace other files with it: `from` is moved in, checked, and
    /// given a new epoch. The caller has the lock `server` of the folder. Blocks.
    ///
    /// # Errors
    /// [`Error::Store`] if `from` is not a backup of a server.
    pub fn prepare_restore(
        data_dir: &Path,
        from: &Path,
        clock: &Arc<dyn Clock>,
        future: FutureStamps,
    ) -> Result<Replacement, Error> {
        let replacement = Replacement::begin(&data_dir.join(DATABASE_FILE))?;
        replacement.move_in(from)?;
        prepare_copy(&replacement.file(), clock, future)?;
        Ok(replacement)
    }
}
