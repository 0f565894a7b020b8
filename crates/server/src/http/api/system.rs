//! Endpoints of health, of the server's features and limits, and of the catalog.

use std::collections::BTreeMap;

use serde_json::json;
use tidings_model::wire::{Info, Scope};
use tidings_model::{Catalog, Code, Problem};
use tidings_server_core::domain::limits;
use tidings_server_core::endpoint::MAX_CHALLENGE_BYTES;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::health::health;
use tidings_server_core::http::input::Json;
use tidings_server_core::http::response::error::{ApiResult, ok};
use tidings_server_core::state::AppState;

use super::{ADMIN, ANY_SCOPE, parameters};
use crate::http::openapi::endpoint::{Endpoint, parameter};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let mut healthy = parameters::object(&json!({"healthy": {"type": "boolean"}}));
    if let Some(members) = healthy.pointer_mut("/properties").and_then(|members| members.as_object_mut()) {
        let about = "HMAC-SHA256, in base64url without padding: the key is the text of the token in `endpoint.json`, \
            the message `tidings endpoint`, a line feed and the challenge. Missing where the server has no such file.";
        members.insert("proof".to_owned(), json!({"type": "string", "description": about}));
    }
    let challenge = parameter(
        "challenge",
        "Asks for a proof that this server wrote `endpoint.json`, before its token is sent.",
        &json!({"type": "string", "pattern": format!("^[!-~]{{1,{MAX_CHALLENGE_BYTES}}}$")}),
    );
    vec![
        Endpoint::get("/health", &[], health)
            .about("Whether the server is up.")
            .query([challenge])
            .response_schema(200, healthy),
        Endpoint::get("/health/ready", &[], self::ready)
            .about(
                "Whether the server can store what it is sent, so that a load balancer may choose it. One \
                 that is not ready still serves what it can.",
            )
            .response_schema(200, parameters::object(&json!({"ready": {"type": "boolean"}}))),
        Endpoint::get("/info", &[], self::info)
            .about("What this server is, can and takes.")
            .response::<Info>(200),
        Endpoint::get("/openapi.json", &[], super::reference)
            .about("This reference.")
            .response_schema(200, json!({"type": "object"})),
        Endpoint::get("/catalog", ANY_SCOPE, self::catalog)
            .about(
                "The catalog: actions, their templates and classes, and which actions a reason subscribes \
                 to.",
            )
            .response::<Catalog>(200),
        Endpoint::put("/catalog", ADMIN, self::set_catalog)
            .about("Replaces the catalog.")
            .request_body::<Catalog>()
            .response::<Catalog>(200),
    ]
}

/// Answers whether the server can store what it is sent, and is not about to end.
pub(crate) async fn ready(app: AppState) -> ApiResult {
    if app.draining.is_cancelled() {
        return Err(Problem::new(Code::Unavailable, "this server is about to stop").into());
    }
    app.store().ready().await?;
    ok(&json!({"ready": true}))
}

/// The names of this server's features, which clients test for.
const FEATURES: &[&str] = &[
    "announcements",
    "reminders",
    "messages",
    "groups",
    "receipts",
    "follows",
    "preferences",
    "snooze",
    "questions",
    "events",
    "idempotency",
    "ntfy-publish",
    "ntfy-templates",
    "ntfy-uploads",
    "gotify",
    "topic-settings",
    "webhooks",
    "openapi",
    "metrics",
];
/// The feature of a server on which messages may have a file.
const ATTACHMENTS: &str = "attachments";

pub(crate) async fn info(app: AppState) -> ApiResult {
    let mut limits = BTreeMap::from([
        ("body_bytes", limits::BODY_BYTES as u64),
        ("text_bytes", limits::TEXT_BYTES as u64),
        ("data_bytes", limits::DATA_BYTES as u64),
        ("notification_bytes", limits::NOTIFICATION_BYTES as u64),
        ("name_bytes", limits::NAME_BYTES as u64),
        ("tag_bytes", limits::TAG_BYTES as u64),
        ("json_depth", limits::JSON_DEPTH as u64),
        ("json_values", limits::JSON_VALUES as u64),
        ("json_containers", limits::JSON_CONTAINERS as u64),
        ("array", limits::ARRAY_ELEMENTS as u64),
        ("ops", limits::ARRAY_ELEMENTS as u64),
        ("op_msgids", limits::OP_MSGIDS as u64),
        ("cap", limits::COUNT_CAP),
        ("sync_limit", limits::SYNC_LIMIT as u64),
        ("list_limit", limits::LIST_LIMIT as u64),
        ("people_limit", limits::PEOPLE_LIMIT as u64),
        ("conversations_limit", limits::CONVERSATIONS_LIMIT as u64),
        ("listed", limits::PAGE_ELEMENTS as u64),
        ("page_bytes", limits::PAGE_BYTES as u64),
        ("members", limits::GROUP_MEMBERS as u64),
        ("tags", limits::TAG_COUNT as u64),
        ("key_bytes", limits::KEY_BYTES as u64),
        ("subscriptions", limits::USER_SUBSCRIPTIONS as u64),
        ("scheduled_topic", limits::TOPIC_SCHEDULED as u64),
        ("scheduled_topic_bytes", limits::TOPIC_SCHEDULED_BYTES as u64),
        ("scheduled_user", limits::USER_SCHEDULED as u64),
        ("scheduled_user_bytes", limits::USER_SCHEDULED_BYTES as u64),
        ("template_bytes", limits::TEMPLATE_BYTES as u64),
        ("template_source_bytes", limits::TEMPLATE_SOURCE_BYTES as u64),
        ("mail_bytes", limits::MAIL_BYTES as u64),
        ("mail_recipients", limits::MAIL_RECIPIENTS as u64),
        ("channels", limits::USER_CHANNELS as u64),
        ("applications", limits::USER_APPLICATIONS as u64),
        ("clients", limits::USER_CLIENTS as u64),
        ("image_bytes", limits::IMAGE_BYTES as u64),
        ("image_user_bytes", limits::USER_IMAGE_BYTES as u64),
        ("topic_publishers", limits::TOPIC_PUBLISHERS as u64),
        ("topic_readers", limits::TOPIC_READERS as u64),
        ("topic_payloads", limits::TOPIC_PAYLOADS as u64),
        ("topic_payloads_bytes", limits::TOPIC_PAYLOADS_BYTES as u64),
        ("payload_notices", limits::PAYLOAD_NOTICES as u64),
        ("payload_days", limits::PAYLOAD_DAYS.unsigned_abs()),
        ("answer_hours", limits::STORED_RESPONSE_HOURS.unsigned_abs()),
        ("operation_days", limits::OPERATION_DAYS.unsigned_abs()),
        ("receipt_days", limits::RECEIPT_DAYS.unsigned_abs()),
    ]);
    let files = &app.server.config.files;
    limits.extend([
        ("file_bytes", files.file_bytes),
        ("user_files_bytes", files.user_bytes),
        ("user_files", limits::USER_FILES as u64),
        ("user_uploads", limits::USER_UPLOADS as u64),
        ("file_seconds", files.keep.as_secs()),
    ]);
    let features = FEATURES.iter().chain(Some(&ATTACHMENTS).filter(|_| files.file_bytes > 0));
    if let Some(rate) = app.server.config.rate {
        limits.insert("request_burst", rate.burst.into());
        limits.insert("requests_per_second", rate.per_second.into());
    }
    ok(&Info {
        name: "tidings".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api: 1,
        now: app.now(),
        features: features.map(|name| (*name).to_owned()).collect(),
        limits: limits.into_iter().map(|(name, n)| (name.to_owned(), n)).collect(),
    })
}

pub(crate) async fn catalog(app: AppState, _auth: AuthContext) -> ApiResult {
    ok(&*app.catalog().await?)
}

pub(crate) async fn set_catalog(app: AppState, auth: AuthContext, Json(catalog): Json<Catalog>) -> ApiResult {
    auth.require_scope(Scope::Admin)?;
    catalog.check().map_err(|e| Problem::invalid(e.field, e.detail))?;
    app.store().set_catalog(catalog.clone()).await?;
    ok(&catalog)
}
