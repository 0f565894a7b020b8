//! Methods of [`Replica`] for notify settings of sources and threads, and for the state of items that toasts need.

use tidings_model::MsgId;
use tidings_replica_tables::{items, mutes, settings, sources, threads};

use crate::{Mute, NotifyLevel, NotifySettings, Replica, Result, SourceId, ThreadId};

fn within_bounds(notify: NotifySettings) -> NotifySettings {
    NotifySettings { from_priority: notify.from_priority.map(|n| n.clamp(1, 5)), ..notify }
}

impl Replica {
    /// Sets the notify settings of a source, and returns them with priorities clamped to 1 to 5. The badge changes at
    /// once. [`NotifyLevel::Nothing`] mutes the source; one that is muted for a time stays so until then.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource).
    pub fn set_source_notify(&self, id: SourceId, notify: NotifySettings) -> Result<NotifySettings> {
        let notify = within_bounds(notify);
        self.write(move |tx, _| {
            sources::one(tx, id)?;
            if notify.level == Some(NotifyLevel::Nothing) {
                let mute = mutes::find(tx, id, "")?;
                mutes::put(tx, &mute.unwrap_or(Mute { source: id, origin: String::new(), until: None }))?;
            } else {
                mutes::remove(tx, id, "")?;
            }
            sources::set_notify(tx, id, notify)
        })?;
        Ok(notify)
    }

    /// Sets the notify settings of a thread, and returns them with priorities clamped to 1 to 5.
    /// [`NotifyLevel::Nothing`] mutes the thread; one that is muted for a time stays so until then.
    ///
    /// # Errors
    /// [`Error::NoThread`](crate::Error::NoThread).
    pub fn set_thread_notify(&self, id: ThreadId, notify: NotifySettings) -> Result<NotifySettings> {
        let notify = within_bounds(notify);
        self.write(move |tx, aggregates| {
            let before = aggregates.flags(id)?;
            let muted = notify.level == Some(NotifyLevel::Nothing);
            let unmuted = NotifySettings { level: notify.level.filter(|_| !muted), ..notify };
            threads::set_notify(tx, id, unmuted)?;
            let flags = if muted == before.muted { before } else { before.with_muted(muted, None) };
            aggregates.set_flags(id, flags)?;
            aggregates.set_notify(id, unmuted)
        })?;
        Ok(notify)
    }

    /// The least priority, 1 to 5, that makes toasts and counts on the badge if neither thread nor source sets
    /// one.
    pub fn default_from_priority(&self) -> Result<u8> {
        self.read(settings::from_priority)
    }

    /// The notify settings that were set for a thread; a muted thread has the level [`NotifyLevel::Nothing`].
    ///
    /// # Errors
    /// [`Error::NoThread`](crate::Error::NoThread).
    pub fn thread_notify(&self, id: ThreadId) -> Result<NotifySettings> {
        self.read(|conn| threads::notify(conn, id))
    }

    /// Whether any of these items is unread. It stops at the first unread one, so callers pass the likeliest first.
    pub fn any_unread(&self, source: SourceId, msgids: &[MsgId]) -> Result<bool> {
        self.read(|conn| items::any_unread(conn, source, msgids))
    }

    /// Those of these items that were deleted: by the server, or here.
    pub fn deleted(&self, source: SourceId, msgids: &[MsgId]) -> Result<Vec<MsgId>> {
        self.read(|conn| items::deleted(conn, source, msgids))
    }
}
