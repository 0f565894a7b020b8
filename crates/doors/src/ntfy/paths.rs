//! Which paths are ntfy's.

use tidings_store::domain::topic;

/// Whether a path begins with a reserved name and has no route of its own.
pub(in crate::http) fn is_reserved(path: &str) -> bool {
    let name = path.split('/').nth(1).unwrap_or_default();
    topic::is_reserved(name) && !path.starts_with("/api/") && !path.starts_with("/v1/")
}

/// Whether a path is one of ntfy's: a topic's, or what its clients ask of the server.
pub(in crate::http) fn is_path(path: &str) -> bool {
    let name = path.split('/').nth(1).unwrap_or_default();
    name == "v1" || !topic::is_reserved(name)
}
