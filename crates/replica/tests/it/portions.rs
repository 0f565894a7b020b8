//! Work in portions, told as stories: between two of them others write.

use tidings_replica::*;

use crate::desk::{Desk, server};

/// How often something was written while `work` ran.
fn writes(desk: &Desk, work: impl FnOnce()) -> usize {
    let mut told = desk.replica.subscribe();
    work();
    std::iter::from_fn(|| told.try_recv().ok()).count()
}

#[test]
pub(crate) fn a_large_page_is_written_in_parts_and_the_cursor_with_the_last() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..1_700_u32 {
        desk.clock.forward(10);
        server.post(u8::try_from(n % 4).unwrap(), u8::try_from(n % 7).unwrap(), "words");
    }
    let page = server.sync(None, 2_000);
    let mut applied = Applied::default();
    let parts = writes(&desk, || applied = desk.replica.apply(desk.source, page.clone().into()).unwrap());
    assert_eq!(parts, 4);
    assert_eq!(applied.arrived.len(), 1_700);
    assert_eq!(desk.replica.source(desk.source).unwrap().cursor, Some(page.next.to_string()));
    desk.well();
    let again = desk.replica.apply(desk.source, page.into()).unwrap();
    assert!(again.arrived.is_empty() && again.renewed.is_empty());
    desk.well();
}

#[test]
pub(crate) fn answers_and_what_wakes_are_taken_in_portions() {
    let mut server = server();
    let desk = Desk::at(&server);
    for n in 0..1_200_u32 {
        desk.clock.forward(10);
        server.post(1, u8::try_from(n % 200).unwrap(), "words");
    }
    desk.replica.apply(desk.source, server.sync(None, 2_000).into()).unwrap();
    let threads: Vec<ThreadId> = desk
        .replica
        .threads(&ThreadQuery::top(Place::Inbox, 500))
        .unwrap()
        .rows
        .iter()
        .map(|t| t.id)
        .collect();
    let until = tidings_model::Clock::now(&desk.clock).plus_secs(60);
    desk.replica.mark(Targets::Threads(threads), Mark::Snooze { until }).unwrap();
    let answered = writes(&desk, || while server.take(&desk.replica, desk.source, 1_000) {});
    assert!(answered >= 3, "{answered} writes");
    desk.well();
    desk.clock.forward(120_000_000);
    let woken = writes(&desk, || drop(desk.replica.wake(until.plus_secs(1)).unwrap()));
    assert!(woken >= 5, "{woken} writes");
    assert_eq!(desk.unread(), 1_200);
    desk.well();
}
