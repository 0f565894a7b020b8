//! Spans for traces, as an operator sees them. A request has them, and so have its turn in the posting queue, calls to
//! the store, and work that no request caused. They have a target of their own at the lowest level, so that none is
//! made unless a program adds a subscriber for that target. Names of attributes are those of OpenTelemetry's semantic
//! conventions, else `tidings.*`.
//!
//! No span has anything of a token, a query, a user, a topic or a publication: only templates of paths, names of operations,
//! numbers and codes.
//!
//! `tidings serve --traces` adds that subscriber, with OpenTelemetry's SDK over the HTTP client that the program
//! has; server and desktop do not depend on these crates. Without it the place of each span costs a comparison.
//! Finished spans wait in a bounded queue, which a thread of the SDK empties.

use std::borrow::Cow;

use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use tidings_store::traced;
pub use tidings_store::traces::TARGET;
use tracing::field::Empty;
use tracing::{Instrument, Span};

/// Makes the span of a request continue the trace that the caller names in `traceparent`. It is called before the span
/// begins.
pub type ContinueTrace = fn(&Span, &str);

/// The span of a request, whose id, that of `X-Request-Id`, is `id`.
pub(crate) fn request(request: &Request, id: &str, continue_trace: Option<ContinueTrace>) -> Span {
    let method = method(request.method());
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let span = traced!(
        parent: None,
        "request",
        otel.name = %name(method, route),
        otel.kind = "server",
        otel.status_code = Empty,
        "error.type" = Empty,
        http.request.method = method,
        http.response.status_code = Empty,
        http.route = route,
        tidings.request.id = id,
        url.scheme = "http",
    );
    if let Some(continue_trace) = continue_trace
        && !span.is_disabled()
        && let Some(caller) = caller(request)
    {
        continue_trace(&span, caller);
    }
    span
}

/// Adds the response to the span of its request.
pub(crate) fn responded(span: &Span, status: StatusCode) {
    if span.is_disabled() {
        return;
    }
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("error.type", status.as_str());
        span.record("otel.status_code", "ERROR");
    }
}

/// The only `traceparent` of a request.
fn caller(request: &Request) -> Option<&str> {
    let mut callers = request.headers().get_all("traceparent").iter();
    let caller = callers.next()?;
    if callers.next().is_some() { None } else { caller.to_str().ok() }
}

/// A known method; anybody can make up others.
fn method(method: &Method) -> &'static str {
    const KNOWN: [Method; 9] = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::HEAD,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];
    const NAMES: [&str; 9] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];
    let known = KNOWN.iter().zip(NAMES).find(|(known, _)| *known == method);
    known.map_or("_OTHER", |(_, name)| name)
}

fn name(method: &'static str, route: Option<&str>) -> Cow<'static, str> {
    let method = if method == "_OTHER" { "HTTP" } else { method };
    match route {
        Some(route) => Cow::Owned(format!("{method} {route}")),
        None => Cow::Borrowed(method),
    }
}

/// Runs work that no request asked for, in a trace of its own.
pub fn of_work<T>(work: &'static str, run: impl Future<Output = T>) -> impl Future<Output = T> {
    Box::pin(run).instrument(traced!(parent: None, "work", otel.name = work, otel.kind = "internal"))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use tracing_subscriber::filter::LevelFilter;

    use super::*;

    #[test]
    fn no_span_is_made_for_a_log_of_any_level_but_the_lowest() {
        let made = |level: LevelFilter| {
            let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::sink).finish();
            tracing::subscriber::with_default(log, || {
                let request = request(&Request::new(Body::empty()), "id", Some(|_, _| panic!("no span")));
                !request.is_disabled()
            })
        };
        assert!(!made(LevelFilter::INFO) && !made(LevelFilter::DEBUG));
        assert!(made(LevelFilter::TRACE), "the test sees them");
    }

    #[test]
    fn only_one_caller_is_continued_and_methods_that_somebody_made_up_have_no_name() {
        let with = |callers: &[&str]| {
            let request = Request::builder().method("SNAPDRAGON");
            let request =
                callers.iter().fold(request, |request, caller| request.header("traceparent", *caller));
            request.body(Body::empty()).unwrap()
        };
        assert_eq!(caller(&with(&["00-a"])), Some("00-a"));
        assert_eq!(caller(&with(&[])), None);
        assert_eq!(caller(&with(&["00-a", "00-b"])), None);
        assert_eq!(name(method(with(&[]).method()), None), "HTTP");
        assert_eq!(name(method(&Method::GET), Some("/{topic}")), "GET /{topic}");
    }
}
