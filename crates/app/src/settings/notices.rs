//! Shows the notices of parts that this desktop lacks, and removes them.

use tidings_sync::{SourceStatus, SourceStatuses, Trouble};

use crate::app::App;
use crate::state::notices::Degradation;

impl App {
    /// Raises and clears the notices that follow from the sources' statuses.
    pub(crate) fn update_status_notices(&self, statuses: &SourceStatuses) {
        if self.context.data.is_temporary() {
            return;
        }
        let folder = self.context.data.home().dir().to_owned();
        for (trouble, degradation) in
            [(Trouble::DiskFull, Degradation::Disk), (Trouble::ReadOnly, Degradation::Folder(folder))]
        {
            let has_trouble = |status: &SourceStatus| matches!(status, SourceStatus::Retrying { trouble: t, .. } if *t == trouble);
            if statuses.values().any(has_trouble) {
                self.context.raise(&degradation);
            } else {
                self.context.clear(degradation.code());
            }
        }
        // It is not over before it is repaired.
        let is_damaged = |status: &SourceStatus| {
            matches!(status, SourceStatus::Retrying { trouble: Trouble::Damaged, .. })
        };
        if statuses.values().any(is_damaged) {
            self.context.raise(&Degradation::Damaged);
        }
    }
}
