//! Groups and read receipts over the wire. Refuses a look into a group to whoever is not in it.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tidings_model::wire::{NewMessage, Scope};
use tidings_model::{Code, MsgId, Problem, Stamp, check_id};
use utoipa::ToSchema;

use super::App;
use super::auth::Who;
use super::input::{Json, Query, Segments};
use super::large::page;
use super::load::Principal;
use super::once::Key;
use super::problem::{Answer, Refusal, nothing, ok};
use super::publish;
use crate::domain::draft::{Audience, Draft, check_name};
use crate::domain::limits;
use crate::error::Error;

/// A group to be.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewGroup {
    #[serde(default)]
    id: Option<String>,
    name: String,
    #[serde(default)]
    members: Vec<String>,
}

pub(crate) async fn add(
    State(app): State<App>,
    who: Who,
    key: Key,
    query: Query,
    Json(new): Json<NewGroup>,
) -> Answer {
    let owner = who.inbox_of(&app, &query).await?;
    if let Some(id) = &new.id {
        check_id(id).map_err(|e| Problem::invalid("id", e.to_string()))?;
    }
    if new.name.is_empty() {
        return Err(Refusal::invalid("name", "must not be empty"));
    }
    check_name("name", &new.name)?;
    let by = Principal::User(who.bearer.user);
    let members = match new.members {
        few if few.len() <= limits::PORTION => checked(few)?,
        many => app.load.compute(by, move || checked(many)).await??,
    };
    let once = key.once(StatusCode::CREATED, Clone::clone);
    let did = app.store().add_group(owner, new.id, new.name, members, once).await;
    key.answer(did, StatusCode::CREATED, Clone::clone)
}

/// The ids of members, which may be many.
fn checked(members: Vec<String>) -> Result<Vec<String>, Problem> {
    if members.len() > limits::MEMBERS {
        return Err(Problem::invalid("members", format!("at most {} members", limits::MEMBERS)));
    }
    for (i, member) in members.iter().enumerate() {
        check_id(member).map_err(|e| Problem::invalid(format!("members[{i}]"), e.to_string()))?;
    }
    Ok(members)
}

pub(crate) async fn mine(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.inbox_of(&app, &query).await?;
    page(&app.load, user, app.store().groups_of(user, query.page()?).await?).await
}

/// Whether the token may look into a group: its members', and everybody's with `admin`.
async fn may_see(app: &App, who: &Who, gid: &str) -> Result<(), Refusal> {
    who.must(Scope::Inbox)?;
    let inside = app.store().is_member(gid, who.bearer.user).await?;
    if !inside && !who.bearer.may(Scope::Admin) {
        return Err(Refusal::new(Code::Forbidden, "this group is for its members"));
    }
    Ok(())
}

pub(crate) async fn group(State(app): State<App>, who: Who, path: Segments) -> Answer {
    let gid = path.id("gid")?;
    may_see(&app, &who, gid).await?;
    ok(&app.store().group(gid).await?.ok_or_else(|| Error::not_found("group"))?)
}

pub(crate) async fn members(State(app): State<App>, who: Who, path: Segments, query: Query) -> Answer {
    let gid = path.id("gid")?;
    may_see(&app, &who, gid).await?;
    page(&app.load, who.bearer.user, app.store().members(gid, query.page()?).await?).await
}

/// The owner adds and removes; with `admin` everybody does.
async fn must_own(app: &App, who: &Who, gid: &str) -> Result<(), Refusal> {
    let owner = app.store().owner_of(gid).await?;
    if owner == Some(who.bearer.user) || who.bearer.may(Scope::Admin) {
        return Ok(());
    }
    Err(Refusal::new(Code::Forbidden, "only the group's owner adds and removes members"))
}

pub(crate) async fn join(State(app): State<App>, who: Who, path: Segments) -> Answer {
    let (gid, uid) = (path.id("gid")?, path.id("uid")?);
    may_see(&app, &who, gid).await?;
    must_own(&app, &who, gid).await?;
    ok(&app.store().join(gid, uid).await?)
}

pub(crate) async fn leave(State(app): State<App>, who: Who, path: Segments) -> Answer {
    let (gid, uid) = (path.id("gid")?, path.id("uid")?);
    may_see(&app, &who, gid).await?;
    if uid != who.id() {
        must_own(&app, &who, gid).await?;
    }
    app.store().leave(gid, uid).await?;
    nothing()
}

pub(crate) async fn post(
    State(app): State<App>,
    who: Who,
    key: Key,
    path: Segments,
    asked: super::input::OneOrMany<NewMessage>,
) -> Answer {
    who.must_any(&[Scope::Inbox, Scope::Publish])?;
    let gid = path.id("gid")?.to_owned();
    let many = asked.many;
    let drafts = publish::drafts(&app, who.bearer.user, asked, move |new: NewMessage| {
        let (from, name) = publish::sender(&who, &new)?;
        Draft::message(new, Audience::Group(gid.clone()), from, name)
    })
    .await?;
    publish::post(&app, &key, drafts, many).await
}

pub(crate) async fn readers(State(app): State<App>, who: Who, path: Segments, query: Query) -> Answer {
    let gid = path.id("gid")?;
    let msgid = MsgId(path.text("msgid")?.to_owned());
    may_see(&app, &who, gid).await?;
    ok(&app.store().readers(gid, &msgid, query.page()?).await?)
}

pub(crate) async fn receipts(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.inbox_of(&app, &query).await?;
    let since = query.time("since")?.unwrap_or(Stamp::ZERO);
    let limit = query.limit(limits::SYNC_DEFAULT, limits::SYNC)?;
    ok(&app.store().receipts(user, since, limit).await?)
}

/// Up to where receipts were delivered.
#[derive(Deserialize, ToSchema)]
#[schema(as = ReceiptsThrough)]
pub(crate) struct Through {
    through: Stamp,
}

pub(crate) async fn ack_receipts(
    State(app): State<App>,
    who: Who,
    key: Key,
    query: Query,
    Json(body): Json<Through>,
) -> Answer {
    let user = who.inbox_of(&app, &query).await?;
    let once = key.once(StatusCode::OK, |(): &()| json!({}));
    let did = app.store().ack_receipts(user, body.through, once).await;
    key.answer(did, StatusCode::OK, |(): &()| json!({}))
}
