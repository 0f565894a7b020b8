//! The sign-in with the browser that goes on.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_replica::SourceId;
use tidings_sources::Protocol;
use tidings_sync::sign_in::Started;
use tidings_sync::tokens::Grant;
use tokio::sync::Notify;

/// The sign-in that goes on, or was granted and not used yet.
#[derive(Default)]
pub(crate) struct CurrentSignIn(Mutex<Slot>);

#[derive(Default)]
struct Slot {
    /// The id of the last one.
    last: u64,
    current: Option<Current>,
}

struct Current {
    id: u64,
    /// The source that is signed in to again; `None` for a new one.
    source: Option<SourceId>,
    cancelled: Arc<Notify>,
    state: SignInState,
}

enum SignInState {
    /// The page shows what the reader has to do.
    Started(Box<Started>, &'static Protocol),
    /// The reader is waited for.
    Finishing,
    /// The token of a new source waits for it to be added.
    Granted(Granted),
}

/// The token of a source that is to be added, and the address that it is for.
#[derive(Clone)]
pub(crate) struct Granted {
    pub(crate) protocol: &'static Protocol,
    pub(crate) url: String,
    pub(crate) grant: Grant,
}

impl CurrentSignIn {
    /// Puts a sign-in in place of the earlier one, which ends.
    pub(crate) fn replace(
        &self,
        source: Option<SourceId>,
        started: Started,
        known: &'static Protocol,
    ) -> u64 {
        self.cancel(None);
        let mut slot = self.0.lock();
        slot.last += 1;
        let id = slot.last;
        let state = SignInState::Started(Box::new(started), known);
        slot.current = Some(Current { id, source, cancelled: Arc::default(), state });
        id
    }

    /// Ends the sign-in with this id, or any.
    pub(crate) fn cancel(&self, id: Option<u64>) {
        let mut slot = self.0.lock();
        if let Some(current) = slot.current.take_if(|current| id.is_none_or(|id| id == current.id)) {
            // It is kept for a waiter that has not begun to wait.
            current.cancelled.notify_one();
        }
    }

    /// Takes a sign-in that was begun, to finish it.
    pub(crate) fn take(
        &self,
        id: u64,
    ) -> Option<(Started, &'static Protocol, Option<SourceId>, Arc<Notify>)> {
        let mut slot = self.0.lock();
        let current = slot.current.as_mut().filter(|current| current.id == id)?;
        match std::mem::replace(&mut current.state, SignInState::Finishing) {
            SignInState::Started(started, known) => {
                Some((*started, known, current.source, current.cancelled.clone()))
            }
            other => {
                current.state = other;
                None
            }
        }
    }

    pub(crate) fn set_granted(&self, id: u64, granted: Granted) {
        let mut slot = self.0.lock();
        if let Some(current) = slot.current.as_mut().filter(|current| current.id == id) {
            current.state = SignInState::Granted(granted);
        }
    }

    /// Whether the reader is waited for.
    #[cfg(test)]
    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        let slot = self.0.lock();
        slot.current
            .as_ref()
            .is_some_and(|current| current.id == id && matches!(current.state, SignInState::Finishing))
    }

    /// The token of the sign-in with this id, if it was granted.
    pub(crate) fn granted(&self, id: u64) -> Option<Granted> {
        let slot = self.0.lock();
        match &slot.current.as_ref().filter(|current| current.id == id)?.state {
            SignInState::Granted(granted) => Some(granted.clone()),
            _ => None,
        }
    }
}
