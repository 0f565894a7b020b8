//! The room for large answers.

use std::sync::Arc;

use tokio::sync::{Semaphore, SemaphorePermit};

/// The room for large answers, one at a time, so that many sources with large answers at once take no more memory than
/// one. A request that waits for it keeps no answer.
static ROOM: Semaphore = Semaphore::const_new(1);

/// The room for a large answer and what it becomes, until all who hold it have dropped it.
#[derive(Debug, Clone)]
pub struct Room(Arc<SemaphorePermit<'static>>);

impl PartialEq for Room {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The room if nobody holds it.
pub(super) fn if_free() -> Option<Room> {
    ROOM.try_acquire().ok().map(|permit| Room(Arc::new(permit)))
}

/// Waits for the room for a large answer.
pub(crate) async fn room() -> Option<Room> {
    // It is never closed.
    ROOM.acquire().await.ok().map(|permit| Room(Arc::new(permit)))
}
