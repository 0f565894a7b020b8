//! `POST /message`: publishes a message by an application.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use tidings_model::Content;
use tidings_model::wire::Scope;
use tidings_server_core::budgets::Principal;
use tidings_server_core::http::response::error::{json, json_bytes};
use tidings_server_core::http::response::idempotency::anonymous_key;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::Bearer;
use tidings_store::{Application, Outcome, PostedBy, PostedMessage};

use super::auth::AnyAuth;
use super::draft::draft;
use super::error::{APPLICATION_NOT_FOUND, APPLICATION_REQUIRED, GotifyError, GotifyResult};
use super::messages::MessageJson;
use super::params::Params;

pub(super) async fn publish(
    app: AppState,
    AnyAuth(auth): AnyAuth,
    headers: HeaderMap,
    params: Params,
) -> GotifyResult {
    let user = auth.bearer.user;
    let application = application(&app, &auth.bearer, &params).await?;
    let (id, bytes, principal) = (application.id, params.bytes, Principal::User(user));
    let drafted = move || {
        let draft = draft(&application, user, params)?;
        Ok::<_, GotifyError>((draft.content.clone(), draft))
    };
    let (content, mut draft) = app.load_limits.compute_of(principal, bytes, drafted).await??;
    draft.posted_by = PostedBy::of(Some(&auth.bearer));
    let content = Arc::new(content);
    let to_body = move |posted: &PostedMessage| {
        MessageJson::new(posted.id, id, posted.post.posted.stamp, Content::clone(&content))
    };
    let key = anonymous_key(&headers, Some(auth.bearer.token))?;
    let idempotency = key.map(|key| key.idempotency(to_body.clone()));
    match app.server.publish_message(user, id, draft, idempotency).await? {
        Outcome::Done(posted) => {
            let respond = move || json(StatusCode::OK, &to_body(&posted));
            Ok(app.load_limits.write_of(principal, bytes, respond).await?)
        }
        Outcome::Replayed(answer) => Ok(json_bytes(StatusCode::OK, answer.body)),
    }
}

/// The application by which a token publishes. One that reads may name any of its user's applications; any other token
/// is that of an application, or gets one with its first message.
///
/// # Errors
/// For a token that neither publishes nor names an application.
async fn application(app: &AppState, bearer: &Bearer, params: &Params) -> Result<Application, GotifyError> {
    if bearer.has_scope(Scope::Inbox)
        && let Some(id) = params.integer("appid")?.filter(|id| *id != 0)
    {
        return app.store().application(bearer.user, id).await?.ok_or(APPLICATION_NOT_FOUND);
    }
    if let Some(known) = app.store().application_of_token(bearer.user, &bearer.token).await? {
        return Ok(known);
    }
    if !bearer.has_scope(Scope::Publish) {
        return Err(APPLICATION_REQUIRED);
    }
    Ok(app.store().ensure_application(bearer.user, &bearer.token).await?)
}
