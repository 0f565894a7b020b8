//! `/user` and `/current/user`: who a token's user is. Users are made, changed and removed elsewhere.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::Query;
use tidings_server_core::http::response::error::json as json_response;
use tidings_server_core::state::AppState;
use tidings_store::Error;
use tidings_store::domain::account::{User, UserKey};

use super::auth::{ClientAuth, Id};
use super::error::{FORBIDDEN, GotifyError, GotifyResult, NO_USER, forbidden};

/// Where users are changed.
const CHANGED_ELSEWHERE: GotifyError =
    forbidden("users are made and removed in Tidings, with `tidings user` or /api/v1/users");
/// What stands in place of a password.
const NO_PASSWORDS: GotifyError = forbidden(
    "users have no password: sign in with a token as password, made in the settings or with `tidings token create`",
);

/// A user as Gotify's clients get it. `is_admin` is whether the token of the request administers the server: nothing is
/// said of other users' tokens.
fn to_json(user: &User, is_admin: bool) -> Value {
    json!({"id": user.key.0, "name": user.id, "admin": is_admin, "createdAt": user.created_at})
}

/// The token's own user.
async fn own(app: &AppState, client: &ClientAuth) -> Result<User, GotifyError> {
    Ok(app.store().user(&client.0.bearer.id).await?.ok_or_else(|| Error::not_found("user"))?)
}

/// `GET /current/user`.
pub(super) async fn current(app: AppState, client: ClientAuth) -> GotifyResult {
    let mut user = to_json(&own(&app, &client).await?, client.is_admin());
    let bearer = &client.0.bearer;
    if let Some(client) = app.store().client_of_token(bearer.user, &bearer.token).await?
        && let Some(members) = user.as_object_mut()
    {
        members.insert("clientId".to_owned(), client.id.into());
    }
    Ok(json_response(StatusCode::OK, &user))
}

/// `GET /user`: for an administrator a page of all users, by their numbers from `after` on; else the token's own user.
pub(super) async fn list(app: AppState, client: ClientAuth, query: Query) -> GotifyResult {
    let own = own(&app, &client).await?;
    if !client.is_admin() {
        return Ok(json_response(StatusCode::OK, &[to_json(&own, false)]));
    }
    let limit = query.limit(limits::PAGE_ELEMENTS, limits::PAGE_ELEMENTS)?;
    let after = query.text("after")?.and_then(|text| text.parse().ok()).unwrap_or_default();
    let users = app.store().users_by_key(UserKey(after), limit).await?;
    let list: Vec<Value> = users.iter().map(|user| to_json(user, user.key == own.key)).collect();
    Ok(json_response(StatusCode::OK, &list))
}

/// `GET /user/{id}`.
pub(super) async fn get(app: AppState, client: ClientAuth, Id(id): Id) -> GotifyResult {
    let own = own(&app, &client).await?;
    if own.key.0 == id {
        return Ok(json_response(StatusCode::OK, &to_json(&own, client.is_admin())));
    }
    if !client.is_admin() {
        return Err(FORBIDDEN);
    }
    let next = app.store().users_by_key(UserKey(id.saturating_sub(1)), 1).await?;
    let user = next.into_iter().find(|user| user.key.0 == id).ok_or(NO_USER)?;
    Ok(json_response(StatusCode::OK, &to_json(&user, false)))
}

/// `POST /user`, `POST` and `DELETE /user/{id}`.
pub(super) async fn refuse_change(_: ClientAuth) -> GotifyError {
    CHANGED_ELSEWHERE
}

/// `POST /current/user/password`.
pub(super) async fn refuse_password(_: ClientAuth) -> GotifyError {
    NO_PASSWORDS
}
