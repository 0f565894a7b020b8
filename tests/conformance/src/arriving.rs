//! Checks of how far members have pulled group messages, and of the receipts that their senders get.

use tidings_store::Readers;

use super::*;

/// A pull by a device, with pages of `limit` items; gives the items and where it ended.
async fn pull(
    store: &dyn Store,
    user: UserKey,
    mut since: Stamp,
    limit: usize,
) -> (Vec<Notification>, Stamp) {
    fan_in(store, user).await;
    let mut items = Vec::new();
    loop {
        let page = page(store, user, since, limit).await;
        since = page.1;
        items.extend(page.0);
        if !page.2 {
            return (items, since);
        }
    }
}

/// One page of a pull: its items, where it ended, and whether there is more.
async fn page(
    store: &dyn Store,
    user: UserKey,
    since: Stamp,
    limit: usize,
) -> (Vec<Notification>, Stamp, bool) {
    let page = store.sync(user, since, limit).await.unwrap();
    if let Some(to) = page.delivered_to {
        store.set_delivered(user, to).await.unwrap();
    }
    (page.items().unwrap(), page.next, page.more)
}

async fn readers(store: &dyn Store, msgid: &MsgId) -> Readers {
    store.readers("crew", msgid, ListQuery::first(10)).await.unwrap()
}

/// How many have read the message, with how many it has arrived, and with whom only that.
async fn counts(store: &dyn Store, msgid: &MsgId) -> (u32, u32, Vec<String>) {
    let before = readers(store, msgid).await;
    // It is the same before and after what was pulled is counted.
    while store.count_deliveries().await.unwrap() {}
    let readers = readers(store, msgid).await;
    assert_eq!(before, readers);
    assert!(readers.delivered.iter().all(|id| readers.unread.contains(id)));
    (readers.read_count, readers.delivered_count, readers.delivered)
}

/// The receipt that the sender's inbox has.
async fn receipt(store: &dyn Store, sender: UserKey, msgid: &MsgId) -> (u32, u32, u32) {
    let item = all(store, sender).await.into_iter().find(|item| item.msgid == *msgid).unwrap();
    let receipt = item.receipt.unwrap();
    (receipt.read, receipt.delivered, receipt.members)
}

fn bobs() -> Vec<String> {
    vec!["bob".to_owned()]
}

pub async fn a_message_has_arrived_with_whom_a_device_has_pulled_it(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    user(store, "carol").await;
    group(store, alice, "crew", &["bob", "carol"]).await;
    let one = post(store, to_group("alice", "crew")).await.posted.msgid;
    let (_, since) = pull(store, alice, Stamp::ZERO, 10).await;
    assert_eq!(unread(store, bob).await, 1);
    store.inbox(bob, InboxQuery { limit: 10, ..InboxQuery::default() }).await.unwrap();
    assert_eq!(counts(store, &one).await, (0, 0, vec![]), "a list is no pull");

    let (_, bobs_end) = pull(store, bob, Stamp::ZERO, 10).await;
    let after = readers(store, &one).await;
    assert_eq!((after.unread.len(), after.member_count), (2, 2));
    assert!(store.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.is_empty(), "no event of its own");
    let (news, since) = pull(store, alice, since, 10).await;
    let news: Vec<_> =
        news.iter().map(|item| (&item.msgid, item.version, item.receipt.unwrap().delivered)).collect();
    assert_eq!(news, [(&one, 2, 1)], "the sender's next pull says so");
    assert_eq!(counts(store, &one).await, (0, 1, bobs()));
    assert_eq!(pull(store, alice, since, 10).await.0, [], "once");

    // Another device, and a pull that brings nothing, change nothing.
    pull(store, bob, Stamp::ZERO, 1).await;
    pull(store, bob, bobs_end, 10).await;
    assert_eq!(pull(store, alice, since, 10).await.0, []);
    assert_eq!(receipt(store, alice, &one).await, (0, 1, 2));
    store.set_delivered(bob, Stamp::from_micros(1)).await.unwrap();
    assert_eq!(counts(store, &one).await, (0, 1, bobs()), "a position never goes back");
}

pub async fn a_message_that_is_read_has_arrived_however_it_came(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    group(store, alice, "crew", &["bob", "carol"]).await;
    let one = post(store, to_group("alice", "crew")).await.posted.msgid;
    let two = post(store, to_group("alice", "crew")).await.posted.msgid;
    let view = View::Conversation("group:crew".into());
    let read = async |reader, msgid: &MsgId| {
        store.visit(reader, &view, Visit::Item(msgid.clone()), 99).await.unwrap()
    };
    // One reads it before it is counted that he has pulled it, the other without a pull.
    pull(store, bob, Stamp::ZERO, 10).await;
    read(bob, &one).await;
    fan_in(store, carol).await;
    read(carol, &one).await;
    assert_eq!(receipt(store, alice, &one).await, (2, 2, 2));
    assert_eq!(counts(store, &one).await, (2, 2, vec![]));
    assert_eq!(counts(store, &two).await, (0, 1, bobs()));
    pull(store, carol, Stamp::ZERO, 10).await;
    assert_eq!(counts(store, &one).await, (2, 2, vec![]), "nobody counts twice");
    read(bob, &two).await;
    assert_eq!(counts(store, &two).await, (1, 2, vec!["carol".to_owned()]));
    read(carol, &two).await;
    assert_eq!(counts(store, &two).await, (2, 2, vec![]));
    assert_eq!(receipt(store, alice, &two).await, (2, 2, 2));
}

pub async fn a_page_of_a_pull_delivers_what_it_brings_and_no_more(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    let mut posted = Vec::new();
    for _ in 0..3 {
        posted.push(post(store, to_group("alice", "crew")).await.posted.msgid);
        post(store, message("alice", "bob")).await;
    }
    fan_in(store, bob).await;
    // The first one changes before it is pulled, so it comes last.
    let seen = Change::Mark { mark: Mark::Seen, msgids: vec![posted[0].clone()], at: None };
    apply(store, bob, vec![seen]).await;
    let arrived = async || {
        let mut arrived = Vec::new();
        for msgid in &posted {
            arrived.push(counts(store, msgid).await.1);
        }
        arrived
    };
    let (mut since, mut more) = (Stamp::ZERO, true);
    let mut brought = Vec::new();
    while more {
        let (items, next, is_more) = page(store, bob, since, 1).await;
        (since, more) = (next, is_more);
        brought.extend(items.into_iter().map(|item| item.msgid));
        for (msgid, arrived) in posted.iter().zip(arrived().await) {
            assert!(arrived == 0 || brought.contains(msgid), "{msgid} of {posted:?} after {brought:?}");
        }
    }
    assert_eq!(arrived().await, [1, 1, 1]);
    let four = post(store, to_group("alice", "crew")).await.posted.msgid;
    let five = post(store, to_group("alice", "crew")).await.posted.msgid;
    fan_in(store, bob).await;
    page(store, bob, since, 1).await;
    assert_eq!((counts(store, &four).await.1, counts(store, &five).await.1), (1, 0));
}

pub async fn a_message_has_arrived_with_who_counts_also_when_they_went(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (carol, dave) = (user(store, "carol").await, user(store, "dave").await);
    group(store, alice, "crew", &["bob", "carol"]).await;
    let one = post(store, to_group("alice", "crew")).await.posted.msgid;
    store.leave("crew", "bob").await.unwrap();
    store.join("crew", "dave").await.unwrap();
    for member in [bob, dave] {
        pull(store, member, Stamp::ZERO, 10).await;
    }
    assert_eq!(counts(store, &one).await, (0, 1, bobs()), "who left has it, who came later does not count");
    pull(store, carol, Stamp::ZERO, 10).await;
    store.remove_user("carol", WrittenContent::Keep).await.unwrap();
    while store.prune(None, 10).await.unwrap() {}
    assert_eq!(counts(store, &one).await, (0, 2, bobs()), "it did arrive");
    assert_eq!(receipt(store, alice, &one).await, (0, 2, 2));
}

pub async fn positions_of_pulls_go_with_what_retention_removes(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    post(store, to_group("alice", "crew")).await;
    pull(store, bob, Stamp::ZERO, 10).await;
    clock.advance(3_600);
    while store.prune(Some(clock.now()), 10).await.unwrap() {}
    assert!(all(store, alice).await.is_empty());
    let two = post(store, to_group("alice", "crew")).await.posted.msgid;
    assert_eq!(counts(store, &two).await, (0, 0, vec![]));
    pull(store, bob, Stamp::ZERO, 10).await;
    assert_eq!(counts(store, &two).await, (0, 1, bobs()));
}

pub async fn many_messages_arrive_and_are_told_in_portions(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    let (mut posted, mut since) = (Vec::new(), Stamp::ZERO);
    for _ in 0..4 {
        posted.push(post(store, to_group("alice", "crew")).await.posted.msgid);
        since = pull(store, alice, since, 10).await.1;
    }
    // Those before the last one are not on a page whose position is stored.
    fan_in(store, bob).await;
    let whole = store.sync(bob, Stamp::ZERO, 10).await.unwrap();
    store.set_delivered(bob, whole.delivered_to.unwrap()).await.unwrap();
    for msgid in &posted {
        assert_eq!(counts(store, msgid).await, (0, 1, bobs()));
    }
    let told = pull(store, alice, since, 1).await.0;
    assert!(told.iter().all(|item| item.receipt.is_some_and(|receipt| receipt.delivered == 1)));
    assert_eq!(told.into_iter().map(|item| item.msgid).collect::<Vec<_>>(), posted);
}

pub async fn the_newest_messages_are_told_at_once_and_the_one_before_when_it_is_counted(
    store: &dyn Store,
    _: &ManualClock,
) {
    /// Of one sender, those that are looked up before what was pulled is counted.
    const NEWEST: usize = 100;
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    store.post(vec![to_group("alice", "crew"); NEWEST + 1], None).await.unwrap();
    let (posted, since) = pull(store, alice, Stamp::ZERO, 200).await;
    let posted: Vec<MsgId> = posted.into_iter().map(|item| item.msgid).collect();
    pull(store, bob, Stamp::ZERO, 200).await;
    let (mut told, since) = pull(store, alice, since, 200).await;
    let has_arrived = |msgid: &MsgId, told: &[Notification]| {
        told.iter().any(|item| item.msgid == *msgid && item.receipt.is_some_and(|r| r.delivered == 1))
    };
    assert_eq!(posted.len(), NEWEST + 1);
    assert!(posted[1..].iter().all(|msgid| has_arrived(msgid, &told)), "those that were posted last");
    while store.count_deliveries().await.unwrap() {}
    told.extend(pull(store, alice, since, 200).await.0);
    assert_eq!(told.len(), posted.len(), "each is told once");
    assert!(posted.iter().all(|msgid| has_arrived(msgid, &told)));
}
