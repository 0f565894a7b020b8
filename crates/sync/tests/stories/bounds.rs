//! Tests of servers that send too much, too little or redirect: a source stays within its bounds and never gets stuck.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tidings_model::SystemClock;
use tidings_net::{Error, download, supervise};
use tidings_replica::{Mark, SourceId, Targets};
use tidings_sources::{Bounds, MAX_SERVICE_ANSWER_BYTES, Service, Since, Source, Tidings};
use tidings_sync::{BackoffConfig, Engine, EngineConfig, SourceStatus, Trouble, pull_once, wake};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::scripted::{ScriptedServer, response};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::{
    Inbox, answer, first_pull_answer, item, ok, page, queries_of, query, serve_changes, server, stamp, sync,
    until, until_state,
};

/// Serves items made by `make`, as many a page as the request's limit.
async fn serve_items(server: &MockServer, changes: i64, make: impl Fn(i64) -> Value + Send + Sync + 'static) {
    sync()
        .respond_with(move |request: &Request| {
            let since = query(request, "since");
            let passed = since.map_or(0, |since| (1..=changes).take_while(|n| stamp(*n) <= since).count());
            let limit: i64 = query(request, "limit").unwrap().parse().unwrap();
            let from = i64::try_from(passed).unwrap() + 1;
            let to = (from + limit - 1).min(changes);
            let items: Vec<_> = (from..=to).map(&make).collect();
            let next = stamp(to.max(from - 1));
            ok(json!({"items": items, "marks": [], "next": next, "more": to < changes, "epoch": "e1"}))
        })
        .mount(server)
        .await;
}

fn item_with_body(n: i64, bytes: usize) -> Value {
    let mut item = item(n);
    item["body"] = "x".repeat(bytes).into();
    item
}

async fn limits(server: &MockServer) -> Vec<usize> {
    let limit = |query: &String| {
        let limit = query.split('&').find_map(|part| part.strip_prefix("limit="));
        limit.unwrap().parse().unwrap()
    };
    queries_of(server, "sync").await.iter().filter(|query| !query.contains("count=")).map(limit).collect()
}

#[tokio::test]
async fn a_backlog_arrives_and_marks_are_sent_however_little_a_step_takes() {
    for seed in 0..8 {
        let bounds = crate::conformance::bounds(seed);
        let server = server().await;
        serve_items(&server, 60, |n| item_with_body(n, 1_000)).await;
        Mock::given(method("POST"))
            .and(path("/api/v1/inbox/ops"))
            .respond_with(|request: &Request| {
                let sent: Value = request.body_json().unwrap();
                let ops = sent["ops"].as_array().unwrap();
                let results: Vec<_> = ops.iter().map(|op| json!({"id": op["id"], "ok": true})).collect();
                ok(json!({"results": results, "unread": crate::support::unread_counts(0)}))
            })
            .mount(&server)
            .await;
        let inbox = Inbox::of(&server.uri());
        let client = Tidings::new(&server.uri(), "tdg_right".into(), Arc::new(SystemClock)).unwrap();
        let client: Arc<dyn Source> = Arc::new(client.with_bounds(bounds));
        let pulled = pull_once(&inbox.replica, inbox.source, client.clone()).await.unwrap();
        assert_eq!((pulled.arrived, inbox.cursor()), (60, Some(stamp(60))));
        let most = bounds.first_items.max(bounds.page_items);
        assert!(limits(&server).await.iter().all(|limit| *limit <= most));
        for n in 1..=7 {
            inbox.replica.mark(Targets::MsgIds(vec![format!("m{n}").as_str().into()]), Mark::Read).unwrap();
        }
        pull_once(&inbox.replica, inbox.source, client).await.unwrap();
        assert_eq!(inbox.replica.counts().unwrap().waiting, 0);
        let requests = server.received_requests().await.unwrap();
        let ops = requests.iter().filter_map(|request| request.body_json::<Value>().ok());
        let ops = ops.filter_map(|sent| sent["ops"].as_array().map(Vec::len));
        assert!(ops.clone().count() > 0 && ops.max().unwrap() <= bounds.ops);
        inbox.assert_consistent();
    }
}

#[tokio::test]
async fn a_page_that_is_too_large_is_asked_for_again_in_smaller_parts() {
    let server = server().await;
    serve_items(&server, 40, |n| item_with_body(n, 300 << 10)).await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 40);
    let limits = limits(&server).await;
    assert_eq!(limits[..3], [1_000, 125, 15], "{limits:?}");
    assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 0);
    inbox.assert_consistent();
}

#[tokio::test]
async fn an_item_that_is_too_large_even_alone_is_passed_over_and_the_pull_goes_on() {
    let server = server().await;
    serve_items(&server, 5, |n| if n == 3 { item_with_body(n, 9 << 20) } else { item(n) }).await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 4);
    assert_eq!(inbox.cursor(), Some(stamp(5)));
    assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 1, "its reader is told");
    assert_eq!(inbox.pull().await.unwrap().fetched, 0, "it is not asked for again");
    inbox.assert_consistent();
}

#[tokio::test]
async fn answers_that_somebody_in_between_makes_too_large_cost_no_item() {
    let server = server().await;
    let endless = ResponseTemplate::new(200).set_body_bytes(vec![b' '; 9 << 20]);
    // As many as there are sizes of a page.
    sync().respond_with(endless).up_to_n_times(4).with_priority(1).mount(&server).await;
    serve_items(&server, 5, item).await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 5);
    assert_eq!(limits(&server).await[..4], [1_000, 125, 15, 1]);
    assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 0);
}

#[tokio::test]
async fn of_an_item_that_is_passed_over_no_more_than_a_name_is_kept() {
    let server = server().await;
    serve_items(&server, 3, |n| {
        let mut item = item(n);
        if n == 2 {
            item["msgid"] = "m".repeat(9 << 20).into();
        }
        item
    })
    .await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 2);
    assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 1);
    let source = Tidings::new(&server.uri(), "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    let since = Since { cursor: Some(stamp(1)), epoch: Some("e1".into()) };
    let [skipped] = source.skip_item(since).await.unwrap().unwrap().skipped.try_into().unwrap();
    assert_eq!((skipped.position, skipped.msgid.as_str()), (stamp(2), &*"m".repeat(64)));
}

#[tokio::test]
async fn an_answer_that_would_swell_in_memory_is_passed_over() {
    let server = server().await;
    serve_items(&server, 3, |n| {
        let mut item = item(n);
        if n == 2 {
            item["data"] = json!({"a": vec![json!({"a": 0}); 100_000]});
        }
        item
    })
    .await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 2);
    assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 1);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::test]
async fn a_packed_answer_is_read_and_bounded_by_what_it_holds() {
    let server = ScriptedServer::start().await;
    let url = server.url();
    let requests = server.serve(|mut exchange| async move {
        let body = match exchange.url().path() {
            "/small" => packed(br#"{"id": 7}"#),
            _ => packed(&vec![b' '; MAX_SERVICE_ANSWER_BYTES + 1]),
        };
        assert!(body.len() < 100_000);
        let _ = exchange.send(&response("200 OK", "content-encoding: gzip\r\n", body)).await;
    });
    let service = Service::new(&url, Arc::new(SystemClock)).unwrap();
    let small: Value = service.json(service.get("small").unwrap()).await.unwrap();
    assert_eq!(small["id"], 7);
    assert!(requests.lock().unwrap()[0].to_lowercase().contains("accept-encoding: gzip"));
    let large = service.json::<Value>(service.get("large").unwrap()).await;
    assert!(matches!(large, Err(Error::AnswerTooLarge)), "{large:?}");
}

/// The client's requests to a server with endless lines.
#[derive(Clone, Default)]
struct ChannelStats {
    /// The number of bytes of live channels that were sent.
    bytes_sent: Arc<AtomicUsize>,
    /// The number of live channels that the client closed.
    channels_closed: Arc<AtomicUsize>,
    pulls: Arc<AtomicUsize>,
}

/// The bound of the bytes that a live channel sends.
const MAX_CHANNEL_BYTES: usize = 64 << 20;

/// Serves a live channel at `/events` whose line never ends.
async fn serve_endless_channel(byte: u8, stats: ChannelStats) -> String {
    let server = ScriptedServer::start().await;
    let url = server.url();
    server.serve(move |mut exchange| {
        let ChannelStats { bytes_sent, channels_closed, pulls } = stats.clone();
        async move {
            let answer = match exchange.url().path().trim_start_matches("/api/v1/") {
                "events" => {
                    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ";
                    let _ = exchange.send(head).await;
                    for _ in 0..MAX_CHANNEL_BYTES / (16 << 10) {
                        if exchange.send(&[byte; 16 << 10]).await.is_err() {
                            channels_closed.fetch_add(1, Ordering::SeqCst);
                            return;
                        }
                        bytes_sent.fetch_add(16 << 10, Ordering::SeqCst);
                    }
                    // The client took all bytes and waits for more.
                    return std::future::pending().await;
                }
                "sync" => {
                    pulls.fetch_add(1, Ordering::SeqCst);
                    page(1, 1, false)
                }
                "receipts" => json!({"receipts": [], "next": stamp(1), "more": false}),
                what => first_pull_answer(what).or_else(|| first_pull_answer("catalog")).unwrap(),
            };
            let _ = exchange.send_json(&answer).await;
        }
    });
    url
}

async fn assert_falls_back_to_polling(byte: u8) {
    let stats = ChannelStats::default();
    let url = serve_endless_channel(byte, stats.clone()).await;
    let inbox = Inbox::of(&url);
    let engine = inbox.quiet_engine().await;
    until("the channel to be given up", || async {
        stats.pulls.load(Ordering::SeqCst) >= 2 && stats.channels_closed.load(Ordering::SeqCst) >= 1
    })
    .await;
    until_state(&engine, inbox.source, |state| *state == SourceStatus::Idle).await;
    let before = stats.pulls.load(Ordering::SeqCst);
    engine.pull_now();
    until("another pull", || async { stats.pulls.load(Ordering::SeqCst) > before }).await;
    engine.shutdown().await;
    let (bytes, channels) =
        (stats.bytes_sent.load(Ordering::SeqCst), stats.channels_closed.load(Ordering::SeqCst) + 1);
    assert!(bytes < channels * (16 << 20), "{bytes} bytes were taken by {channels} channels");
}

#[tokio::test]
async fn a_live_channel_without_an_end_of_line_is_given_up_and_pulling_goes_on() {
    assert_falls_back_to_polling(b'x').await;
}

#[tokio::test]
async fn a_live_channel_of_carriage_returns_is_given_up_and_pulling_goes_on() {
    assert_falls_back_to_polling(b'\r').await;
}

#[tokio::test]
async fn a_redirect_is_followed_on_its_own_origin_and_by_no_post() {
    let (origin, other) = (server().await, server().await);
    let to = |url: String| ResponseTemplate::new(307).insert_header("location", url);
    sync().respond_with(to(format!("{}/api/v1/sync", other.uri()))).up_to_n_times(1).mount(&origin).await;
    serve_changes(&other, 1, 10).await;
    let inbox = Inbox::of(&origin.uri());
    let error = inbox.pull().await.unwrap_err();
    assert_eq!(error.trouble(), Trouble::RedirectRefused);
    assert!(other.received_requests().await.unwrap().is_empty(), "no token, and nothing else, goes there");

    sync().respond_with(to("/api/v1/moved".to_owned())).up_to_n_times(1).mount(&origin).await;
    answer(&origin, "moved", ok(page(1, 3, false))).await;
    assert_eq!(inbox.pull().await.unwrap().fetched, 3);
    let requests = origin.received_requests().await.unwrap();
    assert!(requests.iter().all(|request| !request.headers.contains_key("referer")));

    let source = Tidings::new(&origin.uri(), "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    for (status, target) in
        [(302, origin.uri()), (303, origin.uri()), (307, origin.uri()), (307, other.uri())]
    {
        Mock::given(method("POST"))
            .respond_with(
                ResponseTemplate::new(status).insert_header("location", format!("{target}/api/v1/messages")),
            )
            .up_to_n_times(1)
            .mount(&origin)
            .await;
        let before = origin.received_requests().await.unwrap().len();
        let sent = source.send_ops(Vec::new()).await;
        assert!(matches!(sent, Err(Error::RedirectRefused)), "{status}: {sent:?}");
        assert_eq!(origin.received_requests().await.unwrap().len(), before + 1, "{status}");
    }
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_file_is_not_fetched_from_where_its_server_sends_on_to() {
    let (origin, other) = (MockServer::start().await, MockServer::start().await);
    let to = ResponseTemplate::new(302).insert_header("location", format!("{}/secret", other.uri()));
    Mock::given(method("GET")).respond_with(to).mount(&origin).await;
    let dir = tempfile::tempdir().unwrap();
    let wanted = download::Download {
        url: format!("{}/file", origin.uri()).parse().unwrap(),
        home: Some(origin.uri().parse().unwrap()),
        token: Some("tdg_right".into()),
        max_bytes: 1_000,
    };
    let fetched = download::fetch(&wanted, &dir.path().join("file"), |_, _| {}).await;
    assert!(matches!(fetched, Err(Error::RedirectRefused)), "{fetched:?}");
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_source_that_panics_is_counted_shown_and_begun_again() {
    let server = server().await;
    serve_changes(&server, 2, 10).await;
    let inbox = Inbox::of(&server.uri());
    let before = supervise::faults();
    let (clock, faults_left) = (ManualClock::running(), AtomicUsize::new(6));
    clock.before_each_reading(move || {
        let works = faults_left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |faults_left| faults_left.checked_sub(1))
            .is_err();
        assert!(works, "the clock is broken on purpose");
    });
    let engine = Engine::start(EngineConfig {
        replica: inbox.replica.clone(),
        tokens: Arc::new(|_: SourceId| Some("tdg_right".to_owned())),
        clock: Arc::new(clock),
        wakes: wake::never(),
        backoff: BackoffConfig { first_delay: Duration::from_millis(200), ..BackoffConfig::default() },
        events: None,
        bounds: Bounds::default(),
    })
    .await
    .unwrap();
    let shown =
        |state: &SourceStatus| matches!(state, SourceStatus::Retrying { trouble: Trouble::Fault, .. });
    until_state(&engine, inbox.source, shown).await;
    assert!(supervise::faults() > before);
    until("what the source holds", || async { inbox.unread() == 2 }).await;
    engine.shutdown().await;
}
