//! Signs in at a service with a page in the browser, so that nobody has to make a token by hand. The page takes a code
//! (OAuth 2.0 device authorization grant, RFC 8628), or it redirects to this machine (RFC 8252) with PKCE (RFC 7636).
//! Renews tokens that expire, and takes those of removed sources back.
//!
//! No client secret is part of the program. The id of a client is the reader's own, by the origin of its service. If a
//! program registers itself, its secret is kept with the token alone, to take that back. Codes, verifiers and tokens go
//! only to the service that they are of, and are in no error and no `Debug`.
//!
//! A protocol says in its registration whether it has a sign-in, where, and for which rights (`SignIn`); page and
//! terminal offer it from that. GitHub and GitLab take a code; Mastodon uses a redirect, and the program registers
//! itself there each time. Gitea and Forgejo have neither. The requests go through `Service` like all others, with
//! its client, bounds and rules for other origins. The page never gets a token: it gets the number of the sign-in,
//! and adds the source with that. Tokens that expire are renewed five minutes before, by one process at a time and
//! never twice in a minute.

mod browser;
mod clients;
mod device;
mod grants;
mod loopback;
mod renewal;
mod revocation;
mod stored_tokens;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tidings_model::Clock;
use tidings_net::address;
use tidings_sources::{Protocol, SignIn, probe};
use tokio::time::Instant;
use url::Url;

pub use self::clients::{client_id, set_client_id};
pub use self::loopback::PageTexts;
pub use self::revocation::{Revocation, revoke, revoked_by_hand};
pub use self::stored_tokens::StoredTokens;
use crate::tokens::Grant;

/// The longest time from the beginning of a sign-in to its end.
const MAX_SIGN_IN_TIME: Duration = Duration::from_secs(30 * 60);

/// Why a sign-in failed. Holds no text of a server.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The protocol or the server has no such sign-in.
    #[error("the service has no browser sign-in")]
    NotOffered,
    /// The service wants a client id, and none is set for it.
    #[error("the service needs the ID of a client that is registered there")]
    NoClientId,
    /// The service does not take the client id for such a sign-in.
    #[error("the service does not accept this client ID")]
    ClientId,
    /// The reader, or the service, did not agree.
    #[error("the sign-in was denied at the service")]
    Denied,
    /// Nobody agreed in time.
    #[error("the sign-in was not confirmed in time")]
    Expired,
    /// No port of this machine could be opened for the way back from the browser.
    #[error("no port of this machine can be opened: {0}")]
    Port(std::io::Error),
    /// A request failed.
    #[error(transparent)]
    Service(#[from] tidings_net::Error),
}

/// A result of a sign-in.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Waits for a time. Tests pass one that moves a clock.
pub type Sleep = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// Waits in real time.
pub fn real_time() -> Sleep {
    Arc::new(|wait| Box::pin(tokio::time::sleep(wait)))
}

/// A sign-in that is to begin.
pub struct NewSignIn<'a> {
    /// The protocol of the source.
    pub protocol: &'static Protocol,
    /// The address of the source, as it was typed.
    pub url: &'a str,
    /// The id of the reader's client at the service; empty if there is none. It is not used if the program registers
    /// itself.
    pub client_id: &'a str,
    /// Whether to ask for [`Rights::more`](tidings_sources::Rights::more).
    pub more: bool,
    /// The texts of the page to which the browser comes back.
    pub texts: PageTexts,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// Waits between two questions whether the reader has agreed.
    pub sleep: Sleep,
}

/// What the reader has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// The reader enters a code on a page.
    Code {
        /// The code.
        code: String,
        /// The page.
        url: Url,
    },
    /// The reader opens a page.
    Page(Url),
}

impl Prompt {
    /// The page to open. It is of the service itself.
    pub const fn url(&self) -> &Url {
        match self {
            Self::Code { url, .. } | Self::Page(url) => url,
        }
    }
}

/// A sign-in that waits for the reader to agree. Dropped, it ends and its port is closed.
pub struct Started {
    /// The address of the source that answered, as it is stored.
    pub url: String,
    /// What the reader has to do.
    pub prompt: Prompt,
    waiting: PendingSignIn,
}

enum PendingSignIn {
    Device(device::PendingCode),
    Browser(browser::PendingPage),
}

impl std::fmt::Debug for Started {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Started")
            .field("url", &self.url)
            .field("prompt", &self.prompt)
            .finish_non_exhaustive()
    }
}

/// Begins a sign-in: asks the service for a code, or registers at it.
///
/// # Errors
/// [`Error::NotOffered`], [`Error::NoClientId`] without a request, else why the request failed.
pub async fn begin(new: NewSignIn<'_>) -> Result<Started> {
    let addresses = probe::addresses(new.protocol, new.url)?;
    let (new, client_id) = (&new, new.client_id.trim());
    if matches!(new.protocol.sign_in, SignIn::Device(_)) && client_id.is_empty() {
        return Err(Error::NoClientId);
    }
    // Only an address at which nothing answers leads to the next one; a refusal is an answer.
    let asked = address::first_answering(&addresses, |url| async move {
        let begun = match &new.protocol.sign_in {
            SignIn::None => Err(Error::NotOffered),
            SignIn::Device(grant) => device::begin(grant, &url, client_id, new).await,
            SignIn::Browser(grant) => browser::begin(grant, &url, new).await,
        };
        match begun {
            Err(Error::Service(error)) => Err(error),
            begun => Ok(begun),
        }
    });
    let (url, begun) = asked.await?;
    let (prompt, waiting) = begun?;
    Ok(Started { url, prompt, waiting })
}

impl Started {
    /// Waits until the reader has agreed, and returns the token.
    ///
    /// # Errors
    /// [`Error::Denied`], [`Error::Expired`], else why a request failed.
    pub async fn finish(self) -> Result<Grant> {
        let until = Instant::now() + MAX_SIGN_IN_TIME;
        let finishing = async {
            match self.waiting {
                PendingSignIn::Device(waiting) => waiting.finish().await,
                PendingSignIn::Browser(waiting) => waiting.finish().await,
            }
        };
        tokio::time::timeout_at(until, finishing).await.unwrap_or(Err(Error::Expired))
    }
}
