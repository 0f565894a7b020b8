//! The file of another program that was read last.

use parking_lot::Mutex;
use tidings_sources::imports::ImportedSource;

/// The file that was read last, with its tokens.
#[derive(Default)]
pub(crate) struct LastImport(Mutex<ImportState>);

#[derive(Default)]
struct ImportState {
    /// Its number; counted up, so that a line of an earlier file is never taken for one of this.
    id: u32,
    sources: Vec<ImportedSource>,
}

impl LastImport {
    pub(crate) fn keep(&self, sources: Vec<ImportedSource>) -> u32 {
        let mut state = self.0.lock();
        state.id = state.id.wrapping_add(1);
        state.sources = sources;
        state.id
    }

    pub(crate) fn line(&self, id: u32, line: usize) -> Option<ImportedSource> {
        let state = self.0.lock();
        state.sources.get(line).filter(|_| state.id == id).cloned()
    }

    pub(crate) fn end(&self, id: u32) {
        let mut state = self.0.lock();
        if state.id == id {
            state.sources = Vec::new();
        }
    }
}
