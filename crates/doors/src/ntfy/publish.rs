//! Handlers of the ntfy endpoints: a body with headers, JSON at the root, or a plain GET. Without a token only programs
//! of the server's user on this machine publish, and only if `open_publish` is set.

mod publisher;
mod storing;

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use tidings_model::topic::Expected;
use tidings_model::wire::Posted;
use tidings_model::{Code, Stamp};
use tidings_server_core::budgets::{INLINE_BYTES, Principal};
use tidings_server_core::domain::limits;
use tidings_server_core::http::files::ReceivedFile;
use tidings_server_core::http::input::{PathParams, Query, bytes, from_value, parse_body, parse_members};
use tidings_server_core::http::response::error::{json, json_bytes};
use tidings_server_core::http::response::idempotency::anonymous_key;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::Bearer;
use tidings_store::domain::msgid;
use tidings_store::domain::topic::is_valid_name;
use tidings_store::{Draft, Outcome, Post, PostedBy, SequenceChange};

use self::publisher::principal;
pub(super) use self::publisher::{Publisher, publisher};
use self::storing::{post, schedule};
use super::auth::authorize;
use super::draft::{DEFAULT_MESSAGE, PublishFields, check, draft, keep};
use super::error::{
    JSON_INVALID, NtfyError, SEQUENCE_INVALID, TEMPLATE_SOURCE_NOT_JSON, TOPIC_INVALID, bad_request,
};
use super::fields::{Field, Fields};
use super::message::{self, PublishedMessage};
use super::templates::TemplateMode;
use super::upload::{BodyContent, Incoming, PartialBody};

type Published = Result<Response, NtfyError>;

/// `PUT|POST /<topic>`, and `/<topic>/<sequence>`, which revises what was published under that sequence or msgid.
pub(super) async fn publish_text(app: AppState, request: Request) -> Published {
    let (mut parts, body) = request.into_parts();
    let (topic, sequence_id) = path_names(&mut parts, &app).await?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(&app, &parts, &query, true).await?;
    let fields = Fields::new(&parts.headers, &query);
    let publisher = publisher(&parts, bearer, &topic).await;
    let incoming = Incoming { app: &app, parts: &parts, fields: &fields, user: publisher.user() };
    let named = PublishFields { sequence_id, ..PublishFields::default() };
    if let Some(templates) = TemplateMode::of(&fields)? {
        let source = incoming.template_source(body).await?;
        let filled = templates.fill_in(&app, publisher.principal(), &fields, source, named).await?;
        return publish(&app, publisher, &topic, &fields, filled, None).await;
    }
    match incoming.content(body).await? {
        BodyContent::Message { text, is_base64 } => {
            let fields_with_text = PublishFields { message: Some(text), is_base64, ..named };
            publish(&app, publisher, &topic, &fields, fields_with_text, None).await
        }
        BodyContent::File(body) => publish_file(&incoming, publisher, &topic, named, body).await,
    }
}

/// Publishes a file. A request that is refused for another reason is refused before its file is stored. One that was
/// published before under an `Idempotency-Key` is answered before its file is read.
pub(super) async fn publish_file(
    incoming: &Incoming<'_>,
    publisher: Publisher,
    topic: &str,
    named: PublishFields,
    body: PartialBody,
) -> Published {
    let Incoming { app, fields, .. } = incoming;
    let (mut without_file, due) = draft(app, topic, fields, named.clone())?;
    app.admit(publisher.bearer.as_ref(), &mut without_file).await?;
    check(&without_file)?;
    if let Some(key) = anonymous_key(fields.headers, publisher.idempotency_owner.clone())?
        && let Some(stored) = key.stored_response(app).await?
    {
        return Ok(json_bytes(StatusCode::OK, stored.body));
    }
    let name = named.file_name(fields).unwrap_or_default();
    let received = incoming.receive(body, &name, due).await?;
    let named = PublishFields { file: Some(received.attachment.clone()), ..named };
    publish(app, publisher, topic, fields, named, Some(received)).await
}

/// `PUT|GET /<topic>/<sequence>/clear` and `/read`.
pub(super) async fn clear(app: AppState, request: Request) -> Published {
    withdraw(&app, request, SequenceChange::Clear).await
}

/// `DELETE /<topic>/<sequence>`.
pub(super) async fn delete(app: AppState, request: Request) -> Published {
    withdraw(&app, request, SequenceChange::Delete).await
}

/// Clears or deletes what was published under a sequence or msgid. As with ntfy, an unknown one is answered in the same
/// way: it may have been known once.
///
/// # Errors
/// ntfy's `forbidden` for what somebody else published, unless the token has the scope `publish`.
async fn withdraw(app: &AppState, request: Request, change: SequenceChange) -> Published {
    let (mut parts, _) = request.into_parts();
    let (topic, sequence) = path_names(&mut parts, app).await?;
    let sequence = sequence.filter(|name| is_valid_name(name)).ok_or(SEQUENCE_INVALID)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(app, &parts, &query, parts.method != Method::GET).await?;
    app.settings_for(bearer.as_ref(), &topic).await?;
    let by = PostedBy::of(bearer.as_ref());
    let name = match change {
        SequenceChange::Clear => "message_clear",
        SequenceChange::Delete => "message_delete",
    };
    let (id, at) = match app.server.withdraw(&topic, &sequence, change, by).await? {
        Some(Post { posted: Posted { msgid, stamp }, .. }) => (message::id_of(&msgid, stamp), stamp),
        None => (msgid::mint(app.now()).0, app.now()),
    };
    Ok(json(StatusCode::OK, &message::withdrawn(name, &id, at, &topic, &sequence)))
}

/// `GET /<topic>/publish`, `/send` and `/trigger`.
pub(super) async fn publish_get(app: AppState, request: Request) -> Published {
    let (mut parts, _) = request.into_parts();
    let (topic, _) = path_names(&mut parts, &app).await?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(&app, &parts, &query, false).await?;
    let fields = Fields::new(&parts.headers, &query);
    let publisher = publisher(&parts, bearer, &topic).await;
    // There is no body that a template could be filled in from.
    if TemplateMode::of(&fields)?.is_some() {
        return Err(TEMPLATE_SOURCE_NOT_JSON);
    }
    publish(&app, publisher, &topic, &fields, PublishFields::default(), None).await
}

/// `POST /` and `PUT /` with JSON. As with ntfy, the message is a file if it has a name for one and no address.
pub(super) async fn publish_json(app: AppState, request: Request) -> Published {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let bearer = authorize(&app, &parts, &query, true).await?;
    let mut body_fields = read_json(&app, &parts, bearer.as_ref(), body).await?;
    let topic = body_fields.topic.clone().unwrap_or_default();
    super::check_topic(&topic)?;
    let fields = Fields::new(&parts.headers, &query);
    let publisher = publisher(&parts, bearer, &topic).await;
    if body_fields.is_file(&fields) {
        let text = body_fields.message.take().filter(|text| !text.is_empty());
        let file = PartialBody::whole(text.as_deref().unwrap_or(DEFAULT_MESSAGE).as_bytes());
        let incoming = Incoming { app: &app, parts: &parts, fields: &fields, user: publisher.user() };
        return publish_file(&incoming, publisher, &topic, body_fields, file).await;
    }
    if let Some(templates) = TemplateMode::of(&fields)? {
        let source = body_fields.message.take().unwrap_or_default().into();
        body_fields = templates.fill_in(&app, publisher.principal(), &fields, source, body_fields).await?;
    }
    publish(&app, publisher, &topic, &fields, body_fields, None).await
}

/// The topic and, if it is there, the sequence in a path.
async fn path_names(parts: &mut Parts, app: &AppState) -> Result<(String, Option<String>), NtfyError> {
    let segments = PathParams::from_request_parts(parts, app).await.map_err(|_| TOPIC_INVALID)?;
    let topic = segments.text("topic").map_err(|_| TOPIC_INVALID)?.to_owned();
    super::check_topic(&topic)?;
    let sequence = segments.text("sequence").map_err(|_| SEQUENCE_INVALID)?;
    Ok((topic, Some(sequence.to_owned()).filter(|name| !name.is_empty())))
}

async fn read_json(
    app: &AppState,
    parts: &Parts,
    bearer: Option<&Bearer>,
    body: Body,
) -> Result<PublishFields, NtfyError> {
    let principal = principal(bearer);
    let body = bytes(app, parts, principal, body, limits::BODY_BYTES).await?;
    let parse = |bytes: &Bytes| {
        let fields = from_value::<PublishFields>(parse_members(bytes, keep)?, "")?;
        Ok(PublishFields { bytes: bytes.len(), ..fields })
    };
    parse_body(app, principal, body, parse).await.map_err(|problem| match problem.code {
        Code::Invalid => JSON_INVALID,
        _ => problem.into(),
    })
}

/// Builds a draft, stores or schedules it, and makes the response in ntfy's format.
pub(super) async fn publish(
    app: &AppState,
    publisher: Publisher,
    topic: &str,
    fields: &Fields<'_>,
    body_fields: PublishFields,
    received: Option<ReceivedFile>,
) -> Published {
    if let Some(poll_id) = fields.get(Field::PollId) {
        return request_poll(app, &publisher, topic, &poll_id).await;
    }
    let (principal, bytes) = (publisher.principal(), body_fields.bytes);
    let expected = expected(fields)?;
    let (mut draft, due) = drafted(app, topic, fields, body_fields, principal).await?;
    draft.posted_by = PostedBy::of(publisher.bearer.as_ref());
    app.admit(publisher.bearer.as_ref(), &mut draft).await?;
    let checked = move || check(&draft).map(|()| (Arc::new(draft.content.clone()), draft));
    let (content, mut draft) = app.load_limits.compute_of(principal, bytes, checked).await??;
    let key = anonymous_key(fields.headers, publisher.idempotency_owner)?;
    if let Some(expected) = expected {
        app.expect_on(topic, expected.every_secs).await?;
    }
    let sequence = draft.sequence.clone();
    let upload = received.map(|ReceivedFile { upload, file, .. }| {
        draft.file = Some(file);
        upload
    });
    let topic = topic.to_owned();
    // Made for a key alone, which keeps it with the publication.
    let key = key.map(|key| {
        let (topic, sequence, content) = (topic.clone(), sequence.clone(), Arc::clone(&content));
        (key, move |id: &str, at: Stamp| message::published(id, at, &topic, sequence.as_deref(), &content))
    });
    let outcome = match due {
        Some(due) => schedule(app, draft, due, upload, key).await?,
        None => post(app, draft, upload, key).await?,
    };
    Ok(match outcome {
        Outcome::Done((id, at)) => {
            let respond = move || {
                let message = PublishedMessage::new(&id, at, &topic, sequence.as_deref(), &content);
                json(StatusCode::OK, &message)
            };
            app.load_limits.write_of(principal, bytes, respond).await?
        }
        Outcome::Replayed(answer) => json_bytes(StatusCode::OK, answer.body),
    })
}

/// How often a publication is expected on the topic from now on, if that is said.
fn expected(fields: &Fields<'_>) -> Result<Option<Expected>, NtfyError> {
    let parse = |text: String| text.parse().map_err(|why| bad_request(&format!("invalid X-Expect: {why}")));
    fields.get(Field::Expect).map(parse).transpose()
}

/// Makes the draft of a publication.
async fn drafted(
    app: &AppState,
    topic: &str,
    fields: &Fields<'_>,
    body_fields: PublishFields,
    principal: Principal,
) -> Result<(Draft, Option<Stamp>), NtfyError> {
    let bytes = body_fields.bytes;
    if bytes <= INLINE_BYTES {
        // It goes to no other thread, so nothing is copied for one.
        return draft(app, topic, fields, body_fields);
    }
    let (app_copy, topic) = (app.clone(), topic.to_owned());
    let (headers, query) = (fields.headers.clone(), fields.query.clone());
    let draft = move || {
        let fields = Fields::new(&headers, &query);
        draft(&app_copy, &topic, &fields, body_fields)
    };
    app.load_limits.compute(principal, draft).await?
}

/// Asks those who listen to a topic to poll for a message that another server has. As with ntfy, nothing is stored.
async fn request_poll(app: &AppState, publisher: &Publisher, topic: &str, poll_id: &str) -> Published {
    app.settings_for(publisher.bearer.as_ref(), topic).await?;
    if !is_valid_name(poll_id) {
        return Err(bad_request("invalid X-Poll-ID: 1 to 64 letters, digits, - and _"));
    }
    let now = app.now();
    let request = Arc::new(message::poll_request(msgid::mint(now).as_str(), now, topic, poll_id));
    app.server.hub.topics.request_poll(topic, &request);
    Ok(json(StatusCode::OK, &*request))
}
