//! Checks of groups and read receipts.

use super::*;

pub async fn a_group_is_seen_from_within(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    group(store, alice, "crew", &["bob", "alice"]).await;
    assert_refused(store.add_group(bob, Some("crew".into()), "x".into(), vec![], None).await, "conflict");
    assert_refused(store.add_group(bob, None, "x".into(), vec!["nobody".into()], None).await, "not_found");
    assert_refused(store.post(vec![to_group("carol", "crew")], None).await, "forbidden");
    assert_refused(store.post(vec![to_group("alice", "nope")], None).await, "not_found");
    assert_eq!(post(store, to_group("alice", "crew")).await.recipients, Recipients::Group("crew".into()));
    store.join("crew", "carol").await.unwrap();
    assert_eq!(store.join("crew", "carol").await.unwrap().members.len(), 3);
    post(store, to_group("alice", "crew")).await;
    store.leave("crew", "bob").await.unwrap();
    assert_refused(store.leave("crew", "bob").await, "not_found");
    post(store, to_group("alice", "crew")).await;
    let counts = [all(store, alice).await.len(), all(store, bob).await.len(), all(store, carol).await.len()];
    assert_eq!(counts, [3, 2, 2]);
    assert!(store.is_member("crew", carol).await.unwrap() && !store.is_member("crew", bob).await.unwrap());
    let recipients = [Recipients::Group("crew".into())];
    assert_eq!(store.recipients_among(&recipients, &[bob, carol]).await.unwrap(), [carol]);
    store.leave("crew", "alice").await.unwrap();
    assert_eq!(store.group("crew").await.unwrap().unwrap().owner, "carol");
    assert_eq!(store.group("nope").await.unwrap(), None);
}

pub async fn a_group_that_changes_is_named_to_whoever_is_or_was_in_it(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    group(store, alice, "crew", &["bob"]).await;
    post(store, announcement("x")).await;
    post(store, to_group("alice", "crew")).await;
    let since = |user| async move {
        fan_in(store, user).await;
        store.sync(user, Stamp::ZERO, 100).await.unwrap().next
    };
    let (of_alice, of_bob, of_carol) = (since(alice).await, since(bob).await, since(carol).await);
    let changed = |user, since| async move {
        fan_in(store, user).await;
        store.sync(user, since, 100).await.unwrap().groups
    };
    assert_refused(store.change_group("crew", None, Some("carol".into())).await, "not_found");
    assert_refused(store.change_group("nope", Some("x".into()), None).await, "not_found");
    let named = store.change_group("crew", Some("Ours".into()), Some("bob".into())).await.unwrap();
    assert_eq!((named.name.as_str(), named.owner.as_str()), ("Ours", "bob"));
    assert_eq!(changed(alice, of_alice).await, ["crew"]);
    assert_eq!(changed(carol, of_carol).await, [""; 0]);
    store.leave("crew", "bob").await.unwrap();
    assert_eq!(store.group("crew").await.unwrap().unwrap().owner, "alice", "who joined first succeeds");
    assert_eq!(changed(bob, of_bob).await, ["crew"]);
    let after = store.sync(bob, of_bob, 100).await.unwrap().next;
    store.join("crew", "carol").await.unwrap();
    assert_eq!(changed(bob, after).await, [""; 0], "it is not his any more");
    assert_eq!(changed(carol, of_carol).await, ["crew"]);
}

pub async fn a_group_that_was_ended_is_nobodys_any_more_and_its_id_stays_taken(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    group(store, alice, "crew", &["bob", "carol"]).await;
    let said = post(store, to_group("alice", "crew")).await.posted;
    fan_in(store, bob).await;
    let since = store.sync(bob, Stamp::ZERO, 100).await.unwrap().next;
    assert_refused(store.end_group("nope").await, "not_found");
    store.end_group("crew").await.unwrap();
    assert_refused(store.end_group("crew").await, "not_found");
    for refused in [
        store.post(vec![to_group("alice", "crew")], None).await.map(drop),
        store.require_deliverable(&to_group("alice", "crew")).await,
        store.join("crew", "bob").await.map(drop),
        store.leave("crew", "bob").await,
        store.change_group("crew", Some("x".into()), None).await.map(drop),
        store.is_member("crew", alice).await.map(drop),
        store.members("crew", ListQuery::first(9)).await.map(drop),
    ] {
        assert_refused(refused, "not_found");
    }
    assert_eq!((store.group("crew").await.unwrap(), store.group_owner("crew").await.unwrap()), (None, None));
    assert!(store.groups_of(alice, ListQuery::first(9)).await.unwrap().0.is_empty());
    assert_refused(store.add_group(bob, Some("crew".into()), "x".into(), vec![], None).await, "conflict");
    // Who has pulled hears of it, even if upkeep was there before.
    while store.prune(None, 1).await.unwrap() {}
    assert_eq!(store.check().await.unwrap(), []);
    fan_in(store, bob).await;
    assert_eq!(store.sync(bob, since, 100).await.unwrap().groups, ["crew"]);
    // What was posted comes to who had not pulled it, and is read as ever.
    assert_eq!(all(store, carol).await.len(), 1);
    assert_eq!((all(store, alice).await.len(), all(store, bob).await.len()), (1, 1));
    let view = View::Conversation("group:crew".into());
    store.visit(carol, &view, Visit::Item(said.msgid), 99).await.unwrap();
    assert_eq!(unread(store, carol).await, 0);
    let query = ConversationQuery { before: None, limit: 9, cap: 9 };
    assert_eq!(store.conversations(bob, query).await.unwrap()[0].title, "CREW");
    assert_eq!(store.receipts(alice, Stamp::ZERO, 9).await.unwrap().receipts.len(), 1);
}

pub async fn a_group_whose_owner_went_belongs_to_who_joined_first(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    for id in ["bob", "carol", "dave"] {
        user(store, id).await;
    }
    group(store, alice, "crew", &[]).await;
    store.join("crew", "carol").await.unwrap();
    store.join("crew", "bob").await.unwrap();
    let owner = async || store.group("crew").await.unwrap().unwrap().owner;
    store.remove_user("alice", WrittenContent::Keep).await.unwrap();
    assert_eq!(owner().await, "carol", "the owner was removed");
    store.leave("crew", "carol").await.unwrap();
    assert_eq!(owner().await, "bob", "the owner left");
    store.leave("crew", "bob").await.unwrap();
    assert_eq!(store.join("crew", "dave").await.unwrap().owner, "dave", "nobody was left");
    store.join("crew", "bob").await.unwrap();
    assert_eq!(owner().await, "dave");
    let named = store.change_group("crew", None, Some("bob".into())).await.unwrap();
    assert_eq!(named.owner, "bob");
}

pub async fn how_far_the_other_has_read_comes_with_the_pull(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let one = post(store, message("alice", "bob")).await.posted;
    post(store, message("alice", "bob")).await;
    let since = store.sync(alice, Stamp::ZERO, 100).await.unwrap().next;
    let view = View::Conversation("user:alice".into());
    let (_, _, affected) = store.visit(bob, &view, Visit::Item(one.msgid.clone()), 99).await.unwrap();
    assert_eq!(affected, [alice].into(), "whoever wrote is told to pull");
    let page = store.sync(alice, since, 100).await.unwrap();
    let marks: Vec<_> = page.peer_marks.iter().map(|m| (m.view.to_string(), m.through)).collect();
    assert_eq!(marks, [("conversation/user:bob".to_owned(), one.stamp)]);
    assert!(page.items.is_empty() && page.next == page.peer_marks[0].stamp && !page.more);
    assert!(store.sync(alice, page.next, 100).await.unwrap().peer_marks.is_empty(), "once");
    assert!(store.sync(bob, Stamp::ZERO, 100).await.unwrap().peer_marks.is_empty(), "his own is in `marks`");
    assert!(store.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.is_empty());
}

pub async fn what_cannot_be_delivered_is_known_before_it_is_stored(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    user(store, "bob").await;
    group(store, alice, "crew", &[]).await;
    for (draft, code) in [
        (message("alice", "nobody"), "not_found"),
        (to_group("alice", "nope"), "not_found"),
        (to_group("bob", "crew"), "forbidden"),
        (to_group("nobody", "crew"), "forbidden"),
    ] {
        assert_refused(store.require_deliverable(&draft).await, code);
        assert_refused(store.post(vec![draft], None).await, code);
    }
    for draft in [message("anybody", "bob"), to_group("alice", "crew"), announcement("x")] {
        store.require_deliverable(&draft).await.unwrap();
    }
    assert_eq!(all(store, alice).await, []);
}

pub async fn receipts_wait_for_their_sender(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    user(store, "carol").await;
    group(store, alice, "crew", &["bob", "carol"]).await;
    let one = post(store, to_group("alice", "crew")).await.posted;
    let two = post(store, to_group("alice", "crew")).await.posted;
    fan_in(store, bob).await;
    let view = View::Conversation("group:crew".into());
    let (_, _, affected) = store.visit(bob, &view, Visit::Item(two.msgid.clone()), 99).await.unwrap();
    assert_eq!(affected, [alice].into());
    let page = store.receipts(alice, Stamp::ZERO, 1).await.unwrap();
    assert_eq!((page.receipts.len(), page.more), (1, true));
    assert_eq!((&page.receipts[0].msgid, page.receipts[0].reader.as_str()), (&one.msgid, "bob"));
    let rest = store.receipts(alice, page.next, 10).await.unwrap();
    assert_eq!((rest.receipts.len(), rest.more), (1, false));
    store.ack_receipts(alice, rest.next, None).await.unwrap();
    assert!(store.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.is_empty());
    let readers = store.readers("crew", &one.msgid, ListQuery::first(10)).await.unwrap();
    assert_eq!((readers.read[0].user.as_str(), readers.unread), ("bob", vec!["carol".to_owned()]));
    assert_eq!((readers.read_count, readers.member_count), (1, 2));
    apply(store, bob, vec![Change::Mark { mark: Mark::Unread, msgids: vec![one.msgid.clone()], at: None }])
        .await;
    store.visit(bob, &view, Visit::Now, 99).await.unwrap();
    assert!(store.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.is_empty(), "one a message");
    let mine = all(store, alice).await;
    assert!(mine.iter().all(|i| i.receipt.is_some_and(|r| (r.read, r.members) == (1, 2)) && i.version == 2));
    assert_refused(store.readers("crew", &"nope".into(), ListQuery::first(10)).await, "not_found");
}

pub async fn old_receipts_are_given_to_be_archived_before_they_and_their_messages_go(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    user(store, "carol").await;
    group(store, alice, "crew", &["bob", "carol"]).await;
    let view = View::Conversation("group:crew".into());
    let read = async |reader| store.visit(reader, &view, Visit::Now, 99).await.unwrap();
    let one = post(store, to_group("alice", "crew")).await.posted;
    post(store, to_group("carol", "crew")).await;
    fan_in(store, bob).await;
    read(bob).await;
    clock.advance(3_600);
    let two = post(store, to_group("alice", "crew")).await.posted;
    fan_in(store, bob).await;
    read(bob).await;
    let waiting = async || store.receipts(alice, Stamp::ZERO, 9).await.unwrap().receipts.len();

    let before = Some(clock.now().plus_secs(-60));
    store.remove_user("carol", WrittenContent::Keep).await.unwrap();
    let old = store.old_receipts(before, 9).await.unwrap();
    let [first] = &old[..] else { panic!("not of who was removed, nor what is new: {old:?}") };
    assert_eq!((&first.sender[..], &first.reader[..], first.sent_at), ("alice", "bob", one.stamp));
    assert_eq!((first.msgid.as_ref(), first.conversation.as_deref()), (Some(&one.msgid), Some("group:crew")));
    assert_eq!(store.old_receipts(None, 9).await.unwrap(), [], "not too old without retention");
    while store.prune_but_receipts(before, 1).await.unwrap() {}
    let old = store.old_receipts(None, 9).await.unwrap();
    assert_eq!((old.len(), &old[0].msgid), (1, &None), "its message is gone");

    store.forget_receipts(vec![old[0].key, (bob, Stamp::MAX)]).await.unwrap();
    assert_eq!((store.old_receipts(before, 9).await.unwrap(), waiting().await), (vec![], 1));
    clock.advance(31 * 24 * 3_600);
    while store.prune_but_receipts(None, 1).await.unwrap() {}
    let old = store.old_receipts(None, 1).await.unwrap();
    assert_eq!((old[0].msgid.as_ref(), waiting().await), (Some(&two.msgid), 1), "its time is over");
    while store.prune(None, 1).await.unwrap() {}
    assert_eq!((store.old_receipts(None, 9).await.unwrap(), waiting().await), (vec![], 0));
}

pub async fn an_old_message_that_is_read_changes_its_senders_item(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    let sent = post(store, to_group("alice", "crew")).await.posted;
    let known = all(store, alice).await[0].clone();
    clock.advance(31 * 24 * 3_600);
    fan_in(store, bob).await;
    store.visit(bob, &View::Conversation("group:crew".into()), Visit::Now, 99).await.unwrap();
    let page = store.sync(alice, known.stamp, 9).await.unwrap().items().unwrap();
    let [item] = &page[..] else { panic!("the item comes again: {page:?}") };
    assert_eq!((&item.msgid, item.version, item.receipt.unwrap().read), (&sent.msgid, known.version + 1, 1));
    // The receipt goes with the next upkeep, or to the archive.
    assert_eq!(store.receipts(alice, Stamp::ZERO, 9).await.unwrap().receipts.len(), 1);
    let old = store.old_receipts(None, 9).await.unwrap();
    assert_eq!((old.len(), old[0].msgid.as_ref()), (1, Some(&sent.msgid)));
    while store.prune(None, 1).await.unwrap() {}
    assert_eq!(store.receipts(alice, Stamp::ZERO, 9).await.unwrap().receipts, []);
}

pub async fn a_user_finds_its_groups_before_anybody_writes(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let page = || ListQuery::first(10);
    assert!(store.groups_of(alice, page()).await.unwrap().0.is_empty());
    let two = group(store, alice, "two", &["bob"]).await;
    group(store, bob, "one", &["alice"]).await;
    group(store, bob, "other", &[]).await;
    let mine: Vec<GroupSummary> = store.groups_of(alice, page()).await.unwrap().values().unwrap();
    let ids: Vec<_> = mine.iter().map(|g| (g.id.as_str(), g.owner.as_str(), g.member_count)).collect();
    assert_eq!(ids, [("one", "bob", 2), ("two", "alice", 2)]);
    assert_eq!((mine[1].name.as_str(), mine[1].created_at), ("TWO", two.created_at));
    store.leave("one", "alice").await.unwrap();
    assert_eq!(store.groups_of(alice, page()).await.unwrap().0.len(), 1);
    assert_eq!(store.groups_of(bob, page()).await.unwrap().0.len(), 3);
}

pub async fn many_messages_of_groups_come_to_whoever_was_there(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let eve = user(store, "eve").await;
    group(store, alice, "crew", &["bob"]).await;
    group(store, alice, "other", &["bob"]).await;
    let posted: Vec<Draft> =
        (0..300).map(|n| to_group("alice", if n % 2 == 0 { "crew" } else { "other" })).collect();
    store.post(posted.clone(), None).await.unwrap();
    store.leave("other", "bob").await.unwrap();
    store.post(posted, None).await.unwrap();
    let found = all(store, bob).await;
    assert_eq!(found.len(), 450);
    assert!(found.windows(2).all(|w| w[0].created_at < w[1].created_at));
    assert!(all(store, eve).await.is_empty());
}

pub async fn a_list_of_members_misses_nobody_while_one_of_them_leaves_and_joins_again(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let alice = user(store, "alice").await;
    group(store, alice, "crew", &[]).await;
    for id in ["bob", "carol", "dave"] {
        user(store, id).await;
        store.join("crew", id).await.unwrap();
    }
    let page = async |after: &str| -> Vec<String> {
        let page = store.members("crew", ListQuery::first(2).after(after)).await.unwrap();
        page.values::<Member>().unwrap().into_iter().map(|member| member.id).collect()
    };
    // The member leaves who was the last of the first page: once without and once with a message posted meanwhile.
    for posts in [false, true] {
        if posts {
            post(store, to_group("alice", "crew")).await;
        }
        store.leave("crew", "bob").await.unwrap();
        assert_eq!(page("bob").await, ["carol", "dave"], "as long as it is gone");
        store.join("crew", "bob").await.unwrap();
        assert_eq!(page("bob").await, ["carol", "dave"]);
    }
    // A member who was away for more than an hour gets a new position at the end.
    store.leave("crew", "bob").await.unwrap();
    clock.advance(2 * 3_600);
    store.join("crew", "bob").await.unwrap();
    assert_eq!(page("carol").await, ["dave", "bob"]);
    while store.prune(None, 10).await.unwrap() {}
    assert_eq!(store.group("crew").await.unwrap().unwrap().members, ["alice", "carol", "dave", "bob"]);
}
