//! What an item is about in a few words of plain text, for a line or a subject.

use std::collections::HashMap;

use tidings_model::{Catalog, Lang, Notification, template, text};
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
        let replica = self.replica;
        let catalog = self.catalogs.entry(item.source).or_insert_with(|| {
            // Without its catalog a source reads as a new server would.
            replica.catalog(item.source).ok().flatten().unwrap_or_else(Catalog::shipped)
        });
        heading(&item.notification, self.lang, catalog)
    }
}

/// What a notification is about, in a few words: who writes, its title, or what its action says in the catalog.
pub fn heading(n: &Notification, lang: Lang, catalog: &Catalog) -> String {
    text::line(&as_sent(n, lang, catalog)).into_owned()
}

fn as_sent(n: &Notification, lang: Lang, catalog: &Catalog) -> String {
    if n.conversation.is_some() {
        return n.actor.name.clone();
    }
    if !n.content.title.is_empty() || n.action.is_none() {
        return n.content.title.clone();
    }
    sentence(n, lang, catalog).unwrap_or_else(|| n.actor.name.clone())
}

fn sentence(n: &Notification, lang: Lang, catalog: &Catalog) -> Option<String> {
    let rule = catalog.actions.get(n.action.as_deref()?)?;
    let template = rule.template.get(lang.tag()).or_else(|| rule.template.get(Lang::En.tag()))?;
    let target = n.target.as_ref().map_or("", |t| t.title.as_deref().unwrap_or(&t.id));
    let values = template::Values {
        actors: &[&n.actor.name],
        actor_count: 1,
        target,
        title: &n.content.title,
        data: &n.content.data,
    };
    Some(template::render(lang, template, &values).text())
}
