//! The notices that follow from the status of the sources.

use tidings_sync::{SourceStatus, SourceStatuses, Trouble};

use crate::context::Context;
use crate::state::notices::Degradation;

/// Raises and clears the notices that follow from the sources' statuses.
pub(super) fn update(context: &Context, statuses: &SourceStatuses) {
    if context.data.is_temporary() {
        return;
    }
    let folder = context.data.home().dir().to_owned();
    for (trouble, degradation) in
        [(Trouble::DiskFull, Degradation::Disk), (Trouble::ReadOnly, Degradation::Folder(folder))]
    {
        let has_trouble = |status: &SourceStatus| matches!(status, SourceStatus::Retrying { trouble: t, .. } if *t == trouble);
        if statuses.values().any(has_trouble) {
            context.raise(&degradation);
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
