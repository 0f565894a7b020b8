//! The last group that the reader made, until its server has answered.

use parking_lot::Mutex;
use tidings_model::Stamp;
use tidings_replica::SourceId;
use tidings_sources::NewGroup;

/// The last request to create a group, while it is unknown whether the server created it.
#[derive(Default)]
pub(crate) struct PendingGroup(Mutex<Option<GroupRequest>>);

struct GroupRequest {
    source: SourceId,
    group: NewGroup,
    /// The idempotency key of the request.
    key: String,
}

impl PendingGroup {
    /// The idempotency key of a request: the same for the same group, so that a retry creates no second one.
    pub(crate) fn key(&self, source: SourceId, group: &NewGroup, now: Stamp) -> String {
        let mut request = self.0.lock();
        if let Some(known) = request.as_ref().filter(|known| known.source == source && known.group == *group)
        {
            return known.key.clone();
        }
        let key = format!("group made {now}");
        *request = Some(GroupRequest { source, group: group.clone(), key: key.clone() });
        key
    }

    /// Forgets the request once the server answered it: the next one gets a new key.
    pub(crate) fn clear(&self) {
        *self.0.lock() = None;
    }
}
