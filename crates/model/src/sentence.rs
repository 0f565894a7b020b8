//! The sentence of a reminder, as rows, the reading pane, toasts, the tray, the terminal and exports have it: who did what
//! to what, and whose that is.
//!
//! A sentence is made here only, by the catalog of the item's source. A placeholder without a value is left out.

use serde_json::{Map, Value};

use crate::template::{self, Values};
use crate::{Catalog, Lang, Language, Piece, Sentence, Target};

/// What happened, of which a sentence is made.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// The actors' names, newest first; the first two are rendered.
    pub actors: &'a [&'a str],
    /// The number of distinct actors; raised to the number of names if it is smaller.
    pub actor_count: usize,
    /// The action's id; empty for none.
    pub action: &'a str,
    /// What the action was done to.
    pub target: Option<&'a Target>,
    /// The notification's title, which stands for a target that there is none of.
    pub title: &'a str,
    /// The notification's data.
    pub data: &'a Map<String, Value>,
}

impl<'a> Event<'a> {
    /// The target's title, else its id; without a target the notification's title.
    pub fn target_name(&self) -> &'a str {
        match self.target {
            Some(target) => target.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&target.id),
            None => self.title,
        }
    }
}

/// The sentence of an event in a catalog, for a reader. `user` is the reader's id at the source: to whom the target
/// belongs reads the action's own sentence. An action that the catalog does not have is named by its id: "Ana: buy ·
/// Rust in 2026".
///
/// ```
/// use tidings_model::{Catalog, Lang, Target, sentence::{Event, sentence}};
///
/// let target =
///     Target { kind: "article".into(), id: "42".into(), owner: Some("me".into()), ..Target::default() };
/// let data = serde_json::Map::new();
/// let event = Event {
///     actors: &["Ana"], actor_count: 1, action: "like", target: Some(&target), title: "", data: &data,
/// };
/// let read = |user| sentence(&Lang::En.into(), &Catalog::shipped(), Some(user), &event).text();
/// assert_eq!(read("me"), "Ana liked your article 42");
/// assert_eq!(read("someone"), "Ana liked 42");
/// ```
pub fn sentence(language: &Language, catalog: &Catalog, user: Option<&str>, event: &Event<'_>) -> Sentence {
    let own = own_template(language, catalog, user, event);
    let template = || language.choose(&catalog.actions.get(event.action)?.template);
    match own.or_else(template) {
        Some((tag, template)) => render(tag, template, event, event.target_name()),
        None => by_id(language.interface(), event),
    }
}

/// The sentence for whom the target belongs to, without the target, for a place that has named it. `None` if the target
/// belongs to somebody else, or if the action has no such sentence.
pub fn own_without_target(
    language: &Language,
    catalog: &Catalog,
    user: Option<&str>,
    event: &Event<'_>,
) -> Option<Sentence> {
    let (tag, template) = own_template(language, catalog, user, event)?;
    Some(render(tag, template, event, ""))
}

fn own_template<'c>(
    language: &Language,
    catalog: &'c Catalog,
    user: Option<&str>,
    event: &Event<'_>,
) -> Option<(&'c str, &'c str)> {
    let rule = catalog.actions.get(event.action)?;
    let owner = event.target?.owner.as_deref().filter(|owner| !owner.is_empty());
    (owner.is_some() && owner == user).then(|| language.choose(&rule.own)).flatten()
}

fn render(tag: &str, template: &str, event: &Event<'_>, target: &str) -> Sentence {
    let values = Values {
        actors: event.actors,
        actor_count: event.actor_count,
        target,
        target_type: event.target.map_or("", |target| &target.kind),
        title: event.title,
        data: event.data,
    };
    // Lists and titles are written as in the template's language; any but Chinese is written as English is.
    template::render(Lang::from_locale(tag), template, &values)
}

/// Who, the action's id, and what, of which any may be missing.
fn by_id(lang: Lang, event: &Event<'_>) -> Sentence {
    let mut pieces = Vec::new();
    let actors = template::actors(lang, event.actors, event.actor_count);
    if !actors.is_empty() {
        pieces.push(Piece::Actors(actors));
    }
    for (gap, piece) in [
        (" · ", Piece::Text(event.action.to_owned())),
        (" · ", Piece::Target(event.target_name().to_owned())),
    ] {
        if piece.text().is_empty() {
            continue;
        }
        match pieces.last() {
            Some(Piece::Actors(_)) => pieces.push(Piece::Text(": ".to_owned())),
            Some(_) => pieces.push(Piece::Text(gap.to_owned())),
            None => {}
        }
        pieces.push(piece);
    }
    Sentence(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(owner: &str) -> Target {
        Target {
            kind: "article".into(),
            id: "42".into(),
            title: Some("Rust in 2026".into()),
            owner: Some(owner.into()),
            ..Target::default()
        }
    }

    fn read(lang: Lang, user: Option<&str>, event: &Event<'_>) -> String {
        sentence(&lang.into(), &Catalog::shipped(), user, event).text()
    }

    fn event<'a>(
        actors: &'a [&'a str],
        action: &'a str,
        target: Option<&'a Target>,
        data: &'a Map<String, Value>,
    ) -> Event<'a> {
        Event { actors, actor_count: actors.len(), action, target, title: "", data }
    }

    #[test]
    fn whom_the_target_belongs_to_reads_that_it_is_theirs_in_both_languages() {
        let (mine, user, data) = (article("me"), Target { kind: "user".into(), ..article("me") }, Map::new());
        for (action, en, zh) in [
            ("create", "Bo created Rust in 2026", "Bo 创建了“Rust in 2026”"),
            ("comment", "Bo commented on your article Rust in 2026", "Bo 评论了你的文章“Rust in 2026”"),
            ("reply", "Bo replied to your article Rust in 2026", "Bo 回复了你的文章“Rust in 2026”"),
            ("like", "Bo liked your article Rust in 2026", "Bo 喜欢了你的文章“Rust in 2026”"),
            ("hate", "Bo disliked your article Rust in 2026", "Bo 踩了你的文章“Rust in 2026”"),
            ("vote", "Bo voted for your article Rust in 2026", "Bo 投票给了你的文章“Rust in 2026”"),
            ("update", "Bo updated your article Rust in 2026", "Bo 更新了你的文章“Rust in 2026”"),
            (
                "mention",
                "Bo mentioned you in your article Rust in 2026",
                "Bo 在你的文章“Rust in 2026”中提到了你",
            ),
            ("share", "Bo shared your article Rust in 2026", "Bo 分享了你的文章“Rust in 2026”"),
            ("assign", "Bo assigned you Rust in 2026", "Bo 把“Rust in 2026”分配给了你"),
            ("publish", "Bo published your article Rust in 2026", "Bo 发布了你的文章“Rust in 2026”"),
        ] {
            let event = event(&["Bo"], action, Some(&mine), &data);
            assert_eq!(read(Lang::En, Some("me"), &event), en);
            assert_eq!(read(Lang::ZhCn, Some("me"), &event), zh);
        }
        let followed = event(&["Cy"], "follow", Some(&user), &data);
        assert_eq!(read(Lang::En, Some("me"), &followed), "Cy followed you");
        assert_eq!(read(Lang::ZhCn, Some("me"), &followed), "Cy 关注了你");
    }

    #[test]
    fn several_who_did_it_are_told_as_one_sentence() {
        let (mine, data) = (article("me"), Map::new());
        let event = Event { actor_count: 5, ..event(&["Ana", "Bo"], "comment", Some(&mine), &data) };
        let en = "Ana, Bo and 3 others commented on your article Rust in 2026";
        assert_eq!(read(Lang::En, Some("me"), &event), en);
        assert_eq!(read(Lang::ZhCn, Some("me"), &event), "Ana、Bo等 5 人评论了你的文章“Rust in 2026”");
        let seen = own_without_target(&Lang::En.into(), &Catalog::shipped(), Some("me"), &event).unwrap();
        assert_eq!(seen.text(), "Ana, Bo and 3 others commented on your article");
    }

    #[test]
    fn what_belongs_to_others_or_to_nobody_is_not_the_reader_s() {
        let data = Map::new();
        for (owner, user) in [("bob", Some("me")), ("me", None), ("", Some(""))] {
            let target = article(owner);
            let event = event(&["Bo"], "comment", Some(&target), &data);
            assert_eq!(read(Lang::En, user, &event), "Bo commented on Rust in 2026", "{owner} {user:?}");
        }
    }

    #[test]
    fn a_missing_action_or_value_never_swallows_who_or_what() {
        let (theirs, data) = (article("bob"), Map::new());
        let untitled = Target { title: Some(String::new()), ..article("bob") };
        for (actors, action, target, expected) in [
            (&["Bo"][..], "buy", Some(&theirs), "Bo: buy · Rust in 2026"),
            (&["Bo", "Cy"], "buy", Some(&theirs), "Bo and Cy: buy · Rust in 2026"),
            (&["Bo"], "buy", Some(&untitled), "Bo: buy · 42"),
            (&["Bo"], "", Some(&theirs), "Bo: Rust in 2026"),
            (&["Bo"], "buy", None, "Bo: buy"),
            (&["Bo"], "", None, "Bo"),
            (&[], "buy", Some(&theirs), "buy · Rust in 2026"),
            (&["Bo"], "like", None, "Bo liked"),
            (&["Bo"], "like", Some(&untitled), "Bo liked 42"),
            (&[], "like", Some(&theirs), "liked Rust in 2026"),
        ] {
            let event = event(actors, action, target, &data);
            assert_eq!(read(Lang::En, Some("me"), &event), expected);
        }
        let unknown = event(&["林晓"], "buy", Some(&theirs), &data);
        assert_eq!(read(Lang::ZhCn, None, &unknown), "林晓: buy · Rust in 2026");
        let parts = sentence(&Lang::En.into(), &Catalog::shipped(), None, &unknown).without_actors();
        assert_eq!(parts.iter().map(Piece::text).collect::<String>(), "buy · Rust in 2026");
    }

    #[test]
    fn a_sentence_of_another_language_keeps_its_own_punctuation() {
        let mut catalog = Catalog::shipped();
        let rule = catalog.actions.get_mut("like").unwrap();
        rule.template = [("de".to_owned(), "{actors} gefällt {target} sehr".to_owned())].into();
        rule.own = [("de".to_owned(), "{actors} gefällt dein {target}".to_owned())].into();
        let (theirs, data) = (article("bob"), Map::new());
        let event = event(&["Bo"], "like", Some(&theirs), &data);
        for language in [Language::from_locale("de_DE.UTF-8"), Lang::ZhCn.into()] {
            assert_eq!(sentence(&language, &catalog, None, &event).text(), "Bo gefällt Rust in 2026 sehr");
            assert_eq!(
                sentence(&language, &catalog, Some("bob"), &event).text(),
                "Bo gefällt dein Rust in 2026"
            );
        }
    }

    #[test]
    fn the_title_stands_for_a_target_that_there_is_none_of() {
        let data = Map::new();
        let titled = Event { title: "Night build", ..event(&["CI"], "buy", None, &data) };
        assert_eq!(read(Lang::En, None, &titled), "CI: buy · Night build");
        assert_eq!(read(Lang::En, None, &Event { action: "like", ..titled }), "CI liked Night build");
        let theirs = article("bob");
        let with_target = event(&["Bo"], "comment", Some(&theirs), &data);
        assert_eq!(own_without_target(&Lang::En.into(), &Catalog::shipped(), Some("me"), &with_target), None);
    }
}
