//! Tests of the pull: nothing is missed or repeated, whatever the page sizes and the clock.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{msgids, start, unique};

#[tokio::test]
async fn a_pull_gives_what_is_new_and_then_nothing() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    publisher.post("announcements", json!({"title": "one"})).await.is(201);
    let (items, _, next) = alice.pull(None, 1_000).await;
    assert_eq!(items.len(), 1);
    let page = alice.get(&format!("sync?since={next}")).await.is(200);
    assert_eq!((&page["items"], &page["more"], &page["next"]), (&json!([]), &json!(false), &json!(next)));
    assert!(page["epoch"].is_string());
    publisher.post("announcements", json!({"title": "two"})).await.is(201);
    let (items, _, _) = alice.pull(Some(&next), 1_000).await;
    assert_eq!(items[0]["title"], "two");
}

/// Without that mark a client could not distinguish the item from one that its publisher marked as read.
#[tokio::test]
async fn a_page_names_the_mark_that_makes_its_items_read_where_that_comes_later() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    for title in ["one", "two", "three"] {
        publisher.post("announcements", json!({"title": title})).await.is(201);
    }
    alice.pull(None, 10).await;
    alice.put("views/announcements/all", json!({})).await.is(200);
    let first = alice.get("sync?limit=1").await.is(200);
    assert_eq!(first["marks"], json!([]));
    let mark = &first["later_marks"][0];
    assert_eq!(
        (&mark["view"], &first["items"][0]["read_at"]),
        (&json!("announcements/all"), &mark["through"])
    );
    assert!(mark["stamp"].as_str() > first["next"].as_str(), "its place is on a later page");
    let next = first["next"].as_str().unwrap();
    let rest = alice.get(&format!("sync?since={next}")).await.is(200);
    assert_eq!((&rest["marks"], rest.get("later_marks")), (&json!([mark]), None));
}

#[tokio::test]
async fn stamps_grow_also_when_the_clock_jumps_back() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    publisher.post("announcements", json!({"title": "one"})).await.is(201);
    let (_, _, next) = alice.pull(None, 10).await;
    s.clock.advance(-3_600);
    let posted = publisher.post("announcements", json!({"title": "two"})).await.is(201);
    assert!(posted["stamp"].as_str().unwrap() > next.as_str());
    let (items, _, _) = alice.pull(Some(&next), 10).await;
    assert_eq!(msgids(&items), [posted["msgid"].as_str().unwrap()]);
}

#[tokio::test]
async fn writers_beside_pullers_of_tiny_pages_make_nobody_miss_or_repeat() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let writers: Vec<_> = (0..6)
        .map(|w| {
            let (publisher, bob) = (publisher.clone(), bob.clone());
            tokio::spawn(async move {
                for i in 0..25 {
                    match (w + i) % 3 {
                        0 => drop(publisher.post("announcements", json!({"title": "a"})).await.is(201)),
                        1 => drop(publisher.remind("carol", "like", "1").await),
                        _ => drop(bob.post("messages", json!({"to": "alice", "body": "m"})).await.is(201)),
                    }
                }
            })
        })
        .collect();
    let mut seen: Vec<Value> = Vec::new();
    let mut since: Option<String> = None;
    let mut writing = true;
    while writing {
        writing = writers.iter().any(|w| !w.is_finished());
        let (items, _, next) = alice.pull(since.as_deref(), 3).await;
        seen.extend(items);
        since = Some(next);
    }
    for writer in writers {
        writer.await.unwrap();
    }
    seen.extend(alice.pull(since.as_deref(), 3).await.0);
    let ids: HashSet<String> = msgids(&seen).into_iter().collect();
    assert_eq!(ids.len(), 150);
    assert_eq!(seen.len(), 150, "nothing came twice");
    assert!(seen.windows(2).all(|w| w[0]["stamp"].as_str() < w[1]["stamp"].as_str()));
    s.holds_together().await;
}

#[tokio::test]
async fn another_epoch_or_a_position_ahead_of_everything_means_pull_from_the_beginning() {
    let s = start().await;
    let alice = s.user("alice").await;
    let epoch = alice.get("sync").await.is(200)["epoch"].as_str().unwrap().to_owned();
    alice.get(&format!("sync?epoch={epoch}")).await.is(200);
    alice.get("sync?epoch=other").await.problem(410, "resync", None);
    alice.get("sync?since=2999-01-01T00:00:00Z").await.problem(410, "resync", None);
    alice.get("sync?since=yesterday").await.problem(400, "invalid", Some("since"));
    alice.get("sync?limit=0").await.problem(400, "invalid", Some("limit"));
    alice.get("sync?limit=5001").await.problem(400, "invalid", Some("limit"));
    alice.get("sync?limit=5000").await.is(200);
}

#[tokio::test]
async fn the_inbox_goes_page_by_page_newest_first() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like", "comment"]).await;
    let mut posted = Vec::new();
    for i in 0..5 {
        posted.push(publisher.post("announcements", json!({"title": format!("{i}")})).await.is(201));
        posted.push(publisher.remind("carol", "like", "1").await);
        posted.push(bob.post("messages", json!({"to": "alice", "body": "m"})).await.is(201));
    }
    posted.reverse();
    let all = msgids(&posted);
    let mut got = Vec::new();
    let mut before = String::new();
    loop {
        let page = alice.get(&format!("inbox?limit=4{before}")).await.is(200);
        got.extend(msgids(page["items"].as_array().unwrap()));
        match page["next"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(got, all);
    let of = |query: &'static str| {
        let alice = alice.clone();
        async move { alice.get(&format!("inbox?{query}")).await.is(200)["items"].as_array().unwrap().len() }
    };
    assert_eq!(of("kind=message").await, 5);
    assert_eq!(of("thread=announcements").await, 5);
    assert_eq!(of("thread=article:1%23like").await, 5);
    assert_eq!(of("thread=article:1%23comment").await, 0);
    assert_eq!(of("thread=user:bob").await, 5);
    assert_eq!(of("thread=user:bob&kind=reminder").await, 0);
    assert_eq!(of("unread=true").await, 15);
    assert_eq!(of("archived=true").await, 0);
    alice.get("inbox?kind=rumour").await.problem(400, "invalid", Some("kind"));
    alice.op("archive", &[&all[0]], json!({})).await;
    alice.op("delete", &[&all[1]], json!({})).await;
    alice.op("snooze", &[&all[2]], json!({"until": "2999-01-01T00:00:00Z"})).await;
    alice.op("read", &[&all[4]], json!({})).await;
    assert_eq!(of("limit=100").await, 13);
    assert_eq!(of("archived=true").await, 1);
    assert_eq!(of("unread=true").await, 11);
    assert_eq!(alice.unread("total").await, 11);
}

#[tokio::test]
async fn a_deleted_item_comes_once_more_without_content() {
    let s = start().await;
    let alice = s.user("alice").await;
    s.user("bob")
        .await
        .post("messages", json!({"to": "alice", "title": "t", "body": "secret", "data": {"a": 1}}))
        .await;
    let (items, _, next) = alice.pull(None, 10).await;
    let id = items[0]["msgid"].as_str().unwrap();
    alice.op("delete", &[id], json!({})).await;
    let (items, _, next) = alice.pull(Some(&next), 10).await;
    assert_eq!(items[0]["deleted"], true);
    assert_eq!(items[0]["version"], 2);
    assert!(!items[0].to_string().contains("secret"));
    assert_eq!((&items[0]["title"], &items[0]["data"]), (&json!(""), &json!({})));
    alice.op("unarchive", &[id], json!({})).await;
    assert!(alice.pull(Some(&next), 10).await.0.is_empty());
    assert_eq!(alice.unread("total").await, 0);
}

#[tokio::test]
async fn numbers_stop_at_the_cap() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    let many: Vec<_> = (0..150).map(|i| json!({"title": format!("{i}")})).collect();
    publisher.post("announcements", json!(many)).await.is(201);
    let many: Vec<_> = (0..150).map(|_| json!({"to": "alice", "from": "x", "body": "m"})).collect();
    publisher.post("messages", json!(many)).await.is(201);
    let unread = alice.get("unread").await.is(200);
    assert_eq!(unread["total"], json!({"count": 99, "capped": true}));
    assert_eq!(unread["conversations"]["user:x"], json!({"count": 99, "capped": true}));
    let unread = alice.get("unread?cap=150").await.is(200);
    assert_eq!(unread["announcement"], json!({"count": 150, "capped": false}));
    assert_eq!(unread["total"], json!({"count": 150, "capped": true}));
    alice.get("unread?cap=0").await.problem(400, "invalid", Some("cap"));
    alice.get("unread?cap=1001").await.problem(400, "invalid", Some("cap"));
}

#[tokio::test]
async fn a_backlog_of_many_pages_is_brought_in_whole() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    for _ in 0..13 {
        let many: Vec<_> = (0..1_000).map(|_| json!({"title": unique()})).collect();
        publisher.post("announcements", json!(many)).await.is(201);
    }
    let (items, _, _) = alice.pull(None, 5_000).await;
    assert_eq!(items.len(), 13_000);
    assert_eq!(alice.get("unread?cap=1000").await.is(200)["total"], json!({"count": 1000, "capped": true}));
}
