//! Whether the server is up, as the API and the doors answer it.

use serde_json::json;
use tidings_model::Problem;

use super::input::Query;
use super::response::error::{ApiResult, ok};
use crate::endpoint::MAX_CHALLENGE_BYTES;
use crate::state::AppState;

/// Answers that the server is up; with a challenge also the proof that this server wrote `endpoint.json`, if it has
/// one.
///
/// # Errors
/// `invalid` for a challenge that is too long, or has other characters.
#[expect(clippy::unused_async, reason = "a handler is asynchronous")]
pub async fn health(app: AppState, query: Query) -> ApiResult {
    let Some(challenge) = query.raw_text("challenge")? else { return ok(&json!({"healthy": true})) };
    let printable = challenge.bytes().all(|byte| byte.is_ascii_graphic());
    if challenge.is_empty() || challenge.len() > MAX_CHALLENGE_BYTES || !printable {
        let detail = format!("must be 1 to {MAX_CHALLENGE_BYTES} printable ASCII characters");
        return Err(Problem::invalid("challenge", detail).into());
    }
    match app.server.endpoint.proof(challenge) {
        Some(proof) => ok(&json!({"healthy": true, "proof": proof})),
        None => ok(&json!({"healthy": true})),
    }
}
