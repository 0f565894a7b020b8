//! Tests of digests and of the offer of one after an absence.

use tidings_ipc::{DigestQuery, DigestSpan, DigestTarget};
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, published};
use super::inbox;
use serde_json::json;

const HOUR: i64 = 60 * 60;

/// `count` publications on a topic.
async fn arrive(test: &TestApp, from: i64, count: i64) {
    let own = test.app.context.replica.sources().unwrap()[0].id;
    let items = (from..from + count).map(|n| published(&test.clock, n, "ci", "words")).collect();
    test.pulled(own, PullReason::Gap, items).await;
}

#[tokio::test]
async fn after_a_night_with_many_new_items_a_digest_is_offered_until_it_is_answered() {
    let test = open();
    test.source("");
    assert_eq!(test.app.absences.here().await.unwrap(), None, "the first time here is no absence");
    test.clock.advance(120);
    test.app.absences.here().await.unwrap();
    let left = test.app.context.now();
    test.clock.advance(5 * HOUR);
    assert_eq!(test.app.absences.away().await.unwrap(), None, "asking is no presence");
    test.clock.advance(4 * HOUR);
    arrive(&test, 1, 19).await;
    assert_eq!(test.app.absences.here().await.unwrap(), None, "a few are read in the list");
    arrive(&test, 100, 30).await;
    let away = test.app.absences.here().await.unwrap().unwrap();
    assert_eq!((away.since, away.items), (left.as_millis(), 49));
    assert_eq!(test.app.absences.away().await.unwrap(), Some(away));
    let digest = test.app.digests.digest(DigestQuery::default()).await.unwrap();
    assert_eq!((digest.since, digest.items), (left.as_millis(), 49), "since the reader was last here");
    test.app.absences.close_away().await.unwrap();
    assert_eq!(test.app.absences.here().await.unwrap(), None);
    assert_eq!(
        test.app.digests.digest(DigestQuery::default()).await.unwrap().items,
        49,
        "it can be opened again"
    );
}

#[tokio::test]
async fn a_digest_is_archived_as_it_was_made_and_taken_back() {
    let test = open();
    let own = test.source("");
    let work = test.source("Work");
    let since = test.app.context.now().as_millis();
    arrive(&test, 1, 3).await;
    let comment = notification(&test.clock, 50, &json!({"priority": 5}));
    test.pulled(work, PullReason::Live, vec![comment]).await;
    test.clock.advance(3 * HOUR);
    let query = DigestQuery { since: Some(since), last_item: None };
    let digest = test.app.digests.digest(query).await.unwrap();
    assert_eq!((digest.items, digest.unread.unread, digest.high, digest.threads), (4, 4, 1, 2));
    assert_eq!((digest.by, digest.bars.len()), (DigestSpan::Hour, 4));
    assert_eq!(digest.bars.iter().map(|bar| bar.items).sum::<u64>(), 4);
    assert_eq!(digest.sources.iter().map(|one| one.source).collect::<Vec<_>>(), [own, work]);
    assert_eq!(digest.sources[1].lines[0].row.who, "Ana");
    assert_eq!((digest.people[0].name.as_str(), digest.people[0].face.initials.as_str()), ("Ana", "A"));

    arrive(&test, 90, 1).await;
    let all =
        DigestTarget { since: digest.since_micros, last_item: digest.last_item, source: None, thread: None };
    let of_work = test.app.digests.archive_digest(DigestTarget { source: Some(work), ..all }).await.unwrap();
    let again = DigestQuery { last_item: Some(digest.last_item), ..query };
    assert_eq!(test.app.digests.digest(again).await.unwrap().items, 3);
    test.app.digests.archive_digest(all).await.unwrap();
    assert_eq!(test.app.digests.digest(again).await.unwrap().items, 0);
    let left = test.app.reading.threads(inbox()).await.unwrap();
    assert_eq!((left.rows.len(), left.rows[0].who.as_str()), (1, "ci"), "what arrived later is still here");
    test.app.marks.undo(of_work.undo.unwrap()).await.unwrap();
    assert_eq!(test.app.digests.digest(again).await.unwrap().items, 1);
}

#[tokio::test]
async fn a_long_digest_has_a_bar_a_day_and_never_too_many() {
    let test = open();
    test.source("");
    arrive(&test, 1, 2).await;
    let days = |days: i64| DigestQuery {
        since: Some(test.app.context.now().plus_secs(-days * 24 * HOUR).as_millis()),
        last_item: None,
    };
    let week = test.app.digests.digest(days(7)).await.unwrap();
    assert_eq!((week.by, week.bars.len()), (DigestSpan::Day, 8));
    assert_eq!(week.bars[7].items, 2);
    let years = test.app.digests.digest(days(4_000)).await.unwrap();
    assert!(years.bars.len() <= 92, "{}", years.bars.len());
    assert_eq!(years.bars.iter().map(|bar| bar.items).sum::<u64>(), 2);
}
