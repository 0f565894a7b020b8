//! Loads the data that rendering needs besides threads: sources, their catalogs, the names of groups.

use std::collections::HashMap;

use tidings_model::{Catalog, Language};
use tidings_replica::{Replica, Source, SourceId, Thread, ThreadPage};

use super::row::{GroupNames, RenderContext};

/// The sources with their catalogs, and the names of groups.
pub(crate) struct RenderContexts {
    language: Language,
    pub(crate) sources: Vec<Source>,
    catalogs: HashMap<SourceId, Catalog>,
    groups: GroupNames,
    default_from_priority: u8,
}

impl RenderContexts {
    pub(crate) fn load(replica: &Replica, language: &Language) -> tidings_replica::Result<Self> {
        let sources = replica.sources()?;
        let mut catalogs = HashMap::new();
        for source in &sources {
            let catalog = replica.catalog(source.id)?.unwrap_or_else(Catalog::shipped);
            catalogs.insert(source.id, catalog);
        }
        Ok(Self {
            language: language.clone(),
            sources,
            catalogs,
            groups: replica.group_names()?,
            default_from_priority: replica.default_from_priority()?,
        })
    }

    pub(crate) fn of(&self, source: SourceId) -> Option<RenderContext<'_>> {
        let row = self.sources.iter().find(|row| row.id == source)?;
        let catalog = self.catalogs.get(&source)?;
        Some(RenderContext {
            lang: self.language.interface(),
            language: &self.language,
            source: row,
            catalog,
            groups: &self.groups,
            default_from_priority: self.default_from_priority,
        })
    }

    /// Renders a page as rows, each with what a search found in it, with the given terms highlighted. A place that is narrowed
    /// (`in_place`) keeps its order.
    pub(crate) fn page_rows(
        &self,
        page: &ThreadPage,
        highlights: &[String],
        in_place: bool,
    ) -> Vec<crate::ipc::ThreadRow> {
        let row = |thread: &Thread| {
            let ctx = self.of(thread.source)?;
            Some(match page.hits.get(&thread.id) {
                Some(hit) => super::row::found_row(&ctx, thread, hit, highlights, in_place),
                None => super::row::row(&ctx, thread, highlights),
            })
        };
        page.rows.iter().filter_map(row).collect()
    }

    /// Renders threads as rows, with the given terms highlighted. Threads of unknown sources are left out.
    pub(crate) fn rows(&self, threads: &[Thread], highlights: &[String]) -> Vec<crate::ipc::ThreadRow> {
        threads
            .iter()
            .filter_map(|thread| Some(super::row::row(&self.of(thread.source)?, thread, highlights)))
            .collect()
    }
}
