//! Tests of search conditions, saved searches and suggestions.

use serde_json::json;
use tidings_model::{Clock, Kind, Stamp};
use tidings_replica::*;

use super::{Device, by_state};

#[test]
pub(crate) fn every_condition_finds_what_it_should() {
    let mut device = Device::new(2);
    device.add_item(0, "plain", &json!({}));
    device.add_item(0, "urgent", &json!({"priority": 5}));
    device.add_item(0, "file", &json!({"attachment": {"name": "a.txt", "url": "https://x.example/a"}}));
    device.add_item(1, "link", &json!({"body": "see https://x.example for words"}));
    device.add_item(
        1,
        "news",
        &json!({"kind": "announcement", "actor": {"id": "ops", "name": "Operations"}, "action": null}),
    );
    device.add_item(
        1,
        "user:lin",
        &json!({"kind": "message", "actor": {"id": "lin", "name": "林晓"}, "action": null,
        "conversation": "user:lin", "body": "数据库备份"}),
    );
    let all = ["file", "link", "news", "plain", "urgent", "user:lin"];

    assert_eq!(
        device.matching_keys(SearchFilter { from: vec![vec!["bo".into()]], ..SearchFilter::default() }),
        ["file", "link", "plain", "urgent"]
    );
    assert_eq!(
        device
            .matching_keys(SearchFilter { from: vec![vec!["kess".into()]], ..SearchFilter::default() })
            .len(),
        4,
        "a word of the name"
    );
    assert_eq!(
        device
            .matching_keys(SearchFilter { from: vec![vec!["Bob Kess".into()]], ..SearchFilter::default() })
            .len(),
        4
    );
    assert_eq!(
        device.matching_keys(SearchFilter {
            from: vec![vec!["林".into(), "op".into()]],
            ..SearchFilter::default()
        }),
        ["news", "user:lin"]
    );
    assert_eq!(
        device.matching_keys(SearchFilter { from: vec![vec!["--".into()]], ..SearchFilter::default() }),
        [""; 0]
    );
    assert_eq!(
        device.matching_keys(SearchFilter { priority: Some(4), ..SearchFilter::default() }),
        ["urgent"]
    );
    assert_eq!(device.matching_keys(SearchFilter { priority: Some(2), ..SearchFilter::default() }), all);
    assert_eq!(device.matching_keys(SearchFilter { attachment: true, ..SearchFilter::default() }), ["file"]);
    assert_eq!(device.matching_keys(SearchFilter { link: true, ..SearchFilter::default() }), ["link"]);
    assert_eq!(
        device.matching_keys(SearchFilter { kinds: Some(vec![Kind::Message]), ..SearchFilter::default() }),
        ["user:lin"]
    );
    assert_eq!(
        device.matching_keys(SearchFilter {
            sources: Some(vec![device.sources[1]]),
            ..SearchFilter::words("words")
        }),
        ["link", "news"]
    );
    assert_eq!(
        device.matching_keys(SearchFilter { sources: Some(Vec::new()), ..SearchFilter::words("words") }),
        [""; 0]
    );
    assert_eq!(device.matching_keys(SearchFilter::words("备份")), ["user:lin"]);
    assert_eq!(
        device.matching_keys(SearchFilter::words("\u{e000}k1")),
        [""; 0],
        "what is marked on items is no word"
    );

    let third = device.replica.threads_by_id(&[device.id("file")]).unwrap()[0].last_at;
    assert_eq!(
        device.matching_keys(SearchFilter { before: Some(third), ..SearchFilter::default() }),
        ["plain", "urgent"]
    );
    assert_eq!(
        device.matching_keys(SearchFilter { since: Some(third), ..SearchFilter::words("words") }),
        ["file", "link", "news"]
    );

    device.mark("plain", Mark::Read);
    device.mark("file", Mark::Pin);
    device.mark("link", Mark::Mute);
    device.mark("news", Mark::Archive);
    let until = Stamp::from_micros(device.clock.now().as_micros() + 1_000_000_000);
    device.mark("urgent", Mark::Snooze { until });
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Unread])), ["file", "link", "user:lin"]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Read])), ["news", "plain", "urgent"]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Read, StateFilter::Unread])), [""; 0]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Pinned])), ["file"]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Muted])), ["link"]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Muted, StateFilter::Pinned])), [""; 0]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Snoozed])), ["urgent"]);
    assert_eq!(
        device
            .matching_keys(SearchFilter { states: vec![StateFilter::Done], ..SearchFilter::words("words") }),
        ["news"]
    );
    assert_eq!(device.matching_keys(SearchFilter::words("words")).len(), 5, "it looks everywhere");
    let place_only = ThreadQuery {
        place_only: true,
        filter: SearchFilter::words("words"),
        ..ThreadQuery::top(Place::Inbox, 9)
    };
    assert_eq!(device.keys(&place_only).len(), 3, "unless it is told not to");
    let done = ThreadQuery { filter: SearchFilter::words("words"), ..ThreadQuery::top(Place::Done, 9) };
    assert_eq!(device.keys(&done), ["news"]);
    assert_eq!(
        device
            .replica
            .search(&SearchFilter { states: vec![StateFilter::Pinned], ..SearchFilter::words("words") }, 9)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(device.replica.unread_of(&SearchFilter::words("words"), 100).unwrap(), 2);
    assert_eq!(device.replica.unread_of(&SearchFilter::default(), 2).unwrap(), 2, "counted up to there");
    device.assert_consistent();
}

#[test]
pub(crate) fn an_action_is_found_however_it_is_written_and_its_words_are_not() {
    let mut device = Device::new(2);
    device.add_item(0, "review", &json!({"action": "review_requested"}));
    device.add_item(1, "mention", &json!({"action": "mention"}));
    device.add_item(1, "other", &json!({"action": "review"}));
    let by_action = |all: &[&str]| {
        let actions = Some(all.iter().map(|action| (*action).to_owned()).collect());
        SearchFilter { actions, ..SearchFilter::default() }
    };
    for spelling in ["review-requested", "Review_Requested", "review requested"] {
        assert_eq!(device.matching_keys(by_action(&[spelling])), ["review"], "{spelling}");
    }
    assert_eq!(device.matching_keys(by_action(&["review-requested", "mention"])), ["mention", "review"]);
    assert_eq!(device.matching_keys(by_action(&["--"])), [""; 0]);
    assert_eq!(device.matching_keys(SearchFilter::words("requested ")), [""; 0], "it is no word of the text");
    let in_one = SearchFilter { sources: Some(vec![device.sources[0]]), ..by_action(&["mention", "review"]) };
    assert_eq!(device.matching_keys(in_one), [""; 0]);
    let unread = by_action(&["mention"]).and(by_state(&[StateFilter::Unread]));
    assert_eq!(device.matching_keys(unread.clone()), ["mention"]);
    device.mark("mention", Mark::Read);
    assert_eq!(device.matching_keys(unread), [""; 0]);
    device.assert_consistent();
}

#[test]
pub(crate) fn actions_are_completed_from_what_came() {
    let mut device = Device::new(1);
    for (nth, action) in ["mention", "review_requested", "mention", "ci_failed"].iter().enumerate() {
        device.add_item(0, &format!("t{nth}"), &json!({"action": action}));
    }
    let actions = |prefix: &str| device.replica.actions(prefix, 2).unwrap();
    assert_eq!(actions(""), ["ci_failed", "mention"], "the latest first");
    assert_eq!(actions("req"), ["review_requested"], "by a word in it");
    assert_eq!(actions("Review-r"), ["review_requested"]);
    assert_eq!(actions("none"), [""; 0]);
}

#[test]
pub(crate) fn all_that_is_asked_of_an_item_holds_for_one_and_the_same() {
    let mut device = Device::new(1);
    device.add_item(0, "apart", &json!({"body": "disk", "priority": 5}));
    device.add_item(0, "apart", &json!({"body": "full", "actor": {"id": "ana", "name": "Ana"}}));
    device.add_item(
        0,
        "together",
        &json!({"body": "disk full", "priority": 5, "actor": {"id": "ana", "name": "Ana"}}),
    );
    assert_eq!(device.matching_keys(SearchFilter::words("disk full ")), ["together"]);
    let urgent =
        SearchFilter { priority: Some(5), from: vec![vec!["ana".into()]], ..SearchFilter::default() };
    assert_eq!(device.matching_keys(urgent.clone()), ["together"]);
    let read = device.replica.items_of(device.id("together"), None, 9).unwrap().items[0].id;
    device.replica.mark(Targets::Items(vec![read]), Mark::Read).unwrap();
    assert_eq!(device.matching_keys(urgent.clone().and(by_state(&[StateFilter::Unread]))), [""; 0]);
    assert_eq!(device.matching_keys(urgent.and(by_state(&[StateFilter::Read]))), ["together"]);
    assert_eq!(
        device.matching_keys(SearchFilter::words("dis").and(SearchFilter::words("full "))),
        ["together"]
    );
    assert_eq!(device.matching_keys(SearchFilter::words("dis ").and(SearchFilter::words("full "))), [""; 0]);
}

#[test]
pub(crate) fn people_are_known_by_the_beginning_of_their_names() {
    let mut device = Device::new(1);
    device.add_item(0, "a", &json!({"actor": {"id": "u1", "name": "Bob Kessler"}}));
    device.add_item(0, "b", &json!({"actor": {"id": "kim", "name": "Kim"}}));
    device.add_item(0, "c", &json!({"actor": {"id": "u1", "name": "Bobby Kessler"}}));
    let names = |like: &str| -> Vec<String> {
        device.replica.people(like, 6).unwrap().into_iter().map(|actor| actor.name).collect()
    };
    assert_eq!(names("k"), ["Bobby Kessler", "Kim"], "whoever was there last comes first");
    assert_eq!(names("U1"), ["Bobby Kessler"]);
    assert_eq!(names("bob"), ["Bobby Kessler"], "by the name used last");
    assert_eq!(names("x"), [""; 0]);
}

#[test]
pub(crate) fn kept_searches_stay_in_the_order_they_were_put_in() {
    let device = Device::new(1);
    let keep = |id, name: &str| {
        device.replica.save_search(SavedSearch { id, name: name.into(), query: "is:unread".into() }).unwrap()
    };
    let (a, b, c) = (keep(0, "a"), keep(0, "b"), keep(0, "c"));
    device.replica.order_searches(&[c, a]).unwrap();
    keep(b, "B");
    let names =
        || -> Vec<String> { device.replica.saved_searches().unwrap().into_iter().map(|s| s.name).collect() };
    assert_eq!(names(), ["c", "a", "B"]);
    device.replica.remove_search(a).unwrap();
    assert_eq!(names(), ["c", "B"]);
    assert_ne!(keep(0, "d"), a, "an id is never used again");
}
