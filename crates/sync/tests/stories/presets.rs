//! Tests of the presets of a new source: reasons that ask something of the reader make toasts, the rest counts.

use std::sync::Arc;

use tidings_model::{Actor, Stamp, SystemClock};
use tidings_replica::{
    NewSource, NotifyLevel, Page, Replica, Rule, RuleThen, RuleWhen, ServiceItem, SourceId,
};
use tidings_sources::protocol;
use tidings_sync::presets;

/// A replica with a new source of a protocol.
fn with_new(name: &str) -> (tempfile::TempDir, Replica, SourceId) {
    let dir = tempfile::tempdir().unwrap();
    let replica = Replica::open(dir.path(), Arc::new(SystemClock)).unwrap();
    let known = protocol(name).unwrap();
    let (name, url) = (name.to_owned(), "https://forge.example".to_owned());
    let new = NewSource { protocol: name.clone(), name, url, user: None, own: false };
    let id = replica.add_source(new).unwrap();
    presets::apply(&replica, id, known).unwrap();
    (dir, replica, id)
}

#[test]
fn a_mention_makes_a_toast_and_what_is_only_watched_counts() {
    let (_dir, replica, id) = with_new("github");
    let item = |nth: i64, action: &str| {
        let actor = Actor { id: "bo".into(), name: "Bo".into() };
        let at = Stamp::from_secs(1_790_000_000 + nth);
        let mut item = ServiceItem::new(nth.to_string().as_str(), at, format!("issue:{nth}"), actor);
        item.action = Some(action.to_owned());
        item
    };
    let actions = ["review_requested", "mention", "assign", "subscribed", "ci_activity", "release"];
    let items = (0..).zip(actions).map(|(nth, action)| item(nth, action)).collect();
    let page = Page { service_items: items, next: Some("1".into()), ..Page::default() };
    let applied = replica.apply(id, page).unwrap();
    let quiet: Vec<_> = applied.arrived.iter().filter(|one| one.no_toast).collect();
    let quiet: Vec<_> = quiet.iter().filter_map(|one| one.notification.action.as_deref()).collect();
    assert_eq!(quiet, ["subscribed", "ci_activity", "release"]);
    assert_eq!(replica.counts().unwrap().badge, 6, "all of them count");
}

#[test]
fn the_rules_of_a_preset_go_with_its_source_and_those_of_the_reader_stay() {
    let (_dir, replica, id) = with_new("gitlab");
    let presets_of = |replica: &Replica| replica.rules().unwrap();
    let count = presets_of(&replica).len();
    assert!(count > 0 && presets_of(&replica).iter().all(|rule| rule.on && rule.then.no_toast));
    let own = Rule {
        on: true,
        when: RuleWhen {
            source: Some(id),
            action: "marked".into(),
            words: "lunch".into(),
            ..RuleWhen::default()
        },
        then: RuleThen { no_toast: true, ..RuleThen::default() },
        ..Rule::default()
    };
    replica.save_rule(own).unwrap();
    let mut changed = presets_of(&replica).remove(0);
    changed.then.archive = true;
    replica.save_rule(changed).unwrap();
    presets::remove(&replica, id).unwrap();
    assert_eq!(presets_of(&replica).len(), 2);
}

#[test]
fn a_source_without_reasons_has_its_level_and_no_rules() {
    let (_dir, replica, id) = with_new("feed");
    assert_eq!(replica.source(id).unwrap().notify.level, Some(NotifyLevel::Badge));
    assert_eq!(replica.rules().unwrap(), []);
}
