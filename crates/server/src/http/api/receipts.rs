//! Endpoints of read receipts: who has read a group message, and the receipts that wait for their sender.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tidings_model::{MsgId, Stamp};
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, PathParams, Query};
use tidings_server_core::http::response::error::{ApiResult, ok};
use tidings_server_core::http::response::idempotency::IdempotencyKey;
use tidings_server_core::state::AppState;
use tidings_store::{Readers, ReceiptPage};
use utoipa::ToSchema;

use super::groups::require_group_member;
use super::{INBOX, parameters};
use crate::http::openapi::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    let since = parameters::time_parameter("since", "Receipts after this.");
    vec![
        Endpoint::get("/groups/{gid}/messages/{msgid}/receipts", INBOX, self::readers)
            .about(
                "Who has read a message, and with whom it has only arrived, because a device of theirs \
                 has pulled it: a page of the members who count. `next` is the `after` of the next page.",
            )
            .query(parameters::page("id"))
            .response::<Readers>(200),
        Endpoint::get("/receipts", INBOX, self::receipts)
            .about("The receipts of the user's messages that were not delivered yet.")
            .query([since, parameters::pull_limit(), parameters::user()])
            .response::<ReceiptPage>(200),
        Endpoint::post("/receipts/ack", INBOX, self::ack_receipts)
            .about("Removes receipts that were delivered.")
            .query([parameters::user()])
            .request_body::<self::Through>()
            .response_schema(200, json!({"type": "object"}))
            .idempotent(),
    ]
}

pub(crate) async fn readers(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let gid = path.id("gid")?;
    let msgid = MsgId(path.text("msgid")?.to_owned());
    require_group_member(&app, &auth, gid).await?;
    ok(&app.store().readers(gid, &msgid, query.page()?).await?)
}

pub(crate) async fn receipts(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let since = query.time("since")?.unwrap_or(Stamp::ZERO);
    let limit = query.limit(limits::DEFAULT_SYNC_LIMIT, limits::SYNC_LIMIT)?;
    ok(&app.store().receipts(user, since, limit).await?)
}

/// The time up to which receipts were delivered.
#[derive(Deserialize, ToSchema)]
#[schema(as = ReceiptsThrough)]
pub(crate) struct Through {
    /// Receipts up to this time are removed.
    through: Stamp,
}

pub(crate) async fn ack_receipts(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    query: Query,
    Json(body): Json<Through>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let idempotency = key.idempotency(StatusCode::OK, |(): &()| json!({}));
    let outcome = app.store().ack_receipts(user, body.through, idempotency).await;
    key.respond(outcome, StatusCode::OK, |(): &()| json!({}))
}
