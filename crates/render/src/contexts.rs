//! Loads the data that rendering needs besides threads: sources, their catalogs, the names of groups.

use std::collections::HashMap;

use tidings_ipc::ThreadRow;
use tidings_model::{Catalog, Language};
use tidings_replica::{Mute, Replica, Source, SourceId, Thread, ThreadId, ThreadPage};

use crate::context::{GroupNames, RenderContext};

/// The sources with their catalogs, and the names of groups.
pub struct RenderContexts {
    language: Language,
    /// All sources of the inbox.
    pub sources: Vec<Source>,
    catalogs: HashMap<SourceId, Catalog>,
    groups: GroupNames,
    mutes: Vec<Mute>,
    default_from_priority: u8,
}

impl RenderContexts {
    /// Reads them; `language` is that of sentences and texts.
    pub fn load(replica: &Replica, language: &Language) -> tidings_replica::Result<Self> {
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
            mutes: replica.mutes()?,
            default_from_priority: replica.default_from_priority()?,
        })
    }

    /// What rendering the threads and items of a source needs; `None` for an unknown source.
    pub fn of(&self, source: SourceId) -> Option<RenderContext<'_>> {
        let row = self.sources.iter().find(|row| row.id == source)?;
        let catalog = self.catalogs.get(&source)?;
        Some(RenderContext {
            lang: self.language.interface(),
            language: &self.language,
            source: row,
            catalog,
            groups: &self.groups,
            mutes: &self.mutes,
            default_from_priority: self.default_from_priority,
        })
    }

    /// Renders a page as rows, each with what a search found in it, with the given terms highlighted. A place that is narrowed
    /// (`in_place`) keeps its order.
    pub fn page_rows(&self, page: &ThreadPage, highlights: &[String], in_place: bool) -> Vec<ThreadRow> {
        let row = |thread: &Thread| {
            let ctx = self.of(thread.source)?;
            Some(match page.hits.get(&thread.id) {
                Some(hit) => super::row::found_row(&ctx, thread, hit, highlights, in_place),
                None => super::row::row(&ctx, thread, highlights),
            })
        };
        page.rows.iter().filter_map(row).collect()
    }

    /// Renders threads as rows for any list that may be shown: of those that are archived in part with the row in Done.
    pub fn changed_rows(
        &self,
        replica: &Replica,
        ids: &[ThreadId],
    ) -> tidings_replica::Result<Vec<ThreadRow>> {
        let mut rows = self.rows(&replica.threads_by_id(ids)?, &[]);
        let done = self.rows(&replica.archived_in_part(ids)?, &[]);
        let mut done: HashMap<ThreadId, ThreadRow> = done.into_iter().map(|row| (row.id, row)).collect();
        for row in &mut rows {
            row.done = done.remove(&row.id).map(Box::new);
        }
        Ok(rows)
    }

    /// Renders threads as rows, with the given terms highlighted. Threads of unknown sources are left out.
    pub fn rows(&self, threads: &[Thread], highlights: &[String]) -> Vec<ThreadRow> {
        threads
            .iter()
            .filter_map(|thread| Some(super::row::row(&self.of(thread.source)?, thread, highlights)))
            .collect()
    }
}
