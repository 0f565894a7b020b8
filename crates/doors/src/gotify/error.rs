//! Errors in the form and with the texts that Gotify's clients know.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tidings_model::{Code, Problem};
use tidings_server_core::http::response::error::{ApiError, json as json_response};
use tidings_store::Error;

/// An error with its HTTP status and its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GotifyError {
    status: StatusCode,
    description: Cow<'static, str>,
}

/// The result of a handler.
pub(super) type GotifyResult = Result<Response, GotifyError>;

const fn fixed(status: StatusCode, description: &'static str) -> GotifyError {
    GotifyError { status, description: Cow::Borrowed(description) }
}

/// There is no token, it is not known, or it may not read.
pub(super) const UNAUTHORIZED: GotifyError = fixed(
    StatusCode::UNAUTHORIZED,
    "you need to provide a valid access token or user credentials to access this api",
);
/// The token is known and may not do this.
pub(super) const FORBIDDEN: GotifyError =
    fixed(StatusCode::FORBIDDEN, "you are not allowed to access this api");
/// The token may not publish by itself, and the request names no application.
pub(super) const APPLICATION_REQUIRED: GotifyError = fixed(
    StatusCode::FORBIDDEN,
    "you are not allowed to access this api: appid is required when not authenticating with an application token",
);
pub(super) const APPLICATION_NOT_FOUND: GotifyError = fixed(StatusCode::BAD_REQUEST, "appid not found");
pub(super) const NO_APPLICATION: GotifyError = fixed(StatusCode::NOT_FOUND, "application does not exist");
pub(super) const NO_MESSAGE: GotifyError = fixed(StatusCode::NOT_FOUND, "message does not exist");
pub(super) const NO_PLUGIN: GotifyError = fixed(StatusCode::NOT_FOUND, "unknown plugin");
pub(super) const NO_USER: GotifyError = fixed(StatusCode::NOT_FOUND, "user does not exist");
pub(super) const INVALID_ID: GotifyError = fixed(StatusCode::BAD_REQUEST, "invalid id");
pub(super) const NO_FILE: GotifyError =
    fixed(StatusCode::BAD_REQUEST, "file with key 'file' must be present");
pub(super) const NO_IMAGE: GotifyError = fixed(StatusCode::BAD_REQUEST, "file must be an image");
pub(super) const NOT_A_WEBSOCKET: GotifyError =
    fixed(StatusCode::BAD_REQUEST, "the client is not using the websocket protocol");
pub(super) const TOO_MANY_STREAMS: GotifyError =
    fixed(StatusCode::TOO_MANY_REQUESTS, "this user has too many streams open");
const NO_SUCH_PAGE: GotifyError = fixed(StatusCode::NOT_FOUND, "page not found");

/// The error for a field without a value.
pub(super) fn required(field: &str) -> GotifyError {
    bad_request(format!("Field '{field}' is required"))
}

/// The error for a number out of its range.
pub(super) fn out_of_range(field: &str, comparison: &str, bound: u64) -> GotifyError {
    bad_request(format!("Field '{field}' must be {comparison} or equal to {bound}"))
}

/// The error for an invalid request.
pub(super) fn bad_request(description: String) -> GotifyError {
    GotifyError { status: StatusCode::BAD_REQUEST, description: description.into() }
}

/// The error for the number of an application or a client that the user does not have.
pub(super) fn no_such(what: &str, id: i64) -> GotifyError {
    let description = format!("{what} with id {id} doesn't exists").into();
    GotifyError { status: StatusCode::NOT_FOUND, description }
}

/// The error for a request that is served elsewhere.
pub(super) const fn forbidden(description: &'static str) -> GotifyError {
    fixed(StatusCode::FORBIDDEN, description)
}

/// The response to a path, or to a method of it, that does not exist.
pub(super) async fn no_such_page() -> GotifyError {
    NO_SUCH_PAGE
}

impl From<Problem> for GotifyError {
    fn from(problem: Problem) -> Self {
        match problem.code {
            Code::Unauthorized => UNAUTHORIZED,
            Code::Forbidden => FORBIDDEN,
            Code::Invalid => {
                let field = problem.field.unwrap_or_default();
                bad_request(format!("{field} {}", problem.detail).trim().to_owned())
            }
            code => {
                let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::BAD_REQUEST);
                Self { status, description: problem.detail.into() }
            }
        }
    }
}

impl From<ApiError> for GotifyError {
    fn from(refusal: ApiError) -> Self {
        refusal.0.into()
    }
}

impl From<Error> for GotifyError {
    fn from(e: Error) -> Self {
        ApiError::from(e).into()
    }
}

impl IntoResponse for GotifyError {
    fn into_response(self) -> Response {
        let body = json!({
            "error": self.status.canonical_reason().unwrap_or_default(),
            "errorCode": self.status.as_u16(),
            "errorDescription": self.description,
        });
        let mut response = json_response(self.status, &body);
        if matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
