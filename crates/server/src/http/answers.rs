//! Waiting for the answer to a question: a request ends as soon as there is one, or at the end of its time.
//!
//! A request that waits is woken by the hub, on another node by its hint, and by the clock. It holds no connection
//! of the database meanwhile.

use std::time::Duration;

use tidings_model::{Code, MsgId, Question, Stamp};
use tidings_server_core::connections::ClientPresence;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::response::error::ApiError;
use tidings_server_core::state::AppState;
use tidings_store::request_time::of_request;
use tidings_store::trace::of_call;
use tokio::time::Instant;

/// The question of a notification, for its publisher: at once if it is not open. Else it comes when it is no longer
/// open, or when this time is over.
pub(crate) async fn wait_for_answer(
    app: &AppState,
    id: &MsgId,
    auth: &AuthContext,
    client: Option<&ClientPresence>,
    time: Duration,
) -> Result<Question, ApiError> {
    let until = Instant::now() + time;
    let by = &app.editor(&auth.bearer).await?;
    let mut auth_changes = app.server.access.watch();
    // The wait begins before the first look, so that nothing is missed after it.
    let mut wait = if time.is_zero() {
        None
    } else {
        Some(app.server.hub.questions.wait(by.user).map_err(|_| too_many())?)
    };
    loop {
        let store = app.store();
        // Each look has a request's time for the store: there may be many in a minute.
        let (msgid, question) = of_request(of_call(store, "question", store.question(id, by))).await?;
        let now = store.clock().now();
        let question = question.at(now);
        let Some(wait) = wait.as_mut().filter(|_| !question.is_closed() && Instant::now() < until) else {
            return Ok(question);
        };
        let due = Instant::now() + until_due(&question, now);
        tokio::select! {
            () = wait.changed(&msgid) => {}
            () = tokio::time::sleep_until(until.min(due)) => {}
            _ = auth_changes.changed() => {
                if !app.server.access.is_still_valid(&auth.bearer, &auth.token).await {
                    return Err(ApiError::new(Code::Unauthorized, "the token was revoked"));
                }
            }
            // Nobody reads the answer.
            () = left(client) => return Ok(question),
            // The client asks elsewhere, or later.
            () = app.draining.cancelled() => return Ok(question),
            () = app.stop.cancelled() => return Ok(question),
        }
    }
}

/// How long it is until the time of a question is over, and a moment more.
fn until_due(question: &Question, now: Stamp) -> Duration {
    let micros = question.expires_at.map_or(i64::MAX, |at| at.as_micros().saturating_sub(now.as_micros()));
    Duration::from_micros(u64::try_from(micros).unwrap_or_default()).saturating_add(Duration::from_millis(1))
}

/// Completes when the client has left; never if that is not known.
async fn left(client: Option<&ClientPresence>) {
    match client {
        Some(client) => client.disconnected().await,
        None => std::future::pending().await,
    }
}

fn too_many() -> ApiError {
    ApiError::new(Code::RateLimited, "too many requests of this user wait for answers")
}
