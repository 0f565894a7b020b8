//! Checks of which publication a name on a topic means for each publisher. A publisher changes its own publications;
//! one that may publish for others changes everybody's.

use tidings_store::named::NEWEST_NAMED;

use super::publishing::on_topic;
use super::*;

/// Somebody who reads, and publishes under its own name.
fn reader(user: UserKey) -> PostedBy {
    PostedBy { user: Some(user), changes_others: false }
}

/// Somebody who publishes for others.
fn publisher(user: UserKey) -> PostedBy {
    PostedBy { user: Some(user), changes_others: true }
}

fn by(posted_by: PostedBy, draft: Draft) -> Draft {
    Draft { posted_by, ..draft }
}

/// What is in an inbox and was not deleted, by msgid: its text, and whether it is read.
async fn texts(store: &dyn Store, user: UserKey) -> Vec<(String, bool)> {
    let mut items = all(store, user).await;
    items.retain(|item| !item.deleted);
    items.sort_by_key(|item| item.created_at);
    items.into_iter().map(|item| (item.content.body, item.read_at.is_some())).collect()
}

fn unread_texts(texts: &[&str]) -> Vec<(String, bool)> {
    texts.iter().map(|text| ((*text).to_owned(), false)).collect()
}

pub async fn a_name_on_a_topic_belongs_to_its_publisher(store: &dyn Store, _: &ManualClock) {
    let (alice, mal) = (user(store, "alice").await, user(store, "mal").await);
    let reads = user(store, "reads").await;
    let target = TargetRef { kind: "topic".into(), id: "job".into() };
    store.subscribe(reads, target, vec!["publish".into()], None).await.unwrap();
    let names = [reader(alice), reader(mal), PostedBy::default()];
    let mut posted = Vec::new();
    for (nth, name) in names.into_iter().enumerate() {
        posted.push(post(store, by(name, on_topic(&format!("{nth}"), Some("run")))).await.posted.msgid);
    }
    assert_eq!(
        texts(store, reads).await,
        unread_texts(&["0", "1", "2"]),
        "the same name of another is another item"
    );
    for (nth, name) in names.into_iter().enumerate() {
        let again = post(store, by(name, on_topic(&format!("{nth}, again"), Some("run")))).await;
        assert_eq!(again.posted.msgid, posted[nth]);
    }
    assert_eq!(texts(store, reads).await, unread_texts(&["0, again", "1, again", "2, again"]));
    for change in [SequenceChange::Clear, SequenceChange::Delete] {
        for (name, others) in [(reader(mal), &posted[0]), (PostedBy::default(), &posted[1])] {
            assert_refused(store.sequence("job", others.as_str(), change, name).await, "forbidden");
        }
    }
    // A name that is somebody else's msgid is a name like any other.
    let first = posted[0].as_str();
    let other = post(store, by(reader(mal), on_topic("mal's", Some(first)))).await.posted.msgid;
    assert!(!posted.contains(&other));
    post(store, by(reader(alice), on_topic("hers", Some("only alice")))).await;
    for change in [SequenceChange::Clear, SequenceChange::Delete] {
        assert_refused(store.sequence("job", "only alice", change, reader(mal)).await, "forbidden");
        assert_eq!(store.sequence("other", "only alice", change, reader(mal)).await.unwrap(), None);
    }
    assert_eq!(
        texts(store, reads).await,
        unread_texts(&["0, again", "1, again", "2, again", "mal's", "hers"])
    );
    // A name leads to one's own, even if it is somebody else's msgid.
    store.sequence("job", first, SequenceChange::Delete, reader(mal)).await.unwrap().unwrap();
    store.sequence("job", first, SequenceChange::Delete, reader(alice)).await.unwrap().unwrap();
    store.sequence("job", "run", SequenceChange::Delete, PostedBy::default()).await.unwrap().unwrap();
    assert_eq!(texts(store, reads).await, unread_texts(&["1, again", "hers"]));
    store.sequence("job", "run", SequenceChange::Clear, reader(mal)).await.unwrap().unwrap();
    assert_eq!(texts(store, reads).await[0], ("1, again".to_owned(), true));
}

pub async fn who_publishes_for_others_means_its_own_and_then_the_newest_of_anybody(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (ops, reads) = (user(store, "ops").await, user(store, "reads").await);
    let target = TargetRef { kind: "topic".into(), id: "job".into() };
    store.subscribe(reads, target, vec!["publish".into()], None).await.unwrap();
    for (name, text) in [(alice, "alice's"), (bob, "bob's")] {
        post(store, by(reader(name), on_topic(text, Some("run")))).await;
    }
    let revised = post(store, by(publisher(ops), on_topic("of bob, by ops", Some("run")))).await;
    assert_eq!(texts(store, reads).await, unread_texts(&["alice's", "of bob, by ops"]));
    // It stays its publisher's.
    let own = post(store, by(reader(bob), on_topic("bob's", Some("run")))).await;
    assert_eq!(own.posted.msgid, revised.posted.msgid);
    store.sequence("job", "run", SequenceChange::Delete, publisher(ops)).await.unwrap().unwrap();
    assert_eq!(texts(store, reads).await, unread_texts(&["alice's"]));
    post(store, by(publisher(ops), on_topic("of alice, by ops", Some("run")))).await;
    assert_eq!(texts(store, reads).await, unread_texts(&["of alice, by ops"]));
    store.sequence("job", "run", SequenceChange::Delete, publisher(ops)).await.unwrap().unwrap();
    assert_eq!(store.sequence("job", "run", SequenceChange::Delete, publisher(ops)).await.unwrap(), None);
    // What is its own comes first, however old.
    post(store, by(publisher(ops), on_topic("ops'", Some("run")))).await;
    let alices = post(store, by(reader(alice), on_topic("alice's", Some("run")))).await.posted.msgid;
    post(store, by(publisher(ops), on_topic("ops', again", Some("run")))).await;
    assert_eq!(texts(store, reads).await, unread_texts(&["ops', again", "alice's"]));
    post(store, by(publisher(ops), on_topic("by its msgid", Some(alices.as_str())))).await;
    assert_eq!(texts(store, reads).await, unread_texts(&["ops', again", "by its msgid"]));
    store.sequence("job", alices.as_str(), SequenceChange::Delete, publisher(ops)).await.unwrap().unwrap();
    assert_eq!(texts(store, reads).await, unread_texts(&["ops', again"]));
    // In one request too.
    let drafts = [reader(alice), publisher(bob), publisher(ops), PostedBy::default()];
    let drafts = drafts.iter().enumerate().map(|(n, who)| by(*who, on_topic(&n.to_string(), Some("step"))));
    let Outcome::Done(posts) = store.post(drafts.collect(), None).await.unwrap() else { panic!("no key") };
    let msgids: Vec<_> = posts.iter().map(|post| post.posted.msgid.clone()).collect();
    assert_eq!((&msgids[0], &msgids[0]), (&msgids[1], &msgids[2]));
    assert_ne!(msgids[0], msgids[3]);
    assert_eq!(texts(store, reads).await, unread_texts(&["ops', again", "2", "3"]));
}

pub async fn a_name_behind_the_newest_of_many_is_found_by_its_publisher_and_its_msgid(
    store: &dyn Store,
    _: &ManualClock,
) {
    let ops = publisher(user(store, "ops").await);
    let mut posted = Vec::new();
    for n in 0..=NEWEST_NAMED {
        let name = reader(user(store, &format!("user{n}")).await);
        posted.push((name, post(store, by(name, on_topic("", Some("run")))).await.posted.msgid));
    }
    for (_, msgid) in posted[1..].iter().rev() {
        let deleted = store.sequence("job", "run", SequenceChange::Delete, ops).await.unwrap();
        assert_eq!(deleted.unwrap().posted.msgid, *msgid);
    }
    // All that are looked at are deleted now.
    assert_eq!(store.sequence("job", "run", SequenceChange::Delete, ops).await.unwrap(), None);
    let (first, msgid) = &posted[0];
    store.sequence("job", msgid.as_str(), SequenceChange::Clear, ops).await.unwrap().unwrap();
    let deleted = store.sequence("job", "run", SequenceChange::Delete, *first).await.unwrap();
    assert_eq!(deleted.unwrap().posted.msgid, *msgid);
}

pub async fn what_waits_is_taken_back_by_its_msgid_for_its_publisher(store: &dyn Store, clock: &ManualClock) {
    let (alice, mal) = (user(store, "alice").await, user(store, "mal").await);
    let editor = |user, id: &str| Editor { user, id: id.to_owned(), is_admin: false, application: None };
    let due = clock.now().plus_secs(60);
    let mut waiting = Vec::new();
    for text in ["one", "two"] {
        match store.schedule(by(reader(alice), on_topic(text, None)), due, None).await.unwrap() {
            Outcome::Done(msgid) => waiting.push(msgid),
            Outcome::Replayed(_) => unreachable!("it has no key"),
        }
    }
    let of_an_application = Editor { application: Some("a".into()), ..editor(alice, "alice") };
    for other in [editor(mal, "mal"), of_an_application] {
        assert_refused(store.recall(&waiting[0], &other).await, "not_found");
    }
    assert_eq!(store.recall(&waiting[0], &editor(alice, "alice")).await.unwrap(), None);
    let admin = Editor { is_admin: true, ..editor(mal, "mal") };
    assert_eq!(store.recall(&waiting[1], &admin).await.unwrap(), None);
    clock.advance(60);
    while store.deliver_due().await.unwrap().1.is_some() {}
    assert_eq!(store.topic_latest("job").await.unwrap(), None);
}

pub async fn what_was_cancelled_is_cancelled_again_for_a_day_by_who_may_cancel_it(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (alice, mal) = (user(store, "alice").await, user(store, "mal").await);
    let editor = |user, id: &str| Editor { user, id: id.to_owned(), is_admin: false, application: None };
    let (hers, admin) = (editor(alice, "alice"), Editor { is_admin: true, ..editor(mal, "mal") });
    let due = clock.now().plus_secs(600);
    let draft = by(reader(alice), on_topic("text", None));
    let Outcome::Done(msgid) = store.schedule(draft, due, None).await.unwrap() else {
        unreachable!("it has no key")
    };
    for _ in 0..2 {
        assert_eq!(store.recall(&msgid, &hers).await.unwrap(), None);
    }
    assert_eq!(store.recall(&msgid, &admin).await.unwrap(), None);
    let of_an_application = Editor { application: Some("a".into()), ..hers.clone() };
    for other in [editor(mal, "mal"), of_an_application] {
        assert_refused(store.recall(&msgid, &other).await, "not_found");
    }
    clock.advance(25 * 3_600);
    while store.prune(None, 100).await.unwrap() {}
    assert_refused(store.recall(&msgid, &hers).await, "not_found");
}

pub async fn what_waits_is_replaced_and_cancelled_by_its_publisher(store: &dyn Store, clock: &ManualClock) {
    let (alice, mal, ops) = (user(store, "alice").await, user(store, "mal").await, user(store, "ops").await);
    let reads = user(store, "reads").await;
    let target = TargetRef { kind: "topic".into(), id: "job".into() };
    store.subscribe(reads, target, vec!["publish".into()], None).await.unwrap();
    let schedule = async |who: PostedBy, text: &str, sequence: Option<&str>, after: i64| {
        let due = clock.now().plus_secs(after);
        match store.schedule(by(who, on_topic(text, sequence)), due, None).await.unwrap() {
            Outcome::Done(msgid) => msgid,
            Outcome::Replayed(_) => unreachable!("it has no key"),
        }
    };
    let waiting = async || {
        let waiting = store.scheduled_on("job", &[Some(alice), Some(mal), Some(ops), None]).await.unwrap();
        waiting.into_iter().map(|(_, _, draft)| draft.content.body).collect::<Vec<_>>()
    };
    let plain = schedule(reader(alice), "plain", None, 60).await;
    schedule(reader(alice), "alice's", Some("run"), 90).await;
    schedule(reader(mal), "mal's", Some("run"), 120).await;
    assert_eq!(waiting().await, ["plain", "alice's", "mal's"]);
    let (mut page, mut hers) = (ListQuery::first(1), Vec::new());
    loop {
        let listed: Vec<serde_json::Value> = store.scheduled_by(alice, page).await.unwrap().values().unwrap();
        let Some(last) = listed.last() else { break };
        page = ListQuery::first(1).after(last["msgid"].as_str().unwrap());
        hers.push(last["body"].as_str().unwrap().to_owned());
    }
    hers.sort();
    assert_eq!(hers, ["alice's", "plain"], "in pages, and nobody else's");
    assert_refused(
        store.sequence("job", plain.as_str(), SequenceChange::Delete, reader(mal)).await,
        "forbidden",
    );
    let untold = store.sequence("job", "run", SequenceChange::Delete, PostedBy::default()).await;
    assert_refused(untold, "forbidden");
    post(store, by(reader(mal), on_topic("mal's, now", Some("run")))).await;
    assert_eq!(waiting().await, ["plain", "alice's"]);
    schedule(reader(alice), "alice's, again", Some("run"), 100).await;
    assert_eq!(waiting().await, ["plain", "alice's, again"]);
    // For a publisher for others, a name means a publication before one that waits.
    schedule(publisher(ops), "of mal, by ops", Some("run"), 80).await;
    assert_eq!(waiting().await, ["plain", "of mal, by ops", "alice's, again"]);
    store.sequence("job", plain.as_str(), SequenceChange::Delete, publisher(ops)).await.unwrap();
    schedule(reader(alice), "alice's other", Some("other"), 70).await;
    post(store, by(publisher(ops), on_topic("in place of alice's other", Some("other")))).await;
    assert_eq!(waiting().await, ["of mal, by ops", "alice's, again"]);
    assert_eq!(texts(store, reads).await, unread_texts(&["mal's, now", "in place of alice's other"]));
    clock.advance(200);
    while store.deliver_due().await.unwrap().1.is_some() {}
    let arrived = unread_texts(&["of mal, by ops", "in place of alice's other", "alice's, again"]);
    assert_eq!(texts(store, reads).await, arrived, "who published it is known when it is due");
    store.sequence("job", "run", SequenceChange::Delete, reader(alice)).await.unwrap().unwrap();
    assert_eq!(texts(store, reads).await, arrived[..2]);
}

pub async fn listeners_of_a_topic_are_told_a_name_of_the_first_who_has_it(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, mal) = (user(store, "alice").await, user(store, "mal").await);
    let heard = async || {
        let page = store.topic_events("job", Stamp::ZERO, 100).await.unwrap();
        let events = page.events.into_iter();
        events.map(|event| (event.content.body, event.sequence)).collect::<Vec<_>>()
    };
    let named = |text: &str| (text.to_owned(), Some("run".to_owned()));
    let unnamed = |text: &str| (text.to_owned(), None);
    post(store, by(reader(alice), on_topic("alice's", Some("run")))).await;
    post(store, by(reader(mal), on_topic("mal's", Some("run")))).await;
    assert_eq!(heard().await, [named("alice's"), unnamed("mal's")]);
    post(store, by(reader(alice), on_topic("alice's, again", Some("run")))).await;
    post(store, by(reader(mal), on_topic("mal's, again", Some("run")))).await;
    store.sequence("job", "run", SequenceChange::Clear, reader(mal)).await.unwrap().unwrap();
    assert_eq!(heard().await.last(), Some(&unnamed("mal's, again")));
    store.sequence("job", "run", SequenceChange::Delete, reader(alice)).await.unwrap().unwrap();
    let last = heard().await;
    assert!(last.contains(&named("")) && !last.contains(&named("mal's, again")), "{last:?}");
}
