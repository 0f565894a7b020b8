//! Subscriptions: `GET /<topics>/json`, `sse`, `raw` and `ws`.

mod pages;
mod since;
mod subscription;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::get;
use futures_util::stream;
use serde_json::Value;
use tidings_server_core::http::streams::{Frame, Frames, serve_socket, websocket};
use tidings_server_core::state::AppState;
use tidings_store::Error;
use tidings_store::domain::msgid;

use self::pages::{NtfyMessage, SharedPages};
use self::subscription::Subscription;
pub(super) use self::subscription::topic_names;
use super::message;
use crate::ntfy::error::{NOT_A_WEBSOCKET, NtfyError};

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

/// The state of the routes below.
#[derive(Clone)]
struct Streams {
    app: AppState,
    /// The pages that all streams share.
    pages: Arc<SharedPages>,
}

/// The routes of subscriptions.
pub(super) fn routes(app: &AppState) -> Router<AppState> {
    let lines = |form: Form| {
        get(move |State(streams): State<Streams>, request: Request| respond(streams, request, form))
    };
    Router::new()
        .route("/{topic}/json", lines(Form::Json))
        .route("/{topic}/sse", lines(Form::Sse))
        .route("/{topic}/raw", lines(Form::Raw))
        .route("/{topic}/ws", get(ws))
        .with_state(Streams { app: app.clone(), pages: Arc::default() })
}

async fn respond(streams: Streams, request: Request, form: Form) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let subscription = Subscription::open(streams, &mut parts).await?;
    // Boxed, because the stream has room for it twice: between two lines, and in the wait for the next one.
    let lines = stream::try_unfold(Box::new(subscription), move |mut subscription| async move {
        let Some(step) = subscription.next().await? else { return Ok::<_, Error>(None) };
        let message = step.into_message(&subscription);
        Ok(Some((message.written(form), subscription)))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// `GET /<topics>/ws`.
async fn ws(State(streams): State<Streams>, request: Request) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let upgrade = websocket(&mut parts, &streams.app).await.ok_or(NOT_A_WEBSOCKET)?;
    let send_timeout = streams.app.server.config.send_timeout;
    let subscription = Subscription::open(streams, &mut parts).await?;
    Ok(upgrade.on_upgrade(move |socket| serve_socket(socket, subscription, send_timeout)))
}

impl Frames for Subscription {
    async fn next_frame(&mut self) -> Option<Frame> {
        Some(match self.next().await.ok()?? {
            Step::KeepAlive => Frame::Ping,
            step => Frame::Text(step.into_message(self).value.to_string()),
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
    Message(Arc<NtfyMessage>),
}

impl Step {
    fn into_message(self, subscription: &Subscription) -> Arc<NtfyMessage> {
        let about_stream = |name| {
            let now = subscription.app.now();
            let id = msgid::mint(now);
            let value = Value::Object(message::event(name, id.as_str(), now, &subscription.names()));
            Arc::new(NtfyMessage::new(value))
        };
        match self {
            Self::Open => about_stream("open"),
            Self::KeepAlive => about_stream("keepalive"),
            Self::Message(message) => message,
        }
    }
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
}
