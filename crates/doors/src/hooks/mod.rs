//! `POST /hooks/<topic>`: webhooks of programs that speak neither ntfy nor Gotify become notifications on a topic.
//!
//! A payload is recognized by a header that names its event, or by its form. It is checked against the topic's secrets
//! over the bytes as they came, and becomes notices in the form of its sender. What a notice is about is hashed into a
//! sequence, so that one alert, pull request or issue is one notification. Later news revises it, and what is resolved
//! clears it. A payload of no known sender is rendered by the topic's template, or shown as it is. That is done in a
//! child process, because no bound of the template's engine holds memory. The id of a delivery is an idempotency key.
//! The last payloads are kept for each topic, and a template is tried on them by the code that reads what comes in.

mod auth;
mod delivery;
mod fallback;
mod fields;
mod notice;
mod senders;
mod signature;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::post;
use serde::Serialize;
use tidings_model::wire::Posted;
use tidings_model::{Code, Problem};
use tidings_sandbox::marks::Kind;
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::files::Upload;
use tidings_server_core::http::files::{IncomingFile, ReceivedFile};
use tidings_server_core::http::input::{PathParams, Query, bytes, parse_body};
use tidings_server_core::http::response::error::{ApiError, ApiResult, json, json_bytes};
use tidings_server_core::http::response::idempotency::AnonymousKey;
use tidings_server_core::marks;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::{Bearer, UserKey};
use tidings_store::domain::topic::check_topic;
use tidings_store::{Draft, Error, Outcome, Payload, Post, PostedBy, SequenceChange};

pub use self::delivery::{Begun, Delivery, ReadBy, Reading};
use self::fallback::Whole;
pub use self::notice::Notice;

/// The routes of webhooks.
pub fn routes() -> Router<AppState> {
    Router::new().route("/hooks/{topic}", post(receive))
}

/// The response to a payload.
#[derive(Serialize)]
struct Received {
    /// What was published, or revised.
    published: Vec<Posted>,
    /// How many notifications were marked as read.
    cleared: usize,
}

async fn receive(app: AppState, request: Request) -> ApiResult {
    let (mut parts, body) = request.into_parts();
    let topic = topic_of(&mut parts, &app).await?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let publisher = auth::authorize(&app, &parts, &query).await?;
    let settings = app.settings_for(publisher.as_ref(), &topic).await?;
    let principal = publisher.as_ref().map_or(Principal::Anonymous, |bearer| Principal::User(bearer.user));
    let body = bytes(&app, &parts, principal, body, limits::BODY_BYTES).await?;
    let headers = parts.headers.clone();
    let (mark, is_passed_by) = match marks::begin(Kind::Hook, &topic, body.clone()).await {
        Ok(mark) => (mark, false),
        Err(_) => (None, true),
    };
    let read = move |bytes: &Bytes| {
        let of_request = if is_passed_by { Delivery::passed_by } else { Delivery::of_request };
        let delivery = of_request(&headers, bytes);
        delivery.check_signature(&headers, bytes, &settings.secrets)?;
        let (id, kept) = (delivery.id(&headers), delivery.kept());
        Ok::<_, Problem>((delivery.begin(&settings.template), id, kept))
    };
    let (begun, id, kept) = parse_body(&app, principal, body.clone(), read).await?;
    let rendered = begun.render(&topic).await;
    let reading = if rendered.is_none() {
        begun.finish(None)
    } else {
        let finish = move || begun.finish(rendered);
        app.load_limits.compute_of(principal, body.len(), finish).await?
    };
    marks::end(mark).await;
    let owner = publisher.as_ref().map_or_else(|| "hooks".to_owned(), |bearer| bearer.token.clone());
    let key = id.map(|id| AnonymousKey::new(owner, delivery::idempotency_key(&topic, &id)));
    if let Some(key) = &key
        && let Some(stored) = key.stored_response(&app).await?
    {
        return Ok(json_bytes(StatusCode::OK, stored.body));
    }
    let deliverer = Deliverer { app: &app, parts: &parts, topic: &topic, publisher: publisher.as_ref() };
    let response = deliverer.deliver(reading, body, key).await?;
    if let Some((sender, event, body)) = kept {
        keep(&app, &topic, Payload { received_at: app.now(), sender, event, body }).await;
    }
    Ok(response)
}

/// The topic in the path.
async fn topic_of(parts: &mut Parts, app: &AppState) -> Result<String, ApiError> {
    let segments = PathParams::from_request_parts(parts, app).await?;
    let topic = segments.text("topic")?;
    check_topic(topic).map_err(|e| Problem::invalid("topic", e.to_string()))?;
    Ok(topic.to_owned())
}

/// Keeps a payload to try templates on. The notification is published already: a failure is only logged.
async fn keep(app: &AppState, topic: &str, payload: Payload) {
    if let Err(error) = app.store().keep_payload(topic, payload).await {
        tracing::warn!(%error, "a payload is not kept");
    }
}

/// Delivers what a payload says.
struct Deliverer<'a> {
    app: &'a AppState,
    parts: &'a Parts,
    topic: &'a str,
    publisher: Option<&'a Bearer>,
}

impl Deliverer<'_> {
    fn user(&self) -> Option<UserKey> {
        self.publisher.map(|bearer| bearer.user)
    }

    /// Marks as read what is over, publishes the rest, and makes the response.
    async fn deliver(&self, reading: Reading, body: Bytes, key: Option<AnonymousKey>) -> ApiResult {
        let Reading { sender, event, notices, whole, .. } = reading;
        // A payload that is shown as a whole is needed no more.
        let whole = whole.map(|whole| (whole, body));
        let (mut drafts, mut cleared) = (Vec::new(), 0);
        for notice in notices {
            if self.clear(&sender, &notice).await? {
                cleared += 1;
            } else {
                let posted_by = PostedBy::of(self.publisher);
                drafts.push(Draft { posted_by, ..notice.draft(self.topic, self.app.owner, &sender, &event) });
            }
        }
        for draft in &mut drafts {
            self.app.admit(self.publisher, draft).await?;
        }
        let upload = match (whole, drafts.first_mut()) {
            (Some((whole, body)), Some(draft)) => self.attach(whole, body, draft).await?,
            _ => None,
        };
        drafts.iter().try_for_each(Draft::check)?;
        self.post(drafts, cleared, upload, key).await
    }

    /// Marks the notification of a matter that a notice says is over as read. It gives false if there is none of this
    /// publisher's, or if it is not over.
    async fn clear(&self, sender: &str, notice: &Notice) -> Result<bool, ApiError> {
        let Some(sequence) = notice.sequence(sender).filter(|_| notice.resolved) else { return Ok(false) };
        let by = PostedBy::of(self.publisher);
        match self.app.server.withdraw(self.topic, &sequence, SequenceChange::Clear, by).await {
            // What somebody else published under this name is another notification.
            Err(Error::Refused(problem)) if problem.code == Code::Forbidden => Ok(false),
            change => Ok(change?.is_some()),
        }
    }

    /// Attaches the whole of a payload to a draft that has only its beginning. If there is no room for it, the draft
    /// says so.
    async fn attach(&self, whole: Whole, body: Bytes, draft: &mut Draft) -> Result<Option<Upload>, ApiError> {
        let bytes = body.len();
        let file = IncomingFile {
            app: self.app,
            parts: self.parts,
            uploader: self.user(),
            name: whole.file_name(),
            least_bytes: bytes as u64,
        };
        let received = file.receive(Some(body)).await;
        draft.content.body.push_str(&whole.note(bytes, received.as_ref().err()));
        Ok(received.ok().map(|ReceivedFile { upload, file, attachment, .. }| {
            draft.content.attachment = Some(attachment);
            draft.file = Some(file);
            upload
        }))
    }

    async fn post(
        &self,
        drafts: Vec<Draft>,
        cleared: usize,
        upload: Option<Upload>,
        key: Option<AnonymousKey>,
    ) -> Result<Response, ApiError> {
        let to_body = move |posts: &Vec<Post>| Received {
            published: posts.iter().map(|post| post.posted.clone()).collect(),
            cleared,
        };
        let idempotency = key.map(|key| key.idempotency(to_body));
        Ok(match self.app.server.publish(drafts, upload, idempotency).await? {
            Outcome::Done(posts) => json(StatusCode::OK, &to_body(&posts)),
            Outcome::Replayed(stored) => json_bytes(StatusCode::OK, stored.body),
        })
    }
}
