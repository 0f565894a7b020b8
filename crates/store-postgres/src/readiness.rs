//! Whether the database can be used by this process. One whose clock is wrong, or that is older than the tables, hands out
//! no stamps. What would take one is 503, and its readers get what their inboxes have.

use std::sync::atomic::Ordering;

use tidings_model::Code;
use tidings_store::Error;

use super::PostgresStore;
use super::clock::now_micros;
use super::session::Columns;
use super::tx::reading;

/// The most that the clocks of the database and of this machine may differ, microseconds. Everything in the database goes
/// by its clock; what is not, as files and the limits of requests, by this one.
const MAX_CLOCK_DIFFERENCE: u64 = 1_000_000;

const STATE: &str = concat!(
    "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean, ",
    now_micros!(),
    ", (SELECT max(oldest) FROM schema_version)"
);

/// Implements [`UpkeepStore::ready`](tidings_store::UpkeepStore::ready).
pub(super) async fn ready(store: &PostgresStore) -> Result<(), Error> {
    let own = || store.own_clock.now().as_micros();
    let before = own();
    let row = reading!(store, |s| s.query_one(STATE, &[]).await)?;
    let (read_only, now, oldest): (bool, i64, Option<i32>) = (row.at(0)?, row.at(1)?, row.at(2)?);
    let now = store.clock.read(now).as_micros();
    // The database read its clock at some time while it was asked.
    let differs = now.abs_diff(now.clamp(before, before.max(own()))) > MAX_CLOCK_DIFFERENCE;
    let is_outdated = oldest.is_none_or(|oldest| oldest > super::schema::newest());
    store.withholds_stamps.store(differs || is_outdated, Ordering::Relaxed);
    if read_only {
        return Err(not_ready("the database takes no changes"));
    }
    if is_outdated {
        return Err(not_ready("the tables are of a newer version of this program"));
    }
    if differs {
        return Err(not_ready("the clocks of the database and of this server differ by more than a second"));
    }
    if store.room.is_full() { store.room.probe(fill(store)).await } else { Ok(()) }
}

/// A row that takes a few pages and can't be packed, which is never to be seen: `$1` its stamp.
const FILL: &str = "INSERT INTO notifications
        (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id, target_details, content)
    SELECT $1, '', 3, '', '', '', '', '', '', string_agg(md5(random()::text), '') FROM generate_series(1, 1024)
    ON CONFLICT DO NOTHING";

/// Tries to write, and takes it back.
async fn fill(store: &PostgresStore) -> Result<(), Error> {
    let mut tx = store.begin().await?;
    let now = tx.now.as_micros();
    let written = tx.execute(FILL, &[&now]).await;
    tx.roll_back().await;
    written.map(drop)
}

impl PostgresStore {
    /// Whether no stamps may be handed out, as the last look found.
    pub(super) fn withholds_stamps(&self) -> bool {
        self.withholds_stamps.load(Ordering::Relaxed)
    }
}

/// An error that says what is wrong, and gives nothing away.
fn not_ready(why: &str) -> Error {
    Error::refused(Code::Unavailable, why)
}
