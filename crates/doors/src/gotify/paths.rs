//! Gotify's paths as its router takes them: several slashes are one, and one at the end is none. So a client works whose
//! address was written with a slash at its end.

use axum::http::{Request, Uri};

/// The names with which Gotify's paths begin.
const FIRST_SEGMENTS: [&str; 10] = [
    "message",
    "application",
    "client",
    "stream",
    "current",
    "user",
    "plugin",
    "version",
    "health",
    "static",
];

/// Whether a path is one of Gotify's.
pub(crate) fn is_path(path: &str) -> bool {
    path.split('/').nth(1).is_some_and(|first| FIRST_SEGMENTS.contains(&first))
}

/// The request for the path that was meant, if it is one of Gotify's; any other request as it is.
pub fn clean_path<B>(mut request: Request<B>) -> Request<B> {
    if let Some(uri) = cleaned(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

/// The address without the slashes that mean nothing; `None` if it has none of them, or is not Gotify's.
fn cleaned(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    if !path.contains("//") && !path.ends_with('/') {
        return None;
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if !FIRST_SEGMENTS.contains(segments.first()?) {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(format!("/{}{query}", segments.join("/")).parse().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gotifys_paths_lose_slashes() {
        let cleaned = |text: &str| cleaned(&text.parse().unwrap()).map(|uri| uri.to_string());
        for (path, wanted) in [
            ("//message?token=a//b", "/message?token=a//b"),
            ("/message/", "/message"),
            ("//application///5//image/", "/application/5/image"),
            ("http://127.0.0.1//version/?", "http://127.0.0.1/version?"),
        ] {
            assert_eq!(cleaned(path).as_deref(), Some(wanted), "{path}");
        }
        for path in ["/", "//", "/message", "/api/v1//me", "//backups", "/file//message/", "*"] {
            assert_eq!(cleaned(path), None, "{path}");
        }
    }
}
