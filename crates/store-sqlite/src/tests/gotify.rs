//! Tests of the long changes of Gotify's lists, in the smallest portions.

use std::sync::Arc;

use tidings_conformance::{bearer, small_bounds};
use tidings_model::wire::Scope;
use tidings_model::{Actor, Kind, Stamp, Target};
use tidings_store::prelude::*;
use tidings_store::{
    Application, ApplicationFields, Audience, Draft, MessagePageSize, MessagePosition, Messages, NewToken,
    Outcome, UserKey,
};
use tidings_testkit::clock::ManualClock;

use crate::SqliteStore;
use tidings_model::gotify::APPLICATION_TARGET;

/// A store with the smallest portions, and a user with two applications that published 30 messages each.
async fn store() -> (SqliteStore, UserKey, [Application; 2], tempfile::TempDir) {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
    let store = SqliteStore::open(&dir.path().join("server.db"), clock).unwrap().with_bounds(small_bounds());
    let Outcome::Done(alice) = store.add_user("alice", "Alice", None).await.unwrap() else { panic!() };
    let mut applications = Vec::new();
    for name in ["a", "b"] {
        let token = NewToken {
            id: name.into(),
            hash: [name.as_bytes()[0]; 32],
            label: String::new(),
            scopes: vec![],
            made_by: None,
        };
        let fields = ApplicationFields { name: name.into(), ..ApplicationFields::default() };
        match store.add_application("alice", fields, token, None).await.unwrap() {
            Outcome::Done(application) => applications.push(application),
            Outcome::Replayed(_) => panic!("nobody asked before"),
        }
    }
    for n in 0..60 {
        let application = &applications[n % 2];
        let by = Actor { id: application.target.clone(), name: "a".into() };
        let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by);
        draft.action = "publish".into();
        let (kind, id) = (APPLICATION_TARGET.to_owned(), application.target.clone());
        draft.target = Some(Target { kind, id, ..Target::default() });
        draft.subscribe = Some(alice.key);
        store.post_message(alice.key, application.id, draft, None).await.unwrap();
    }
    (store, alice.key, applications.try_into().unwrap(), dir)
}

async fn listed(store: &SqliteStore, user: UserKey) -> usize {
    let size = MessagePageSize { messages: 100, bytes: 1_000_000 };
    let page = store.messages(user, Messages::All, MessagePosition::After(0), size).await.unwrap();
    page.messages.len()
}

#[tokio::test]
async fn messages_are_archived_in_portions_and_each_is_counted_once() {
    let (store, alice, [a, _], _dir) = store().await;
    assert_eq!(store.archive_messages(alice, Messages::OfApplication(a.id)).await.unwrap(), 30);
    assert_eq!(listed(&store, alice).await, 30);
    assert_eq!(store.archive_messages(alice, Messages::All).await.unwrap(), 30);
    let items = store.sync(alice, Stamp::ZERO, 100).await.unwrap().items().unwrap();
    assert_eq!(items.iter().filter(|item| item.archived_at.is_some()).count(), 60);
    assert_eq!((listed(&store, alice).await, store.unread(alice, 99).await.unwrap().total.count), (0, 0));
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn an_application_is_removed_in_portions_and_its_items_stay() {
    let (store, alice, [a, b], _dir) = store().await;
    assert!(store.remove_application(&bearer(alice, &[Scope::Inbox]), a.id).await.unwrap());
    assert_eq!(store.applications(alice).await.unwrap().iter().map(|a| a.id).collect::<Vec<_>>(), [b.id]);
    assert_eq!(listed(&store, alice).await, 30);
    assert_eq!(store.sync(alice, Stamp::ZERO, 100).await.unwrap().items.len(), 60);
    assert_eq!(store.unread(alice, 99).await.unwrap().total.count, 60);
    assert_eq!(store.check().await.unwrap(), []);
}
