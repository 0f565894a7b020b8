//! Follows the running engine: the status of its sources, with the notices that come of it, and the uploads of files.

use std::sync::Arc;

use tidings_sync::{Engine, SourceStatus, SourceStatuses, Trouble};

use crate::context::Context;
use crate::state::notices::Degradation;

/// Follows the status of the sources for as long as the engine runs.
pub(crate) async fn watch_statuses(context: Arc<Context>, engine: Engine) {
    let mut statuses = engine.statuses();
    loop {
        let current = statuses.borrow_and_update().clone();
        update_notices(&context, &current);
        context.events.update(|dirty| dirty.sync = true);
        if statuses.changed().await.is_err() {
            return;
        }
    }
}

/// Follows the uploads of files for as long as the engine runs.
pub(crate) async fn watch_uploads(context: Arc<Context>, engine: Engine) {
    let mut uploads = engine.uploads();
    while uploads.changed().await.is_ok() {
        context.events.update(|dirty| dirty.uploads = true);
    }
}

/// Raises and clears the notices that follow from the sources' statuses.
fn update_notices(context: &Context, statuses: &SourceStatuses) {
    if context.data.is_temporary() {
        return;
    }
    let folder = context.data.home().dir().to_owned();
    let has = |trouble: Trouble| {
        let is_it = |status: &SourceStatus| matches!(status, SourceStatus::Retrying { trouble: t, .. } if *t == trouble);
        statuses.values().any(is_it)
    };
    for (trouble, degradation) in
        [(Trouble::DiskFull, Degradation::Disk), (Trouble::ReadOnly, Degradation::Folder(folder))]
    {
        if has(trouble) {
            context.raise(&degradation);
        } else if trouble == Trouble::DiskFull && has(Trouble::DiskFails) {
            context.raise(&Degradation::DiskFails);
        } else {
            context.clear(degradation.code());
        }
    }
    // It is not over before it is repaired.
    let is_damaged =
        |status: &SourceStatus| matches!(status, SourceStatus::Retrying { trouble: Trouble::Damaged, .. });
    if statuses.values().any(is_damaged) {
        context.raise(&Degradation::Damaged);
    }
}
