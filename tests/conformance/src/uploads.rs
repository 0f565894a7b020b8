//! Checks of a store's records of uploaded files.

use tidings_store::domain::file::{FileQuota, FileUsage, UploadedFile};
use tidings_store::domain::limits;

use super::*;

/// A publication on the topic `job` with a file of ten bytes, which is kept for a day.
fn with_file(store_name: &str, sequence: Option<&str>, clock: &ManualClock) -> Draft {
    let mut draft = on_topic("with a file", sequence);
    draft.file = Some(UploadedFile {
        name: store_name.to_owned(),
        file_name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        bytes: 10,
        uploader: None,
        expires_at: clock.now().plus_secs(24 * 3_600),
        quota: FileQuota::default(),
    });
    draft
}

fn from_user(mut draft: Draft, user: UserKey) -> Draft {
    if let Some(file) = &mut draft.file {
        file.uploader = Some(user);
    }
    Draft { posted_by: PostedBy { user: Some(user), changes_others: false }, ..draft }
}

async fn expired(store: &dyn Store) -> Vec<String> {
    let mut names = store.expired_files(true, 100).await.unwrap();
    names.sort();
    names
}

async fn bytes(store: &dyn Store, uploader: Option<UserKey>) -> (u64, u64) {
    let FileUsage { bytes, total_bytes, .. } = store.file_usage(uploader).await.unwrap();
    (bytes, total_bytes)
}

pub async fn a_file_is_known_until_it_is_forgotten(store: &dyn Store, clock: &ManualClock) {
    for name in ["a", "b", "c"] {
        post(store, with_file(name, None, clock)).await;
    }
    let known = store.file("a").await.unwrap().unwrap();
    assert_eq!(
        (known.file_name.as_str(), known.media_type.as_str(), known.bytes),
        ("a.png", "image/png", 10)
    );
    assert_eq!(store.file("d").await.unwrap(), None);
    assert_eq!(store.files_after("a", 1).await.unwrap(), ["b"]);
    let some = store.known_files(vec!["b".into(), "d".into()]).await.unwrap();
    assert_eq!(some.into_iter().collect::<Vec<_>>(), ["b"]);
    assert_eq!((expired(store).await, bytes(store, None).await), (vec![], (30, 30)));
    clock.advance(24 * 3_600);
    assert_eq!(expired(store).await, ["a", "b", "c"]);
    assert_eq!(store.expired_files(true, 2).await.unwrap().len(), 2);
    assert_eq!(bytes(store, None).await, (0, 30), "what has expired counts until it is deleted");
    store.forget_files(vec!["a".into(), "b".into(), "d".into()]).await.unwrap();
    assert_eq!((expired(store).await, bytes(store, None).await), (vec!["c".to_owned()], (0, 10)));
}

pub async fn a_file_expires_with_its_publication(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let deleted = post(store, with_file("deleted", None, clock)).await.posted.msgid;
    post(store, with_file("other", None, clock)).await;
    store.sequence("job", deleted.as_str(), SequenceChange::Delete, PostedBy::default()).await.unwrap();
    assert_eq!(expired(store).await, ["deleted"]);
    post(store, with_file("first", Some("run"), clock)).await;
    post(store, with_file("second", Some("run"), clock)).await;
    assert_eq!(expired(store).await, ["deleted", "first"]);
    store.sequence("job", "run", SequenceChange::Clear, PostedBy::default()).await.unwrap();
    assert_eq!(expired(store).await.len(), 2, "clearing leaves the content");
    post(store, on_topic("text", Some("run"))).await;
    assert_eq!(expired(store).await, ["deleted", "first", "second"]);
    post(store, from_user(with_file("hers", None, clock), alice)).await;
    store.remove_user("alice", WrittenContent::Keep).await.unwrap();
    while store.prune(None, 9).await.unwrap() {}
    assert_eq!(expired(store).await, ["deleted", "first", "hers", "second"]);
    clock.advance(3_600);
    let before = Some(clock.now().plus_secs(-60));
    post(store, with_file("young", None, clock)).await;
    while store.prune(before, 9).await.unwrap() {}
    assert_eq!(expired(store).await, ["deleted", "first", "hers", "other", "second"]);
}

pub async fn a_delayed_file_belongs_to_what_is_delivered(store: &dyn Store, clock: &ManualClock) {
    let schedule = async |draft: Draft, after: i64| match store
        .schedule(draft, clock.now().plus_secs(after), None)
        .await
        .unwrap()
    {
        Outcome::Done(msgid) => msgid,
        Outcome::Replayed(_) => unreachable!("it has no key"),
    };
    let cancelled = schedule(with_file("cancelled", None, clock), 60).await;
    store.sequence("job", cancelled.as_str(), SequenceChange::Delete, PostedBy::default()).await.unwrap();
    schedule(with_file("replaced", Some("run"), clock), 60).await;
    schedule(with_file("revision", Some("run"), clock), 60).await;
    assert_eq!(expired(store).await, ["cancelled", "replaced"]);
    let mut undeliverable = with_file("undeliverable", None, clock);
    undeliverable.audience = Audience::User("nobody".into());
    schedule(undeliverable, 60).await;
    let plain = schedule(with_file("plain", None, clock), 60).await;
    clock.advance(60);
    while store.deliver_due().await.unwrap().1.is_some() {}
    assert_eq!(expired(store).await, ["cancelled", "replaced", "undeliverable"]);
    store.sequence("job", plain.as_str(), SequenceChange::Delete, PostedBy::default()).await.unwrap();
    store.sequence("job", "run", SequenceChange::Delete, PostedBy::default()).await.unwrap();
    assert_eq!(expired(store).await, ["cancelled", "plain", "replaced", "revision", "undeliverable"]);
}

pub async fn files_have_a_bound_for_each_uploader_and_for_all(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let draft = |name: &str, by| {
        let mut draft = from_user(with_file(name, None, clock), by);
        if let Some(file) = &mut draft.file {
            file.quota = FileQuota { user_bytes: 25, total_bytes: 45 };
        }
        draft
    };
    for (name, by) in [("a1", alice), ("a2", alice), ("b1", bob)] {
        post(store, draft(name, by)).await;
    }
    assert_refused(store.post(vec![draft("a3", alice)], None).await, "too_large");
    post(store, draft("b2", bob)).await;
    assert_refused(store.post(vec![with_quota_of(draft("c", bob), 45)], None).await, "too_large");
    let due = clock.now().plus_secs(60);
    assert_refused(store.schedule(draft("a4", alice), due, None).await, "too_large");
    assert_eq!(
        (
            bytes(store, Some(alice)).await,
            store.scheduled_on("job", &[Some(alice), Some(bob), None]).await.unwrap()
        ),
        ((20, 40), vec![])
    );
    let many = (2..limits::USER_FILES).map(|n| from_user(with_file(&format!("n{n}"), None, clock), alice));
    store.post(many.collect(), None).await.unwrap();
    let one_more = from_user(with_file("one more", None, clock), alice);
    assert_refused(store.post(vec![one_more], None).await, "too_large");
}

/// The same with another limit for its user.
fn with_quota_of(mut draft: Draft, user_bytes: u64) -> Draft {
    if let Some(file) = &mut draft.file {
        file.quota.user_bytes = user_bytes;
    }
    draft
}
