//! Checks of the settings of topics and of the payloads that are kept for them.

use tidings_store::Payload;
use tidings_store::domain::limits;
use tidings_store::domain::topic::{Secret, Topic, TopicSettings};

use super::publishing::on_topic;
use super::*;

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

pub async fn a_topic_has_the_settings_that_were_set(store: &dyn Store, _: &ManualClock) {
    assert_eq!(store.topic_settings("job").await.unwrap(), None);
    let secret = |text: &str| BTreeMap::from([("github".to_owned(), Secret(text.to_owned()))]);
    let ids = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect());
    let first = TopicSettings {
        publishers: ids(&["ann"]),
        readers: ids(&["ann", "bob.b"]),
        secrets: secret("s"),
        ..named("Jobs")
    };
    assert_eq!(store.set_topic("job", first.clone()).await.unwrap(), first);
    let second = store.set_topic("job", named("All jobs")).await.unwrap();
    assert_eq!(second, TopicSettings { secrets: secret("s"), ..named("All jobs") }, "a secret is not lost");
    assert_eq!(store.topic_settings("job").await.unwrap(), Some(second));
    store.set_topic("job", TopicSettings { secrets: secret(""), ..named("Jobs") }).await.unwrap();
    assert_eq!(store.topic_settings("job").await.unwrap(), Some(named("Jobs")));
    let nobody = TopicSettings { readers: ids(&[]), ..named("NAS") };
    assert_eq!(store.set_topic("nas", nobody.clone()).await.unwrap(), nobody);
    let page: Vec<Topic> = store.topics(ListQuery::first(1)).await.unwrap().values().unwrap();
    assert_eq!(page, [Topic::new("job", named("Jobs"))]);
    let page: Vec<Topic> = store.topics(ListQuery::first(9).after("job")).await.unwrap().values().unwrap();
    assert_eq!(page, [Topic::new("nas", nobody)]);
    store.remove_topic("job").await.unwrap();
    assert_eq!(store.topic_settings("job").await.unwrap(), None);
    assert_refused(store.remove_topic("job").await, "not_found");
}

pub async fn the_last_payloads_of_a_topic_are_kept_within_bounds(store: &dyn Store, clock: &ManualClock) {
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

pub async fn payloads_go_with_their_topic_and_with_age(store: &dyn Store, clock: &ManualClock) {
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

fn read_by(ids: &[&str]) -> TopicSettings {
    TopicSettings {
        readers: Some(ids.iter().map(|id| (*id).to_owned()).collect()),
        ..TopicSettings::default()
    }
}

async fn texts(store: &dyn Store, user: UserKey) -> Vec<String> {
    let items = all(store, user).await;
    items.into_iter().filter(|item| !item.deleted).map(|item| item.content.body).collect()
}

async fn subscribe_to_topic(store: &dyn Store, user: UserKey) {
    let target = TargetRef { kind: "topic".into(), id: "job".into() };
    store.subscribe(user, target, vec!["publish".into(), "comment".into()], None).await.unwrap();
}

pub async fn a_topic_is_read_by_those_whom_its_settings_name(store: &dyn Store, _: &ManualClock) {
    let (ann, mal) = (user(store, "ann").await, user(store, "mal").await);
    let follower = user(store, "al").await;
    subscribe_to_topic(store, ann).await;
    subscribe_to_topic(store, mal).await;
    store.follow(follower, "job").await.unwrap();
    post(store, on_topic("for all", None)).await;
    for user in [ann, mal, follower] {
        assert_eq!(texts(store, user).await, ["for all"]);
    }
    let topics = ["other".to_owned(), "job".to_owned()];
    assert_eq!(store.unreadable_topic("mal", &topics).await.unwrap(), None);

    // An item that is not pulled yet falls under the settings at its pull.
    post(store, on_topic("before", None)).await;
    let before = store.meta().await.unwrap().auth_version;
    store.set_topic("job", read_by(&["ann", "mallory", "amal"])).await.unwrap();
    assert_ne!(
        store.meta().await.unwrap().auth_version,
        before,
        "every process hears that streams may have to end"
    );
    assert_eq!(store.unreadable_topic("mal", &topics).await.unwrap().as_deref(), Some("job"));
    assert_eq!(store.unreadable_topic("ann", &topics).await.unwrap(), None);
    assert_eq!(store.unreadable_topic("nobody", &topics[..1]).await.unwrap(), None);
    let posted = post(store, on_topic("secret", None)).await;
    let mut comment = on_topic("a comment", None);
    comment.action = "comment".into();
    post(store, comment).await;
    post(store, announcement("to everybody")).await;
    for user in [mal, follower] {
        assert_eq!(texts(store, user).await, ["for all", ""], "what it had, and what is of no topic");
        assert_eq!(store.unread(user, 99).await.unwrap().total.count, 2);
    }
    assert_eq!(texts(store, ann).await, ["for all", "before", "secret", "a comment", ""]);
    let concerned = std::slice::from_ref(&posted.recipients);
    assert_eq!(store.recipients_among(concerned, &[ann, mal, follower]).await.unwrap(), [ann]);

    // Many at once are searched in another way.
    store.post(vec![on_topic("many", None); 300], None).await.unwrap();
    for user in [mal, follower] {
        assert_eq!(texts(store, user).await.len(), 2);
    }
    assert_eq!(texts(store, ann).await.len(), 305);

    store.set_topic("job", TopicSettings::default()).await.unwrap();
    assert_eq!(texts(store, mal).await.len(), 2, "the pull has passed it");
    post(store, on_topic("for all again", None)).await;
    for user in [mal, follower] {
        assert_eq!(texts(store, user).await, ["for all", "", "for all again"]);
    }
    assert_eq!(texts(store, ann).await.len(), 306);
    store.set_topic("job", read_by(&[])).await.unwrap();
    post(store, on_topic("for nobody", None)).await;
    assert_eq!(texts(store, ann).await.len(), 306);
}

pub async fn what_is_revised_leaves_who_may_not_read_it_any_more(store: &dyn Store, _: &ManualClock) {
    let (ann, mal) = (user(store, "ann").await, user(store, "mal").await);
    subscribe_to_topic(store, ann).await;
    subscribe_to_topic(store, mal).await;
    post(store, on_topic("10 %", Some("run"))).await;
    post(store, on_topic("plain", None)).await;
    for user in [ann, mal] {
        assert_eq!(texts(store, user).await, ["10 %", "plain"]);
    }
    store.set_topic("job", read_by(&["ann"])).await.unwrap();
    assert_eq!(texts(store, mal).await, ["10 %", "plain"], "what it had stays");
    post(store, on_topic("20 %", Some("run"))).await;
    let mut of_ann = texts(store, ann).await;
    of_ann.sort();
    assert_eq!(of_ann, ["20 %", "plain"]);
    let items = all(store, mal).await;
    assert!(items.iter().all(|item| item.content.body != "20 %"), "{items:?}");
    assert_eq!(texts(store, mal).await, ["plain"], "its former content is nowhere kept");
    assert_eq!(store.unread(mal, 99).await.unwrap().total.count, 1);
    store.sequence("job", "run", SequenceChange::Clear, PostedBy::default()).await.unwrap();
    assert_eq!(texts(store, mal).await, ["plain"]);
}

pub async fn what_waits_is_listed_to_its_publisher_alone(store: &dyn Store, clock: &ManualClock) {
    let (ann, mal) = (user(store, "ann").await, user(store, "mal").await);
    for (n, publisher) in [Some(ann), None, Some(mal), Some(ann)].into_iter().enumerate() {
        let due = clock.now().plus_secs(60 - i64::try_from(n).unwrap());
        let posted_by = PostedBy { user: publisher, ..PostedBy::default() };
        let draft = Draft { posted_by, ..on_topic(&n.to_string(), None) };
        store.schedule(draft, due, None).await.unwrap();
    }
    let listed = async |publishers: &[Option<UserKey>]| {
        let waiting = store.scheduled_on("job", publishers).await.unwrap();
        waiting.into_iter().map(|(_, _, draft)| draft.content.body).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[Some(ann)]).await, ["3", "0"]);
    assert_eq!(listed(&[Some(mal), None]).await, ["2", "1"]);
    assert_eq!(listed(&[]).await, Vec::<String>::new());
}
