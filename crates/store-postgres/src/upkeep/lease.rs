//! Leases: which process does a kind of upkeep at present. One that ends without a word is succeeded when its lease has
//! expired, by the clock of the database.

use std::sync::LazyLock;

use tidings_store::Error;
use tidings_store::domain::account::random_name;

use crate::PostgresStore;
use crate::tx::in_transaction;

/// Seconds for which a lease holds after its last use.
const SECONDS: i64 = 30;

/// The name of this process.
static HOLDER: LazyLock<String> = LazyLock::new(random_name);

const TAKE: &str =
    "INSERT INTO leases AS l (name, holder, expires) VALUES ($1, $2, now() + $3 * interval '1 second')
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
        WHERE l.holder = excluded.holder OR l.expires < now()
    RETURNING 1";

/// Takes or renews a lease; false while another process holds it.
pub(super) async fn take(store: &PostgresStore, name: &str) -> Result<bool, Error> {
    in_transaction!(store, |tx| tx.exists(TAKE, &[&name, &HOLDER.as_str(), &SECONDS]).await)
}
