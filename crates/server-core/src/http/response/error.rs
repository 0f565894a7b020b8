//! Errors as `application/problem+json`. Causes that concern only the server go to its log.

use std::any::Any;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use tidings_model::{Code, Problem};
use tidings_store::Error;

/// A problem to be sent as the response.
#[derive(Debug)]
pub struct ApiError(pub Problem);

/// The result of a handler.
pub type ApiResult = Result<Response, ApiError>;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        let code = self.0.code;
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match code {
            Code::Unauthorized => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Code::RateLimited | Code::Unavailable => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Error> for ApiError {
    fn from(e: Error) -> Self {
        if !matches!(e, Error::Refused(_)) {
            tracing::error!(error = %e, "a request could not be served");
        }
        Self(e.into_problem())
    }
}

impl ApiError {
    /// A problem with a code and a detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Problem::new(code, detail))
    }

    /// A problem with the code `invalid` and the name of a field.
    pub fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self(Problem::invalid(field, detail))
    }
}

/// A response with a status and a JSON body.
pub fn json<T: serde::Serialize>(status: StatusCode, value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => json_bytes(status, body),
        Err(e) => ApiError::from(Error::from(e)).into_response(),
    }
}

/// A response with a body that is already serialized as JSON.
pub fn json_bytes(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A response with status 200 and a JSON body.
#[allow(clippy::unnecessary_wraps, reason = "it is how handlers end")]
pub fn ok<T: serde::Serialize>(value: &T) -> ApiResult {
    Ok(json(StatusCode::OK, value))
}

/// A response with status 204.
#[allow(clippy::unnecessary_wraps, reason = "it is how handlers end")]
pub fn no_content() -> ApiResult {
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The response to a path that does not exist.
#[expect(clippy::unused_async, reason = "a handler is asynchronous")]
pub async fn no_such_path(uri: Uri) -> ApiError {
    ApiError::new(Code::NotFound, format!("there is nothing at {}", uri.path()))
}

pub(crate) fn panicked(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    ApiError::new(Code::Unavailable, "the server cannot do this now; try again later").into_response()
}
