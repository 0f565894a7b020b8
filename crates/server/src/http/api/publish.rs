//! Endpoints that publish announcements and reminders, and how every publication is stored and answered. A response is sent
//! after the commit is durable.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;
use tidings_model::wire::{NewAnnouncement, NewReminder, Posted, Scope};
use tidings_model::{Actor, Code, Problem};
use tidings_server_core::budgets::Principal;
use tidings_server_core::files::Upload;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::OneOrMany;
use tidings_server_core::http::response::error::{ApiError, ApiResult};
use tidings_server_core::http::response::idempotency::IdempotencyKey;
use tidings_server_core::state::AppState;
use tidings_store::PostedBy;
use tidings_store::domain::account::{Bearer, UserKey};
use tidings_store::domain::draft::{Draft, Post};
use tidings_store::domain::question;

use super::{INBOX_OR_PUBLISH, PUBLISH};
use crate::http::openapi::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/announcements", PUBLISH, self::announcements)
            .about("Publishes an announcement to every user who exists when it is due.")
            .one_or_many_request_body::<NewAnnouncement>()
            .one_or_many_response::<Posted>(201)
            .idempotent(),
        Endpoint::post("/reminders", INBOX_OR_PUBLISH, self::reminders)
            .about("Publishes a reminder: an actor did an action to a target.")
            .one_or_many_request_body::<NewReminder>()
            .one_or_many_response::<Posted>(201)
            .idempotent(),
    ]
}

/// Admits and stores drafts of a token, and makes the response: an array if the request had one, otherwise one object. The
/// file that was uploaded with a draft is removed if they are not stored, or were stored by an earlier request with the
/// same key.
pub(crate) async fn post_and_respond(
    app: &AppState,
    by: &Bearer,
    key: &IdempotencyKey,
    mut drafts: Vec<Draft>,
    many: bool,
    upload: Option<Upload>,
) -> Result<Response, ApiError> {
    let to_body = move |posts: &Vec<Post>| -> Value {
        let posted = posts.iter().map(|p| &p.posted);
        if many {
            serde_json::to_value(posted.collect::<Vec<_>>()).unwrap_or_default()
        } else {
            posted.map(|p| serde_json::to_value(p).unwrap_or_default()).next().unwrap_or_default()
        }
    };
    for draft in &mut drafts {
        draft.posted_by = PostedBy::of(Some(by));
        app.admit(Some(by), draft).await?;
    }
    let outcome = app.server.publish(drafts, upload, key.idempotency(StatusCode::CREATED, to_body)).await;
    key.respond(outcome, StatusCode::CREATED, to_body)
}

/// Makes drafts, those of a large body on the parser threads. In an array, an error names the index of the element.
pub(crate) async fn build_drafts<T: Send + 'static>(
    app: &AppState,
    user: UserKey,
    input: OneOrMany<T>,
    make: impl Fn(T) -> Result<Draft, Problem> + Send + 'static,
) -> Result<Vec<Draft>, Problem> {
    let now = app.now();
    let make = move |new| {
        let mut draft = make(new)?;
        question::open(&mut draft.content, now)?;
        Ok(draft)
    };
    let OneOrMany { many, large, elements } = input;
    let all = move || {
        elements.into_iter().enumerate().map(|(i, t)| make(t).map_err(|e| with_index(many, i, e))).collect()
    };
    if large { app.load_limits.compute(Principal::User(user), all).await? } else { all() }
}

fn with_index(many: bool, i: usize, mut problem: Problem) -> Problem {
    if many {
        match &mut problem.field {
            Some(field) => *field = format!("[{i}].{field}"),
            None => problem.detail = format!("[{i}]: {}", problem.detail),
        }
    }
    problem
}

pub(crate) async fn announcements(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    input: OneOrMany<NewAnnouncement>,
) -> ApiResult {
    auth.require_scope(Scope::Publish)?;
    let many = input.many;
    let bearer = auth.bearer;
    let by = Actor { id: bearer.id.clone(), name: bearer.name.clone() };
    let drafts =
        build_drafts(&app, bearer.user, input, move |new| Draft::announcement(new, by.clone())).await?;
    post_and_respond(&app, &bearer, &key, drafts, many, None).await
}

pub(crate) async fn reminders(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    input: OneOrMany<NewReminder>,
) -> ApiResult {
    auth.require_any_scope(&[Scope::Publish, Scope::Inbox])?;
    let many = input.many;
    let catalog = app.catalog().await?;
    let bearer = auth.bearer.clone();
    let drafts = build_drafts(&app, auth.bearer.user, input, move |new: NewReminder| {
        if new.actor.id() != auth.id() && !auth.bearer.has_scope(Scope::Publish) {
            return Err(Problem::new(Code::Forbidden, "with this token, the actor can only be its own user"));
        }
        Draft::reminder(new, &catalog)
    })
    .await?;
    post_and_respond(&app, &bearer, &key, drafts, many, None).await
}
