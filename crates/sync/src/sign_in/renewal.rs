//! Renews tokens that expire, with the refresh token that came with them (RFC 6749, section 6). A refresh token may be
//! used once, so one process at a time does it, and stores what it got before anything else.

use std::sync::Arc;

use tidings_model::Clock;
use tidings_net::{Error, Result};
use tidings_replica::Source as Row;
use tidings_sources::{Service, SignIn};
use url::Url;

use super::grants::{self, TokenAnswer};
use crate::tokens::{Grant, Renewal, TokenStore};

/// A token that is younger than this is not renewed because it was refused: the next one would be, too.
const MIN_AGE_SECONDS: i64 = 60;

/// Runs a blocking job on the stored tokens.
async fn blocking<T: Send + 'static>(
    store: &TokenStore,
    job: impl FnOnce(&TokenStore) -> T + Send + 'static,
) -> Result<T> {
    let store = store.clone();
    tokio::task::spawn_blocking(move || job(&store)).await.map_err(|error| Error::from_task(&error))
}

async fn stored(store: &TokenStore, row: &Row) -> Result<Option<Grant>> {
    let row = row.clone();
    blocking(store, move |store| store.grant(&row)).await
}

/// Renews the token of a source: one that is about to expire, or `refused`, which the service did not take. Whether
/// there is another token than before.
///
/// # Errors
/// [`Error::SignIn`] if the service does not take the refresh token either, else why it could not be asked.
pub(super) async fn renew(
    store: &TokenStore,
    row: &Row,
    refused: Option<&str>,
    clock: &Arc<dyn Clock>,
) -> Result<bool> {
    let is_stored = |grant: &Grant| refused.is_none_or(|refused| refused == grant.token);
    match stored(store, row).await? {
        None => return Ok(false),
        Some(grant) if grant.renewal.is_none() => return Ok(!is_stored(&grant)),
        Some(_) => {}
    }
    let _one_at_a_time = blocking(store, TokenStore::lock_renewal).await?.map_err(Error::Disk)?;
    let Some(grant) = stored(store, row).await? else { return Ok(false) };
    // Another process was faster.
    if !is_stored(&grant) {
        return Ok(true);
    }
    let (Some(renewal), now) = (grant.renewal, clock.now()) else { return Ok(false) };
    let is_wanted = match refused {
        Some(_) => renewal.obtained_at.plus_secs(MIN_AGE_SECONDS) <= now || now < renewal.obtained_at,
        None => renewal.due_at().is_some_and(|due| due <= now),
    };
    if !is_wanted {
        return Ok(false);
    }
    let next = request(row, &renewal, clock).await?;
    let owned = row.clone();
    blocking(store, move |store| store.set_grant(&owned, next)).await?.map_err(Error::Disk)?;
    tracing::info!(source = row.id, "the token of a source was renewed");
    Ok(true)
}

async fn request(row: &Row, renewal: &Renewal, clock: &Arc<dyn Clock>) -> Result<Grant> {
    let SignIn::Device(grant) = &tidings_sources::protocol(&row.protocol)?.sign_in else {
        return Err(Error::SignIn);
    };
    let url: Url = row.url.parse().map_err(|_| Error::Address(row.url.clone()))?;
    let service = Service::new((grant.site)(&url).as_str(), clock.clone())?;
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", renewal.refresh_token.as_str()),
        ("client_id", renewal.client_id.as_str()),
    ];
    let answer: TokenAnswer = match grants::post(&service, grant.token_path, &form).await {
        Err(Error::Forbidden | Error::Refused(_)) => return Err(Error::SignIn),
        answer => answer?,
    };
    if answer.error.is_some() {
        return Err(Error::SignIn);
    }
    // A service that gives no other refresh token goes on with this one.
    answer.grant(&renewal.client_id, Some(&renewal.refresh_token), clock).ok_or(Error::Malformed)
}
