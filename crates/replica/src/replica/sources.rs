//! Sources, as their reader sees and changes them.

use tidings_model::Catalog;

use super::Replica;
use crate::tables::sources;
use crate::{NewSource, Result, Source, SourceChange, SourceId};

impl Replica {
    /// All sources in their order.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.database.read(sources::all)
    }

    /// One source.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource).
    pub fn source(&self, id: SourceId) -> Result<Source> {
        self.database.read(|conn| sources::one(conn, id))
    }

    /// Adds a source after the others.
    ///
    /// # Errors
    /// [`Error::NameTaken`](crate::Error::NameTaken), and [`Error::OwnTaken`](crate::Error::OwnTaken) for a second own
    /// server.
    pub fn add_source(&self, source: NewSource) -> Result<SourceId> {
        let (id, _) = self.write(move |tx, aggregates| {
            aggregates.refetch = true;
            sources::add(tx, &source)
        })?;
        Ok(id)
    }

    /// Changes a source. Where its user changes, which items are the user's own is decided anew, in portions between
    /// which others write.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource), [`Error::NameTaken`](crate::Error::NameTaken).
    pub fn change_source(&self, id: SourceId, change: SourceChange) -> Result<()> {
        let now = self.clock.now();
        self.write(move |tx, aggregates| {
            aggregates.refetch = true;
            sources::change(tx, id, &change, now)
        })?;
        self.finish_own()
    }

    /// Puts the sources into this order; those that are not named follow in the order that they had.
    pub fn order_sources(&self, ids: Vec<SourceId>) -> Result<()> {
        self.write(move |tx, aggregates| {
            aggregates.refetch = true;
            sources::order(tx, &ids)
        })?;
        Ok(())
    }

    /// Removes a source with its outbox. With `keep` its items stay under its name as a paused source that cannot be
    /// pulled (its protocol becomes `kept`); else they are deleted here: the source is hidden at once. Its rows, or what
    /// waits to be sent, go in portions, between which others write.
    pub fn remove_source(&self, id: SourceId, keep: bool) -> Result<()> {
        self.begin_removal(id, keep)?;
        self.finish_removal(keep)
    }

    /// The first transaction of [`Replica::remove_source`]: from then on nobody sees or pulls the source, and what is left
    /// is done by [`Replica::finish_removal`], or at the next start.
    pub fn begin_removal(&self, id: SourceId, keep: bool) -> Result<()> {
        self.write(move |tx, aggregates| {
            aggregates.refetch = true;
            if keep { sources::begin_keeping(tx, id) } else { sources::begin_removal(tx, id) }
        })?;
        Ok(())
    }

    /// What [`Replica::remove_source`] does after [`Replica::begin_removal`], for all sources that are being removed.
    pub fn finish_removal(&self, keep: bool) -> Result<()> {
        if keep { self.finish_keeping() } else { self.finish_removals() }
    }

    /// The source's catalog; none until it was set.
    pub fn catalog(&self, id: SourceId) -> Result<Option<Catalog>> {
        self.database.read(|conn| sources::catalog(conn, id))
    }

    /// Keeps the source's catalog: how its items read. The class of an item is not in it; the item says that itself.
    pub fn set_catalog(&self, id: SourceId, catalog: &Catalog) -> Result<()> {
        let catalog = catalog.clone();
        self.write(move |tx, aggregates| sources::set_catalog(tx, aggregates, id, &catalog))?;
        Ok(())
    }
}
