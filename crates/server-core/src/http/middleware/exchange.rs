//! Reads request bodies to their end and accounts for the memory of responses. If a response comes before the
//! request's body was read, the rest of the body is read and dropped, or the response has `Connection: close`. A large
//! response counts against a budget of bytes until all of it was sent.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use parking_lot::{Mutex, MutexGuard};
use tokio::select;
use tokio::time::timeout;

use crate::budgets::{Principal, RequestReservations, Reservation, SMALL_BODY_BYTES};
use crate::connections::{ClientPresence, ConnectionState};
use crate::domain::limits;
use crate::http::auth::AuthContext;
use crate::http::response::error::ApiError;
use crate::state::AppState;

/// Bytes of a body that are read and dropped after its response is known.
const MAX_DRAIN_BYTES: usize = 64 * 1024;
/// Timeout for the rest of a body; after it the connection ends with the response.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest pause between two parts of the rest of a body.
const DRAIN_STALL_TIMEOUT: Duration = Duration::from_millis(500);

/// The status in the log for a client that disconnected before the response, as nginx writes it.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// Bytes reserved for a response before its size is known: a page, which may end with a large item.
pub const MAX_RESPONSE_BYTES: usize = 4 * 1024 * 1024 + limits::NOTIFICATION_BYTES;

/// Reads the rest of the body that a handler did not read, or adds `Connection: close` to the response.
pub(super) async fn drain_body<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response>,
{
    let (mut parts, body) = request.into_parts();
    let connection = parts.extensions.get::<ConnectionState>().cloned();
    let expects = parts.headers.contains_key(header::EXPECT);
    // Of two statements about where the body ends one is wrong: what follows it may be no request.
    let is_ambiguous = parts.headers.contains_key(header::CONTENT_LENGTH)
        && parts.headers.contains_key(header::TRANSFER_ENCODING);
    let reservations = RequestReservations::default();
    parts.extensions.insert(reservations.clone());
    let shared_body = SharedBody::of(body);
    let mut response = next(Request::from_parts(parts, Body::new(shared_body.reader()))).await;
    drop(reservations);
    if response.status() != StatusCode::SWITCHING_PROTOCOLS
        && (!shared_body.drain(expects).await || is_ambiguous)
    {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        if let Some(connection) = connection {
            connection.linger();
        }
    }
    response
}

/// A request body shared between the handler's reader and [`drain_body`], which reads the rest.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<BodyState>>);

struct BodyState {
    body: Body,
    /// Whether the handler has read from it; then a client that expects `100 Continue` was told to send the body.
    polled: bool,
    ended: bool,
    failed: bool,
}

struct BodyReader(SharedBody);

impl SharedBody {
    fn of(body: Body) -> Self {
        let ended = body.is_end_stream();
        Self(Arc::new(Mutex::new(BodyState { body, polled: false, ended, failed: false })))
    }

    fn reader(&self) -> BodyReader {
        BodyReader(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, BodyState> {
        self.0.lock()
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut state = self.state();
        state.polled = true;
        if state.ended {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut state.body).poll_frame(cx));
        state.failed |= matches!(frame, Some(Err(_)));
        state.ended |= frame.is_none() || state.body.is_end_stream();
        Poll::Ready(frame)
    }

    /// Reads and drops the rest; false if the rest is too large, takes too long, or can't be read.
    async fn drain(&self, expects: bool) -> bool {
        {
            let state = self.state();
            if state.ended || state.failed {
                return state.ended && !state.failed;
            }
            let exceeds_limit = state.body.size_hint().lower() > MAX_DRAIN_BYTES as u64;
            // A client that still waits for `100 Continue` need not send a body that nobody reads.
            if exceeds_limit || (expects && !state.polled) {
                return false;
            }
        }
        timeout(DRAIN_TIMEOUT, self.drain_remaining()).await.unwrap_or(false)
    }

    async fn drain_remaining(&self) -> bool {
        let mut remaining = MAX_DRAIN_BYTES;
        loop {
            match timeout(DRAIN_STALL_TIMEOUT, poll_fn(|cx| self.poll(cx))).await {
                Ok(None) => return true,
                Ok(Some(Ok(frame))) => {
                    let size = frame.data_ref().map_or(0, Bytes::len);
                    let Some(rest) = remaining.checked_sub(size) else { return false };
                    remaining = rest;
                }
                Ok(Some(Err(_))) | Err(_) => return false,
            }
        }
    }
}

impl HttpBody for BodyReader {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.0.poll(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.state().ended
    }

    fn size_hint(&self) -> SizeHint {
        self.0.state().body.size_hint()
    }
}

/// Whether a path, with or without `/api/v1`, always has a small response, or a stream without an end.
fn has_small_response(path: &str) -> bool {
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    matches!(
        path,
        "/health"
            | "/health/ready"
            | "/info"
            | "/openapi.json"
            | "/me"
            | "/unread"
            | "/catalog"
            | "/preferences"
            | "/events"
    ) || path.starts_with("/views/")
        || path.starts_with("/follows/")
}

/// Reserves memory for a page before it is read from the store, and keeps what the response takes until it was sent. A
/// request whose client disconnects stops waiting for room; a page that is already being read is read to its end and
/// keeps its reservation until then.
pub async fn reserve_response(State(app): State<AppState>, request: Request, next: Next) -> Response {
    // HEAD costs as much as GET; only its response is small.
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let client = request.extensions().get::<ClientPresence>().cloned().unwrap_or_default();
    if has_small_response(request.uri().path()) {
        return select! {
            biased;
            response = next.run(request) => response,
            () = client.disconnected() => client_closed_request(),
        };
    }
    let (mut parts, body) = request.into_parts();
    let user = match AuthContext::from_request_parts(&mut parts, &app).await {
        Ok(auth) => auth.bearer.user,
        Err(refusal) => return refusal.into_response(),
    };
    let reservation = select! {
        biased;
        reservation = app.load_limits.responses.reserve(Principal::User(user), MAX_RESPONSE_BYTES) => reservation,
        () = client.disconnected() => return client_closed_request(),
    };
    let reservation = match reservation {
        Ok(reservation) => reservation,
        Err(problem) => return ApiError(problem).into_response(),
    };
    let response = next.run(Request::from_parts(parts, body)).await;
    attach_reservation(reservation, response).await
}

/// The response for a client that disconnected; it appears only in the log.
fn client_closed_request() -> Response {
    StatusCode::from_u16(CLIENT_CLOSED_REQUEST).unwrap_or(StatusCode::BAD_REQUEST).into_response()
}

/// Shrinks the reservation to the size of the response and binds it to the response's bytes; a small response or one of
/// unknown size needs none.
pub async fn attach_reservation(mut reservation: Reservation, response: Response) -> Response {
    let Some(size) = response.body().size_hint().exact().and_then(|size| usize::try_from(size).ok()) else {
        return response;
    };
    if size <= SMALL_BODY_BYTES {
        return response;
    }
    reservation.shrink(size);
    let (parts, body) = response.into_parts();
    match body.collect().await {
        Ok(all) => {
            let sent = Bytes::from_owner(ReservedBytes { bytes: all.to_bytes(), _reservation: reservation });
            Response::from_parts(parts, Body::from(sent))
        }
        Err(_) => {
            ApiError::new(tidings_model::Code::Unavailable, "the answer could not be made").into_response()
        }
    }
}

/// The bytes of a response, with their reservation in the budget.
struct ReservedBytes {
    bytes: Bytes,
    _reservation: Reservation,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
