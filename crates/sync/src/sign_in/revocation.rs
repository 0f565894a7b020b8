//! Takes a token back at its service (RFC 7009) when its source is removed, if the service lets this program do that.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use tidings_model::Clock;
use tidings_net::{Error, Result};
use tidings_replica::Source as Row;
use tidings_sources::{Service, SignIn, TakenBack};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::tokens::{Grant, GrantedTo};

/// The longest wait for the service.
const REVOKE_TIMEOUT: Duration = Duration::from_secs(5);

/// The outcome for a token that was granted by a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revocation {
    /// The service does not take it any more.
    Done,
    /// It is valid until the reader takes it back on this page of the service: there is no other way, or the service could
    /// not be asked.
    ByHand(Url),
}

/// A token that was granted by a sign-in, and where it is taken back.
struct Revocable<'a> {
    service: Service,
    client: &'a GrantedTo,
    taken_back: TakenBack,
    page: Url,
}

fn revocable<'a>(row: &Row, grant: &'a Grant, clock: &Arc<dyn Clock>) -> Option<Revocable<'a>> {
    let client = grant.client.as_ref()?;
    let url: Url = row.url.parse().ok()?;
    let (site, taken_back) = match &tidings_sources::protocol(&row.protocol).ok()?.sign_in {
        SignIn::None => return None,
        SignIn::Device(grant) => ((grant.site)(&url), grant.taken_back),
        SignIn::Browser(grant) => (url, grant.taken_back),
    };
    let service = Service::new(site.as_str(), clock.clone()).ok()?;
    let page = service.base().join(taken_back.page).ok()?;
    Some(Revocable { service, client, taken_back, page })
}

/// The page of the service on which the reader has to take the token of a source back, because no program can without a
/// secret. `None` for a token that was entered, and if a program can.
pub fn revoked_by_hand(row: &Row, grant: &Grant, clock: &Arc<dyn Clock>) -> Option<Url> {
    let revocable = revocable(row, grant, clock)?;
    revocable.taken_back.path.is_none().then_some(revocable.page)
}

/// Takes the token of a source back at its service, if it was granted by a sign-in; `None` for one that was entered. Waits
/// 5 s at most, and never fails.
pub async fn revoke(row: &Row, grant: &Grant, clock: &Arc<dyn Clock>) -> Option<Revocation> {
    let Revocable { service, client, taken_back, page } = revocable(row, grant, clock)?;
    let Some(path) = taken_back.path else { return Some(Revocation::ByHand(page)) };
    let asking = request(&service, path, client, &grant.token);
    Some(match tokio::time::timeout(REVOKE_TIMEOUT, asking).await.unwrap_or(Err(Error::Slow)) {
        Ok(()) => Revocation::Done,
        Err(error) => {
            tracing::info!(%error, source = row.id, "the token of a removed source was not taken back");
            Revocation::ByHand(page)
        }
    })
}

async fn request(service: &Service, path: &str, client: &GrantedTo, token: &str) -> Result<()> {
    let request = service.request(Method::POST, path)?.header(ACCEPT, "application/json");
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form(client, token));
    service.send(request).await.map(drop)
}

fn form(client: &GrantedTo, token: &str) -> String {
    let mut form = Serializer::new(String::new());
    form.append_pair("client_id", &client.id).append_pair("token", token);
    if let Some(secret) = &client.secret {
        form.append_pair("client_secret", secret);
    }
    form.finish()
}
