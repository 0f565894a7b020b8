//! Checks of publications: their stamps, their delivery and their recipients.

use futures_util::future::try_join_all;
use tidings_model::wire::NotificationEdit;
use tidings_store::domain::limits;

use super::*;

pub async fn the_same_key_is_done_once(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let idempotency = || {
        let answer = |posts: &Vec<Post>| StoredResponse {
            status: 201,
            body: posts[0].posted.msgid.as_str().as_bytes().to_vec(),
            token_salt: String::new(),
        };
        Some(Idempotency { token: "t".into(), key: "k".into(), answer: Box::new(answer) })
    };
    let Outcome::Done(first) = store.post(vec![announcement("1")], idempotency()).await.unwrap() else {
        panic!()
    };
    let Outcome::Replayed(again) = store.post(vec![announcement("2")], idempotency()).await.unwrap() else {
        panic!()
    };
    assert_eq!(again.body, first[0].posted.msgid.as_str().as_bytes());
    assert_eq!(store.stored_response("t", "k").await.unwrap(), Some(again));
    assert_eq!(store.stored_response("other", "k").await.unwrap(), None);
    assert_eq!(all(store, alice).await.len(), 1);
    clock.advance(25 * 3_600);
    assert_eq!(store.stored_response("t", "k").await.unwrap(), None);
    assert!(matches!(store.post(vec![announcement("3")], idempotency()).await.unwrap(), Outcome::Done(_)));
}

pub async fn stamps_only_grow(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let mut last = store.meta().await.unwrap().last_stamp;
    for step in [0, 5, -60, 0] {
        clock.advance(step);
        let posted = post(store, announcement("a")).await.posted;
        assert!(posted.stamp > last);
        assert!(store.newest_stamp().await.unwrap() >= posted.stamp);
        last = posted.stamp;
    }
    let items = all(store, alice).await;
    assert!(items.windows(2).all(|w| w[0].stamp < w[1].stamp && w[0].created_at < w[1].created_at));
    assert_eq!(store.position(alice).await.unwrap(), items[3].stamp);
}

pub async fn a_post_is_all_or_nothing(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let meta = store.meta().await.unwrap();
    assert_refused(store.post(vec![message("x", "alice"), message("x", "nobody")], None).await, "not_found");
    assert_eq!(store.meta().await.unwrap(), meta);
    assert!(all(store, alice).await.is_empty());
    let Outcome::Done(none) = store.post(Vec::new(), None).await.unwrap() else { panic!() };
    assert!(none.is_empty());
}

pub async fn an_announcement_is_for_those_who_are_there(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let posted = post(store, announcement("a")).await;
    assert_eq!(posted.recipients, Recipients::Everyone);
    let late = user(store, "late").await;
    let items = all(store, alice).await;
    assert_eq!(items[0].msgid, posted.posted.msgid);
    assert_eq!((items[0].created_at, items[0].version), (posted.posted.stamp, 1));
    assert!(items[0].stamp > posted.posted.stamp, "it is brought in at a fresh stamp");
    assert!(all(store, late).await.is_empty());
}

pub async fn an_announcement_is_read_for_who_posted_it(store: &dyn Store, _: &ManualClock) {
    let (alice, publisher) = (user(store, "alice").await, user(store, "press").await);
    let posted = post(store, announcement("a")).await.posted;
    assert_eq!((unread(store, alice).await, unread(store, publisher).await), (1, 0));
    let own = all(store, publisher).await.pop().unwrap();
    assert!(own.state("press").own, "it is there");
    assert_eq!(own.read_at, Some(posted.stamp), "and read");
    assert_eq!(all(store, alice).await[0].read_at, None);
    apply(store, publisher, vec![Change::Mark { mark: Mark::Unread, msgids: vec![own.msgid], at: None }])
        .await;
    assert_eq!(unread(store, publisher).await, 0);
    let edit = NotificationEdit { body: Some("b".to_owned()), ..NotificationEdit::default() };
    let by = Editor { user: publisher, id: "press".to_owned(), is_admin: true, application: None };
    let (edited, _) = store.edit(&posted.msgid, &edit, &by).await.unwrap();
    fan_in(store, publisher).await;
    let own = all(store, publisher).await.pop().unwrap();
    assert_eq!((own.content.body.as_str(), own.read_at), ("b", edited.revised_at));
}

pub async fn a_message_is_in_both_inboxes(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let posted = post(store, message("alice", "bob")).await;
    assert_eq!(posted.recipients, Recipients::Users(vec![bob, alice]));
    assert_eq!((unread(store, alice).await, unread(store, bob).await), (0, 1));
    assert_eq!(all(store, alice).await[0].conversation.as_deref(), Some("user:bob"));
    assert_eq!(all(store, bob).await[0].conversation.as_deref(), Some("user:alice"));
}

pub async fn a_sequence_changes_what_was_published(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let publication = |body: &str| {
        let mut draft = reminder("job", "publish", "job");
        draft.target = Some(Target { kind: "topic".into(), id: "job".into(), ..Target::default() });
        draft.content.body = body.into();
        draft.sequence = Some("run".into());
        draft.subscribe = Some(alice);
        draft
    };
    let first = post(store, publication("10 %")).await.posted;
    let item = all(store, alice).await.pop().unwrap();
    apply(store, alice, vec![Change::Mark { mark: Mark::Read, msgids: vec![first.msgid.clone()], at: None }])
        .await;
    assert_eq!(post(store, publication("90 %")).await.posted.msgid, first.msgid);
    let changed = all(store, alice).await;
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].msgid.clone(), changed[0].content.body.as_str()), (item.msgid, "90 %"));
    assert_eq!((changed[0].version, unread(store, alice).await), (3, 1));
    assert!(
        store.sequence("job", "run", SequenceChange::Clear, PostedBy::default()).await.unwrap().is_some()
    );
    assert_eq!(unread(store, alice).await, 0);
    assert!(
        store.sequence("job", "run", SequenceChange::Delete, PostedBy::default()).await.unwrap().is_some()
    );
    assert!(all(store, alice).await[0].deleted);
    assert!(
        store.sequence("job", "nope", SequenceChange::Clear, PostedBy::default()).await.unwrap().is_none()
    );
}

/// A publication on the topic `job`, under a sequence if one is given.
pub(super) fn on_topic(body: &str, sequence: Option<&str>) -> Draft {
    let mut draft = reminder("job", "publish", "job");
    draft.target = Some(Target { kind: "topic".into(), id: "job".into(), ..Target::default() });
    draft.content.body = body.into();
    draft.sequence = sequence.map(str::to_owned);
    draft
}

pub async fn what_happens_on_a_topic_is_listed_in_order(store: &dyn Store, _: &ManualClock) {
    assert_eq!(store.topic_latest("job").await.unwrap(), None);
    let one = post(store, on_topic("one", None)).await.posted;
    let run = post(store, on_topic("10 %", Some("run"))).await.posted;
    let two = post(store, on_topic("two", None)).await.posted;
    post(store, reminder("job", "publish", "other")).await;
    let listed = async |after: Stamp, limit: usize| {
        let (mut found, mut after) = (Vec::new(), after);
        loop {
            let page = store.topic_events("job", after, limit).await.unwrap();
            found.extend(page.events.into_iter().map(|e| (e.change, e.content.body, e.sequence)));
            let Some(next) = page.next else { return found };
            assert!(next > after, "a page leads on");
            after = next;
        }
    };
    let plain = |body: &str| (TopicChange::Published, body.to_owned(), None);
    let named = |change, body: &str| (change, body.to_owned(), Some("run".to_owned()));
    let first = [plain("one"), named(TopicChange::Published, "10 %"), plain("two")];
    for limit in [1, 2, 100] {
        assert_eq!(listed(Stamp::ZERO, limit).await, first, "{limit}");
    }
    assert_eq!(listed(run.stamp, 1).await, first[2..]);
    assert_eq!(store.topic_latest("job").await.unwrap(), Some(two.stamp));
    let revised = post(store, on_topic("90 %", Some("run"))).await.posted;
    assert_eq!(store.topic_latest("job").await.unwrap(), Some(revised.stamp));
    post(store, on_topic("two, corrected", Some(two.msgid.as_str()))).await;
    let cleared =
        store.sequence("job", one.msgid.as_str(), SequenceChange::Clear, PostedBy::default()).await.unwrap();
    assert_eq!(cleared.unwrap().posted.msgid, one.msgid);
    store.sequence("job", "run", SequenceChange::Delete, PostedBy::default()).await.unwrap().unwrap();
    assert_eq!(
        store.sequence("job", "run", SequenceChange::Delete, PostedBy::default()).await.unwrap(),
        None,
        "it is gone"
    );
    let last = [
        plain("one"),
        (TopicChange::Revised, "two, corrected".to_owned(), None),
        (TopicChange::Cleared, "one".to_owned(), None),
        named(TopicChange::Deleted, ""),
    ];
    for limit in [1, 2, 100] {
        assert_eq!(listed(Stamp::ZERO, limit).await, last, "{limit}");
    }
    assert_ne!(post(store, on_topic("again", Some("run"))).await.posted.msgid, run.msgid, "the name is free");
    assert_eq!(store.created_at(&one.msgid).await.unwrap(), Some(one.stamp));
    assert_eq!(store.created_at(&MsgId("nobody".into())).await.unwrap(), None);
}

pub async fn what_waits_on_a_topic_is_listed_replaced_and_cancelled(store: &dyn Store, clock: &ManualClock) {
    let schedule = async |draft: Draft, after: i64| match store
        .schedule(draft, clock.now().plus_secs(after), None)
        .await
        .unwrap()
    {
        Outcome::Done(msgid) => msgid,
        Outcome::Replayed(_) => unreachable!("it has no key"),
    };
    let waiting = async || {
        let waiting = store.scheduled_on("job", &[None]).await.unwrap();
        waiting.into_iter().map(|(_, _, draft)| draft.content.body).collect::<Vec<_>>()
    };
    schedule(on_topic("late", None), 120).await;
    let plain = schedule(on_topic("plain", None), 60).await;
    schedule(on_topic("first", Some("run")), 90).await;
    schedule(on_topic("second", Some("run")), 30).await;
    assert_eq!(waiting().await, ["second", "plain", "late"]);
    assert_eq!(
        store.sequence("job", plain.as_str(), SequenceChange::Delete, PostedBy::default()).await.unwrap(),
        None
    );
    assert_eq!(waiting().await, ["second", "late"]);
    post(store, on_topic("now", Some("run"))).await;
    assert_eq!(waiting().await, ["late"], "what is published under its name takes its place");
    clock.advance(200);
    assert_eq!(store.deliver_due().await.unwrap().0.len(), 1);
    assert_eq!(waiting().await, Vec::<String>::new());
}

pub async fn what_is_scheduled_comes_when_it_is_due(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let due = clock.now().plus_secs(60);
    let Outcome::Done(id) = store.schedule(announcement("later"), due, None).await.unwrap() else {
        panic!("done before")
    };
    let between = post(store, announcement("now")).await.posted;
    assert_eq!(store.deliver_due().await.unwrap(), (vec![], Some(due)));
    assert_eq!(all(store, alice).await.len(), 1);
    clock.advance(60);
    let (posts, next) = store.deliver_due().await.unwrap();
    assert_eq!((posts.len(), next), (1, None));
    assert_eq!(posts[0].posted.msgid, id);
    assert!(posts[0].posted.stamp > between.stamp);
    assert_eq!(all(store, alice).await.len(), 2);
}

pub async fn what_waits_has_a_bound_for_each_topic_and_each_publisher(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let due = clock.now().plus_secs(60);
    let draft_with_body = |topic: &str, bytes: usize, user| {
        let mut draft = reminder("bob", "like", topic);
        draft.content.body = "x".repeat(bytes);
        draft.posted_by.user = user;
        draft
    };
    let schedule = |topic: String, bytes, by| store.schedule(draft_with_body(&topic, bytes, by), due, None);
    // Some at a time: on a busy machine one would give up before hundreds of others had their turn.
    for _ in 0..limits::TOPIC_SCHEDULED / 50 {
        try_join_all((0..50).map(|_| schedule("t".into(), 1, Some(alice)))).await.unwrap();
    }
    assert_refused(schedule("t".into(), 1, Some(bob)).await, "rate_limited");
    // Another topic has room, until its publisher has reached the limit of a user.
    for first in (limits::TOPIC_SCHEDULED..limits::USER_SCHEDULED).step_by(50) {
        let some = first..first + 50;
        try_join_all(some.map(|n| schedule(format!("other{}", n / 400), 1, Some(alice)))).await.unwrap();
    }
    assert_refused(schedule("new".into(), 1, Some(alice)).await, "rate_limited");
    schedule("new".into(), 1, Some(bob)).await.unwrap();
    schedule("new".into(), 1, None).await.unwrap();
    // The same limits in bytes.
    let mib = 1024 * 1024;
    for topic in ["a", "b", "c", "d"] {
        for _ in 0..7 {
            schedule(topic.into(), mib, None).await.unwrap();
        }
        assert_refused(schedule(topic.into(), mib, Some(bob)).await, "rate_limited");
    }
    for _ in 0..3 {
        schedule("e".into(), mib, None).await.unwrap();
    }
    assert_refused(schedule("e".into(), mib, None).await, "rate_limited");
    schedule("e".into(), mib, Some(bob)).await.unwrap();
    // Delivered publications no longer count.
    clock.advance(60);
    while store.deliver_due().await.unwrap().1.is_some() {}
    schedule("t".into(), mib, Some(alice)).await.unwrap();
}

pub async fn only_the_concerned_are_named(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    subscribe(store, alice, "1", &["like"]).await;
    store.follow(bob, "dave").await.unwrap();
    let recipients = post(store, reminder("dave", "like", "1")).await.recipients;
    assert_eq!(
        store.recipients_among(std::slice::from_ref(&recipients), &[alice, bob, carol]).await.unwrap(),
        [alice, bob]
    );
    assert_eq!(store.recipients_among(std::slice::from_ref(&recipients), &[carol]).await.unwrap(), []);
    assert_eq!(store.recipients_among(&[Recipients::Everyone], &[carol]).await.unwrap(), [carol]);
    let recipients = Recipients::Users(vec![alice, bob]);
    assert_eq!(
        store.recipients_among(std::slice::from_ref(&recipients), &[bob, carol]).await.unwrap(),
        [bob]
    );
    group(store, alice, "crew", &["carol"]).await;
    let recipients = Recipients::Group("crew".into());
    assert_eq!(
        store.recipients_among(std::slice::from_ref(&recipients), &[alice, bob, carol]).await.unwrap(),
        [alice, carol]
    );
}
