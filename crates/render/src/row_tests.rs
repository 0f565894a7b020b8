//! Tests of the rows of a list, in both languages.

use serde_json::Map;
use tidings_ipc::{Avatar, Span};
use tidings_model::{Catalog, Format, Lang, Stamp, Target};

use super::super::context::GroupNames;
use super::*;

fn source() -> Source {
    Source {
        id: 1,
        name: "Work".into(),
        protocol: "tidings".into(),
        url: "https://work.example".into(),
        user: Some("me".into()),
        complete: true,
        ..Source::default()
    }
}

fn actor(id: &str, name: &str) -> Actor {
    Actor { id: id.into(), name: name.into() }
}

fn thread(kind: Kind, actors: &[Actor], count: u64, preview: ThreadPreview) -> Thread {
    Thread {
        id: 7,
        source: 1,
        key: "k".into(),
        kind,
        actors: actors.to_vec(),
        actor_count: count,
        preview,
        last_at: Stamp::from_millis(1_000),
        woken_at: None,
        total: 3,
        unread: 2,
        unseen: 1,
        priority: 3,
        unread_priority: 3,
        pinned: false,
        muted: false,
        muted_until: None,
        muted_with_origin: false,
        archived_in_part: false,
        archived: false,
        snoozed_until: None,
        pending: false,
        draft: String::new(),
        notify: tidings_replica::NotifySettings::default(),
        question: None,
        subscription: None,
    }
}

/// A thread whose newest question is in another item than the newest one.
fn asked(question: &serde_json::Value) -> Thread {
    let preview = ThreadPreview {
        msgid: "m2".into(),
        target: Some(Target { kind: "topic".into(), id: "ci".into(), ..Target::default() }),
        title: "Build 4813 is green".into(),
        url: Some("https://ci.example/4813".into()),
        icon: Some("https://ci.example/green.png".into()),
        ..ThreadPreview::default()
    };
    let asked = serde_json::json!({"msgid": "m1", "actor": actor("ci", "ci"), "own": false, "title": "Deploy 4812?",
        "body": "", "format": "plain", "url": "https://ci.example/4812", "icon": "https://ci.example/ask.png",
        "tags": ["rotating_light"], "action": "publish", "target": {"type": "topic", "id": "ci"}, "data": {},
        "question": question, "at": 900_000, "priority": 5, "archived": false});
    let thread = thread(Kind::Reminder, &[actor("ci", "ci")], 1, preview);
    Thread { question: Some(serde_json::from_value(asked).unwrap()), ..thread }
}

#[test]
fn a_row_shows_the_item_that_asks_and_what_became_of_it_until_something_else_comes() {
    let answers =
        serde_json::json!([{"id": "approve", "label": "Appr\u{202e}ove"}, {"id": "deny", "label": "Deny"}]);
    let row = rendered(Lang::En, &asked(&serde_json::json!({"answers": answers})));
    let question = row.question.clone().unwrap();
    let labels: Vec<_> = question.answers.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!((&*question.msgid, labels, question.outcome), ("m1", vec!["Approve", "Deny"], None));
    assert_eq!(
        (row.what[0].text.as_str(), row.sentence.as_str()),
        ("🚨 Deploy 4812?", "ci: 🚨 Deploy 4812?")
    );
    assert_eq!(link_and_icon(&row), ("https://ci.example/4812", "https://ci.example/ask.png"));
    assert_eq!((row.shown_at, row.time, row.priority), (Some(900), 1_000, 5), "all is of the item that asks");

    let answer = serde_json::json!({"id": "deny", "text": null, "by": "me", "at": Stamp::from_millis(1_000)});
    let closed = asked(&serde_json::json!({"answers": answers, "state": "answered", "answer": answer}));
    let row = rendered(Lang::ZhCn, &closed);
    let question = row.question.unwrap();
    assert_eq!((question.answers, question.outcome.as_deref()), (vec![], Some("你回答了“Deny”")));
    assert_eq!(row.what[0].text, "🚨 Deploy 4812?");
    let row = rendered(Lang::En, &Thread { last_at: Stamp::from_millis(1_001), ..closed });
    assert_eq!(link_and_icon(&row), ("https://ci.example/4813", "https://ci.example/green.png"));
    assert_eq!((row.what[0].text.as_str(), row.question), ("Build 4813 is green", None));
}

fn link_and_icon(row: &ThreadRow) -> (&str, &str) {
    let link = row.link.as_ref().map(|link| link.url.as_str());
    (link.unwrap_or_default(), row.icon.as_deref().unwrap_or_default())
}

fn rendered(lang: Lang, thread: &Thread) -> ThreadRow {
    let catalog = Catalog::shipped();
    let groups = GroupNames::from([((1, "crew".to_owned()), "Release crew".to_owned())]);
    row(
        &RenderContext {
            lang,
            language: &lang.into(),
            source: &source(),
            catalog: &catalog,
            groups: &groups,
            mutes: &[],
            default_from_priority: 3,
        },
        thread,
        &[],
    )
}

fn text(row: &ThreadRow) -> String {
    row.what.iter().map(|s| if s.strong { format!("*{}*", s.text) } else { s.text.clone() }).collect()
}

fn article() -> ThreadPreview {
    ThreadPreview {
        action: Some("comment".into()),
        target: Some(Target {
            kind: "article".into(),
            id: "42".into(),
            title: Some("Rust in 2026".into()),
            ..Target::default()
        }),
        body: "Agreed.\nI would keep it".into(),
        ..ThreadPreview::default()
    }
}

#[test]
fn several_people_have_the_first_words_of_their_names_if_they_differ() {
    let row = |lang, names: [&str; 2], count| {
        let people = [actor("a", names[0]), actor("b", names[1])];
        rendered(lang, &thread(Kind::Reminder, &people, count, article()))
    };
    let several = row(Lang::En, ["Ana Ruiz", "Bo Kessler"], 5);
    assert_eq!((several.who.as_str(), several.who_short.as_str()), ("Ana, Bo and 3 others", "Ana, Bo +3"));
    assert_eq!(several.sentence, "Ana Ruiz, Bo Kessler and 3 others commented on Rust in 2026");
    let namesakes = row(Lang::En, ["Ana Ruiz", "Ana Lee"], 2);
    assert_eq!(namesakes.who, "Ana Ruiz and Ana Lee");
    assert_eq!(namesakes.who_short, "Ana Ruiz, Ana Lee");
    assert_eq!(row(Lang::ZhCn, ["林晓", "陈博"], 5).who, "林晓、陈博等 5 人", "without a space all of it");
    let alone = rendered(Lang::En, &thread(Kind::Reminder, &[actor("ana", "Ana Ruiz")], 1, article()));
    assert_eq!((alone.who.as_str(), alone.who_short.as_str()), ("Ana Ruiz", "Ana Ruiz"));
}

#[test]
fn several_people_on_one_article() {
    let people = [actor("ana", "Ana"), actor("bo", "Bo"), actor("cy", "Cy")];
    let row = rendered(Lang::En, &thread(Kind::Reminder, &people, 5, article()));
    assert_eq!(row.who, "Ana, Bo and 3 others");
    assert_eq!(row.who_short, "Ana, Bo +3");
    assert_eq!(text(&row), "commented on *Rust in 2026*");
    assert_eq!(row.snippet, "Agreed. I would keep it");
    assert_eq!(row.sentence, "Ana, Bo and 3 others commented on Rust in 2026");
    assert!(matches!(row.avatar, Avatar::Stack { .. }));
    let people = [actor("lin", "林晓"), actor("chen", "陈博")];
    let row = rendered(Lang::ZhCn, &thread(Kind::Reminder, &people, 5, article()));
    assert_eq!(row.who, "林晓、陈博等 5 人");
    assert_eq!(text(&row), "评论了“*Rust in 2026*”");
}

#[test]
fn several_people_on_one_s_own_article() {
    let mut mine = article();
    mine.target.as_mut().unwrap().owner = Some("me".into());
    let people = [actor("ana", "Ana"), actor("bo", "Bo"), actor("cy", "Cy")];
    let row = rendered(Lang::En, &thread(Kind::Reminder, &people, 5, mine.clone()));
    assert_eq!(text(&row), "commented on your article *Rust in 2026*");
    assert_eq!(row.sentence, "Ana, Bo and 3 others commented on your article Rust in 2026");
    let people = [actor("lin", "林晓"), actor("chen", "陈博")];
    let row = rendered(Lang::ZhCn, &thread(Kind::Reminder, &people, 5, mine));
    assert_eq!(text(&row), "评论了你的文章“*Rust in 2026*”");
    assert_eq!(row.sentence, "林晓、陈博等 5 人评论了你的文章“Rust in 2026”");
}

#[test]
fn an_action_that_the_catalog_lacks_swallows_neither_who_nor_what() {
    let bought = ThreadPreview { action: Some("buy".into()), ..article() };
    let row = rendered(Lang::En, &thread(Kind::Reminder, &[actor("ana", "Ana")], 1, bought));
    assert_eq!((row.who.as_str(), text(&row).as_str()), ("Ana", "buy · *Rust in 2026*"));
    assert_eq!(row.sentence, "Ana: buy · Rust in 2026");
}

#[test]
fn a_topic_speaks_by_its_title_or_else_its_body() {
    let on = |title: &str, body: &str| ThreadPreview {
        actor: actor("backups", "backups"),
        action: Some("publish".into()),
        target: Some(Target { kind: "topic".into(), id: "backups".into(), ..Target::default() }),
        title: title.into(),
        body: body.into(),
        ..ThreadPreview::default()
    };
    let row = rendered(Lang::En, &thread(Kind::Reminder, &[], 1, on("backups", "Backup done")));
    assert_eq!((row.who.as_str(), text(&row).as_str(), row.snippet.as_str()), ("backups", "Backup done", ""));
    assert_eq!(row.sentence, "backups: Backup done");
    assert_eq!(row.avatar, Avatar::Thing { icon: "hard-drive".into() });
    let row = rendered(Lang::En, &thread(Kind::Reminder, &[], 1, on("Backup done", "14.2 GB")));
    assert_eq!((text(&row).as_str(), row.snippet.as_str()), ("*Backup done*", "14.2 GB"));
    let mut mail = on("Two new mails", "Ana, Bo");
    let title = Some("Mail".to_owned());
    mail.target = Some(Target { kind: "application".into(), id: "7".into(), title, ..Target::default() });
    let row = rendered(Lang::En, &thread(Kind::Reminder, &[actor("7", "Mail")], 1, mail));
    assert_eq!(
        (row.who.as_str(), text(&row).as_str()),
        ("Mail", "*Two new mails*"),
        "so does an application"
    );
}

#[test]
fn a_conversation_names_its_peer_and_a_group_its_speaker() {
    let last = ThreadPreview {
        actor: actor("bo", "Bo Kessler"),
        conversation: Some("user:bo".into()),
        body: "Sure".into(),
        ..ThreadPreview::default()
    };
    let row = rendered(Lang::En, &thread(Kind::Message, &[actor("bo", "Bo Kessler")], 1, last.clone()));
    assert_eq!((row.who.as_str(), text(&row).as_str()), ("Bo Kessler", "Sure"));
    let own = ThreadPreview { own: true, ..last.clone() };
    assert_eq!(text(&rendered(Lang::En, &thread(Kind::Message, &[actor("bo", "Bo")], 1, own))), "You: Sure");
    let group = ThreadPreview { conversation: Some("group:crew".into()), ..last };
    let row = rendered(Lang::ZhCn, &thread(Kind::Message, &[actor("bo", "陈博")], 1, group));
    assert_eq!(text(&row), "Bo Kessler：Sure");
    assert!(matches!(row.avatar, Avatar::Group { .. }));
}

#[test]
fn an_announcement_says_that_it_is_one() {
    let last = ThreadPreview {
        title: "Maintenance".into(),
        body: "**Sunday**".into(),
        format: Format::Markdown,
        ..ThreadPreview::default()
    };
    let row = rendered(Lang::En, &thread(Kind::Announcement, &[], 0, last));
    assert_eq!(
        (row.who.as_str(), text(&row).as_str(), row.snippet.as_str()),
        ("Announcement", "*Maintenance*", "Sunday")
    );
}

#[test]
fn an_action_of_ones_own_reads_by_its_template() {
    let mut catalog = Catalog::shipped();
    let rule = serde_json::from_str(r#"{"template":{"en":"{actors} bought {target} for {price}"}}"#).unwrap();
    catalog.actions.insert("buy".into(), rule);
    let last = ThreadPreview {
        action: Some("buy".into()),
        data: Map::from_iter([("price".to_owned(), 5.into())]),
        ..article()
    };
    let thread = thread(Kind::Reminder, &[actor("ana", "Ana")], 1, last);
    let source = source();
    let groups = GroupNames::new();
    let ctx = RenderContext {
        lang: Lang::ZhCn,
        language: &Lang::ZhCn.into(),
        source: &source,
        catalog: &catalog,
        groups: &groups,
        mutes: &[],
        default_from_priority: 3,
    };
    assert_eq!(row_text(&ctx, &thread).snippet, "Agreed. I would keep it");
    assert!(row_text(&ctx, &thread).sentence.contains("for 5"), "English stands in where Chinese is missing");
}

#[test]
fn a_title_that_repeats_the_target_is_said_once() {
    let last = |title: &str| ThreadPreview { title: title.into(), body: String::new(), ..article() };
    let snippet = |title: &str| {
        rendered(Lang::En, &thread(Kind::Reminder, &[actor("ana", "Ana")], 1, last(title))).snippet
    };
    assert_eq!((snippet("Rust in 2026"), snippet("A reply")), (String::new(), "A reply".to_owned()));
}

#[test]
fn what_is_behind_a_warning_is_not_in_the_row() {
    let last = ThreadPreview {
        title: "Spoilers".into(),
        data: Map::from_iter([("sensitive".to_owned(), true.into())]),
        ..article()
    };
    let row = rendered(Lang::En, &thread(Kind::Reminder, &[actor("ana", "Ana")], 1, last));
    assert_eq!(row.snippet, "Spoilers");
    assert!(!row.sentence.contains("Agreed"));
}

#[test]
fn what_was_searched_for_stands_out() {
    let highlights = ["buILD 4".to_owned(), "FAILED".to_owned()];
    let spans = highlight(
        vec![Span { text: "Build 4812 failed: build".into(), strong: true, found: false }],
        &highlights,
    );
    let hits: Vec<&str> = spans.iter().filter(|s| s.found).map(|s| s.text.as_str()).collect();
    assert_eq!(hits, ["Build 4", "failed"], "words that stand together are one");
    assert!(spans.iter().all(|s| s.strong));
}

#[test]
fn a_single_letter_stands_out_where_it_begins_a_word() {
    let found = |text: &str, letter: &str| {
        let spans = vec![Span { text: text.into(), strong: true, found: false }];
        let spans = highlight(spans, &[letter.to_owned()]);
        spans.iter().filter(|s| s.found).map(|s| s.text.as_str()).collect::<String>()
    };
    assert_eq!(found("Disk and build done: 4d, xD", "d"), "Dd");
    assert_eq!(found("磁盘disk", "D"), "d", "a word begins after a character");
    assert_eq!(found("再同步", "同"), "同");
}

#[test]
fn a_row_has_its_newest_item_s_link_else_its_target_s_and_only_one_that_opens() {
    let link = |own: Option<&str>, target: Option<&str>| {
        let target = target.map(|url| Target { url: Some(url.into()), ..Target::default() });
        let preview = ThreadPreview { url: own.map(str::to_owned), target, ..ThreadPreview::default() };
        rendered(Lang::En, &thread(Kind::Reminder, &[], 1, preview)).link.map(|link| (link.url, link.host))
    };
    let both = |url: &str, host: &str| Some((url.to_owned(), host.to_owned()));
    let (comment, article) = ("https://blog.example/a#c7", "https://blog.example/a");
    assert_eq!(link(Some(comment), Some(article)), both(comment, "blog.example"));
    assert_eq!(link(None, Some(article)), both(article, "blog.example"));
    assert_eq!(link(Some("javascript:alert(1)"), Some(article)), both(article, "blog.example"));
    assert_eq!(link(Some("mailto:bo@example.org"), None), both("mailto:bo@example.org", "bo@example.org"));
    assert_eq!(
        link(Some("https://bücher.example:81/"), None),
        both("https://xn--bcher-kva.example:81/", "bücher.example:81")
    );
    assert_eq!(link(Some("file:///etc/passwd"), None), None);
}
