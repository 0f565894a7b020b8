//! Tests of digests: what happened since a time, and marks on exactly that.

use serde_json::json;
use tidings_model::{Clock, Stamp};
use tidings_replica::*;

use crate::search::Device;

fn scope(device: &Device, since: Stamp) -> DigestScope {
    DigestScope { since, last_item: device.replica.last_item().unwrap(), source: None, thread: None }
}

fn digest(device: &Device, since: Stamp) -> Digest {
    device.replica.digest(scope(device, since), &|since| vec![since, since.plus_secs(4)]).unwrap()
}

fn keys(source: &DigestSource) -> Vec<&str> {
    source.lines.iter().map(|line| line.thread.key.as_str()).collect()
}

/// Two sources: one with a busy, an urgent, a direct and a muted thread, one with a topic.
fn two_sources() -> (Device, Stamp) {
    let mut device = Device::new(2);
    device.add_item(0, "article:1#comment", &json!({"body": "before"}));
    let since = device.clock.now().plus_secs(1);
    for _ in 0..3 {
        device.add_item(0, "article:1#comment", &json!({"actor": {"id": "ana", "name": "Ana Ruiz"}}));
    }
    for _ in 0..5 {
        device.add_item(0, "article:2#like", &json!({}));
    }
    device.mark("article:2#like", Mark::Mute { until: None });
    device.add_item(0, "article:3#comment", &json!({"priority": 5}));
    device.add_item(
        0,
        "user:cy",
        &json!({"kind": "message", "conversation": "user:cy", "actor": {"id": "cy", "name": "Cy"}}),
    );
    device.add_item(
        1,
        "topic:ci#publish",
        &json!({"actor": {"id": "ci", "name": "ci"}, "action": "publish"}),
    );
    (device, since)
}

#[test]
pub(crate) fn a_digest_has_what_came_since_a_time_by_source_and_the_important_first() {
    let (device, since) = two_sources();
    device.mark("article:3#comment", Mark::Read);
    let all = digest(&device, since);
    assert_eq!((all.items, all.high, all.threads), (11, 1, 5), "without what was before");
    assert_eq!((all.unread, all.counted), (10, 5), "what is muted is unread and does not count");
    assert_eq!((all.bars.clone(), all.is_shortened, all.scope.since), (vec![4, 7], false, since));
    assert_eq!(all.sources.iter().map(|one| (one.items, one.threads)).collect::<Vec<_>>(), [(10, 4), (1, 1)]);
    assert_eq!(
        keys(&all.sources[0]),
        ["article:3#comment", "user:cy", "article:1#comment", "article:2#like"],
        "urgent, written directly, by volume, muted"
    );
    let line = &all.sources[0].lines[1];
    assert_eq!((line.items, line.direct, line.priority), (1, true, 3));
    let people: Vec<(&str, u64)> = all.people.iter().map(|one| (one.id.as_str(), one.items)).collect();
    assert_eq!((people, all.people_count), (vec![("bob", 6), ("ana", 3), ("cy", 1)], 3), "a topic is nobody");
    assert_eq!(device.replica.counted_since(since, 100).unwrap(), 5, "neither read nor muted");
    assert_eq!(device.replica.counted_since(since, 3).unwrap(), 3);
    assert_eq!(digest(&device, device.clock.now().plus_secs(1)).items, 0);
}

#[test]
pub(crate) fn archiving_a_digest_takes_exactly_what_it_shows_and_comes_back_whole() {
    let (mut device, since) = two_sources();
    device.mark("topic:ci#publish", Mark::Archive);
    let made = scope(&device, since);
    assert_eq!(digest(&device, since).items, 10, "what is archived is not in it");
    device.add_item(0, "article:3#comment", &json!({"body": "came after it was made"}));
    let one = DigestScope { thread: Some(device.id("article:3#comment")), ..made };
    assert_eq!(device.replica.mark_digest(one, Mark::Archive).unwrap().items, 1);
    device.assert_consistent();
    let source = DigestScope { source: Some(device.sources[1]), ..made };
    assert_eq!(device.replica.mark_digest(source, Mark::Archive).unwrap().items, 0);
    let done = device.replica.mark_digest(made, Mark::Archive).unwrap();
    assert_eq!(done.items, 9);
    device.assert_consistent();
    assert_eq!(device.replica.digest(made, &|_| Vec::new()).unwrap().items, 0);
    let inbox = device.replica.threads(&ThreadQuery::top(Place::Inbox, 9)).unwrap();
    let mut left: Vec<&str> = inbox.rows.iter().map(|row| row.key.as_str()).collect();
    left.sort_unstable();
    assert_eq!(left, ["article:1#comment", "article:3#comment"], "what was before, and what came after");
    assert_eq!(device.replica.undo(&done.undo.unwrap()).unwrap().items, 9);
    assert_eq!(device.replica.digest(made, &|_| Vec::new()).unwrap().items, 9);
    device.assert_consistent();
}

#[test]
pub(crate) fn a_large_digest_is_archived_in_portions_and_names_a_few_threads() {
    let mut device = Device::new(1);
    let since = device.clock.now();
    for n in 0..1_300 {
        device.add_item(0, &format!("t{}", n % 20), &json!({}));
    }
    let all = digest(&device, since);
    assert_eq!((all.items, all.threads, all.sources[0].lines.len()), (1_300, 20, Digest::MAX_LINES));
    let done = device.replica.mark_digest(all.scope, Mark::Archive).unwrap();
    assert_eq!((done.items, device.replica.counts().unwrap().places.done), (1_300, 20));
    device.replica.undo(&done.undo.unwrap()).unwrap();
    assert_eq!(digest(&device, since).items, 1_300);
    device.assert_consistent();
}
