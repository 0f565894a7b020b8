//! What the doors' streams share: the wait for something new, which also ends with the token and with the server, and
//! `WebSocket`s that only send.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::Extensions;
use axum::http::request::Parts;
use futures_util::SinkExt;
use tidings_store::domain::account::UserKey;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::auth::AuthContext;
use crate::connections::{StreamSlot, StreamSlots, TooManyStreams};
use crate::state::AppState;

/// Bytes of a message from the client of a WebSocket, which has nothing to say but pings.
const MAX_CLIENT_MESSAGE_BYTES: usize = 4_096;

/// What a stream wakes for.
pub enum Wake {
    /// There may be something new.
    News,
    /// Nothing happened for a while.
    KeepAlive,
    /// Users, tokens or readers of topics have changed; the token is as it was.
    AccessChanged,
}

/// Takes the slot of a user's stream among the connections; `None` if a request came without a connection.
///
/// # Errors
/// [`TooManyStreams`] if the user's streams have their share of the slots.
pub fn take_slot(extensions: &Extensions, user: UserKey) -> Result<Option<StreamSlot>, TooManyStreams> {
    extensions.get::<StreamSlots>().map(|slots| slots.take(user)).transpose()
}

/// Completes when a stream has to make way for another; never if it has no slot.
async fn made_way(slot: Option<&StreamSlot>) {
    match slot {
        Some(slot) => slot.closed().await,
        None => std::future::pending().await,
    }
}

/// The access of an open stream, its slot, and the time of its next sign of life.
pub struct StreamAccess {
    /// The user and token of the stream.
    pub auth: AuthContext,
    auth_changes: watch::Receiver<u64>,
    next_keep_alive: Instant,
    slot: Option<StreamSlot>,
}

impl StreamAccess {
    /// The access of a stream that is opened now. `auth_changes` was watched before the token was checked, so that no
    /// revocation is missed between the two.
    pub fn new(
        app: &AppState,
        auth: AuthContext,
        auth_changes: watch::Receiver<u64>,
        slot: Option<StreamSlot>,
    ) -> Self {
        Self { auth, auth_changes, next_keep_alive: next_keep_alive(app), slot }
    }

    /// Waits for `news` or the next sign of life; `None` if the token or the server has ended, or the stream makes way
    /// for another.
    pub async fn wait(&mut self, app: &AppState, news: impl Future<Output = ()>) -> Option<Wake> {
        tokio::select! {
            () = news => Some(Wake::News),
            changed = self.auth_changes.changed() => {
                changed.ok()?;
                let is_valid = app.server.access.is_still_valid(&self.auth.bearer, &self.auth.token).await;
                is_valid.then_some(Wake::AccessChanged)
            }
            () = sleep_until(self.next_keep_alive) => {
                self.next_keep_alive = next_keep_alive(app);
                Some(Wake::KeepAlive)
            }
            () = made_way(self.slot.as_ref()) => None,
            () = app.stop.cancelled() => None,
        }
    }
}

fn next_keep_alive(app: &AppState) -> Instant {
    Instant::now() + app.server.config.keep_alive_interval
}

/// What is sent over a WebSocket.
pub enum Frame {
    /// A sign of life.
    Ping,
    /// A message.
    Text(String),
}

/// A stream that is sent over a WebSocket.
pub trait Frames: Send + 'static {
    /// What comes next; `None` ends the stream.
    fn next_frame(&mut self) -> impl Future<Output = Option<Frame>> + Send;
}

/// The upgrade of a request to a WebSocket; `None` if it asks for none.
pub async fn websocket(parts: &mut Parts, app: &AppState) -> Option<WebSocketUpgrade> {
    let upgrade = WebSocketUpgrade::from_request_parts(parts, app).await.ok()?;
    Some(upgrade.max_message_size(MAX_CLIENT_MESSAGE_BYTES).max_frame_size(MAX_CLIENT_MESSAGE_BYTES))
}

/// Sends frames until the stream or the client ends, each within the timeout.
pub async fn serve_socket(mut socket: WebSocket, mut frames: impl Frames, send_timeout: Duration) {
    while let Some(frame) = next_frame(&mut socket, &mut frames).await {
        let message = match frame {
            Frame::Ping => Message::Ping(Bytes::new()),
            Frame::Text(text) => Message::Text(text.into()),
        };
        if !matches!(timeout(send_timeout, socket.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
    // If the client closed it, this sends the answer to that.
    drop(timeout(send_timeout, socket.close()).await);
}

/// The next frame, while what the client sends is read and dropped; `None` if either has ended.
async fn next_frame(socket: &mut WebSocket, frames: &mut impl Frames) -> Option<Frame> {
    // What the client sends does not interrupt this, which may have read a part of a page.
    let frame = frames.next_frame();
    tokio::pin!(frame);
    loop {
        tokio::select! {
            frame = &mut frame => return frame,
            received = socket.recv() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            },
        }
    }
}
