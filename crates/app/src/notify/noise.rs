//! The command for the noise report.

use tidings_model::text;
use tidings_replica as replica;

use crate::app::App;
use crate::error::Result;
use crate::ipc::{Noise, NoiseOrigin, NoiseSource};

/// The time of which the report tells.
const DAYS: i64 = 30;

impl App {
    /// Tells how much each source, topic and repository told in the last 30 days, and how much of it is unread.
    pub async fn noise(&self) -> Result<Noise> {
        let since = self.now().plus_secs(-DAYS * 24 * 60 * 60);
        let noise = self.disk(move |r| r.noise(since)).await?;
        Ok(Noise { since: noise.since.as_millis(), sources: noise.sources.into_iter().map(source).collect() })
    }
}

fn source(of: replica::NoiseSource) -> NoiseSource {
    let origin = |of: replica::NoiseOrigin| NoiseOrigin {
        // A title comes from other systems and may hold control characters.
        name: text::line(&of.name).into_owned(),
        target: of.target,
        items: of.items,
        unread: of.unread,
    };
    let origins = of.origins.into_iter().map(origin).collect();
    NoiseSource { source: of.source, items: of.items, unread: of.unread, origins }
}
