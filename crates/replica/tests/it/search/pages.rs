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
            5 => Mark::Mute,
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
