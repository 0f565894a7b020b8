//! What subscriptions, follows, preferences and the catalog bring into an inbox.
//! Refuses shortcuts around the pull.

use super::*;

pub async fn a_reminder_needs_a_subscription_made_before_it(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    post(store, reminder("bob", "like", "1")).await;
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    post(store, reminder("bob", "comment", "1")).await;
    post(store, reminder("bob", "like", "2")).await;
    post(store, reminder("alice", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 1);
    subscribe(store, alice, "1", &["like", "comment"]).await;
    let listed = store.subscriptions(alice, Some("article".into()), None).await.unwrap();
    assert_eq!(listed[0].actions, ["comment", "like"]);
    post(store, reminder("bob", "comment", "1")).await;
    let target = TargetRef { kind: "article".into(), id: "1".into() };
    store.unsubscribe(alice, target.clone(), Some("like".into())).await.unwrap();
    post(store, reminder("bob", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 2);
    store.unsubscribe(alice, target, None).await.unwrap();
    assert_eq!(store.subscriptions(alice, None, None).await.unwrap(), []);
}

pub async fn a_follow_brings_what_somebody_does(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    let first = store.follow(alice, "bob").await.unwrap();
    assert_eq!(store.follow(alice, "bob").await.unwrap(), first);
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    post(store, reminder("bob", "share", "2")).await;
    post(store, reminder("carol", "share", "2")).await;
    assert_eq!(all(store, alice).await.len(), 2, "once, however many ways lead to it");
    assert_eq!(store.follows(alice).await.unwrap(), [first]);
    store.unfollow(alice, "bob").await.unwrap();
    post(store, reminder("bob", "share", "2")).await;
    assert_eq!(all(store, alice).await.len(), 2);
}

pub async fn what_is_brought_in_is_brought_in_once(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    for _ in 0..300 {
        post(store, reminder("bob", "like", "1")).await;
    }
    assert_eq!(all(store, alice).await.len(), 300);
    let head = store.head().await.unwrap();
    assert!(!store.bring_in(alice).await.unwrap());
    assert_eq!(store.head().await.unwrap(), head, "a pull with nothing to bring in writes nothing");
}

pub async fn a_long_absence_is_brought_in_page_by_page(store: &dyn Store, _: &StandingClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, alice, "last", &["like"]).await;
    subscribe(store, bob, "all", &["like"]).await;
    for _ in 0..42 {
        store.post(vec![reminder("carol", "like", "all"); 500], None).await.unwrap();
    }
    post(store, reminder("carol", "like", "last")).await;
    post(store, announcement("the end")).await;
    bring_in(store, alice).await;
    assert_eq!(all(store, alice).await.len(), 2);
    bring_in(store, bob).await;
    let (mut since, mut got) = (Stamp::ZERO, 0);
    loop {
        let page = store.sync(bob, since, 4_000).await.unwrap();
        got += page.items.len();
        since = page.next;
        if !page.more {
            break;
        }
    }
    assert_eq!(got, 21_001);
}

pub async fn preferences_hold_when_it_is_brought_in(store: &dyn Store, _: &StandingClock) {
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

pub async fn the_catalog_decides_the_class(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    bring_in(store, alice).await;
    let view = View::Target("article:1".into());
    assert_eq!(store.visit(alice, &view, Visit::Now, 99).await.unwrap().1.count, 1);
    let mut catalog = (*store.catalog().await.unwrap()).clone();
    catalog.actions.get_mut("like").unwrap().class = tidings_model::Class::Auto;
    store.set_catalog(catalog.clone()).await.unwrap();
    assert_eq!(*store.catalog().await.unwrap(), catalog);
    assert_eq!(unread(store, alice).await, 0);
}
