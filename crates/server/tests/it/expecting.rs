//! Tests of topics that expect a publication every so often, over HTTP.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_model::{Lang, Priority};
use tidings_server::ServerConfig;

use crate::support::{Answer, Client, Running, start_in, start_with, until};

/// Of a server that looks often, in Chinese, and has an owner.
fn looks_often(c: &mut ServerConfig) {
    c.upkeep_interval = Duration::from_millis(20);
    c.lang = Lang::ZhCn;
    c.open_publish = true;
    c.standalone_owner = Some("me".to_owned());
}

/// Such a server, and a client of its owner.
async fn standalone() -> (Running, Client) {
    let s = start_with(looks_often).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    (s, me)
}

async fn publish(client: &Client, path: &str, expect: &str) -> Answer {
    client.send(client.request(Method::POST, path).header("X-Expect", expect).body("done")).await
}

async fn titles(client: &Client) -> Vec<Value> {
    client.inbox().await.into_iter().map(|item| item["title"].clone()).collect()
}

/// Lets time pass until the newest item has a title.
async fn until_newest(s: &Running, client: &Client, title: &str) {
    until(title, || async {
        s.clock.advance(5);
        titles(client).await[0] == title
    })
    .await;
}

#[tokio::test]
async fn a_script_that_says_how_often_it_comes_is_missed_and_welcomed_back() {
    let (s, me) = standalone().await;
    publish(&me, "/backups", "1m").await.is(200);
    assert_eq!(s.admin.get("topics/backups").await.is(200)["expect_secs"], 60);
    until_newest(&s, &me, "backups 没有收到通知").await;
    let told = me.inbox().await[0].clone();
    assert_eq!(told["body"], "应每 1 分钟收到一条通知，但这段时间内没有收到。");
    assert_eq!((&told["priority"], &told["tags"]), (&json!(4), &json!(["warning"])));
    assert_eq!(
        (&told["thread"], &told["data"]["expect"]),
        (&json!("topic:backups#publish"), &json!("missing"))
    );
    publish(&me, "/backups?x-expect=1h", "").await.is(200);
    publish(&me, "/backups", "1m").await.is(200);
    assert_eq!(titles(&me).await.len(), 4, "another time begins anew, so nothing is missing");

    until_newest(&s, &me, "backups 没有收到通知").await;
    publish(&me, "/backups", "1m").await.is(200);
    until_newest(&s, &me, "backups 已恢复").await;
    assert_eq!(me.inbox().await[0]["priority"], json!(Priority::DEFAULT));
    s.admin.put("topics/backups", json!({"name": "备份", "expect_secs": 60})).await.is(200);
    until_newest(&s, &me, "备份没有收到通知").await;
    publish(&me, "/backups", "off").await.is(200);
    assert_eq!(s.admin.get("topics/backups").await.is(200)["expect_secs"], json!(null));
}

#[tokio::test]
async fn a_day_in_which_the_server_was_off_is_no_silence_and_what_is_missing_later_is_told() {
    let (s, me) = standalone().await;
    publish(&me, "/backups", "5m").await.is(200);
    publish(&me, "/pings", "1m").await.is(200);
    until_newest(&s, &me, "pings 没有收到通知").await;
    let (dir, clock) = s.stop().await;
    clock.advance(26 * 3_600);

    let s = start_in(dir, clock, looks_often).await;
    let me = s.token("me", &[Scope::Inbox]).await;
    publish(&me, "/pings", "1m").await.is(200);
    // It is told by a look, which would have found the other one as well.
    until_newest(&s, &me, "pings 已恢复").await;
    let told = titles(&me).await;
    assert!(!told.contains(&json!("backups 没有收到通知")), "{told:?}");
    publish(&me, "/pings", "off").await.is(200);
    until_newest(&s, &me, "backups 没有收到通知").await;
}

#[tokio::test]
async fn what_says_no_time_or_comes_from_others_sets_nothing() {
    let (s, me) = standalone().await;
    for wrong in ["soon", "59s", "400d", "26"] {
        let refused = publish(&me, "/backups", wrong).await.is(400);
        assert!(refused["error"].as_str().unwrap().contains("X-Expect"), "{refused}");
    }
    s.admin.put("topics/backups", json!({"expect_secs": 59})).await.problem(
        400,
        "invalid",
        Some("expect_secs"),
    );
    s.admin.put("topics/backups", json!({"publishers": ["me"]})).await.is(200);
    let bob = s.user("bob").await;
    publish(&bob, "/backups", "1h").await.is(403);
    assert_eq!(s.admin.get("topics/backups").await.is(200)["expect_secs"], json!(null));
    publish(&me, "/backups", "1h").await.is(200);
    assert_eq!(s.admin.get("topics/backups").await.is(200)["publishers"], json!(["me"]), "the rest stays");
}
