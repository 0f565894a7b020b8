//! The kinds of services that can be a source, a folder each, and their list.

mod address_topics;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) mod applications;
#[cfg(target_os = "linux")]
mod desktop;
pub(crate) mod feed;
mod forges;
mod gotify;
mod mastodon;
mod ntfy;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
#[rustfmt::skip]
mod sentences;
mod tidings;

use std::sync::Arc;

use tidings_model::Clock;
use tidings_net::{Error, Result};
use tidings_replica as replica;

pub use self::address_topics::topics;
pub use self::applications::{
    Application, MAX_APPLICATIONS, OWN_APPLICATION, OWN_DESKTOP_ENTRY, applications, with_application,
};
pub use self::tidings::Tidings;
use crate::bounds::Bounds;
use crate::source::{Credential, Protocol, Source};

/// Every protocol, in the order in which they are offered. A new one is a file in this folder, its module above and its
/// line here, as docs/new-source.md walks through.
pub const PROTOCOLS: &[&Protocol] = &[
    &tidings::PROTOCOL,
    &ntfy::PROTOCOL,
    &gotify::PROTOCOL,
    &forges::GITHUB,
    &forges::FORGEJO,
    &forges::GITLAB,
    &mastodon::PROTOCOL,
    &feed::PROTOCOL,
    #[cfg(target_os = "linux")]
    &desktop::PROTOCOL,
];

/// The protocol with this name.
///
/// # Errors
/// [`Error::Kind`] for a name that this version does not know.
pub fn protocol(name: &str) -> Result<&'static Protocol> {
    PROTOCOLS.iter().copied().find(|one| one.name == name).ok_or_else(|| Error::Kind(name.to_owned()))
}

/// Whether messages can be sent to a source of this protocol; false for one that this version does not know.
pub fn takes_messages(name: &str) -> bool {
    protocol(name).is_ok_and(|known| known.abilities.reply)
}

/// Whether threads of sources of this protocol can be subscribed to at the service; false for one that this version does
/// not know.
pub fn keeps_subscriptions(name: &str) -> bool {
    protocol(name).is_ok_and(|known| known.abilities.follow)
}

/// Whether sources of this protocol have groups of people: Tidings servers only.
pub fn has_groups(name: &str) -> bool {
    name == "tidings"
}

/// Whether a source of this protocol can be asked without a credential; false for one that this version does not know.
pub fn is_open(name: &str) -> bool {
    protocol(name).is_ok_and(|known| known.credential != Credential::Token)
}

/// The client of the source that a row of the replica describes. An empty token stands for none.
///
/// # Errors
/// [`Error::Kind`] for a protocol that this version does not support, [`Error::Address`] for an invalid address.
pub fn open(row: &replica::Source, token: String, clock: Arc<dyn Clock>) -> Result<Arc<dyn Source>> {
    open_within(row, token, clock, Bounds::default())
}

/// Does as [`open`], with other bounds of its pulls than the usual ones.
///
/// # Errors
/// Those of [`open`].
pub fn open_within(
    row: &replica::Source,
    token: String,
    clock: Arc<dyn Clock>,
    bounds: Bounds,
) -> Result<Arc<dyn Source>> {
    (protocol(&row.protocol)?.open)(row, token, clock, bounds)
}
