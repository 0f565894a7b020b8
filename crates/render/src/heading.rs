//! The heading of an item: a few words of plain text, for a line of a list or the subject of a mail.

use std::collections::HashMap;

use tidings_model::sentence::{self, Event};
use tidings_model::{Catalog, Language, Notification, text};
use tidings_replica::{Item, Replica, SourceId};

use crate::row::{is_entry, is_publication, name};

/// Renders headings and sentences, with the catalog of each source and its user loaded on first use.
pub struct Headings<'a> {
    replica: &'a Replica,
    sources: HashMap<SourceId, (Catalog, Option<String>)>,
    language: Language,
}

impl std::fmt::Debug for Headings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Headings").field("language", &self.language).finish_non_exhaustive()
    }
}

impl<'a> Headings<'a> {
    /// Headings for the items of an inbox, in a language.
    pub fn new(replica: &'a Replica, language: Language) -> Self {
        Self { replica, sources: HashMap::new(), language }
    }

    /// The heading of an item.
    pub fn heading(&mut self, item: &Item) -> String {
        self.with(item, heading)
    }

    /// The sentence of an item; see [`sentence`].
    pub fn sentence(&mut self, item: &Item) -> String {
        self.with(item, sentence)
    }

    fn with(
        &mut self,
        item: &Item,
        render: fn(&Notification, &Language, &Catalog, Option<&str>) -> String,
    ) -> String {
        let replica = self.replica;
        let (catalog, user) = self.sources.entry(item.source).or_insert_with(|| {
            // A source without a stored catalog uses the shipped one.
            let catalog = replica.catalog(item.source).ok().flatten().unwrap_or_else(Catalog::shipped);
            (catalog, replica.source(item.source).ok().and_then(|source| source.user))
        });
        render(&item.notification, &self.language, catalog, user.as_deref())
    }
}

/// The heading of a notification: the sender of a message, the title, or the sentence of its action in the catalog. `user`
/// is the reader's id at the source.
pub fn heading(n: &Notification, language: &Language, catalog: &Catalog, user: Option<&str>) -> String {
    text::line(&raw_heading(n, language, catalog, user)).into_owned()
}

fn raw_heading(n: &Notification, language: &Language, catalog: &Catalog, user: Option<&str>) -> String {
    if n.conversation.is_some() {
        return name(&n.actor).to_owned();
    }
    let title = &n.content.title;
    let repeats_target = n.target.as_ref().is_some_and(|target| target.title.as_ref() == Some(title));
    if is_entry(n.target.as_ref()) {
        let of_target = n.target.as_ref().and_then(|target| target.title.clone());
        return Some(title.clone()).filter(|title| !title.is_empty()).or(of_target).unwrap_or_default();
    }
    if n.action.is_none() || !(title.is_empty() || repeats_target) {
        return title.clone();
    }
    raw_sentence(n, language, catalog, user)
}

/// The sentence of a notification, who did what to what; empty for a message, an announcement, a publication on a topic and an
/// entry of a feed.
pub fn sentence(n: &Notification, language: &Language, catalog: &Catalog, user: Option<&str>) -> String {
    let target = n.target.as_ref();
    let told = n.action.is_some() && n.conversation.is_none() && !is_publication(target) && !is_entry(target);
    if told { text::line(&raw_sentence(n, language, catalog, user)).into_owned() } else { String::new() }
}

fn raw_sentence(n: &Notification, language: &Language, catalog: &Catalog, user: Option<&str>) -> String {
    let event = Event {
        actors: &[name(&n.actor)],
        actor_count: 1,
        action: n.action.as_deref().unwrap_or_default(),
        target: n.target.as_ref(),
        title: &n.content.title,
        data: &n.content.data,
    };
    sentence::sentence(language, catalog, user, &event).text()
}

#[cfg(test)]
mod tests {
    use tidings_model::{Actor, Lang, Target};

    use super::*;

    fn mention(title: &str) -> Notification {
        let json = r#"{"msgid": "1", "stamp": "2026-11-20T06:14:00Z", "version": 1, "kind": "reminder",
            "created_at": "2026-11-20T06:14:00Z", "thread": "issue:1", "actor": {"id": "", "name": ""}}"#;
        let mut n: Notification = serde_json::from_str(json).unwrap();
        n.actor = Actor { id: "bo".into(), name: "Bo".into() };
        n.action = Some("mention".into());
        n.target =
            Some(Target { kind: "issue".into(), title: Some("Fix the lid".into()), ..Target::default() });
        n.content.title = title.into();
        n
    }

    fn read(n: &Notification, lang: Lang) -> String {
        heading(n, &lang.into(), &Catalog::shipped(), Some("me"))
    }

    #[test]
    fn a_title_that_repeats_the_target_gives_way_to_the_sentence() {
        let of = |title: &str| read(&mention(title), Lang::En);
        assert_eq!(of("Fix the lid"), "Bo mentioned you in Fix the lid");
        assert_eq!((of(""), of("Look")), (of("Fix the lid"), "Look".to_owned()));
    }

    #[test]
    fn what_belongs_to_the_reader_is_said_to_and_an_unknown_action_swallows_neither_who_nor_what() {
        let mut n = mention("");
        n.target.as_mut().unwrap().owner = Some("me".into());
        assert_eq!(read(&n, Lang::En), "Bo mentioned you in your issue Fix the lid");
        assert_eq!(read(&n, Lang::ZhCn), "Bo 在你的议题“Fix the lid”中提到了你");
        n.action = Some("triage".into());
        n.actor.name = String::new();
        assert_eq!(read(&n, Lang::En), "bo: triage · Fix the lid");
        n.content.title = "Look".into();
        let (language, catalog) = (Language::from(Lang::En), Catalog::shipped());
        assert_eq!(sentence(&n, &language, &catalog, None), "bo: triage · Fix the lid");
        n.conversation = Some("user:bo".into());
        assert_eq!(sentence(&n, &language, &catalog, None), "");
    }
}
