//! `/client`: tokens that read. The text of a client's token is only in the response that makes it.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server_core::budgets::Principal;
use tidings_server_core::http::middleware::exchange::{MAX_RESPONSE_BYTES, attach_reservation};
use tidings_server_core::http::response::error::json as json_response;
use tidings_server_core::state::AppState;
use tidings_store::Client;
use tidings_store::domain::account::Bearer;
use tidings_store::domain::draft::check_name;

use super::auth::{ClientAuth, Id, Key};
use super::error::{GotifyError, GotifyResult, no_such};
use super::messages::done;
use super::params::Params;

/// A client as Gotify's clients get it.
fn to_json(client: &Client, token: &str) -> Value {
    json!({
        "id": client.id,
        "token": token,
        "name": client.name,
        "createdAt": client.created_at,
        "lastUsed": client.last_used,
        "expiresAfterInactivitySeconds": 0,
    })
}

fn name(params: &Params) -> Result<String, GotifyError> {
    let name = params.required_text("name")?;
    check_name("name", &name)?;
    Ok(name)
}

/// The scopes of a token that a client makes: its own, but never `admin`.
fn inherited_scopes(bearer: &Bearer) -> Vec<Scope> {
    [Scope::Inbox, Scope::Publish].into_iter().filter(|scope| bearer.has_scope(*scope)).collect()
}

/// `GET /client`.
pub(super) async fn list(app: AppState, ClientAuth(auth): ClientAuth) -> GotifyResult {
    let user = auth.bearer.user;
    let room = app.load_limits.responses.reserve(Principal::User(user), MAX_RESPONSE_BYTES).await?;
    let clients = app.store().clients(user).await?;
    let list: Vec<Value> = clients.iter().map(|client| to_json(client, "")).collect();
    Ok(attach_reservation(room, json_response(StatusCode::OK, &list)).await)
}

/// `POST /client`. The new token goes with the token of the request.
pub(super) async fn add(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Key(key): Key,
    params: Params,
) -> GotifyResult {
    let label = name(&params)?;
    let (token, text, salt) = key.new_token(label, inherited_scopes(&auth.bearer));
    let idempotency = key.idempotency_with_token(StatusCode::OK, salt, |made| to_json(made, ""));
    let outcome = app.store().add_client(&auth.bearer.id, token, idempotency).await;
    Ok(key.respond(outcome, StatusCode::OK, |made| to_json(made, &text))?)
}

/// `PUT /client/{id}`.
pub(super) async fn update(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Id(id): Id,
    params: Params,
) -> GotifyResult {
    let client = app.store().rename_client(auth.bearer.user, id, &name(&params)?).await?;
    let client = client.ok_or_else(|| no_such("client", id))?;
    Ok(json_response(StatusCode::OK, &to_json(&client, "")))
}

/// `DELETE /client/{id}`: revokes its token and what that made, and ends their streams.
pub(super) async fn remove(app: AppState, ClientAuth(auth): ClientAuth, Id(id): Id) -> GotifyResult {
    let removed = app.store().remove_client(&auth.bearer, id).await;
    // Its token is revoked even if what that made is still to be deleted.
    app.server.access.invalidate();
    if removed? { Ok(done()) } else { Err(no_such("client", id)) }
}
