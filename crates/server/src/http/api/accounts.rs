//! Endpoints of `/me`, users and tokens. Only the response that creates a token has its text.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tidings_model::wire::{Me, People, Scope};
use tidings_model::{Actor, Problem, check_id};
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, PathParams, Query};
use tidings_server_core::http::response::error::{ApiResult, no_content, ok};
use tidings_server_core::http::response::idempotency::IdempotencyKey;
use tidings_server_core::http::response::page::page;
use tidings_server_core::state::AppState;
use tidings_store::Error;
use tidings_store::domain::account::{FreshToken, Token, User, WrittenContent};
use tidings_store::domain::draft::check_name;
use utoipa::ToSchema;

use super::{ADMIN, ANY_SCOPE, INBOX, parameters};
use crate::http::openapi::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/me", ANY_SCOPE, self::me).about("The token's user.").response::<Me>(200),
        Endpoint::get("/people", INBOX, self::people)
            .about("Users who can be written to, by the beginning of their ids and names; without it the first by id.")
            .query(parameters::people())
            .response::<People>(200),
        Endpoint::get("/users", ADMIN, self::users)
            .about("A page of the users, by id.")
            .query(parameters::page("id"))
            .list_response::<User>(200),
        Endpoint::post("/users", ADMIN, self::add_user)
            .about("Adds a user.")
            .request_body::<self::NewUser>()
            .response::<User>(201)
            .idempotent(),
        Endpoint::patch("/users/{id}", ADMIN, self::rename_user)
            .about("Gives a user another name, which new items carry.")
            .request_body::<self::UserChange>()
            .response::<User>(200),
        Endpoint::delete("/users/{id}", ADMIN, self::remove_user)
            .about(
                "Removes a user and its tokens at once. Its inbox, and what nobody else can read, go \
                 within a minute; the id stays taken.",
            )
            .query([parameters::content()])
            .no_content_response(),
        Endpoint::get("/users/{id}/export", INBOX, super::export::export)
            .about("All that is stored of a user, as JSON lines; for an administrator and for that user.")
            .lines_response::<super::export::ExportLine>(200),
        Endpoint::post("/users/{id}/tokens", ADMIN, self::add_token)
            .about(
                "Creates a token, which is revoked with the token of the request. The answer is the only \
                 one that holds its text.",
            )
            .request_body::<self::TokenRequest>()
            .response::<FreshToken>(201)
            .idempotent(),
        Endpoint::get("/tokens", INBOX, self::tokens)
            .about("A page of the user's tokens, the oldest first; with the scope `admin`, of all tokens.")
            .query(parameters::page("id"))
            .query([parameters::user()])
            .list_response::<Token>(200),
        Endpoint::delete("/tokens/{id}", INBOX, self::revoke)
            .about(
                "Revokes a token, what it made, and what that made. It must have no scope that the token \
                 of the request lacks.",
            )
            .no_content_response(),
    ]
}

/// A user to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewUser {
    /// The user's id, unique on this server.
    id: String,
    /// The display name; the id if it is empty.
    #[serde(default)]
    name: String,
}

/// What changes of a user.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UserChange {
    /// The display name; the id if it is empty, the present one if it is missing.
    #[serde(default)]
    name: Option<String>,
}

/// A token to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TokenRequest {
    /// A description of the token's purpose.
    #[serde(default)]
    label: String,
    /// The scopes of the token, at least one.
    scopes: Vec<Scope>,
}

pub(crate) async fn me(auth: AuthContext) -> ApiResult {
    ok(&Me { id: auth.bearer.id, name: auth.bearer.name, scopes: auth.bearer.scopes })
}

pub(crate) async fn people(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    auth.require_scope(Scope::Inbox)?;
    let limit = query.limit(limits::DEFAULT_PEOPLE_LIMIT, limits::PEOPLE_LIMIT)?;
    let typed = query.text("q")?.unwrap_or_default().trim();
    // No name is longer.
    if typed.len() > limits::NAME_BYTES {
        return ok(&People { people: Vec::new() });
    }
    let found = app.store().users_beginning(typed, limit).await?;
    let person = |User { id, name, .. }| Actor { id, name };
    ok(&People { people: found.into_iter().map(person).collect() })
}

pub(crate) async fn users(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    page(&app.load_limits, auth.bearer.user, app.store().users(query.page()?).await?).await
}

pub(crate) async fn add_user(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    Json(new): Json<NewUser>,
) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    check_id(&new.id).map_err(|e| Problem::invalid("id", e.to_string()))?;
    check_name("name", &new.name)?;
    let name = if new.name.is_empty() { &new.id } else { &new.name };
    let idempotency = key.idempotency(StatusCode::CREATED, Clone::clone);
    let outcome = app.store().add_user(&new.id, name, idempotency).await;
    key.respond(outcome, StatusCode::CREATED, Clone::clone)
}

pub(crate) async fn remove_user(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    query: Query,
) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    let written = match query.text("content")? {
        None | Some("keep") => WrittenContent::Keep,
        Some("delete") => WrittenContent::Delete,
        Some(_) => return Err(Problem::invalid("content", "must be keep or delete").into()),
    };
    app.server.begin_removal(path.id("id")?, written).await?;
    no_content()
}

pub(crate) async fn rename_user(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    Json(change): Json<UserChange>,
) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    let id = path.id("id")?;
    match change.name {
        Some(name) => ok(&app.server.rename_user(id, &name).await?),
        None => ok(&app.store().user(id).await?.ok_or_else(|| Error::not_found("user"))?),
    }
}

fn token_json(token: &Token, text: Option<&str>) -> serde_json::Value {
    json!({"id": token.id, "token": text, "user": token.user, "label": token.label, "scopes": token.scopes,
        "created_at": token.created_at, "made_by": token.made_by})
}

pub(crate) async fn add_token(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    path: PathParams,
    Json(request): Json<TokenRequest>,
) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    let user = path.id("id")?;
    if request.scopes.is_empty() {
        return Err(Problem::invalid("scopes", "name at least one scope").into());
    }
    check_name("label", &request.label)?;
    let mut scopes = request.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    let (new, text, salt) = key.new_token(request.label, scopes);
    let idempotency =
        key.idempotency_with_token(StatusCode::CREATED, salt, |token: &Token| token_json(token, None));
    let outcome = app.store().add_token(user, new, idempotency).await;
    key.respond(outcome, StatusCode::CREATED, |token| token_json(token, Some(&text)))
}

pub(crate) async fn tokens(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    auth.require_scope(Scope::Inbox)?;
    let user = match (query.text("user")?, auth.bearer.has_scope(Scope::Admin)) {
        (None, true) => None,
        (None, false) => Some(auth.bearer.user),
        (Some(id), _) if id == auth.id() => Some(auth.bearer.user),
        (Some(id), _) => {
            auth.require_scope(Scope::Admin)?;
            let user = app.store().user(id).await?;
            Some(user.ok_or_else(|| Error::not_found("user"))?.key)
        }
    };
    page(&app.load_limits, auth.bearer.user, app.store().tokens(user, query.page()?).await?).await
}

pub(crate) async fn revoke(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    auth.require_scope(Scope::Inbox)?;
    let revoked = app.store().revoke(path.text("id")?, Some(&auth.bearer)).await;
    // It is revoked even if what it made is still to be deleted.
    app.server.access.invalidate();
    revoked?;
    no_content()
}
