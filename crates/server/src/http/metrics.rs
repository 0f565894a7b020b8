//! The endpoint `/metrics` for Prometheus, for tokens with `admin`. It reports only numbers, no names or texts of
//! users.

use std::sync::atomic::Ordering;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tidings_model::wire::Scope;
use tidings_server_core::http::AppState;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::response::error::ApiResult;
use tidings_store::CacheFigures;

pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/metrics", get(metrics))
}

/// A name, its kind, its meaning and its value.
type Metric = (&'static str, &'static str, &'static str, String);

/// The metrics of the cache of unread counts, if there is one.
fn cache(figures: Option<CacheFigures>) -> Vec<Metric> {
    let Some(figures) = figures else { return Vec::new() };
    let counter = |name, help, value: u64| (name, "counter", help, value.to_string());
    vec![
        counter("tidings_cache_hits_total", "Unread counts that were told from the cache.", figures.hits),
        counter("tidings_cache_misses_total", "Unread counts that the cache did not have.", figures.misses),
        counter(
            "tidings_cache_stale_total",
            "Unread counts that the cache had of another state of the inbox.",
            figures.stale,
        ),
        counter(
            "tidings_cache_unanswered_total",
            "Unread counts for which the cache did not answer or was not asked.",
            figures.unanswered,
        ),
        counter(
            "tidings_cache_compared_total",
            "Users whose cached counts were compared with a recount.",
            figures.compared,
        ),
        counter(
            "tidings_cache_repaired_total",
            "Cached counts that a recount found wrong and that were deleted.",
            figures.repaired,
        ),
        (
            "tidings_cache_open",
            "gauge",
            "1 while the cache is left alone because it is not there or fails.",
            u64::from(figures.is_open).to_string(),
        ),
    ]
}

async fn metrics(app: AppState, auth: AuthContext) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    let meta = app.store().meta().await?;
    let mut lines = vec![
        "# HELP tidings_requests_total Answers by class of status.".to_owned(),
        "# TYPE tidings_requests_total counter".to_owned(),
    ];
    let mut total = 0;
    for (class, n) in app.metrics.responses().into_iter().enumerate().skip(1) {
        total += n;
        lines.push(format!("tidings_requests_total{{status=\"{class}xx\"}} {n}"));
    }
    let micros = app.metrics.micros();
    lines.extend([
        "# HELP tidings_request_seconds Time spent answering.".to_owned(),
        "# TYPE tidings_request_seconds summary".to_owned(),
        format!("tidings_request_seconds_sum {}.{:06}", micros / 1_000_000, micros % 1_000_000),
        format!("tidings_request_seconds_count {total}"),
    ]);
    let gauges = [
        (
            "tidings_live_channels",
            "gauge",
            "Live channels that are open.",
            app.server.hub.channel_count().to_string(),
        ),
        (
            "tidings_topic_streams",
            "gauge",
            "Streams of topics that are open.",
            app.server.hub.topics.listener_count().to_string(),
        ),
        (
            "tidings_answer_waits",
            "gauge",
            "Requests that wait for the answer to a question.",
            app.server.hub.questions.wait_count().to_string(),
        ),
        (
            "tidings_repairs_total",
            "counter",
            "Numbers in inboxes that a recount found wrong and put right.",
            app.server.repairs.load(Ordering::Relaxed).to_string(),
        ),
        ("tidings_users", "gauge", "Users.", meta.users.to_string()),
        ("tidings_file_bytes", "gauge", "Bytes of uploaded files.", meta.file_bytes.to_string()),
        (
            "tidings_newest_stamp_seconds",
            "gauge",
            "The newest stamp handed out.",
            meta.last_stamp.as_secs().to_string(),
        ),
    ];
    for (name, kind, help, value) in gauges.into_iter().chain(cache(app.store().cache_figures())) {
        lines.extend([
            format!("# HELP {name} {help}"),
            format!("# TYPE {name} {kind}"),
            format!("{name} {value}"),
        ]);
    }
    lines.push(
        "# HELP tidings_task_restarts_total Tasks that ended by a fault and were started again.".to_owned(),
    );
    lines.push("# TYPE tidings_task_restarts_total counter".to_owned());
    let task_failures = app.server.task_failures.counts();
    lines.extend(
        task_failures.iter().map(|(task, n)| format!("tidings_task_restarts_total{{task=\"{task}\"}} {n}")),
    );
    lines.push(String::new());
    let mut response = lines.join("\n").into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}
