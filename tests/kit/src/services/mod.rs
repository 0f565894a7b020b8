//! Small services of other protocols, in memory: each speaks its API as the real one does, and fails as a test plans it.

mod faults;
pub mod feed;
pub mod forgejo;
pub mod github;
pub mod gitlab;
pub mod gotify;
pub mod mastodon;
pub mod ntfy;
pub mod oauth;
pub mod tally;
mod threads;

use std::sync::{Arc, Mutex};

use crate::scripted::{Exchange, Requests, ScriptedServer};

pub use self::faults::{Fault, Faults};
pub use self::feed::Feed;
pub use self::forgejo::Forgejo;
pub use self::github::GitHub;
pub use self::gitlab::GitLab;
pub use self::gotify::Gotify;
pub use self::mastodon::Mastodon;
pub use self::ntfy::Ntfy;
pub use self::oauth::{DeviceStep, OAuth};
pub use self::tally::Tally;

/// A service that a conformance test drives.
pub trait ScriptedService: Send + Sync {
    /// The protocol's name, for example `ntfy`.
    fn protocol(&self) -> &'static str;
    /// The address to give as the source's url.
    fn url(&self) -> String;
    /// The credential that it takes.
    fn token(&self) -> String;
    /// Creates item `n` at the service, `n` counted up from 0, each with a title or body holding the text `item <n>`.
    fn publish(&self, n: usize);
    /// Changes item `n` so that it is news again (or replaces it). It gives false if the protocol has no such thing.
    fn change(&self, _n: usize) -> bool {
        false
    }
    /// Deletes item `n` at the service; false if the protocol has no such thing.
    fn delete(&self, _n: usize) -> bool {
        false
    }
    /// Whether the service has item `n` as read; `None` if it keeps no such state.
    fn is_read(&self, _n: usize) -> Option<bool> {
        None
    }
    /// Whether the service has item `n` as done; `None` if it keeps no such state.
    fn is_archived(&self, _n: usize) -> Option<bool> {
        None
    }
    /// The subscription of the thread of item `n`: `subscribed`, `unsubscribed` or `ignored`; `None` if the service keeps
    /// none.
    fn subscription(&self, _n: usize) -> Option<&'static str> {
        None
    }
    /// The msgid that the client gives item `n`.
    fn msgid(&self, n: usize) -> String;
    /// The faults of the next requests. Each request asks this queue first.
    fn faults(&self) -> &Faults;
    /// The requests so far: request line, headers and body.
    fn requests(&self) -> Vec<String>;
}

/// Answers every request from now on with what `respond` makes of it and of the state of the service, or with the fault that
/// is planned for it. Gives that state, which is empty at first, the faults, and the requests received so far.
fn serve<T: Default + Send + 'static>(
    server: ScriptedServer,
    respond: impl Fn(&Exchange, &mut T) -> Vec<u8> + Send + Sync + 'static,
) -> (Arc<Mutex<T>>, Faults, Requests) {
    let (state, faults, respond) = (Arc::<Mutex<T>>::default(), Faults::default(), Arc::new(respond));
    let (served, planned) = (state.clone(), faults.clone());
    let requests = server.serve(move |mut exchange| {
        let (served, planned, respond) = (served.clone(), planned.clone(), respond.clone());
        async move {
            let full = respond(&exchange, &mut served.lock().unwrap());
            reply(&planned, &mut exchange, full).await;
        }
    });
    (state, faults, requests)
}

/// Whether a request shows this token.
fn shows(exchange: &Exchange, scheme: &str, token: &str) -> bool {
    exchange.header("authorization").is_some_and(|shown| shown == format!("{scheme} {token}"))
}

/// Answers a request with the full answer, or with the fault that is planned for it.
pub async fn reply(faults: &Faults, exchange: &mut Exchange, full: Vec<u8>) {
    match faults.next_of(&exchange.request) {
        Some(fault) => fault.answer(exchange, full).await,
        // A client that is gone needs no answer.
        None => drop(exchange.send(&full).await),
    }
}
