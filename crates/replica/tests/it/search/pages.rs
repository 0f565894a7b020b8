//! Tests random inboxes: a list read page by page from either end equals the whole list.

use proptest::prelude::*;
use serde_json::json;
use tidings_model::{Clock, Kind, Stamp};
use tidings_replica::*;

use super::{Device, by_state};

#[derive(Debug, Clone)]
struct Row {
    source: usize,
    thread: u8,
    sort: u8,
    mark: u8,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..3_usize, 0..20_u8, 0..6_u8, 0..10_u8);
    proptest::collection::vec(
        row.prop_map(|(source, thread, sort, mark)| Row { source, thread, sort, mark }),
        1..60,
    )
}

fn inbox_of(rows: &[Row]) -> Device {
    let mut device = Device::new(3);
    let order: Vec<SourceId> = device.sources.clone();
    device
        .replica
        .change_source(order[2], SourceChange { position: Some(-1), ..SourceChange::default() })
        .unwrap();
    let until = Stamp::from_micros(device.clock.now().as_micros() + 1_000_000_000);
    for Row { source, thread, sort, mark } in rows {
        let with = match sort {
            0 => json!({"kind": "announcement", "action": null}),
            1 => json!({"priority": 5, "body": "disk full"}),
            2 => json!({"actor": {"id": "ana", "name": "Ana"}}),
            _ => json!({}),
        };
        let key = format!("t{thread}");
        device.add_item(*source, &key, &with);
        let id = device.replica.thread_by_key(device.sources[*source], &key).unwrap().unwrap().id;
        let mark = match mark {
            0 | 1 => Mark::Read,
            2 => Mark::Archive,
            3 => Mark::Snooze { until },
            4 => Mark::Pin,
            5 => Mark::Mute { until: None },
            _ => continue,
        };
        device.replica.mark(Targets::Threads(vec![id]), mark).unwrap();
    }
    device
}

fn ids(rows: &[Thread]) -> Vec<ThreadId> {
    rows.iter().map(|row| row.id).collect()
}

/// The ids of the whole list, read page by page from one end.
fn read_all_pages(device: &Device, query: &ThreadQuery, up: bool) -> Vec<ThreadId> {
    let mut query = ThreadQuery { start: if up { Start::Bottom } else { Start::Top }, ..query.clone() };
    let mut all = Vec::new();
    loop {
        let page = device.replica.threads(&query).unwrap();
        assert!(page.rows.len() <= query.limit);
        let rows = ids(&page.rows);
        if up {
            all.splice(0..0, rows);
        } else {
            all.extend(rows);
        }
        query.start = match if up { page.prev.map(Start::Before) } else { page.next.map(Start::After) } {
            Some(start) => start,
            None => return all,
        };
        assert!(all.len() <= 200, "it goes in circles");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn pages_forwards_and_backwards_agree_with_one_big_list(rows in rows(), limit in 1..9_usize) {
        let device = inbox_of(&rows);
        let filters = [
            SearchFilter::default(),
            by_state(&[StateFilter::Unread]),
            by_state(&[StateFilter::Read]),
            by_state(&[StateFilter::Muted]),
            SearchFilter::words("disk"),
            SearchFilter { from: vec![vec!["ana".into()]], states: vec![StateFilter::Unread], ..SearchFilter::default() },
            SearchFilter { kinds: Some(vec![Kind::Announcement]), ..SearchFilter::default() },
        ];
        let places = [
            Place::Inbox, Place::Unread, Place::Pinned, Place::Snoozed, Place::Done,
            Place::Kind(Kind::Reminder), Place::Source(device.sources[1]),
        ];
        let position = |id: SourceId| device.replica.sources().unwrap().iter().position(|s| s.id == id);
        for place in places {
            for filter in &filters {
                for order in [Order::Newest, Order::Source] {
                    let big = ThreadQuery { filter: filter.clone(), order, ..ThreadQuery::top(place, 500) };
                    let full_list = device.replica.threads(&big).unwrap();
                    let sorted = full_list.rows.is_sorted_by_key(|row| {
                        let group = if order == Order::Source { position(row.source) } else { None };
                        let at = full_list.hits.get(&row.id).map_or(row.last_at, |hit| hit.created_at);
                        (group, std::cmp::Reverse((at, row.id)))
                    });
                    prop_assert!(sorted, "{place:?} {filter:?} {order:?}");
                    prop_assert_eq!((full_list.next, full_list.prev), (None, None));
                    prop_assert_eq!(full_list.total, full_list.rows.len() as u64, "{:?} {:?}", place, filter);
                    let query = ThreadQuery { limit, ..big };
                    prop_assert_eq!(read_all_pages(&device, &query, false), ids(&full_list.rows));
                    prop_assert_eq!(read_all_pages(&device, &query, true), ids(&full_list.rows));
                }
            }
        }
    }
}

#[test]
fn muted_threads_that_are_archived_in_part_are_in_the_order_of_done() {
    let row = |source, thread, sort, mark| Row { source, thread, sort, mark };
    let rows = [row(1, 15, 0, 5), row(2, 16, 0, 2), row(2, 16, 0, 5), row(1, 15, 2, 2), row(2, 16, 5, 7)];
    let device = inbox_of(&rows);
    let filter = by_state(&[StateFilter::Muted]);
    let query = ThreadQuery { filter, ..ThreadQuery::top(Place::Done, 9) };
    let listed = device.replica.threads(&query).unwrap().rows;
    let keys: Vec<&str> = listed.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(keys, ["t15", "t16"], "what is newer in the inbox moves nothing here");
}

/// A device with an item in a thread, and 2,099 newer ones with the same words in these threads.
fn with_many_finds(thread: impl Fn(i64) -> String) -> Device {
    let mut device = Device::new(1);
    device.add_item(0, "t0", &json!({"body": "disk full"}));
    let first = device.replica.items(&ItemFilter::default(), 1).unwrap().remove(0).notification;
    let many = (1..2_100).map(|n| {
        let mut one = first.clone();
        (one.msgid, one.thread) = (format!("many{n}").as_str().into(), thread(n));
        one.created_at = one.created_at.plus_micros(n);
        one
    });
    device.replica.apply(device.sources[0], Page { items: many.collect(), ..Page::default() }).unwrap();
    device
}

fn found(device: &Device, start: Start) -> ThreadPage {
    let filter = SearchFilter::words("disk ");
    device.replica.threads(&ThreadQuery { filter, start, ..ThreadQuery::top(Place::Inbox, 50) }).unwrap()
}

#[test]
fn the_first_page_of_a_search_that_finds_much_says_that_there_is_more() {
    let device = with_many_finds(|n| format!("t{n}"));
    let first = found(&device, Start::Top);
    assert_eq!((first.total, first.at_least), (2_000, true));
    let next = found(&device, Start::After(first.next.unwrap()));
    assert_eq!((next.total, next.at_least), (2_100, false));
}

#[test]
fn a_search_that_finds_much_in_one_thread_goes_on_to_the_others() {
    let device = with_many_finds(|_| "busy".to_owned());
    let page = found(&device, Start::Top);
    assert_eq!(page.rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), ["busy", "t0"]);
    assert!(!page.at_least);
}

#[test]
fn a_short_beginning_of_a_word_finds_what_the_index_finds() {
    let mut device = Device::new(1);
    let texts = [
        "the end",
        "At THE end",
        "breathe",
        "then",
        "th",
        "t",
        "thé",
        "THÉ noir",
        "éthe",
        "a_the b",
        "(the)",
        "4the",
        "the4",
        "用the写",
        "x-the",
        "tho",
        "tha",
        "数据库",
        "theatre",
        "that's",
        "t.h.e",
        "the\u{301}atre",
        "ﬁthe",
    ];
    for (nth, text) in texts.iter().enumerate() {
        let with = match nth % 3 {
            0 => json!({"title": text, "body": "x"}),
            1 => json!({"body": text, "actor": {"id": "theo", "name": "Bob"}}),
            _ => json!({"body": "x", "target": {"type": "article", "id": "7", "title": text}}),
        };
        device.add_item(0, &format!("t{nth}"), &with);
    }
    for beginning in ["th", "the", "then", "thea", "ft", "4t", "bo", "us", "t"] {
        for words in [beginning.to_owned(), format!("x {beginning}"), format!("{beginning} ")] {
            let filter = SearchFilter::words(&words);
            // With an empty text at the end no word is being typed, and the index answers alone.
            let by_index =
                SearchFilter { words: vec![words.clone(), String::new()], ..SearchFilter::default() };
            let items = device.replica.search(&by_index, 100).unwrap();
            assert_eq!(device.replica.search(&filter, 100).unwrap(), items, "{words}");
            let mut wanted: Vec<ThreadId> = items.iter().map(|item| item.thread).collect();
            wanted.sort_unstable();
            let page = device.replica.threads(&ThreadQuery { filter, ..ThreadQuery::top(Place::Inbox, 50) });
            let mut found = ids(&page.unwrap().rows);
            found.sort_unstable();
            assert_eq!(found, wanted, "{words}");
        }
    }
}

/// The numbers of the texts that have a word; one that begins with it will do, unless the `whole` word is asked for.
fn scan(texts: &[String], word: &str, whole: bool) -> Vec<usize> {
    let has = |text: &str| {
        text.split_whitespace().any(|one| if whole { one == word } else { one.starts_with(word) })
    };
    (0..texts.len()).filter(|nth| has(&texts[*nth])).collect()
}

#[test]
fn a_frequent_word_finds_what_a_plain_scan_of_all_texts_finds() {
    let mut device = Device::new(1);
    let texts: Vec<String> = (0..120)
        .map(|nth| {
            let word = ["https", "https", "https", "httpsd", "other"][nth % 5];
            format!("see {word} build{} theme{}", nth % 50, if nth % 7 == 0 { "s" } else { "" })
        })
        .collect();
    for (nth, text) in texts.iter().enumerate() {
        device.add_item(0, &format!("t{nth}"), &json!({"body": text}));
    }
    let key_of = |nth: &usize| format!("t{nth}");
    let sorted = |mut keys: Vec<String>| {
        keys.sort();
        keys
    };
    for (words, word, whole) in [
        ("HTTPS", "https", false),
        ("https ", "https", true),
        ("see https", "https", false),
        ("themes", "themes", false),
        ("theme", "theme", false),
        ("buil", "buil", false),
        ("build4", "build4", false),
        ("none", "none", false),
    ] {
        let wanted = scan(&texts, word, whole);
        let items = device.replica.search(&SearchFilter::words(words), 500).unwrap();
        let found: Vec<&str> = items.iter().map(|item| item.notification.content.body.as_str()).collect();
        let newest_first: Vec<&str> = wanted.iter().rev().map(|nth| texts[*nth].as_str()).collect();
        assert_eq!(found, newest_first, "{words}");
        let keys = sorted(wanted.iter().map(key_of).collect());
        assert_eq!(device.matching_keys(SearchFilter::words(words)), keys, "{words}");
    }

    // Few are unread, which are looked at first.
    for nth in 6..texts.len() {
        device.mark(&format!("t{nth}"), Mark::Read);
    }
    let unread = SearchFilter::words("https").and(by_state(&[StateFilter::Unread]));
    let wanted: Vec<usize> = scan(&texts, "https", false).into_iter().filter(|nth| *nth < 6).collect();
    assert_eq!(device.matching_keys(unread), sorted(wanted.iter().map(key_of).collect()));
}
