//! Tests of search conditions, saved searches and suggestions.

use std::sync::Arc;

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
    device.mark("link", Mark::Mute { until: None });
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
    let unread = |filter: &SearchFilter, most| device.replica.unread_of(filter, most).unwrap();
    let one_is_muted = UnreadThreads { counted: 1, quiet: 1 };
    assert_eq!(unread(&SearchFilter::words("words"), 100), one_is_muted);
    let capped = UnreadThreads { counted: 2, quiet: 0 };
    assert_eq!(unread(&SearchFilter::default(), 2), capped, "counted up to there");
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
    let read = device.replica.items_of(device.id("together"), &ItemPosition::Newest, 9).unwrap().items[0].id;
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

fn tagged(tags: &[&str]) -> SearchFilter {
    SearchFilter { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..SearchFilter::default() }
}

fn from_origins(origins: &[&str]) -> SearchFilter {
    let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
    SearchFilter { origins: Some(origins), ..SearchFilter::default() }
}

/// Items with tags, from topics and a repository, and from a bot.
fn device_with_tags() -> Device {
    let mut device = Device::new(1);
    let topic = |id: &str, title: &str| json!({"type": "topic", "id": id, "title": title});
    device.add_item(
        0,
        "a",
        &json!({"tags": ["CI/CD", "merged"], "target": topic("backups", "Night backups")}),
    );
    device.add_item(0, "b", &json!({"tags": ["ci", "cd"], "target": topic("backups-2", "backups-2")}));
    device.add_item(0, "c", &json!({"body": "ci merged backups"}));
    let pull = json!({"type": "pull_request", "id": "Acme/widgets#12", "title": "Fix the lid"});
    let bot = json!({"id": "renovate[bot]", "name": "renovate[bot]"});
    device.add_item(0, "d", &json!({"target": pull, "actor": bot, "tags": ["发布", "it's"]}));
    device.add_item(0, "e", &json!({"actor": {"id": "abbot", "name": "Bot Abbot"}}));
    device.add_item(0, "f", &json!({"tags": ["weather"], "data": {"bot": true}}));
    device.add_item(0, "g", &json!({"tags": ["bot"], "body": "a bot", "data": {"bot": false}}));
    device
}

/// What tags, origins and bots find in it.
fn assert_tags_are_found(found: &dyn Fn(SearchFilter) -> Vec<String>) {
    assert_eq!(found(tagged(&["ci/cd"])), ["a"]);
    assert_eq!(found(tagged(&["ci"])), ["b"], "a whole tag is meant");
    assert_eq!(found(tagged(&["CI", "cd"])), ["b"]);
    assert_eq!(found(tagged(&["ci", "merged"])), [""; 0]);
    assert_eq!(found(tagged(&["发布", "it's"])), ["d"]);
    assert_eq!(found(SearchFilter { words: vec!["words".into()], ..tagged(&["merged"]) }), ["a"]);
    assert_eq!(found(from_origins(&["backups"])), ["a"]);
    assert_eq!(found(from_origins(&["night Backups", "acme/widgets"])), ["a", "d"]);
    assert_eq!(found(from_origins(&["acme"])), [""; 0]);
    assert_eq!(found(from_origins(&[])), [""; 0]);
    assert_eq!(found(SearchFilter { bot: true, ..SearchFilter::default() }), ["d", "f"]);
    assert_eq!(found(tagged(&["merged"]).and(from_origins(&["backups-2"]))), [""; 0]);
}

#[test]
pub(crate) fn tags_origins_and_bots_are_found_as_a_whole() {
    let device = device_with_tags();
    assert_tags_are_found(&|filter| device.matching_keys(filter));
    let items = device.replica.search(&tagged(&["merged"]), 9).unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!(device.matching_keys(SearchFilter::words("merged")), ["c"], "a tag is no word");
    device.assert_consistent();
}

#[test]
pub(crate) fn tags_of_an_older_index_are_found_at_once_and_indexed_in_portions() {
    let mut device = device_with_tags();
    for n in 0..600 {
        device.add_item(0, &format!("other {n}"), &json!({"tags": ["other"]}));
    }
    let folder = device.replica.folder().to_owned();
    let Device { clock, replica, _dir, .. } = device;
    drop(replica);
    let file = rusqlite::Connection::open(folder.join(FILE)).unwrap();
    file.execute_batch(
        "DELETE FROM search;
         INSERT INTO search (rowid, title, body, actor, target)
         SELECT id, '', content ->> '$.body', actor || ' ' || actor_name, '' FROM items;
         INSERT INTO unfaceted SELECT max(id) FROM items;",
    )
    .unwrap();
    let keys = |replica: &Replica, filter: SearchFilter| {
        let page = replica.threads(&ThreadQuery { filter, ..ThreadQuery::top(Place::Inbox, 500) }).unwrap();
        let mut keys: Vec<String> = page.rows.into_iter().map(|row| row.key).collect();
        keys.sort();
        keys
    };
    let reader = Replica::open_read_only(&folder, Arc::new(clock.clone())).unwrap();
    assert_tags_are_found(&|filter| keys(&reader, filter));
    drop(reader);

    let replica = Replica::open(&folder, Arc::new(clock)).unwrap();
    assert_eq!(replica.check().unwrap(), []);
    let left: i64 = file.query_row("SELECT count(*) FROM unfaceted", [], |r| r.get(0)).unwrap();
    assert_eq!(left, 0);
    assert_tags_are_found(&|filter| keys(&replica, filter));
    assert_eq!(keys(&replica, tagged(&["other"])).len(), 500);
}

#[test]
pub(crate) fn what_is_unread_and_not_on_the_badge_is_quiet() {
    let mut device = Device::new(2);
    device.add_item(0, "low", &json!({"priority": 2}));
    device.add_item(0, "plain", &json!({}));
    device.add_item(0, "both", &json!({}));
    device.add_item(0, "both", &json!({"priority": 1}));
    device.add_item(0, "muted", &json!({"priority": 5}));
    device.add_item(1, "of a muted source", &json!({"priority": 5}));
    device.add_item(1, "heard all the same", &json!({"priority": 5}));
    device.mark("muted", Mark::Mute { until: None });
    let nothing = NotifySettings { level: Some(NotifyLevel::Nothing), ..NotifySettings::default() };
    device.replica.set_source_notify(device.sources[1], nothing).unwrap();
    let toast = NotifySettings { level: Some(NotifyLevel::Toast), ..NotifySettings::default() };
    device.replica.set_thread_notify(device.id("heard all the same"), toast).unwrap();
    let quiet = || device.matching_keys(by_state(&[StateFilter::Quiet]));
    assert_eq!(quiet(), ["both", "low", "muted", "of a muted source"]);
    let counts = device.replica.counts().unwrap();
    assert_eq!(counts.total - counts.badge, 4);
    let threads = device.replica.unread_of(&SearchFilter::default(), 9).unwrap();
    assert_eq!(threads, UnreadThreads { counted: 3, quiet: 3 }, "a thread counts with one item on the badge");
    let quiet_ones = device.replica.unread_of(&by_state(&[StateFilter::Quiet]), 9).unwrap();
    assert_eq!(quiet_ones, UnreadThreads { counted: 0, quiet: 4 });
    assert_eq!(device.replica.search(&by_state(&[StateFilter::Quiet]), 9).unwrap().len(), 4);
    device.mark("low", Mark::Read);
    assert_eq!(quiet(), ["both", "muted", "of a muted source"]);
    let eager = NotifySettings { from_priority: Some(1), ..NotifySettings::default() };
    device.replica.set_thread_notify(device.id("both"), eager).unwrap();
    assert_eq!(quiet(), ["muted", "of a muted source"]);
    assert_eq!(device.matching_keys(by_state(&[StateFilter::Quiet, StateFilter::Read])), [""; 0]);
}
