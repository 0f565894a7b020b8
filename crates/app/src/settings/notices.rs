//! Shows the notices of parts that this desktop lacks, and removes them.

use tidings_sync::{SourceStatus, SourceStatuses, Trouble};

use crate::app::App;
use crate::ipc::NoticeCode;
use crate::state::notices::Degradation;

impl App {
    /// Shows the notice of a degradation.
    pub fn raise(&self, degradation: &Degradation) {
        if self.inner.notices.raise(degradation) {
            self.inner.events.update(|dirty| dirty.notices = true);
        }
    }

    /// Removes the notice of a degradation that has ended.
    pub fn clear(&self, code: NoticeCode) {
        if self.inner.notices.clear(code) {
            self.inner.events.update(|dirty| dirty.notices = true);
        }
    }

    /// Raises and clears the notices that follow from the sources' statuses.
    pub(crate) fn update_status_notices(&self, statuses: &SourceStatuses) {
        if self.inner.data.is_temporary() {
            return;
        }
        let folder = self.inner.data.home().dir().to_owned();
        for (trouble, degradation) in
            [(Trouble::DiskFull, Degradation::Disk), (Trouble::ReadOnly, Degradation::Folder(folder))]
        {
            let has_trouble = |status: &SourceStatus| matches!(status, SourceStatus::Retrying { trouble: t, .. } if *t == trouble);
            if statuses.values().any(has_trouble) {
                self.raise(&degradation);
            } else {
                self.clear(degradation.code());
            }
        }
        // It is not over before it is repaired.
        let is_damaged = |status: &SourceStatus| {
            matches!(status, SourceStatus::Retrying { trouble: Trouble::Damaged, .. })
        };
        if statuses.values().any(is_damaged) {
            self.raise(&Degradation::Damaged);
        }
    }
}
