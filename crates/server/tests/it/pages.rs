//! Tests that every list is answered in pages, which end at a number of entries or bytes and continue from there.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Client, Running, start, start_with, until};

/// The bound of a page in bytes of JSON.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// A response body: its length in bytes, and its JSON.
async fn page(client: &Client, path: &str) -> (usize, Value) {
    let answer = client.request(reqwest::Method::GET, path).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let body = answer.bytes().await.unwrap();
    (body.len(), serde_json::from_slice(&body).unwrap())
}

/// A whole list that is paged by ids, read two entries at a time.
async fn list_by_twos(client: &Client, list: &str, id: impl Fn(&Value) -> String) -> Vec<Value> {
    let (mut found, mut after) = (Vec::new(), String::new());
    let join = if list.contains('?') { '&' } else { '?' };
    for _ in 0..100 {
        let got = client.get(&format!("{list}{join}limit=2&after={after}")).await.is(200);
        let got = got.as_array().unwrap().clone();
        assert!(got.len() <= 2);
        let Some(last) = got.last() else { return found };
        after = url::form_urlencoded::byte_serialize(id(last).as_bytes()).collect();
        found.extend(got);
    }
    panic!("{list} has no end");
}

fn field(name: &'static str) -> impl Fn(&Value) -> String {
    move |one| one[name].as_str().unwrap().to_owned()
}

async fn create_users(s: &Running, n: usize) {
    join_all((0..n).map(|i| async move { s.server.create_user(&format!("m{i:05}"), "").await.unwrap() }))
        .await;
}

#[tokio::test]
async fn a_page_ends_at_four_mebibytes_and_a_pull_gets_past_every_item() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let body = "\"x\" ".repeat(50 * 1024);
    for n in 0..30 {
        bob.post("messages", json!({"to": "alice", "body": body, "title": n.to_string()})).await.is(201);
    }
    let (mut titles, mut since, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let (size, got) = page(&alice, &format!("sync?limit=5000&since={since}")).await;
        assert!(size <= MAX_PAGE_BYTES, "{size}");
        titles
            .extend(got["items"].as_array().unwrap().iter().map(|i| i["title"].as_str().unwrap().to_owned()));
        got["next"].as_str().unwrap().clone_into(&mut since);
        pages += 1;
        if got["more"] == false {
            break;
        }
    }
    assert_eq!(titles, (0..30).map(|n| n.to_string()).collect::<Vec<_>>());
    assert!(pages > 1);
    for list in ["inbox", "conversations/user:bob/messages"] {
        let (mut titles, mut before, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let (size, got) = page(&alice, &format!("{list}?limit=1000&before={before}")).await;
            assert!(size <= MAX_PAGE_BYTES, "{size}");
            titles.extend(
                got["items"].as_array().unwrap().iter().map(|i| i["title"].as_str().unwrap().to_owned()),
            );
            pages += 1;
            let Some(next) = got["next"].as_str() else { break };
            next.clone_into(&mut before);
        }
        assert_eq!(titles, (0..30).rev().map(|n| n.to_string()).collect::<Vec<_>>());
        assert!(pages > 1);
    }
}

#[tokio::test]
async fn every_list_goes_on_after_its_last_element() {
    let s = start().await;
    let alice = s.user("alice").await;
    create_users(&s, 5).await;
    let ids = |found: &[Value]| found.iter().map(field("id")).collect::<Vec<_>>();
    let all = s.admin.get("users").await.is(200);
    assert_eq!(json!(list_by_twos(&s.admin, "users", field("id")).await), all);
    assert_eq!(all.as_array().unwrap().len(), 7);
    for _ in 0..4 {
        s.token("alice", &[tidings_model::wire::Scope::Inbox]).await;
    }
    for (client, n) in [(&alice, 5), (&s.admin, 6)] {
        let found = list_by_twos(client, "tokens", field("id")).await;
        assert_eq!((json!(found), found.len()), (client.get("tokens").await.is(200), n));
    }
    alice.get("tokens?after=nope").await.problem(400, "invalid", Some("after"));
    for (kind, id) in [("article", "1"), ("article", "2:a"), ("book", "1"), ("book", "3"), ("zoo", "1")] {
        let target = json!({"type": kind, "id": id});
        alice.put("subscriptions", json!({"target": target, "actions": ["like", "comment"]})).await.is(200);
    }
    let name = |s: &Value| {
        format!("{}:{}", s["target"]["type"].as_str().unwrap(), s["target"]["id"].as_str().unwrap())
    };
    for (list, n) in [("subscriptions", 5), ("subscriptions?type=book", 2), ("subscriptions?id=1", 3)] {
        let found = list_by_twos(&alice, list, name).await;
        assert_eq!((json!(found), found.len()), (alice.get(list).await.is(200), n), "{list}");
    }
    alice.get("subscriptions?after=nope").await.problem(400, "invalid", Some("after"));
    for n in 0..5 {
        alice.put(&format!("follows/m{n:05}"), json!({})).await.is(200);
        alice.post("groups", json!({"id": format!("g{n}"), "name": "G", "members": []})).await.is(201);
    }
    let follows = list_by_twos(&alice, "follows", field("user")).await;
    assert_eq!((json!(follows), follows.len()), (alice.get("follows").await.is(200), 5));
    assert_eq!(alice.get("follows/m00003").await.is(200)["user"], "m00003");
    assert_eq!(ids(&list_by_twos(&alice, "groups", field("id")).await), ["g0", "g1", "g2", "g3", "g4"]);
    for n in [4, 2, 0] {
        alice.put(&format!("groups/g0/members/m{n:05}"), json!({})).await.is(200);
    }
    let joined = ["alice", "m00004", "m00002", "m00000"];
    assert_eq!(ids(&list_by_twos(&alice, "groups/g0/members", field("id")).await), joined);
    assert_eq!(alice.get("groups/g0").await.is(200)["members"], json!(joined));
    alice.get("groups/g0/members?after=m00001").await.problem(400, "invalid", Some("after"));
    s.user("eve").await.get("groups/g0/members").await.problem(403, "forbidden", None);
    alice.get("groups?limit=1001").await.problem(400, "invalid", Some("limit"));
}

#[tokio::test]
async fn a_large_group_shows_its_first_members_and_the_readers_of_a_message_by_pages() {
    let s = start().await;
    let alice = s.user("alice").await;
    create_users(&s, 1_200).await;
    let members: Vec<String> = (0..1_200).map(|i| format!("m{i:05}")).collect();
    let new = json!({"id": "crew", "name": "Crew", "members": members});
    let make = async || {
        let request =
            alice.request(reqwest::Method::POST, "groups").header("Idempotency-Key", "k").json(&new);
        alice.send(request).await.is(201)
    };
    let created = make().await;
    assert_eq!(
        (created["members"].as_array().unwrap().len(), &created["member_count"]),
        (1_000, &json!(1_201))
    );
    assert_eq!(make().await, created, "once, in however many portions");
    let next = alice.get("groups/crew/members?after=m00998").await.is(200);
    assert_eq!((next.as_array().unwrap().len(), &next[0]["id"]), (201, &json!("m00999")));
    let posted = alice.post("groups/crew/messages", json!({"body": "hello"})).await.is(201);
    let path = format!("groups/crew/messages/{}/receipts", posted["msgid"].as_str().unwrap());
    let first = alice.get(&path).await.is(200);
    assert_eq!((first["unread"].as_array().unwrap().len(), &first["member_count"]), (1_000, &json!(1_200)));
    let rest = alice.get(&format!("{path}?after={}", first["next"].as_str().unwrap())).await.is(200);
    assert_eq!((rest["unread"].as_array().unwrap().len(), rest.get("next")), (200, None));
    s.holds_together().await;
}

#[tokio::test]
async fn a_pull_says_up_to_when_the_server_forgot() {
    let week = Duration::from_secs(7 * 24 * 3_600);
    let s = start_with(|c| {
        c.retain = Some(week);
        c.retain_now = true;
        c.upkeep_interval = Duration::from_millis(50);
    })
    .await;
    let alice = s.user("alice").await;
    s.admin.post("announcements", json!({"title": "old"})).await.is(201);
    let before = alice.get("sync").await.is(200);
    assert_eq!((before["items"].as_array().unwrap().len(), before.get("forgotten_before")), (1, None));
    s.clock.advance(8 * 24 * 3_600);
    let new_post = s.admin.post("announcements", json!({"title": "new"})).await.is(201);
    until("the old one is forgotten", || async {
        alice.get("sync").await.is(200)["items"].as_array().unwrap().len() == 1
    })
    .await;
    let page = alice.get(&format!("sync?since={}", before["next"].as_str().unwrap())).await.is(200);
    assert_eq!(page["items"][0]["msgid"], new_post["msgid"]);
    let horizon = page["forgotten_before"].as_str().unwrap();
    assert!(before["items"][0]["created_at"].as_str().unwrap() < horizon);
    assert!(
        horizon < page["items"][0]["created_at"].as_str().unwrap(),
        "and nothing that is there lies before it"
    );
    // A user created later also gets `forgotten_before`, and no old item.
    let bob = s.user("bob").await.get("sync").await.is(200);
    assert_eq!((&bob["items"], &bob["forgotten_before"]), (&json!([]), &page["forgotten_before"]));
    s.holds_together().await;
}
