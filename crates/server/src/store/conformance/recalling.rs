//! Checks of notifications that are taken back: they leave every inbox, and nothing of what they said stays.

use tidings_model::Content;

use super::publishing::on_topic;
use super::*;
use crate::domain::file::{FileQuota, UploadedFile};

/// Somebody who may change what it published itself, as the user with this id.
fn editor(user: UserKey, id: &str) -> Editor {
    Editor { user, id: id.to_owned(), is_admin: false }
}

fn by(user: UserKey, draft: Draft) -> Draft {
    Draft { posted_by: PostedBy { user: Some(user), changes_others: false }, ..draft }
}

fn saying(body: &str, mut draft: Draft) -> Draft {
    draft.content.body = body.to_owned();
    draft
}

/// What is in an inbox, by the time of creation: its text, or `-` for what was deleted.
async fn texts(store: &dyn Store, user: UserKey) -> Vec<String> {
    let mut items = all(store, user).await;
    items.sort_by_key(|item| item.created_at);
    for gone in items.iter().filter(|item| item.deleted) {
        assert_eq!(gone.content, Content::default(), "nothing of it is left");
        let target = gone.target.clone().unwrap_or_default();
        assert_eq!((target.title, target.url, target.owner), (None, None, None));
    }
    items.into_iter().map(|i| if i.deleted { "-".to_owned() } else { i.content.body }).collect()
}

pub(in crate::store) async fn what_is_recalled_leaves_every_inbox_and_comes_once_more_without_content(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob, carol) =
        (user(store, "alice").await, user(store, "bob").await, user(store, "carol").await);
    group(store, alice, "crew", &["bob", "carol"]).await;
    subscribe(store, bob, "42", &["comment"]).await;
    subscribe(store, carol, "42", &["comment"]).await;
    let mut told = reminder("x", "comment", "42");
    if let Some(target) = &mut told.target {
        (target.title, target.owner) = (Some("Rust".into()), Some("alice".into()));
    }
    let drafts = [announcement("news"), told, message("alice", "bob"), to_group("alice", "crew")];
    let mut posted = Vec::new();
    for (draft, body) in drafts.into_iter().zip(["all", "subscribers", "bob", "crew"]) {
        posted.push(post(store, by(alice, saying(body, draft))).await);
    }
    post(store, by(alice, saying("stays", message("alice", "bob")))).await;
    assert_eq!(texts(store, bob).await, ["all", "subscribers", "bob", "crew", "stays"]);
    assert_eq!(unread(store, bob).await, 5);
    let before = store.sync(bob, Stamp::ZERO, 100).await.unwrap().next;
    let hers = editor(alice, "alice");
    let recipients = [
        Recipients::Everyone,
        Recipients::Subscribers {
            kind: "article".into(),
            id: "42".into(),
            action: "comment".into(),
            actor: "x".into(),
        },
        Recipients::Users(vec![alice, bob]),
        Recipients::Group("crew".into()),
    ];
    for (post, wanted) in posted.iter().zip(recipients) {
        let recalled = store.recall(&post.posted.msgid, &hers).await.unwrap().unwrap();
        assert_eq!(recalled.posted.msgid, post.posted.msgid);
        assert!(recalled.posted.stamp > post.posted.stamp);
        let mut told = recalled.recipients;
        if let Recipients::Users(users) = &mut told {
            users.sort();
        }
        assert_eq!(told, wanted);
        assert_eq!(store.recall(&post.posted.msgid, &hers).await.unwrap(), None, "once");
    }
    assert_eq!(unread(store, bob).await, 1, "numbers follow at once");
    let page = store.sync(bob, before, 100).await.unwrap().items().unwrap();
    assert_eq!(page.iter().filter(|item| item.deleted && item.version == 2).count(), 4, "it comes once more");
    assert_eq!(texts(store, bob).await, ["-", "-", "-", "-", "stays"]);
    // Who has not pulled by then never hears of it; the sender's other devices lose it, too.
    assert_eq!(texts(store, carol).await, Vec::<String>::new());
    assert_eq!(texts(store, alice).await, ["-", "-", "stays"]);
    let query = ConversationQuery { before: None, limit: 10, cap: 9 };
    let listed = store.conversations(bob, query.clone()).await.unwrap();
    assert_eq!(
        listed.iter().map(|c| (c.id.as_str(), &*c.last.content.body)).collect::<Vec<_>>(),
        [("user:alice", "stays")]
    );
    assert_eq!(store.conversations(alice, query).await.unwrap().len(), 1);
    let inbox = store.inbox(bob, InboxQuery { limit: 10, ..InboxQuery::default() }).await.unwrap();
    assert_eq!(inbox.items().unwrap().len(), 1);
}

pub(in crate::store) async fn a_direct_message_is_recalled_before_anybody_has_pulled_it(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let posted = post(store, by(alice, saying("wrong", message("alice", "bob")))).await.posted;
    assert_eq!(store.fresh_unread(bob, 9).await.unwrap().message.count, 1);
    store.recall(&posted.msgid, &editor(alice, "alice")).await.unwrap().unwrap();
    assert_eq!(store.fresh_unread(bob, 9).await.unwrap().message.count, 0);
    assert_eq!((texts(store, alice).await, texts(store, bob).await), (vec!["-".into()], vec!["-".into()]));
}

pub(in crate::store) async fn only_whoever_posted_it_recalls_it(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (press, root) = (user(store, "press").await, user(store, "root").await);
    let from_alice = post(store, by(press, saying("1", message("alice", "bob")))).await.posted.msgid;
    let from_alice_too = post(store, by(press, saying("2", message("alice", "bob")))).await.posted.msgid;
    let news = post(store, by(press, announcement("3"))).await.posted.msgid;
    let by_nobody = post(store, announcement("4")).await.posted.msgid;
    for (who, id) in [(bob, "bob"), (root, "root")] {
        for msgid in [&from_alice, &news, &by_nobody] {
            assert_refused(store.recall(msgid, &editor(who, id)).await, "not_found");
        }
    }
    assert_refused(store.recall(&news, &editor(alice, "alice")).await, "not_found");
    assert_refused(store.recall(&MsgId("nothing".into()), &editor(alice, "alice")).await, "not_found");
    assert_eq!(unread(store, bob).await, 4);
    store.recall(&from_alice, &editor(alice, "alice")).await.unwrap().unwrap();
    store.recall(&from_alice_too, &editor(press, "press")).await.unwrap().unwrap();
    store.recall(&news, &editor(press, "press")).await.unwrap().unwrap();
    assert_refused(store.recall(&news, &editor(bob, "bob")).await, "not_found");
    let admin = Editor { is_admin: true, ..editor(root, "root") };
    store.recall(&by_nobody, &admin).await.unwrap().unwrap();
    assert_eq!(unread(store, bob).await, 0);
}

pub(in crate::store) async fn what_is_recalled_leaves_its_topic_its_name_and_its_files(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let mut draft = by(alice, on_topic("secret", Some("run")));
    draft.file = Some(UploadedFile {
        name: "a".into(),
        file_name: "a.png".into(),
        media_type: "image/png".into(),
        bytes: 10,
        uploader: Some(alice),
        expires_at: clock.now().plus_secs(3_600),
        quota: FileQuota::default(),
    });
    let posted = post(store, draft).await.posted;
    store.recall(&posted.msgid, &editor(alice, "alice")).await.unwrap().unwrap();
    assert_eq!(store.expired_files(9).await.unwrap(), ["a"]);
    let events = store.topic_events("job", Stamp::ZERO, 100).await.unwrap().events;
    assert_eq!(events.iter().map(|event| event.change).collect::<Vec<_>>(), [TopicChange::Deleted]);
    assert_eq!(events[0].content, Content::default());
    assert_eq!(store.topic_latest("job").await.unwrap(), None);
    let again = post(store, by(alice, on_topic("another", Some("run")))).await.posted;
    assert_ne!(again.msgid, posted.msgid, "its name leads to it no more");
}
