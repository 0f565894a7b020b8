//! What sources and threads may notify of, as their reader sets it; and toasts need to know what is unread.

use tidings_model::MsgId;

use crate::tables::{items, settings, sources, threads};
use crate::{NotifyLevel, NotifySettings, Replica, Result, SourceId, ThreadId};

fn within_bounds(notify: NotifySettings) -> NotifySettings {
    NotifySettings { from_priority: notify.from_priority.map(|n| n.clamp(1, 5)), ..notify }
}

impl Replica {
    /// Sets what a source may notify of, and gives what is set now (priorities are brought within 1 to 5). The badge follows
    /// at once.
    ///
    /// # Errors
    /// [`Error::NoSource`](crate::Error::NoSource).
    pub fn set_source_notify(&self, id: SourceId, notify: NotifySettings) -> Result<NotifySettings> {
        let notify = within_bounds(notify);
        self.write(move |tx, _| {
            sources::one(tx, id)?;
            sources::set_notify(tx, id, notify)
        })?;
        Ok(notify)
    }

    /// Sets what a thread may notify of, and gives what is set now. [`NotifyLevel::Nothing`] mutes it.
    ///
    /// # Errors
    /// [`Error::NoThread`](crate::Error::NoThread).
    pub fn set_thread_notify(&self, id: ThreadId, notify: NotifySettings) -> Result<NotifySettings> {
        let notify = within_bounds(notify);
        self.write(move |tx, aggregates| {
            let (pinned, _) = aggregates.flags(id)?;
            let muted = notify.level == Some(NotifyLevel::Nothing);
            let unmuted = NotifySettings { level: notify.level.filter(|_| !muted), ..notify };
            threads::set_notify(tx, id, unmuted)?;
            aggregates.set_flags(id, pinned, muted)?;
            aggregates.set_notify(id, unmuted)
        })?;
        Ok(notify)
    }

    /// The least priority that counts where neither thread nor source says otherwise: 1 to 5.
    pub fn default_from_priority(&self) -> Result<u8> {
        self.read(settings::from_priority)
    }

    /// What a thread may notify of, as it was set.
    ///
    /// # Errors
    /// [`Error::NoThread`](crate::Error::NoThread).
    pub fn thread_notify(&self, id: ThreadId) -> Result<NotifySettings> {
        self.read(|conn| threads::notify(conn, id))
    }

    /// Whether any of these items is still unread. The search ends with the first that is, so the likeliest go first.
    pub fn any_unread(&self, source: SourceId, msgids: &[MsgId]) -> Result<bool> {
        self.read(|conn| items::any_unread(conn, source, msgids))
    }
}
