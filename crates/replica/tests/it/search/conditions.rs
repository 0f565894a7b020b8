//! Tests of search conditions, saved searches and suggestions.

use serde_json::json;
use tidings_model::{Clock, Kind, Stamp};
use tidings_replica::*;

use super::{Desk, is};

#[test]
pub(crate) fn every_condition_finds_what_it_should() {
    let mut desk = Desk::new(2);
    desk.bring(0, "plain", &json!({}));
    desk.bring(0, "urgent", &json!({"priority": 5}));
    desk.bring(0, "file", &json!({"attachment": {"name": "a.txt", "url": "https://x.example/a"}}));
    desk.bring(1, "link", &json!({"body": "see https://x.example for words"}));
    desk.bring(
        1,
        "news",
        &json!({"kind": "announcement", "actor": {"id": "ops", "name": "Operations"}, "action": null}),
    );
    desk.bring(
        1,
        "user:lin",
        &json!({"kind": "message", "actor": {"id": "lin", "name": "林晓"}, "action": null,
        "conversation": "user:lin", "body": "数据库备份"}),
    );
    let all = ["file", "link", "news", "plain", "urgent", "user:lin"];

    assert_eq!(
        desk.found(SearchFilter { from: vec![vec!["bo".into()]], ..SearchFilter::default() }),
        ["file", "link", "plain", "urgent"]
    );
    assert_eq!(
        desk.found(SearchFilter { from: vec![vec!["kess".into()]], ..SearchFilter::default() }).len(),
        4,
        "a word of the name"
    );
    assert_eq!(
        desk.found(SearchFilter { from: vec![vec!["Bob Kess".into()]], ..SearchFilter::default() }).len(),
        4
    );
    assert_eq!(
        desk.found(SearchFilter { from: vec![vec!["林".into(), "op".into()]], ..SearchFilter::default() }),
        ["news", "user:lin"]
    );
    assert_eq!(
        desk.found(SearchFilter { from: vec![vec!["--".into()]], ..SearchFilter::default() }),
        [""; 0]
    );
    assert_eq!(desk.found(SearchFilter { priority: Some(4), ..SearchFilter::default() }), ["urgent"]);
    assert_eq!(desk.found(SearchFilter { priority: Some(2), ..SearchFilter::default() }), all);
    assert_eq!(desk.found(SearchFilter { attachment: true, ..SearchFilter::default() }), ["file"]);
    assert_eq!(desk.found(SearchFilter { link: true, ..SearchFilter::default() }), ["link"]);
    assert_eq!(
        desk.found(SearchFilter { kinds: Some(vec![Kind::Message]), ..SearchFilter::default() }),
        ["user:lin"]
    );
    assert_eq!(
        desk.found(SearchFilter { sources: Some(vec![desk.sources[1]]), ..SearchFilter::words("words") }),
        ["link", "news"]
    );
    assert_eq!(
        desk.found(SearchFilter { sources: Some(Vec::new()), ..SearchFilter::words("words") }),
        [""; 0]
    );
    assert_eq!(desk.found(SearchFilter::words("备份")), ["user:lin"]);
    assert_eq!(desk.found(SearchFilter::words("\u{e000}k1")), [""; 0], "what is marked on items is no word");

    let third = desk.replica.threads_by_id(&[desk.id("file")]).unwrap()[0].last_at;
    assert_eq!(
        desk.found(SearchFilter { before: Some(third), ..SearchFilter::default() }),
        ["plain", "urgent"]
    );
    assert_eq!(
        desk.found(SearchFilter { since: Some(third), ..SearchFilter::words("words") }),
        ["file", "link", "news"]
    );

    desk.mark("plain", Mark::Read);
    desk.mark("file", Mark::Pin);
    desk.mark("link", Mark::Mute);
    desk.mark("news", Mark::Archive);
    let until = Stamp::from_micros(desk.clock.now().as_micros() + 1_000_000_000);
    desk.mark("urgent", Mark::Snooze { until });
    assert_eq!(desk.found(is(&[StateFilter::Unread])), ["file", "link", "user:lin"]);
    assert_eq!(desk.found(is(&[StateFilter::Read])), ["news", "plain", "urgent"]);
    assert_eq!(desk.found(is(&[StateFilter::Read, StateFilter::Unread])), [""; 0]);
    assert_eq!(desk.found(is(&[StateFilter::Pinned])), ["file"]);
    assert_eq!(desk.found(is(&[StateFilter::Muted])), ["link"]);
    assert_eq!(desk.found(is(&[StateFilter::Muted, StateFilter::Pinned])), [""; 0]);
    assert_eq!(desk.found(is(&[StateFilter::Snoozed])), ["urgent"]);
    assert_eq!(
        desk.found(SearchFilter { states: vec![StateFilter::Done], ..SearchFilter::words("words") }),
        ["news"]
    );
    assert_eq!(desk.found(SearchFilter::words("words")).len(), 5, "it looks everywhere");
    let place_only = ThreadQuery {
        place_only: true,
        filter: SearchFilter::words("words"),
        ..ThreadQuery::top(Place::Inbox, 9)
    };
    assert_eq!(desk.keys(&place_only).len(), 3, "unless it is told not to");
    let done = ThreadQuery { filter: SearchFilter::words("words"), ..ThreadQuery::top(Place::Done, 9) };
    assert_eq!(desk.keys(&done), ["news"]);
    assert_eq!(
        desk.replica
            .search(&SearchFilter { states: vec![StateFilter::Pinned], ..SearchFilter::words("words") }, 9)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(desk.replica.unread_of(&SearchFilter::words("words"), 100).unwrap(), 2);
    assert_eq!(desk.replica.unread_of(&SearchFilter::default(), 2).unwrap(), 2, "counted up to there");
    desk.all_is_well();
}

#[test]
pub(crate) fn all_that_is_asked_of_an_item_holds_for_one_and_the_same() {
    let mut desk = Desk::new(1);
    desk.bring(0, "apart", &json!({"body": "disk", "priority": 5}));
    desk.bring(0, "apart", &json!({"body": "full", "actor": {"id": "ana", "name": "Ana"}}));
    desk.bring(
        0,
        "together",
        &json!({"body": "disk full", "priority": 5, "actor": {"id": "ana", "name": "Ana"}}),
    );
    assert_eq!(desk.found(SearchFilter::words("disk full ")), ["together"]);
    let urgent =
        SearchFilter { priority: Some(5), from: vec![vec!["ana".into()]], ..SearchFilter::default() };
    assert_eq!(desk.found(urgent.clone()), ["together"]);
    let read = desk.replica.items_of(desk.id("together"), None, 9).unwrap().items[0].id;
    desk.replica.mark(Targets::Items(vec![read]), Mark::Read).unwrap();
    assert_eq!(desk.found(urgent.clone().and(is(&[StateFilter::Unread]))), [""; 0]);
    assert_eq!(desk.found(urgent.and(is(&[StateFilter::Read]))), ["together"]);
    assert_eq!(desk.found(SearchFilter::words("dis").and(SearchFilter::words("full "))), ["together"]);
    assert_eq!(desk.found(SearchFilter::words("dis ").and(SearchFilter::words("full "))), [""; 0]);
}

#[test]
pub(crate) fn people_are_known_by_the_beginning_of_their_names() {
    let mut desk = Desk::new(1);
    desk.bring(0, "a", &json!({"actor": {"id": "u1", "name": "Bob Kessler"}}));
    desk.bring(0, "b", &json!({"actor": {"id": "kim", "name": "Kim"}}));
    desk.bring(0, "c", &json!({"actor": {"id": "u1", "name": "Bobby Kessler"}}));
    let names = |like: &str| -> Vec<String> {
        desk.replica.people(like, 6).unwrap().into_iter().map(|actor| actor.name).collect()
    };
    assert_eq!(names("k"), ["Bobby Kessler", "Kim"], "whoever was there last comes first");
    assert_eq!(names("U1"), ["Bobby Kessler"]);
    assert_eq!(names("bob"), ["Bobby Kessler"], "by the name used last");
    assert_eq!(names("x"), [""; 0]);
}

#[test]
pub(crate) fn kept_searches_stay_in_the_order_they_were_put_in() {
    let desk = Desk::new(1);
    let keep = |id, name: &str| {
        desk.replica.save_search(SavedSearch { id, name: name.into(), query: "is:unread".into() }).unwrap()
    };
    let (a, b, c) = (keep(0, "a"), keep(0, "b"), keep(0, "c"));
    desk.replica.order_searches(&[c, a]).unwrap();
    keep(b, "B");
    let names =
        || -> Vec<String> { desk.replica.saved_searches().unwrap().into_iter().map(|s| s.name).collect() };
    assert_eq!(names(), ["c", "a", "B"]);
    desk.replica.remove_search(a).unwrap();
    assert_eq!(names(), ["c", "B"]);
    assert_ne!(keep(0, "d"), a, "an id is never used again");
}
