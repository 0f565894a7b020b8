//! Pulling and reading over the wire. Refuses to read an inbox before what is waiting for it was brought in.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tidings_model::wire::Op;
use tidings_model::{Code, Kind, MsgId, Problem, Stamp, View};
use utoipa::ToSchema;

use super::AppState;
use super::auth::AuthContext;
use super::idempotency::IdempotencyKey;
use super::input::{Json, Query, Segments, typed};
use super::load::Principal;
use super::page_response;
use super::problem::{ApiError, ApiResult, ok};
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::store::{Applied, ConversationQuery, InboxQuery, Outcome, RequestedOp, Visit};

/// Brings in everything that is waiting.
async fn fan_in(app: &AppState, user: UserKey) -> Result<(), ApiError> {
    while app.store().fan_in(user).await? {}
    Ok(())
}

pub(crate) async fn sync(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let since = query.time("since")?;
    let limit = query.limit(limits::SYNC_DEFAULT, limits::SYNC)?;
    let counted = query.flag("count")? == Some(true);
    let resync = |why: &str| ApiError::new(Code::Resync, format!("{why}; pull from the beginning"));
    if let Some(since) = since.filter(|s| *s > app.now())
        && since > app.store().meta().await?.last_stamp
    {
        return Err(resync("this position lies ahead of everything that there is"));
    }
    if let Some(epoch) = query.text("epoch")?
        && epoch != app.store().epoch().await?
    {
        return Err(resync("the history is another one"));
    }
    let waiting = app.store().fan_in(user).await?;
    let mut page = app.store().sync(user, since.unwrap_or(Stamp::ZERO), limit).await?;
    page.more |= waiting;
    // Whoever shows how far a pull is asks for what is left after the page.
    if counted {
        page.remaining = Some(app.store().changes_after(user, page.next).await?);
    }
    page_response::page(&app.load, user, page).await
}

fn kind(query: &Query) -> Result<Option<Kind>, Problem> {
    query
        .given("kind")?
        .map(|word| {
            Kind::from_wire(word)
                .ok_or_else(|| Problem::invalid("kind", "must be announcement, reminder or message"))
        })
        .transpose()
}

pub(crate) async fn list(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let wanted = InboxQuery {
        before: query.time("before")?,
        limit: query.limit(limits::LIST_DEFAULT, limits::LIST)?,
        kind: kind(&query)?,
        thread: query.text("thread")?.map(str::to_owned),
        unread: query.flag("unread")?.filter(|unread| *unread),
        archived: query.flag("archived")?.unwrap_or(false),
        conversation: None,
    };
    fan_in(&app, user).await?;
    page_response::page(&app.load, user, app.store().inbox(user, wanted).await?).await
}

pub(crate) async fn unread(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let cap = query.cap()?;
    fan_in(&app, user).await?;
    ok(&app.store().unread(user, cap).await?)
}

pub(crate) async fn conversations(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let wanted = ConversationQuery {
        before: query.time("before")?,
        limit: query.limit(limits::CONVERSATIONS_DEFAULT, limits::CONVERSATIONS)?,
        cap: query.cap()?,
    };
    fan_in(&app, user).await?;
    page_response::page(&app.load, user, app.store().conversations(user, wanted).await?).await
}

/// The conversation of a path.
fn conversation(path: &Segments) -> Result<String, Problem> {
    let id = path.text("id")?;
    if !tidings_model::view::is_conversation(id) {
        return Err(Problem::invalid("id", "must be user:<id> or group:<id>"));
    }
    Ok(id.to_owned())
}

pub(crate) async fn messages(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let wanted = InboxQuery {
        before: query.time("before")?,
        limit: query.limit(limits::LIST_DEFAULT, limits::LIST)?,
        conversation: Some(conversation(&path)?),
        ..InboxQuery::default()
    };
    fan_in(&app, user).await?;
    page_response::page(&app.load, user, app.store().inbox(user, wanted).await?).await
}

/// The item up to which a conversation was read.
#[derive(Deserialize, ToSchema)]
#[schema(as = ReadThrough)]
pub(crate) struct Through {
    through: MsgId,
}

/// Moves a mark, and tells whoever has to hear of it.
async fn go(
    app: &AppState,
    user: UserKey,
    view: &View,
    visit: Visit,
    cap: u64,
) -> Result<(Stamp, tidings_model::wire::Count), ApiError> {
    fan_in(app, user).await?;
    let (at, unread, affected) = app.store().visit(user, view, visit, cap).await?;
    let stamp = app.store().meta().await?.last_stamp;
    app.server.hub.hint(user, stamp);
    app.server.hub.messages_read(&affected, stamp);
    Ok((at, unread))
}

pub(crate) async fn read_through(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
    Json(body): Json<Through>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let view = View::Conversation(conversation(&path)?);
    let (_, unread) = go(&app, user, &view, Visit::Item(body.through), query.cap()?).await?;
    ok(&json!({"unread": unread}))
}

fn view_of(path: &Segments) -> Result<View, Problem> {
    View::from_parts(path.text("code")?, path.text("id")?)
        .map_err(|e| Problem::invalid("view", e.to_string()))
}

pub(crate) async fn view(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let (view, cap) = (view_of(&path)?, query.cap()?);
    fan_in(&app, user).await?;
    let (at, unread) = app.store().view(user, &view, cap).await?;
    ok(&json!({"at": at, "unread": unread}))
}

/// How far a view was looked at.
#[derive(Deserialize, Default, ToSchema)]
pub(crate) struct At {
    #[serde(default)]
    at: Option<Stamp>,
}

pub(crate) async fn visit(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
    body: super::input::Optional<At>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let view = view_of(&path)?;
    let visit = body.0.at.map_or(Visit::Now, Visit::At);
    let (at, unread) = go(&app, user, &view, visit, query.cap()?).await?;
    ok(&json!({"unread": unread, "at": at}))
}

#[derive(Deserialize)]
pub(crate) struct AskedOps {
    ops: Vec<Value>,
}

/// An operation as it came. Without an id it can't be answered for; with one it can at least be refused.
fn asked(i: usize, value: Value) -> Result<RequestedOp, Problem> {
    let field = format!("ops[{i}].id");
    let id = match value.get("id").and_then(Value::as_str) {
        Some(id) if (1..=limits::KEY).contains(&id.len()) => id.to_owned(),
        Some(_) => return Err(Problem::invalid(field, format!("must have 1 to {} bytes", limits::KEY))),
        None => return Err(Problem::invalid(field, "must be a text")),
    };
    let op = typed::<Op>(value, "")
        .ok()
        .filter(|op| op.change.msgids().is_none_or(|msgids| msgids.len() <= limits::MSGIDS));
    Ok(RequestedOp { id, op })
}

/// How many items an operation names, with itself.
fn named(op: &Value) -> usize {
    1 + op.get("msgids").and_then(Value::as_array).map_or(0, Vec::len)
}

pub(crate) async fn ops(
    State(app): State<AppState>,
    auth: AuthContext,
    key: IdempotencyKey,
    query: Query,
    Json(body): Json<AskedOps>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let cap = query.cap()?;
    if body.ops.len() > limits::ARRAY {
        return Err(ApiError::invalid("ops", format!("at most {} operations", limits::ARRAY)));
    }
    let many = body.ops.iter().map(named).sum::<usize>() > limits::PORTION;
    let parse =
        move || body.ops.into_iter().enumerate().map(|(i, v)| asked(i, v)).collect::<Result<Vec<_>, _>>();
    let asked = if many { app.load.compute(Principal::User(user), parse).await?? } else { parse()? };
    fan_in(&app, user).await?;
    let view = |applied: &Applied| json!({"results": applied.results, "unread": applied.unread});
    let outcome = app.store().apply(user, asked, cap, key.remember(StatusCode::OK, view)).await;
    if let Ok(Outcome::Done(applied)) = &outcome
        && applied.changed
    {
        let stamp = app.store().meta().await?.last_stamp;
        app.server.hub.hint(user, stamp);
        app.server.hub.messages_read(&applied.affected, stamp);
    }
    key.answer(outcome, StatusCode::OK, view)
}
