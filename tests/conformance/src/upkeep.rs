//! Checks of recounts, retention, backups and epochs.

use tidings_model::{Question, QuestionState};

use super::asking::{answers, asking, root};
use super::*;

/// Puts something into every table that `check` compares: items of each kind, a group, a question and a removed user.
pub async fn fill_what_is_checked(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    for id in ["carol", "gone"] {
        store.add_user(id, id, None).await.unwrap();
    }
    store.remove_user("gone", WrittenContent::Keep).await.unwrap();
    while store.prune_removed(9).await.unwrap() {}
    let crew = (Some("crew".into()), "Crew".into(), vec!["carol".into()]);
    store.add_group(alice, crew.0, crew.1, crew.2, None).await.unwrap();
    let named = |id: &str, name: &str| Actor { id: id.into(), name: name.into() };
    let by = || named("bob", "Bob");
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by());
    draft.action = "publish".into();
    draft.target = Some(Target { kind: "topic".into(), id: "t".into(), ..Target::default() });
    draft.subscribe = Some(alice);
    let mut asking = Draft::new(Kind::Announcement, Audience::Everyone, by());
    let expires_at = Some(clock.now().plus_secs(3_600));
    asking.content.question = Some(Question { text: true, expires_at, ..Question::default() });
    let drafts = vec![
        draft,
        asking,
        Draft::new(Kind::Message, Audience::User("alice".into()), by()),
        Draft::new(Kind::Message, Audience::Group("crew".into()), named("alice", "Alice")),
    ];
    store.post(drafts, None).await.unwrap();
    while store.fan_in(alice).await.unwrap() {}
    store.visit(alice, &View::Target("topic:t".into()), Visit::Now, 9).await.unwrap();
    assert_eq!(store.check().await.unwrap(), []);
}

pub async fn old_things_are_forgotten(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    for _ in 0..3 {
        post(store, announcement("old")).await;
    }
    assert_eq!(unread(store, alice).await, 3);
    clock.advance(3_600);
    let new_msgid = post(store, announcement("new")).await.posted.msgid;
    fan_in(store, alice).await;
    assert!(!store.prune(None, 2).await.unwrap());
    let before = Some(clock.now().plus_secs(-60));
    while store.prune(before, 2).await.unwrap() {}
    let left = all(store, alice).await;
    assert_eq!(left.into_iter().map(|i| i.msgid).collect::<Vec<_>>(), [new_msgid]);
    assert_eq!(store.reconcile(UserKey(0), Stamp::ZERO, 10).await.unwrap(), (vec![], Some(alice)));
    assert_eq!(store.reconcile(alice, Stamp::ZERO, 10).await.unwrap().1, None);
}

pub async fn an_open_question_goes_with_retention_and_is_never_ended(store: &dyn Store, clock: &ManualClock) {
    let (_, bob) = (user(store, "alice").await, user(store, "bob").await);
    let ask = async || post(store, asking(message("alice", "bob"), clock, Some("deny"))).await.posted.msgid;
    let old = ask().await;
    clock.advance(1_800);
    let before = Some(clock.now());
    let new = ask().await;
    assert_eq!(unread(store, bob).await, 2);
    while store.prune(before, 1).await.unwrap() {}
    assert_eq!(unread(store, bob).await, 1);
    assert_refused(store.question(&old, &root()).await, "not_found");
    let applied = apply(store, bob, vec![answers(&old, "approve")]).await;
    assert!(applied.results[0].ok && applied.answered.is_empty(), "it is unknown by then");
    // Its time is over, and that of the other one is not.
    clock.advance(1_800);
    let mut ended = Vec::new();
    loop {
        let (posts, next) = store.deliver_due().await.unwrap();
        ended.extend(posts);
        if next.is_none_or(|next| next > clock.now()) {
            break;
        }
    }
    assert_eq!((ended, unread(store, bob).await), (vec![], 1));
    assert_eq!(store.question(&new, &root()).await.unwrap().1.state, QuestionState::Open);
}

pub async fn a_new_epoch_is_another_one(store: &dyn Store, _: &ManualClock) {
    let before = store.epoch().await.unwrap();
    let after = store.new_epoch().await.unwrap();
    assert_ne!(before, after);
    assert_eq!(store.epoch().await.unwrap(), after);
}

pub async fn only_inboxes_that_changed_lately_are_recounted(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    post(store, message("alice", "alice")).await;
    clock.advance(3_600);
    let since = clock.now().plus_secs(-60);
    post(store, message("bob", "bob")).await;
    post(store, message("carol", "carol")).await;
    let (found, next) = store.reconcile(UserKey(0), since, 1).await.unwrap();
    assert_eq!((found.len(), next), (0, Some(bob)), "one at a time, without those who were not here");
    assert_eq!(store.reconcile(bob, since, 1).await.unwrap().1, Some(carol));
    assert_eq!(store.reconcile(carol, since, 1).await.unwrap().1, None);
    assert_eq!(store.reconcile(UserKey(0), Stamp::ZERO, 1).await.unwrap().1, Some(alice));
}

pub async fn a_backup_is_taken_while_it_stays_in_use(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    post(store, announcement("a")).await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("copy");
    if !store.takes_backups() {
        assert_refused(store.backup(&file).await, "invalid");
        assert!(!file.exists(), "nothing looks like a backup");
        return;
    }
    let (backed_up, posted) = tokio::join!(store.backup(&file), store.post(vec![announcement("b")], None));
    backed_up.unwrap();
    posted.unwrap();
    assert!(std::fs::metadata(&file).unwrap().len() > 0);
    assert_eq!(all(store, alice).await.len(), 2);
    assert!(store.backup(&dir.path().join("no such folder/copy")).await.is_err());
    assert!(store.epoch().await.is_ok(), "and goes on when it can't be");
}
