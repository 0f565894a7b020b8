//! Tests of the lines that ntfy sends.

use std::collections::HashSet;

use serde_json::json;

use super::*;

fn event(line: &Value) -> Event {
    Event::parse(line.to_string().as_bytes()).map_err(|error| error.to_string()).unwrap()
}

/// An event on the topic `alerts`.
fn on_alerts(name: &str, id: &str, time: i64, more: &Value) -> Event {
    let mut line = json!({"id": id, "time": time, "event": name, "topic": "alerts"});
    line.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    event(&line)
}

#[test]
fn a_message_has_the_shape_of_a_publication_on_our_own_server() {
    let full = on_alerts(
        "message",
        "hwQ2YpKdmg12",
        1_635_528_741,
        &json!({
            "expires": 1_635_571_941, "title": "NAS", "message": "**Disk** full", "priority": 5,
            "tags": ["warning", "nas"], "click": "https://nas.example/", "icon": "https://nas.example/i.png",
            "content_type": "text/markdown",
            "actions": [{"id": "a", "action": "view", "label": "Open", "url": "https://nas.example", "clear": true}],
            "attachment": {"name": "log.txt", "url": "https://ntfy.example/file/x.txt", "type": "text/plain",
                "size": 12, "expires": 1_635_539_541},
        }),
    );
    let item = items(&[full]).pop().unwrap();
    assert_eq!(item.msgid.as_str(), "alerts/hwQ2YpKdmg12");
    assert_eq!(item.created_at, Stamp::from_secs(1_635_528_741));
    assert_eq!((item.thread.as_str(), item.action.as_deref()), ("topic:alerts#publish", Some("publish")));
    assert_eq!((item.actor.id.as_str(), item.target.unwrap().title.as_deref()), ("alerts", Some("alerts")));
    let content = item.content;
    assert_eq!((content.title.as_str(), content.body.as_str()), ("NAS", "**Disk** full"));
    assert_eq!((content.format, content.priority.get()), (Format::Markdown, 5));
    assert_eq!(content.tags, ["warning", "nas"]);
    assert_eq!(content.url.as_deref(), Some("https://nas.example/"));
    assert_eq!(content.icon.as_deref(), Some("https://nas.example/i.png"));
    assert!(content.actions[0].clear);
    let file = content.attachment.unwrap();
    assert_eq!((file.name.as_str(), file.size, file.expires), ("log.txt", Some(12), Some(1_635_539_541)));
    assert_eq!((item.read, item.news, item.deleted), (None, true, false));
}

#[test]
fn members_of_other_types_count_as_missing() {
    let odd = on_alerts(
        "message",
        "a",
        1,
        &json!({
            "title": 7, "message": null, "priority": 9, "tags": "one,two", "click": {}, "icon": "file:///etc",
            "actions": [{"action": "launch", "label": "x"}, 3, {"action": "view", "label": "", "url": "x"}],
            "attachment": {"name": "x", "url": "javascript:alert(1)"}, "sequence_id": "../x", "content_type": [],
        }),
    );
    let content = items(&[odd]).pop().unwrap().content;
    let empty = Content { title: "alerts".to_owned(), ..Content::default() };
    assert_eq!(content, empty);
    let nameless = json!({"attachment": {"url": "https://e.org/a%20b.txt", "size": -1, "expires": 0}});
    let file = items(&[on_alerts("message", "a", 1, &nameless)]).pop().unwrap().content.attachment.unwrap();
    assert_eq!((file.name.as_str(), file.size, file.expires), ("a b.txt", None, None));
}

#[test]
fn what_is_no_line_of_ntfy_is_refused() {
    for odd in [
        "<html>Sign in to the network</html>",
        "[]",
        "{}",
        r#"{"code":50001,"http":500,"error":"internal server error"}"#,
        r#"{"id":"a","time":"now","event":"message","topic":"t"}"#,
        r#"{"id":"","time":1,"event":"message","topic":"t"}"#,
        r#"{"id":"a b","time":1,"event":"message","topic":"t"}"#,
        r#"{"id":"a","time":1,"event":"message","topic":"a topic"}"#,
        r#"{"id":"a","time":1,"event":"message","topic":"t""#,
    ] {
        assert!(matches!(Event::parse(odd.as_bytes()), Err(Error::Malformed)), "{odd}");
    }
    let many =
        format!(r#"{{"id":"a","time":1,"event":"message","topic":"t","x":[{}0]}}"#, "{},".repeat(70_000));
    assert!(matches!(Event::parse(many.as_bytes()), Err(Error::AnswerTooLarge)));
    let open = event(&json!({"id": "a", "time": 1, "event": "open", "topic": "one,two"}));
    assert_eq!((open.kind(), items(&[open])), (None, Vec::new()));
}

#[test]
fn a_sequence_is_one_item_as_it_is_now() {
    let sequence = json!({"sequence_id": "build"});
    let named = |text: &str| json!({"sequence_id": "build", "message": text});
    let of = |events: &[Event]| {
        let items = items(events);
        let state = |item: &ServiceItem| {
            (item.content.body.clone(), item.read, item.deleted, item.part == tidings_replica::Part::State)
        };
        items.iter().map(state).collect::<Vec<_>>()
    };
    let (one, two) =
        (on_alerts("message", "m1", 1, &named("one")), on_alerts("message", "m2", 2, &named("two")));
    let clear = on_alerts("message_clear", "m3", 3, &sequence);
    let delete = on_alerts("message_delete", "m4", 4, &sequence);
    let body = |text: &str| text.to_owned();
    assert_eq!(of(&[one.clone(), two.clone()]), [(body("two"), None, false, false)]);
    assert_eq!(of(&[one.clone(), clear.clone()]), [(body("one"), Some(true), false, false)]);
    assert_eq!(of(std::slice::from_ref(&clear)), [(body(""), Some(true), false, true)]);
    assert_eq!(of(&[one.clone(), delete.clone()]), [(body(""), None, true, false)]);
    assert_eq!(of(&[delete.clone(), two.clone()]), [(body("two"), None, false, false)]);
    assert_eq!(of(&[one, clear, two]), [(body("two"), None, false, false)]);
    // What has no sequence yet is revised under its own id.
    let (first, later) = (
        on_alerts("message", "m1", 1, &json!({"message": "one"})),
        on_alerts("message", "m9", 2, &json!({"message": "two", "sequence_id": "m1"})),
    );
    assert_eq!(of(&[first, later]), [(body("two"), None, false, false)]);
}

#[test]
fn the_same_sequence_on_two_topics_is_two_items() {
    let line =
        |topic: &str| json!({"id": "m1", "time": 1, "event": "message", "topic": topic, "sequence_id": "s"});
    assert_eq!(items(&[event(&line("one")), event(&line("two"))]).len(), 2);
    let long = event(&line(&"t".repeat(64)));
    assert_eq!(long.msgid().as_str(), "s", "a msgid has at most 64 characters");
}

#[test]
fn a_line_that_is_too_long_is_known_by_its_beginning() {
    assert_eq!(id_of_beginning(br#"{"id":"abc","time":1,"message":"xxx"#).as_deref(), Some("abc"));
    for odd in [r#"{"id":"a"#, r#"{"id":7"#, "<html>", r#"{"id":"a b""#] {
        assert_ne!(id_of_beginning(odd.as_bytes()).as_deref(), Some("abc"));
    }
    assert_eq!(id_of_beginning(b"<html>"), None);
}

#[test]
fn whatever_a_topic_sends_becomes_one_item_for_each_message_or_is_passed_over() {
    tidings_testkit::fuzz::run("ntfy-stream", 2_000, |input| {
        let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
        let events: Vec<Event> = lines.iter().filter_map(|line| Event::parse(line).ok()).collect();
        let items = items(&events);
        let names: HashSet<&MsgId> = items.iter().map(|item| &item.msgid).collect();
        assert!(names.len() == items.len() && items.len() <= events.len());
        for item in &items {
            assert!((1..=MAX_MSGID_BYTES).contains(&item.msgid.as_str().len()), "{:?}", item.msgid);
            assert!(item.content.tags.len() <= MAX_TAGS && item.content.actions.len() <= MAX_ACTIONS);
        }
        for line in lines {
            drop(malformed(line));
            drop(id_of_beginning(line));
        }
    });
}
