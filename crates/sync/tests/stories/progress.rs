//! Tests of pulls with many pages: waiting operations are sent between two pages, and a server that brings nothing new
//! is asked at growing intervals.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tidings_model::{MsgId, wire};
use tidings_replica::{Mark, Targets};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request};

use crate::support::{Inbox, item, ok, page, query, server, stamp, sync, until};

/// The longest pause between two pages.
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// Accepts operations; returns their number, which grows.
async fn accept_ops(server: &MockServer) -> Arc<AtomicUsize> {
    let accepted = Arc::new(AtomicUsize::new(0));
    let counts = accepted.clone();
    Mock::given(method("POST"))
        .and(path("/api/v1/inbox/ops"))
        .respond_with(move |request: &Request| {
            let ops: wire::Ops = serde_json::from_slice(&request.body).unwrap();
            counts.fetch_add(ops.ops.len(), Ordering::SeqCst);
            let results: Vec<_> = ops.ops.iter().map(|op| json!({"id": op.id, "ok": true})).collect();
            ok(json!({"results": results, "unread": crate::support::unread_counts(0)}))
        })
        .mount(server)
        .await;
    accepted
}

/// Serves pages without end, the `n`th made by `make`; returns the times at which pages were requested.
async fn serve_endless_pages(
    server: &MockServer,
    make: impl Fn(i64) -> Value + Send + Sync + 'static,
) -> Arc<Mutex<Vec<Instant>>> {
    let times = Arc::new(Mutex::new(Vec::new()));
    let (nth, request_times) = (AtomicI64::new(0), times.clone());
    sync()
        .respond_with(move |request: &Request| {
            if query(request, "count").is_none() {
                request_times.lock().unwrap().push(Instant::now());
            }
            ok(make(nth.fetch_add(1, Ordering::SeqCst) + 1))
        })
        .mount(server)
        .await;
    times
}

/// Waits until this number of pages was requested, and returns the time from the last but two of them to the last. The
/// page between is requested before the pause, the last one after it.
async fn last_gap(times: &Mutex<Vec<Instant>>, pages: usize) -> Duration {
    until("so many pages", || async { times.lock().unwrap().len() >= pages }).await;
    let times = times.lock().unwrap();
    times[pages - 1] - times[pages - 3]
}

#[tokio::test]
async fn a_server_that_says_more_and_brings_nothing_is_asked_ever_more_slowly() {
    let server = server().await;
    let inbox = Inbox::of(&server.uri());
    let replica = inbox.replica.clone();
    let times = serve_endless_pages(&server, move |nth| {
        if nth == 4 {
            replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Archive).unwrap();
        }
        let mut page = page(1, i64::from(nth == 1), true);
        page["next"] = stamp(nth).into();
        page
    })
    .await;
    let accepted = accept_ops(&server).await;
    let watched = async {
        let gap = last_gap(&times, 20).await;
        assert!(gap >= MAX_PAUSE, "{gap:?} for two pages");
        until("what waits here to go out between two pages", || async {
            accepted.load(Ordering::SeqCst) == 1
        })
        .await;
    };
    tokio::select! {
        pull = inbox.pull() => panic!("it goes on for longer than this test: {pull:?}"),
        () = watched => {}
    }
}

#[tokio::test]
async fn a_server_that_brings_the_same_again_and_again_is_asked_ever_more_slowly() {
    let server = server().await;
    let inbox = Inbox::of(&server.uri());
    let times = serve_endless_pages(&server, |nth| {
        let mut same = item(1);
        same["body"] = "x".repeat(32 << 10).into();
        json!({"items": [same], "marks": [], "next": stamp(nth), "more": true, "epoch": "e1"})
    })
    .await;
    let watched = async {
        let gap = last_gap(&times, 55).await;
        assert!(gap >= MAX_PAUSE, "{gap:?} for two pages");
    };
    tokio::select! {
        pull = inbox.pull() => panic!("it goes on for longer than this test: {pull:?}"),
        () = watched => {}
    }
    assert_eq!(inbox.replica.counts().unwrap().sources[0].items, 1);
    inbox.assert_consistent();
}

#[tokio::test]
async fn marks_go_out_between_the_pages_of_a_long_pull() {
    let server = server().await;
    let inbox = Inbox::of(&server.uri());
    let accepted = accept_ops(&server).await;
    let (replica, sent) = (inbox.replica.clone(), accepted.clone());
    let before_the_end = Arc::new(AtomicBool::new(false));
    let seen = before_the_end.clone();
    sync()
        .respond_with(move |request: &Request| {
            let since = query(request, "since");
            let n = since.map_or(0, |since| (1..=20).take_while(|n| stamp(*n) <= since).count());
            let n = i64::try_from(n).unwrap() + 1;
            if n == 3 {
                replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Archive).unwrap();
            }
            if n == 10 {
                seen.store(sent.load(Ordering::SeqCst) == 1, Ordering::SeqCst);
            }
            ok(page(n, n, n < 20))
        })
        .mount(&server)
        .await;
    assert_eq!(inbox.pull().await.unwrap().fetched, 20);
    assert!(before_the_end.load(Ordering::SeqCst));
    inbox.assert_consistent();
}
