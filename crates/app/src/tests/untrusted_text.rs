//! Tests that no text from a server is ever shown in another order than that of its letters.

use serde::Serialize;
use serde_json::{Value, json};
use tidings_ipc::{Place, SavedSearch, ThreadQuery};
use tidings_model::text::is_direction;
use tidings_replica::NewSource;
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, until};
use super::inbox;

/// Direction characters that reorder the text after them, of three kinds, and a terminal escape sequence.
const SPOOF: &str = "an\u{202e}n\u{2066}e\u{61c}x\u{1b}[2J";

/// A text with the spoofing characters, for a field.
fn spoofed(field: &str) -> String {
    format!("{field}-{SPOOF}")
}

/// Names of fields with ids and positions, which are never shown.
const HIDDEN_FIELDS: [&str; 3] = ["msgid", "next", "prev"];

fn find_unsafe(at: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let is_unsafe = |c: char| is_direction(c) || (c.is_control() && !matches!(c, '\n' | '\t'));
            if text.contains(is_unsafe) {
                found.push(format!("{at}: {text:?}"));
            }
        }
        Value::Array(all) => all.iter().for_each(|one| find_unsafe(at, one, found)),
        Value::Object(all) => {
            let seen = all.iter().filter(|(name, _)| !HIDDEN_FIELDS.contains(&name.as_str()));
            seen.for_each(|(name, one)| find_unsafe(&format!("{at}.{name}"), one, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn check(at: &str, shown: &impl Serialize, found: &mut Vec<String>) {
    let shown = serde_json::to_value(shown).unwrap();
    find_unsafe(at, &shown, found);
}

/// A source with spoofed names, and one item of each kind in it.
async fn hostile_source(test: &TestApp) -> i64 {
    let new = NewSource {
        name: spoofed("source"),
        protocol: "tidings".into(),
        url: "http://127.0.0.1:1".into(),
        user: Some("me".into()),
        own: false,
    };
    let source = test.app.context.replica.add_source(new).unwrap();
    let actor = json!({"id": spoofed("id"), "name": spoofed("name")});
    let entities = "&#x202e;moc.knab &#8238; &rlm; &#27;";
    let all = json!({"actor": actor, "title": spoofed("title"), "body": format!("# {SPOOF}\n\n[{entities}](https://a.example/) `{SPOOF}`"),
        "format": "markdown", "action": spoofed("action"), "tags": [spoofed("tag")], "url": "https://a.example/\u{202e}",
        "target": {"type": spoofed("type"), "id": spoofed("target"), "title": spoofed("heading"), "owner": "me",
            "url": "https://a.example/\u{202e}"},
        "attachment": {"name": spoofed("file"), "url": "https://a.example/\u{202e}", "media": spoofed("text/plain")},
        "actions": [{"action": "view", "label": spoofed("label"), "url": "https://a.example/\u{202e}"},
            {"action": "view", "label": spoofed("mail"), "url": "mailto:a@b.example\u{202e}?subject=\u{202e}"},
            {"action": "http", "label": spoofed("call"), "url": "https://a.example/"}]});
    let with = |more: Value| {
        let mut one = all.clone();
        one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        one
    };
    let message = |key: &str| {
        let key = spoofed(key);
        json!({"kind": "message", "thread": key, "conversation": key, "action": null, "target": null})
    };
    let publication = json!({"thread": "topic:t#publish", "action": "publish", "target": {"type": "topic", "id": spoofed("topic")}});
    let announcement =
        json!({"kind": "announcement", "thread": "announcements", "action": null, "target": null});
    let variants = [
        all.clone(),
        with(publication),
        with(announcement),
        with(message("user:peer")),
        with(message("group:crew")),
    ];
    for (nth, more) in (1..).zip(variants) {
        test.pulled(source, PullReason::Live, vec![notification(&test.clock, nth, &more)]).await;
    }
    source
}

#[tokio::test]
async fn nothing_that_a_source_sends_is_shown_in_another_order_than_its_letters_have() {
    let test = open().running();
    let source = hostile_source(&test).await;
    let app = &test.app;
    let query = format!("from:{}", spoofed("somebody"));
    app.context
        .replica
        .save_search(tidings_replica::SavedSearch { id: 0, name: spoofed("kept"), query })
        .unwrap();
    let mut found = Vec::new();
    check("bootstrap", &test.with_page().await, &mut found);
    let rows = app.reading.threads(inbox()).await.unwrap().rows;
    assert_eq!(rows.len(), 5);
    for row in &rows {
        let view = app.reading.thread(row.id, None).await.unwrap();
        assert!(view.items.iter().all(|item| item.html && item.actions.len() == 3), "{view:?}");
        check("thread", &view, &mut found);
    }
    let resolve_query = ThreadQuery { search: Some("moc".into()), ..ThreadQuery::top(Place::Inbox) };
    check("search", &app.reading.threads(resolve_query).await.unwrap(), &mut found);
    for typed in ["from:", "source:", "na", "so", "is:unread "] {
        check(typed, &app.searches.suggest(typed.into()).await.unwrap(), &mut found);
    }
    check("people", &app.conversations.people(source).await.unwrap(), &mut found);
    for row in rows {
        // Only groups have members; other threads fail.
        if let Ok(members) = app.conversations.members(row.id).await {
            check("members", &members, &mut found);
        }
    }
    let search = SavedSearch { id: 0, name: spoofed("mine"), query: spoofed("a"), unread: 0, quiet: 0 };
    check("searches", &app.searches.save_search(search).await.unwrap(), &mut found);

    until("the tray's menu", || test.last_view().is_some_and(|view| view.menu.len() > 8)).await;
    for toast in &*test.desktop.toasts.lock().unwrap() {
        check("toast", &[&toast.title, &toast.body], &mut found);
        check("toast", &toast.actions, &mut found);
    }
    let view = test.last_view().unwrap();
    // The debug format would escape any direction character as `\u{…}`.
    assert!(!format!("{view:?}").contains("\\u{"), "{view:?}");
    let events = test.events.lock().unwrap();
    check("event", &*events, &mut found);
    assert!(found.is_empty(), "{found:#?}");
}
