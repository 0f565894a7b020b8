//! Tests of the traces that `tidings serve` sends to a collector of OpenTelemetry.

use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use support::{client::Client, program::free_port, server::ServerProcess, wait};
use tidings_testkit::collector::{CollectedSpan, Collector, SpanKind};
use tidings_testkit::postgres::Database;

/// Variables of a server that sends its spans to this address at once.
fn settings(collector: &str) -> Vec<(&'static str, String)> {
    vec![("TIDINGS_TRACES", collector.to_owned()), ("OTEL_BSP_SCHEDULE_DELAY", "50".to_owned())]
}

/// A request that is part of a trace of its caller, whose span is `00f067aa0ba902b7`.
fn in_trace(request: RequestBuilder, trace: &str) -> RequestBuilder {
    request.header("traceparent", format!("00-{trace}-00f067aa0ba902b7-01"))
}

const CALLER: &str = "00f067aa0ba902b7";

/// Waits until a trace has its request, which is sent when it has ended, and so everything in it; gives all its spans.
async fn whole_trace(collector: &Collector, trace: &str) -> Vec<CollectedSpan> {
    let whole = || async {
        let spans = collector.trace(trace);
        spans.iter().any(|span| span.kind == SpanKind::Server).then_some(spans)
    };
    wait::until("the spans of a request", whole).await
}

/// The span of this name. Fails the test if there is not just one.
#[track_caller]
fn named<'s>(spans: &'s [CollectedSpan], name: &str) -> &'s CollectedSpan {
    let mut found = spans.iter().filter(|span| span.name == name);
    let span = found.next().unwrap_or_else(|| panic!("no {name}: {spans:#?}"));
    assert!(found.next().is_none(), "one {name}: {spans:#?}");
    span
}

/// Waits for a span that no request is the parent of.
async fn work(collector: &Collector, name: &str) -> CollectedSpan {
    let found = || async { collector.spans().into_iter().find(|span| span.name == name) };
    let span = wait::until(name, found).await;
    assert_eq!(span.parent, "", "{span:?}");
    span
}

#[tokio::test]
async fn a_message_has_a_trace_from_its_request_to_its_transaction_and_so_has_its_pull() {
    let (database, collector) = (Database::empty(), Collector::start().await);
    let mut settings = settings(&collector.url());
    settings.push(("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=rehearsal".to_owned()));
    let mut server = ServerProcess::on_database_with_env(&database.url, &settings);
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let bob = server.admin().user("bob", &["inbox"]).await;

    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let message = ana.request(Method::POST, "messages").json(&json!({"to": "bob", "body": "Hello"}));
    let answer = ana.send(in_trace(message, trace)).await;
    let spans = whole_trace(&collector, trace).await;
    let request = named(&spans, "POST /api/v1/messages");
    assert_eq!((request.parent.as_str(), request.kind, request.is_error), (CALLER, SpanKind::Server, false));
    assert_eq!(request.attribute("http.request.method"), "POST");
    assert_eq!(request.attribute("http.route"), "/api/v1/messages");
    assert_eq!(request.attribute("http.response.status_code"), "201");
    assert_eq!(request.attribute("tidings.request.id"), answer.headers["x-request-id"]);
    let post = named(&spans, "post");
    assert_eq!((&post.parent, post.kind), (&request.id, SpanKind::Client));
    assert_eq!(post.attribute("db.system.name"), "postgresql");
    let (waited, stored) = (named(&spans, "wait in posting queue"), named(&spans, "posting transaction"));
    assert_eq!((&waited.parent, &stored.parent), (&post.id, &post.id));
    assert_eq!((stored.attribute("tidings.drafts"), stored.attribute("tidings.requests")), ("1", "1"));
    assert!(waited.time.1 <= stored.time.0 && stored.time.1 <= post.time.1, "{spans:#?}");
    assert_eq!(spans.len(), 4, "{spans:#?}");
    let about = |name: &str| request.resource[name].as_str();
    assert_eq!((about("service.name"), about("service.version")), ("tidings", env!("CARGO_PKG_VERSION")));
    assert_eq!((about("service.instance.id").len(), about("deployment.environment.name")), (32, "rehearsal"));

    let (pulled, counted) = ("0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c");
    bob.send(in_trace(bob.request(Method::GET, "sync?limit=7"), pulled)).await.success();
    let spans = whole_trace(&collector, pulled).await;
    let request = named(&spans, "GET /api/v1/sync");
    for call in ["bring in", "pull"] {
        assert_eq!(named(&spans, call).parent, request.id);
    }
    bob.send(in_trace(bob.request(Method::GET, "unread"), counted)).await.success();
    let spans = whole_trace(&collector, counted).await;
    assert_eq!(named(&spans, "unread").parent, named(&spans, "GET /api/v1/unread").id);

    let hint = work(&collector, "send hint").await;
    assert_eq!((hint.kind, hint.attribute("messaging.system")), (SpanKind::Producer, "postgresql"));
    work(&collector, "upkeep").await;
    work(&collector, "tidy files").await;
    server.stop();
}

#[tokio::test]
async fn what_was_published_for_later_has_a_trace_when_it_is_delivered() {
    let collector = Collector::start().await;
    let server = ServerProcess::start_with_env(&["--open-publish"], &settings(&collector.url()));
    let trace = "2af7651916cd43dd8448eb211c80319c";
    let nobody = Client::without_token(&server.url());
    let later = nobody.request(Method::POST, "/doors").header("Delay", "10s").body("Close the door");
    nobody.send(in_trace(later, trace)).await.success();
    let spans = whole_trace(&collector, trace).await;
    assert_eq!(named(&spans, "schedule").parent, named(&spans, "POST /{topic}").id);
    assert_eq!(work(&collector, "deliver delayed publications").await.attribute("tidings.publications"), "1");
}

#[tokio::test]
async fn traces_have_nothing_of_tokens_users_topics_queries_and_texts() {
    let collector = Collector::start().await;
    let mut server = ServerProcess::start_with_env(&[], &settings(&collector.url()));
    let ana = server.admin().user_named("anastasia", "Anastasia Petrowna", &["inbox", "publish"]).await;
    let bob = server.admin().user("bartholomew", &["inbox"]).await;
    let message =
        json!({"to": "bartholomew", "title": "Zeppelin", "body": "The parcel is behind the oleander"});
    ana.post("messages", message).await.success();
    bob.get("conversations/user:anastasia/messages").await.success();
    bob.get("inbox?thread=rhododendron&unread=true").await.success();
    ana.put("/wisteria?title=Magnolia", json!("Chrysanthemum")).await.success();
    ana.get("/file/hydrangea.jpg").await;
    ana.get("/api/v1/nowhere/petunia?key=delphinium").await.is(404);
    ana.get("/no/such/path/petunia").await.is(404);
    ana.send(ana.request(Method::from_bytes(b"SNAPDRAGON").unwrap(), "unread")).await;
    ana.with_token("tdg_thisisnotatokenofanybody").get("unread").await.is(401);
    let stated = ana.request(Method::GET, "unread").header("tracestate", "vendor=foxglove");
    ana.send(in_trace(stated, "3af7651916cd43dd8448eb211c80319c")).await.success();
    let spans = whole_trace(&collector, "3af7651916cd43dd8448eb211c80319c").await;
    assert_eq!(named(&spans, "unread").attribute("db.system.name"), "sqlite");
    // What ended before it was sent before it.
    server.stop();

    let spans = collector.spans();
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    for name in
        ["GET /file/{name}", "GET", "HTTP /api/v1/unread", "wait in posting queue", "posting transaction"]
    {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let secrets = [
        ana.token.as_str(),
        &bob.token,
        &server.admin().token,
        "thisisnotatoken",
        "anastasia",
        "petrowna",
        "bartholomew",
        "zeppelin",
        "parcel",
        "oleander",
        "rhododendron",
        "wisteria",
        "magnolia",
        "chrysanthemum",
        "hydrangea",
        "petunia",
        "delphinium",
        "snapdragon",
        "foxglove",
    ];
    for request in collector.requests() {
        let all = format!("{}{}", request.head, String::from_utf8_lossy(&request.body)).to_lowercase();
        for secret in secrets {
            assert!(!all.contains(&secret.to_lowercase()), "{secret} in {all:?}");
        }
    }
}

#[tokio::test]
async fn a_collector_that_hangs_holds_up_neither_requests_nor_the_stop() {
    let collector = Collector::hanging().await;
    let mut settings = settings(&collector.url());
    settings.push(("OTEL_BSP_MAX_QUEUE_SIZE", "16".to_owned()));
    let mut server = ServerProcess::start_with_env(&[], &settings);
    wait::until("it is sent spans", || async { !collector.requests().is_empty() }).await;
    let (began, admin) = (Instant::now(), server.admin());
    for n in 0..50 {
        admin.post("announcements", json!({"title": n.to_string(), "body": "b"})).await.success();
    }
    // Each answer of the collector is waited for 5 s.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    let (stopping, process) = (Instant::now(), server.process().expect("it runs"));
    assert!(process.terminate().success());
    assert!(stopping.elapsed() < Duration::from_secs(5), "{:?}\n{}", stopping.elapsed(), process.output());
    let lost = "the collector did not accept all spans";
    assert_eq!(process.output().matches(lost).count(), 1, "{}", process.output());
}

#[tokio::test]
async fn a_collector_that_is_away_is_told_of_once_and_gets_spans_when_it_is_there() {
    let port = free_port();
    let mut server = ServerProcess::start_with_env(&[], &settings(&format!("http://127.0.0.1:{port}")));
    let (away, back) = ("the collector accepts no traces", "the collector accepts traces again");
    let mut log = || server.process().expect("it runs").output();
    let url = {
        wait::until("the log says that it is away", || {
            let said = log().contains(away);
            async move { said }
        })
        .await;
        server.url()
    };
    let client = Client::without_token(&url);
    // Time for several batches.
    wait::stays(Duration::from_secs(4), "its health", true, || client.healthy()).await;
    let collector = Collector::start_at(port).await;
    let trace = "5af7651916cd43dd8448eb211c80319c";
    client.send(in_trace(client.request(Method::GET, "health"), trace)).await.success();
    whole_trace(&collector, trace).await;
    let mut log = || server.process().expect("it runs").output();
    wait::until("the log says that it is there", || {
        let said = log().contains(back);
        async move { said }
    })
    .await;
    assert_eq!(log().matches(away).count(), 1, "{}", log());
    server.stop();
}

#[tokio::test]
async fn a_server_that_was_not_told_of_a_collector_connects_to_none() {
    let collector = Collector::start().await;
    let elsewhere = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url())];
    let mut server = ServerProcess::start_with_env(&[], &elsewhere);
    let trace = "6af7651916cd43dd8448eb211c80319c";
    let admin = server.admin();
    admin.send(in_trace(admin.request(Method::GET, "unread"), trace)).await;
    let threads = server.process().expect("it runs").pid();
    let names = std::fs::read_dir(format!("/proc/{threads}/task")).expect("its threads");
    for thread in names {
        let name = std::fs::read_to_string(thread.unwrap().path().join("comm")).unwrap_or_default();
        assert!(!name.starts_with("OpenTelemetry"), "{name}");
    }
    // It would send the rest at the latest now.
    server.stop();
    assert_eq!(collector.connections(), 0);
}
