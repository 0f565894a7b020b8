//! Tests of bulk marks on all threads of a list.

use serde_json::json;
use tidings_model::{Clock, Stamp};
use tidings_replica::*;

use super::Device;

fn everything(place: Place, filter: SearchFilter) -> BulkTarget {
    BulkTarget { place, place_only: false, filter }
}

#[test]
pub(crate) fn all_that_a_list_holds_is_marked_in_portions_and_taken_back() {
    let mut device = Device::new(2);
    for n in 0..2_400 {
        let body = if n % 2 == 0 { "build failed" } else { "build passed" };
        device.add_item(n % 2, &format!("t{}", n / 2), &json!({"body": body}));
    }
    let unread = || device.replica.counts().unwrap().total;
    let waiting = || device.replica.counts().unwrap().waiting;
    let (done, threads) =
        device.replica.mark_bulk(&everything(Place::Inbox, SearchFilter::default()), Mark::Read).unwrap();
    assert_eq!((done.items, threads, unread(), waiting()), (2_400, 2_400, 0, 2), "one operation a source");
    device.assert_consistent();
    let back = device.replica.undo(&done.undo.unwrap()).unwrap();
    assert_eq!((back.items, unread()), (2_400, 2_400));
    device.assert_consistent();

    let failed = everything(Place::Inbox, SearchFilter::words("failed"));
    let (done, threads) = device.replica.mark_bulk(&failed, Mark::Archive).unwrap();
    assert_eq!((done.items, threads, device.replica.counts().unwrap().places.done), (1_200, 1_200, 1_200));
    device.assert_consistent();
    // One thread is moved back meanwhile; the undo leaves it alone.
    let one = device.replica.threads(&ThreadQuery::top(Place::Done, 1)).unwrap().rows[0].id;
    device.replica.mark(Targets::Threads(vec![one]), Mark::Unarchive).unwrap();
    assert_eq!(device.replica.undo(&done.undo.unwrap()).unwrap().items, 1_199);
    assert_eq!(device.replica.counts().unwrap().places.done, 0);
    device.assert_consistent();

    let until = Stamp::from_micros(device.clock.now().as_micros() + 60_000_000);
    for (mark, place) in [
        (Mark::Snooze { until }, Place::Snoozed),
        (Mark::Pin, Place::Pinned),
        (Mark::Archive, Place::Done),
        (Mark::Unarchive, Place::Inbox),
    ] {
        let from = if mark == Mark::Unarchive { Place::Done } else { Place::Inbox };
        if mark == Mark::Unarchive {
            device
                .replica
                .mark_bulk(&everything(Place::Inbox, SearchFilter::default()), Mark::Archive)
                .unwrap();
        }
        let (done, threads) =
            device.replica.mark_bulk(&everything(from, SearchFilter::default()), mark).unwrap();
        let total_of = |place| device.replica.threads(&ThreadQuery::top(place, 1)).unwrap().total;
        assert_eq!((threads, total_of(place)), (2_400, 2_400), "{mark:?}");
        device.assert_consistent();
        device.replica.undo(&done.undo.unwrap()).unwrap();
        assert_eq!(total_of(from), 2_400, "{mark:?} is taken back");
        device.assert_consistent();
    }
    let (done, threads) =
        device.replica.mark_bulk(&everything(Place::Pinned, SearchFilter::default()), Mark::Unpin).unwrap();
    assert_eq!((threads, done.undo), (0, None), "nothing changed");
}

#[test]
pub(crate) fn others_write_while_all_is_marked() {
    let mut device = Device::new(1);
    for n in 0..3_000 {
        device.add_item(0, &format!("t{n}"), &json!({}));
    }
    let replica = device.replica.clone();
    let marking = std::thread::spawn(move || {
        replica.mark_bulk(&everything(Place::Inbox, SearchFilter::default()), Mark::Archive).unwrap()
    });
    let mut between = 0;
    while !marking.is_finished() {
        device.add_item(0, "meanwhile", &json!({}));
        between += u64::from(!marking.is_finished());
    }
    marking.join().unwrap();
    assert!(between > 0, "nobody else came to write");
    assert_eq!(device.replica.counts().unwrap().places.inbox, 1);
    device.assert_consistent();
}
