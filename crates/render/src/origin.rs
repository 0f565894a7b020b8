//! The topic, application or repository that a thread is from, as its row has it.

use tidings_ipc::Origin;
use tidings_model::{Stamp, Target, text};

use crate::context::RenderContext;

/// The topic, application or repository of a target, with its mute.
pub(crate) fn of(ctx: &RenderContext<'_>, target: &Target) -> Option<Origin> {
    let (id, name) = tidings_replica::origin(target)?;
    let mute = ctx.mutes.iter().find(|mute| mute.source == ctx.source.id && mute.origin == id);
    let muted_until = mute.and_then(|mute| mute.until).map(Stamp::as_millis);
    Some(Origin { name: text::line(&name).into_owned(), muted: mute.is_some(), muted_until, id })
}
