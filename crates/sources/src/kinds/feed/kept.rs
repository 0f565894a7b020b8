//! The document that a pull keeps from page to page.

use std::time::Duration;

use parking_lot::Mutex;
use serde_json::value::RawValue;
use url::Url;

use super::document::Parsed;
use crate::service::{Room, Validators};

/// A document with what its answer said of it.
pub(super) struct Document {
    pub(super) at: Url,
    pub(super) validators: Validators,
    pub(super) wait: Option<Duration>,
    pub(super) bytes: usize,
    pub(super) parsed: Parsed<Box<RawValue>>,
    /// Shared with the pages of its entries.
    pub(super) room: Option<Room>,
}

/// The document, from its request until all its entries were returned or the pull ended. The room of a large one is not
/// kept from other sources for longer.
#[derive(Default)]
pub(super) struct KeptDocument(Mutex<DocumentState>);

#[derive(Default)]
struct DocumentState {
    document: Option<Document>,
    /// The number of pulls that have ended.
    ended: u64,
}

impl KeptDocument {
    /// The number of pulls that have ended.
    pub(super) fn ended(&self) -> u64 {
        self.0.lock().ended
    }

    /// Keeps a document, unless a pull ended since `ended` was read: a page that was under way is for nobody then.
    pub(super) fn keep(&self, document: Document, ended: u64) {
        let mut state = self.0.lock();
        if state.ended == ended {
            state.document = Some(document);
        }
    }

    pub(super) fn take(&self) -> Option<Document> {
        self.0.lock().document.take()
    }

    /// Something of the document that is kept.
    pub(super) fn of<T>(&self, read: impl FnOnce(&Document) -> T) -> Option<T> {
        self.0.lock().document.as_ref().map(read)
    }

    pub(super) fn end_pull(&self) {
        let mut state = self.0.lock();
        state.document = None;
        state.ended += 1;
    }
}
