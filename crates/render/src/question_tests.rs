//! Tests of what became of a question, in both languages.

use serde_json::{Value, json};
use tidings_model::{Catalog, Lang};
use tidings_replica::Source;

use super::super::context::GroupNames;
use super::*;

/// An item with a question in a state, which somebody answered perhaps.
fn item(state: &str, answer: &Value) -> Item {
    let question = json!({"answers": [{"id": "approve", "label": "Approve"}, {"id": "deny", "label": "Deny\nit"}],
        "default": "deny", "expires_at": Stamp::from_millis(9_000), "state": state, "answer": answer});
    let n = json!({"msgid": "a", "stamp": "2026-11-20T06:14:00Z", "version": 2, "kind": "reminder",
        "created_at": "2026-11-20T06:14:00Z", "thread": "topic:ci#publish", "actor": {"id": "ci", "name": "ci"},
        "action": "publish", "target": {"type": "topic", "id": "ci"}, "title": "Deploy?", "question": question});
    Item {
        id: 1,
        thread: 1,
        source: 1,
        notification: serde_json::from_value(n).unwrap(),
        unread: false,
        own: false,
        pending: false,
        answer_waits: false,
        late_answer: None,
    }
}

/// The view for the user `me`.
fn seen(lang: Lang, item: &Item) -> QuestionView {
    let source = Source {
        id: 1,
        protocol: "tidings".into(),
        user: Some("me".into()),
        complete: true,
        ..Source::default()
    };
    let (catalog, groups) = (Catalog::shipped(), GroupNames::new());
    let ctx = RenderContext {
        lang,
        language: &lang.into(),
        source: &source,
        catalog: &catalog,
        groups: &groups,
        mutes: &[],
        default_from_priority: 3,
    };
    view(&ctx, item).unwrap()
}

#[test]
fn the_outcome_says_who_answered_what_or_that_nobody_did_in_both_languages() {
    let answer = |id: Value, text: Value, by: Value| json!({"id": id, "text": text, "by": by, "at": Stamp::from_millis(5_000)});
    let none = || Value::Null;
    for (state, answer, en, zh) in [
        (
            "answered",
            answer(json!("approve"), none(), json!("me")),
            "You answered Approve",
            "你回答了“Approve”",
        ),
        (
            "answered",
            answer(json!("deny"), none(), json!("b\u{202e}o")),
            "bo answered Deny it",
            "bo 回答了“Deny it”",
        ),
        (
            "answered",
            answer(none(), json!("Ship it"), json!("bo")),
            "bo answered Ship it",
            "bo 回答了“Ship it”",
        ),
        (
            "answered",
            answer(json!("approve"), json!("but slowly"), json!("me")),
            "You answered Approve: but slowly",
            "你回答了“Approve: but slowly”",
        ),
        (
            "expired",
            answer(json!("deny"), none(), none()),
            "Nobody answered in time: Deny it",
            "没有人及时回答，按“Deny it”处理",
        ),
        ("expired", none(), "Nobody answered in time", "没有人及时回答"),
    ] {
        let at = answer.get("at").map(|_| 5_000);
        let asked = item(state, &answer);
        for (lang, wanted) in [(Lang::En, en), (Lang::ZhCn, zh)] {
            let view = seen(lang, &asked);
            assert_eq!(view.outcome.as_deref(), Some(wanted));
            assert_eq!((view.open, view.at, view.late), (false, at, None), "{wanted}");
        }
    }
}

#[test]
fn an_open_question_says_its_time_and_its_default_and_no_outcome() {
    let view = seen(Lang::En, &item("open", &Value::Null));
    let labels: Vec<&str> = view.answers.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["Approve", "Deny it"]);
    assert_eq!((view.expires, view.default.as_deref()), (Some(9_000), Some("Deny it")));
    assert_eq!((view.open, view.outcome, view.at, view.waits), (true, None, None, false));
}

#[test]
fn an_answer_of_one_s_own_that_waits_or_came_too_late_is_told_beside_the_one_that_counts() {
    let counts = json!({"id": "approve", "text": null, "by": "bo", "at": Stamp::from_millis(5_000)});
    let late = Item { late_answer: Some("Deny\nit".into()), ..item("answered", &counts) };
    for (lang, outcome, wanted) in [
        (Lang::En, "bo answered Approve", "Your answer Deny it came too late"),
        (Lang::ZhCn, "bo 回答了“Approve”", "你的回答“Deny it”太晚了"),
    ] {
        let view = seen(lang, &late);
        assert_eq!((view.outcome.as_deref(), view.late.as_deref()), (Some(outcome), Some(wanted)));
        assert!(!view.waits);
    }
    let counts = json!({"id": "approve", "text": null, "by": "me", "at": Stamp::from_millis(5_000)});
    let waits = Item { answer_waits: true, ..item("answered", &counts) };
    assert!(seen(Lang::En, &waits).waits);
}
