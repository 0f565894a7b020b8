//! Endpoints of subscriptions, follows and preferences, with the reasons and actions of the catalog.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use tidings_model::{Problem, check_id, check_target_id};
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, PathParams, Query};
use tidings_server_core::http::response::error::{ApiError, ApiResult, no_content, ok};
use tidings_server_core::http::response::page::page;
use tidings_server_core::http::topics::require_readable;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::topic::TOPIC_TARGET;
use tidings_store::{Error, Follow, Subscription, TargetRef};
use utoipa::ToSchema;

use super::{INBOX_OR_PUBLISH, parameters};
use crate::http::openapi::endpoint::{Endpoint, parameter, required_parameter};
use crate::http::openapi::schemas::{ID_PATTERN, TARGET_ID_PATTERN};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let preferences_schema = parameters::object(
        &json!({"actions": {"type": "object", "additionalProperties": {"type": "boolean"}}}),
    );
    vec![
        Endpoint::get("/subscriptions", INBOX_OR_PUBLISH, self::list)
            .about("A page of the user's subscriptions, ordered by type and id of their targets.")
            .query([parameters::text_parameter("type"), parameters::text_parameter("id"), parameters::user()])
            .query(parameters::page("target, as `<type>:<id>`,"))
            .list_response::<Subscription>(200),
        Endpoint::put("/subscriptions", INBOX_OR_PUBLISH, self::subscribe)
            .about("Subscribes; actions add up, each from when it was added.")
            .query([parameters::user()])
            .request_body::<self::SubscriptionRequest>()
            .response::<Subscription>(200),
        Endpoint::delete("/subscriptions", INBOX_OR_PUBLISH, self::unsubscribe)
            .about("Ends a subscription, or one action of it.")
            .query([
                required_parameter(parameter(
                    "type",
                    "The target's type.",
                    &json!({"type": "string", "pattern": ID_PATTERN}),
                )),
                required_parameter(parameter(
                    "id",
                    "The target's id.",
                    &json!({"type": "string", "pattern": TARGET_ID_PATTERN}),
                )),
                parameters::text_parameter("action"),
                parameters::user(),
            ])
            .no_content_response(),
        Endpoint::get("/follows", INBOX_OR_PUBLISH, self::follows)
            .about("A page of the users that the user follows, ordered by id.")
            .query([parameters::user()])
            .query(parameters::page("id"))
            .list_response::<Follow>(200),
        Endpoint::get("/follows/{user}", INBOX_OR_PUBLISH, self::followed)
            .about("The follow of a user, with its beginning.")
            .response::<Follow>(200),
        Endpoint::put("/follows/{user}", INBOX_OR_PUBLISH, self::follow)
            .about("Follows a user: brings the reminders whose actor they are.")
            .response::<Follow>(200),
        Endpoint::delete("/follows/{user}", INBOX_OR_PUBLISH, self::unfollow)
            .about("Follows no longer.")
            .no_content_response(),
        Endpoint::get("/preferences", INBOX_OR_PUBLISH, self::preferences)
            .about("The user's preferences: for every action, whether its reminders are wanted.")
            .query([parameters::user()])
            .response_schema(200, preferences_schema.clone()),
        Endpoint::patch("/preferences", INBOX_OR_PUBLISH, self::set_preferences)
            .about("Sets preferences: switches reminders of actions on or off.")
            .query([parameters::user()])
            .request_body::<self::Preferences>()
            .response_schema(200, preferences_schema),
    ]
}

/// A subscription to add: a reason, actions, or both.
#[derive(Deserialize, ToSchema)]
#[schema(as = SubscriptionRequest)]
pub(crate) struct SubscriptionRequest {
    /// The target whose reminders are wanted.
    target: TargetRef,
    /// A reason of the catalog, which stands for the actions that the catalog lists for it.
    #[serde(default)]
    reason: Option<String>,
    /// Actions of the catalog, in addition to those of the reason.
    #[serde(default)]
    actions: Option<Vec<String>>,
}

fn check(target: &TargetRef, prefix: &str) -> Result<(), Problem> {
    check_id(&target.kind).map_err(|e| Problem::invalid(format!("{prefix}type"), e.to_string()))?;
    check_target_id(&target.id).map_err(|e| Problem::invalid(format!("{prefix}id"), e.to_string()))
}

pub(crate) async fn subscribe(
    app: AppState,
    auth: AuthContext,
    query: Query,
    Json(request): Json<SubscriptionRequest>,
) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    check(&request.target, "target.")?;
    if request.target.kind == TOPIC_TARGET {
        let id = query.text("user")?.unwrap_or(auth.id());
        require_readable(&app, id, std::slice::from_ref(&request.target.id)).await?;
    }
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

pub(crate) async fn unsubscribe(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let missing = |field: &str| Problem::invalid(field, "is required");
    let target = TargetRef {
        kind: query.text("type")?.ok_or_else(|| missing("type"))?.to_owned(),
        id: query.text("id")?.ok_or_else(|| missing("id"))?.to_owned(),
    };
    check(&target, "")?;
    app.store().unsubscribe(user, target, query.text("action")?.map(str::to_owned)).await?;
    no_content()
}

pub(crate) async fn list(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let (kind, id) = (query.text("type")?.map(str::to_owned), query.text("id")?.map(str::to_owned));
    page(&app.load_limits, user, app.store().subscriptions(user, kind, id, query.page()?).await?).await
}

pub(crate) async fn follow(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    ok(&app.store().follow(user, path.id("user")?).await?)
}

pub(crate) async fn unfollow(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    app.store().unfollow(user, path.id("user")?).await?;
    no_content()
}

pub(crate) async fn follows(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    page(&app.load_limits, user, app.store().follows(user, query.page()?).await?).await
}

pub(crate) async fn followed(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    let follow = app.store().followed(user, path.id("user")?).await?;
    ok(&follow.ok_or_else(|| Error::not_found("follow"))?)
}

/// Each action of the catalog with its effective value: the user's preference, or the catalog's default.
async fn effective_preferences(app: &AppState, user: UserKey) -> ApiResult {
    let catalog = app.catalog().await?;
    let set = app.store().preferences(user).await?;
    let actions: BTreeMap<&String, bool> = catalog
        .actions
        .iter()
        .map(|(action, rule)| (action, set.get(action).copied().unwrap_or(rule.default)))
        .collect();
    ok(&json!({"actions": actions}))
}

pub(crate) async fn preferences(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.subscriptions_of(&app, &query).await?;
    effective_preferences(&app, user).await
}

/// Preferences to change, by action.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Preferences {
    /// Whether reminders of the action are wanted; null restores the catalog's default.
    actions: BTreeMap<String, Option<bool>>,
}

pub(crate) async fn set_preferences(
    app: AppState,
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
    effective_preferences(&app, user).await
}
