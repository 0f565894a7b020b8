//! `/me`, users and tokens over the wire. Refuses to show a token twice.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tidings_model::wire::{Me, Scope};
use tidings_model::{Problem, check_id};
use utoipa::ToSchema;

use super::App;
use super::auth::Who;
use super::input::{Json, Query, Segments};
use super::large::page;
use super::once::Key;
use super::problem::{Answer, nothing, ok};
use crate::domain::account::{self, NewToken, Token};
use crate::domain::draft::check_name;
use crate::error::Error;

/// A user to be.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewUser {
    id: String,
    #[serde(default)]
    name: String,
}

/// A token to be.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TokenWish {
    #[serde(default)]
    label: String,
    scopes: Vec<Scope>,
}

pub(crate) async fn me(who: Who) -> Answer {
    ok(&Me { id: who.bearer.id, name: who.bearer.name, scopes: who.bearer.scopes })
}

pub(crate) async fn users(State(app): State<App>, who: Who, query: Query) -> Answer {
    who.must(Scope::Admin)?;
    page(&app.load, who.bearer.user, app.store().users(query.page()?).await?).await
}

pub(crate) async fn add_user(State(app): State<App>, who: Who, key: Key, Json(new): Json<NewUser>) -> Answer {
    who.must(Scope::Admin)?;
    check_id(&new.id).map_err(|e| Problem::invalid("id", e.to_string()))?;
    check_name("name", &new.name)?;
    let name = if new.name.is_empty() { &new.id } else { &new.name };
    let once = key.once(StatusCode::CREATED, Clone::clone);
    let did = app.store().add_user(&new.id, name, once).await;
    key.answer(did, StatusCode::CREATED, Clone::clone)
}

pub(crate) async fn remove_user(State(app): State<App>, who: Who, path: Segments) -> Answer {
    who.must(Scope::Admin)?;
    app.server.begin_removal(path.id("id")?).await?;
    nothing()
}

fn shown(token: &Token, text: Option<&str>) -> serde_json::Value {
    json!({"id": token.id, "token": text, "user": token.user, "label": token.label, "scopes": token.scopes,
        "created_at": token.created_at})
}

pub(crate) async fn add_token(
    State(app): State<App>,
    who: Who,
    key: Key,
    path: Segments,
    Json(wish): Json<TokenWish>,
) -> Answer {
    who.must(Scope::Admin)?;
    let user = path.id("id")?;
    if wish.scopes.is_empty() {
        return Err(Problem::invalid("scopes", "name at least one scope").into());
    }
    check_name("label", &wish.label)?;
    let mut scopes = wish.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    let salt = account::mint();
    let text = key.derive(&salt);
    let new =
        NewToken { id: account::name_by_chance(), hash: account::hash(&text), label: wish.label, scopes };
    let once = key.sealed(StatusCode::CREATED, salt, |token: &Token| shown(token, None));
    let did = app.store().add_token(user, new, once).await;
    key.answer(did, StatusCode::CREATED, |token| shown(token, Some(&text)))
}

pub(crate) async fn tokens(State(app): State<App>, who: Who, query: Query) -> Answer {
    who.must(Scope::Inbox)?;
    let user = match (query.text("user")?, who.bearer.may(Scope::Admin)) {
        (None, true) => None,
        (None, false) => Some(who.bearer.user),
        (Some(id), _) if id == who.id() => Some(who.bearer.user),
        (Some(id), _) => {
            who.must(Scope::Admin)?;
            let user = app.store().user(id).await?;
            Some(user.ok_or_else(|| Error::not_found("user"))?.key)
        }
    };
    page(&app.load, who.bearer.user, app.store().tokens(user, query.page()?).await?).await
}

pub(crate) async fn revoke(State(app): State<App>, who: Who, path: Segments) -> Answer {
    who.must(Scope::Inbox)?;
    let user = if who.bearer.may(Scope::Admin) { None } else { Some(who.bearer.user) };
    app.store().revoke(path.text("id")?, user).await?;
    app.server.keys.changed();
    nothing()
}
