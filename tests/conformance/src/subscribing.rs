//! Checks of what subscriptions, follows, preferences and the catalog bring into an inbox.

use super::*;

pub async fn a_reminder_needs_a_subscription_made_before_it(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    post(store, reminder("bob", "like", "1")).await;
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    post(store, reminder("bob", "comment", "1")).await;
    post(store, reminder("bob", "like", "2")).await;
    post(store, reminder("alice", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 1);
    subscribe(store, alice, "1", &["like", "comment"]).await;
    let page = ListQuery::first(10);
    let listed = store.subscriptions(alice, Some("article".into()), None, page.clone()).await.unwrap();
    let listed: Vec<Subscription> = listed.values().unwrap();
    assert_eq!(listed[0].actions, ["comment", "like"]);
    post(store, reminder("bob", "comment", "1")).await;
    let target = TargetRef { kind: "article".into(), id: "1".into() };
    store.unsubscribe(alice, target.clone(), Some("like".into())).await.unwrap();
    post(store, reminder("bob", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 2);
    store.unsubscribe(alice, target, None).await.unwrap();
    assert!(store.subscriptions(alice, None, None, page).await.unwrap().0.is_empty());
}

pub async fn a_follow_brings_what_somebody_does(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let first = store.follow(alice, "bob").await.unwrap();
    assert_eq!(store.follow(alice, "bob").await.unwrap(), first);
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    post(store, reminder("bob", "share", "2")).await;
    post(store, reminder("carol", "share", "2")).await;
    assert_eq!(all(store, alice).await.len(), 2, "once, however many ways lead to it");
    let follows = store.follows(alice, ListQuery::first(10)).await.unwrap();
    assert_eq!(follows.values::<Follow>().unwrap(), [first]);
    store.unfollow(alice, "bob").await.unwrap();
    post(store, reminder("bob", "share", "2")).await;
    assert_eq!(all(store, alice).await.len(), 2);
}

pub async fn a_followed_topic_brings_what_is_published_on_it(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    store.follow(alice, "disk").await.unwrap();
    // So many that the search goes from what is followed.
    for _ in 0..100 {
        for draft in [
            Draft::on_topic("disk", None),
            Draft::on_topic("other", None),
            reminder("disk", "like", "1"),
            reminder("bob", "like", "2"),
        ] {
            post(store, draft).await;
        }
    }
    let items = all(store, alice).await;
    let on_topic = items.iter().filter(|item| item.target.as_ref().is_some_and(|t| t.kind == "topic"));
    assert_eq!((on_topic.count(), items.len()), (100, 200));
}

pub async fn what_is_brought_in_is_brought_in_once(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    for _ in 0..300 {
        post(store, reminder("bob", "like", "1")).await;
    }
    assert_eq!(all(store, alice).await.len(), 300);
    let meta = store.meta().await.unwrap();
    assert!(!store.fan_in(alice).await.unwrap());
    assert_eq!(store.meta().await.unwrap(), meta, "a pull with nothing to bring in writes nothing");
}

pub async fn a_long_absence_is_brought_in_page_by_page(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, alice, "last", &["like"]).await;
    subscribe(store, bob, "all", &["like"]).await;
    for _ in 0..42 {
        store.post(vec![reminder("carol", "like", "all"); 500], None).await.unwrap();
    }
    post(store, reminder("carol", "like", "last")).await;
    post(store, announcement("the end")).await;
    fan_in(store, alice).await;
    assert_eq!(all(store, alice).await.len(), 2);
    fan_in(store, bob).await;
    let (mut since, mut pulled) = (Stamp::ZERO, 0);
    loop {
        let page = store.sync(bob, since, 4_000).await.unwrap();
        pulled += page.items.len();
        since = page.next;
        if !page.more {
            break;
        }
    }
    assert_eq!(pulled, 21_001);
}

pub async fn preferences_hold_when_it_is_brought_in(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    let set = |wanted| BTreeMap::from([("like".to_owned(), wanted)]);
    post(store, reminder("bob", "like", "1")).await;
    store.set_preferences(alice, set(Some(false))).await.unwrap();
    assert_eq!(store.preferences(alice).await.unwrap(), BTreeMap::from([("like".to_owned(), false)]));
    assert!(all(store, alice).await.is_empty());
    store.set_preferences(alice, set(None)).await.unwrap();
    assert!(all(store, alice).await.is_empty(), "the pull has passed it");
    post(store, reminder("bob", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 1);
}

pub async fn the_catalog_decides_the_class(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    fan_in(store, alice).await;
    let view = View::Target("article:1".into());
    assert_eq!(store.visit(alice, &view, Visit::Now, 99).await.unwrap().1.count, 1);
    let mut catalog = (*store.catalog().await.unwrap()).clone();
    catalog.actions.get_mut("like").unwrap().class = tidings_model::Class::Auto;
    store.set_catalog(catalog.clone()).await.unwrap();
    assert_eq!(*store.catalog().await.unwrap(), catalog);
    assert_eq!(unread(store, alice).await, 1, "what is there stays as it came");
    post(store, reminder("bob", "like", "1")).await;
    assert_eq!(all(store, alice).await.iter().map(|i| i.auto).collect::<Vec<_>>(), [false, true]);
    assert_eq!(store.visit(alice, &view, Visit::Now, 99).await.unwrap().1.count, 1);
    catalog.actions.get_mut("like").unwrap().class = tidings_model::Class::Manual;
    store.set_catalog(catalog).await.unwrap();
    let items = all(store, alice).await;
    assert_eq!(
        items.iter().map(|i| (i.auto, i.read_at.is_some())).collect::<Vec<_>>(),
        [(false, false), (true, true)]
    );
}

pub async fn a_revised_item_of_auto_class_is_unread_until_its_views_mark_passes_the_revision(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let set_class = |class: tidings_model::Class| async move {
        let mut catalog = (*store.catalog().await.unwrap()).clone();
        catalog.actions.get_mut("publish").unwrap().class = class;
        store.set_catalog(catalog).await.unwrap();
    };
    set_class(tidings_model::Class::Auto).await;
    let publication = || {
        let mut draft = reminder("job", "publish", "job");
        draft.target = Some(Target { kind: "topic".into(), id: "job".into(), ..Target::default() });
        draft.sequence = Some("run".into());
        draft.subscribe = Some(alice);
        draft
    };
    let first = post(store, publication()).await.posted;
    fan_in(store, alice).await;
    let view = View::Target("topic:job".into());
    assert_eq!(store.visit(alice, &view, Visit::Now, 99).await.unwrap().1.count, 0);
    assert_eq!(all(store, alice).await[0].revised_at, None);

    let revised = post(store, publication()).await.posted;
    let item = all(store, alice).await.pop().unwrap();
    assert_eq!((item.auto, item.read_at, item.revised_at), (true, None, Some(revised.stamp)));
    assert_eq!(unread(store, alice).await, 1);
    let at = Visit::At(revised.stamp.plus_micros(-1));
    assert_eq!(store.visit(alice, &view, at, 99).await.unwrap().1.count, 1, "seen before the revision");
    apply(store, alice, vec![Change::Mark { mark: Mark::Read, msgids: vec![first.msgid.clone()], at: None }])
        .await;
    assert_eq!(unread(store, alice).await, 0);
    assert_eq!(all(store, alice).await[0].read_at, Some(revised.stamp), "the mark went as far as it");
    apply(
        store,
        alice,
        vec![Change::Mark { mark: Mark::Unread, msgids: vec![first.msgid.clone()], at: None }],
    )
    .await;
    assert_eq!(store.view(alice, &view, 99).await.unwrap().0, Some(first.stamp.plus_micros(-1)));
    assert_eq!(unread(store, alice).await, 1);
    apply(store, alice, vec![Change::ReadAll { kind: None, through: Stamp::MAX }]).await;
    assert_eq!(unread(store, alice).await, 0);

    set_class(tidings_model::Class::Manual).await;
    assert!(all(store, alice).await[0].auto, "the catalog alone changes nothing");
    post(store, publication()).await;
    let item = all(store, alice).await.pop().unwrap();
    assert_eq!((item.auto, item.read_at), (false, None), "a revision follows the catalog of its day");
    store.visit(alice, &view, Visit::Now, 99).await.unwrap();
    assert_eq!(unread(store, alice).await, 1);
}
