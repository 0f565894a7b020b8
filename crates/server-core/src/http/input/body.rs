//! The body of a request: read within limits on its size, time and memory budget, and parsed as one value or an array.

use std::future::Future;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::BytesMut;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_model::{Code, Problem};
use tokio::time::timeout;

use super::json::{from_value, parse_value};
use crate::budgets::{INLINE_BYTES, Principal, RequestReservations, SMALL_BODY_BYTES};
use crate::domain::limits;
use crate::http::auth::principal_of;
use crate::http::response::error::ApiError;
use crate::state::AppState;

/// Reads a body of at most `max_bytes` bytes, within the configured time. The body's memory counts against the budget
/// of `principal`.
///
/// # Errors
/// `too_large`, `invalid` for a body that is slow or incomplete, `unavailable` if the budget has no room.
pub async fn bytes(
    app: &AppState,
    parts: &Parts,
    principal: Principal,
    body: Body,
    max_bytes: usize,
) -> Result<Bytes, Problem> {
    if content_length(&parts.headers).is_some_and(|size| size > max_bytes) {
        return Err(too_large(max_bytes));
    }
    read(app, parts, principal, body, max_bytes).await
}

/// The size in the `Content-Length` header.
pub fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The error for a body, or a part of one, that is larger than it may be.
pub(super) fn too_large(max_bytes: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("a body may have {max_bytes} bytes"))
}

/// The error for a body that does not come in time.
pub fn too_slow() -> Problem {
    Problem::invalid("body", "came too slowly")
}

/// Bytes that come piece by piece: a request's body, or a part of a form.
pub trait ByteSource: Send {
    /// The next bytes, within the configured time; `None` at the end.
    ///
    /// # Errors
    /// `invalid` for a body that is slow or incomplete.
    fn next_bytes(&mut self, app: &AppState) -> impl Future<Output = Result<Option<Bytes>, Problem>> + Send;
}

/// Bytes that are there already.
impl ByteSource for Option<Bytes> {
    async fn next_bytes(&mut self, _: &AppState) -> Result<Option<Bytes>, Problem> {
        Ok(self.take().filter(|bytes| !bytes.is_empty()))
    }
}

impl ByteSource for Body {
    async fn next_bytes(&mut self, app: &AppState) -> Result<Option<Bytes>, Problem> {
        loop {
            let frame = match timeout(app.server.config.body_part_timeout, self.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(Problem::invalid("body", "ended too early")),
                Ok(None) => return Ok(None),
                Err(_) => return Err(too_slow()),
            };
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
    }
}

/// Reads a body, or a part of it, of at most `max_bytes` bytes, within the configured time. Its memory counts against
/// the budget of `principal`.
///
/// # Errors
/// Those of [`bytes`].
pub async fn read(
    app: &AppState,
    parts: &Parts,
    principal: Principal,
    source: impl ByteSource,
    max_bytes: usize,
) -> Result<Bytes, Problem> {
    match timeout(app.server.config.body_timeout, read_all(app, parts, principal, source, max_bytes)).await {
        Ok(read) => read,
        Err(_) => Err(too_slow()),
    }
}

async fn read_all(
    app: &AppState,
    parts: &Parts,
    principal: Principal,
    mut source: impl ByteSource,
    max_bytes: usize,
) -> Result<Bytes, Problem> {
    let content_length = content_length(&parts.headers).map(|size| size.min(max_bytes));
    let mut buffer = BytesMut::new();
    let mut reserved: usize = 0;
    while let Some(data) = source.next_bytes(app).await? {
        let size = buffer.len().saturating_add(data.len());
        if size > max_bytes {
            return Err(too_large(max_bytes));
        }
        // The budget is reserved when data has arrived: once for a small body, and again when a large one exceeds that
        // size.
        if size > reserved {
            reserved = if size > SMALL_BODY_BYTES {
                content_length.unwrap_or(max_bytes)
            } else {
                content_length.unwrap_or(SMALL_BODY_BYTES).min(SMALL_BODY_BYTES)
            };
            reserved = reserved.max(size);
            RequestReservations::add(
                &parts.extensions,
                app.load_limits.reserve_body(principal, reserved).await?,
            );
            buffer.reserve(reserved.saturating_sub(buffer.len()));
        }
        buffer.extend_from_slice(&data);
    }
    Ok(buffer.freeze())
}

/// Parses a body, a large one on the parser threads.
pub async fn parse_body<T: Send + 'static>(
    app: &AppState,
    principal: Principal,
    bytes: Bytes,
    parse: impl FnOnce(&Bytes) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    app.load_limits.compute_of(principal, bytes.len(), move || parse(&bytes)).await?
}

/// Reads and parses the body of an API request.
async fn read_as<T: Send + 'static>(
    request: Request,
    app: &AppState,
    parse: impl FnOnce(&[u8]) -> Result<T, Problem> + Send + 'static,
) -> Result<T, ApiError> {
    let (parts, body) = request.into_parts();
    let principal = principal_of(&parts.extensions);
    let bytes = bytes(app, &parts, principal, body, limits::BODY_BYTES).await?;
    Ok(parse_body(app, principal, bytes, |bytes| parse(bytes)).await?)
}

/// A JSON body; the content type is ignored.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        read_as(request, app, |bytes| Ok(Self(from_value(parse_value(bytes)?, "")?))).await
    }
}

/// A JSON body, or the default if the body is empty.
pub struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned + Default + Send + 'static> FromRequest<AppState> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        let parse = |bytes: &[u8]| {
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(Self(T::default()));
            }
            Ok(Self(from_value(parse_value(bytes)?, "")?))
        };
        read_as(request, app, parse).await
    }
}

/// A JSON body that is one value or an array of values.
pub struct OneOrMany<T> {
    /// Whether the body is an array.
    pub many: bool,
    /// Whether the body is too large to be processed on the thread that received it.
    pub large: bool,
    /// The values.
    pub elements: Vec<T>,
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for OneOrMany<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        read_as(request, app, Self::parse).await
    }
}

impl<T: DeserializeOwned> OneOrMany<T> {
    fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let large = bytes.len() > INLINE_BYTES;
        match parse_value(bytes)? {
            Value::Array(values) if values.len() > limits::ARRAY_ELEMENTS => Err(Problem::invalid(
                "body",
                format!("an array may have {} elements", limits::ARRAY_ELEMENTS),
            )),
            Value::Array(values) => {
                let from_value = |(i, v)| from_value(v, &format!("[{i}]."));
                let elements = values.into_iter().enumerate().map(from_value).collect::<Result<_, _>>()?;
                Ok(Self { many: true, large, elements })
            }
            value => Ok(Self { many: false, large, elements: vec![from_value(value, "")?] }),
        }
    }
}
