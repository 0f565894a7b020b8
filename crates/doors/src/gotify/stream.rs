//! `GET /stream`: a WebSocket with the user's new messages. It keeps the number of the last message that it read and
//! reads what comes after it from the store, page by page, when it is woken. It misses and repeats nothing in any race
//! with publishing, and a slow reader holds one page.

use std::collections::VecDeque;

use axum::extract::{FromRequestParts, Request, State};
use tidings_server_core::budgets::{Principal, Reservation};
use tidings_server_core::connections::StreamSlot;
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::streams::{self, Frame, Frames, StreamAccess, Wake};
use tidings_server_core::live::OpenChannel;
use tidings_store::{MessagePageSize, MessagePosition, Messages};
use tokio::sync::watch;

use super::auth::ClientAuth;
use super::error::{GotifyError, GotifyResult, NOT_A_WEBSOCKET, TOO_MANY_STREAMS};
use super::messages::MessageJson;
use super::{GotifyState, uses};

/// The messages that are read from the store at once.
const PAGE: MessagePageSize = MessagePageSize { messages: 32, bytes: limits::TOPIC_PAGE_BYTES };
/// Bytes of content that a page may take: its first message may be large.
const MAX_PAGE_BYTES: usize = limits::TOPIC_PAGE_BYTES + limits::NOTIFICATION_BYTES;

pub(super) async fn stream(State(app): State<GotifyState>, request: Request) -> GotifyResult {
    let (mut parts, _) = request.into_parts();
    // Watched before the token is checked, so that no revocation is missed between the two.
    let auth_changes = app.server.access.watch();
    let ClientAuth(auth) = ClientAuth::from_request_parts(&mut parts, &app).await?;
    let upgrade = streams::websocket(&mut parts, &app).await.ok_or(NOT_A_WEBSOCKET)?;
    let send_timeout = app.server.config.send_timeout;
    let slot = streams::take_slot(&parts.extensions, auth.bearer.user).map_err(|_| TOO_MANY_STREAMS)?;
    let stream = MessageStream::open(app, auth, auth_changes, slot).await?;
    Ok(upgrade.on_upgrade(move |socket| streams::serve_socket(socket, stream, send_timeout)))
}

fn log_failure(e: &tidings_store::Error) {
    tracing::error!(error = %e, "a stream could not be served");
}

/// One open stream.
struct MessageStream {
    app: GotifyState,
    access: StreamAccess,
    signal: OpenChannel,
    /// The number of the last message that was read from the store.
    last: i64,
    /// Whether there may be messages after the last one.
    behind: bool,
    ready: VecDeque<String>,
    /// The room that what is ready takes.
    reservation: Option<Reservation>,
}

impl MessageStream {
    /// A stream of the messages that are published from now on.
    async fn open(
        app: GotifyState,
        auth: AuthContext,
        auth_changes: watch::Receiver<u64>,
        slot: Option<StreamSlot>,
    ) -> Result<Self, GotifyError> {
        let user = auth.bearer.user;
        // It listens before its position is read, so that nothing is published between the two.
        let signal = app.server.hub.listen(user).map_err(|_| TOO_MANY_STREAMS)?;
        let last = app.store().newest_message(user).await?;
        let access = StreamAccess::new(&app, auth, auth_changes, slot);
        Ok(Self { app, access, signal, last, behind: false, ready: VecDeque::new(), reservation: None })
    }

    /// Reads the next page. It ends the stream if the store fails or there is no room: the client comes back.
    async fn read_page(&mut self) -> Option<()> {
        let user = self.access.auth.bearer.user;
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

impl Frames for MessageStream {
    async fn next_frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(Frame::Text(message));
            }
            self.reservation = None;
            if self.behind {
                self.read_page().await?;
                continue;
            }
            let Self { signal, access, app, .. } = self;
            let news = async {
                // The hub outlives every stream, so that its signal does not end.
                if signal.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            match access.wait(app, news).await? {
                Wake::News => self.behind = true,
                Wake::KeepAlive => {
                    uses::note(app, &access.auth.bearer);
                    return Some(Frame::Ping);
                }
                // Of what it sends there are no readers but its user.
                Wake::AccessChanged => {}
            }
        }
    }
}
