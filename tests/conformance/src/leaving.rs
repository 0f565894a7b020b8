//! Checks of users who go: the rows that end with them, and those that stay with others.

use tidings_model::wire::NotificationEdit;

use super::asking::{answers, asking, root};
use super::*;

/// Deletes all that is to be deleted of removed users, a row at a time.
async fn finish(store: &dyn Store) {
    while store.prune(None, 1).await.unwrap() {}
    assert!(!store.removal_pending().await.unwrap());
    assert_eq!(store.check().await.unwrap(), []);
}

async fn remove(store: &dyn Store, id: &str) {
    store.remove_user(id, WrittenContent::Keep).await.unwrap();
}

fn saying(mut draft: Draft, body: &str) -> Draft {
    draft.content.body = body.into();
    draft
}

async fn bodies(store: &dyn Store, user: UserKey) -> Vec<String> {
    all(store, user).await.into_iter().filter(|item| !item.deleted).map(|item| item.content.body).collect()
}

pub async fn nothing_is_sent_in_the_name_of_a_removed_user(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    remove(store, "alice").await;
    for finished in [false, true] {
        for draft in [message("alice", "bob"), message("bob", "alice"), to_group("alice", "crew")] {
            assert_refused(store.require_deliverable(&draft).await, "not_found");
            assert_refused(store.post(vec![draft], None).await, "not_found");
        }
        // A program for an id that never was a user still sends.
        post(store, message("anybody", "bob")).await;
        assert_refused(store.join("crew", "alice").await, "not_found");
        assert_refused(store.rename_user("alice", "x").await, "not_found");
        if !finished {
            finish(store).await;
        }
    }
    assert_eq!(all(store, bob).await.len(), 2);
}

pub async fn a_removed_users_follows_end_and_its_conversations_are_closed(
    store: &dyn Store,
    _: &ManualClock,
) {
    user(store, "alice").await;
    let (bob, carol) = (user(store, "bob").await, user(store, "carol").await);
    store.follow(bob, "alice").await.unwrap();
    post(store, saying(message("bob", "alice"), "hello")).await;
    post(store, saying(message("alice", "bob"), "hello too")).await;
    let since = store.sync(bob, Stamp::ZERO, 100).await.unwrap().next;
    remove(store, "alice").await;
    finish(store).await;
    assert_eq!(store.followed(bob, "alice").await.unwrap(), None);
    post(store, reminder("alice", "like", "1")).await;
    assert_eq!(bodies(store, bob).await, ["hello", "hello too"], "what was written stays");
    let page = store.sync(bob, since, 100).await.unwrap();
    let closed: Vec<_> = page.closed.iter().map(|c| (c.conversation.as_str(), c.title.as_str())).collect();
    assert_eq!(closed, [("user:alice", "ALICE")]);
    assert!(page.next >= page.closed[0].stamp && page.items.is_empty());
    assert!(store.sync(bob, page.next, 100).await.unwrap().closed.is_empty(), "once");
    assert_eq!(store.sync(bob, Stamp::ZERO, 100).await.unwrap().closed.len(), 1, "and from the beginning");
    assert!(store.sync(carol, Stamp::ZERO, 100).await.unwrap().closed.is_empty());
    let query = ConversationQuery { before: None, limit: 9, cap: 9 };
    let listed = store.conversations(bob, query).await.unwrap();
    assert_eq!((listed[0].title.as_str(), listed[0].closed), ("ALICE", true));
    post(store, message("carol", "bob")).await;
    let query = ConversationQuery { before: None, limit: 9, cap: 9 };
    assert!(!store.conversations(bob, query).await.unwrap()[0].closed);
}

pub async fn what_nobody_can_read_any_more_goes_with_its_user(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    group(store, alice, "crew", &["bob"]).await;
    group(store, alice, "own", &[]).await;
    let mut posts = Vec::new();
    for draft in [
        message("alice", "alice"),
        message("system", "alice"),
        message("alice", "bob"),
        message("bob", "alice"),
        to_group("alice", "crew"),
        to_group("alice", "own"),
        announcement("news"),
        reminder("alice", "like", "1"),
        message("alice", "carol"),
    ] {
        posts.push(post(store, saying(draft, "x")).await.posted);
    }
    // The id of its revision goes with the note.
    let edit = NotificationEdit { body: Some("y".into()), ..NotificationEdit::default() };
    let hers = Editor { user: alice, id: "alice".into(), is_admin: true, application: None };
    store.edit(&posts[0].msgid, &edit, &hers).await.unwrap();
    fan_in(store, alice).await;
    let there = async || {
        let mut there = Vec::new();
        for (nth, posted) in posts.iter().enumerate() {
            if store.created_at(&posted.msgid).await.unwrap().is_some() {
                there.push(nth);
            }
        }
        there
    };
    // Of what the other has deleted the content goes, and the tombstone stays.
    apply(
        store,
        carol,
        vec![Change::Mark { mark: Mark::Delete, msgids: vec![posts[8].msgid.clone()], at: None }],
    )
    .await;
    remove(store, "alice").await;
    finish(store).await;
    // The note to itself, the message of a program to it alone, and the messages in a group without anybody else.
    assert_eq!(there().await, [2, 3, 4, 6, 7, 8]);
    assert_eq!(bodies(store, bob).await.len(), 4, "also what he had not pulled");
    // The other side deletes one of two messages, and goes as well.
    apply(
        store,
        bob,
        vec![Change::Mark { mark: Mark::Delete, msgids: vec![posts[2].msgid.clone()], at: None }],
    )
    .await;
    remove(store, "bob").await;
    finish(store).await;
    assert_eq!(there().await, [6, 7, 8]);
    assert_eq!(bodies(store, carol).await, ["x"]);
}

pub async fn a_question_of_a_removed_user_stays_with_who_can_answer_it_and_its_words_go_with_them(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    let mut asked = Vec::new();
    for to in ["bob", "carol", "alice"] {
        asked.push(post(store, asking(message("alice", to), clock, Some("deny"))).await.posted.msgid);
    }
    let [to_bob, to_carol, to_herself] = &asked[..] else { panic!("{asked:?}") };
    let deletion = Change::Mark { mark: Mark::Delete, msgids: vec![to_carol.clone()], at: None };
    apply(store, carol, vec![deletion]).await;
    fan_in(store, alice).await;
    remove(store, "alice").await;
    finish(store).await;
    for gone in [to_carol, to_herself] {
        assert_refused(store.question(gone, &root()).await, "not_found");
    }
    assert_eq!(unread(store, bob).await, 1);
    let applied = apply(store, bob, vec![answers(to_bob, "approve")]).await;
    assert_eq!((applied.results[0].code, applied.answered.len()), (None, 1));
    assert_eq!(store.question(to_bob, &root()).await.unwrap().1.answer_text(), Some("APPROVE"));
    // The time of those that are gone ends nothing.
    clock.advance(3_600);
    let (mut ended, mut waits) = (Vec::new(), true);
    while waits {
        let (posts, next) = store.deliver_due().await.unwrap();
        ended.extend(posts);
        waits = next.is_some();
    }
    assert_eq!(ended, []);
    remove(store, "bob").await;
    finish(store).await;
    assert_refused(store.question(to_bob, &root()).await, "not_found");
}

pub async fn files_go_with_their_user_where_nobody_else_has_them(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let with_file = |draft: Draft, name: &str, uploader| Draft {
        file: Some(tidings_store::domain::file::UploadedFile {
            name: name.into(),
            uploader: Some(uploader),
            file_name: "a.png".into(),
            media_type: "image/png".into(),
            bytes: 10,
            expires_at: clock.now().plus_secs(3_600),
            quota: tidings_store::domain::file::FileQuota::default(),
        }),
        posted_by: PostedBy { user: Some(uploader), changes_others: false },
        ..draft
    };
    post(store, with_file(message("alice", "alice"), "note", alice)).await;
    post(store, with_file(message("alice", "bob"), "sent", alice)).await;
    post(store, with_file(message("bob", "alice"), "received", bob)).await;
    post(store, with_file(message("system", "alice"), "private", bob)).await;
    post(store, with_file(reminder("alice", "like", "1"), "unread", alice)).await;
    subscribe(store, bob, "2", &["like"]).await;
    post(store, with_file(reminder("alice", "like", "2"), "due", alice)).await;
    remove(store, "alice").await;
    finish(store).await;
    let mut expired = store.expired_files(true, 10).await.unwrap();
    expired.sort();
    assert_eq!(expired, ["note", "private", "unread"]);
    assert_eq!(all(store, bob).await.len(), 3);
}

pub async fn what_waits_and_its_names_go_with_their_publisher(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let by = |user| PostedBy { user: Some(user), changes_others: false };
    let due = clock.now().plus_secs(60);
    for user in [alice, bob] {
        let draft = Draft { posted_by: by(user), ..Draft::on_topic("job", None) };
        store.schedule(draft, due, None).await.unwrap();
        let named =
            Draft { sequence: Some("run".into()), posted_by: by(user), ..Draft::on_topic("job", None) };
        post(store, named).await;
    }
    remove(store, "alice").await;
    finish(store).await;
    assert_eq!(store.scheduled_on("job", &[Some(alice), Some(bob)]).await.unwrap().len(), 1);
    let everybody = PostedBy { user: Some(bob), changes_others: true };
    for revised in [true, false] {
        let did = store.sequence("job", "run", SequenceChange::Delete, everybody).await.unwrap();
        assert_eq!(did.is_some(), revised, "bob's alone");
    }
    clock.advance(120);
    assert_eq!(store.deliver_due().await.unwrap().0.len(), 1);
}

pub async fn a_new_name_is_on_what_comes_later(store: &dyn Store, _: &ManualClock) {
    user(store, "alice").await;
    let bob = user(store, "bob").await;
    let unnamed = || Draft { actor_name: None, ..message("alice", "bob") };
    post(store, unnamed()).await;
    let before = store.meta().await.unwrap().auth_version;
    assert_eq!(store.rename_user("alice", "Alice Liddell").await.unwrap().name, "Alice Liddell");
    assert_ne!(store.meta().await.unwrap().auth_version, before);
    post(store, unnamed()).await;
    let names: Vec<_> = all(store, bob).await.into_iter().map(|item| item.actor.name).collect();
    assert_eq!(names, ["ALICE", "Alice Liddell"]);
    assert_eq!(store.user("alice").await.unwrap().unwrap().name, "Alice Liddell");
    assert_refused(store.rename_user("nobody", "x").await, "not_found");
}

pub async fn what_a_user_wrote_is_listed_in_pages(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let by = |user| PostedBy { user: Some(user), changes_others: false };
    let wrote = [
        Draft { posted_by: by(alice), ..announcement("news") },
        Draft { posted_by: by(alice), ..Draft::on_topic("job", None) },
        Draft { posted_by: by(alice), ..message("alice", "bob") },
        // A program says what she did, and sends in her name.
        Draft { posted_by: by(bob), ..reminder("alice", "like", "1") },
        Draft { posted_by: by(bob), ..message("alice", "bob") },
    ];
    let mut msgids = Vec::new();
    for draft in wrote {
        msgids.push(post(store, draft).await.posted.msgid);
    }
    post(store, Draft { posted_by: by(bob), ..message("bob", "alice") }).await;
    post(store, Draft { posted_by: by(bob), ..reminder("bob", "like", "1") }).await;
    for limit in [1, 2, 100] {
        let (mut after, mut found) = (Stamp::ZERO, Vec::new());
        loop {
            let page = store.written(alice, "alice", after, limit).await.unwrap();
            assert_eq!(page.publications.len(), page.msgids.len());
            found.extend(page.msgids);
            after = page.through;
            if !page.more {
                break;
            }
        }
        assert_eq!(found, msgids, "{limit} at a time");
    }
}

pub async fn what_a_user_wrote_is_revised_by_new_content_alone(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let by = PostedBy { user: Some(alice), changes_others: false };
    let on_topic = || Draft { posted_by: by, sequence: Some("run".into()), ..Draft::on_topic("job", None) };
    let revised_at = async || {
        let page = store.written(alice, "alice", Stamp::ZERO, 9).await.unwrap();
        let written: serde_json::Value = serde_json::from_str(page.publications[0].get()).unwrap();
        written["revised_at"].clone()
    };
    post(store, on_topic()).await;
    store.sequence("job", "run", SequenceChange::Clear, by).await.unwrap().unwrap();
    assert_eq!(revised_at().await, serde_json::Value::Null, "a clear is no content");
    let revised = post(store, saying(on_topic(), "again")).await.posted.stamp;
    store.sequence("job", "run", SequenceChange::Clear, by).await.unwrap().unwrap();
    assert_eq!(revised_at().await, serde_json::json!(revised));
}

pub async fn what_a_removed_user_wrote_is_recalled_before_the_rest_goes(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    group(store, alice, "crew", &["bob"]).await;
    for draft in [message("alice", "bob"), to_group("alice", "crew"), message("bob", "alice")] {
        post(store, saying(draft, "x")).await;
    }
    fan_in(store, bob).await;
    assert_eq!(store.to_recall(1).await.unwrap().map(|(user, _)| user), None);
    store.remove_user("alice", WrittenContent::Delete).await.unwrap();
    assert_eq!(store.group("crew").await.unwrap().unwrap().owner, "bob", "that does not wait");
    while store.prune(None, 1).await.unwrap() {}
    assert!(store.removal_pending().await.unwrap(), "what she wrote is found by what she had");
    let mut recalled = 0;
    while let Some((user, page)) = store.to_recall(1).await.unwrap() {
        assert_eq!(user, alice);
        for msgid in &page.msgids {
            let by = Editor { user, id: String::new(), is_admin: true, application: None };
            recalled += usize::from(store.recall(msgid, &by).await.unwrap().is_some());
        }
        store.recalled(user, page.through, !page.more).await.unwrap();
    }
    assert_eq!(recalled, 2);
    finish(store).await;
    assert_eq!(bodies(store, bob).await, ["x"], "his own stays");
}
