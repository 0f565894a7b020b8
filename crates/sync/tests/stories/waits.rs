//! Tests of servers that ask to be left alone: nobody asks them before it is time.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::{Clock, MsgId, SystemClock};
use tidings_net::Error as NetError;
use tidings_replica::{Mark, Targets};
use tidings_sync::{BackoffConfig, Error, SourceStatus, Trouble, pull_once, wake};
use tidings_testkit::wait::{QUIET_PERIOD, stays};
use wiremock::matchers::method;
use wiremock::{Mock, ResponseTemplate};

use crate::support::{
    Inbox, answer, answer_once, problem, queries_of, serve_changes, server, until, until_state,
};

#[tokio::test]
async fn a_wait_holds_for_every_process_and_after_a_restart() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    answer_once(&server, "sync", problem(503, "unavailable").insert_header("Retry-After", "7200")).await;
    let error = inbox.pull().await.unwrap_err();
    assert_eq!(error.to_string(), "No answer (503); it asks to wait 7200 s");
    let requests = || async { server.received_requests().await.unwrap().len() };
    let before = requests().await;
    let error = inbox.pull().await.unwrap_err();
    let Error::Net(NetError::Waiting { until }) = error else { panic!("{error:?}") };
    assert!(until > SystemClock.now().plus_secs(7_100) && error.to_string().contains(&until.to_string()));

    let other = inbox.other_process();
    let row = other.source(inbox.source).unwrap();
    let client = tidings_sources::open(&row, "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    let error = pull_once(&other, row.id, client).await.unwrap_err();
    assert!(matches!(error, Error::Net(NetError::Waiting { until: same }) if same == until), "{error:?}");

    let engine = inbox.quiet_engine().await;
    let state = until_state(&engine, inbox.source, |s| matches!(s, SourceStatus::Retrying { .. })).await;
    let SourceStatus::Retrying { at, trouble } = state else { unreachable!() };
    assert_eq!(trouble, Trouble::Waiting(until));
    assert!(at >= until.plus_secs(-60), "{at}");
    inbox.replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Read).unwrap();
    engine.flush();
    stays(QUIET_PERIOD, "the number of requests", before, requests).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_rate_limit_is_not_a_missing_sign_in() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    let reset = SystemClock.now().plus_secs(600).as_secs().to_string();
    let limited = problem(403, "forbidden")
        .insert_header("X-RateLimit-Remaining", "0")
        .insert_header("X-RateLimit-Reset", reset);
    answer_once(&server, "sync", limited).await;
    let inbox = Inbox::of(&server.uri());
    let error = inbox.pull().await.unwrap_err();
    assert!(
        matches!(error, Error::Net(NetError::Unavailable { status: 403, retry_after: Some(_) })),
        "{error:?}"
    );
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Waiting { .. }))));
    assert_eq!(queries_of(&server, "sync").await.len(), 1);
}

#[tokio::test]
async fn the_wait_that_an_operation_meets_holds_for_the_pull() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    let limited = ResponseTemplate::new(429).insert_header("Retry-After", "90");
    Mock::given(method("POST")).respond_with(limited).mount(&server).await;
    inbox.replica.mark(Targets::MsgIds(vec![MsgId::from("m1")]), Mark::Read).unwrap();
    let error = inbox.pull().await.unwrap_err();
    assert!(matches!(error, Error::Net(NetError::Unavailable { status: 429, .. })), "{error:?}");
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Waiting { .. }))));
    assert_eq!(queries_of(&server, "sync").await.len(), 1);
    assert_eq!((inbox.unread(), inbox.replica.counts().unwrap().waiting), (2, 1), "the mark waits");
}

#[tokio::test]
async fn a_server_that_could_not_answer_is_not_asked_earlier_after_a_restart() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    answer_once(&server, "sync", problem(503, "unavailable")).await;
    let inbox = Inbox::of(&server.uri());
    let patient = BackoffConfig { first_delay: Duration::from_secs(300), ..BackoffConfig::default() };
    for _ in 0..2 {
        let engine = inbox.engine_with(patient).await;
        until("the wait", || async { inbox.replica.waits(inbox.source).unwrap().polls.is_some() }).await;
        engine.shutdown().await;
    }
    let engine = inbox.engine_with(patient).await;
    let pulls = || async { queries_of(&server, "sync").await.len() };
    stays(QUIET_PERIOD, "the number of pulls", 1, pulls).await;
    assert_eq!(engine.pull_and_wait().await[&inbox.source], Ok(()), "a person may ask");
    assert_eq!(inbox.unread(), 3);
    engine.shutdown().await;
}

#[tokio::test]
async fn an_interval_between_pulls_binds_the_timer_and_not_a_person() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    answer(&server, "events", problem(404, "not_found")).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    inbox.replica.postpone_polls(inbox.source, Duration::from_secs(600)).unwrap();
    let engine = inbox.engine("tdg_right", wake::never()).await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Idle).await;
    let pulls = || async { queries_of(&server, "sync").await.len() };
    stays(QUIET_PERIOD, "the number of pulls", 1, pulls).await;
    assert_eq!(engine.pull_and_wait().await[&inbox.source], Ok(()));
    assert_eq!(pulls().await, 2);
    engine.pull_now();
    until("the pull that was asked for", || async { pulls().await == 3 }).await;
    engine.shutdown().await;
}
