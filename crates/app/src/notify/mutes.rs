//! The commands that mute a source, or a topic, an application or a repository of it, also for a time.

use std::sync::Arc;

use tidings_ipc::SourceId;
use tidings_model::Stamp;
use tidings_replica::Mute;

use super::silence::Silence;
use crate::context::{Context, part};
use crate::error::Result;

part! {
    /// The mutes of sources and of their origins.
    pub(crate) struct Mutes {
        context: Arc<Context>,
        silence: Arc<Silence>,
    }
}

impl Mutes {
    /// Mutes a source, or only an origin of it unless that is empty, until a time in milliseconds since 1970; `None` mutes
    /// it until it is unmuted.
    pub(crate) async fn mute(&self, source: SourceId, origin: String, until: Option<i64>) -> Result<()> {
        let mute = Mute { source, origin, until: until.map(Stamp::from_millis) };
        self.context.disk(move |r| r.mute(&mute)).await?;
        self.mutes_changed();
        Ok(())
    }

    /// Ends the mute of a source or origin.
    pub(crate) async fn unmute(&self, source: SourceId, origin: String) -> Result<()> {
        self.context.disk(move |r| r.unmute(source, &origin)).await?;
        self.mutes_changed();
        Ok(())
    }

    /// Handles that a source or origin was muted or unmuted: what is on screen of it is read again, and the timers are
    /// computed again.
    fn mutes_changed(&self) {
        self.silence.timers_changed();
        self.context.events.update(|dirty| {
            dirty.refetch = true;
            dirty.sync = true;
        });
    }
}
