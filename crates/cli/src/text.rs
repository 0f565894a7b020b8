//! A notification as one line of a terminal. Refuses markup and control characters.

use std::collections::HashMap;

use tidings_app::render::plain;
use tidings_model::{Catalog, Lang, Notification, template};
use tidings_replica::{Item, Replica, SourceId};

use crate::output::clean;

/// Characters of a body that a line shows.
const BODY: usize = 100;

/// Knows how each source's actions read.
pub(crate) struct Speaker<'a> {
    replica: &'a Replica,
    catalogs: HashMap<SourceId, Catalog>,
    lang: Lang,
}

impl<'a> Speaker<'a> {
    pub(crate) fn new(replica: &'a Replica) -> Self {
        Self { replica, catalogs: HashMap::new(), lang: lang() }
    }

    /// `● 2026-11-20 06:14  Bob commented on “Rust in 2026”: Nice work  [msgid]`
    pub(crate) fn line(&mut self, item: &Item) -> String {
        let n = &item.notification;
        let dot = if item.unread { '●' } else { ' ' };
        let when = n.created_at.to_datetime().with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
        let heading = self.heading(item);
        let body = plain::line(&n.body, n.format, BODY);
        let gap = if heading.is_empty() || body.is_empty() { "" } else { ": " };
        clean(&format!("{dot} {when}  {heading}{gap}{body}  [{}]", n.msgid))
    }

    /// What it is about, in a few words.
    pub(crate) fn heading(&mut self, item: &Item) -> String {
        let replica = self.replica;
        let catalog = self.catalogs.entry(item.source).or_insert_with(|| {
            // Without its catalog a source reads as a new server would.
            replica.catalog(item.source).ok().flatten().unwrap_or_else(Catalog::shipped)
        });
        heading(&item.notification, self.lang, catalog)
    }
}

/// The language of the terminal.
pub(crate) fn lang() -> Lang {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    Lang::from_locale(&locale.unwrap_or_default())
}

/// What a notification is about, in a few words: who writes, its title, or what its action says in the catalog.
pub(crate) fn heading(n: &Notification, lang: Lang, catalog: &Catalog) -> String {
    if n.conversation.is_some() {
        return n.actor.name.clone();
    }
    if !n.title.is_empty() || n.action.is_none() {
        return n.title.clone();
    }
    sentence(n, lang, catalog).unwrap_or_else(|| n.actor.name.clone())
}

fn sentence(n: &Notification, lang: Lang, catalog: &Catalog) -> Option<String> {
    let rule = catalog.actions.get(n.action.as_deref()?)?;
    let template = rule.template.get(lang.tag()).or_else(|| rule.template.get(Lang::En.tag()))?;
    let target = n.target.as_ref().map_or("", |t| t.title.as_deref().unwrap_or(&t.id));
    let values =
        template::Values { actors: &[&n.actor.name], actor_count: 1, target, title: &n.title, data: &n.data };
    Some(template::render(lang, template, &values).text())
}
