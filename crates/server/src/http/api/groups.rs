//! Endpoints of groups. A group is visible to its members and to tokens with `admin`.

use axum::http::StatusCode;
use serde::Deserialize;
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem, check_id};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, PathParams, Query};
use tidings_server_core::http::response::error::{ApiError, ApiResult, no_content, ok};
use tidings_server_core::http::response::idempotency::IdempotencyKey;
use tidings_server_core::http::response::page::page;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::check_name;
use tidings_store::{Error, Group, GroupSummary, Member, Outcome};
use utoipa::ToSchema;

use super::{INBOX, parameters};
use crate::http::openapi::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/groups", INBOX, self::add)
            .about("Makes a group; its creator owns it.")
            .query([parameters::user()])
            .request_body::<self::NewGroup>()
            .response::<Group>(201)
            .idempotent(),
        Endpoint::get("/groups", INBOX, self::my_groups)
            .about("A page of the groups that one is in, by id.")
            .query([parameters::user()])
            .query(parameters::page("id"))
            .list_response::<GroupSummary>(200),
        Endpoint::get("/groups/{gid}", INBOX, self::group)
            .about("A group with the first page of its members, for its members.")
            .response::<Group>(200),
        Endpoint::patch("/groups/{gid}", INBOX, self::change)
            .about("Renames a group, or hands it over to another member; for the owner.")
            .request_body::<self::GroupChange>()
            .response::<Group>(200),
        Endpoint::delete("/groups/{gid}", INBOX, self::end)
            .about(
                "Ends a group, for the owner: its members keep what they have, nothing is posted to it \
                 any more, and its id stays taken.",
            )
            .no_content_response(),
        Endpoint::get("/groups/{gid}/members", INBOX, self::members)
            .about("A page of a group's members, in the order in which they joined.")
            .query(parameters::page("id"))
            .list_response::<Member>(200),
        Endpoint::put("/groups/{gid}/members/{uid}", INBOX, self::join)
            .about("Adds a member; for the owner.")
            .response::<Group>(200),
        Endpoint::delete("/groups/{gid}/members/{uid}", INBOX, self::leave)
            .about("Removes a member, or leaves.")
            .no_content_response(),
    ]
}

/// A group to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewGroup {
    /// The group's id; a random one if it is missing.
    #[serde(default)]
    id: Option<String>,
    /// The display name, not empty.
    name: String,
    /// The ids of its members; the creator becomes one too.
    #[serde(default)]
    members: Vec<String>,
}

pub(crate) async fn add(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    query: Query,
    Json(new): Json<NewGroup>,
) -> ApiResult {
    let owner = auth.inbox_of(&app, &query).await?;
    if let Some(id) = &new.id {
        check_id(id).map_err(|e| Problem::invalid("id", e.to_string()))?;
    }
    check_group_name(&new.name)?;
    let principal = Principal::User(auth.bearer.user);
    let members = match new.members {
        members if members.len() <= limits::SHORT_WRITE_ROWS => check_members(members)?,
        members => app.load_limits.compute(principal, move || check_members(members)).await??,
    };
    let idempotency = key.idempotency(StatusCode::CREATED, Clone::clone);
    let outcome = app.store().add_group(owner, new.id, new.name, members, idempotency).await;
    if let Ok(Outcome::Done(group)) = &outcome {
        tell_members(&app, &group.id, None).await?;
    }
    key.respond(outcome, StatusCode::CREATED, Clone::clone)
}

fn check_group_name(name: &str) -> Result<(), ApiError> {
    if name.is_empty() {
        return Err(ApiError::invalid("name", "must not be empty"));
    }
    check_name("name", name)?;
    Ok(())
}

/// Sends hints to a group's members, and to who was removed from it: their pulls name the group.
async fn tell_members(app: &AppState, gid: &str, former: Option<UserKey>) -> Result<(), ApiError> {
    let stamp = app.store().published_through().await?;
    app.server.hub.group_changed(gid, former, stamp);
    Ok(())
}

/// What changes of a group.
#[derive(Deserialize, ToSchema)]
pub(crate) struct GroupChange {
    /// The display name, not empty; the present one if it is missing.
    #[serde(default)]
    name: Option<String>,
    /// The id of the member who becomes the owner; the present one if it is missing.
    #[serde(default)]
    owner: Option<String>,
}

pub(crate) async fn change(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    Json(change): Json<GroupChange>,
) -> ApiResult {
    let gid = path.id("gid")?;
    require_group_member(&app, &auth, gid).await?;
    require_group_owner(&app, &auth, gid).await?;
    if let Some(name) = &change.name {
        check_group_name(name)?;
    }
    if let Some(owner) = &change.owner {
        check_id(owner).map_err(|e| Problem::invalid("owner", e.to_string()))?;
    }
    let group = app.store().change_group(gid, change.name, change.owner).await?;
    tell_members(&app, gid, None).await?;
    ok(&group)
}

pub(crate) async fn end(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let gid = path.id("gid")?;
    require_group_member(&app, &auth, gid).await?;
    require_group_owner(&app, &auth, gid).await?;
    app.store().end_group(gid).await?;
    tell_members(&app, gid, None).await?;
    no_content()
}

/// Checks the number of member ids and each id.
fn check_members(members: Vec<String>) -> Result<Vec<String>, Problem> {
    if members.len() > limits::GROUP_MEMBERS {
        return Err(Problem::invalid("members", format!("at most {} members", limits::GROUP_MEMBERS)));
    }
    for (i, member) in members.iter().enumerate() {
        check_id(member).map_err(|e| Problem::invalid(format!("members[{i}]"), e.to_string()))?;
    }
    Ok(members)
}

pub(crate) async fn my_groups(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    page(&app.load_limits, user, app.store().groups_of(user, query.page()?).await?).await
}

/// An error unless the token's user is a member of the group or the token has `admin`.
pub(super) async fn require_group_member(
    app: &AppState,
    auth: &AuthContext,
    gid: &str,
) -> Result<(), ApiError> {
    auth.require_scope(Scope::Inbox)?;
    let is_member = app.store().is_member(gid, auth.bearer.user).await?;
    if !is_member && !auth.bearer.has_scope(Scope::Admin) {
        return Err(ApiError::new(Code::Forbidden, "only members may see this group"));
    }
    Ok(())
}

pub(crate) async fn group(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let gid = path.id("gid")?;
    require_group_member(&app, &auth, gid).await?;
    ok(&app.store().group(gid).await?.ok_or_else(|| Error::not_found("group"))?)
}

pub(crate) async fn members(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let gid = path.id("gid")?;
    require_group_member(&app, &auth, gid).await?;
    page(&app.load_limits, auth.bearer.user, app.store().members(gid, query.page()?).await?).await
}

/// An error unless the token's user owns the group or the token has `admin`.
async fn require_group_owner(app: &AppState, auth: &AuthContext, gid: &str) -> Result<(), ApiError> {
    let owner = app.store().group_owner(gid).await?;
    if owner == Some(auth.bearer.user) || auth.bearer.has_scope(Scope::Admin) {
        return Ok(());
    }
    Err(ApiError::new(Code::Forbidden, "only the owner of the group may change it"))
}

pub(crate) async fn join(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let (gid, uid) = (path.id("gid")?, path.id("uid")?);
    require_group_member(&app, &auth, gid).await?;
    require_group_owner(&app, &auth, gid).await?;
    let group = app.store().join(gid, uid).await?;
    tell_members(&app, gid, None).await?;
    ok(&group)
}

pub(crate) async fn leave(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let (gid, uid) = (path.id("gid")?, path.id("uid")?);
    require_group_member(&app, &auth, gid).await?;
    if uid != auth.id() {
        require_group_owner(&app, &auth, gid).await?;
    }
    let former = app.store().user(uid).await?.map(|user| user.key);
    app.store().leave(gid, uid).await?;
    tell_members(&app, gid, former).await?;
    no_content()
}
