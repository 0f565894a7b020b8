//! `source add`: asks a new source, stores it, and names it.

use std::sync::Arc;

use serde::Serialize;
use tidings_app::suggested_name;
use tidings_home::Home;
use tidings_model::{Clock, SystemClock};
use tidings_replica::{NewSource, Replica, SourceId};
use tidings_sources::Protocol;
use tidings_sources::probe::{self, Probed, same_inbox, unused_name};
use tidings_sync::presets;
use tidings_sync::tokens::Grant;

use super::{entered, keep, refusal};
use crate::error::{Error, Result};
use crate::inbox;
use crate::output::clean;

/// A source to be added, as it was typed.
pub(super) struct New {
    pub(super) protocol: &'static Protocol,
    pub(super) url: Option<String>,
    pub(super) credential: Credentials,
    /// The name. If it is missing, it is as in the window: the service, a document's title, or the host.
    pub(super) name: Option<Name>,
}

/// What a source to be added is asked with.
pub(super) enum Credentials {
    /// A token as it was typed, or none.
    Entered(Option<String>),
    /// A token of a sign-in with the browser.
    Granted(Grant),
}

/// The name of a source to be added.
pub(super) enum Name {
    /// The name that the user wants. It is refused if another source has it.
    Given(String),
    /// The name that another program gave it. It gets a number if another source has it.
    Known(String),
}

/// A source that was added.
#[derive(Serialize)]
pub(super) struct Added {
    id: SourceId,
    name: String,
    protocol: &'static str,
    url: String,
}

impl Added {
    pub(super) fn line(&self) -> String {
        format!("added {}, at {}", clean(&self.name), clean(&self.url))
    }
}

pub(super) async fn add(replica: &Replica, new: New, home: &Home) -> Result<Added> {
    let New { protocol, url, credential, name } = new;
    let typed = url.unwrap_or_default();
    if typed.trim().is_empty() && protocol.default_url.is_none() {
        let example = format!("tidings source add {} {}", protocol.name, protocol.example);
        return Err(Error::Usage(format!("name an address, for example: {example}")));
    }
    let grant = match credential {
        Credentials::Entered(token) => Grant::of_token(entered(protocol, token.as_deref())?),
        Credentials::Granted(grant) => grant,
    };
    let token = &grant.token;
    inbox::prepare_requests(home);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let addresses = probe::addresses(protocol, &typed)
        .map_err(|error| refusal(&error, protocol, &typed, !token.is_empty()))?;
    let probed = match probe::find(protocol, &addresses, token, &clock).await {
        Ok(probed) => probed,
        Err(error) => return Err(refusal(&error, protocol, &addresses.join(" or "), !token.is_empty())),
    };
    let name = match name {
        Some(Name::Given(name)) => name,
        Some(Name::Known(name)) if !name.trim().is_empty() => free_name(replica, protocol, &probed, &name)?,
        _ => free_name(replica, protocol, &probed, &suggested_name(protocol, &probed))?,
    };
    let Probed { url, info, .. } = probed;
    let new = NewSource {
        name: name.clone(),
        protocol: protocol.name.to_owned(),
        url: url.clone(),
        user: info.user,
        own: false,
    };
    let id = replica.add_source(new)?;
    if let Err(error) = complete(replica, id, protocol, grant, home) {
        presets::remove(replica, id)?;
        replica.remove_source(id, false)?;
        return Err(error);
    }
    Ok(Added { id, name, protocol: protocol.name, url })
}

/// Gives a new source the presets of its protocol, and stores its token, if it has one.
fn complete(
    replica: &Replica,
    id: tidings_replica::SourceId,
    protocol: &Protocol,
    grant: Grant,
    home: &Home,
) -> Result<()> {
    presets::apply(replica, id, protocol)?;
    if grant.token.is_empty() {
        return Ok(());
    }
    keep(&inbox::tokens(home, replica)?, &replica.source(id)?, grant)
}

/// A name for a new source, with a number if another source has that name.
fn free_name(replica: &Replica, protocol: &Protocol, probed: &Probed, name: &str) -> Result<String> {
    let known = replica.sources()?;
    match same_inbox(&known, protocol, probed) {
        Some(row) => {
            Err(Error::failed(format!("it is already added, as `{}`", clean(inbox::source_name(row)))))
        }
        None => Ok(unused_name(name, &known)),
    }
}
