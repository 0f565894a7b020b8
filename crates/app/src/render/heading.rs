//! The heading of an item: a few words of plain text, for a line of a list or the subject of a mail.

use std::collections::HashMap;

use tidings_model::{Catalog, Lang, Notification, template, text};
use tidings_replica::{Item, Replica, SourceId};

/// Renders headings, with the catalogs of the sources loaded on first use.
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
    /// Headings for the items of an inbox, in a language.
    pub fn new(replica: &'a Replica, lang: Lang) -> Self {
        Self { replica, catalogs: HashMap::new(), lang }
    }

    /// The heading of an item.
    pub fn heading(&mut self, item: &Item) -> String {
        let replica = self.replica;
        let catalog = self.catalogs.entry(item.source).or_insert_with(|| {
            // A source without a stored catalog uses the shipped one.
            replica.catalog(item.source).ok().flatten().unwrap_or_else(Catalog::shipped)
        });
        heading(&item.notification, self.lang, catalog)
    }
}

/// The heading of a notification: the sender of a message, the title, or the sentence of its action in the catalog.
pub fn heading(n: &Notification, lang: Lang, catalog: &Catalog) -> String {
    text::line(&raw_heading(n, lang, catalog)).into_owned()
}

fn raw_heading(n: &Notification, lang: Lang, catalog: &Catalog) -> String {
    if n.conversation.is_some() {
        return n.actor.name.clone();
    }
    let title = &n.content.title;
    let repeats_target = n.target.as_ref().is_some_and(|target| target.title.as_ref() == Some(title));
    if n.action.is_none() || !(title.is_empty() || repeats_target) {
        return title.clone();
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

#[cfg(test)]
mod tests {
    use tidings_model::{Actor, Target};

    use super::*;

    #[test]
    fn a_title_that_repeats_the_target_gives_way_to_the_sentence() {
        let json = r#"{"msgid": "1", "stamp": "2026-11-20T06:14:00Z", "version": 1, "kind": "reminder",
            "created_at": "2026-11-20T06:14:00Z", "thread": "issue:1", "actor": {"id": "", "name": ""}}"#;
        let mut n: Notification = serde_json::from_str(json).unwrap();
        n.actor = Actor { id: "bo".into(), name: "Bo".into() };
        n.action = Some("mention".into());
        n.target = Some(Target { title: Some("Fix the lid".into()), ..Target::default() });
        let of = |title: &str| {
            let mut n = n.clone();
            n.content.title = title.into();
            heading(&n, Lang::En, &Catalog::shipped())
        };
        assert_eq!(of("Fix the lid"), "Bo mentioned you in Fix the lid");
        assert_eq!((of(""), of("Look")), (of("Fix the lid"), "Look".to_owned()));
    }
}
