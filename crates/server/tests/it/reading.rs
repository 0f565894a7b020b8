//! Tests of marks on items and views: their effect on the counts and on other devices.

use serde_json::{Value, json};
use tidings_model::Clock;

use crate::support::start;

#[tokio::test]
async fn reminders_are_read_one_by_one_and_unread_again() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let one = publisher.remind("bob", "like", "1").await["msgid"].as_str().unwrap().to_owned();
    publisher.remind("bob", "like", "1").await;
    let (_, _, next) = alice.pull(None, 10).await;
    let answer = alice.op("read", &[&one, "unknown"], json!({})).await;
    assert_eq!(answer["unread"]["reminder"]["count"], 1);
    let (items, marks, next) = alice.pull(Some(&next), 10).await;
    assert_eq!((items.len(), marks.len()), (1, 0));
    assert_eq!(items[0]["version"], 2);
    assert!(items[0]["read_at"].is_string());
    alice.op("read", &[&one], json!({})).await;
    assert!(alice.pull(Some(&next), 10).await.0.is_empty(), "nothing changed");
    alice.op("unread", &[&one], json!({})).await;
    let (items, _, _) = alice.pull(Some(&next), 10).await;
    assert!(items[0]["read_at"].is_null());
    assert_eq!(alice.unread("reminder").await, 2);
    s.holds_together().await;
}

#[tokio::test]
async fn looking_at_a_view_reads_what_it_holds_up_to_that_moment() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let first = publisher.post("announcements", json!({"title": "1"})).await.is(201);
    let second = publisher.post("announcements", json!({"title": "2"})).await.is(201);
    let (_, _, next) = alice.pull(None, 10).await;
    let visited = alice.put("views/announcements/all", json!({"at": first["stamp"]})).await.is(200);
    assert_eq!(visited["at"], first["stamp"]);
    assert_eq!(visited["unread"], json!({"count": 1, "capped": false}));
    let (items, marks, next) = alice.pull(Some(&next), 10).await;
    assert!(items.is_empty(), "what a mark covers does not come again");
    assert_eq!(marks[0]["view"], "announcements/all");
    assert_eq!(marks[0]["through"], first["stamp"]);
    let page = alice.get("inbox").await.is(200);
    assert!(page["items"][0]["read_at"].is_null());
    assert_eq!(page["items"][1]["read_at"], first["stamp"]);
    // A mark never moves back; without a bound it moves forward to the newest stamp at most.
    let back = alice.put("views/announcements/all", json!({"at": "2020-01-01T00:00:00Z"})).await.is(200);
    assert_eq!(back["at"], first["stamp"]);
    assert!(alice.pull(Some(&next), 10).await.1.is_empty());
    let visited_late =
        alice.put("views/announcements/all", json!({"at": "2999-01-01T00:00:00Z"})).await.is(200);
    assert!(visited_late["at"].as_str().unwrap() >= second["stamp"].as_str().unwrap());
    assert!(visited_late["at"].as_str().unwrap() < "2999");
    let third = publisher.post("announcements", json!({"title": "3"})).await.is(201);
    assert!(third["stamp"].as_str() > visited_late["at"].as_str());
    let view = alice.get("views/announcements/all").await.is(200);
    assert_eq!((&view["at"], &view["unread"]["count"]), (&visited_late["at"], &json!(1)));
    let all = alice.send(alice.request(reqwest::Method::PUT, "views/announcements/all")).await.is(200);
    assert_eq!(all["unread"]["count"], 0);
    s.holds_together().await;
}

#[tokio::test]
async fn unread_on_an_item_of_a_view_moves_the_mark_to_just_before_it() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let mut ids = Vec::new();
    for i in 0..4 {
        ids.push(bob.post("messages", json!({"to": "alice", "body": format!("{i}")})).await.is(201));
    }
    let id = |i: usize| ids[i]["msgid"].as_str().unwrap();
    let answer = alice.put("conversations/user:bob/read", json!({"through": id(3)})).await.is(200);
    assert_eq!(answer, json!({"unread": {"count": 0, "capped": false}}));
    alice.op("unread", &[id(2)], json!({})).await;
    assert_eq!(alice.unread("message").await, 2, "the item and what came after it");
    let view = alice.get("views/conversation/user:bob").await.is(200);
    assert!(view["at"].as_str().unwrap() < ids[2]["stamp"].as_str().unwrap());
    assert!(view["at"].as_str().unwrap() >= ids[1]["stamp"].as_str().unwrap());
    alice.op("read", &[id(2)], json!({})).await;
    assert_eq!(alice.unread("message").await, 1);
    alice.put("conversations/user:bob/read", json!({"through": "nope"})).await.problem(
        404,
        "not_found",
        None,
    );
    s.holds_together().await;
}

#[tokio::test]
async fn an_action_of_auto_class_is_read_through_its_target() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like", "comment"]).await;
    let mut catalog = s.admin.get("catalog").await.is(200);
    catalog["actions"]["like"]["class"] = json!("auto");
    s.admin.put("catalog", catalog.clone()).await.is(200);
    publisher.remind("bob", "like", "1").await;
    publisher.remind("bob", "comment", "1").await;
    assert_eq!(alice.unread("reminder").await, 2);
    let visited = alice.put("views/target/article:1", json!({})).await.is(200);
    assert_eq!(visited["unread"]["count"], 1, "the comment is of manual class");
    alice.put("views/rooms/1", json!({})).await.problem(400, "invalid", Some("view"));
    s.holds_together().await;
}

#[tokio::test]
async fn a_class_that_changes_touches_nothing_that_is_there() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    publisher.remind("bob", "like", "1").await;
    let before = alice.get("sync").await.is(200);
    assert_eq!(before["items"][0]["auto"], false);
    let mut catalog = s.admin.get("catalog").await.is(200);
    catalog["actions"]["like"]["class"] = json!("auto");
    s.admin.put("catalog", catalog.clone()).await.is(200);
    publisher.remind("bob", "like", "1").await;
    alice.put("views/target/article:1", json!({})).await.is(200);
    assert_eq!(alice.unread("reminder").await, 1, "the first came as one to mark");
    catalog["actions"]["like"]["class"] = json!("manual");
    s.admin.put("catalog", catalog).await.is(200);
    assert_eq!(alice.unread("reminder").await, 1, "the second stays read by the mark of its view");
    let after = alice.get("sync").await.is(200);
    assert_eq!(after["items"][0], before["items"][0], "not even its stamp moved");
    let classes: Vec<_> = after["items"].as_array().unwrap().iter().map(|i| i["auto"].clone()).collect();
    assert_eq!(classes, [json!(false), json!(true)]);
    s.holds_together().await;
}

#[tokio::test]
async fn read_all_reads_everything_up_to_a_time() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    publisher.remind("bob", "like", "1").await;
    publisher.post("announcements", json!({"title": "a"})).await.is(201);
    let through = bob.post("messages", json!({"to": "alice", "body": "m"})).await.is(201)["stamp"].clone();
    bob.post("messages", json!({"to": "alice", "body": "later"})).await.is(201);
    let op = |more: Value| {
        let alice = alice.clone();
        async move {
            let mut op = json!({"id": crate::support::unique(), "op": "read_all"});
            op.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            alice.post("inbox/ops", json!({"ops": [op]})).await.is(200)["unread"].clone()
        }
    };
    let unread = op(json!({"kind": "reminder", "through": through})).await;
    assert_eq!((&unread["reminder"]["count"], &unread["total"]["count"]), (&json!(0), &json!(3)));
    let unread = op(json!({"through": through})).await;
    assert_eq!(unread["total"]["count"], 1);
    assert_eq!(unread["conversations"]["user:bob"]["count"], 1);
    s.holds_together().await;
}

#[tokio::test]
async fn a_snoozed_item_does_not_count_until_it_wakes() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let id = publisher.post("announcements", json!({"title": "a"})).await.is(201)["msgid"]
        .as_str()
        .unwrap()
        .to_owned();
    let until = tidings_model::Clock::now(&*s.clock).plus_secs(3_600).to_string();
    alice.op("snooze", &[&id], json!({"until": until})).await;
    assert_eq!(alice.unread("total").await, 0);
    assert_eq!(alice.get("inbox").await.is(200)["items"][0]["snoozed_until"], until);
    s.clock.advance(3_601);
    assert_eq!(alice.unread("total").await, 1);
    alice.op("snooze", &[&id], json!({"until": "2999-01-01T00:00:00Z"})).await;
    assert_eq!(alice.unread("total").await, 0);
    alice.op("unsnooze", &[&id], json!({})).await;
    assert_eq!(alice.unread("total").await, 1);
}

#[tokio::test]
async fn archived_ones_do_not_count_and_come_back() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let id = publisher.post("announcements", json!({"title": "a"})).await.is(201)["msgid"]
        .as_str()
        .unwrap()
        .to_owned();
    alice.op("seen", &[&id], json!({})).await;
    alice.op("archive", &[&id], json!({})).await;
    assert_eq!(alice.unread("total").await, 0);
    let archived = alice.get("inbox?archived=true").await.is(200);
    assert!(archived["items"][0]["archived_at"].is_string() && archived["items"][0]["seen_at"].is_string());
    alice.op("unarchive", &[&id], json!({})).await;
    assert_eq!(alice.unread("total").await, 1);
    s.holds_together().await;
}

#[tokio::test]
async fn an_operation_is_applied_once_and_the_unknown_one_does_not_hold_up_the_others() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let id = publisher.remind("bob", "like", "1").await["msgid"].clone();
    let read = json!({"id": "a", "op": "read", "msgids": [id]});
    let unknown_op = json!({"id": "b", "op": "shred", "msgids": [id]});
    let malformed = json!({"id": "c", "op": "snooze", "msgids": [id]});
    let answer = alice.post("inbox/ops", json!({"ops": [unknown_op, malformed, read]})).await.is(200);
    assert_eq!(
        answer["results"],
        json!([{"id": "b", "ok": false, "code": "invalid"}, {"id": "c", "ok": false, "code": "invalid"},
            {"id": "a", "ok": true}])
    );
    assert_eq!(answer["unread"]["total"]["count"], 0);
    let unread = json!({"id": "d", "op": "unread", "msgids": [id]});
    alice.post("inbox/ops", json!({"ops": [unread]})).await.is(200);
    let again = alice.post("inbox/ops", json!({"ops": [read]})).await.is(200);
    assert_eq!(again["results"][0]["ok"], true);
    assert_eq!(again["unread"]["total"]["count"], 1, "it was applied before");
    alice.post("inbox/ops", json!({"ops": [{"op": "read"}]})).await.problem(
        400,
        "invalid",
        Some("ops[0].id"),
    );
    alice.post("inbox/ops", json!({})).await.problem(400, "invalid", Some("ops"));
    let many: Vec<_> =
        (0..1_001).map(|i| json!({"id": format!("{i}"), "op": "read", "msgids": []})).collect();
    alice.post("inbox/ops", json!({"ops": many})).await.problem(400, "invalid", Some("ops"));
}

#[tokio::test]
async fn a_mark_that_says_when_it_was_made_overrules_nothing_later() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let msgid = publisher.remind("bob", "like", "1").await["msgid"].as_str().unwrap().to_owned();
    s.clock.advance(3_600);
    let ago = |secs: i64| json!(s.clock.now().plus_secs(-secs));
    let (alice, msgid) = (&alice, &msgid);
    // The number of unread items, and when the item was read.
    let marked = |id: &'static str, op: &'static str, at: Value| async move {
        let body = json!({"ops": [{"id": id, "op": op, "msgids": [msgid], "at": at}]});
        let answer = alice.post("inbox/ops", body).await.is(200);
        assert_eq!(answer["results"], json!([{"id": id, "ok": true}]));
        let item = alice.get("inbox").await.is(200)["items"][0].clone();
        assert_eq!(item["msgid"], *msgid);
        (answer["unread"]["total"]["count"].as_u64().unwrap(), item["read_at"].clone())
    };
    assert_eq!(marked("a", "read", ago(600)).await.0, 0);
    assert_eq!(marked("b", "unread", ago(60)).await, (1, Value::Null));
    assert_eq!(marked("c", "read", ago(120)).await, (1, Value::Null), "it was made before the other");
    let (unread, read_at) = marked("d", "read", json!("2999-01-01T00:00:00Z")).await;
    assert!(
        unread == 0 && read_at.as_str().unwrap() < "2999",
        "a time in the future counts as now: {read_at}"
    );
    s.clock.advance(1);
    assert_eq!(marked("e", "unread", ago(0)).await, (1, Value::Null), "it was made later");
    s.clock.advance(60);
    let before = ago(0);
    s.clock.advance(60);
    publisher.patch(&format!("notifications/{msgid}"), json!({"body": "revised"})).await.is(200);
    assert_eq!(marked("f", "read", before).await, (1, Value::Null), "what was read is not the revision");
    s.clock.advance(1);
    assert_eq!(marked("g", "read", ago(0)).await.0, 0);
    s.holds_together().await;
}

#[tokio::test]
async fn a_visit_is_an_operation_too() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    publisher.post("announcements", json!({"title": "a"})).await.is(201);
    let visit = json!({"id": "v", "op": "visit", "view": "announcements/all"});
    let answer = alice.post("inbox/ops", json!({"ops": [visit]})).await.is(200);
    assert_eq!(answer["unread"]["total"]["count"], 0);
}

#[tokio::test]
async fn conversations_come_page_by_page() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let messages: Vec<_> =
        (0..120).map(|i| json!({"from": format!("peer{i}"), "to": "alice", "body": "hello"})).collect();
    publisher.post("messages", json!(messages)).await.is(201);
    let first = alice.get("conversations").await.is(200);
    assert_eq!(first.as_array().unwrap().len(), 100, "a hundred unless told");
    assert_eq!(first[0]["id"], "user:peer119");
    let before = first[99]["last"]["created_at"].as_str().unwrap();
    let rest = alice.get(&format!("conversations?before={before}&limit=1000")).await.is(200);
    let ids: Vec<_> = rest.as_array().unwrap().iter().map(|c| c["id"].clone()).collect();
    let wanted: Vec<_> = (0..20).rev().map(|i| json!(format!("user:peer{i}"))).collect();
    assert_eq!(ids, wanted);
    alice.get("conversations?limit=0").await.problem(400, "invalid", Some("limit"));
    alice.get("conversations?limit=1001").await.problem(400, "invalid", Some("limit"));
    s.holds_together().await;
}

#[tokio::test]
async fn conversations_are_listed_latest_first() {
    let s = start().await;
    let (alice, bob, carol) = (s.user("alice").await, s.user("bob").await, s.user("carol").await);
    bob.post("messages", json!({"to": "alice", "body": "1"})).await.is(201);
    carol.post("messages", json!({"to": "alice", "body": "2"})).await.is(201);
    let mine = alice.post("messages", json!({"to": "bob", "body": "3"})).await.is(201);
    let list = alice.get("conversations").await.is(200);
    assert_eq!(list[0]["id"], "user:bob");
    assert_eq!(list[0]["title"], "BOB");
    assert_eq!(list[0]["last"]["msgid"], mine["msgid"]);
    assert_eq!(list[0]["unread"], json!({"count": 1, "capped": false}));
    assert!(list[0]["read_through"].is_null());
    assert_eq!(list[1]["id"], "user:carol");
    let page = alice.get("conversations/user:bob/messages?limit=1").await.is(200);
    assert_eq!(page["items"][0]["body"], "3");
    let before = page["next"].as_str().unwrap();
    let page = alice.get(&format!("conversations/user:bob/messages?before={before}")).await.is(200);
    assert_eq!((page["items"][0]["body"].as_str(), &page["next"]), (Some("1"), &Value::Null));
    alice.get("conversations/bob/messages").await.problem(400, "invalid", Some("id"));
}
