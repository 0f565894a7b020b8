//! Cross-origin requests: browsers let pages of the origins that the server's owner allowed read the responses.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, header};
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};

use crate::domain::origin::Origin;

/// How long a browser may keep the answer to its question whether a page may ask.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(3_600);
/// Response headers that pages may read, beside those that they always may.
const EXPOSED_HEADERS: [HeaderName; 3] =
    [HeaderName::from_static("x-request-id"), header::RETRY_AFTER, header::CONTENT_DISPOSITION];

/// The layer for these origins; `None` if none is allowed. Pages send their token in a header, so browsers add no
/// cookies or logins of their own.
pub fn layer(origins: &[Origin]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin.as_str()).ok());
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        // A page of the internet may ask a server on the loopback only if the server says so.
        .allow_private_network(true)
        .expose_headers(EXPOSED_HEADERS)
        .max_age(PREFLIGHT_MAX_AGE);
    Some(layer)
}
