//! Tests of the views of items.

use serde_json::json;
use tidings_model::{Catalog, Lang};
use tidings_replica::Source;

use super::super::context::GroupNames;
use super::*;

fn item_of(msgid: &str, unread: bool, more: &serde_json::Value) -> Item {
    let mut n = json!({"msgid": msgid, "stamp": "2026-11-20T06:14:00Z", "version": 1, "kind": "reminder",
        "created_at": "2026-11-20T06:14:00Z", "thread": "article:42#comment", "actor": {"id": "bo", "name": "Bo"},
        "action": "comment", "target": {"type": "article", "id": "42", "title": "Rust in 2026"}, "body": "*hi*"});
    n.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Item {
        id: 1,
        thread: 1,
        source: 1,
        notification: serde_json::from_value(n).unwrap(),
        unread,
        own: false,
        pending: false,
        answer_waits: false,
        late_answer: None,
    }
}

fn view(item_: &Item) -> ItemView {
    let source = Source {
        id: 1,
        protocol: "tidings".into(),
        user: Some("me".into()),
        own: true,
        complete: true,
        ..Source::default()
    };
    let catalog = Catalog::shipped();
    let groups = GroupNames::new();
    let ctx = RenderContext {
        lang: Lang::En,
        language: &Lang::En.into(),
        source: &source,
        catalog: &catalog,
        groups: &groups,
        mutes: &[],
        default_from_priority: 3,
    };
    item(&ctx, item_, "Rust in 2026", &mut Budget::default())
}

#[test]
fn a_body_is_html_only_when_its_sender_says_markdown() {
    let plain = view(&item_of("a", true, &json!({})));
    assert_eq!((plain.body.as_str(), plain.html, plain.verb.as_str()), ("*hi*", false, "commented"));
    let marked = view(&item_of("a", true, &json!({"format": "markdown"})));
    assert_eq!((marked.body.trim(), marked.html), ("<p><em>hi</em></p>", true));
}

#[test]
fn the_pane_says_that_what_was_commented_on_is_the_reader_s() {
    let target = |owner: &str| {
        let target = json!({"type": "article", "id": "42", "title": "Rust in 2026", "owner": owner});
        json!({ "target": target })
    };
    let mine = view(&item_of("a", true, &target("me")));
    assert_eq!((mine.verb.as_str(), mine.comment), ("commented on your article", true));
    let theirs = view(&item_of("a", true, &target("bob")));
    assert_eq!((theirs.verb.as_str(), theirs.comment), ("commented", true));
}

#[test]
fn an_action_of_one_s_own_server_is_told_by_its_id_only_where_the_catalog_lacks_it() {
    let published = view(&item_of("a", true, &json!({"action": "deploy"})));
    assert_eq!((published.verb.as_str(), published.comment), ("deploy", false));
    let voted = view(&item_of("a", true, &json!({"action": "vote"})));
    assert_eq!(voted.verb, "voted for it");
}

#[test]
fn a_title_is_shown_only_where_it_says_more() {
    assert_eq!(view(&item_of("a", true, &json!({"title": "Rust in 2026"}))).title, "");
    assert_eq!(view(&item_of("a", true, &json!({"title": "Edition"}))).title, "Edition");
}

#[test]
fn only_buttons_that_a_desktop_can_run_are_offered() {
    let actions = json!({"actions": [
        {"action": "view", "label": "Open", "url": "https://blog.example.org/a"},
        {"action": "http", "label": "Accept", "url": "https://blog.example.org:8443/accept"},
        {"action": "broadcast", "label": "Phone"},
        {"action": "copy", "label": "Copy code", "value": "12\u{1b}3\n4"},
        {"action": "copy", "label": "Nothing", "value": ""},
        {"action": "view", "label": "Bad", "url": "javascript:alert(1)"},
        {"action": "http", "label": "File", "url": "file:///etc/passwd"}]});
    let shown = view(&item_of("a", true, &actions)).actions;
    let shown_buttons: Vec<(&str, bool, &str)> =
        shown.iter().map(|a| (a.label.as_str(), a.opens, a.host.as_str())).collect();
    assert_eq!(
        shown_buttons,
        [
            ("Open", true, "blog.example.org"),
            ("Accept", false, "blog.example.org:8443"),
            ("Copy code", false, "")
        ]
    );
    assert_eq!(shown.iter().map(|a| a.method.as_str()).collect::<Vec<_>>(), ["", "POST", ""]);
    let copies: Vec<Option<&str>> = shown.iter().map(|a| a.copies.as_deref()).collect();
    assert_eq!(copies, [None, None, Some("123\n4")]);
}

#[test]
fn what_is_new_begins_behind_the_last_read_item() {
    let at = |time: &str, unread| item_of("a", unread, &json!({"created_at": time}));
    let (a, b) = ("2026-11-20T06:00:00Z", "2026-11-20T07:00:00Z");
    assert_eq!(
        new_since(&[at(a, false), at(b, true)]),
        Some(at(a, false).notification.created_at.as_millis())
    );
    assert_eq!(new_since(&[at(a, true), at(b, true)]), None);
    assert_eq!(new_since(&[at(a, false), at(b, false)]), None);
}

#[test]
fn a_file_from_anywhere_but_the_web_is_left_out() {
    let file = |url: &str| json!({"attachment": {"name": "a.txt", "url": url}});
    assert!(view(&item_of("a", true, &file("https://example.org/a.txt"))).attachment.is_some());
    assert!(view(&item_of("a", true, &file("file:///etc/passwd"))).attachment.is_none());
}

#[test]
fn what_is_too_much_to_lay_out_is_plain_text_and_says_so() {
    let deep = view(&item_of("a", true, &json!({"format": "markdown", "body": "> ".repeat(8_192)})));
    assert!(!deep.html && deep.body.starts_with("> > "));
    assert_eq!(
        deep.plain_reason.as_deref(),
        Some("Shown as plain text because its quotes or lists are too deeply nested")
    );
    let long = view(&item_of("a", true, &json!({"body": "a".repeat(300 << 10)})));
    assert_eq!((long.body.len(), long.html), (256 << 10, false));
    assert_eq!(long.plain_reason.as_deref(), Some("Only its beginning is shown, because it is very long"));
    assert_eq!(view(&item_of("a", true, &json!({"format": "markdown"}))).plain_reason, None);
}

#[test]
fn no_name_title_or_file_reads_in_another_order_than_its_letters_have() {
    let spoof = "annex\u{202e}txt.exe";
    let more = json!({"title": spoof, "actor": {"id": "bo", "name": spoof}, "action": spoof, "tags": [spoof], "body": spoof,
        "attachment": {"name": spoof, "url": "https://example.org/a"},
        "actions": [{"action": "view", "label": spoof, "url": "https://example.org/"}]});
    let shown = view(&item_of("a", true, &more));
    let straight = "annextxt.exe";
    assert_eq!(
        (shown.title.as_str(), shown.actor.as_str(), shown.verb.as_str()),
        (straight, straight, straight)
    );
    assert_eq!((shown.tags[0].as_str(), shown.body.as_str()), (straight, straight));
    assert_eq!(shown.attachment.unwrap().name, straight);
    assert_eq!(shown.actions[0].label, straight);
}
