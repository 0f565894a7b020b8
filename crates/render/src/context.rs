//! The data that rendering needs besides a thread.

use std::collections::HashMap;

use tidings_model::{Catalog, Lang, Language};
use tidings_replica::{Mute, Source, SourceId};

/// The data that rendering a thread needs besides the thread.
#[derive(Debug, Clone, Copy)]
pub struct RenderContext<'a> {
    /// The language of the interface.
    pub lang: Lang,
    /// The reader's language, in which sentences of the catalog are.
    pub language: &'a Language,
    /// The thread's source.
    pub source: &'a Source,
    /// The source's catalog.
    pub catalog: &'a Catalog,
    /// The names of groups, by source and group id.
    pub groups: &'a GroupNames,
    /// The sources and origins that are muted.
    pub mutes: &'a [Mute],
    /// The least priority that counts on the badge, if neither thread nor source sets one.
    pub default_from_priority: u8,
}

/// The names of groups, by source and group id.
pub type GroupNames = HashMap<(SourceId, String), String>;
