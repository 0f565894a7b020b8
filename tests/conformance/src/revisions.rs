//! Checks of revisions, clears and deletions by publishers: whom they reach, in which state, in which place, and how
//! long they are kept.

use super::*;

/// A publication of another kind that is revised in the same way.
fn revisable(mut draft: Draft, title: &str) -> Draft {
    draft.target = Some(Target { kind: "topic".into(), id: "disk".into(), ..Target::default() });
    draft.sequence = Some("it".into());
    draft.content.title = title.into();
    draft
}

async fn clear(store: &dyn Store, name: &str) {
    let by = PostedBy { changes_others: true, ..PostedBy::default() };
    store.sequence("disk", name, SequenceChange::Clear, by).await.unwrap().unwrap();
}

async fn only(store: &dyn Store, user: UserKey) -> Notification {
    let items = all(store, user).await;
    assert_eq!(items.len(), 1, "{items:?}");
    items.into_iter().next().unwrap()
}

async fn mark(store: &dyn Store, user: UserKey, mark: Mark, item: &Notification) {
    apply(store, user, vec![Change::Mark { mark, msgids: vec![item.msgid.clone()], at: None }]).await;
}

pub async fn an_alert_that_fires_again_comes_to_whoever_subscribed_since(store: &dyn Store, _: &ManualClock) {
    let (alice, bob, cat) = (user(store, "alice").await, user(store, "bob").await, user(store, "cat").await);
    subscribe_to_alerts(store, alice).await;
    post(store, alert("sda", "80 %")).await;
    assert_eq!(only(store, alice).await.content.title, "80 %");
    clear(store, "sda").await;
    subscribe_to_alerts(store, bob).await;
    store.follow(cat, "disk").await.unwrap();
    assert!(all(store, bob).await.is_empty(), "a subscription is of what comes");
    let again = post(store, alert("sda", "99 %")).await.posted;
    for (user, version) in [(alice, 2), (bob, 1), (cat, 1)] {
        let item = only(store, user).await;
        assert_eq!((&*item.content.title, item.revised_at), ("99 %", Some(again.stamp)));
        assert_eq!(item.version > 1, version > 1, "{item:?}");
        assert_eq!(unread(store, user).await, 1);
        assert!(!store.fan_in(user).await.unwrap());
    }
    // A user who has it gets its new content without a subscription.
    let target = TargetRef { kind: "topic".into(), id: "disk".into() };
    store.unsubscribe(bob, target, None).await.unwrap();
    post(store, alert("sda", "100 %")).await;
    assert_eq!(only(store, bob).await.content.title, "100 %");
}

pub async fn what_is_revised_comes_to_who_has_switched_its_action_on_since(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    subscribe_to_alerts(store, alice).await;
    let set = |wanted| BTreeMap::from([("publish".to_owned(), Some(wanted))]);
    store.set_preferences(alice, set(false)).await.unwrap();
    post(store, alert("sda", "80 %")).await;
    assert!(all(store, alice).await.is_empty());
    post(store, alert("sda", "90 %")).await;
    assert!(all(store, alice).await.is_empty(), "it is off");
    store.set_preferences(alice, set(true)).await.unwrap();
    post(store, alert("sda", "99 %")).await;
    assert_eq!(only(store, alice).await.content.title, "99 %");
}

pub async fn what_was_deleted_comes_again_only_as_a_reminder_that_one_would_get(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    for user in [alice, bob] {
        subscribe_to_alerts(store, user).await;
    }
    post(store, alert("sda", "80 %")).await;
    for user in [alice, bob] {
        let item = only(store, user).await;
        mark(store, user, Mark::Seen, &item).await;
        mark(store, user, Mark::Delete, &item).await;
        assert!(only(store, user).await.deleted);
    }
    let target = TargetRef { kind: "topic".into(), id: "disk".into() };
    store.unsubscribe(bob, target, None).await.unwrap();
    post(store, alert("sda", "99 %")).await;
    let back = only(store, alice).await;
    assert_eq!((back.deleted, back.seen_at, &*back.content.title), (false, None, "99 %"));
    assert_eq!(unread(store, alice).await, 1);
    assert!(only(store, bob).await.deleted, "nothing brings it any more");
}

pub async fn an_announcement_is_revised_where_it_is_and_nowhere_else(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    post(store, revisable(announcement(""), "Monday")).await;
    let (of_alice, of_bob) = (only(store, alice).await, only(store, bob).await);
    store.visit(alice, &View::Announcements, Visit::Now, 9).await.unwrap();
    mark(store, alice, Mark::Archive, &of_alice).await;
    let until = of_alice.created_at.plus_secs(1_000_000);
    mark(store, alice, Mark::Snooze { until }, &of_alice).await;
    mark(store, bob, Mark::Delete, &of_bob).await;
    let late = user(store, "late").await;
    let revised = post(store, revisable(announcement(""), "Tuesday")).await.posted;
    let item = only(store, alice).await;
    assert_eq!((&*item.content.title, item.revised_at, item.read_at), ("Tuesday", Some(revised.stamp), None));
    assert_eq!((item.archived_at, item.snoozed_until), (None, Some(until)), "archiving goes, a snooze stays");
    assert!(only(store, bob).await.deleted, "who deleted it does not get it again");
    assert!(all(store, late).await.is_empty(), "nor who came later");
}

pub async fn an_edited_message_keeps_its_read_state_and_its_place(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let first = post(store, revisable(message("alice", "bob"), "at nine")).await.posted;
    let second = post(store, message("alice", "bob")).await.posted;
    let view = View::Conversation("user:alice".into());
    fan_in(store, bob).await;
    store.visit(bob, &view, Visit::Item(first.msgid.clone()), 9).await.unwrap();
    assert_eq!(unread(store, bob).await, 1);
    let edited = post(store, revisable(message("alice", "bob"), "at ten")).await.posted;
    assert_eq!(edited.msgid, first.msgid);
    assert_eq!(unread(store, bob).await, 1, "what was read stays read");
    for user in [alice, bob] {
        let items = all(store, user).await;
        let item = items.iter().find(|item| item.msgid == first.msgid).unwrap();
        assert_eq!((&*item.content.title, item.revised_at), ("at ten", Some(edited.stamp)));
        assert_eq!((item.created_at, item.version), (first.stamp, 2));
        let query = InboxQuery { limit: 9, ..InboxQuery::default() };
        let listed = store.inbox(user, query).await.unwrap().items().unwrap();
        let listed: Vec<_> = listed.into_iter().map(|item| item.msgid).collect();
        assert_eq!(listed, [second.msgid.clone(), first.msgid.clone()]);
    }
    store.visit(bob, &view, Visit::At(first.stamp.plus_micros(-1)), 9).await.unwrap();
    assert_eq!(store.view(bob, &view, 9).await.unwrap().0, Some(first.stamp), "as far as it was created");
}

pub async fn what_is_revised_and_then_cleared_has_the_new_content_and_is_read(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob, late) =
        (user(store, "alice").await, user(store, "bob").await, user(store, "late").await);
    subscribe_to_alerts(store, alice).await;
    post(store, alert("sda", "80 %")).await;
    let before = only(store, alice).await;
    subscribe_to_alerts(store, bob).await;
    assert!(all(store, bob).await.is_empty());
    let revised = post(store, alert("sda", "99 %")).await.posted;
    subscribe_to_alerts(store, late).await;
    clear(store, "sda").await;
    for user in [alice, bob] {
        let item = only(store, user).await;
        assert_eq!((&*item.content.title, item.revised_at), ("99 %", Some(revised.stamp)));
        assert!(item.read_at.is_some());
        assert_eq!(unread(store, user).await, 0);
    }
    assert!(only(store, alice).await.version > before.version);
    assert!(all(store, late).await.is_empty(), "a clear is no content");
    // Cleared between two pulls, and marked unread by its reader: that stays.
    mark(store, alice, Mark::Unread, &before).await;
    post(store, announcement("something else")).await;
    fan_in(store, alice).await;
    assert_eq!(unread(store, alice).await, 2);
    let events = store.topic_events("disk", Stamp::ZERO, 9).await.unwrap().events;
    let told: Vec<_> = events.iter().map(|event| event.change).collect();
    assert_eq!(told, [TopicChange::Revised, TopicChange::Cleared]);
    assert_eq!(store.topic_latest("disk").await.unwrap(), Some(revised.stamp));
}

pub async fn lists_go_by_the_time_of_the_content(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    subscribe_to_alerts(store, alice).await;
    let mut msgids = Vec::new();
    for name in ["a", "b", "c"] {
        msgids.push(post(store, alert(name, name)).await.posted.msgid);
    }
    let announced = post(store, announcement("between")).await.posted.msgid;
    fan_in(store, alice).await;
    let revised = post(store, alert("a", "a again")).await.posted;
    fan_in(store, alice).await;
    let wanted = [msgids[0].clone(), announced.clone(), msgids[2].clone(), msgids[1].clone()];
    let reminders = [msgids[0].clone(), msgids[2].clone(), msgids[1].clone()];
    for (query, wanted) in [
        (InboxQuery::default(), &wanted[..]),
        (InboxQuery { unread: Some(true), ..InboxQuery::default() }, &wanted[..]),
        (InboxQuery { kind: Some(Kind::Reminder), ..InboxQuery::default() }, &reminders[..]),
        (InboxQuery { thread: Some("topic:disk#publish".into()), ..InboxQuery::default() }, &reminders[..]),
    ] {
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let query = InboxQuery { before, limit: 1, ..query.clone() };
            let page = store.inbox(alice, query).await.unwrap();
            found.extend(page.items().unwrap().into_iter().map(|item| item.msgid));
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(found, wanted, "{query:?}");
        let earlier = InboxQuery { before: Some(revised.stamp), limit: 9, ..query };
        assert_eq!(store.inbox(alice, earlier).await.unwrap().items().unwrap().len(), wanted.len() - 1);
    }
    let archive = |msgids: &[MsgId]| Change::Mark { mark: Mark::Archive, msgids: msgids.to_vec(), at: None };
    apply(store, alice, vec![archive(&msgids)]).await;
    let query = InboxQuery { archived: true, limit: 9, ..InboxQuery::default() };
    let archived = store.inbox(alice, query).await.unwrap().items().unwrap();
    assert_eq!(archived.into_iter().map(|item| item.msgid).collect::<Vec<_>>(), reminders);
}

pub async fn retention_keeps_what_was_revised_a_second_ago(store: &dyn Store, clock: &ManualClock) {
    const DAY: i64 = 24 * 3_600;
    let (alice, away) = (user(store, "alice").await, user(store, "away").await);
    for user in [alice, away] {
        subscribe_to_alerts(store, user).await;
    }
    for name in ["old", "sda", "older"] {
        post(store, alert(name, "80 %")).await;
        post(store, message("alice", "away")).await;
    }
    post(store, revisable(announcement(""), "Monday")).await;
    let edited =
        post(store, Draft { sequence: Some("note".into()), ..revisable(message("alice", "alice"), "") });
    edited.await;
    fan_in(store, alice).await;
    fan_in(store, away).await;
    clock.advance(40 * DAY);
    let prune = || async {
        let before = Some(clock.now().plus_secs(-30 * DAY));
        while store.prune(before, 2).await.unwrap() {}
    };
    post(store, alert("sda", "99 %")).await;
    post(store, revisable(announcement(""), "Tuesday")).await;
    post(store, Draft { sequence: Some("note".into()), ..revisable(message("alice", "alice"), "edited") })
        .await;
    clock.advance(1);
    prune().await;
    for user in [alice, away] {
        let titles: Vec<_> = all(store, user).await.into_iter().map(|item| item.content.title).collect();
        assert_eq!(titles, ["99 %", "Tuesday"], "an edited message is as old as it was");
        assert_eq!(unread(store, user).await, 2);
    }
    let again = post(store, alert("sda", "100 %")).await.posted;
    assert_eq!(
        all(store, alice).await.last().unwrap().revised_at,
        Some(again.stamp),
        "its name is kept, too"
    );
    assert_eq!(store.check().await.unwrap(), []);
    clock.advance(31 * DAY);
    post(store, announcement("new")).await;
    prune().await;
    let titles: Vec<_> = all(store, alice).await.into_iter().map(|item| item.content.title).collect();
    assert_eq!(titles, ["new"]);
}
