//! Subscriptions, follows and preferences over the wire. Refuses reasons and actions that the catalog does not have.

use std::collections::BTreeMap;

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use tidings_model::{Problem, check_id, check_target_id};
use utoipa::ToSchema;

use super::App;
use super::auth::Who;
use super::input::{Json, Query, Segments};
use super::large::page;
use super::problem::{Answer, Refusal, nothing, ok};
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::TargetRef;

/// What to subscribe to: a reason, actions, or both.
#[derive(Deserialize, ToSchema)]
#[schema(as = SubscriptionWish)]
pub(crate) struct Wish {
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
    State(app): State<App>,
    who: Who,
    query: Query,
    Json(wish): Json<Wish>,
) -> Answer {
    let user = who.manages(&app, &query).await?;
    check(&wish.target, "target.")?;
    let catalog = app.catalog().await?;
    let mut actions = wish.actions.unwrap_or_default();
    if let Some(unknown) = actions.iter().find(|a| !catalog.actions.contains_key(*a)) {
        return Err(Refusal::invalid("actions", format!("`{unknown}` is not in the catalog")));
    }
    match &wish.reason {
        Some(reason) => {
            let expanded = catalog
                .expand(reason)
                .ok_or_else(|| Problem::invalid("reason", format!("`{reason}` is not in the catalog")))?;
            actions.extend(expanded.iter().cloned());
        }
        None if actions.is_empty() => {
            return Err(Refusal::invalid("actions", "name a reason, or at least one action"));
        }
        None => {}
    }
    actions.sort_unstable();
    actions.dedup();
    ok(&app.store().subscribe(user, wish.target, actions, wish.reason).await?)
}

pub(crate) async fn unsubscribe(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    let missing = |field: &str| Problem::invalid(field, "must be given");
    let target = TargetRef {
        kind: query.text("type")?.ok_or_else(|| missing("type"))?.to_owned(),
        id: query.text("id")?.ok_or_else(|| missing("id"))?.to_owned(),
    };
    check(&target, "")?;
    app.store().unsubscribe(user, target, query.text("action")?.map(str::to_owned)).await?;
    nothing()
}

pub(crate) async fn list(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    let (kind, id) = (query.text("type")?.map(str::to_owned), query.text("id")?.map(str::to_owned));
    page(&app.load, user, app.store().subscriptions(user, kind, id, query.page()?).await?).await
}

pub(crate) async fn follow(State(app): State<App>, who: Who, path: Segments, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    ok(&app.store().follow(user, path.id("user")?).await?)
}

pub(crate) async fn unfollow(State(app): State<App>, who: Who, path: Segments, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    app.store().unfollow(user, path.id("user")?).await?;
    nothing()
}

pub(crate) async fn follows(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    page(&app.load, user, app.store().follows(user, query.page()?).await?).await
}

pub(crate) async fn followed(State(app): State<App>, who: Who, path: Segments, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    let follow = app.store().followed(user, path.id("user")?).await?;
    ok(&follow.ok_or_else(|| Error::not_found("follow"))?)
}

/// The value in force of every action.
async fn in_force(app: &App, user: UserKey) -> Answer {
    let catalog = app.catalog().await?;
    let set = app.store().preferences(user).await?;
    let actions: BTreeMap<&String, bool> = catalog
        .actions
        .iter()
        .map(|(action, rule)| (action, set.get(action).copied().unwrap_or(rule.default)))
        .collect();
    ok(&json!({"actions": actions}))
}

pub(crate) async fn preferences(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.manages(&app, &query).await?;
    in_force(&app, user).await
}

/// Actions that are wanted or not; null takes a preference back.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Preferences {
    actions: BTreeMap<String, Option<bool>>,
}

pub(crate) async fn set_preferences(
    State(app): State<App>,
    who: Who,
    query: Query,
    Json(wish): Json<Preferences>,
) -> Answer {
    let user = who.manages(&app, &query).await?;
    let catalog = app.catalog().await?;
    if let Some(unknown) = wish.actions.keys().find(|a| !catalog.actions.contains_key(*a)) {
        return Err(Refusal::invalid(format!("actions.{unknown}"), "is not in the catalog"));
    }
    app.store().set_preferences(user, wish.actions).await?;
    in_force(&app, user).await
}
