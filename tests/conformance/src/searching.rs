//! Checks of what lies one past each bound of a search that is no pull, of counts, recounts and of `check`.

use tidings_store::Bounds;
use tidings_store::domain::limits::CONVERSATIONS_LIMIT;

use super::publishing::on_topic;
use super::*;

/// More than the smallest bounds that are not named here.
const MANY: usize = 4;

pub async fn the_newest_publication_is_found_behind_any_number_of_deleted_ones(
    store: &dyn Store,
    _: &ManualClock,
) {
    let mut posted = Vec::new();
    for n in 0..MANY {
        posted.push(post(store, on_topic(&n.to_string(), None)).await.posted);
    }
    for n in 0..MANY / 2 {
        let again = on_topic("again", Some(posted[n].msgid.as_str()));
        posted.push(post(store, again).await.posted);
    }
    for newest in posted.iter().rev().take(MANY) {
        assert_eq!(store.topic_latest("job").await.unwrap(), Some(newest.stamp));
        let name = newest.msgid.as_str();
        store.sequence("job", name, SequenceChange::Delete, PostedBy::default()).await.unwrap().unwrap();
    }
    assert_eq!(store.topic_latest("job").await.unwrap(), None);
}

/// The types of targets on a page of the subscriptions to the id 1 of any type.
async fn types_on_page(store: &dyn Store, user: UserKey, page: ListQuery) -> Result<Vec<String>, Error> {
    let page = store.subscriptions(user, None, Some("1".into()), page).await?;
    Ok(page.values::<Subscription>()?.into_iter().map(|found| found.target.kind).collect())
}

pub async fn with_one_target_type_past_the_bound_the_type_is_asked_for(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let types: Vec<String> = (0..=Bounds::SMALLEST.target_types).map(|n| format!("type{n}")).collect();
    let whole = ListQuery::first(9);
    for (nth, kind) in types.iter().enumerate() {
        assert_eq!(types_on_page(store, alice, whole.clone()).await.unwrap(), types[..nth]);
        let target = TargetRef { kind: kind.clone(), id: "1".into() };
        store.subscribe(alice, target, vec!["like".into()], None).await.unwrap();
    }
    assert_refused(types_on_page(store, alice, whole.clone()).await, "invalid");
    assert_eq!(types_on_page(store, alice, whole.after("type0:1")).await.unwrap(), types[1..]);
    let (mut found, mut page): (Vec<String>, _) = (Vec::new(), ListQuery::first(1));
    loop {
        let of_page = types_on_page(store, alice, page).await.unwrap();
        let Some(last) = of_page.last() else { break };
        page = ListQuery::first(1).after(&format!("{last}:1"));
        found.extend(of_page);
    }
    assert_eq!(found, types, "full pages lead past the bound");
}

pub async fn with_one_recipient_past_the_bound_everybody_gets_a_hint(store: &dyn Store, _: &ManualClock) {
    let (most, stranger) = (Bounds::SMALLEST.recipients, user(store, "stranger").await);
    let mut readers = Vec::new();
    for n in 0..=most {
        readers.push(user(store, &format!("reader{n}")).await);
    }
    let connected = [&[stranger][..], &readers[..]].concat();
    for (nth, reader) in readers.iter().enumerate() {
        subscribe(store, *reader, "1", &["like"]).await;
        let subscribed = &readers[..=nth];
        let recipients = post(store, reminder("dan", "like", "1")).await.recipients;
        let hinted = store.recipients_among(&[recipients], &connected).await.unwrap();
        assert!(subscribed.iter().all(|user| hinted.contains(user)), "nobody is left out");
        // At the bound itself it may be either.
        if subscribed.len() != most {
            let wanted = if subscribed.len() < most { subscribed } else { &connected[..] };
            assert_eq!(hinted, wanted);
        }
    }
}

pub async fn idle_users_past_the_bound_of_a_recount_hide_nobody(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    for n in 0..MANY {
        user(store, &format!("idle{n}")).await;
    }
    let bob = user(store, "bob").await;
    post(store, message("alice", "alice")).await;
    post(store, message("bob", "bob")).await;
    let (mut recounted, mut after) = (Vec::new(), UserKey(0));
    while let Some(next) = store.reconcile(after, Stamp::ZERO, 1).await.unwrap().1 {
        assert!(next > after, "a recount goes on");
        recounted.push(next);
        after = next;
    }
    assert!(recounted.contains(&alice) && recounted.contains(&bob), "{recounted:?}");
}

/// For a store with its smallest bounds; `corrupt` runs SQL past it.
pub async fn one_difference_past_the_bound_is_told_and_repaired(store: &dyn Store, corrupt: impl Fn(&str)) {
    let (alice, most) = (user(store, "alice").await, Bounds::SMALLEST.differences);
    for n in 0..=most {
        post(store, message(&format!("peer{n}"), "alice")).await;
    }
    let all = most as u64 + 1;
    assert_eq!(unread(store, alice).await, all);
    corrupt("UPDATE items SET unread = 0 WHERE created_at < (SELECT max(created_at) FROM items)");
    let found = store.check().await.unwrap();
    assert_eq!(found.len(), most);
    assert!(found.iter().all(|difference| difference.what.starts_with("unread mark of")), "{found:?}");
    corrupt("UPDATE items SET unread = 0");
    let found = store.check().await.unwrap();
    assert_eq!(found.len(), most + 1);
    assert!(found[most].what.starts_with("further unread marks"), "{found:?}");
    corrupt("DELETE FROM conversations");
    assert!(!store.reconcile(UserKey(0), Stamp::ZERO, 9).await.unwrap().0.is_empty());
    assert_eq!(store.check().await.unwrap(), []);
    assert_eq!(unread(store, alice).await, all);
}

pub async fn one_conversation_past_those_that_are_named_is_counted_and_listed(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let peers: Vec<String> = (0..=CONVERSATIONS_LIMIT).map(|n| format!("peer{n:04}")).collect();
    for part in peers.chunks(500) {
        store.post(part.iter().map(|peer| message(peer, "alice")).collect(), None).await.unwrap();
    }
    fan_in(store, alice).await;
    let ids: Vec<String> = peers.iter().map(|peer| format!("user:{peer}")).collect();
    let all = ids.len() as u64;
    let counts = store.unread(alice, all).await.unwrap();
    assert_eq!((counts.total.count, counts.message.count), (all, all));
    assert!(counts.conversations.keys().eq(&ids[..CONVERSATIONS_LIMIT]));
    let newest = ConversationQuery { before: None, limit: 1, cap: 9 };
    let newest = store.conversations(alice, newest).await.unwrap().pop().unwrap();
    assert_eq!((newest.id, newest.unread.count), (ids[CONVERSATIONS_LIMIT].clone(), 1));
    store.visit(alice, &View::Conversation(ids[0].clone()), Visit::Now, 9).await.unwrap();
    assert!(store.unread(alice, all).await.unwrap().conversations.keys().eq(&ids[1..]));
}

pub async fn one_change_past_the_bound_ends_the_count_of_what_is_to_come(store: &dyn Store, _: &ManualClock) {
    let (alice, most) = (user(store, "alice").await, Bounds::SMALLEST.counted_changes as u64);
    for n in 0..=most {
        post(store, message("bob", "alice")).await;
        assert_eq!(store.changes_after(alice, Stamp::ZERO).await.unwrap(), most.min(n + 1));
    }
}

pub async fn one_inbox_past_a_statement_is_told_to_another_process(store: &dyn Store, _: &ManualClock) {
    if !store.is_shared() {
        return;
    }
    let mut known = Vec::new();
    for n in 0..MANY {
        let id = format!("reader{n}");
        let reader = user(store, &id).await;
        known.push((reader, store.inbox_stamp(reader).await.unwrap()));
        post(store, message("bob", &id)).await;
    }
    let changed = store.changes_since(Stamp::ZERO, &known).await.unwrap().inboxes;
    let told: Vec<UserKey> = changed.iter().map(|inbox| inbox.user).collect();
    assert_eq!(told, known.iter().map(|(reader, _)| *reader).collect::<Vec<_>>());
}
