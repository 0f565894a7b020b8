//! Checks of users, tokens and repeated requests.

use tidings_store::domain::account::program_token_id;
use tidings_store::{ApplicationFields, Image};

use super::*;

pub async fn a_user_is_there_until_it_is_removed(store: &dyn Store, _: &ManualClock) {
    let key = user(store, "alice").await;
    assert_refused(store.add_user("alice", "Other", None).await, "conflict");
    let found = store.user("alice").await.unwrap().unwrap();
    assert_eq!((found.key, found.name.as_str()), (key, "ALICE"));
    user(store, "bob").await;
    post(store, message("bob", "alice")).await;
    store.remove_user("alice", WrittenContent::Keep).await.unwrap();
    assert_eq!(store.user("alice").await.unwrap(), None);
    assert_eq!(store.users(ListQuery::first(10)).await.unwrap().0.len(), 1);
    assert_refused(store.remove_user("alice", WrittenContent::Keep).await, "not_found");
    assert_refused(store.fan_in(key).await, "not_found");
    for _ in 0..2 {
        assert_refused(store.add_user("alice", "Again", None).await, "conflict");
        while store.prune(None, 10).await.unwrap() {}
        assert!(!store.removal_pending().await.unwrap());
    }
    assert_eq!(store.meta().await.unwrap().users, 1);
}

pub async fn people_are_found_by_the_beginning_of_their_ids_and_of_words_of_their_names(
    store: &dyn Store,
    _: &ManualClock,
) {
    for (id, name) in [
        ("ana", "Ana Ruiz"),
        ("Bo-2", "Bo Kessler"),
        ("kes", "Émile Zola"),
        ("lin", "林晓"),
        ("mia", "Mia Maria de la Cruz"),
        ("zoe", "Bo Kestrel"),
    ] {
        store.add_user(id, name, None).await.unwrap();
    }
    let found = async |typed: &str| -> Vec<String> {
        store.users_beginning(typed, 4).await.unwrap().into_iter().map(|user| user.id).collect()
    };
    assert_eq!(found("bo").await, ["Bo-2", "zoe"], "by the id and by the name, each once");
    assert_eq!(found("KES").await, ["kes", "Bo-2", "zoe"], "by the id, then by a word of the name");
    assert_eq!(found("bo kess").await, ["Bo-2"]);
    assert_eq!(found("maria de").await, ["mia"]);
    assert_eq!(found("cru").await, ["mia"]);
    assert_eq!(found("émi").await, ["kes"], "whatever the case of other letters");
    assert_eq!(found("林").await, ["lin"]);
    for nobody in ["uiz", "~", "bo  kess", "%", "_", "kessler bo"] {
        assert_eq!(found(nobody).await, [""; 0], "{nobody}");
    }
    assert_eq!(found("").await, ["ana", "Bo-2", "kes", "lin"], "the first by their ids");

    store.rename_user("zoe", "Zoe Adler").await.unwrap();
    store.remove_user("Bo-2", WrittenContent::Keep).await.unwrap();
    assert_eq!(found("bo").await, [""; 0]);
    assert_eq!(found("kes").await, ["kes"]);
    assert_eq!(found("adl").await, ["zoe"]);
}

pub async fn a_token_is_found_by_its_hash_and_gone_when_revoked(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let bob = user(store, "bob").await;
    let before = store.meta().await.unwrap().auth_version;
    let new = NewToken {
        id: "t1".into(),
        hash: [7; 32],
        label: "l".into(),
        scopes: vec![Scope::Inbox],
        made_by: None,
    };
    store.add_token("alice", new.clone(), None).await.unwrap();
    assert_ne!(store.meta().await.unwrap().auth_version, before);
    let known = store.bearer([7; 32]).await.unwrap().unwrap();
    assert_eq!((known.user, known.token.as_str(), known.scopes), (alice, "t1", vec![Scope::Inbox]));
    assert_eq!(store.bearer([8; 32]).await.unwrap(), None);
    assert!(store.tokens(Some(bob), ListQuery::first(10)).await.unwrap().0.is_empty());
    assert_eq!(store.tokens(None, ListQuery::first(10)).await.unwrap().0.len(), 1);
    assert_refused(store.revoke("t1", Some(&bearer(bob, &[Scope::Inbox]))).await, "not_found");
    store.revoke("t1", Some(&bearer(alice, &[Scope::Inbox]))).await.unwrap();
    assert_eq!(store.bearer([7; 32]).await.unwrap(), None);
    assert_refused(store.add_token("nobody", new.clone(), None).await, "not_found");
    let program_token = NewToken { id: program_token_id(), hash: [9; 32], ..new.clone() };
    for token in [new, program_token] {
        store.add_token("alice", token, None).await.unwrap();
    }
    store.revoke_program_tokens().await.unwrap();
    assert_eq!(store.bearer([9; 32]).await.unwrap(), None);
    assert!(store.bearer([7; 32]).await.unwrap().is_some(), "somebody's own stays, whatever its label");
}

pub async fn whatever_is_asked_twice_under_a_key_is_done_once(store: &dyn Store, _: &ManualClock) {
    fn idempotency<T>(key: &str) -> Idempotency<T> {
        let answer =
            |_: &T| StoredResponse { status: 201, body: b"first".to_vec(), token_salt: String::new() };
        Idempotency { token: "t".into(), key: key.into(), answer: Box::new(answer) }
    }
    fn assert_replayed<T: std::fmt::Debug>(outcome: Outcome<T>) {
        assert!(matches!(outcome, Outcome::Replayed(answer) if answer.body == b"first"));
    }
    let alice = user(store, "alice").await;
    store.add_user("bob", "Bob", Some(idempotency("user"))).await.unwrap();
    assert_replayed(store.add_user("bob", "Bob", Some(idempotency("user"))).await.unwrap());
    let token = || NewToken {
        id: "t1".into(),
        hash: [7; 32],
        label: "l".into(),
        scopes: vec![Scope::Inbox],
        made_by: None,
    };
    store.add_token("bob", token(), Some(idempotency("token"))).await.unwrap();
    assert_replayed(store.add_token("bob", token(), Some(idempotency("token"))).await.unwrap());
    let of_app = |id: &str| NewToken { id: id.into(), hash: [8; 32], ..token() };
    let fields = || ApplicationFields { name: "app".into(), ..ApplicationFields::default() };
    let application = Some(idempotency("application"));
    store.add_application("bob", fields(), of_app("t2"), application).await.unwrap();
    let application = Some(idempotency("application"));
    assert_replayed(store.add_application("bob", fields(), of_app("t3"), application).await.unwrap());
    let bob = store.user("bob").await.unwrap().unwrap().key;
    let app = store.applications(bob).await.unwrap().remove(0);
    let picture = || Image { name: "a.png".into(), content: vec![7] };
    store.set_image(bob, app.id, picture(), Some(idempotency("picture"))).await.unwrap();
    assert_replayed(store.set_image(bob, app.id, picture(), Some(idempotency("picture"))).await.unwrap());
    let of_client = |id: &str| NewToken { id: id.into(), hash: [9; 32], ..token() };
    store.add_client("bob", of_client("t4"), Some(idempotency("client"))).await.unwrap();
    assert_replayed(store.add_client("bob", of_client("t5"), Some(idempotency("client"))).await.unwrap());
    let group_request = || (Some("crew".to_owned()), "Crew".to_owned(), vec!["bob".to_owned()]);
    for first in [true, false] {
        let (id, name, members) = group_request();
        let outcome = store.add_group(alice, id, name, members, Some(idempotency("group"))).await.unwrap();
        assert_eq!(matches!(outcome, Outcome::Done(_)), first);
    }
    let posted = post(store, to_group("alice", "crew")).await.posted;
    fan_in(store, bob).await;
    let read = || {
        let change = Change::Mark { mark: Mark::Read, msgids: vec![posted.msgid.clone()], at: None };
        vec![RequestedOp { id: "op".into(), op: Some(Op { id: "op".into(), change }) }]
    };
    store.apply(bob, read(), 99, Some(idempotency("ops"))).await.unwrap();
    assert_replayed(store.apply(bob, read(), 99, Some(idempotency("ops"))).await.unwrap());
    let through = store.receipts(alice, Stamp::ZERO, 10).await.unwrap().next;
    store.ack_receipts(alice, through, Some(idempotency("ack"))).await.unwrap();
    assert_replayed(store.ack_receipts(alice, through, Some(idempotency("ack"))).await.unwrap());
    assert_refused(store.add_user("bob", "Bob", Some(idempotency("another key"))).await, "conflict");
    assert_eq!(
        store.stored_response("t", "another key").await.unwrap(),
        None,
        "what was refused is not kept"
    );
}
