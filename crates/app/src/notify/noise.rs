//! The command for the noise report.

use std::sync::Arc;

use tidings_ipc::{Noise, NoiseOrigin, NoiseSource};
use tidings_model::{Stamp, text};
use tidings_replica::{self as replica, Mute};

use crate::context::{Context, part};
use crate::error::Result;

/// The days that the report covers.
const DAYS: i64 = 30;

part! {
    /// Reports what is loud.
    pub(crate) struct NoiseReport {
        context: Arc<Context>,
    }
}

impl NoiseReport {
    /// Returns how many items came from each source, topic and repository in the last 30 days, and how many of them are
    /// unread.
    pub(crate) async fn noise(&self) -> Result<Noise> {
        let since = self.context.now().plus_secs(-DAYS * 24 * 60 * 60);
        let (noise, mutes) = self.context.disk(move |r| Ok((r.noise(since)?, r.mutes()?))).await?;
        let sources = noise.sources.into_iter().map(|of| source(of, &mutes)).collect();
        Ok(Noise { since: noise.since.as_millis(), sources })
    }
}

fn source(of: replica::NoiseSource, mutes: &[Mute]) -> NoiseSource {
    let origin = |one: replica::NoiseOrigin| {
        let mute = mutes.iter().find(|mute| mute.source == of.source && mute.origin == one.target);
        NoiseOrigin {
            // A title comes from other systems and may hold control characters.
            name: text::line(&one.name).into_owned(),
            target: one.target,
            muted: mute.is_some(),
            muted_until: mute.and_then(|mute| mute.until).map(Stamp::as_millis),
            items: one.items,
            unread: one.unread,
        }
    };
    let origins = of.origins.into_iter().map(origin).collect();
    NoiseSource { source: of.source, items: of.items, unread: of.unread, origins }
}
