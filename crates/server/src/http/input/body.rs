//! The body of a request: read up to a size and within a time, as one thing or many. Refuses to keep what is too large.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::BytesMut;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_model::{Code, Problem};

use super::json::{typed, value};
use crate::domain::limits;
use crate::http::App;
use crate::http::problem::Refusal;

/// A client has so long to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// So many times the allowed size is read and thrown away before a client is cut off.
const DRAINED: usize = 4;

/// Reads a body up to a size, within a time.
pub(crate) async fn bytes(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    let too_large = || Problem::new(Code::TooLarge, format!("a body may have {most} bytes"));
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
    let mut body = body;
    let read = async {
        let mut kept = BytesMut::with_capacity(announced.unwrap_or(0).min(most));
        let mut size: usize = 0;
        while let Some(frame) = body.frame().await {
            let data = frame.ok()?.into_data().unwrap_or_default();
            size = size.saturating_add(data.len());
            if size <= most && announced.is_none_or(|n| n <= most) {
                kept.extend_from_slice(&data);
            } else if size > most.saturating_mul(DRAINED) {
                break;
            }
        }
        Some((kept.freeze(), size.max(announced.unwrap_or(0))))
    };
    // What is too large is still read for a while: a client that is cut off never sees the answer.
    match tokio::time::timeout(BODY_TIMEOUT, read).await {
        Ok(Some((_, size))) if size > most => Err(too_large()),
        Ok(Some((kept, _))) => Ok(kept),
        Ok(None) => Err(Problem::invalid("body", "ended too early")),
        Err(_) => Err(Problem::invalid("body", "came too slowly")),
    }
}

/// A JSON body, whatever its content type says.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let bytes = bytes(&parts.headers, body, limits::BODY).await?;
        Ok(Self(typed(value(&bytes)?, "")?))
    }
}

/// A JSON body that may be missing altogether.
pub(crate) struct Optional<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<App> for Optional<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let bytes = bytes(&parts.headers, body, limits::BODY).await?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(T::default()));
        }
        Ok(Self(typed(value(&bytes)?, "")?))
    }
}

/// A JSON body that is one thing or an array of them.
pub(crate) struct OneOrMany<T> {
    pub(crate) many: bool,
    pub(crate) things: Vec<T>,
}

impl<T: DeserializeOwned> FromRequest<App> for OneOrMany<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let bytes = bytes(&parts.headers, body, limits::BODY).await?;
        match value(&bytes)? {
            Value::Array(values) if values.len() > limits::ARRAY => {
                Err(Refusal::invalid("body", format!("an array may have {} elements", limits::ARRAY)))
            }
            Value::Array(values) => {
                let things = values
                    .into_iter()
                    .enumerate()
                    .map(|(i, v)| typed(v, &format!("[{i}].")))
                    .collect::<Result<_, _>>()?;
                Ok(Self { many: true, things })
            }
            value => Ok(Self { many: false, things: vec![typed(value, "")?] }),
        }
    }
}
