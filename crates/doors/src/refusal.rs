//! What is refused before any handler, in the form that those who use a path know: ntfy's, Gotify's, or the API's own.

use axum::response::{IntoResponse, Response};
use tidings_model::Problem;
use tidings_server_core::http::response::error::ApiError;

use crate::gotify::{self, GotifyError};
use crate::ntfy::{self, NtfyError};

/// The response to a request for a path that is refused.
pub fn refusal(path: &str, problem: Problem) -> Response {
    if gotify::is_path(path) {
        GotifyError::from(problem).into_response()
    } else if ntfy::is_path(path) {
        NtfyError::from(problem).into_response()
    } else {
        ApiError(problem).into_response()
    }
}
