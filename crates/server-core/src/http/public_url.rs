//! The address under which clients reach this server: the configured one, or that of the request.

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use super::auth::client_address::is_trusted_proxy;
use super::middleware::guards::is_own_authority;
use crate::state::AppState;

/// The server's root URL without a trailing slash. Forwarding headers count only from trusted proxies.
pub fn public_url(app: &AppState, parts: &Parts) -> String {
    let config = &app.server.config;
    if let Some(url) = &config.public_url {
        return url.trim_end_matches('/').to_owned();
    }
    let host = first_value(&parts.headers, header::HOST.as_str()).unwrap_or_default();
    if !is_trusted_proxy(&parts.extensions, &config.trust_proxy) {
        return format!("http://{host}");
    }
    let forwarded_host = first_value(&parts.headers, "x-forwarded-host");
    let host = forwarded_host.filter(|host| is_own_authority(app, host)).unwrap_or(host);
    let scheme = first_value(&parts.headers, "x-forwarded-proto");
    let scheme =
        if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https")) { "https" } else { "http" };
    format!("{scheme}://{host}")
}

/// The first of the values in a header that are separated by commas.
fn first_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()?.split(',').next().map(str::trim)
}
