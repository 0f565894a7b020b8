//! Tests of the noise report.

use serde_json::{Value, json};
use tidings_model::Clock;
use tidings_replica::*;

use crate::search::{Device, by_state};

fn topic(id: &str) -> Value {
    json!({"action": "publish", "target": {"type": "topic", "id": id, "title": id}})
}

fn issue(id: &str) -> Value {
    json!({"action": "mention", "target": {"type": "issue", "id": id, "title": "An issue"}})
}

#[test]
pub(crate) fn what_is_told_most_and_read_least_comes_first() {
    let mut device = Device::new(3);
    device.add_item(0, "before", &topic("old"));
    let since = device.clock.now().plus_secs(1);
    for _ in 0..3 {
        device.add_item(0, "topic:ci#publish", &topic("ci"));
    }
    for _ in 0..4 {
        device.add_item(0, "topic:nas#publish", &topic("nas"));
    }
    device.mark("topic:nas#publish", Mark::Read);
    device.add_item(0, "user:bo", &json!({"kind": "message", "conversation": "user:bo", "action": null}));
    for n in 0..9 {
        device.add_item(1, &format!("issue:{n}"), &issue(&format!("rust-lang/rust#{n}")));
    }
    device.add_item(1, "issue:x", &issue("Owner/name!7"));

    let noise = device.replica.noise(since).unwrap();
    assert_eq!(noise.since, since);
    let sources: Vec<_> = noise.sources.iter().map(|one| (one.source, one.items, one.unread)).collect();
    assert_eq!(
        sources,
        [(device.sources[1], 10, 10), (device.sources[0], 8, 4)],
        "who told nothing is left out"
    );
    let origins = |nth: usize| -> Vec<(&str, &str, u64, u64)> {
        let origins = noise.sources[nth].origins.iter();
        origins.map(|one| (one.target.as_str(), one.name.as_str(), one.items, one.unread)).collect()
    };
    assert_eq!(origins(0), [("rust-lang/rust", "rust-lang/rust", 9, 9), ("Owner/name", "Owner/name", 1, 1)]);
    assert_eq!(origins(1), [("topic:ci", "ci", 3, 3), ("topic:nas", "nas", 4, 0)]);
    assert_eq!(device.replica.noise(device.clock.now().plus_secs(1)).unwrap().sources, []);
}

#[test]
pub(crate) fn a_rule_for_an_origin_mutes_what_comes_from_there_and_nothing_else() {
    let mut device = Device::new(2);
    device.add_item(0, "issue:1", &issue("rust-lang/rust#1"));
    let noise = device.replica.noise(device.clock.now().plus_secs(-60)).unwrap();
    let source = &noise.sources[0];
    let when = RuleWhen {
        source: Some(source.source),
        target: source.origins[0].target.clone(),
        ..RuleWhen::default()
    };
    let then = RuleThen { mute: true, ..RuleThen::default() };
    device.replica.save_rule(Rule { id: 0, name: String::new(), on: true, when, then }).unwrap();
    device.add_item(0, "issue:2", &issue("rust-lang/rust#2"));
    device.add_item(0, "issue:3", &issue("rust-lang/rustup#3"));
    device.add_item(1, "issue:4", &issue("rust-lang/rust#4"));
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Muted])), ["issue:2"]);
    let by_action = |action: &str| {
        let when = RuleWhen { action: action.into(), ..RuleWhen::default() };
        let rule = Rule { id: 0, name: String::new(), on: true, when, then };
        device.replica.try_rule(rule).unwrap().matches
    };
    assert_eq!(
        (by_action("Mention"), by_action("men-tion"), by_action("mentioned"), by_action("--")),
        (4, 4, 0, 0)
    );
    let values = device.replica.rule_values(RuleField::Target, "rust-lang/rust", 9).unwrap();
    assert!(values.iter().any(|one| one.value == "rust-lang/rust"), "{values:?}");
}
