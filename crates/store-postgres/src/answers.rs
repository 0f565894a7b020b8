//! The table `stored_responses`: responses that are sent again for a known `Idempotency-Key`.

use tidings_model::Stamp;
use tidings_store::domain::draft::stored_responses_expire;
use tidings_store::{Error, Idempotency, StoredResponse};

use super::PostgresStore;
use super::clock::{DatabaseClock, now_micros};
use super::session::{Columns, Session};
use super::tx::{WriteTx, reading};

/// `$1` the tokens and `$2` the keys, of which each pair is one name. Each row has the time at which it was read.
pub(super) const FIND: &str = concat!(
    "SELECT r.token, r.key, r.status, r.body, r.token_salt, r.stored_at, ",
    now_micros!(),
    " FROM unnest($1, $2) AS k (token, key) JOIN stored_responses r ON r.token = k.token AND r.key = k.key"
);

/// Keeps responses: `$1` tokens, `$2` keys, `$3` the time, `$4` statuses, `$5` bodies, `$6` salts. A row that is there
/// has expired, because the caller holds the lock of the name and found nothing.
pub(super) const KEEP: &str = "INSERT INTO stored_responses (token, key, stored_at, status, body, token_salt)
    SELECT token, key, $3, status, body, salt FROM unnest($1, $2, $4, $5, $6) AS r (token, key, status, body, salt)
    ON CONFLICT (token, key) DO UPDATE SET stored_at = excluded.stored_at, status = excluded.status,
        body = excluded.body, token_salt = excluded.token_salt";

/// A stored response as it was found.
pub(super) struct StoredAnswer {
    response: StoredResponse,
    stored_at: Stamp,
    /// The database's clock when it was found, microseconds.
    found_at: i64,
}

impl StoredAnswer {
    /// The one in a row of [`FIND`].
    pub(super) fn from_row(row: &tokio_postgres::Row) -> Result<Self, Error> {
        let status = u16::try_from(row.at::<i32>(2)?).unwrap_or(200);
        let response = StoredResponse { status, body: row.at(3)?, token_salt: row.at(4)? };
        Ok(Self { response, stored_at: row.stamp(5)?, found_at: row.at(6)? })
    }

    /// The response, unless it had expired when it was found.
    pub(super) fn unexpired(self, clock: &DatabaseClock) -> Option<StoredResponse> {
        (self.stored_at > stored_responses_expire(clock.read(self.found_at))).then_some(self.response)
    }
}

/// The name that is locked for a key, see [`WriteTx::lock_names`].
pub(super) fn lock_name<'k>(token: &'k str, key: &'k str) -> [&'k str; 3] {
    ["key", token, key]
}

/// The stored response of a token's key, if it has not expired.
pub(super) async fn get(
    session: &Session,
    clock: &DatabaseClock,
    token: &str,
    key: &str,
) -> Result<Option<StoredResponse>, Error> {
    let row = session.query_opt(FIND, &[&vec![token], &vec![key]]).await?;
    let kept = row.as_ref().map(StoredAnswer::from_row).transpose()?;
    Ok(kept.and_then(|kept| kept.unexpired(clock)))
}

impl WriteTx<'_> {
    /// Takes a key for this transaction: who else sends it waits for the end. Gives the response of a request that was
    /// done with it before. This comes before every other lock.
    pub(super) async fn take_key<T>(
        &self,
        idempotency: Option<&Idempotency<T>>,
    ) -> Result<Option<StoredResponse>, Error> {
        let Some(Idempotency { token, key, .. }) = idempotency else { return Ok(None) };
        self.lock_names(&[&lock_name(token, key)]).await?;
        get(self, self.clock(), token, key).await
    }

    /// Keeps the response to what was done under a key, of which [`WriteTx::take_key`] knew nothing.
    pub(super) async fn keep_answer<T>(
        &self,
        idempotency: Option<&Idempotency<T>>,
        done: &T,
    ) -> Result<(), Error> {
        let Some(Idempotency { token, key, answer }) = idempotency else { return Ok(()) };
        self.keep(token, key, answer(done)).await
    }

    /// Keeps a response under a name of which nothing is kept, or only what has expired.
    pub(super) async fn keep(&self, token: &str, key: &str, response: StoredResponse) -> Result<(), Error> {
        let StoredResponse { status, body, token_salt } = response;
        let (tokens, keys, now) = (vec![token], vec![key], self.now.as_micros());
        self.execute(KEEP, &[&tokens, &keys, &now, &vec![i32::from(status)], &vec![body], &vec![token_salt]])
            .await?;
        Ok(())
    }
}

impl PostgresStore {
    /// The stored response of a request with a key, if it was done before.
    pub(super) async fn answer_of<T>(
        &self,
        idempotency: Option<&Idempotency<T>>,
    ) -> Result<Option<StoredResponse>, Error> {
        let Some(Idempotency { token, key, .. }) = idempotency else { return Ok(None) };
        reading!(self, |s| get(s, &self.clock, token, key).await)
    }
}
