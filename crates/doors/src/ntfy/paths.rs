//! Which paths are ntfy's.

use axum::http::Uri;
use tidings_model::Code;
use tidings_server_core::http::response::error::{ApiError, no_such_path};
use tidings_store::domain::topic;

/// Whether a path begins with a reserved name and has no route of its own.
fn is_reserved(path: &str) -> bool {
    let name = path.split('/').nth(1).unwrap_or_default();
    topic::is_reserved(name) && !path.starts_with("/api/") && !path.starts_with("/v1/")
}

/// Whether a path is one of ntfy's: a topic's, or what its clients ask of the server.
pub(crate) fn is_path(path: &str) -> bool {
    let name = path.split('/').nth(1).unwrap_or_default();
    name == "v1" || !topic::is_reserved(name)
}

/// The response to a known path with another method: `method_not_allowed`, or `not_found` for a path that would be a
/// topic's, were its name not reserved.
pub async fn no_such_method(uri: Uri) -> ApiError {
    if is_reserved(uri.path()) {
        return no_such_path(uri).await;
    }
    ApiError::new(Code::MethodNotAllowed, format!("{} does not accept this method", uri.path()))
}
