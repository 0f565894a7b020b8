//! The body of a request: read within limits on its size, time and memory budget, and parsed as one value or an array.

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

use super::json::{typed, value};
use crate::domain::limits;
use crate::http::AppState;
use crate::http::limits::budgets::{Principal, RequestReservations, SMALL};
use crate::http::response::error::ApiError;

/// A body of up to this many bytes is parsed on the thread that received it.
const PARSED_AT_ONCE: usize = 16 * 1024;

/// Reads a body of at most `most` bytes, within the configured time. The body's memory counts against the budget of
/// `by`.
///
/// # Errors
/// `too_large`, `invalid` for a body that is slow or incomplete, `unavailable` where the budget has no room.
pub(crate) async fn bytes(
    app: &AppState,
    parts: &Parts,
    by: Principal,
    body: Body,
    most: usize,
) -> Result<Bytes, Problem> {
    let announced = announced(&parts.headers);
    if announced.is_some_and(|size| size > most) {
        return Err(too_large(most));
    }
    match timeout(app.server.config.body_timeout, read(app, parts, by, body, announced, most)).await {
        Ok(read) => read,
        Err(_) => Err(too_slow()),
    }
}

/// The size in the `Content-Length` header.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(most: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("a body may have {most} bytes"))
}

fn too_slow() -> Problem {
    Problem::invalid("body", "came too slowly")
}

async fn read(
    app: &AppState,
    parts: &Parts,
    by: Principal,
    mut body: Body,
    announced: Option<usize>,
    most: usize,
) -> Result<Bytes, Problem> {
    let mut kept = BytesMut::new();
    let mut room: usize = 0;
    loop {
        let frame = match timeout(app.server.config.body_part_timeout, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => return Err(Problem::invalid("body", "ended too early")),
            Ok(None) => return Ok(kept.freeze()),
            Err(_) => return Err(too_slow()),
        };
        let Ok(data) = frame.into_data() else { continue };
        let size = kept.len().saturating_add(data.len());
        if size > most {
            return Err(too_large(most));
        }
        // The budget is reserved when data has arrived: once for a small body, and again when a large one exceeds that
        // size.
        if size > room {
            room =
                if size > SMALL { announced.unwrap_or(most) } else { announced.unwrap_or(SMALL).min(SMALL) };
            room = room.max(size);
            RequestReservations::keep(&parts.extensions, app.load.body(by, room).await?);
            kept.reserve(room.saturating_sub(kept.len()));
        }
        kept.extend_from_slice(&data);
    }
}

/// Parses a body, a large one on the parser threads.
pub(crate) async fn parsed<T: Send + 'static>(
    app: &AppState,
    by: Principal,
    bytes: Bytes,
    parse: impl FnOnce(&[u8]) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if bytes.len() <= PARSED_AT_ONCE {
        return parse(&bytes);
    }
    app.load.compute(by, move || parse(&bytes)).await?
}

/// Reads and parses the body of an API request.
async fn read_as<T: Send + 'static>(
    request: Request,
    app: &AppState,
    parse: impl FnOnce(&[u8]) -> Result<T, Problem> + Send + 'static,
) -> Result<T, ApiError> {
    let (parts, body) = request.into_parts();
    let by = Principal::of(&parts.extensions);
    let bytes = bytes(app, &parts, by, body, limits::BODY).await?;
    Ok(parsed(app, by, bytes, parse).await?)
}

/// A JSON body; the content type is ignored.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        read_as(request, app, |bytes| Ok(Self(typed(value(bytes)?, "")?))).await
    }
}

/// A JSON body, or the default where the body is empty.
pub(crate) struct Optional<T>(pub(crate) T);

impl<T: DeserializeOwned + Default + Send + 'static> FromRequest<AppState> for Optional<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        let parse = |bytes: &[u8]| {
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(Self(T::default()));
            }
            Ok(Self(typed(value(bytes)?, "")?))
        };
        read_as(request, app, parse).await
    }
}

/// A JSON body that is one value or an array of values.
pub(crate) struct OneOrMany<T> {
    pub(crate) many: bool,
    /// Whether the body is too large to be processed on the thread that received it.
    pub(crate) large: bool,
    pub(crate) things: Vec<T>,
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for OneOrMany<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        read_as(request, app, Self::parse).await
    }
}

impl<T: DeserializeOwned> OneOrMany<T> {
    fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let large = bytes.len() > PARSED_AT_ONCE;
        match value(bytes)? {
            Value::Array(values) if values.len() > limits::ARRAY => {
                Err(Problem::invalid("body", format!("an array may have {} elements", limits::ARRAY)))
            }
            Value::Array(values) => {
                let typed = |(i, v)| typed(v, &format!("[{i}]."));
                let things = values.into_iter().enumerate().map(typed).collect::<Result<_, _>>()?;
                Ok(Self { many: true, large, things })
            }
            value => Ok(Self { many: false, large, things: vec![typed(value, "")?] }),
        }
    }
}
