//! Checks of the descent of tokens: what a token made is valid as long as the token is there.

use tidings_store::ApplicationFields;
use tidings_store::domain::account::{Token, hash};
use tidings_store::domain::limits;

use super::*;

/// A token that another one makes; its text is its id.
fn token(id: &str, scopes: &[Scope], made_by: Option<&str>) -> NewToken {
    let (label, made_by) = (format!("label of {id}"), made_by.map(str::to_owned));
    NewToken { id: id.to_owned(), hash: hash(id), label, scopes: scopes.to_vec(), made_by }
}

async fn add(store: &dyn Store, user: &str, new: NewToken) {
    store.add_token(user, new, None).await.unwrap();
}

/// Those of these tokens that are valid.
async fn valid<'t>(store: &dyn Store, ids: &[&'t str]) -> Vec<&'t str> {
    let mut valid = Vec::new();
    for id in ids {
        if store.bearer(hash(id)).await.unwrap().is_some() {
            valid.push(*id);
        }
    }
    valid
}

async fn listed(store: &dyn Store) -> Vec<(String, Option<String>)> {
    let tokens: Vec<Token> = store.tokens(None, ListQuery::first(100)).await.unwrap().values().unwrap();
    tokens.into_iter().map(|token| (token.id, token.made_by)).collect()
}

pub async fn what_a_token_made_goes_with_it(store: &dyn Store, _: &ManualClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    let inbox = [Scope::Inbox];
    for (user, id, made_by) in [
        ("alice", "root", None),
        ("alice", "child", Some("root")),
        ("bob", "of bob", Some("child")),
        ("alice", "other", None),
    ] {
        add(store, user, token(id, &inbox, made_by)).await;
    }
    let client = done(store.add_client("alice", token("phone", &inbox, Some("of bob")), None).await.unwrap());
    let fields = ApplicationFields { name: "app".into(), ..ApplicationFields::default() };
    store.add_application("alice", fields, token("app", &[], Some("phone")), None).await.unwrap();
    let all = ["root", "child", "of bob", "other", "phone", "app"];
    assert_eq!(valid(store, &all).await, all);
    let made_by = |id: &str, by: Option<&str>| (id.to_owned(), by.map(str::to_owned));
    let known = listed(store).await;
    for (id, by) in
        [("root", None), ("child", Some("root")), ("of bob", Some("child")), ("phone", Some("of bob"))]
    {
        assert!(known.contains(&made_by(id, by)), "{known:?}");
    }
    let before = store.meta().await.unwrap().auth_version;
    store.revoke("child", Some(&bearer(alice, &inbox))).await.unwrap();
    assert_ne!(store.meta().await.unwrap().auth_version, before);
    assert_eq!(valid(store, &all).await, ["root", "other"]);
    assert_eq!(listed(store).await, [made_by("root", None), made_by("other", None)]);
    assert_eq!(store.clients(alice).await.unwrap(), []);
    assert!(store.client_of_token(alice, "phone").await.unwrap().is_none(), "{client:?}");
    assert_eq!(store.applications(alice).await.unwrap().len(), 1, "an application stays without its token");
    // Nothing is made by what is gone.
    assert_refused(store.add_token("bob", token("x", &inbox, Some("child")), None).await, "unauthorized");
    assert_refused(store.add_client("alice", token("x", &inbox, Some("phone")), None).await, "unauthorized");
    // A client and an application take along what they made as well, and so does a user.
    let phone = done(store.add_client("alice", token("phone", &inbox, None), None).await.unwrap());
    let fields = || ApplicationFields { name: "app".into(), ..ApplicationFields::default() };
    let app =
        done(store.add_application("alice", fields(), token("second app", &[], None), None).await.unwrap());
    for (id, by) in [("by phone", "phone"), ("by app", "second app"), ("by other", "other")] {
        add(store, "bob", token(id, &inbox, Some(by))).await;
    }
    let made = ["by phone", "by app", "by other"];
    assert_eq!(valid(store, &made).await, made);
    assert!(store.remove_client(&bearer(alice, &inbox), phone.id).await.unwrap());
    assert!(store.remove_application(&bearer(alice, &inbox), app.id).await.unwrap());
    assert_eq!(valid(store, &made).await, ["by other"]);
    store.remove_user("alice", WrittenContent::Keep).await.unwrap();
    assert_eq!(valid(store, &made).await, Vec::<&str>::new());
    assert_eq!(listed(store).await, []);
    // Upkeep deletes the rows of tokens that a user's tokens made for others: their ids are free again.
    let again = token("by other", &inbox, None);
    assert!(store.add_token("bob", again.clone(), None).await.is_err());
    while store.prune(None, 9).await.unwrap() {}
    add(store, "bob", again).await;
}

pub async fn a_token_revokes_only_tokens_that_may_no_more_than_it(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (inbox, both) = ([Scope::Inbox], [Scope::Inbox, Scope::Publish]);
    for (id, scopes) in [("reads", &inbox[..]), ("both", &both), ("publishes", &both[1..]), ("none", &[])] {
        add(store, "alice", token(id, scopes, None)).await;
    }
    let all = ["reads", "both", "publishes", "none"];
    for id in &all[1..3] {
        assert_refused(store.revoke(id, Some(&bearer(alice, &inbox))).await, "forbidden");
    }
    for id in all {
        assert_refused(store.revoke(id, Some(&bearer(bob, &both))).await, "not_found");
    }
    assert_eq!(valid(store, &all).await, all);
    for id in ["reads", "none"] {
        store.revoke(id, Some(&bearer(alice, &inbox))).await.unwrap();
    }
    store.revoke("both", Some(&bearer(alice, &both))).await.unwrap();
    store.revoke("publishes", Some(&bearer(bob, &[Scope::Admin]))).await.unwrap();
    assert_eq!(valid(store, &all).await, Vec::<&str>::new());
    assert_refused(store.revoke("both", None).await, "not_found");
}

pub async fn generations_of_tokens_have_a_bound(store: &dyn Store, _: &ManualClock) {
    user(store, "alice").await;
    let id = |n: usize| format!("t{n}");
    add(store, "alice", token(&id(1), &[Scope::Admin], None)).await;
    for n in 1..limits::TOKEN_GENERATIONS {
        add(store, "alice", token(&id(n + 1), &[Scope::Admin], Some(&id(n)))).await;
    }
    let last = id(limits::TOKEN_GENERATIONS);
    let next = store.add_token("alice", token("next", &[Scope::Admin], Some(&last)), None).await;
    assert_refused(next, "forbidden");
    assert_eq!(valid(store, &[last.as_str(), "next"]).await, [last.as_str()]);
    store.revoke("t1", None).await.unwrap();
    assert_eq!(valid(store, &[last.as_str()]).await, Vec::<&str>::new());
    assert_eq!(listed(store).await, []);
}

pub async fn many_tokens_that_one_made_go_in_portions(store: &dyn Store, _: &ManualClock) {
    user(store, "alice").await;
    add(store, "alice", token("root", &[Scope::Admin], None)).await;
    let ids: Vec<String> = (0..limits::SHORT_WRITE_ROWS + 20).map(|n| format!("t{n}")).collect();
    for id in &ids {
        add(store, "alice", token(id, &[Scope::Inbox], Some("root"))).await;
    }
    add(store, "alice", token("last", &[Scope::Inbox], Some(&ids[7]))).await;
    store.revoke("root", None).await.unwrap();
    let ids: Vec<&str> = ids.iter().map(String::as_str).chain(["root", "last"]).collect();
    assert_eq!(valid(store, &ids).await, Vec::<&str>::new());
    // No row is left: the ids are free again.
    for id in ["root", "t0", "last"] {
        add(store, "alice", token(id, &[Scope::Inbox], None)).await;
    }
}
