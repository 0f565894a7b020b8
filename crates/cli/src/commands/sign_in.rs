//! The sign-in with the browser from the terminal: what is asked for and the code go to standard error.

use std::sync::Arc;

use tidings_model::{Clock, SystemClock};
use tidings_net::Error as NetError;
use tidings_replica::{Replica, Source};
use tidings_sources::{Protocol, probe};
use tidings_sync::sign_in::{self, Error as SignInError, NewSignIn, PageTexts, Prompt, Revocation, begin};
use tidings_sync::tokens::Grant;

use super::certificate::certificate_hint;
use crate::error::{Error, Result};
use crate::output::{clean, warn};

/// What the browser shows when it comes back.
const TEXTS: PageTexts = PageTexts {
    lang: "en",
    done: "You are signed in. You can close this page and go back to the terminal.",
    denied: "The sign-in was denied. You can close this page.",
    unknown: "Tidings is not waiting for this page. You can close it.",
};

/// Signs in at the service of a source, and returns its address and its token. A client id that is given is kept.
pub(super) async fn granted(
    replica: &Replica,
    protocol: &'static Protocol,
    typed: &str,
    client_id: Option<String>,
    more: bool,
) -> Result<(String, Grant)> {
    let Some(rights) = protocol.sign_in.rights() else {
        return Err(Error::Usage(format!("{} has no browser sign-in: use --token", protocol.label)));
    };
    if typed.trim().is_empty() && protocol.default_url.is_none() {
        let example = format!("tidings source add {} {} --sign-in", protocol.name, protocol.example);
        return Err(Error::Usage(format!("name an address, for example: {example}")));
    }
    let addresses = probe::addresses(protocol, typed);
    let addresses = addresses.map_err(|error| Error::failed(why(&error.into(), protocol, "")))?;
    let at = addresses.into_iter().next().unwrap_or_default();
    let told = |error: &SignInError| Error::failed(why(error, protocol, &at));
    if let Some(id) = &client_id
        && !sign_in::set_client_id(replica, protocol, typed, id)?
    {
        return Err(told(&SignInError::ClientId));
    }
    let kept = sign_in::client_id(replica, protocol, typed)?;
    warn(&format!("{} is asked to let Tidings", protocol.label));
    for (means, _) in rights.means {
        warn(&format!("  - {means}"));
    }
    if let Some(wider) = rights.more {
        let (means, _) = wider.means;
        warn(&if more { format!("  - {means}") } else { format!("not asked for, without --more: {means}") });
    }
    let started = begin(NewSignIn {
        protocol,
        url: typed,
        client_id: &kept,
        more,
        texts: TEXTS,
        clock: Arc::new(SystemClock),
        sleep: sign_in::real_time(),
    })
    .await
    .map_err(|error| told(&error))?;
    let step = match &started.prompt {
        Prompt::Code { code, url } => format!("enter the code {} at {}", clean(code), clean(url.as_str())),
        Prompt::Page(url) => format!("open {}", clean(url.as_str())),
    };
    warn(&step);
    warn("waiting for the sign-in; press Ctrl+C to cancel");
    let url = started.url.clone();
    let grant = started.finish().await.map_err(|error| told(&error))?;
    Ok((url, grant))
}

/// Takes the token of a removed source back at its service, and says what became of one that was granted by a sign-in.
pub(super) async fn take_back(row: &Source, grant: &Grant) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    match sign_in::revoke(row, grant, &clock).await {
        Some(Revocation::Done) => warn(&format!("its sign-in at {} was revoked", clean(&row.url))),
        Some(Revocation::ByHand(page)) => warn(&format!(
            "its sign-in stays valid at the service until you revoke it at {}",
            clean(page.as_str())
        )),
        None => {}
    }
}

/// Why a sign-in failed, and what to do.
fn why(error: &SignInError, protocol: &Protocol, at: &str) -> String {
    let service = protocol.label;
    match error {
        SignInError::NotOffered => format!("{service} does not offer this sign-in there: use --token"),
        SignInError::NoClientId => format!(
            "{service} wants the id of a client: register an application there that may sign in by a code (device \
             flow), and give its id with --client-id, or use --token"
        ),
        SignInError::ClientId => {
            format!(
                "{service} does not accept this client ID for a sign-in with a code: check --client-id, or use --token"
            )
        }
        SignInError::Denied => "the sign-in was denied in the browser; nothing was changed".to_owned(),
        SignInError::Expired => "the sign-in was not confirmed in time; nothing was changed".to_owned(),
        SignInError::Service(NetError::Certificate(fault)) => {
            format!("the sign-in failed: {error}{}; nothing was changed", certificate_hint(*fault, at))
        }
        SignInError::Port(_) | SignInError::Service(_) => {
            format!("the sign-in failed: {error}; nothing was changed")
        }
    }
}
