//! Endpoints that publish announcements, reminders and messages. A response is sent after the commit is durable.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use serde_json::Value;
use tidings_model::wire::{NewAnnouncement, NewMessage, NewReminder, Posted, Scope};
use tidings_model::{Actor, Code, Problem, check_id};

use super::{EITHER, PUBLISH};
use crate::domain::account::UserKey;
use crate::domain::draft::{Audience, Draft, Post};
use crate::http::AppState;
use crate::http::auth::AuthContext;
use crate::http::input::OneOrMany;
use crate::http::limits::budgets::Principal;
use crate::http::openapi::endpoint::Endpoint;
use crate::http::response::error::{ApiError, ApiResult};
use crate::http::response::idempotency::IdempotencyKey;
use crate::store::Outcome;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST",
            "/announcements",
            "Publishes an announcement to every user who exists when it is due.",
            PUBLISH,
            post(self::announcements),
        )
        .takes_one_or_many::<NewAnnouncement>()
        .answers_one_or_many::<Posted>(201)
        .idempotent(),
        Endpoint::new(
            "POST",
            "/reminders",
            "Publishes a reminder: an actor did an action to a target.",
            EITHER,
            post(self::reminders),
        )
        .takes_one_or_many::<NewReminder>()
        .answers_one_or_many::<Posted>(201)
        .idempotent(),
        Endpoint::new("POST", "/messages", "Sends a message to a user.", EITHER, post(self::messages))
            .takes_one_or_many_with::<NewMessage>("to")
            .answers_one_or_many::<Posted>(201)
            .idempotent(),
    ]
}

/// Stores drafts and makes the response: an array where the request had one, otherwise one object.
pub(crate) async fn respond(
    app: &AppState,
    key: &IdempotencyKey,
    drafts: Vec<Draft>,
    many: bool,
) -> Result<Response, ApiError> {
    let view = move |posts: &Vec<Post>| -> Value {
        let posted = posts.iter().map(|p| &p.posted);
        if many {
            serde_json::to_value(posted.collect::<Vec<_>>()).unwrap_or_default()
        } else {
            posted.map(|p| serde_json::to_value(p).unwrap_or_default()).next().unwrap_or_default()
        }
    };
    let outcome = app.store().post(drafts, key.remember(StatusCode::CREATED, view)).await;
    if let Ok(Outcome::Done(posts)) = &outcome {
        app.server.hub.published(posts);
    }
    key.answer(outcome, StatusCode::CREATED, view)
}

/// Makes drafts, those of a large body on the parser threads. In an array, an error names the index of the element.
pub(crate) async fn drafts<T: Send + 'static>(
    app: &AppState,
    by: UserKey,
    asked: OneOrMany<T>,
    make: impl Fn(T) -> Result<Draft, Problem> + Send + 'static,
) -> Result<Vec<Draft>, Problem> {
    let OneOrMany { many, large, things } = asked;
    let all = move || {
        things.into_iter().enumerate().map(|(i, t)| make(t).map_err(|e| of_element(many, i, e))).collect()
    };
    if large { app.load.compute(Principal::User(by), all).await? } else { all() }
}

fn of_element(many: bool, i: usize, mut problem: Problem) -> Problem {
    if many {
        match &mut problem.field {
            Some(field) => *field = format!("[{i}].{field}"),
            None => problem.detail = format!("[{i}]: {}", problem.detail),
        }
    }
    problem
}

pub(crate) async fn announcements(
    State(app): State<AppState>,
    auth: AuthContext,
    key: IdempotencyKey,
    asked: OneOrMany<NewAnnouncement>,
) -> ApiResult {
    auth.require(Scope::Publish)?;
    let many = asked.many;
    let by = Actor { id: auth.bearer.id, name: auth.bearer.name };
    let drafts =
        drafts(&app, auth.bearer.user, asked, move |new| Draft::announcement(new, by.clone())).await?;
    respond(&app, &key, drafts, many).await
}

pub(crate) async fn reminders(
    State(app): State<AppState>,
    auth: AuthContext,
    key: IdempotencyKey,
    asked: OneOrMany<NewReminder>,
) -> ApiResult {
    auth.require_any(&[Scope::Publish, Scope::Inbox])?;
    let many = asked.many;
    let catalog = app.catalog().await?;
    let drafts = drafts(&app, auth.bearer.user, asked, move |new: NewReminder| {
        if new.actor.id() != auth.id() && !auth.bearer.may(Scope::Publish) {
            return Err(Problem::new(Code::Forbidden, "with this token only its own user can be the actor"));
        }
        Draft::reminder(new, &catalog)
    })
    .await?;
    respond(&app, &key, drafts, many).await
}

/// The sender of a message: the token's user, or the user that a token with `publish` names.
pub(crate) fn sender(auth: &AuthContext, new: &NewMessage) -> Result<(String, Option<String>), Problem> {
    let Some(from) = &new.from else { return Ok((auth.bearer.id.clone(), Some(auth.bearer.name.clone()))) };
    if from.id() != auth.id() && !auth.bearer.may(Scope::Publish) {
        return Err(Problem::new(Code::Forbidden, "with this token only its own user can be the sender"));
    }
    let name = match from {
        tidings_model::wire::ActorRef::Full { name, .. } => name.clone(),
        tidings_model::wire::ActorRef::Id(_) => None,
    };
    Ok((from.id().to_owned(), name))
}

pub(crate) async fn messages(
    State(app): State<AppState>,
    auth: AuthContext,
    key: IdempotencyKey,
    asked: OneOrMany<NewMessage>,
) -> ApiResult {
    auth.require_any(&[Scope::Inbox, Scope::Publish])?;
    let many = asked.many;
    let drafts = drafts(&app, auth.bearer.user, asked, move |new: NewMessage| {
        let to = new.to.clone().ok_or_else(|| Problem::invalid("to", "missing field `to`"))?;
        check_id(&to).map_err(|e| Problem::invalid("to", e.to_string()))?;
        let (from, name) = sender(&auth, &new)?;
        Draft::message(new, Audience::User(to), from, name)
    })
    .await?;
    respond(&app, &key, drafts, many).await
}
