//! What an item is about in a few words, for a line or a subject. Refuses markup.

use std::collections::HashMap;

use tidings_model::{Catalog, Lang, Notification, template};
use tidings_replica::{Item, Replica, SourceId};

/// Knows how each source's actions read.
pub struct Headings<'a> {
    replica: &'a Replica,
    catalogs: HashMap<SourceId, Catalog>,
    lang: Lang,
}

impl std::fmt::Debug for Headings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Headings").field("lang", &self.lang).finish_non_exhaustive()
    }
}

impl<'a> Headings<'a> {
    /// Of an inbox, in a language.
    pub fn new(replica: &'a Replica, lang: Lang) -> Self {
        Self { replica, catalogs: HashMap::new(), lang }
    }

    /// What it is about, in a few words.
    pub fn heading(&mut self, item: &Item) -> String {
        let n = &item.notification;
        if n.conversation.is_some() {
            return n.actor.name.clone();
        }
        if !n.title.is_empty() || n.action.is_none() {
            return n.title.clone();
        }
        self.sentence(item.source, n).unwrap_or_else(|| n.actor.name.clone())
    }

    fn sentence(&mut self, source: SourceId, n: &Notification) -> Option<String> {
        let replica = self.replica;
        let catalog = self.catalogs.entry(source).or_insert_with(|| {
            // Without its catalog a source reads as a new server would.
            replica.catalog(source).ok().flatten().unwrap_or_else(Catalog::shipped)
        });
        let rule = catalog.actions.get(n.action.as_deref()?)?;
        let template = rule.template.get(self.lang.tag()).or_else(|| rule.template.get(Lang::En.tag()))?;
        let target = n.target.as_ref().map_or("", |t| t.title.as_deref().unwrap_or(&t.id));
        let values = template::Values {
            actors: &[&n.actor.name],
            actor_count: 1,
            target,
            title: &n.title,
            data: &n.data,
        };
        Some(template::render(self.lang, template, &values).text())
    }
}
