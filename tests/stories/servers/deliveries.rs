//! The members with whom a message has arrived, by one server, are the same at the other at once.

use serde_json::{Value, json};
use support::{client::Client, server::ServerProcess, wait};
use tidings_testkit::postgres::Database;

use super::at;

/// The receipts of the only message that a sender's pull after `since` brings, and where it ended.
async fn receipt(client: &Client, since: &str) -> (Option<Value>, String) {
    let page = client.get(&format!("sync?since={since}")).await.is(200);
    let receipt = page["items"].as_array().unwrap().first().map(|item| item["receipt"].clone());
    (receipt, page["next"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn what_a_member_pulls_at_one_server_has_arrived_at_the_other_at_once() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let mut members = Vec::new();
    for id in ["bo", "cy", "dora"] {
        members.push(one.admin().user(id, &["inbox"]).await);
    }
    ana.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bo", "cy", "dora"]}))
        .await
        .success();
    let there = at(&ana, &two);
    for round in 0..5 {
        let sent = ana.post("groups/crew/messages", json!({"body": "Ready"})).await.is(201);
        let path = format!("groups/crew/messages/{}/receipts", sent["msgid"].as_str().unwrap());
        let (_, mut since) = receipt(&ana, "2020-01-01T00:00:00Z").await;
        let mut arrived = Vec::new();
        for (nth, member) in members.iter().enumerate() {
            let (puller, asker) =
                if (nth + round) % 2 == 0 { (member.clone(), &there) } else { (at(member, &two), &ana) };
            let read = nth == 1;
            if read {
                let through = json!({"through": sent["msgid"]});
                puller.put("conversations/group:crew/read", through).await.success();
            }
            puller.get("sync").await.success();
            if !read {
                arrived.push(["bo", "cy", "dora"][nth]);
            }
            let answer = asker.get(&path).await.is(200);
            assert_eq!(answer["delivered"], json!(arrived), "round {round}");
            let counts = [&answer["read_count"], &answer["delivered_count"]];
            assert_eq!(counts, [&json!(usize::from(nth > 0)), &json!(nth + 1)], "round {round}");
            let (told, next) = receipt(asker, &since).await;
            let expected = json!({"read": usize::from(nth > 0), "delivered": nth + 1, "members": 3});
            assert_eq!(told, Some(expected), "round {round}");
            since = next;
        }
    }
    // What is added up afterwards changes nothing.
    wait::until("it is counted", || async {
        database.sql("SELECT count(*) FROM deliveries WHERE counted_to < delivered_to").trim() == "0"
    })
    .await;
    let items = there.get("sync").await.is(200)["items"].clone();
    for item in items.as_array().unwrap() {
        assert_eq!(item["receipt"], json!({"read": 1, "delivered": 3, "members": 3}));
    }
}
