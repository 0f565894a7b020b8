//! Tests of which reminders subscriptions, follows and preferences bring, and from when.

use serde_json::json;

use crate::support::start;

#[tokio::test]
async fn a_reason_expands_and_counts_only_for_what_comes_after() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    publisher.remind("bob", "comment", "42").await;
    let target = json!({"type": "article", "id": "42"});
    let created =
        alice.put("subscriptions", json!({"target": target, "reason": "create_article"})).await.is(200);
    assert_eq!(created["actions"], json!(["comment", "like", "reply", "vote"]));
    let again =
        alice.put("subscriptions", json!({"target": target, "reason": "create_article"})).await.is(200);
    assert_eq!(again, created);
    publisher.remind("bob", "like", "42").await;
    publisher.remind("bob", "share", "42").await;
    publisher.remind("bob", "like", "43").await;
    let (items, _, _) = alice.pull(None, 10).await;
    assert_eq!(items.iter().map(|i| i["action"].as_str().unwrap()).collect::<Vec<_>>(), ["like"]);
    let bad = json!({"target": target, "reason": "hate_article"});
    alice.put("subscriptions", bad).await.problem(400, "invalid", Some("reason"));
    let bad = json!({"target": target, "actions": ["yodel"]});
    alice.put("subscriptions", bad).await.problem(400, "invalid", Some("actions"));
    let list = alice.get("subscriptions?type=article&id=42").await.is(200);
    assert_eq!(list[0]["reason"], "create_article");
    assert_eq!(list[0]["target"], target);
}

#[tokio::test]
async fn actions_add_up_each_from_when_it_was_added_and_go_one_by_one() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    publisher.remind("bob", "comment", "1").await;
    alice.subscribe("1", &["comment"]).await;
    publisher.remind("bob", "comment", "1").await;
    publisher.remind("bob", "like", "1").await;
    assert_eq!(alice.unread("reminder").await, 2);
    alice.delete("subscriptions?type=article&id=1&action=like").await.is(204);
    publisher.remind("bob", "like", "1").await;
    publisher.remind("bob", "comment", "1").await;
    assert_eq!(alice.unread("reminder").await, 3);
    alice.delete("subscriptions?type=article&id=1").await.is(204);
    publisher.remind("bob", "comment", "1").await;
    assert_eq!(alice.unread("reminder").await, 3);
}

#[tokio::test]
async fn a_reminder_reaches_once_however_many_ways_lead_to_it_and_never_its_own_actor() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like", "comment"]).await;
    alice.put("follows/bob", json!({})).await.is(200);
    alice.put("follows/alice", json!({})).await.is(200);
    publisher.remind("bob", "like", "1").await;
    publisher.remind("bob", "share", "9").await;
    publisher.remind("alice", "like", "1").await;
    assert_eq!(alice.pull(None, 1).await.0.len(), 2);
    assert_eq!(alice.get("follows").await.is(200)[1]["user"], "bob");
    alice.delete("follows/bob").await.is(204);
    publisher.remind("bob", "share", "9").await;
    assert_eq!(alice.pull(None, 1).await.0.len(), 2);
    alice.get("follows/bob").await.problem(404, "not_found", None);
}

#[tokio::test]
async fn a_preference_counts_when_it_is_pulled_and_what_was_passed_stays_away() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like", "comment"]).await;
    let all = alice.get("preferences").await.is(200);
    assert_eq!(all["actions"]["like"], true);
    publisher.remind("bob", "like", "1").await;
    let off = alice.patch("preferences", json!({"actions": {"like": false}})).await.is(200);
    assert_eq!(off["actions"]["like"], false);
    assert!(alice.pull(None, 10).await.0.is_empty(), "switched off when it was pulled");
    alice.patch("preferences", json!({"actions": {"like": true}})).await.is(200);
    assert!(alice.pull(None, 10).await.0.is_empty(), "the pull has passed it");
    publisher.remind("bob", "like", "1").await;
    assert_eq!(alice.pull(None, 10).await.0.len(), 1);
    // Switched off when the reminder is published, and on again when it is pulled.
    alice.patch("preferences", json!({"actions": {"like": false}})).await.is(200);
    publisher.remind("bob", "like", "1").await;
    alice.patch("preferences", json!({"actions": {"like": null}})).await.is(200);
    assert_eq!(alice.pull(None, 10).await.0.len(), 2);
    alice.patch("preferences", json!({"actions": {"yodel": true}})).await.problem(
        400,
        "invalid",
        Some("actions.yodel"),
    );
}

#[tokio::test]
async fn an_action_that_the_catalog_has_off_reaches_whoever_switched_it_on() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let publisher = s.publisher().await;
    let mut catalog = s.admin.get("catalog").await.is(200);
    catalog["actions"]["deploy"] = json!({"default": false, "class": "manual", "template": {"en": "x"}});
    s.admin.put("catalog", catalog).await.is(200);
    for user in [&alice, &bob] {
        user.subscribe("1", &["deploy"]).await;
    }
    bob.patch("preferences", json!({"actions": {"deploy": true}})).await.is(200);
    publisher.remind("ci", "deploy", "1").await;
    assert_eq!((alice.unread("reminder").await, bob.unread("reminder").await), (0, 1));
}

#[tokio::test]
async fn many_subscriptions_and_many_reminders_meet_whichever_are_fewer() {
    let s = start().await;
    let (many, few) = (s.user("many").await, s.user("few").await);
    let publisher = s.publisher().await;
    for i in 0..600 {
        many.subscribe(&i.to_string(), &["like"]).await;
    }
    few.subscribe("7", &["like"]).await;
    let target = |i: usize| json!({"type": "article", "id": i.to_string()});
    let all: Vec<_> =
        (0..600).map(|i| json!({"actor": "bob", "action": "like", "target": target(i % 300)})).collect();
    publisher.post("reminders", json!(all)).await.is(201);
    assert_eq!(many.pull(None, 100).await.0.len(), 600);
    assert_eq!(few.pull(None, 100).await.0.len(), 2);
    s.holds_together().await;
}

#[tokio::test]
async fn a_catalog_whose_sentences_can_t_be_rendered_is_refused_by_its_field_and_nothing_changes() {
    let s = start().await;
    let before = s.admin.get("catalog").await.is(200);
    assert_eq!(before["actions"]["follow"]["own"]["en"], "{actors} followed you");
    for template in ["", "  ", "{actors", "{actors} {", "{} came", "{ }"] {
        for sentences in ["template", "own"] {
            let mut catalog = before.clone();
            catalog["actions"]["like"][sentences]["de"] = json!(template);
            let field = format!("actions.like.{sentences}.de");
            s.admin.put("catalog", catalog).await.problem(400, "invalid", Some(&field));
        }
    }
    assert_eq!(s.admin.get("catalog").await.is(200), before);
    let mut catalog = before;
    catalog["actions"]["like"]["own"] = json!({"en": "{actors} liked yours", "de": "{actors} gefällt das"});
    s.admin.put("catalog", catalog.clone()).await.is(200);
    assert_eq!(s.admin.get("catalog").await.is(200), catalog);
}
