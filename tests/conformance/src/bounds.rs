//! Checks of what lies one past each bound of a pull or of a page of readers. A store runs them with
//! [`small_bounds`].

use tidings_store::{Bounds, PullPage};

use super::*;

/// The bounds of a store for these checks: small if a check looks at what lies one past a bound. A page takes what most
/// checks read as one.
pub fn small_bounds() -> Bounds {
    let usual = Bounds::default();
    Bounds {
        user_subscriptions: MANY,
        user_applications: MANY,
        user_clients: MANY,
        page_marks: MANY - 1,
        page_bytes: 64 << 10,
        marks_bytes: 4 << 10,
        batch_drafts: usual.batch_drafts,
        others_posts: usual.others_posts,
        ..Bounds::SMALLEST
    }
}

/// More than any of the smallest bounds, and as many as one user may have of a kind.
const MANY: usize = 4;

/// The pages of a pull to its end.
async fn pages(store: &dyn Store, user: UserKey, mut since: Stamp, limit: usize) -> Vec<PullPage> {
    fan_in(store, user).await;
    let mut pages: Vec<PullPage> = Vec::new();
    loop {
        let page = store.sync(user, since, limit).await.unwrap();
        let more = page.more;
        assert!(!more || page.next > since, "a page goes on");
        since = page.next;
        pages.push(page);
        if !more {
            return pages;
        }
    }
}

pub async fn one_revision_past_the_bound_is_not_lost(store: &dyn Store, _: &ManualClock) {
    let (alice, late, other) =
        (user(store, "alice").await, user(store, "late").await, user(store, "other").await);
    let target = TargetRef { kind: "topic".into(), id: "disk".into() };
    store.subscribe(alice, target.clone(), vec!["publish".into()], None).await.unwrap();
    let names: Vec<String> = (0..MANY).map(|n| format!("sd{n}")).collect();
    for name in &names {
        post(store, alert(name, "80 %")).await;
    }
    assert_eq!(all(store, alice).await.len(), MANY);
    store.subscribe(late, target, vec!["publish".into()], None).await.unwrap();
    for name in &names {
        post(store, alert(name, "99 %")).await;
    }
    // The last of them is cleared, so that it is in the order of other changes, too.
    let by = PostedBy { changes_others: true, ..PostedBy::default() };
    store.sequence("disk", &names[0], SequenceChange::Clear, by).await.unwrap().unwrap();
    for user in [alice, late] {
        let items = all(store, user).await;
        assert_eq!(items.len(), MANY);
        assert!(
            items.iter().all(|item| item.content.title == "99 %" && item.revised_at.is_some()),
            "{items:?}"
        );
        assert_eq!(unread(store, user).await, MANY as u64 - 1);
    }
    assert!(all(store, other).await.is_empty());
    for name in &names {
        store.sequence("disk", name, SequenceChange::Delete, by).await.unwrap().unwrap();
    }
    for user in [alice, late] {
        assert!(all(store, user).await.iter().all(|item| item.deleted));
    }
}

pub async fn one_changed_group_past_the_bound_is_named(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    user(store, "cat").await;
    let ids: Vec<String> = (0..MANY).map(|n| format!("own{n}")).collect();
    for id in &ids {
        group(store, bob, id, &["alice"]).await;
        group(store, bob, &format!("of-others-{id}"), &["cat"]).await;
    }
    // A member who leaves a group in which something was written has been in it.
    post(store, to_group("bob", &ids[0])).await;
    let since = pages(store, alice, Stamp::ZERO, 9).await.pop().unwrap().next;
    for id in &ids {
        store.join(id, "cat").await.unwrap();
    }
    // What happens in other groups meanwhile does not hide them.
    for id in &ids {
        store.leave(&format!("of-others-{id}"), "cat").await.unwrap();
        store.join(&format!("of-others-{id}"), "cat").await.unwrap();
    }
    store.leave(&ids[0], "alice").await.unwrap();
    post(store, message("bob", "alice")).await;
    let pages = pages(store, alice, since, 1).await;
    let mut named: Vec<String> = pages.iter().flat_map(|page| page.groups.clone()).collect();
    named.sort();
    named.dedup();
    assert_eq!(named, ids);
    let items: usize = pages.iter().map(|page| page.items.len()).sum();
    assert_eq!(items, 1);
}

pub async fn one_mark_past_the_bound_of_a_page_comes_on_the_next(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let mut peers = Vec::new();
    for n in 0..MANY {
        let id = format!("peer{n}");
        let peer = user(store, &id).await;
        post(store, message(&id, "alice")).await;
        post(store, message("alice", &id)).await;
        peers.push((id, peer));
    }
    let since = pages(store, alice, Stamp::ZERO, 9).await.pop().unwrap().next;
    for (id, peer) in &peers {
        let (own, of_peer) =
            (View::Conversation(format!("user:{id}")), View::Conversation("user:alice".into()));
        store.visit(alice, &own, Visit::Now, 9).await.unwrap();
        store.visit(*peer, &of_peer, Visit::Now, 9).await.unwrap();
    }
    post(store, message("alice", "alice")).await;
    let pages = pages(store, alice, since, 1).await;
    let views = |marks: Vec<tidings_model::wire::ViewMark>| {
        let mut views: Vec<String> = marks.into_iter().map(|mark| mark.view.to_string()).collect();
        views.sort();
        views
    };
    let wanted: Vec<String> = peers.iter().map(|(id, _)| format!("conversation/user:{id}")).collect();
    assert_eq!(views(pages.iter().flat_map(|page| page.marks.clone()).collect()), wanted);
    assert_eq!(views(pages.iter().flat_map(|page| page.peer_marks.clone()).collect()), wanted);
    assert_eq!(pages.iter().map(|page| page.items.len()).sum::<usize>(), 1);
}

pub async fn one_closed_conversation_past_the_bound_of_a_page_comes_on_the_next(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let peers: Vec<String> = (0..MANY).map(|n| format!("peer{n}")).collect();
    for id in &peers {
        user(store, id).await;
        post(store, message(id, "alice")).await;
    }
    let since = pages(store, alice, Stamp::ZERO, 9).await.pop().unwrap().next;
    for id in &peers {
        store.remove_user(id, WrittenContent::Keep).await.unwrap();
        while store.prune_removed(9).await.unwrap() {}
    }
    post(store, message("alice", "alice")).await;
    let pages = pages(store, alice, since, 1).await;
    let closed: Vec<&str> =
        pages.iter().flat_map(|page| &page.closed).map(|closed| closed.conversation.as_str()).collect();
    let wanted: Vec<String> = peers.iter().map(|id| format!("user:{id}")).collect();
    assert_eq!(closed, wanted);
    assert_eq!(pages.iter().map(|page| page.items.len()).sum::<usize>(), 1);
}

pub async fn one_item_past_the_bytes_of_a_page_comes_on_the_next(store: &dyn Store, _: &ManualClock) {
    let (alice, bytes) = (user(store, "alice").await, small_bounds().page_bytes);
    // Two of them fit, three do not, and the last one alone is larger than a page.
    let almost_half = bytes / 2 - (2 << 10);
    for body_bytes in [almost_half, almost_half, almost_half, 2 * bytes] {
        let mut draft = message("bob", "alice");
        draft.content.body = "x".repeat(body_bytes);
        post(store, draft).await;
    }
    let pages = pages(store, alice, Stamp::ZERO, 9).await;
    let items: Vec<usize> = pages.iter().map(|page| page.items.len()).collect();
    assert_eq!(items, [2, 1, 1]);
}

pub async fn one_mark_past_the_bytes_of_a_page_comes_on_the_next(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    // Two marks of such targets fit; of what is about others, which has a quarter of the bytes, one does.
    let targets: Vec<String> = (0..MANY).map(|n| format!("{n}{}", "t".repeat(249))).collect();
    for id in &targets {
        subscribe(store, alice, id, &["like"]).await;
        post(store, reminder("dan", "like", id)).await;
    }
    let ids: Vec<String> = (0..MANY).map(|n| format!("{n}{}", "p".repeat(63))).collect();
    let mut peers = Vec::new();
    for id in &ids {
        peers.push(done(store.add_user(id, &"N".repeat(900), None).await.unwrap()).key);
        post(store, message(id, "alice")).await;
        post(store, message("alice", id)).await;
    }
    let mut since = pages(store, alice, Stamp::ZERO, 99).await.pop().unwrap().next;
    // The numbers on the pages that have any.
    let mut numbers = async |of: fn(&PullPage) -> usize| {
        let pages = pages(store, alice, since, 99).await;
        since = pages.last().unwrap().next;
        pages.iter().map(of).filter(|number| *number > 0).collect::<Vec<_>>()
    };
    for id in &targets {
        store.visit(alice, &View::Target(format!("article:{id}")), Visit::Now, 9).await.unwrap();
    }
    assert_eq!(numbers(|page| page.marks.len()).await, [2, 2]);
    for peer in peers {
        store.visit(peer, &View::Conversation("user:alice".into()), Visit::Now, 9).await.unwrap();
    }
    assert_eq!(numbers(|page| page.peer_marks.len()).await, [1; MANY]);
    for id in &ids {
        store.remove_user(id, WrittenContent::Keep).await.unwrap();
        while store.prune_removed(9).await.unwrap() {}
    }
    assert_eq!(numbers(|page| page.closed.len()).await, [1; MANY]);
}

pub async fn one_membership_past_the_bound_of_a_page_of_readers_is_not_lost(
    store: &dyn Store,
    _: &ManualClock,
) {
    let bob = user(store, "bob").await;
    let ids: Vec<String> = (0..MANY).map(|n| format!("member{n}")).collect();
    for id in &ids {
        user(store, id).await;
    }
    let members: Vec<&str> = ids.iter().map(String::as_str).collect();
    group(store, bob, "crew", &members).await;
    // Each has two memberships, of which the later one counts for what is posted then.
    post(store, to_group("bob", "crew")).await;
    for id in &ids {
        store.leave("crew", id).await.unwrap();
        store.join("crew", id).await.unwrap();
    }
    let posted = post(store, to_group("bob", "crew")).await.posted.msgid;
    for limit in [1, 9] {
        let (mut found, mut page) = (Vec::new(), ListQuery::first(limit));
        loop {
            let readers = store.readers("crew", &posted, page).await.unwrap();
            found.extend(readers.unread);
            let Some(next) = readers.next else { break };
            page = ListQuery::first(limit).after(&next);
        }
        assert_eq!(found, ids, "{limit} on a page");
    }
}

pub async fn one_reminder_or_message_past_the_bound_is_brought_in(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, alice, "1", &["like"]).await;
    store.follow(alice, "cat").await.unwrap();
    group(store, bob, "crew", &["alice"]).await;
    group(store, bob, "others", &[]).await;
    for _ in 0..MANY {
        for draft in [
            reminder("dan", "like", "1"),
            reminder("dan", "like", "2"),
            reminder("cat", "share", "3"),
            to_group("bob", "crew"),
            to_group("bob", "others"),
            announcement("to all"),
        ] {
            post(store, draft).await;
        }
    }
    let items = all(store, alice).await;
    let of = |kind| items.iter().filter(|item| item.kind == kind).count();
    assert_eq!((of(Kind::Announcement), of(Kind::Reminder), of(Kind::Message)), (MANY, 2 * MANY, MANY));
    assert!(!store.fan_in(alice).await.unwrap());
}

pub async fn retention_goes_past_a_slice_of_revised_ones(store: &dyn Store, clock: &ManualClock) {
    const DAY: i64 = 24 * 3_600;
    let alice = user(store, "alice").await;
    subscribe_to_alerts(store, alice).await;
    // More than the smallest slice, which is of five in PostgreSQL.
    let names: Vec<String> = (0..2 * MANY).map(|n| format!("sd{n}")).collect();
    for name in &names {
        post(store, alert(name, "80 %")).await;
    }
    post(store, alert("old", "80 %")).await;
    fan_in(store, alice).await;
    clock.advance(40 * DAY);
    for name in &names {
        post(store, alert(name, "99 %")).await;
    }
    clock.advance(1);
    let before = Some(clock.now().plus_secs(-30 * DAY));
    while store.prune(before, 2).await.unwrap() {}
    let titles: Vec<String> = all(store, alice).await.into_iter().map(|item| item.content.title).collect();
    assert_eq!(titles, vec!["99 %"; names.len()]);
}

pub async fn one_due_publication_past_the_bound_is_delivered(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let due = clock.now().plus_secs(60);
    let mut waiting = Vec::new();
    for n in 0..MANY {
        waiting.push(done(store.schedule(announcement(&n.to_string()), due, None).await.unwrap()));
    }
    clock.advance(60);
    let mut delivered = Vec::new();
    loop {
        let (posts, next) = store.deliver_due().await.unwrap();
        delivered.extend(posts.into_iter().map(|post| post.posted.msgid));
        if next.is_none() {
            break;
        }
    }
    waiting.sort();
    delivered.sort();
    assert_eq!(delivered, waiting);
    assert_eq!(all(store, alice).await.len(), MANY);
}

pub async fn one_step_past_a_segment_of_operations_is_done(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    let mut msgids = Vec::new();
    for _ in 0..MANY {
        msgids.push(post(store, reminder("bob", "like", "1")).await.posted.msgid);
    }
    fan_in(store, alice).await;
    let all_of_them = |mark| Change::Mark { mark, msgids: msgids.clone(), at: None };
    let some = Change::Mark { mark: Mark::Unread, msgids: msgids[1..].to_vec(), at: None };
    let applied = apply(store, alice, vec![all_of_them(Mark::Read), all_of_them(Mark::Archive), some]).await;
    assert!(applied.results.iter().all(|result| result.ok), "{:?}", applied.results);
    let items = all(store, alice).await;
    assert!(items.len() == MANY && items.iter().all(|item| item.archived_at.is_some()));
    let read: Vec<&MsgId> =
        items.iter().filter(|item| item.read_at.is_some()).map(|item| &item.msgid).collect();
    assert_eq!(read, [&msgids[0]]);
}

pub async fn one_view_past_the_bound_is_read_with_everything(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let mut through = Stamp::ZERO;
    for n in 0..MANY {
        let peer = format!("peer{n}");
        user(store, &peer).await;
        for _ in 0..2 {
            through = post(store, message(&peer, "alice")).await.posted.stamp;
        }
    }
    assert_eq!(unread(store, alice).await, 2 * MANY as u64);
    apply(store, alice, vec![Change::ReadAll { kind: None, through }]).await;
    assert_eq!(unread(store, alice).await, 0);
    let pages = pages(store, alice, Stamp::ZERO, 9).await;
    let items: Vec<Notification> = pages.iter().flat_map(|page| page.items().unwrap()).collect();
    assert!(items.len() == 2 * MANY && items.iter().all(|item| item.read_at.is_some()));
}

pub async fn one_writer_past_the_bound_learns_that_the_message_is_read(store: &dyn Store, _: &ManualClock) {
    let reader = user(store, "reader").await;
    let mut writers = Vec::new();
    for n in 0..MANY {
        writers.push((format!("writer{n}"), user(store, &format!("writer{n}")).await));
    }
    let members: Vec<&str> = writers.iter().map(|(id, _)| id.as_str()).collect();
    group(store, reader, "crew", &members).await;
    for (id, _) in &writers {
        post(store, to_group(id, "crew")).await;
    }
    fan_in(store, reader).await;
    let view = View::Conversation("group:crew".into());
    store.visit(reader, &view, Visit::Now, 9).await.unwrap();
    for (id, writer) in &writers {
        assert_eq!(store.receipts(*writer, Stamp::ZERO, 9).await.unwrap().receipts.len(), 1, "{id}");
    }
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn one_row_past_a_short_write_is_written_and_deleted(store: &dyn Store, _: &ManualClock) {
    let owner = user(store, "owner").await;
    let mut readers = Vec::new();
    for n in 0..MANY {
        readers.push((format!("reader{n}"), user(store, &format!("reader{n}")).await));
    }
    let members: Vec<&str> = readers.iter().map(|(id, _)| id.as_str()).collect();
    let made = group(store, owner, "crew", &members).await;
    assert_eq!(made.members.len(), MANY + 1);
    let waiting = async || store.receipts(owner, Stamp::ZERO, 9).await.unwrap();
    for is_archived in [false, true] {
        let posted = post(store, to_group("owner", "crew")).await.posted;
        for (_, reader) in &readers {
            fan_in(store, *reader).await;
            store.visit(*reader, &View::Conversation("group:crew".into()), Visit::Now, 9).await.unwrap();
        }
        let receipts = waiting().await;
        assert_eq!(receipts.receipts.len(), MANY);
        if is_archived {
            let old = store.old_receipts(Some(posted.stamp.plus_micros(1)), 9).await.unwrap();
            store.forget_receipts(old.into_iter().map(|old| old.key).collect()).await.unwrap();
        } else {
            store.ack_receipts(owner, receipts.next, None).await.unwrap();
        }
        assert_eq!(waiting().await.receipts, []);
    }
}

pub async fn one_publication_past_the_bound_goes_with_its_removed_user(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let mut notes = Vec::new();
    for _ in 0..MANY {
        notes.push(post(store, message("alice", "alice")).await.posted.msgid);
        post(store, message("alice", "bob")).await;
    }
    fan_in(store, alice).await;
    assert_eq!(all(store, bob).await.len(), MANY);
    store.remove_user("alice", WrittenContent::Keep).await.unwrap();
    while store.prune(None, 99).await.unwrap() {}
    assert!(!store.removal_pending().await.unwrap());
    assert_eq!(all(store, bob).await.len(), MANY, "what he can read stays");
    for note in &notes {
        assert_eq!(store.created_at(note).await.unwrap(), None, "her notes to herself go");
    }
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn one_subscription_past_those_of_a_user_is_refused(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    for n in 0..small_bounds().user_subscriptions {
        subscribe(store, alice, &n.to_string(), &["like"]).await;
    }
    let target = |id: &str| TargetRef { kind: "article".into(), id: id.into() };
    let one_more = async || store.subscribe(alice, target("more"), vec!["like".into()], None).await;
    assert_refused(one_more().await, "invalid");
    subscribe(store, bob, "more", &["like"]).await;
    store.unsubscribe(alice, target("0"), None).await.unwrap();
    one_more().await.unwrap();
    assert_refused(store.subscribe(alice, target("0"), vec!["like".into()], None).await, "invalid");
}
