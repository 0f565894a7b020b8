//! Tests of a long backlog: the counts are right before all of it has arrived, and its progress is reported.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tidings_replica::ItemFilter;
use tidings_sync::SourceStatus;
use tidings_testkit::scripted::{ScriptedServer, response};
use tokio::sync::RwLock;
use wiremock::matchers::query_param;

use crate::support::{
    Inbox, item, ok, page, serve_changes, server, stamp, sync, unread_counts, until, until_state,
};

#[tokio::test]
async fn the_numbers_are_right_before_the_backlog_is_in() {
    let server = ScriptedServer::start().await;
    let inbox = Inbox::of(&server.url());
    let newest: Vec<_> = (691..=700).rev().map(item).collect();
    // While its write lock is held, the backlog does not come.
    let door = Arc::new(RwLock::new(()));
    let closed = door.write().await;
    let of_server = door.clone();
    server.serve(move |mut exchange| {
        let (newest, door) = (newest.clone(), of_server.clone());
        async move {
            let answer = match exchange.url().path().trim_start_matches("/api/v1/") {
                "me" => json!({"id": "ana", "name": "Ana", "scopes": ["inbox"]}),
                "unread" => unread_counts(700),
                "inbox" => json!({"items": newest, "next": stamp(691)}),
                "sync" => {
                    drop(door.read().await);
                    page(1, 700, false)
                }
                _ => return drop(exchange.send(&response("404 Not Found", "", "")).await),
            };
            let _ = exchange.send_json(&answer).await;
        }
    });
    let pull = inbox.pull();
    let watching = async {
        until("the numbers", || async { inbox.unread() == 700 }).await;
        let listed = || inbox.replica.items(&ItemFilter::default(), 100).unwrap().len();
        until("the newest page, while the backlog is on its way", || async { listed() == 10 }).await;
        assert_eq!(inbox.cursor(), None);
        drop(closed);
    };
    let (report, ()) = tokio::join!(pull, watching);
    assert_eq!(report.unwrap().fetched, 700);
    assert_eq!(inbox.unread(), 700);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_backlog_says_how_far_it_is() {
    let server = server().await;
    serve_changes(&server, 3_000, 700).await;
    let slow = ok(page(2_101, 2_800, true)).set_delay(Duration::from_millis(300));
    sync()
        .and(query_param("since", stamp(2_100)))
        .respond_with(slow)
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    let mut counted = page(701, 701, true);
    counted["remaining"] = json!(2_299);
    sync().and(query_param("count", "true")).respond_with(ok(counted)).with_priority(1).mount(&server).await;
    let inbox = Inbox::of(&server.uri());
    let engine = inbox.quiet_engine().await;
    let reports_total =
        |s: &SourceStatus| matches!(s, SourceStatus::Pulling { done, of: Some(3_000) } if *done >= 700);
    until_state(&engine, inbox.source, reports_total).await;
    until("all of it", || async { inbox.unread() == 3_000 }).await;
    engine.shutdown().await;
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_server_that_looks_through_much_that_is_not_for_us_is_waited_for() {
    let server = server().await;
    serve_changes(&server, 3, 2).await;
    let mut nothing = page(1, 0, true);
    nothing["next"] = json!(stamp(2));
    let empty = ok(nothing);
    let since = query_param("since", stamp(2));
    sync().and(since).respond_with(empty).up_to_n_times(5).with_priority(1).mount(&server).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    assert_eq!(inbox.unread(), 3);
}
