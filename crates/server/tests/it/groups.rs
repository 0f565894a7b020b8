//! Tests of groups: messages are stored once and reach everybody who is a member at the time; read receipts.

use serde_json::json;

use crate::support::start;

#[tokio::test]
async fn a_group_message_reaches_the_members_of_its_time() {
    let s = start().await;
    let (alice, bob, carol) = (s.user("alice").await, s.user("bob").await, s.user("carol").await);
    let created =
        alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob"]})).await.is(201);
    assert_eq!(created["members"], json!(["alice", "bob"]));
    assert_eq!(created["owner"], "alice");
    alice
        .post("groups", json!({"id": "crew", "name": "X", "members": []}))
        .await
        .problem(409, "conflict", None);
    carol.post("groups/crew/messages", json!({"body": "x"})).await.problem(403, "forbidden", None);
    carol.get("groups/crew").await.problem(403, "forbidden", None);
    alice.get("groups/nope").await.problem(404, "not_found", None);
    let first = alice.post("groups/crew/messages", json!({"body": "1"})).await.is(201);
    bob.put("groups/crew/members/carol", json!({})).await.problem(403, "forbidden", None);
    alice.put("groups/crew/members/carol", json!({})).await.is(200);
    alice.post("groups/crew/messages", json!({"body": "2"})).await.is(201);
    let bodies = |items: Vec<serde_json::Value>| -> Vec<String> {
        items.iter().map(|i| i["body"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(bodies(carol.pull(None, 10).await.0), ["2"], "from when it joined");
    // Bob leaves before he pulls, and still gets the messages posted during his membership.
    bob.delete("groups/crew/members/bob").await.is(204);
    alice.post("groups/crew/messages", json!({"body": "3"})).await.is(201);
    let (items, _, _) = bob.pull(None, 10).await;
    assert_eq!(bodies(items.clone()), ["1", "2"]);
    assert_eq!(items[0]["conversation"], "group:crew");
    assert_eq!(bob.unread("message").await, 2);
    bob.post("groups/crew/messages", json!({"body": "x"})).await.problem(403, "forbidden", None);
    let (mut items, _, _) = alice.pull(None, 10).await;
    items.sort_by_key(|item| item["created_at"].to_string());
    assert_eq!(items[0]["msgid"], first["msgid"]);
    assert_eq!(items[0]["receipt"], json!({"read": 0, "delivered": 1, "members": 1}));
    assert_eq!(items[1]["receipt"], json!({"read": 0, "delivered": 2, "members": 2}));
    assert_eq!(alice.unread("total").await, 0);
    s.holds_together().await;
}

#[tokio::test]
async fn reading_makes_one_receipt_a_message_and_a_reader() {
    let s = start().await;
    let (alice, bob, carol) = (s.user("alice").await, s.user("bob").await, s.user("carol").await);
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob", "carol"]})).await.is(201);
    let one = alice.post("groups/crew/messages", json!({"body": "1"})).await.is(201);
    let two = alice.post("groups/crew/messages", json!({"body": "2"})).await.is(201);
    bob.post("groups/crew/messages", json!({"body": "3"})).await.is(201);
    let (_, _, next) = alice.pull(None, 10).await;
    let left = bob.put("conversations/group:crew/read", json!({"through": two["msgid"]})).await.is(200);
    assert_eq!(left["unread"]["count"], 0);
    let got = alice.get("receipts").await.is(200);
    let lines = got["receipts"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["msgid"], one["msgid"]);
    assert_eq!(
        (lines[0]["reader"].as_str(), lines[0]["conversation"].as_str()),
        (Some("bob"), Some("group:crew"))
    );
    let (items, _, next) = alice.pull(Some(&next), 10).await;
    assert_eq!(
        items.iter().filter(|i| i["receipt"] == json!({"read": 1, "delivered": 1, "members": 2})).count(),
        2
    );
    // Reading again, also after marking as unread, makes no new receipt.
    bob.op("unread", &[one["msgid"].as_str().unwrap()], json!({})).await;
    bob.put("views/conversation/group:crew", json!({})).await.is(200);
    assert!(
        alice.get(&format!("receipts?since={}", got["next"].as_str().unwrap())).await.is(200)["receipts"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    alice.post("receipts/ack", json!({"through": got["next"]})).await.is(200);
    assert_eq!(alice.get("receipts").await.is(200)["receipts"], json!([]));
    let path = format!("groups/crew/messages/{}/receipts", one["msgid"].as_str().unwrap());
    let readers = alice.get(&path).await.is(200);
    assert_eq!(readers["read"][0]["user"], "bob");
    assert_eq!(readers["unread"], json!(["carol"]));
    assert_eq!((&readers["read_count"], &readers["member_count"]), (&json!(1), &json!(2)));
    carol.op("read_all", &[], json!({"through": "2999-01-01T00:00:00Z"})).await;
    let readers = alice.get(&path).await.is(200);
    assert_eq!((&readers["read_count"], &readers["unread"]), (&json!(2), &json!([])));
    assert_eq!(alice.get("receipts").await.is(200)["receipts"].as_array().unwrap().len(), 2);
    assert_eq!(bob.get("receipts").await.is(200)["receipts"].as_array().unwrap().len(), 1);
    assert!(!alice.pull(Some(&next), 10).await.0.is_empty());
    s.holds_together().await;
}

#[tokio::test]
async fn a_message_has_arrived_when_a_member_has_pulled_it_and_the_next_pull_of_its_sender_says_so() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    s.user("carol").await;
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob", "carol"]})).await.is(201);
    let one = alice.post("groups/crew/messages", json!({"body": "1"})).await.is(201);
    let path = format!("groups/crew/messages/{}/receipts", one["msgid"].as_str().unwrap());
    let (_, _, since) = alice.pull(None, 10).await;
    bob.get("inbox").await.is(200);
    bob.get("conversations/group:crew/messages").await.is(200);
    let none = json!({"read": [], "delivered": [], "unread": ["bob", "carol"],
        "read_count": 0, "delivered_count": 0, "member_count": 2});
    assert_eq!(alice.get(&path).await.is(200), none, "a list is no pull");

    bob.pull(None, 10).await;
    let arrived = json!({"read": [], "delivered": ["bob"], "unread": ["bob", "carol"],
        "read_count": 0, "delivered_count": 1, "member_count": 2});
    assert_eq!(alice.get(&path).await.is(200), arrived);
    let (news, _, since) = alice.pull(Some(&since), 10).await;
    assert_eq!((news.len(), &news[0]["msgid"]), (1, &one["msgid"]));
    assert_eq!(news[0]["receipt"], json!({"read": 0, "delivered": 1, "members": 2}));
    assert!(alice.pull(Some(&since), 10).await.0.is_empty());
    bob.put("conversations/group:crew/read", json!({"through": one["msgid"]})).await.is(200);
    let read = alice.get(&path).await.is(200);
    assert_eq!((&read["delivered"], &read["unread"]), (&json!([]), &json!(["carol"])));
    assert_eq!((&read["read_count"], &read["delivered_count"]), (&json!(1), &json!(1)));
    // Who pulls for a member acts as that member, as who reads for one does.
    s.admin.get("inbox?user=carol").await.is(200);
    assert_eq!(alice.get(&path).await.is(200)["delivered_count"], 1);
    s.admin.get("sync?user=carol").await.is(200);
    let pulled = alice.get(&path).await.is(200);
    assert_eq!((&pulled["delivered"], &pulled["delivered_count"]), (&json!(["carol"]), &json!(2)));
    s.holds_together().await;
}

#[tokio::test]
async fn an_owner_who_leaves_hands_the_group_on() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let created = alice.post("groups", json!({"name": "Crew", "members": ["bob"]})).await.is(201);
    let gid = created["id"].as_str().unwrap();
    alice.delete(&format!("groups/{gid}/members/alice")).await.is(204);
    assert_eq!(bob.get(&format!("groups/{gid}")).await.is(200)["owner"], "bob");
    alice.post("groups", json!({"name": "N", "members": ["nobody"]})).await.problem(404, "not_found", None);
    s.admin.delete("users/bob").await.is(204);
    s.holds_together().await;
}

#[tokio::test]
async fn its_owner_renames_a_group_and_hands_it_over_and_every_members_pull_names_it() {
    let s = start().await;
    let (alice, bob, carol) = (s.user("alice").await, s.user("bob").await, s.user("carol").await);
    let cursor = |page: &serde_json::Value| page["next"].as_str().unwrap().to_owned();
    let sync = |next: String| format!("sync?since={next}");
    alice.post("announcements", json!({"title": "x"})).await;
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob"]})).await.is(201);
    alice.post("groups/crew/messages", json!({"body": "1"})).await.is(201);
    let first = bob.get("sync").await.is(200);
    let empty = bob.get(&sync(cursor(&first))).await.is(200);
    assert_eq!(empty.get("groups"), None, "nothing changed");

    bob.patch("groups/crew", json!({"name": "Ours"})).await.problem(403, "forbidden", None);
    carol.patch("groups/crew", json!({"name": "Ours"})).await.problem(403, "forbidden", None);
    alice.patch("groups/crew", json!({"name": ""})).await.problem(400, "invalid", Some("name"));
    alice.patch("groups/crew", json!({"owner": "carol"})).await.problem(404, "not_found", None);
    alice.patch("groups/nope", json!({"name": "x"})).await.problem(404, "not_found", None);
    let renamed = alice.patch("groups/crew", json!({"name": "Release crew"})).await.is(200);
    assert_eq!((renamed["name"].as_str(), renamed["owner"].as_str()), (Some("Release crew"), Some("alice")));
    let told = bob.get(&sync(cursor(&first))).await.is(200);
    assert_eq!((told["groups"].clone(), told["items"].clone()), (json!(["crew"]), json!([])));
    let told = bob.get(&sync(cursor(&told))).await.is(200);
    assert_eq!(told.get("groups"), None, "once");
    assert_eq!(carol.get("sync").await.is(200).get("groups"), None, "it is not hers");

    // Handed over: the new owner adds, the former one does not.
    alice.patch("groups/crew", json!({"owner": "bob"})).await.is(200);
    alice.put("groups/crew/members/carol", json!({})).await.problem(403, "forbidden", None);
    bob.put("groups/crew/members/carol", json!({})).await.is(200);
    bob.delete("groups/crew/members/alice").await.is(204);
    let told = alice.get(&sync(cursor(&first))).await.is(200);
    assert_eq!(told["groups"], json!(["crew"]), "who was removed hears of it");
    bob.patch("groups/crew", json!({"name": "Ours"})).await.is(200);
    assert_eq!(alice.get(&sync(cursor(&told))).await.is(200).get("groups"), None, "and of nothing later");
    s.holds_together().await;
}

#[tokio::test]
async fn a_group_is_ended_by_its_owner_and_its_members_keep_what_they_have() {
    let s = start().await;
    let (alice, bob, carol) = (s.user("alice").await, s.user("bob").await, s.user("carol").await);
    let new = json!({"id": "crew", "name": "Crew", "members": ["bob"]});
    alice.post("groups", new.clone()).await.is(201);
    alice.post("groups/crew/messages", json!({"body": "1"})).await.is(201);
    let first = bob.get("sync").await.is(200);
    for other in [&bob, &carol] {
        other.delete("groups/crew").await.problem(403, "forbidden", None);
    }
    alice.delete("groups/nope").await.problem(404, "not_found", None);
    alice.delete("groups/crew").await.is(204);
    for gone in [&alice, &s.admin] {
        gone.delete("groups/crew").await.problem(404, "not_found", None);
        gone.get("groups/crew").await.problem(404, "not_found", None);
        gone.patch("groups/crew", json!({"name": "x"})).await.problem(404, "not_found", None);
        gone.post("groups/crew/messages", json!({"body": "2"})).await.problem(404, "not_found", None);
    }
    bob.post("groups", new).await.problem(409, "conflict", None);
    let since = first["next"].as_str().unwrap();
    assert_eq!(bob.get(&format!("sync?since={since}")).await.is(200)["groups"], json!(["crew"]));
    assert_eq!(bob.get("conversations").await.is(200)[0]["title"], "Crew");
    assert_eq!(bob.pull(None, 10).await.0.len(), 1);
    assert_eq!(bob.unread("message").await, 1);
    // An administrator ends any, and names who owns one.
    alice.post("groups", json!({"id": "two", "name": "Two", "members": ["bob", "carol"]})).await.is(201);
    alice.delete("groups/two/members/alice").await.is(204);
    assert_eq!(bob.get("groups/two").await.is(200)["owner"], "bob", "who joined first");
    let named = s.admin.patch("groups/two", json!({"owner": "carol"})).await.is(200);
    assert_eq!(named["owner"], "carol");
    s.admin.delete("groups/two").await.is(204);
    s.holds_together().await;
}

#[tokio::test]
async fn whoever_wrote_to_one_person_is_told_how_far_it_was_read() {
    let s = start().await;
    let (alice, bob, carol) = (s.user("alice").await, s.user("bob").await, s.user("carol").await);
    let one = alice.post("messages", json!({"to": "bob", "body": "1"})).await.is(201);
    alice.post("messages", json!({"to": "bob", "body": "2"})).await.is(201);
    bob.post("messages", json!({"to": "alice", "body": "3"})).await.is(201);
    let before = alice.get("sync").await.is(200);
    assert_eq!(before.get("peer_marks"), None);
    // Marks of somebody who never wrote with Alice show her nothing.
    carol.put("views/conversation/user:alice", json!({})).await.is(200);
    bob.put("conversations/user:alice/read", json!({"through": one["msgid"]})).await.is(200);
    let since = before["next"].as_str().unwrap();
    let page = alice.get(&format!("sync?since={since}")).await.is(200);
    let marks = page["peer_marks"].as_array().unwrap();
    assert_eq!(marks.len(), 1);
    assert_eq!(marks[0]["view"], "conversation/user:bob");
    assert_eq!(marks[0]["through"], one["stamp"]);
    assert_eq!(page["items"], json!([]), "no item changed");
    let since = page["next"].as_str().unwrap();
    assert_eq!(alice.get(&format!("sync?since={since}")).await.is(200).get("peer_marks"), None, "once");
    assert_eq!(alice.get("receipts").await.is(200)["receipts"], json!([]), "receipts are of groups");
    assert_eq!(bob.get("sync").await.is(200).get("peer_marks"), None, "Alice has read nothing of his");
    s.holds_together().await;
}
