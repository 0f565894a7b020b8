//! Checks of notifications that are edited or taken back by their msgid. A recalled notification leaves every inbox,
//! and nothing of its text stays.

use tidings_model::Content;
use tidings_model::wire::{AnnouncementReaders, NotificationEdit};
use tidings_store::domain::file::{FileQuota, UploadedFile};
use tidings_store::domain::{limits, msgid};

use super::publishing::on_topic;
use super::*;

/// Somebody who may change what it published itself, as the user with this id.
fn editor(user: UserKey, id: &str) -> Editor {
    Editor { user, id: id.to_owned(), is_admin: false, application: None }
}

fn by(user: UserKey, draft: Draft) -> Draft {
    Draft { posted_by: PostedBy { user: Some(user), changes_others: false }, ..draft }
}

fn saying(body: &str, mut draft: Draft) -> Draft {
    body.clone_into(&mut draft.content.body);
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

pub async fn what_is_recalled_leaves_every_inbox_and_comes_once_more_without_content(
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
        assert_eq!(told, wanted.revised(post.posted.stamp));
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

pub async fn who_left_or_unsubscribed_is_told_what_becomes_of_what_they_have(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob, carol, dave) = (
        user(store, "alice").await,
        user(store, "bob").await,
        user(store, "carol").await,
        user(store, "dave").await,
    );
    let hers = editor(alice, "alice");
    let told = async |post: Option<Post>, among: &[UserKey]| {
        store.recipients_among(&[post.unwrap().recipients], among).await.unwrap()
    };
    group(store, alice, "crew", &["bob", "carol"]).await;
    let note = post(store, by(alice, saying("1", to_group("alice", "crew")))).await.posted.msgid;
    for who in [bob, carol] {
        fan_in(store, who).await;
    }
    store.leave("crew", "bob").await.unwrap();
    let (_, edited) = store.edit(&note, &body("2"), &hers).await.unwrap();
    assert_eq!(told(edited.clone(), &[alice, bob, carol, dave]).await, [alice, bob, carol]);
    // If more have it than are connected, each of these is looked up.
    assert_eq!(told(edited, &[bob, dave]).await, [bob]);
    store.end_group("crew").await.unwrap();
    let recalled = store.recall(&note, &hers).await.unwrap();
    assert_eq!(told(recalled, &[alice, bob, carol, dave]).await, [alice, bob, carol]);

    let target = TargetRef { kind: "topic".into(), id: "job".into() };
    for who in [bob, carol] {
        store.subscribe(who, target.clone(), vec!["publish".into()], None).await.unwrap();
    }
    let run = post(store, by(alice, on_topic("10 %", Some("run")))).await.posted.msgid;
    fan_in(store, bob).await;
    store.unsubscribe(bob, target, None).await.unwrap();
    // Who has not pulled it yet, but would get it, is told as well.
    let revised = post(store, by(alice, on_topic("20 %", Some("run")))).await;
    assert_eq!(revised.posted.msgid, run);
    assert_eq!(told(Some(revised), &[bob, carol, dave]).await, [bob, carol]);
    let by_alice = PostedBy { user: Some(alice), changes_others: false };
    let cleared = store.sequence("job", "run", SequenceChange::Clear, by_alice).await.unwrap();
    assert_eq!(told(cleared, &[bob, carol, dave]).await, [bob, carol]);
}

pub async fn a_direct_message_is_recalled_before_anybody_has_pulled_it(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let posted = post(store, by(alice, saying("wrong", message("alice", "bob")))).await.posted;
    assert_eq!(store.fresh_unread(bob, 9).await.unwrap().message.count, 1);
    store.recall(&posted.msgid, &editor(alice, "alice")).await.unwrap().unwrap();
    assert_eq!(store.fresh_unread(bob, 9).await.unwrap().message.count, 0);
    assert_eq!((texts(store, alice).await, texts(store, bob).await), (vec!["-".into()], vec!["-".into()]));
}

pub async fn only_whoever_posted_it_recalls_it(store: &dyn Store, _: &ManualClock) {
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

pub async fn what_is_recalled_leaves_its_topic_its_name_and_its_files(
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
    assert_eq!(store.expired_files(true, 9).await.unwrap(), ["a"]);
    let events = store.topic_events("job", Stamp::ZERO, 100).await.unwrap().events;
    assert_eq!(events.iter().map(|event| event.change).collect::<Vec<_>>(), [TopicChange::Deleted]);
    assert_eq!(events[0].content, Content::default());
    assert_eq!(store.topic_latest("job").await.unwrap(), None);
    let again = post(store, by(alice, on_topic("another", Some("run")))).await.posted;
    assert_ne!(again.msgid, posted.msgid, "its name leads to it no more");
}

fn body(text: &str) -> NotificationEdit {
    NotificationEdit { body: Some(text.to_owned()), ..NotificationEdit::default() }
}

pub async fn what_is_edited_is_revised_in_every_inbox_that_has_it(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, bob, "42", &["comment"]).await;
    let told = post(store, by(alice, saying("1", reminder("x", "comment", "42")))).await.posted;
    let news = post(store, by(alice, saying("2", announcement("news")))).await.posted;
    let read = vec![Change::Mark {
        mark: Mark::Read,
        msgids: vec![told.msgid.clone(), news.msgid.clone()],
        at: None,
    }];
    assert_eq!(unread(store, bob).await, 2);
    apply(store, bob, read).await;
    assert_eq!(unread(store, bob).await, 0);
    let late = user(store, "late").await;
    let hers = editor(alice, "alice");
    for (posted, text) in [(&told, "1, edited"), (&news, "2, edited")] {
        let (edited, post) = store.edit(&posted.msgid, &body(text), &hers).await.unwrap();
        assert!(edited.stamp > posted.stamp && edited.revised_at == Some(edited.stamp));
        assert_eq!(post.unwrap().posted.stamp, edited.stamp);
        let again = store.edit(&posted.msgid, &body(text), &hers).await.unwrap();
        assert_eq!(again, (edited, None), "nothing differs");
    }
    let items = all(store, bob).await;
    let about = |item: &Notification| {
        (
            item.content.title.clone(),
            item.content.body.clone(),
            item.read_at.is_some(),
            item.revised_at.is_some(),
        )
    };
    assert_eq!(
        items.iter().map(about).collect::<Vec<_>>(),
        [
            (String::new(), "1, edited".to_owned(), false, true),
            ("news".to_owned(), "2, edited".to_owned(), false, true),
        ]
    );
    assert_eq!(unread(store, bob).await, 2);
    assert!(all(store, late).await.is_empty());
    let versions: Vec<u32> = items.iter().map(|item| item.version).collect();
    all(store, bob).await;
    let unchanged = store.edit(&news.msgid, &NotificationEdit::default(), &hers).await.unwrap();
    assert_eq!(unchanged.1, None);
    assert_eq!(all(store, bob).await.iter().map(|item| item.version).collect::<Vec<_>>(), versions);
}

pub async fn only_whoever_posted_it_edits_it_and_under_the_limits_of_a_post(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, mal) = (user(store, "alice").await, user(store, "mal").await);
    let (press, root) = (user(store, "press").await, user(store, "root").await);
    let news = post(store, by(press, announcement("news"))).await.posted.msgid;
    let note = post(store, by(press, saying("1", message("alice", "mal")))).await.posted.msgid;
    for msgid in [&news, &note, &MsgId("nothing".into())] {
        assert_refused(store.edit(msgid, &body("x"), &editor(mal, "mal")).await, "not_found");
    }
    store.edit(&note, &body("2"), &editor(alice, "alice")).await.unwrap();
    store.edit(&note, &body("3"), &editor(press, "press")).await.unwrap();
    store.edit(&note, &body("4"), &Editor { is_admin: true, ..editor(root, "root") }).await.unwrap();
    let hers = editor(press, "press");
    let untitled = NotificationEdit { title: Some(String::new()), ..NotificationEdit::default() };
    assert_refused(store.edit(&news, &untitled, &hers).await, "invalid");
    let tags = NotificationEdit { tags: Some(vec!["x".repeat(10_000)]), ..NotificationEdit::default() };
    assert_refused(store.edit(&news, &tags, &hers).await, "invalid");
    let large = body(&"x".repeat(limits::NOTIFICATION_BYTES));
    assert_refused(store.edit(&news, &large, &hers).await, "too_large");
    assert_eq!(texts(store, mal).await, ["", "4"]);
    store.recall(&news, &hers).await.unwrap().unwrap();
    assert_refused(store.edit(&news, &body("x"), &hers).await, "not_found");
}

pub async fn every_id_of_a_sequence_leads_to_its_notification(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let mut ids = Vec::new();
    for text in ["50 %", "60 %", "70 %"] {
        let posted = post(store, by(alice, on_topic(text, Some("run")))).await.posted;
        ids.push(MsgId(match ids.first() {
            None => posted.msgid.as_str().to_owned(),
            Some(_) => msgid::of_revision(&posted.msgid, posted.stamp),
        }));
    }
    let hers = editor(alice, "alice");
    let mut stamps = Vec::new();
    for (id, text) in ids.iter().zip(["a", "b", "c"]) {
        let (edited, _) = store.edit(id, &body(text), &hers).await.unwrap();
        assert_eq!(edited.msgid, ids[0]);
        stamps.push(edited.stamp);
    }
    let last = MsgId(msgid::of_revision(&ids[0], stamps[2]));
    let other = MsgId(format!("{}zzz", &last.as_str()[..9]));
    assert_refused(store.edit(&other, &body("x"), &hers).await, "not_found");
    clock.advance(40 * 24 * 3_600);
    while store.prune(None, 100).await.unwrap() {}
    let (edited, _) = store.edit(&ids[1], &body("d"), &hers).await.unwrap();
    assert_eq!(edited.msgid, ids[0], "40 days later it still does");
    let recalled = store.recall(&ids[2], &hers).await.unwrap().unwrap();
    assert_eq!(recalled.posted.msgid, ids[0]);
    // The ids go with their notification, however few rows go at a time.
    let before = Some(clock.now().plus_secs(60));
    while store.prune(before, 2).await.unwrap() {}
    for id in ids.iter().chain([&last]) {
        assert_refused(store.edit(id, &body("x"), &hers).await, "not_found");
    }
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn who_posted_an_announcement_is_told_how_many_of_those_who_got_it_have_read_it(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (press, root) = (user(store, "press").await, user(store, "root").await);
    let (alice, bob, gone) =
        (user(store, "alice").await, user(store, "bob").await, user(store, "gone").await);
    let mut draft = by(press, announcement("news"));
    draft.actor = "press".into();
    let posted = post(store, draft).await.posted;
    let late = user(store, "late").await;
    let hers = editor(press, "press");
    let readers = async || {
        let created_at = store.own_announcement(&posted.msgid, &hers).await.unwrap();
        assert_eq!(created_at, posted.stamp);
        let AnnouncementReaders { read_count, user_count } =
            store.announcement_readers(created_at).await.unwrap();
        (read_count, user_count)
    };
    assert_eq!(readers().await, (0, 4));
    for reads in [alice, gone, late, press] {
        fan_in(store, reads).await;
        store.visit(reads, &View::Announcements, Visit::Now, 9).await.unwrap();
    }
    assert_eq!(readers().await, (2, 4), "neither who came later nor who posted it counts");
    store.remove_user("gone", WrittenContent::Keep).await.unwrap();
    assert_eq!(readers().await, (1, 3));
    let unread = Change::Mark { mark: Mark::Unread, msgids: vec![posted.msgid.clone()], at: None };
    apply(store, alice, vec![unread]).await;
    assert_eq!(readers().await, (0, 3));
    assert_refused(store.own_announcement(&posted.msgid, &editor(bob, "bob")).await, "not_found");
    let admin = Editor { is_admin: true, ..editor(root, "root") };
    assert_eq!(store.own_announcement(&posted.msgid, &admin).await.unwrap(), posted.stamp);
    let note = post(store, by(press, message("press", "bob"))).await.posted.msgid;
    assert_refused(store.own_announcement(&note, &hers).await, "not_found");
    store.recall(&posted.msgid, &hers).await.unwrap().unwrap();
    assert_refused(store.own_announcement(&posted.msgid, &hers).await, "not_found");
}

pub async fn an_announcement_that_was_edited_is_read_by_who_has_read_its_new_text(
    store: &dyn Store,
    _: &ManualClock,
) {
    let press = user(store, "press").await;
    let (alice, bob, carol) =
        (user(store, "alice").await, user(store, "bob").await, user(store, "carol").await);
    let posted = post(store, by(press, announcement("news"))).await.posted;
    let visit = async |reader: UserKey| {
        fan_in(store, reader).await;
        store.visit(reader, &View::Announcements, Visit::Now, 9).await.unwrap();
    };
    let read_count = async || store.announcement_readers(posted.stamp).await.unwrap().read_count;
    for reader in [alice, bob, carol] {
        visit(reader).await;
    }
    let delete = Change::Mark { mark: Mark::Delete, msgids: vec![posted.msgid.clone()], at: None };
    apply(store, carol, vec![delete]).await;
    assert_eq!(read_count().await, 3);
    store.edit(&posted.msgid, &body("and more"), &editor(press, "press")).await.unwrap();
    assert_eq!(read_count().await, 1, "only who deleted it does not get it again");
    fan_in(store, alice).await;
    assert_eq!(read_count().await, 1, "whether it was brought in or not");
    visit(alice).await;
    assert_eq!(read_count().await, 2);
}
