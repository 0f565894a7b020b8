//! `GET /stream`: a WebSocket with the user's new messages. It keeps the number of the last message that it read and
//! reads what comes after it from the store, page by page, when it is woken: it misses and repeats nothing in any race
//! with publishing, and a slow reader holds one page.

use std::collections::VecDeque;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts, Request, State};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::auth::ClientAuth;
use super::error::{GotifyError, GotifyResult, NOT_A_WEBSOCKET, TOO_MANY_STREAMS};
use super::messages::MessageJson;
use crate::domain::limits;
use crate::http::AppState;
use crate::http::auth::AuthContext;
use crate::http::limits::budgets::{Principal, Reservation};
use crate::live::Signal;
use crate::store::{MessagePageSize, MessagePosition, Messages};

/// The messages that are read from the store at once.
const PAGE: MessagePageSize = MessagePageSize { messages: 32, bytes: limits::TOPIC_PAGE_BYTES };
/// Bytes of content that a page may take: its first message may be large.
const MAX_PAGE_BYTES: usize = limits::TOPIC_PAGE_BYTES + limits::NOTIFICATION_BYTES;
/// Bytes of a message from the client, which has nothing to say.
const MAX_CLIENT_MESSAGE_BYTES: usize = 4_096;

pub(super) async fn stream(State(app): State<AppState>, request: Request) -> GotifyResult {
    let (mut parts, _) = request.into_parts();
    // Watched before the token is checked, so that no revocation is missed between the two.
    let auth_changes = app.server.token_cache.watch();
    let ClientAuth(auth) = ClientAuth::from_request_parts(&mut parts, &app).await?;
    let upgrade =
        WebSocketUpgrade::from_request_parts(&mut parts, &app).await.map_err(|_| NOT_A_WEBSOCKET)?;
    let stream = MessageStream::open(app, auth, auth_changes).await?;
    let upgrade = upgrade.max_message_size(MAX_CLIENT_MESSAGE_BYTES).max_frame_size(MAX_CLIENT_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| serve_socket(socket, stream)))
}

/// Sends messages until the stream or the client ends.
async fn serve_socket(mut socket: WebSocket, mut stream: MessageStream) {
    let send_timeout = stream.app.server.config.send_timeout;
    while let Some(step) = next_step(&mut socket, &mut stream).await {
        let message = match step {
            Step::KeepAlive => Message::Ping(Bytes::new()),
            Step::Message(text) => Message::Text(text.into()),
        };
        if !matches!(timeout(send_timeout, socket.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
    drop(timeout(send_timeout, socket.send(Message::Close(None))).await);
}

/// The next step of a stream, while what the client sends is read and dropped; `None` where either has ended.
async fn next_step(socket: &mut WebSocket, stream: &mut MessageStream) -> Option<Step> {
    // What the client sends does not interrupt a step, which may have read a page.
    let step = stream.next();
    tokio::pin!(step);
    loop {
        tokio::select! {
            step = &mut step => return step,
            received = socket.recv() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            },
        }
    }
}

/// What a stream sends next.
enum Step {
    /// Nothing happened for a while.
    KeepAlive,
    /// A message as JSON.
    Message(String),
}

fn log_failure(e: &crate::error::Error) {
    tracing::error!(error = %e, "a stream could not be served");
}

/// One open stream.
struct MessageStream {
    app: AppState,
    auth: AuthContext,
    auth_changes: watch::Receiver<u64>,
    signal: watch::Receiver<Signal>,
    /// The number of the last message that was read from the store.
    last: i64,
    /// Whether there may be messages after the last one.
    behind: bool,
    ready: VecDeque<String>,
    /// The room that what is ready takes.
    reservation: Option<Reservation>,
    next_keep_alive: Instant,
}

impl MessageStream {
    /// A stream of what is published from now on.
    async fn open(
        app: AppState,
        auth: AuthContext,
        auth_changes: watch::Receiver<u64>,
    ) -> Result<Self, GotifyError> {
        let user = auth.bearer.user;
        // It listens before its position is read, so that nothing is published between the two.
        let signal = app.server.hub.listen(user).map_err(|_| TOO_MANY_STREAMS)?;
        let last = app.store().newest_message(user).await?;
        let next_keep_alive = Instant::now() + app.server.config.keep_alive_interval;
        Ok(Self {
            app,
            auth,
            auth_changes,
            signal,
            last,
            behind: false,
            ready: VecDeque::new(),
            reservation: None,
            next_keep_alive,
        })
    }

    /// What comes next; `None` ends the stream.
    async fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(Step::Message(message));
            }
            self.reservation = None;
            if self.behind {
                self.read_page().await?;
                continue;
            }
            tokio::select! {
                changed = self.signal.changed() => {
                    changed.ok()?;
                    self.behind = true;
                }
                changed = self.auth_changes.changed() => {
                    changed.ok()?;
                    if !self.app.server.token_cache.is_still_valid(&self.auth.bearer, &self.auth.token).await {
                        return None;
                    }
                }
                () = sleep_until(self.next_keep_alive) => {
                    self.next_keep_alive = Instant::now() + self.app.server.config.keep_alive_interval;
                    return Some(Step::KeepAlive);
                }
                () = self.app.stop.cancelled() => return None,
            }
        }
    }

    /// Reads the next page. Ends the stream where the store fails or there is no room: the client comes back.
    async fn read_page(&mut self) -> Option<()> {
        let user = self.auth.bearer.user;
        let room = self.app.load_limits.streams.reserve(Principal::User(user), MAX_PAGE_BYTES).await;
        let mut room = room.inspect_err(|e| tracing::warn!(error = %e.detail, "a stream ends")).ok()?;
        let after = MessagePosition::After(self.last);
        let page = self.app.server.store.messages(user, Messages::All, after, PAGE).await;
        let page = page.inspect_err(log_failure).ok()?;
        self.behind = page.more;
        self.last = page.messages.last().map_or(self.last, |message| message.id);
        for message in page.messages {
            self.ready.push_back(serde_json::to_string(&MessageJson::from(message)).ok()?);
        }
        room.shrink(self.ready.iter().map(String::len).sum());
        self.reservation = Some(room);
        Some(())
    }
}
