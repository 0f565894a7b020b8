//! The live channel: Server-Sent Events that say "pull". Refuses to carry a notification, so that none can arrive
//! around the pull.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream;
use serde_json::json;
use tidings_model::{Code, Stamp};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::App;
use super::auth::Who;
use super::input::Query;
use super::problem::{Answer, Refusal};
use crate::domain::account::UserKey;
use crate::live::Signal;

/// A comment goes out after so long a silence; undelivered receipts ride on it.
const ALIVE: Duration = Duration::from_secs(20);
/// Receipts in one event.
const RECEIPTS: usize = 500;

/// Where one channel stands.
struct Channel {
    app: App,
    who: Who,
    user: UserKey,
    signal: watch::Receiver<Signal>,
    keys: watch::Receiver<u64>,
    told: Signal,
    /// Receipts up to here were sent on this channel.
    receipts: Stamp,
    alive: Instant,
    opened: bool,
}

pub(crate) async fn events(State(app): State<App>, who: Who, query: Query) -> Answer {
    let user = who.inbox_of(&app, &query).await?;
    let signal = app
        .server
        .hub
        .listen(user)
        .map_err(|_| Refusal::new(Code::RateLimited, "this user has too many live channels open"))?;
    let told = *signal.borrow();
    let channel = Channel {
        keys: app.server.keys.watch(),
        told,
        signal,
        app,
        who,
        user,
        receipts: Stamp::ZERO,
        alive: Instant::now() + ALIVE,
        opened: false,
    };
    Ok(Sse::new(stream::unfold(channel, next)).into_response())
}

/// The next thing to say; none when the channel ends.
async fn next(mut channel: Channel) -> Option<(Result<Event, Infallible>, Channel)> {
    if !channel.opened {
        channel.opened = true;
        return Some((Ok(Event::default().comment("open")), channel));
    }
    loop {
        let now = *channel.signal.borrow_and_update();
        if now.stamp > channel.told.stamp {
            channel.told.stamp = now.stamp;
            let event = Event::default().event("hint").data(json!({"stamp": now.stamp}).to_string());
            return Some((Ok(event), channel));
        }
        if now.receipts != channel.told.receipts {
            channel.told.receipts = now.receipts;
            if let Some(event) = channel.receipts().await {
                return Some((Ok(event), channel));
            }
        }
        let stop = channel.app.stop.clone();
        tokio::select! {
            changed = channel.signal.changed() => changed.ok()?,
            changed = channel.keys.changed() => {
                changed.ok()?;
                if !channel.app.server.keys.still(&channel.who.bearer, &channel.who.token).await {
                    return None;
                }
                // An admin's channel on another user's inbox ends with that user, too.
                if channel.user != channel.who.bearer.user {
                    channel.app.store().bring_in(channel.user).await.ok()?;
                }
            }
            () = sleep_until(channel.alive) => {
                channel.alive = Instant::now() + ALIVE;
                let event = channel.receipts().await.unwrap_or_else(|| Event::default().comment("alive"));
                return Some((Ok(event.comment("alive")), channel));
            }
            () = stop.cancelled() => return None,
        }
    }
}

impl Channel {
    /// The receipts that this channel has not carried yet, if there are any. They stay in the store until the sender
    /// acknowledges them.
    async fn receipts(&mut self) -> Option<Event> {
        let page = self.app.store().receipts(self.user, self.receipts, RECEIPTS).await.ok()?;
        if page.receipts.is_empty() {
            return None;
        }
        self.receipts = page.next;
        if page.more {
            self.told.receipts = self.told.receipts.wrapping_sub(1);
        }
        let data = json!({"receipts": page.receipts, "next": page.next}).to_string();
        Some(Event::default().event("receipts").data(data))
    }
}
