//! Methods of [`Replica`] for sources and their catalogs.

use std::time::Duration;

use tidings_model::{Catalog, Stamp};
use tidings_replica_tables::sources::{self, Wait};

use crate::handle::Replica;
use crate::{NewSource, Result, Source, SourceChange, SourceId, Waits};

/// A time after another one.
fn after(at: Stamp, wait: Duration) -> Stamp {
    at.plus_micros(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX))
}

impl Replica {
    /// All sources in their order.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.read(sources::all)
    }

    /// The source with this id.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource).
    pub fn source(&self, id: SourceId) -> Result<Source> {
        self.read(|conn| sources::one(conn, id))
    }

    /// Adds a source at the end of the order.
    ///
    /// # Errors
    /// [`Error::NameTaken`](crate::Error::NameTaken); [`Error::OwnTaken`](crate::Error::OwnTaken) for a second own
    /// server.
    pub fn add_source(&self, source: NewSource) -> Result<SourceId> {
        let (id, _) = self.write_durable(move |tx, aggregates| {
            aggregates.refetch = true;
            sources::add(tx, &source)
        })?;
        Ok(id)
    }

    /// Changes a source. If its user changes, the user's own items are determined again, in portions between which
    /// other writes run.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource), [`Error::NameTaken`](crate::Error::NameTaken).
    pub fn change_source(&self, id: SourceId, change: SourceChange) -> Result<()> {
        let now = self.clock.now();
        self.write_durable(move |tx, aggregates| {
            aggregates.refetch = true;
            sources::change(tx, id, &change, now)
        })?;
        self.finish_own()
    }

    /// Sorts the sources in this order; sources that are not in it follow in their previous order.
    pub fn order_sources(&self, ids: Vec<SourceId>) -> Result<()> {
        self.write(move |tx, aggregates| {
            aggregates.refetch = true;
            sources::order(tx, &ids)
        })?;
        Ok(())
    }

    /// Removes a source with its outbox. With `keep` its items stay under its name, as a paused source that cannot be
    /// pulled (its protocol becomes `kept`). Otherwise they are deleted, and the source is hidden at once. Rows and
    /// waiting operations are deleted in portions, between which other writes run.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn remove_source(&self, id: SourceId, keep: bool) -> Result<()> {
        self.begin_removal(id, keep)?;
        self.finish_removal(keep)
    }

    /// The first transaction of [`Replica::remove_source`]: from then on the source is neither shown nor pulled.
    /// [`Replica::finish_removal`] or the next start does the rest.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn begin_removal(&self, id: SourceId, keep: bool) -> Result<()> {
        self.write(move |tx, aggregates| {
            aggregates.refetch = true;
            if keep { sources::begin_keeping(tx, id) } else { sources::begin_removal(tx, id) }
        })?;
        Ok(())
    }

    /// The rest of [`Replica::remove_source`] after [`Replica::begin_removal`], for all sources that are being
    /// removed.
    pub fn finish_removal(&self, keep: bool) -> Result<()> {
        if keep { self.finish_keeping() } else { self.finish_removals() }
    }

    /// Stores the largest file that the source's server takes with a message, in bytes; `None` if it takes none.
    pub fn set_attachment_bytes(&self, id: SourceId, bytes: Option<u64>) -> Result<()> {
        self.write(move |tx, aggregates| {
            // Open conversations show whether files can be attached.
            aggregates.refetch = true;
            sources::set_attachment_bytes(tx, id, bytes)
        })?;
        Ok(())
    }

    /// Stores by how many microseconds the clock of the source's server is ahead of this machine's. Marks are sent with
    /// the server's time, and snoozes and questions end by it.
    pub fn set_clock_offset(&self, id: SourceId, micros: i64) -> Result<()> {
        if self.read(|conn| sources::clock_offset(conn, id))? != micros {
            self.write(move |tx, _| sources::set_clock_offset(tx, id, micros))?;
        }
        Ok(())
    }

    /// By how many microseconds the clock of the source's server is ahead of this machine's, as it was last stored.
    pub fn clock_offset(&self, id: SourceId) -> Result<i64> {
        self.read(|conn| sources::clock_offset(conn, id))
    }

    /// Stores that the source's server asked for no request for this long, at most [`Waits::MAX`], and returns the time
    /// until which. Every process on this replica keeps to it, also after a restart; a change of the address ends it.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use tidings_model::SystemClock;
    /// # use tidings_replica::{NewSource, Replica};
    /// # let folder = tempfile::tempdir()?;
    /// # let replica = Replica::open(folder.path(), Arc::new(SystemClock))?;
    /// # let (name, protocol, url) = ("Hub".into(), "github".into(), "https://api.github.com".into());
    /// # let source = replica.add_source(NewSource { name, protocol, url, user: None, own: false })?;
    /// let until = replica.postpone_requests(source, Duration::from_secs(90))?;
    /// assert_eq!(replica.waits(source)?.requests, Some(until));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn postpone_requests(&self, id: SourceId, wait: Duration) -> Result<Stamp> {
        self.postpone(id, Wait::Requests, wait)
    }

    /// Stores that the source's server asked for no pull that nobody asked for, like
    /// [`Replica::postpone_requests`].
    pub fn postpone_polls(&self, id: SourceId, wait: Duration) -> Result<Stamp> {
        self.postpone(id, Wait::Polls, wait)
    }

    fn postpone(&self, id: SourceId, what: Wait, wait: Duration) -> Result<Stamp> {
        let now = self.clock.now();
        let (until, most) = (after(now, wait.min(Waits::MAX)), after(now, Waits::MAX));
        self.write(move |tx, _| sources::wait_until(tx, id, what, until, most))?;
        Ok(until)
    }

    /// The waits that the source's server asked for and that are not over.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn waits(&self, id: SourceId) -> Result<Waits> {
        let now = self.clock.now();
        self.read(|conn| sources::waits(conn, id, now, after(now, Waits::MAX)))
    }

    /// The source's catalog; `None` until it was set.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn catalog(&self, id: SourceId) -> Result<Option<Catalog>> {
        self.read(|conn| sources::catalog(conn, id))
    }

    /// Stores the source's catalog, whose templates render its items. The class of an item does not depend on it: the
    /// item has `auto`.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource) if the source does not exist.
    pub fn set_catalog(&self, id: SourceId, catalog: &Catalog) -> Result<()> {
        let catalog = catalog.clone();
        self.write(move |tx, aggregates| {
            // Items render with other templates now.
            aggregates.refetch = sources::set_catalog(tx, id, &catalog)?;
            Ok(())
        })?;
        Ok(())
    }
}
