//! The endpoint `/metrics` for Prometheus, for tokens with `admin`. It reports only numbers, no names or texts of
//! users.

use std::fmt::Display;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tidings_model::wire::Scope;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::response::error::ApiResult;
use tidings_server_core::state::AppState;
use tidings_store::CacheFigures;

pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/metrics", get(metrics))
}

/// A name, its kind, its meaning and its value.
type Metric = (&'static str, &'static str, &'static str, String);

fn counter(name: &'static str, help: &'static str, value: impl Display) -> Metric {
    (name, "counter", help, value.to_string())
}

fn gauge(name: &'static str, help: &'static str, value: impl Display) -> Metric {
    (name, "gauge", help, value.to_string())
}

/// The lines before a metric's values.
fn head(name: &str, kind: &str, help: &str) -> [String; 2] {
    [format!("# HELP {name} {help}"), format!("# TYPE {name} {kind}")]
}

/// The metrics of the cache of unread counts, if there is one.
fn cache(figures: Option<CacheFigures>) -> Vec<Metric> {
    let Some(figures) = figures else { return Vec::new() };
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
        gauge(
            "tidings_cache_open",
            "1 while the cache is left alone because it is not there or fails.",
            u64::from(figures.is_open),
        ),
    ]
}

async fn metrics(app: AppState, auth: AuthContext) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    let meta = app.store().meta().await?;
    let mut lines = Vec::from(head("tidings_requests_total", "counter", "Answers by class of status."));
    let mut total = 0;
    for (class, n) in app.metrics.responses().into_iter().enumerate().skip(1) {
        total += n;
        lines.push(format!("tidings_requests_total{{status=\"{class}xx\"}} {n}"));
    }
    let micros = app.metrics.micros();
    lines.extend(head("tidings_request_seconds", "summary", "Time spent answering."));
    lines.extend([
        format!("tidings_request_seconds_sum {}.{:06}", micros / 1_000_000, micros % 1_000_000),
        format!("tidings_request_seconds_count {total}"),
    ]);
    let (hub, repairs) = (&app.server.hub, app.server.repairs.load(Ordering::Relaxed));
    let gauges = [
        gauge("tidings_live_channels", "Live channels that are open.", hub.channel_count()),
        gauge("tidings_topic_streams", "Streams of topics that are open.", hub.topics.listener_count()),
        gauge(
            "tidings_answer_waits",
            "Requests that wait for the answer to a question.",
            hub.questions.wait_count(),
        ),
        counter(
            "tidings_repairs_total",
            "Numbers in inboxes that a recount found wrong and put right.",
            repairs,
        ),
        gauge("tidings_users", "Users.", meta.users),
        gauge("tidings_file_bytes", "Bytes of uploaded files.", meta.file_bytes),
        gauge("tidings_newest_stamp_seconds", "The newest stamp handed out.", meta.last_stamp.as_secs()),
    ];
    for (name, kind, help, value) in gauges.into_iter().chain(cache(app.store().cache_figures())) {
        lines.extend(head(name, kind, help));
        lines.push(format!("{name} {value}"));
    }
    let help = "Tasks that ended by a fault and were started again.";
    lines.extend(head("tidings_task_restarts_total", "counter", help));
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
