//! Subscriptions, follows and preferences over the wire. Refuses reasons and actions that the catalog does not have.

use std::collections::BTreeMap;

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use tidings_model::{Problem, check_id, check_target_id};
use utoipa::ToSchema;

use super::AppState;
use super::auth::AuthContext;
use super::input::{Json, Query, Segments};
use super::page_response::page;
use super::problem::{ApiError, ApiResult, no_content, ok};
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::TargetRef;

/// What to subscribe to: a reason, actions, or both.
#[derive(Deserialize, ToSchema)]
#[schema(as = SubscriptionRequest)]
pub(crate) struct SubscriptionRequest {
    target: TargetRef,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    actions: Option<Vec<String>>,
}

fn check(target: &TargetRef, prefix: &str) -> Result<(), Problem> {
    check_id(&target.kind).map_err(|e| Problem::invalid(format!("{prefix}type"), e.to_string()))?;
    check_target_id(&target.id).map_err(|e| Problem::invalid(format!("{prefix}id"), e.to_string()))
}

pub(crate) async fn subscribe(
    State(app): State<AppState>,
    auth: AuthContext,
    query: Query,
    Json(request): Json<SubscriptionRequest>,
) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    check(&request.target, "target.")?;
    let catalog = app.catalog().await?;
    let mut actions = request.actions.unwrap_or_default();
    if let Some(unknown) = actions.iter().find(|a| !catalog.actions.contains_key(*a)) {
        return Err(ApiError::invalid("actions", format!("`{unknown}` is not in the catalog")));
    }
    match &request.reason {
        Some(reason) => {
            let expanded = catalog
                .expand(reason)
                .ok_or_else(|| Problem::invalid("reason", format!("`{reason}` is not in the catalog")))?;
            actions.extend(expanded.iter().cloned());
        }
        None if actions.is_empty() => {
            return Err(ApiError::invalid("actions", "name a reason, or at least one action"));
        }
        None => {}
    }
    actions.sort_unstable();
    actions.dedup();
    ok(&app.store().subscribe(user, request.target, actions, request.reason).await?)
}

pub(crate) async fn unsubscribe(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let missing = |field: &str| Problem::invalid(field, "must be given");
    let target = TargetRef {
        kind: query.text("type")?.ok_or_else(|| missing("type"))?.to_owned(),
        id: query.text("id")?.ok_or_else(|| missing("id"))?.to_owned(),
    };
    check(&target, "")?;
    app.store().unsubscribe(user, target, query.text("action")?.map(str::to_owned)).await?;
    no_content()
}

pub(crate) async fn list(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let (kind, id) = (query.text("type")?.map(str::to_owned), query.text("id")?.map(str::to_owned));
    page(&app.load, user, app.store().subscriptions(user, kind, id, query.page()?).await?).await
}

pub(crate) async fn follow(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    ok(&app.store().follow(user, path.id("user")?).await?)
}

pub(crate) async fn unfollow(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    app.store().unfollow(user, path.id("user")?).await?;
    no_content()
}

pub(crate) async fn follows(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    page(&app.load, user, app.store().follows(user, query.page()?).await?).await
}

pub(crate) async fn followed(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let follow = app.store().followed(user, path.id("user")?).await?;
    ok(&follow.ok_or_else(|| Error::not_found("follow"))?)
}

/// The value in force of every action.
async fn in_force(app: &AppState, user: UserKey) -> ApiResult {
    let catalog = app.catalog().await?;
    let set = app.store().preferences(user).await?;
    let actions: BTreeMap<&String, bool> = catalog
        .actions
        .iter()
        .map(|(action, rule)| (action, set.get(action).copied().unwrap_or(rule.default)))
        .collect();
    ok(&json!({"actions": actions}))
}

pub(crate) async fn preferences(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    in_force(&app, user).await
}

/// Actions that are wanted or not; null takes a preference back.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Preferences {
    actions: BTreeMap<String, Option<bool>>,
}

pub(crate) async fn set_preferences(
    State(app): State<AppState>,
    auth: AuthContext,
    query: Query,
    Json(request): Json<Preferences>,
) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let catalog = app.catalog().await?;
    if let Some(unknown) = request.actions.keys().find(|a| !catalog.actions.contains_key(*a)) {
        return Err(ApiError::invalid(format!("actions.{unknown}"), "is not in the catalog"));
    }
    app.store().set_preferences(user, request.actions).await?;
    in_force(&app, user).await
}
