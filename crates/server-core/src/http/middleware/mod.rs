//! The layers around all handlers, which process every request and every response.

pub mod cors;
pub mod exchange;
pub mod guards;

use std::panic::AssertUnwindSafe;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt;

use self::exchange::drain_body;
use self::guards::{check_host_and_origin, request_id};
use crate::http::response::error::panicked;
use crate::state::AppState;

/// The one layer around every request; more layers would each box the request anew. It sees to the request's id, the
/// rest of its body, panics of handlers, the check of its Host and Origin headers, and mostly the rate limit.
pub async fn surround(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let checked = |request| check_host_and_origin(app.clone(), request, next);
    let caught =
        |request| AssertUnwindSafe(checked(request)).catch_unwind().map(|it| it.unwrap_or_else(panicked));
    request_id(&app, request, |request| drain_body(request, caught)).await
}
