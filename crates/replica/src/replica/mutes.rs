//! Methods of [`Replica`] for muted sources, topics, applications and repositories, and for what is muted now.

use tidings_replica_tables::{mutes, sources};

use crate::handle::Replica;
use crate::upkeep::mutes as upkeep;
use crate::{Error, Mute, Result, SourceId, Thread, ThreadId};

impl Replica {
    /// The sources and origins that are muted.
    pub fn mutes(&self) -> Result<Vec<Mute>> {
        self.read(mutes::all)
    }

    /// Mutes a source, or an origin of it with its threads and what comes there. Returns the mute that it replaces.
    /// Threads that are muted by themselves stay as they are.
    ///
    /// # Errors
    /// [`Error::NoSource`]; [`Error::Invalid`] if the origin is too long, or there are [`Mute::MAX`] already.
    pub fn mute(&self, mute: &Mute) -> Result<Option<Mute>> {
        if mute.origin.chars().count() > Mute::MAX_ORIGIN_CHARS || mute.origin.contains('\0') {
            return Err(Error::Invalid(format!(
                "an origin has at most {} characters",
                Mute::MAX_ORIGIN_CHARS
            )));
        }
        let stored = mute.clone();
        let (before, _) = self.write(move |tx, aggregates| {
            sources::one(tx, stored.source)?;
            let before = mutes::find(tx, stored.source, &stored.origin)?;
            // Rows say whether they are counted.
            aggregates.refetch = stored.origin.is_empty();
            mutes::put(tx, &stored)?;
            Ok(before)
        })?;
        if !mute.origin.is_empty() {
            self.cover_threads(mute)?;
        }
        Ok(before)
    }

    /// Ends the mute of a source or origin. Returns the one that ended; `None` if there was none.
    pub fn unmute(&self, source: SourceId, origin: &str) -> Result<Option<Mute>> {
        let of = origin.to_owned();
        let (before, _) = self.write(move |tx, aggregates| {
            let before = mutes::find(tx, source, &of)?;
            aggregates.refetch = of.is_empty() && before.is_some();
            mutes::remove(tx, source, &of)?;
            Ok(before)
        })?;
        if !origin.is_empty() {
            self.uncover_threads(source, origin)?;
        }
        Ok(before)
    }

    /// The threads that are muted by themselves: those whose mute ends first, then the newest of the others, at most this
    /// many. With the number of all, counted up to 10,000.
    pub fn muted_threads(&self, most: usize) -> Result<(Vec<ThreadId>, u64)> {
        self.read(|conn| mutes::muted_threads(conn, most))
    }

    /// One of the listed threads of a topic or application; `None` if there is none. Repositories have their name in their
    /// origin, and are not looked up.
    pub fn thread_of_origin(&self, source: SourceId, origin: &str) -> Result<Option<Thread>> {
        self.read(|conn| upkeep::thread_of(conn, source, origin))
    }

    /// Mutes the threads of an origin whose mute was stored.
    fn cover_threads(&self, mute: &Mute) -> Result<()> {
        let (mut from, most) = (Some(upkeep::bounds(&mute.origin).0), self.bounds.muted_threads);
        while let Some(key) = from {
            let mute = mute.clone();
            from = self
                .write(move |tx, aggregates| {
                    // It may have ended meanwhile.
                    let is_stored = mutes::find(tx, mute.source, &mute.origin)?.as_ref() == Some(&mute);
                    if is_stored { upkeep::cover(tx, aggregates, &mute, (&key, most)) } else { Ok(None) }
                })?
                .0;
        }
        Ok(())
    }

    /// Unmutes the threads of an origin whose mute was deleted.
    fn uncover_threads(&self, source: SourceId, origin: &str) -> Result<()> {
        let (origin, most) = (origin.to_owned(), self.bounds.muted_threads);
        loop {
            let origin = origin.clone();
            if !self.write(move |tx, aggregates| upkeep::uncover(tx, aggregates, source, (&origin, most)))?.0
            {
                return Ok(());
            }
        }
    }
}
