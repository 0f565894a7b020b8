//! Handlers of the ntfy endpoints: a body with headers, JSON at the root, or a plain GET. Without a token only programs
//! of the server's user on this machine publish, and only where `open_publish` is set.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;
use tidings_model::wire::Scope;
use tidings_model::{Code, MsgId, Problem, Stamp};

use super::draft::{PublishFields, check, draft};
use super::error::{JSON_INVALID, NOT_UTF8, NtfyError, bad_request, too_many_waiting};
use super::fields::Fields;
use super::response;
use crate::domain::account::{Bearer, UserKey};
use crate::domain::limits;
use crate::http::AppState;
use crate::http::auth::client_address::ClientAddress;
use crate::http::auth::peer_user::{self, PeerUser};
use crate::http::input::{PathParams, Query, bytes, from_value, parse_body, parse_value};
use crate::http::limits::budgets::Principal;
use crate::http::middleware::guards;
use crate::http::response::error::{json, json_bytes};
use crate::http::response::idempotency::{AnonymousKey, anonymous_key};
use crate::store::{Draft, Outcome, Post};

type Published = Result<Response, NtfyError>;

/// `PUT|POST /<topic>`.
pub(super) async fn publish_text(State(app): State<AppState>, request: Request) -> Published {
    let (mut parts, body) = request.into_parts();
    let topic = path_topic(&mut parts, &app).await?;
    super::check_topic(&topic)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(&app, &parts, &query, true).await?;
    let body = bytes(&app, &parts, principal(bearer.as_ref()), body, limits::TEXT_BYTES).await?;
    let text = String::from_utf8(body.to_vec()).map_err(|_| NOT_UTF8)?;
    let fields = Fields { headers: &parts.headers, query: &query };
    let publisher = publisher(&parts, bearer.as_ref(), &topic).await;
    publish(
        &app,
        publisher,
        &topic,
        &fields,
        PublishFields { message: Some(text), ..PublishFields::default() },
    )
    .await
}

/// `GET /<topic>/publish`, `/send` and `/trigger`.
pub(super) async fn publish_get(State(app): State<AppState>, request: Request) -> Published {
    let (mut parts, _) = request.into_parts();
    let topic = path_topic(&mut parts, &app).await?;
    super::check_topic(&topic)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(&app, &parts, &query, false).await?;
    let fields = Fields { headers: &parts.headers, query: &query };
    let publisher = publisher(&parts, bearer.as_ref(), &topic).await;
    publish(&app, publisher, &topic, &fields, PublishFields::default()).await
}

/// `POST /` and `PUT /` with JSON.
pub(super) async fn publish_json(State(app): State<AppState>, request: Request) -> Published {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(&app, &parts, &query, true).await?;
    let body_fields = read_json(&app, &parts, bearer.as_ref(), body).await?;
    let topic = body_fields.topic.clone().unwrap_or_default();
    super::check_topic(&topic)?;
    let fields = Fields { headers: &parts.headers, query: &query };
    let publisher = publisher(&parts, bearer.as_ref(), &topic).await;
    publish(&app, publisher, &topic, &fields, body_fields).await
}

async fn path_topic(parts: &mut Parts, app: &AppState) -> Result<String, NtfyError> {
    let segments =
        PathParams::from_request_parts(parts, app).await.map_err(|_| super::error::TOPIC_INVALID)?;
    Ok(segments.text("topic").map_err(|_| super::error::TOPIC_INVALID)?.to_owned())
}

async fn read_json(
    app: &AppState,
    parts: &Parts,
    bearer: Option<&Bearer>,
    body: Body,
) -> Result<PublishFields, NtfyError> {
    let principal = principal(bearer);
    let body = bytes(app, parts, principal, body, limits::BODY_BYTES).await?;
    let parse = |bytes: &[u8]| parse_value(bytes).and_then(|value| from_value(value, ""));
    parse_body(app, principal, body, parse).await.map_err(|problem| match problem.code {
        Code::Invalid => JSON_INVALID,
        _ => problem.into(),
    })
}

/// The owner of an `Idempotency-Key`: the token, or without one the topic together with the system user who runs the
/// program. `None` where that user is not known; a key is then refused, because another program may send the same one.
async fn idempotency_owner(parts: &Parts, bearer: Option<&Bearer>, topic: &str) -> Option<String> {
    if let Some(bearer) = bearer {
        return Some(bearer.token.clone());
    }
    match parts.extensions.get::<peer_user::PeerConnection>()?.user().await {
        PeerUser::Uid(uid) => Some(format!("uid:{uid}:{topic}")),
        PeerUser::Gone | PeerUser::Unreadable | PeerUser::Unsupported => None,
    }
}

/// The publisher of one request.
struct Publisher {
    /// The owner of an `Idempotency-Key`; `None` where it is not known, and a key is refused.
    idempotency_owner: Option<String>,
    /// The token's user; `None` for a program without a token.
    user: Option<UserKey>,
}

async fn publisher(parts: &Parts, bearer: Option<&Bearer>, topic: &str) -> Publisher {
    Publisher {
        idempotency_owner: idempotency_owner(parts, bearer, topic).await,
        user: bearer.map(|bearer| bearer.user),
    }
}

/// The principal whose share of the body budgets a publication uses.
fn principal(bearer: Option<&Bearer>) -> Principal {
    bearer.map_or(Principal::Anonymous, |bearer| Principal::User(bearer.user))
}

/// The token, from the `Authorization` header or ntfy's query parameters, as Bearer or Basic.
fn request_token(headers: &HeaderMap, query: &Query) -> Option<String> {
    let from_query = || {
        let encoded = query.pairs().find(|(n, _)| *n == "auth" || *n == "authorization").map(|(_, v)| v)?;
        if encoded.starts_with("Bearer ") || encoded.starts_with("Basic ") {
            return Some(encoded.to_owned());
        }
        let bytes =
            [URL_SAFE_NO_PAD.decode(encoded), URL_SAFE.decode(encoded), STANDARD_NO_PAD.decode(encoded)]
                .into_iter()
                .find_map(Result::ok)?;
        String::from_utf8(bytes).ok()
    };
    let text = match headers.get(header::AUTHORIZATION) {
        Some(value) => value.to_str().ok()?.to_owned(),
        None => from_query()?,
    };
    let (scheme, rest) = text.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let decoded = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
        let (name, password) = decoded.split_once(':')?;
        // Some programs can send only a user name, without a password.
        return Some(if password.is_empty() { name } else { password }.to_owned());
    }
    None
}

/// The token's user, which needs `publish` or `inbox`; `None` for a program of the server's user on this machine, where
/// `allow_anonymous` and `open_publish` permit it.
async fn authorize(
    app: &AppState,
    parts: &Parts,
    query: &Query,
    allow_anonymous: bool,
) -> Result<Option<Bearer>, NtfyError> {
    let unauthorized = || Problem::new(Code::Unauthorized, "unauthorized");
    let forbidden = || Problem::new(Code::Forbidden, "forbidden");
    let has_credentials = parts.headers.contains_key(header::AUTHORIZATION)
        || query.pairs().any(|(n, _)| n == "auth" || n == "authorization");
    if !has_credentials {
        if allow_anonymous && app.server.config.open_publish && is_own_local_program(parts).await? {
            return Ok(None);
        }
        // As with ntfy: missing credentials are 403, unknown credentials are 401.
        return Err(forbidden().into());
    }
    let token = request_token(&parts.headers, query).ok_or_else(unauthorized)?;
    let bearer = app.server.token_cache.bearer(&token).await?.ok_or_else(unauthorized)?;
    guards::rate_limit_token(&app.limiter, &bearer.token, parts)?;
    if !(bearer.has_scope(Scope::Publish) || bearer.has_scope(Scope::Inbox)) {
        return Err(forbidden().into());
    }
    Ok(Some(bearer))
}

/// Whether a request was made, and not forwarded, by a program on this machine that runs as the server's own user.
///
/// # Errors
/// `unavailable` where the user could not be read this time.
async fn is_own_local_program(parts: &Parts) -> Result<bool, Problem> {
    let local = parts.extensions.get::<ClientAddress>().is_some_and(|caller| caller.local);
    match parts.extensions.get::<peer_user::PeerConnection>() {
        Some(connection) if local => match connection.user().await {
            PeerUser::Unreadable => {
                let why = "the system can't tell now whose program this is; try again, or send a token";
                Err(Problem::new(Code::Unavailable, why))
            }
            user => Ok(user.is_ours()),
        },
        _ => Ok(false),
    }
}

/// Builds a draft, stores or schedules it, and makes the response in ntfy's format.
async fn publish(
    app: &AppState,
    publisher: Publisher,
    topic: &str,
    fields: &Fields<'_>,
    body_fields: PublishFields,
) -> Published {
    let (draft, due) = draft(app, topic, fields, body_fields)?;
    check(&draft)?;
    let key = anonymous_key(fields.headers, publisher.idempotency_owner)?;
    let to_body = {
        let (draft_copy, topic) = (draft.clone(), topic.to_owned());
        move |msgid: &MsgId, at: Stamp| response::message(msgid, at, &topic, &draft_copy)
    };
    let outcome = match due {
        Some(due) => schedule(app, draft, (publisher.user, due), key, to_body).await?,
        None => post(app, draft, key, to_body).await?,
    };
    Ok(match outcome {
        Outcome::Done(answer) => json(StatusCode::OK, &answer),
        Outcome::Replayed(answer) => json_bytes(StatusCode::OK, answer.body),
    })
}

/// Stores a draft for later delivery; gives its response.
async fn schedule(
    app: &AppState,
    draft: Draft,
    (publisher, due): (Option<UserKey>, Stamp),
    key: Option<AnonymousKey>,
    to_body: impl Fn(&MsgId, Stamp) -> Value + Clone + Send + 'static,
) -> Result<Outcome<Value>, NtfyError> {
    let to_stored_body = to_body.clone();
    let idempotency = key.map(|key| key.idempotency(move |msgid: &MsgId| to_stored_body(msgid, due)));
    let outcome = app.store().schedule(draft, publisher, due, idempotency).await;
    Ok(match outcome.map_err(too_many_waiting)? {
        Outcome::Done(msgid) => {
            app.server.schedule_changed.notify_one();
            Outcome::Done(to_body(&msgid, due))
        }
        Outcome::Replayed(answer) => Outcome::Replayed(answer),
    })
}

/// Stores a draft now; gives its response.
async fn post(
    app: &AppState,
    draft: Draft,
    key: Option<AnonymousKey>,
    to_body: impl Fn(&MsgId, Stamp) -> Value + Clone + Send + 'static,
) -> Result<Outcome<Value>, NtfyError> {
    let posts_to_body =
        move |posts: &Vec<Post>| posts.first().map(|post| to_body(&post.posted.msgid, post.posted.stamp));
    let to_stored_body = posts_to_body.clone();
    let idempotency = key.map(|key| key.idempotency(to_stored_body));
    Ok(match app.store().post(vec![draft], idempotency).await? {
        Outcome::Done(posts) => {
            app.server.hub.published(&posts);
            Outcome::Done(posts_to_body(&posts).ok_or_else(|| bad_request("nothing was published"))?)
        }
        Outcome::Replayed(answer) => Outcome::Replayed(answer),
    })
}
