//! Checks of pulls, pages, counts and read marks.

use super::*;

pub async fn a_pull_goes_on_where_it_ended(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    for _ in 0..5 {
        post(store, announcement("a")).await;
    }
    fan_in(store, alice).await;
    let (mut since, mut pulled) = (Stamp::ZERO, Vec::new());
    loop {
        let page = store.sync(alice, since, 2).await.unwrap();
        assert!(page.items.len() <= 2);
        pulled.extend(page.items().unwrap().into_iter().map(|i| i.msgid));
        since = page.next;
        if !page.more {
            break;
        }
    }
    assert_eq!(pulled.len(), 5);
    let last = store.sync(alice, since, 2).await.unwrap();
    assert_eq!((last.items.len(), last.next, last.more), (0, since, false));
    assert_eq!(last.epoch, store.epoch().await.unwrap());
}

pub async fn the_inbox_is_newest_first(store: &dyn Store, _: &ManualClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, alice, "1", &["like"]).await;
    let a = post(store, announcement("a")).await.posted.msgid;
    let r = post(store, reminder("bob", "like", "1")).await.posted.msgid;
    let m = post(store, message("bob", "alice")).await.posted.msgid;
    fan_in(store, alice).await;
    let list = |query: InboxQuery| async move {
        let page = store.inbox(alice, InboxQuery { limit: 10, ..query }).await.unwrap();
        page.items().unwrap().into_iter().map(|i| i.msgid).collect::<Vec<_>>()
    };
    assert_eq!(list(InboxQuery::default()).await, [m.clone(), r.clone(), a.clone()]);
    assert_eq!(list(InboxQuery { kind: Some(Kind::Reminder), ..Default::default() }).await, vec![r.clone()]);
    for (thread, one) in [("announcements", &a), ("article:1#like", &r), ("user:bob", &m)] {
        let query = InboxQuery { thread: Some(thread.into()), ..Default::default() };
        assert_eq!(list(query).await, vec![one.clone()], "{thread}");
    }
    let query = InboxQuery { conversation: Some("user:bob".into()), ..Default::default() };
    assert_eq!(list(query).await, vec![m.clone()]);
    apply(
        store,
        alice,
        vec![
            Change::Mark { mark: Mark::Archive, msgids: vec![a.clone()], at: None },
            Change::Mark { mark: Mark::Read, msgids: vec![r], at: None },
        ],
    )
    .await;
    assert_eq!(list(InboxQuery { archived: true, ..Default::default() }).await, [a]);
    assert_eq!(list(InboxQuery { unread: Some(true), ..Default::default() }).await, [m]);
    let page = store.inbox(alice, InboxQuery { limit: 1, ..Default::default() }).await.unwrap();
    assert_eq!(page.next, Some(page.items().unwrap()[0].created_at));
    let query = InboxQuery { limit: 1, before: page.next, ..Default::default() };
    assert_eq!(store.inbox(alice, query).await.unwrap().next, None);
}

pub async fn of_two_opposite_marks_the_later_one_holds_in_whatever_order_they_arrive(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    subscribe_to_alerts(store, alice).await;
    let manual = post(store, reminder("bob", "like", "1")).await.posted.msgid;
    let auto = post(store, announcement("a")).await.posted.msgid;
    let fired = post(store, alert("sda", "80 %")).await.posted.msgid;
    fan_in(store, alice).await;
    let until = clock.now().plus_secs(9_999);
    clock.advance(100);
    let before = clock.now().plus_secs(-50);
    let put = async |mark, msgid: &MsgId, at| {
        let applied = apply(store, alice, vec![Change::Mark { mark, msgids: vec![msgid.clone()], at }]).await;
        assert!(applied.results[0].ok, "{mark:?}");
        all(store, alice).await.into_iter().find(|item| item.msgid == *msgid).unwrap()
    };
    for msgid in [&manual, &auto] {
        assert!(put(Mark::Read, msgid, None).await.read_at.is_some());
        let read = put(Mark::Unread, msgid, Some(before)).await;
        assert!(read.read_at.is_some(), "it was read after that");
        let (later, last) = (clock.now().plus_secs(10), clock.now().plus_secs(20));
        clock.advance(30);
        // Read once more: that is later, although it changed nothing.
        let again = put(Mark::Read, msgid, Some(last)).await;
        assert_eq!((again.version, again.stamp), (read.version, read.stamp));
        assert!(put(Mark::Unread, msgid, Some(later)).await.read_at.is_some());
        assert_eq!(put(Mark::Unread, msgid, Some(last.plus_secs(5))).await.read_at, None);
        assert_eq!(put(Mark::Read, msgid, Some(last)).await.read_at, None, "yesterday's, from a plane");
        // A time that is still to come counts as now.
        assert!(put(Mark::Read, msgid, Some(clock.now().plus_secs(9_999))).await.read_at.is_some());
        clock.advance(1);
        assert_eq!(put(Mark::Unread, msgid, None).await.read_at, None);
    }
    assert!(put(Mark::Archive, &manual, None).await.archived_at.is_some());
    assert!(put(Mark::Unarchive, &manual, Some(before)).await.archived_at.is_some());
    assert_eq!(put(Mark::Unarchive, &manual, None).await.archived_at, None);
    assert_eq!(put(Mark::Archive, &manual, Some(before)).await.archived_at, None);
    assert!(put(Mark::Snooze { until }, &manual, None).await.snoozed_until.is_some());
    assert!(put(Mark::Unsnooze, &manual, Some(before)).await.snoozed_until.is_some());
    assert_eq!(put(Mark::Unsnooze, &manual, None).await.snoozed_until, None);
    assert_eq!(put(Mark::Snooze { until }, &manual, Some(before)).await.snoozed_until, None);

    let seen = clock.now();
    clock.advance(10);
    post(store, alert("sda", "99 %")).await;
    fan_in(store, alice).await;
    assert_eq!(put(Mark::Read, &fired, Some(seen)).await.read_at, None, "only the text before was read");
    assert_eq!(put(Mark::Archive, &fired, Some(seen)).await.archived_at, None);
    assert_eq!(put(Mark::Read, &fired, Some(clock.now())).await.read_at, Some(clock.now()));
}

pub async fn the_later_of_two_marks_holds_while_the_clock_is_behind_the_newest_stamp(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let alice = user(store, "alice").await;
    user(store, "bob").await;
    user(store, "carol").await;
    subscribe(store, alice, "1", &["like"]).await;
    for draft in [reminder("bob", "like", "1"), announcement("a")] {
        let msgid = post(store, draft).await.posted.msgid;
        fan_in(store, alice).await;
        let newest = store.sync(alice, Stamp::ZERO, 100).await.unwrap().next;
        clock.advance(-3_600);
        // It has a newer stamp, of which her devices do not hear.
        post(store, message("bob", "carol")).await;
        let put = async |mark, at| {
            apply(store, alice, vec![Change::Mark { mark, msgids: vec![msgid.clone()], at }]).await;
            all(store, alice).await.into_iter().find(|item| item.msgid == msgid).unwrap().read_at
        };
        // It changes nothing, so that it has no stamp of which a device could hear.
        assert_eq!(put(Mark::Unread, None).await, None);
        // A device puts no mark before what it has pulled.
        assert!(put(Mark::Read, Some(newest)).await.is_some());
        assert_eq!(put(Mark::Unread, None).await, None);
        clock.advance(7_200);
    }
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn what_was_marked_as_unread_before_a_later_item_of_its_view_was_read_stays_read(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    for draft in [announcement("a"), message("bob", "alice")] {
        let (first, last) = (post(store, draft.clone()).await.posted, post(store, draft).await.posted);
        fan_in(store, alice).await;
        let put = async |mark, msgid: &MsgId, at| {
            let msgids = vec![msgid.clone()];
            apply(store, alice, vec![Change::Mark { mark, msgids, at: Some(at) }]).await;
            unread(store, alice).await
        };
        let began = clock.now();
        clock.advance(100);
        let after = |secs| began.plus_secs(secs);
        assert_eq!(put(Mark::Read, &first.msgid, after(10)).await, 1);
        // The server hears of it late: it goes by the time at which the reader did it.
        assert_eq!(put(Mark::Read, &last.msgid, after(30)).await, 0);
        assert_eq!(put(Mark::Unread, &first.msgid, after(20)).await, 0, "both were read after that");
        assert_eq!(put(Mark::Unread, &first.msgid, after(40)).await, 2);
        assert_eq!(put(Mark::Read, &last.msgid, after(50)).await, 0);
        // In one request it is the same.
        let change =
            |mark, msgid: &MsgId, at| Change::Mark { mark, msgids: vec![msgid.clone()], at: Some(at) };
        let changes = vec![
            change(Mark::Unread, &first.msgid, after(60)),
            change(Mark::Read, &last.msgid, after(80)),
            change(Mark::Unread, &first.msgid, after(70)),
        ];
        apply(store, alice, changes).await;
        assert_eq!(unread(store, alice).await, 0);
    }
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn operations_are_applied_once_and_in_order(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    let id = post(store, reminder("bob", "like", "1")).await.posted.msgid;
    fan_in(store, alice).await;
    let ids = || vec![id.clone(), MsgId::from("unknown")];
    let applied = apply(
        store,
        alice,
        vec![
            Change::Mark { mark: Mark::Read, msgids: ids(), at: None },
            Change::Mark { mark: Mark::Unread, msgids: ids(), at: None },
            Change::Mark { mark: Mark::Seen, msgids: ids(), at: None },
        ],
    )
    .await;
    assert!(applied.results.iter().all(|r| r.ok) && applied.changed);
    assert_eq!(applied.unread.total.count, 1);
    let op = Op { id: "same".into(), change: Change::Mark { mark: Mark::Delete, msgids: ids(), at: None } };
    let requested_ops = || vec![RequestedOp { id: "same".into(), op: Some(op.clone()) }];
    let Outcome::Done(first) = store.apply(alice, requested_ops(), 99, None).await.unwrap() else { panic!() };
    let Outcome::Done(again) = store.apply(alice, requested_ops(), 99, None).await.unwrap() else { panic!() };
    assert_eq!((first.changed, again.changed, again.results[0].ok), (true, false, true));
    let gone = all(store, alice).await.pop().unwrap();
    assert!(gone.deleted && gone.content.body.is_empty());
    let unknown = vec![RequestedOp { id: "odd".into(), op: None }];
    let Outcome::Done(invalid) = store.apply(alice, unknown, 99, None).await.unwrap() else { panic!() };
    assert!(!invalid.results[0].ok);

    let msgids = vec![post(store, announcement("new")).await.posted.msgid];
    let read = Op { id: "new".into(), change: Change::Mark { mark: Mark::Read, msgids, at: None } };
    let read = vec![RequestedOp { id: "new".into(), op: Some(read) }];
    let Outcome::Done(fresh) = store.apply_fresh(alice, read, 99, None).await.unwrap() else { panic!() };
    assert_eq!((fresh.changed, fresh.unread.total.count), (true, 0), "nothing else has brought it in");

    let id = post(store, announcement("a")).await.posted.msgid;
    fan_in(store, alice).await;
    let until = clock.now().plus_secs(60);
    apply(
        store,
        alice,
        vec![Change::Mark { mark: Mark::Snooze { until }, msgids: vec![id.clone()], at: None }],
    )
    .await;
    assert_eq!(unread(store, alice).await, 0);
    clock.advance(60);
    assert_eq!(unread(store, alice).await, 1, "it wakes by itself");
    apply(store, alice, vec![Change::ReadAll { kind: None, through: Stamp::MAX }]).await;
    assert_eq!(unread(store, alice).await, 0);
    apply(store, alice, vec![Change::Mark { mark: Mark::Unread, msgids: vec![id], at: None }]).await;
    assert_eq!(unread(store, alice).await, 1);
}

pub async fn reading_everything_reads_items_and_moves_marks_of_views_that_hold_anything_unread(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let mut catalog = (*store.catalog().await.unwrap()).clone();
    catalog.actions.get_mut("publish").unwrap().class = Class::Auto;
    store.set_catalog(catalog).await.unwrap();
    subscribe(store, alice, "1", &["like"]).await;
    let topic = |name: &str, draft: Draft| {
        let target = Target { kind: "topic".into(), id: name.into(), ..Target::default() };
        let (action, sequence) = ("publish".to_owned(), Some("run".to_owned()));
        Draft { target: Some(target), action, sequence, subscribe: Some(alice), ..draft }
    };
    // Reminders of manual class: the first three are to be read, one of them archived; another one comes later.
    let mut likes = vec![];
    for _ in 0..3 {
        likes.push(post(store, reminder("bob", "like", "1")).await.posted);
    }
    // Reminders of auto class: the publisher clears one, and the other stays unread.
    post(store, topic("cleared", reminder("x", "publish", "1"))).await;
    let waits = post(store, topic("waits", reminder("x", "publish", "1"))).await.posted;
    let late = post(store, reminder("bob", "like", "1")).await.posted;
    fan_in(store, alice).await;
    apply(
        store,
        alice,
        vec![Change::Mark { mark: Mark::Archive, msgids: vec![likes[1].msgid.clone()], at: None }],
    )
    .await;
    store.sequence("cleared", "run", SequenceChange::Clear, PostedBy::default()).await.unwrap().unwrap();
    fan_in(store, alice).await;
    let before = store.sync(alice, Stamp::ZERO, 100).await.unwrap();
    let cleared = before.items().unwrap().into_iter().find(|n| n.thread == "topic:cleared#publish").unwrap();
    assert!(cleared.read_at.is_some() && cleared.auto);

    apply(store, alice, vec![Change::ReadAll { kind: None, through: waits.stamp }]).await;
    let page = store.sync(alice, before.next, 100).await.unwrap();
    let view = View::Target("topic:waits".into());
    let marks: Vec<_> = page.marks.iter().map(|m| (m.view.clone(), m.through)).collect();
    assert_eq!(marks, [(view, waits.stamp)], "to exactly that time; what was cleared alone moves none");
    let read = page.items().unwrap();
    let names: Vec<&MsgId> = read.iter().map(|n| &n.msgid).collect();
    // Unread items come before those that are unread but archived, each group in the order of creation.
    assert_eq!(names, [&likes[0].msgid, &likes[2].msgid, &likes[1].msgid]);
    assert!(read.iter().all(|n| n.read_at == Some(n.stamp)), "each at its own new stamp: {read:?}");
    let all = all(store, alice).await;
    let one = |msgid: &MsgId| all.iter().find(|n| n.msgid == *msgid).unwrap();
    assert_eq!(one(&cleared.msgid), &cleared, "it stays read at the time of the clearing");
    assert_eq!((one(&late.msgid).read_at, one(&waits.msgid).read_at), (None, Some(waits.stamp)));
    assert_eq!(unread(store, alice).await, 1);
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn a_view_is_read_up_to_its_mark(store: &dyn Store, _: &ManualClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    let view = View::Conversation("user:bob".into());
    assert_eq!(store.view(alice, &view, 99).await.unwrap().0, None);
    let one = post(store, message("bob", "alice")).await.posted;
    let two = post(store, message("bob", "alice")).await.posted;
    let (at, left, _) = store.visit(alice, &view, Visit::Item(one.msgid.clone()), 99).await.unwrap();
    assert_eq!((at, left.count), (one.stamp, 1));
    let before = store.sync(alice, Stamp::ZERO, 10).await.unwrap();
    assert_eq!(before.items().unwrap()[0].read_at, Some(one.stamp), "derived, without a new version");
    assert_eq!((before.items().unwrap()[0].version, before.marks.len()), (1, 1));
    let (at, _, _) = store.visit(alice, &view, Visit::At(Stamp::ZERO), 99).await.unwrap();
    assert_eq!(at, one.stamp, "never back");
    let (at, left, _) = store.visit(alice, &view, Visit::At(Stamp::MAX), 99).await.unwrap();
    assert!(at >= two.stamp && at < Stamp::MAX);
    assert_eq!(left.count, 0);
    apply(store, alice, vec![Change::Mark { mark: Mark::Unread, msgids: vec![two.msgid.clone()], at: None }])
        .await;
    assert_eq!(store.view(alice, &view, 99).await.unwrap().0, Some(two.stamp.plus_micros(-1)));
    assert_eq!(unread(store, alice).await, 1);
    assert_refused(store.visit(alice, &view, Visit::Item("nope".into()), 99).await, "not_found");
    assert_refused(store.visit(alice, &View::Announcements, Visit::Item(two.msgid), 99).await, "not_found");
    let carols = post(store, message("carol", "alice")).await.posted.msgid;
    assert_refused(store.visit(alice, &view, Visit::Item(carols), 99).await, "not_found");
    let at = store.view(alice, &view, 99).await.unwrap().0.unwrap();
    let meta = store.meta().await.unwrap();
    assert_eq!(store.visit(alice, &view, Visit::At(at), 99).await.unwrap().0, at);
    assert_eq!(store.meta().await.unwrap(), meta, "a mark that is there moves nothing");
}

pub async fn what_was_created_before_its_views_mark_is_read_when_it_is_brought_in(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, bob, "crew", &["alice", "bob"]).await;
    post(store, announcement("a")).await;
    post(store, to_group("bob", "crew")).await;
    store.visit(alice, &View::Announcements, Visit::Now, 99).await.unwrap();
    assert_eq!(unread(store, alice).await, 1, "the message is of another view");
    assert_eq!(unread(store, bob).await, 1, "who visited nothing has read nothing");
    post(store, announcement("b")).await;
    assert_eq!(unread(store, alice).await, 2, "it came after the mark");
}

pub async fn what_is_read_individually_comes_again_where_its_views_mark_goes_back(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let mut catalog = (*store.catalog().await.unwrap()).clone();
    catalog.actions.get_mut("publish").unwrap().class = Class::Auto;
    store.set_catalog(catalog).await.unwrap();
    let run = |sequence: &str| {
        let target = Target { kind: "topic".into(), id: "job".into(), ..Target::default() };
        let (action, sequence) = ("publish".to_owned(), Some(sequence.to_owned()));
        Draft {
            target: Some(target),
            action,
            sequence,
            subscribe: Some(alice),
            ..reminder("x", "publish", "1")
        }
    };
    let mut runs = vec![];
    for sequence in ["first", "second", "third"] {
        runs.push(post(store, run(sequence)).await.posted);
    }
    fan_in(store, alice).await;
    for sequence in ["first", "second"] {
        store.sequence("job", sequence, SequenceChange::Clear, PostedBy::default()).await.unwrap().unwrap();
        fan_in(store, alice).await;
    }
    let before = store.sync(alice, Stamp::ZERO, 9).await.unwrap();
    let cleared_at = before.items().unwrap().iter().find(|n| n.msgid == runs[1].msgid).unwrap().read_at;
    let view = View::Target("topic:job".into());
    let (mark, ..) = store.visit(alice, &view, Visit::Now, 9).await.unwrap();
    assert!(all(store, alice).await.iter().all(|n| n.read_at == Some(mark)), "what a mark covers, it read");

    apply(
        store,
        alice,
        vec![Change::Mark { mark: Mark::Unread, msgids: vec![runs[0].msgid.clone()], at: None }],
    )
    .await;
    let page = store.sync(alice, before.next, 9).await.unwrap();
    let items = page.items().unwrap();
    let told: Vec<_> = items.iter().map(|n| (&n.msgid, n.version, n.read_at)).collect();
    assert_eq!(told, [(&runs[1].msgid, 3, cleared_at), (&runs[0].msgid, 3, None)]);
    assert!(items[0].stamp > page.marks[0].stamp, "after the mark that no longer covers it");
    let last = all(store, alice).await.into_iter().find(|n| n.msgid == runs[2].msgid).unwrap();
    assert_eq!((last.version, last.read_at), (1, None), "of this one the mark says all");
    assert_eq!(unread(store, alice).await, 2);
}

pub async fn numbers_stop_at_the_cap(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    for _ in 0..4 {
        post(store, announcement("a")).await;
    }
    post(store, message("x", "alice")).await;
    fan_in(store, alice).await;
    let counts = store.unread(alice, 3).await.unwrap();
    assert_eq!((counts.announcement.count, counts.announcement.capped), (3, true));
    assert_eq!((counts.message.count, counts.message.capped), (1, false));
    assert_eq!((counts.total.count, counts.total.capped), (3, true));
    assert_eq!(store.unread(alice, 5).await.unwrap().total.count, 5);
    assert_eq!(counts.conversations.len(), 1);
}

pub async fn conversations_are_latest_first(store: &dyn Store, _: &ManualClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    post(store, message("bob", "alice")).await;
    let other = post(store, message("stranger", "alice")).await.posted.msgid;
    let page = |before, limit| ConversationQuery { before, limit, cap: 99 };
    let list = store.conversations(alice, page(None, 9)).await.unwrap();
    let ids: Vec<&str> = list.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["user:stranger", "user:bob"]);
    assert_eq!((list[0].title.as_str(), list[1].title.as_str()), ("stranger", "BOB"));
    assert_eq!((list[1].unread.count, list[1].read_through), (1, None));
    let first = store.conversations(alice, page(None, 1)).await.unwrap();
    assert_eq!(first, list[..1]);
    let rest = store.conversations(alice, page(Some(first[0].last.created_at), 1)).await.unwrap();
    assert_eq!(rest, list[1..]);
    let end = store.conversations(alice, page(Some(rest[0].last.created_at), 1)).await.unwrap();
    assert_eq!(end, []);
    apply(store, alice, vec![Change::Mark { mark: Mark::Delete, msgids: vec![other], at: None }]).await;
    assert_eq!(store.conversations(alice, page(None, 9)).await.unwrap().len(), 1);
    let newer = post(store, message("bob", "alice")).await.posted.msgid;
    let last = || async { store.conversations(alice, page(None, 9)).await.unwrap()[0].last.msgid.clone() };
    assert_eq!(last().await, newer);
    apply(store, alice, vec![Change::Mark { mark: Mark::Delete, msgids: vec![newer], at: None }]).await;
    assert_eq!(last().await, list[1].last.msgid, "the one before it is the newest again");
}

pub async fn what_is_still_to_come_is_counted(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    assert_eq!(store.changes_after(alice, Stamp::ZERO).await.unwrap(), 0);
    for _ in 0..5 {
        post(store, message("bob", "alice")).await;
    }
    post(store, announcement("a")).await;
    assert_eq!(
        store.changes_after(alice, Stamp::ZERO).await.unwrap(),
        5,
        "what was not brought in is not there"
    );
    fan_in(store, alice).await;
    let (mut since, mut left) = (Stamp::ZERO, 6);
    while left > 0 {
        assert_eq!(store.changes_after(alice, since).await.unwrap(), left);
        let page = store.sync(alice, since, 2).await.unwrap();
        left -= page.items.len() as u64;
        since = page.next;
        assert_eq!(page.more, left > 0);
    }
    assert_eq!(store.changes_after(alice, since).await.unwrap(), 0);
    let read = all(store, alice).await.remove(0).msgid;
    apply(store, alice, vec![Change::Mark { mark: Mark::Archive, msgids: vec![read], at: None }]).await;
    assert_eq!(store.changes_after(alice, since).await.unwrap(), 1, "a change counts like something new");
    assert_eq!(store.changes_after(bob, Stamp::ZERO).await.unwrap(), 5, "each inbox by itself");
    assert_eq!(store.changes_after(alice, Stamp::MAX).await.unwrap(), 0);
}
