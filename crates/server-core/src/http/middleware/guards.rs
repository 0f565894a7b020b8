//! Checks before any handler: the request id and its log line, the Host and Origin headers, and the rate limit by
//! address. Web pages of origins that the owner did not allow may neither read nor publish.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidings_model::{Code, Problem};
use tidings_store::domain::account::random_name;
use tracing::Instrument;

use crate::domain::origin::Origin;
use crate::http::auth::client_address::ClientAddress;
use crate::http::response::error::ApiError;
use crate::rate_limit::{BucketKey, Limiter};
use crate::state::AppState;
use crate::traces;

/// Gives every request an id, sends it in `X-Request-Id`, counts the response, logs one line, and is its part of a trace.
pub(super) async fn request_id<F>(
    app: &AppState,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    let id = random_name();
    let (method, path) = (request.method().clone(), logged(request.uri().path()).to_owned());
    let started = Instant::now();
    let span = tracing::info_span!("request", id = %id);
    let trace = traces::request(&request, &id, app.server.config.continue_trace);
    let mut response = next(request).instrument(trace.clone()).instrument(span).await;
    traces::responded(&trace, response.status());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), value);
    }
    response
        .headers_mut()
        .entry(header::X_CONTENT_TYPE_OPTIONS)
        .or_insert(HeaderValue::from_static("nosniff"));
    let status = response.status().as_u16();
    app.metrics.request(status, started.elapsed());
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    if response.status().is_server_error() {
        tracing::error!(id, %method, path, status, micros, "request");
    } else {
        tracing::debug!(id, %method, path, status, micros, "request");
    }
    response
}

/// The part of a path that the log has. Who knows the name of an uploaded file may read it.
fn logged(path: &str) -> &str {
    if path.starts_with(FILES) { FILES } else { path }
}

/// The beginning of the addresses of uploaded files.
const FILES: &str = "/file/";

/// Answers 421 for a Host that is not a name of this server, and 403 for a page of another origin. If no origin is
/// allowed, no CORS layer comes between, and the rate limit goes along with it.
pub(super) async fn check_host_and_origin(app: AppState, mut request: Request, next: Next) -> Response {
    match check_request(&app, &request) {
        Ok(Caller::Own) => {}
        Ok(Caller::ForeignPage) => {
            request.extensions_mut().insert(ForeignPage);
        }
        Err(problem) => return ApiError(problem).into_response(),
    }
    if app.server.config.allow_origins.is_empty() {
        rate_limit(State(app), request, next).await
    } else {
        next.run(request).await
    }
}

/// Extension of a request that a page of an allowed origin sent. It needs a token, also on the same machine.
#[derive(Clone, Copy)]
pub(crate) struct ForeignPage;

/// The kind of program that sent a request, as far as its headers show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// A program, or a page of this server.
    Own,
    /// A page of an origin that the owner allowed.
    ForeignPage,
}

fn check_request(app: &AppState, request: &Request) -> Result<Caller, Problem> {
    let misdirected = || Problem::new(Code::Misdirected, "this server does not answer under this host name");
    let headers = request.headers();
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().map_err(|_| misdirected())?,
        _ => return Err(misdirected()),
    };
    if !is_own_authority(app, host) {
        return Err(misdirected());
    }
    if let Some(authority) = request.uri().authority()
        && !is_own_authority(app, authority.as_str())
    {
        return Err(misdirected());
    }
    check_origin(headers, host, &app.server.config.allow_origins)
}

/// The host without its port; an IPv6 address without its brackets. What is neither is left as it is, and no name.
fn host_name(host: &str) -> &str {
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    if let Some((ip, after)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let is_whole = after.is_empty() || after.strip_prefix(':').is_some_and(is_port);
        return if is_whole { ip } else { host };
    }
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') && is_port(port) => name,
        _ => host,
    }
}

/// Whether a host, with or without a port, is a name of this server.
pub(crate) fn is_own_authority(app: &AppState, authority: &str) -> bool {
    is_own_host(app, host_name(authority))
}

fn is_own_host(app: &AppState, name: &str) -> bool {
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    if let Ok(ip) = name.parse::<std::net::IpAddr>()
        && (ip.is_loopback() || (ip == app.address.ip() && !ip.is_unspecified()))
    {
        return true;
    }
    app.server.config.allow_hosts.iter().any(|allowed| {
        let allowed = host_name(allowed);
        !name.is_empty() && allowed.eq_ignore_ascii_case(name)
    })
}

/// Browsers name a page's origin in `Origin` or `Sec-Fetch-Site`; only this server's own pages and those of `allowed`
/// origins pass.
fn check_origin(headers: &HeaderMap, host: &str, allowed: &[Origin]) -> Result<Caller, Problem> {
    let foreign = || Problem::new(Code::Forbidden, "pages of other origins may not use this server");
    let mut caller = Caller::Own;
    for value in headers.get_all(header::ORIGIN) {
        let origin = value.to_str().map_err(|_| foreign())?;
        let own = origin
            .strip_prefix("http://")
            .map(|rest| without_port(rest, ":80"))
            .or_else(|| origin.strip_prefix("https://").map(|rest| without_port(rest, ":443")));
        let same = own.is_some_and(|own| {
            own.eq_ignore_ascii_case(host)
                || own.eq_ignore_ascii_case(without_port(host, ":80"))
                || own.eq_ignore_ascii_case(without_port(host, ":443"))
        });
        if !same {
            if !allowed.iter().any(|known| known.as_str() == origin) {
                return Err(foreign());
            }
            caller = Caller::ForeignPage;
        }
    }
    if caller == Caller::ForeignPage {
        return Ok(caller);
    }
    for value in headers.get_all("sec-fetch-site") {
        if !matches!(value.as_bytes(), b"same-origin" | b"none") {
            return Err(foreign());
        }
    }
    Ok(Caller::Own)
}

fn without_port<'a>(host: &'a str, port: &str) -> &'a str {
    host.strip_suffix(port).unwrap_or(host)
}

/// Counts a request in its token's bucket, unless [`rate_limit`] exempted its address.
pub fn rate_limit_token(limiter: &Limiter, token: &str, parts: &Parts) -> Result<(), Problem> {
    if parts.extensions.get::<RateLimited>().is_none() {
        return Ok(());
    }
    limiter.check(BucketKey::Token(token.to_owned()), Instant::now())
}

/// Extension of a request that the rate limit counts.
#[derive(Clone, Copy)]
struct RateLimited;

/// Answers 429 for an address with too many requests. Stores the [`ClientAddress`] for later layers.
pub async fn rate_limit(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    static WARN_ONCE: std::sync::Once = std::sync::Once::new();
    let caller = ClientAddress::of(request.extensions(), request.headers(), &app.server.config);
    if caller.via_untrusted_proxy {
        WARN_ONCE.call_once(|| {
            let proxy = caller.address.map(|ip| ip.to_string()).unwrap_or_default();
            tracing::warn!(proxy, "requests come through a proxy that --trust-proxy does not name");
        });
    }
    match count_address(&app, caller, request.extensions_mut()) {
        Ok(()) => next.run(request).await,
        Err(problem) => (app.refusal)(request.uri().path(), problem),
    }
}

/// Counts a request of an address, which later checks find in the extensions.
///
/// # Errors
/// `rate_limited` for an address with too many requests.
pub fn count_address(
    app: &AppState,
    caller: ClientAddress,
    extensions: &mut Extensions,
) -> Result<(), Problem> {
    extensions.insert(caller);
    let is_counted = app.server.config.rate_local || !caller.local;
    let Some(ip) = caller.address.filter(|_| is_counted) else { return Ok(()) };
    app.limiter.check(BucketKey::of(ip), Instant::now())?;
    extensions.insert(RateLimited);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_port() {
        for (host, name) in
            [("localhost:7878", "localhost"), ("[::1]:80", "::1"), ("127.0.0.1", "127.0.0.1"), ("a:b", "a:b")]
        {
            assert_eq!(host_name(host), name);
        }
    }

    #[test]
    fn only_the_same_origin_may_ask() {
        let is_allowed = |name: &'static str, value: &'static str| {
            let headers =
                HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))]);
            check_origin(&headers, "127.0.0.1:7878", &[]).is_ok()
        };
        assert!(is_allowed("origin", "http://127.0.0.1:7878"));
        for foreign in ["null", "http://127.0.0.1:7879", "https://evil.example", "http://127.0.0.1:7878.evil"]
        {
            assert!(!is_allowed("origin", foreign), "{foreign}");
        }
        assert!(is_allowed("sec-fetch-site", "none") && is_allowed("sec-fetch-site", "same-origin"));
        assert!(!is_allowed("sec-fetch-site", "same-site") && !is_allowed("sec-fetch-site", "cross-site"));
    }
}
