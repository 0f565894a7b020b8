//! Subscriptions: `GET /<topics>/json`, `sse`, `raw` and `ws`. A stream keeps its position in each topic and reads what
//! comes after it from the store, page by page, when it is woken: it misses and repeats nothing in any race with
//! publishing, and a slow reader holds one page.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use serde_json::Value;
use tidings_model::Stamp;

use super::error::{NOT_A_WEBSOCKET, NtfyError, TOO_MANY_STREAMS, TOPIC_INVALID};
use super::fields::{Field, Fields};
use super::since::{Filters, Since};
use super::{auth, message};
use crate::domain::{limits, msgid};
use crate::http::AppState;
use crate::http::input::{PathParams, Query};
use crate::http::limits::budgets::{Principal, Reservation};
use crate::http::streams::{self, Frame, Frames, StreamAccess, Wake};
use crate::live::topics::Listener;

/// Publications that are read from the store at once.
const PAGE_EVENTS: usize = 32;
/// Bytes of content that a page may take: reading goes on to another topic up to [`limits::TOPIC_PAGE_BYTES`], and a
/// topic's publications and revisions each end beyond that, with one that may be large.
const MAX_PAGE_BYTES: usize = 3 * limits::TOPIC_PAGE_BYTES + 2 * limits::NOTIFICATION_BYTES;

/// The form in which a stream is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    Json,
    Sse,
    Raw,
}

impl Form {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/x-ndjson; charset=utf-8",
            Self::Sse => "text/event-stream; charset=utf-8",
            Self::Raw => "text/plain; charset=utf-8",
        }
    }

    fn write(self, message: &Value) -> String {
        let is_message = message["event"] == "message";
        match self {
            Self::Json => format!("{message}\n"),
            // Other events get a name, so that a page's default handler does not see them.
            Self::Sse if !is_message => {
                format!("event: {}\ndata: {message}\n\n", message["event"].as_str().unwrap_or_default())
            }
            Self::Sse => format!("data: {message}\n\n"),
            Self::Raw if is_message => {
                message["message"].as_str().unwrap_or_default().replace('\n', " ") + "\n"
            }
            Self::Raw => "\n".to_owned(),
        }
    }
}

pub(super) async fn json(State(app): State<AppState>, request: Request) -> Result<Response, NtfyError> {
    respond(app, request, Form::Json).await
}

pub(super) async fn sse(State(app): State<AppState>, request: Request) -> Result<Response, NtfyError> {
    respond(app, request, Form::Sse).await
}

pub(super) async fn raw(State(app): State<AppState>, request: Request) -> Result<Response, NtfyError> {
    respond(app, request, Form::Raw).await
}

async fn respond(app: AppState, request: Request, form: Form) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let subscription = Subscription::open(app, &mut parts).await?;
    let lines = stream::unfold(subscription, move |mut subscription| async move {
        let message = subscription.next().await?;
        let line = form.write(&message.into_value(&subscription));
        Some((Ok::<_, Infallible>(Bytes::from(line)), subscription))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// `GET /<topics>/ws`.
pub(super) async fn ws(State(app): State<AppState>, request: Request) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let upgrade = streams::websocket(&mut parts, &app).await.ok_or(NOT_A_WEBSOCKET)?;
    let send_timeout = app.server.config.send_timeout;
    let subscription = Subscription::open(app, &mut parts).await?;
    Ok(upgrade.on_upgrade(move |socket| streams::serve_socket(socket, subscription, send_timeout)))
}

impl Frames for Subscription {
    async fn next_frame(&mut self) -> Option<Frame> {
        Some(match self.next().await? {
            Step::KeepAlive => Frame::Ping,
            step => Frame::Text(step.into_value(self).to_string()),
        })
    }
}

/// What a stream sends next.
enum Step {
    /// The stream is open.
    Open,
    /// Nothing happened for a while.
    KeepAlive,
    /// Something happened on a topic.
    Message(Value),
}

impl Step {
    fn into_value(self, subscription: &Subscription) -> Value {
        let about_stream = |name| {
            let now = subscription.app.now();
            let id = msgid::mint(now);
            Value::Object(message::event(name, id.as_str(), now, &subscription.names))
        };
        match self {
            Self::Open => about_stream("open"),
            Self::KeepAlive => about_stream("keepalive"),
            Self::Message(message) => message,
        }
    }
}

/// A topic of a subscription.
struct Topic {
    name: String,
    /// Only what happened after this is sent.
    from: Stamp,
}

fn log_failure(e: &crate::error::Error) {
    tracing::error!(error = %e, "a subscription could not be served");
}

/// One open subscription.
struct Subscription {
    app: AppState,
    access: StreamAccess,
    /// The topics as the request has them.
    names: String,
    topics: Vec<Topic>,
    /// Everything up to here was read from the store.
    position: Stamp,
    /// Whether there may be something after the position.
    behind: bool,
    filters: Filters,
    /// The topics of which what waits to be delivered is sent too.
    scheduled: VecDeque<String>,
    /// Wakes a stream; `None` for a poll, which ends when everything was read.
    listener: Option<Listener>,
    opened: bool,
    ready: VecDeque<Value>,
    /// The room that what is ready takes.
    reservation: Option<Reservation>,
}

impl Subscription {
    async fn open(app: AppState, parts: &mut Parts) -> Result<Self, NtfyError> {
        let params = PathParams::from_request_parts(parts, &app).await.map_err(|_| TOPIC_INVALID)?;
        let names = params.text("topic").map_err(|_| TOPIC_INVALID)?.to_owned();
        let topics = topic_names(&names)?;
        let query = Query::parse(parts.uri.query().unwrap_or(""));
        // Watched before the token is checked, so that no revocation is missed between the two.
        let auth_changes = app.server.token_cache.watch();
        let auth = auth::authorize_reader(&app, parts, &query).await?;
        let fields = Fields { headers: &parts.headers, query: &query };
        let poll = fields.flag(Field::Poll).unwrap_or(false);
        let since = Since::read(&fields, poll, app.now())?;
        let filters = Filters::read(&fields)?;
        let lists_scheduled = fields.flag(Field::Scheduled).unwrap_or(false) && since != Since::None;
        let scheduled = if lists_scheduled { topics.iter().cloned().collect() } else { VecDeque::new() };
        // It listens before its position is read, so that nothing is published between the two.
        let listener = if poll {
            None
        } else {
            Some(app.server.hub.topics.listen(auth.bearer.user, &topics).map_err(|_| TOO_MANY_STREAMS)?)
        };
        let topics = positions(&app, topics, &since).await?;
        let access = StreamAccess::new(&app, auth, auth_changes);
        Ok(Self {
            app,
            access,
            names,
            topics,
            position: Stamp::ZERO,
            behind: since != Since::None,
            filters,
            scheduled,
            listener,
            opened: poll,
            ready: VecDeque::new(),
            reservation: None,
        })
    }

    /// What comes next; `None` ends the stream.
    async fn next(&mut self) -> Option<Step> {
        if !std::mem::replace(&mut self.opened, true) {
            return Some(Step::Open);
        }
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(Step::Message(message));
            }
            if self.behind {
                self.read_page().await?;
                continue;
            }
            self.reservation = None;
            if !self.scheduled.is_empty() {
                self.read_scheduled().await?;
                continue;
            }
            let listener = self.listener.as_ref()?;
            match self.access.wait(&self.app, listener.news()).await? {
                Wake::News => self.behind = true,
                Wake::KeepAlive => return Some(Step::KeepAlive),
            }
        }
    }

    /// Reads the next page: what happened on all topics up to one stamp, so that whoever comes back with any id misses and
    /// repeats nothing. Ends the stream where the store fails or there is no room: the client comes back.
    async fn read_page(&mut self) -> Option<()> {
        let mut room = self.reserve(MAX_PAGE_BYTES).await?;
        let store = &self.app.server.store;
        let newest = store.meta().await.inspect_err(log_failure).ok()?.last_stamp;
        let (mut through, mut events): (Stamp, Vec<(Stamp, usize, Value)>) = (newest, Vec::new());
        for topic in &self.topics {
            let from = topic.from.max(self.position);
            let page = store.topic_events(&topic.name, from, PAGE_EVENTS).await;
            let page = page.inspect_err(log_failure).ok()?;
            through = through.min(page.next.unwrap_or(newest));
            events.extend(page.events.iter().map(|event| {
                let bytes = event.content.body.len() + limits::NAME_BYTES;
                (event.position, bytes, message::of_event(&topic.name, event))
            }));
            events.sort_by_key(|(position, ..)| *position);
            // The page ends with the event that fills it.
            let mut bytes = 0;
            for (position, size, _) in &events {
                bytes += size;
                if bytes > limits::TOPIC_PAGE_BYTES {
                    through = through.min(*position);
                    break;
                }
            }
            events.retain(|(position, ..)| *position <= through);
        }
        self.position = through.max(self.position);
        self.behind = through < newest;
        room.shrink(events.iter().map(|(_, bytes, _)| bytes).sum());
        self.reservation = Some(room);
        let messages = events.into_iter().map(|(.., message)| message);
        self.ready.extend(messages.filter(|message| self.filters.pass(message)));
        Some(())
    }

    /// Reads what waits to be delivered to one more topic.
    async fn read_scheduled(&mut self) -> Option<()> {
        let Some(topic) = self.scheduled.pop_front() else { return Some(()) };
        let mut room = self.reserve(limits::TOPIC_SCHEDULED_BYTES).await?;
        let (mut messages, mut bytes) = (Vec::new(), 0);
        for (msgid, due, draft) in self.app.server.store.scheduled_on(&topic).await.ok()? {
            let sequence = draft.sequence.as_deref();
            let message = message::published(msgid.as_str(), due, &topic, sequence, &draft.content);
            if self.filters.pass(&message) {
                bytes += draft.content.body.len() + limits::NAME_BYTES;
                messages.push(message);
            }
        }
        room.shrink(bytes);
        self.reservation = Some(room);
        self.ready.extend(messages);
        Some(())
    }

    /// Room for what is read next; what was ready is sent. `None` where there is none in time.
    async fn reserve(&mut self, bytes: usize) -> Option<Reservation> {
        self.reservation = None;
        let principal = Principal::User(self.access.auth.bearer.user);
        let room = self.app.load_limits.streams.reserve(principal, bytes).await;
        room.inspect_err(|e| tracing::warn!(error = %e.detail, "a subscription ends")).ok()
    }
}

/// The topics of a path segment, separated by commas, each once.
pub(super) fn topic_names(names: &str) -> Result<Vec<String>, NtfyError> {
    let mut topics: Vec<String> = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        super::check_topic(name)?;
        if !topics.iter().any(|known| known == name) {
            topics.push(name.to_owned());
        }
    }
    if topics.is_empty() || topics.len() > limits::STREAM_TOPICS {
        return Err(TOPIC_INVALID);
    }
    Ok(topics)
}

/// Where a subscription begins in each topic.
async fn positions(app: &AppState, names: Vec<String>, since: &Since) -> Result<Vec<Topic>, NtfyError> {
    let common = match since {
        Since::All => Stamp::ZERO,
        Since::None | Since::Latest => app.store().meta().await?.last_stamp,
        Since::Time(at) => at.plus_micros(-1),
        // A publication that was delayed was created later than its id says.
        Since::Id(msgid, stamp) => app.store().created_at(msgid).await?.unwrap_or(*stamp),
    };
    let mut topics = Vec::with_capacity(names.len());
    for name in names {
        let latest = match since {
            Since::Latest => app.store().topic_latest(&name).await?,
            _ => None,
        };
        let from = latest.map_or(common, |at| at.plus_micros(-1).min(common));
        topics.push(Topic { name, from });
    }
    Ok(topics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_writes_what_its_readers_expect() {
        let message = serde_json::json!({"event": "message", "message": "two\nlines"});
        let open = serde_json::json!({"event": "open"});
        assert_eq!(Form::Json.write(&open), "{\"event\":\"open\"}\n");
        assert_eq!(Form::Sse.write(&open), "event: open\ndata: {\"event\":\"open\"}\n\n");
        assert!(Form::Sse.write(&message).starts_with("data: {"));
        assert_eq!((Form::Raw.write(&message), Form::Raw.write(&open)), ("two lines\n".into(), "\n".into()));
    }

    #[test]
    fn topics_are_named_once_each_and_in_bounds() {
        assert_eq!(topic_names("b,a,,b").unwrap(), ["b", "a"]);
        for bad in ["", ",", "a,b c", "a,docs", &"a,".repeat(3)[..0]] {
            assert!(topic_names(bad).is_err(), "{bad}");
        }
        let many: Vec<String> = (0..=limits::STREAM_TOPICS).map(|n| format!("t{n}")).collect();
        assert!(topic_names(&many.join(",")).is_err());
    }
}
