//! Reads request bodies to their end and accounts for the memory of responses. Where a response comes before the
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

use crate::domain::limits;
use crate::http::AppState;
use crate::http::auth::AuthContext;
use crate::http::limits::budgets::{Principal, RequestReservations, Reservation, SMALL};
use crate::http::response::error::ApiError;
use crate::serve::{ClientPresence, ConnectionState};

/// Bytes of a body that are read and dropped after its response is known.
const DROPPED: usize = 64 * 1024;
/// Timeout for the rest of a body; after it the connection ends with the response.
const REST: Duration = Duration::from_secs(3);
/// The longest pause between two parts of the rest of a body.
const REST_STALL: Duration = Duration::from_millis(500);

/// The status in the log for a client that disconnected before the response, as nginx writes it.
const CLIENT_LEFT: u16 = 499;

/// Bytes reserved for a response before its size is known: a page, which may end with a large item.
const PAGE: usize = 4 * 1024 * 1024 + limits::NOTIFICATION;

/// Reads the rest of the body that a handler did not read, or adds `Connection: close` to the response.
pub(crate) async fn drain_body(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let connection = parts.extensions.get::<ConnectionState>().cloned();
    let expects = parts.headers.contains_key(header::EXPECT);
    let held = RequestReservations::default();
    parts.extensions.insert(held.clone());
    let rest = SharedBody::of(body);
    let mut response = next.run(Request::from_parts(parts, Body::new(rest.reader()))).await;
    drop(held);
    if response.status() != StatusCode::SWITCHING_PROTOCOLS && !rest.is_dropped(expects).await {
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
    begun: bool,
    ended: bool,
    failed: bool,
}

struct BodyReader(SharedBody);

impl SharedBody {
    fn of(body: Body) -> Self {
        let ended = body.is_end_stream();
        Self(Arc::new(Mutex::new(BodyState { body, begun: false, ended, failed: false })))
    }

    fn reader(&self) -> BodyReader {
        BodyReader(self.clone())
    }

    fn source(&self) -> MutexGuard<'_, BodyState> {
        self.0.lock()
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut source = self.source();
        source.begun = true;
        if source.ended {
            return Poll::Ready(None);
        }
        let polled = ready!(Pin::new(&mut source.body).poll_frame(cx));
        source.failed |= matches!(polled, Some(Err(_)));
        source.ended |= polled.is_none() || source.body.is_end_stream();
        Poll::Ready(polled)
    }

    /// Reads and drops the rest; false where the rest is too large, takes too long, or can't be read.
    async fn is_dropped(&self, expects: bool) -> bool {
        {
            let source = self.source();
            if source.ended || source.failed {
                return source.ended && !source.failed;
            }
            let too_much = source.body.size_hint().lower() > DROPPED as u64;
            // A client that still waits for `100 Continue` need not send a body that nobody reads.
            if too_much || (expects && !source.begun) {
                return false;
            }
        }
        timeout(REST, self.drop_all()).await.unwrap_or(false)
    }

    async fn drop_all(&self) -> bool {
        let mut left = DROPPED;
        loop {
            match timeout(REST_STALL, poll_fn(|cx| self.poll(cx))).await {
                Ok(None) => return true,
                Ok(Some(Ok(frame))) => {
                    let size = frame.data_ref().map_or(0, Bytes::len);
                    let Some(less) = left.checked_sub(size) else { return false };
                    left = less;
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
        self.0.source().ended
    }

    fn size_hint(&self) -> SizeHint {
        self.0.source().body.size_hint()
    }
}

/// Whether a path, with or without `/api/v1`, always has a small response, or a stream without an end.
fn has_small_answer(path: &str) -> bool {
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    matches!(
        path,
        "/health" | "/info" | "/openapi.json" | "/me" | "/unread" | "/catalog" | "/preferences" | "/events"
    ) || path.starts_with("/views/")
        || path.starts_with("/follows/")
}

/// Reserves memory for a page before it is read from the store, and keeps what the response takes until it was sent. A
/// request whose client disconnects stops waiting for room; a page that is already being read is read to its end and
/// keeps its reservation until then.
pub(crate) async fn reserve_answer(State(app): State<AppState>, request: Request, next: Next) -> Response {
    // HEAD costs as much as GET; only its response is small.
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let client = request.extensions().get::<ClientPresence>().cloned().unwrap_or_default();
    if has_small_answer(request.uri().path()) {
        return select! {
            biased;
            response = next.run(request) => response,
            () = client.left() => client_gone(),
        };
    }
    let (mut parts, body) = request.into_parts();
    let user = match AuthContext::from_request_parts(&mut parts, &app).await {
        Ok(auth) => auth.bearer.user,
        Err(refusal) => return refusal.into_response(),
    };
    let room = select! {
        biased;
        room = app.load.answers.take(Principal::User(user), PAGE) => room,
        () = client.left() => return client_gone(),
    };
    let room = match room {
        Ok(room) => room,
        Err(problem) => return ApiError(problem).into_response(),
    };
    let response = next.run(Request::from_parts(parts, body)).await;
    keep(room, response).await
}

/// The response for a client that disconnected; it appears only in the log.
fn client_gone() -> Response {
    StatusCode::from_u16(CLIENT_LEFT).unwrap_or(StatusCode::BAD_REQUEST).into_response()
}

/// Shrinks the reservation to the size of the response and binds it to the response's bytes; a small response or one of
/// unknown size needs none.
async fn keep(mut room: Reservation, response: Response) -> Response {
    let Some(size) = response.body().size_hint().exact().and_then(|size| usize::try_from(size).ok()) else {
        return response;
    };
    if size <= SMALL {
        return response;
    }
    room.shrink(size);
    let (parts, body) = response.into_parts();
    match body.collect().await {
        Ok(all) => {
            let sent = Bytes::from_owner(Accounted { bytes: all.to_bytes(), _room: room });
            Response::from_parts(parts, Body::from(sent))
        }
        Err(_) => {
            ApiError::new(tidings_model::Code::Unavailable, "the answer could not be made").into_response()
        }
    }
}

/// The bytes of a response, with their reservation in the budget.
struct Accounted {
    bytes: Bytes,
    _room: Reservation,
}

impl AsRef<[u8]> for Accounted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
