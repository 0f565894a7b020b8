//! Endpoints of the inbox: pulling, listing, counting, and the operations that change it. Every read runs fan-in first.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tidings_model::wire::{InboxPage, Op, Ops, OpsAnswer, SyncPage, UnreadCounts};
use tidings_model::{Code, Kind, Problem, Stamp};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, Query, from_value};
use tidings_server_core::http::response::error::{ApiError, ApiResult, ok};
use tidings_server_core::http::response::idempotency::IdempotencyKey;
use tidings_server_core::http::response::page as page_response;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tidings_store::trace::of_call;
use tidings_store::{Applied, InboxQuery, RequestedOp};

use super::{INBOX, parameters};
use crate::http::openapi::endpoint::{Endpoint, parameter};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let since =
        parameters::time_parameter("since", "The last-pull timestamp; from the beginning without it.");
    let count_parameter =
        parameter("count", "Also say how many items are left after this page.", &parameters::flag());
    let epoch = parameter("epoch", "The history that the client knows.", &json!({"type": "string"}));
    let kind_parameter = parameter(
        "kind",
        "Only this kind.",
        &parameters::string_enum(&["announcement", "reminder", "message"]),
    );
    let unread = parameter("unread", "Only unread ones.", &parameters::flag());
    let archived = parameter("archived", "The archived ones instead of the others.", &parameters::flag());
    vec![
        Endpoint::get("/sync", INBOX, self::sync)
            .about("Pulls everything that is new or changed, in stamp order.")
            .query([since, epoch, parameters::pull_limit(), count_parameter, parameters::user()])
            .response::<SyncPage>(200),
        Endpoint::get("/inbox", INBOX, self::list)
            .about("The inbox, by the time of the content, newest first.")
            .query([
                parameters::time_parameter("before", "Only what was created or last revised before."),
                parameters::list_limit(),
                kind_parameter,
                parameters::text_parameter("thread"),
                unread,
                archived,
                parameters::user(),
            ])
            .response::<InboxPage>(200),
        Endpoint::get("/unread", INBOX, self::unread)
            .about("The numbers, without the notifications.")
            .query([parameters::cap(), parameters::user()])
            .response::<UnreadCounts>(200),
        Endpoint::post("/inbox/ops", INBOX, self::ops)
            .about("Applies operations in order, each id once.")
            .query([parameters::cap(), parameters::user()])
            .request_body::<Ops>()
            .response::<OpsAnswer>(200)
            .idempotent(),
    ]
}

/// Runs fan-in for a user until nothing is pending.
pub(super) async fn fan_in(app: &AppState, user: UserKey) -> Result<(), ApiError> {
    let store = app.store();
    of_call(store, "bring in", async {
        while store.fan_in(user).await? {}
        Ok(())
    })
    .await?;
    Ok(())
}

pub(crate) async fn sync(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let since = query.time("since")?;
    let limit = query.limit(limits::DEFAULT_SYNC_LIMIT, limits::SYNC_LIMIT)?;
    let wants_count = query.flag("count")? == Some(true);
    let resync = |why: &str| ApiError::new(Code::Resync, format!("{why}; pull from the beginning"));
    if let Some(since) = since.filter(|s| *s > app.now())
        && since > app.store().position(user).await?
    {
        return Err(resync("this position lies ahead of everything that there is"));
    }
    let known_epoch = query.text("epoch")?;
    let store = app.store();
    let more_to_fan_in = of_call(store, "bring in", store.fan_in(user)).await?;
    let since = since.unwrap_or(Stamp::ZERO);
    let mut page = of_call(store, "pull", store.sync(user, since, limit)).await?;
    // That of the page itself: another one may have begun a moment ago.
    if known_epoch.is_some_and(|known| known != page.epoch) {
        return Err(resync("the history is another one"));
    }
    page.more |= more_to_fan_in;
    if let Some(to) = page.delivered_to
        && let Err(e) = of_call(store, "deliver", store.set_delivered(user, to)).await
    {
        // The page is there all the same; a later one takes these along.
        tracing::warn!(error = %e, "could not store how far a pull came");
    }
    // Counted only on request, because a client needs it only to show the progress of a pull.
    if wants_count {
        page.remaining = Some(of_call(store, "count changes", store.changes_after(user, page.next)).await?);
    }
    page_response::page(&app.load_limits, user, page).await
}

fn kind(query: &Query) -> Result<Option<Kind>, Problem> {
    query
        .raw_text("kind")?
        .map(|value| {
            Kind::from_wire(value)
                .ok_or_else(|| Problem::invalid("kind", "must be announcement, reminder or message"))
        })
        .transpose()
}

pub(crate) async fn list(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let inbox_query = InboxQuery {
        before: query.time("before")?,
        limit: query.limit(limits::DEFAULT_LIST_LIMIT, limits::LIST_LIMIT)?,
        kind: kind(&query)?,
        thread: query.text("thread")?.map(str::to_owned),
        unread: query.flag("unread")?.filter(|unread| *unread),
        archived: query.flag("archived")?.unwrap_or(false),
        conversation: None,
    };
    fan_in(&app, user).await?;
    let store = app.store();
    let page = of_call(store, "list", store.inbox(user, inbox_query)).await?;
    page_response::page(&app.load_limits, user, page).await
}

pub(crate) async fn unread(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let cap = query.cap()?;
    let store = app.store();
    ok(&of_call(store, "unread", store.fresh_unread(user, cap)).await?)
}

#[derive(Deserialize)]
pub(crate) struct AskedOps {
    ops: Vec<Value>,
}

/// An operation of a request. One without a valid id is an error of the whole request; one that is otherwise invalid
/// has no `op` and is answered as refused under its id.
fn parse_op(i: usize, value: Value) -> Result<RequestedOp, Problem> {
    let field = format!("ops[{i}].id");
    let id = match value.get("id").and_then(Value::as_str) {
        Some(id) if (1..=limits::KEY_BYTES).contains(&id.len()) => id.to_owned(),
        Some(_) => {
            return Err(Problem::invalid(field, format!("must have 1 to {} bytes", limits::KEY_BYTES)));
        }
        None => return Err(Problem::invalid(field, "must be a text")),
    };
    let op = from_value::<Op>(value, "")
        .ok()
        .filter(|op| op.change.msgids().is_none_or(|msgids| msgids.len() <= limits::OP_MSGIDS));
    Ok(RequestedOp { id, op })
}

/// One, plus the number of msgids that the operation names: its share of the work to parse it.
fn op_size(op: &Value) -> usize {
    1 + op.get("msgids").and_then(Value::as_array).map_or(0, Vec::len)
}

pub(crate) async fn ops(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    query: Query,
    Json(body): Json<AskedOps>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let cap = query.cap()?;
    if body.ops.len() > limits::ARRAY_ELEMENTS {
        return Err(ApiError::invalid("ops", format!("at most {} operations", limits::ARRAY_ELEMENTS)));
    }
    let many = body.ops.iter().map(op_size).sum::<usize>() > limits::SHORT_WRITE_ROWS;
    let parse =
        move || body.ops.into_iter().enumerate().map(|(i, v)| parse_op(i, v)).collect::<Result<Vec<_>, _>>();
    let requested_ops =
        if many { app.load_limits.compute(Principal::User(user), parse).await?? } else { parse()? };
    let to_body = |applied: &Applied| json!({"results": applied.results, "unread": applied.unread});
    let idempotency = key.idempotency(StatusCode::OK, to_body);
    let outcome = app.server.apply(user, requested_ops, cap, idempotency).await;
    key.respond(outcome, StatusCode::OK, to_body)
}
