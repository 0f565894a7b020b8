//! The description of a protocol of sources: its name, its abilities, its needs, and how it is opened.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::Clock;
use tidings_net::Result;
use tidings_net::address::AddressKind;
use tidings_replica::{self as replica, NotifyLevel};
use url::Url;

use super::Source;
use crate::bounds::Bounds;

/// Makes the client of a source that a row of the replica describes, with its token and the bounds of its pulls. Sends no
/// request.
pub type Open = fn(&replica::Source, String, Arc<dyn Clock>, Bounds) -> Result<Arc<dyn Source>>;

/// A protocol that notifications are pulled by.
#[derive(Debug, Clone, Copy)]
pub struct Protocol {
    /// Its name in commands, settings and [`replica::Source::protocol`], for example `github`.
    pub name: &'static str,
    /// The name of the service, for example `GitHub`.
    pub label: &'static str,
    /// The address that is meant if none is given; `None` if one has to be given.
    pub default_url: Option<&'static str>,
    /// An address as one types it, which a form shows as long as its field is empty.
    pub example: &'static str,
    /// What its address names.
    pub address: AddressKind,
    /// The credential that it takes.
    pub credential: Credential,
    /// How one signs in with the browser, unless a token is made by hand.
    pub sign_in: SignIn,
    /// What it can do.
    pub abilities: Abilities,
    /// The notify level of a new source of it; the reader can change it. `Badge` suits what comes often and is read
    /// when there is time, such as a feed.
    pub notify: NotifyLevel,
    /// The reasons of its items, each with whether a new source makes toasts of them. Empty if an item has no reason.
    pub reasons: &'static [Reason],
    /// Makes its client. Sends no request.
    pub open: Open,
}

/// A reason for which a service notifies, as a preset of new sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The action of its items.
    pub action: &'static str,
    /// Whether they make toasts; else they only count, by a rule that the reader can change.
    pub toast: bool,
}

impl Reason {
    /// A reason that concerns the reader in person.
    pub const fn toast(action: &'static str) -> Self {
        Self { action, toast: true }
    }

    /// A reason of much that has time.
    pub const fn badge(action: &'static str) -> Self {
        Self { action, toast: false }
    }
}

/// The credential that a protocol takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credential {
    /// None at all.
    None,
    /// A token; the source can't be asked without one.
    Token,
    /// Nothing, a token, or `user:password`.
    Optional,
}

/// How one signs in with the browser. Page and commands offer it from this alone; a token can always be entered
/// instead.
#[derive(Debug, Clone, Copy)]
pub enum SignIn {
    /// Not at all: a token is made by hand.
    None,
    /// By a code that is entered on a page of the service (OAuth 2.0 device authorization grant, RFC 8628). It needs
    /// the id of a client that the reader registered there.
    Device(DeviceGrant),
    /// By a page of the service, which leads back to this machine (RFC 8252) with PKCE (RFC 7636). The program
    /// registers itself there.
    Browser(BrowserGrant),
}

/// Where a service grants tokens for a code, and for which rights.
#[derive(Debug, Clone, Copy)]
pub struct DeviceGrant {
    /// The address of the service's pages, for that of a source.
    pub site: fn(&Url) -> Url,
    /// The path below it at which a code is asked for.
    pub code_path: &'static str,
    /// The path below it at which the token is asked for.
    pub token_path: &'static str,
    /// How a token is taken back.
    pub taken_back: TakenBack,
    /// The rights that are asked for.
    pub rights: Rights,
}

/// How a token is taken back, by paths below the address of the service's pages.
#[derive(Debug, Clone, Copy)]
pub struct TakenBack {
    /// The path at which a program does it (RFC 7009); `None` if it can't.
    pub path: Option<&'static str>,
    /// The path of the page on which the reader does it.
    pub page: &'static str,
}

/// Where a service registers a program and grants tokens, below the address of a source, and for which rights.
#[derive(Debug, Clone, Copy)]
pub struct BrowserGrant {
    /// The path at which a program registers itself.
    pub apps_path: &'static str,
    /// The path of the page on which the reader agrees.
    pub authorize_path: &'static str,
    /// The path at which the token is asked for.
    pub token_path: &'static str,
    /// How a token is taken back.
    pub taken_back: TakenBack,
    /// The rights that are asked for.
    pub rights: Rights,
}

/// The rights that a sign-in asks for.
#[derive(Debug, Clone, Copy)]
pub struct Rights {
    /// The scopes that are needed, with spaces between them.
    pub scopes: &'static str,
    /// What they allow, a phrase each that can follow "Tidings may".
    pub means: &'static [Phrase],
    /// Further rights, if the reader wants them.
    pub more: Option<MoreRights>,
}

/// Rights that are asked for only if the reader wants them.
#[derive(Debug, Clone, Copy)]
pub struct MoreRights {
    /// All scopes that are asked for then, with spaces between them.
    pub scopes: &'static str,
    /// What these rights allow, and what comes with them.
    pub means: Phrase,
}

/// A phrase in English and in Simplified Chinese.
pub type Phrase = (&'static str, &'static str);

impl SignIn {
    /// The rights that it asks for; `None` if there is no sign-in.
    pub const fn rights(&self) -> Option<&Rights> {
        match self {
            Self::None => None,
            Self::Device(grant) => Some(&grant.rights),
            Self::Browser(grant) => Some(&grant.rights),
        }
    }
}

/// What a protocol can do. Page, rules and commands offer no more than that; marks that a service does not keep
/// are kept on this device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an ability of its own")]
pub struct Abilities {
    /// Whether it sends changes at once, over a live channel.
    pub live: bool,
    /// Whether what happened before it was added can be pulled.
    pub history: bool,
    /// Whether the service keeps what is read.
    pub read: Keeps,
    /// Whether the service keeps what is archived (done).
    pub archive: Keeps,
    /// Whether an item can be deleted at the service.
    pub delete: bool,
    /// Whether messages can be sent.
    pub reply: bool,
    /// The longest text, in bytes, of a notification that the reader publishes on one of the topics at the end of the
    /// source's address. `None` if nothing can be published.
    pub publish_bytes: Option<usize>,
    /// Whether a thread can be subscribed to, unsubscribed from and muted at the service.
    pub follow: bool,
    /// Whether an item may lack what a request of its own brings, such as the latest comment, which is then fetched when its
    /// thread is opened.
    pub details: bool,
    /// The shortest time between two pulls that nobody asked for, without a live channel; zero for no limit of its own.
    pub poll_interval: Duration,
}

impl Abilities {
    /// No ability at all: what the others are named beside.
    pub const NONE: Self = Self {
        live: false,
        history: false,
        read: Keeps::Here,
        archive: Keeps::Here,
        delete: false,
        reply: false,
        publish_bytes: None,
        follow: false,
        details: false,
        poll_interval: Duration::ZERO,
    };
}

/// Where the state of an item is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Keeps {
    /// On this device only.
    #[default]
    Here,
    /// Also at the service, which does not report changes that were made elsewhere.
    Sent,
    /// At the service, in both directions.
    Both,
}
