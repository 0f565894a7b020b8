//! The live channel: Server-Sent Events that tell a client to pull. They carry no notification content, so that every
//! notification arrives by a pull.

use std::convert::Infallible;

use axum::Extension;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream;
use serde_json::json;
use tidings_model::{Code, Stamp};
use tidings_server_core::connections::{StreamSlot, StreamSlots};
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::Query;
use tidings_server_core::http::response::error::{ApiError, ApiResult};
use tidings_server_core::live::{OpenChannel, Signal};
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::{INBOX, parameters};
use crate::http::openapi::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/events", INBOX, self::events)
            .about("The live channel: says when to pull.")
            .query([parameters::user()])
            .response_schema(200, json!({"type": "string", "x-stream": true})),
    ]
}

/// Receipts in one event, at most.
const MAX_RECEIPTS_PER_EVENT: usize = 500;

/// The state of one open live channel.
struct Channel {
    app: AppState,
    auth: AuthContext,
    user: UserKey,
    signal: OpenChannel,
    auth_changes: watch::Receiver<u64>,
    sent: Signal,
    /// Receipts up to this time were sent on this channel.
    receipts_through: Stamp,
    next_keep_alive: Instant,
    greeted: bool,
    /// Its slot among the connections.
    _slot: Option<StreamSlot>,
}

pub(crate) async fn events(
    app: AppState,
    auth: AuthContext,
    query: Query,
    slots: Option<Extension<StreamSlots>>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let too_many = || ApiError::new(Code::RateLimited, "this user has too many live channels open");
    let signal = app.server.hub.listen(user).map_err(|_| too_many())?;
    let slot = slots.map(|slots| slots.take(user)).transpose().map_err(|_| too_many())?;
    let channel = Channel::new(app, auth, user, signal, slot);
    channel.check_access().await?;
    Ok(Sse::new(stream::unfold(channel, next)).into_response())
}

/// The next event of a channel; `None` ends it.
async fn next(mut channel: Channel) -> Option<(Result<Event, Infallible>, Channel)> {
    if !channel.greeted {
        channel.greeted = true;
        return Some((Ok(Event::default().comment("open")), channel));
    }
    loop {
        let now = *channel.signal.borrow_and_update();
        if now.stamp > channel.sent.stamp {
            channel.sent.stamp = now.stamp;
            let event = Event::default().event("hint").data(json!({"stamp": now.stamp}).to_string());
            return Some((Ok(event), channel));
        }
        if now.receipts != channel.sent.receipts {
            channel.sent.receipts = now.receipts;
            if let Some(event) = channel.receipts_event().await {
                return Some((Ok(event), channel));
            }
        }
        let stop = channel.app.stop.clone();
        tokio::select! {
            changed = channel.signal.changed() => changed.ok()?,
            changed = channel.auth_changes.changed() => {
                changed.ok()?;
                channel.check_access().await.ok()?;
            }
            () = sleep_until(channel.next_keep_alive) => {
                channel.next_keep_alive = Instant::now() + channel.app.server.config.keep_alive_interval;
                channel.tell_deliveries().await;
                let event = channel.receipts_event().await.unwrap_or_default();
                return Some((Ok(event.comment("alive")), channel));
            }
            () = stop.cancelled() => return None,
        }
    }
}

impl Channel {
    fn new(
        app: AppState,
        auth: AuthContext,
        user: UserKey,
        signal: OpenChannel,
        slot: Option<StreamSlot>,
    ) -> Self {
        let sent = *signal.borrow();
        Self {
            auth_changes: app.server.access.watch(),
            sent,
            signal,
            next_keep_alive: Instant::now() + app.server.config.keep_alive_interval,
            app,
            auth,
            user,
            receipts_through: Stamp::ZERO,
            greeted: false,
            _slot: slot,
        }
    }

    /// An error if the token was revoked. The channel subscribes to changes of users and tokens before it is checked
    /// for the first time, so that no revocation is missed between the two.
    async fn check_access(&self) -> Result<(), ApiError> {
        if !self.app.server.access.is_still_valid(&self.auth.bearer, &self.auth.token).await {
            return Err(ApiError::new(Code::Unauthorized, "this token was revoked"));
        }
        // `fan_in` fails if the user was removed, which ends an admin's channel on their inbox.
        if self.user != self.auth.bearer.user {
            self.app.store().fan_in(self.user).await?;
        }
        Ok(())
    }

    /// Sends a hint if messages of the user have arrived with more members. Deliveries come in crowds, so none of them
    /// sends one by itself.
    async fn tell_deliveries(&self) {
        let store = self.app.store();
        if let Ok(true) = store.tell_deliveries(self.user).await
            && let Ok(stamp) = store.inbox_stamp(self.user).await
        {
            self.app.server.hub.hint(self.user, stamp);
        }
    }

    /// An event with the receipts not sent on this channel yet; `None` if there are none. Receipts stay in the store
    /// until the sender acknowledges them.
    async fn receipts_event(&mut self) -> Option<Event> {
        let page =
            self.app.store().receipts(self.user, self.receipts_through, MAX_RECEIPTS_PER_EVENT).await.ok()?;
        if page.receipts.is_empty() {
            return None;
        }
        self.receipts_through = page.next;
        if page.more {
            self.sent.receipts = self.sent.receipts.wrapping_sub(1);
        }
        let data = json!({"receipts": page.receipts, "next": page.next}).to_string();
        Some(Event::default().event("receipts").data(data))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt;
    use tidings_model::SystemClock;
    use tidings_model::wire::Scope;
    use tidings_server_core::config::ServerConfig;
    use tidings_server_core::server::Server;
    use tokio_util::sync::CancellationToken;

    use super::*;

    /// A channel of a user, and the data folder of its server.
    async fn channel() -> (Channel, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::open(ServerConfig::new(dir.path()), Arc::new(SystemClock)).await.unwrap();
        let token = server.owner("alice", "Alice", "test", &[Scope::Inbox]).await.unwrap().token;
        let bearer = server.access.bearer(&token).await.unwrap().unwrap();
        let user = bearer.user;
        let signal = server.hub.listen(user).unwrap();
        let address = "127.0.0.1:1".parse().unwrap();
        let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
        let app = AppState::new(&server, address, draining, stop, tidings_doors::refusal).await.unwrap();
        (Channel::new(app, AuthContext { bearer, token }, user, signal, None), dir)
    }

    #[tokio::test]
    async fn a_channel_ends_also_when_its_token_is_revoked_while_it_starts() {
        let (channel, _dir) = channel().await;
        let Channel { app, auth, .. } = channel;
        // The token has been authenticated; it is revoked before the channel subscribes to changes.
        app.server.revoke_token(&auth.bearer.token).await.unwrap();
        let refused = events(app, auth, Query::default(), None).await.unwrap_err();
        assert_eq!(refused.0.code, Code::Unauthorized);
    }

    #[tokio::test]
    async fn a_slow_reader_finds_the_newest_hint_and_nothing_piles_up() {
        let (channel, _dir) = channel().await;
        let (hub, user) = (channel.app.server.hub.clone(), channel.user);
        let (_, channel) = next(channel).await.unwrap();
        for n in 1..=100_000 {
            hub.hint(user, Stamp::from_micros(n));
        }
        let (event, channel) = next(channel).now_or_never().flatten().unwrap();
        let text = format!("{:?}", event.unwrap());
        assert!(text.contains(&Stamp::from_micros(100_000).to_string()), "{text}");
        assert!(next(channel).now_or_never().is_none(), "one hint, however many there were");
    }
}
