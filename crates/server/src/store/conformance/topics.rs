//! Checks of the settings of topics and of the payloads that are kept for them.

use super::*;
use crate::domain::limits;
use crate::domain::topic::{Secret, Topic, TopicSettings};
use crate::store::Payload;

fn named(name: &str) -> TopicSettings {
    TopicSettings { name: name.to_owned(), ..TopicSettings::default() }
}

fn payload(body: &str, clock: &ManualClock) -> Payload {
    let (sender, event) = ("github".to_owned(), "push".to_owned());
    Payload { received_at: clock.now(), sender, event, body: body.to_owned() }
}

async fn bodies(store: &dyn Store, topic: &str) -> Vec<String> {
    store.payloads(topic).await.unwrap().into_iter().map(|payload| payload.body).collect()
}

pub(in crate::store) async fn a_topic_has_the_settings_that_were_set(store: &dyn Store, _: &ManualClock) {
    assert_eq!(store.topic_settings("job").await.unwrap(), None);
    let secret = |text: &str| BTreeMap::from([("github".to_owned(), Secret(text.to_owned()))]);
    let first = TopicSettings { publishers: Some(vec!["ann".into()]), secrets: secret("s"), ..named("Jobs") };
    assert_eq!(store.set_topic("job", first.clone()).await.unwrap(), first);
    let second = store.set_topic("job", named("All jobs")).await.unwrap();
    assert_eq!(second, TopicSettings { secrets: secret("s"), ..named("All jobs") }, "a secret is not lost");
    assert_eq!(store.topic_settings("job").await.unwrap(), Some(second));
    store.set_topic("job", TopicSettings { secrets: secret(""), ..named("Jobs") }).await.unwrap();
    assert_eq!(store.topic_settings("job").await.unwrap(), Some(named("Jobs")));
    store.set_topic("nas", named("NAS")).await.unwrap();
    let page: Vec<Topic> = store.topics(ListQuery::first(1)).await.unwrap().values().unwrap();
    assert_eq!(page, [Topic::new("job", named("Jobs"))]);
    let page: Vec<Topic> = store.topics(ListQuery::first(9).after("job")).await.unwrap().values().unwrap();
    assert_eq!(page, [Topic::new("nas", named("NAS"))]);
    store.remove_topic("job").await.unwrap();
    assert_eq!(store.topic_settings("job").await.unwrap(), None);
    assert_refused(store.remove_topic("job").await, "not_found");
}

pub(in crate::store) async fn the_last_payloads_of_a_topic_are_kept_within_bounds(
    store: &dyn Store,
    clock: &ManualClock,
) {
    for n in 0..=limits::TOPIC_PAYLOADS {
        store.keep_payload("job", payload(&n.to_string(), clock)).await.unwrap();
    }
    store.keep_payload("nas", payload("other", clock)).await.unwrap();
    let kept = bodies(store, "job").await;
    assert_eq!(kept.len(), limits::TOPIC_PAYLOADS);
    assert_eq!((kept[0].as_str(), kept[kept.len() - 1].as_str()), ("10", "1"), "the newest first");
    assert_eq!(store.payloads("nas").await.unwrap(), [payload("other", clock)]);
    let large = "x".repeat(limits::TOPIC_PAYLOADS_BYTES);
    store.keep_payload("job", payload(&format!("{large}x"), clock)).await.unwrap();
    assert_eq!(bodies(store, "job").await.len(), limits::TOPIC_PAYLOADS, "one that is too large is not kept");
    store.keep_payload("job", payload(&large, clock)).await.unwrap();
    assert_eq!(bodies(store, "job").await, [large]);
}

pub(in crate::store) async fn payloads_go_with_their_topic_and_with_age(
    store: &dyn Store,
    clock: &ManualClock,
) {
    store.keep_payload("job", payload("one", clock)).await.unwrap();
    store.remove_topic("job").await.unwrap();
    assert!(bodies(store, "job").await.is_empty());
    store.keep_payload("job", payload("old", clock)).await.unwrap();
    clock.advance(3_600);
    store.keep_payload("job", payload("young", clock)).await.unwrap();
    while store.prune(Some(clock.now().plus_secs(-60)), 9).await.unwrap() {}
    assert_eq!(bodies(store, "job").await, ["young"]);
    clock.advance((limits::PAYLOAD_DAYS + 1) * 24 * 3_600);
    while store.prune(None, 9).await.unwrap() {}
    assert!(bodies(store, "job").await.is_empty());
}
