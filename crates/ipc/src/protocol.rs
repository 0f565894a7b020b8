//! The protocols of sources, as the form that adds one shows them.

use serde::{Deserialize, Serialize};
use tidings_replica::NotifyLevel;
use ts_rs::TS;

use crate::sign_in::SignInView;

/// A protocol that a source may have: the data for the form that adds one, and the abilities of its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProtocolView {
    /// Its name, as in `SourceForm.protocol` and `SourceRow.protocol`.
    pub name: String,
    /// The name of the service, for example `GitHub`.
    pub label: String,
    /// The address that is asked if none is entered; null if one has to be.
    pub default_url: Option<String>,
    /// An address as one types it, for an empty field.
    pub example: String,
    /// The credential that it takes.
    pub credential: Credential,
    /// Its sign-in with the browser; null if it has none.
    pub sign_in: Option<SignInView>,
    /// What it can do.
    pub abilities: Abilities,
    /// The notify level of a new source.
    pub notify: NotifyLevel,
    /// The reasons of its items, in the order in which they are shown; empty if an item has no reason.
    pub reasons: Vec<ReasonView>,
}

/// A reason for which a service notifies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReasonView {
    /// The action of its items.
    pub action: String,
    /// Whether a new source makes toasts of them; else a rule lets them only count.
    pub toast: bool,
}

/// The credential that a protocol takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// None at all.
    None,
    /// A token, without which it can't be asked.
    Token,
    /// None, a token, or `user:password`.
    Optional,
}

/// What the sources of a protocol can do. Marks that a service does not keep are kept on this computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(clippy::struct_excessive_bools, reason = "each is an ability of its own")]
pub struct Abilities {
    /// Whether news comes at once, over a live channel.
    pub live: bool,
    /// Whether items from before it was added can be pulled.
    pub history: bool,
    /// Where the read state is kept.
    pub read: Keeps,
    /// Where the archived state is kept.
    pub archive: Keeps,
    /// Whether an item can be deleted at the service.
    pub delete: bool,
    /// Whether messages can be sent.
    pub reply: bool,
    /// The longest text that can be published on a topic of a source (`SourceRow.topics`), in bytes of UTF-8; null if
    /// nothing can.
    pub publish_bytes: Option<u32>,
    /// Whether a thread can be subscribed to, unsubscribed from and muted at the service.
    pub follow: bool,
    /// Whether details that an item lacks, such as the latest comment, are fetched when its thread is opened.
    pub details: bool,
    /// Whether it has groups of people.
    pub groups: bool,
    /// The shortest time between two pulls without a live channel, in seconds; 0 for no limit of its own.
    pub poll_seconds: u32,
}

/// Where the state of an item is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Keeps {
    /// On this computer only.
    Here,
    /// Also at the service, which does not report changes that were made elsewhere.
    Sent,
    /// At the service, in both directions.
    Both,
}

impl ProtocolView {
    /// Every protocol, in the order in which they are offered.
    pub fn all() -> Vec<Self> {
        tidings_sources::PROTOCOLS.iter().map(|known| Self::of(known)).collect()
    }

    fn of(known: &tidings_sources::Protocol) -> Self {
        let able = known.abilities;
        Self {
            name: known.name.to_owned(),
            label: known.label.to_owned(),
            default_url: known.default_url.map(str::to_owned),
            example: known.example.to_owned(),
            credential: match known.credential {
                tidings_sources::Credential::None => Credential::None,
                tidings_sources::Credential::Token => Credential::Token,
                tidings_sources::Credential::Optional => Credential::Optional,
            },
            sign_in: SignInView::of(known),
            abilities: Abilities {
                live: able.live,
                history: able.history,
                read: able.read.into(),
                archive: able.archive.into(),
                delete: able.delete,
                reply: able.reply,
                publish_bytes: able.publish_bytes.and_then(|bytes| u32::try_from(bytes).ok()),
                follow: able.follow,
                details: able.details,
                groups: tidings_sources::has_groups(known.name),
                poll_seconds: u32::try_from(able.poll_interval.as_secs()).unwrap_or(u32::MAX),
            },
            notify: known.notify,
            reasons: known
                .reasons
                .iter()
                .map(|reason| ReasonView { action: reason.action.to_owned(), toast: reason.toast })
                .collect(),
        }
    }
}

impl From<tidings_sources::Keeps> for Keeps {
    fn from(keeps: tidings_sources::Keeps) -> Self {
        match keeps {
            tidings_sources::Keeps::Here => Self::Here,
            tidings_sources::Keeps::Sent => Self::Sent,
            tidings_sources::Keeps::Both => Self::Both,
        }
    }
}
