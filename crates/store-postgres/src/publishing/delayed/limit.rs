//! How many publications may wait for a target, and of a publisher.

use tidings_model::Code;
use tidings_store::Error;
use tidings_store::domain::limits;

use crate::session::{Columns, Session, Value};

/// A limit on waiting publications, for each target or for each publisher.
pub(super) struct ScheduleLimit {
    usage_sql: &'static str,
    max_count: usize,
    max_bytes: usize,
    subject: &'static str,
}

pub(super) const BY_TARGET: ScheduleLimit = ScheduleLimit {
    usage_sql: "SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM scheduled WHERE target = $1",
    max_count: limits::TOPIC_SCHEDULED,
    max_bytes: limits::TOPIC_SCHEDULED_BYTES,
    subject: "for this topic",
};

pub(super) const BY_PUBLISHER: ScheduleLimit = ScheduleLimit {
    usage_sql: "SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM scheduled WHERE publisher = $1",
    max_count: limits::USER_SCHEDULED,
    max_bytes: limits::USER_SCHEDULED_BYTES,
    subject: "from this publisher",
};

impl ScheduleLimit {
    /// An error if another publication of this many bytes would exceed the limit.
    pub(super) async fn check(
        &self,
        session: &Session,
        subject: &dyn Value,
        bytes: usize,
    ) -> Result<(), Error> {
        let row = session.query_one(self.usage_sql, &[subject]).await?;
        let (count, used_bytes) = (row.count(0)?, row.count(1)?);
        if count < self.max_count && used_bytes.saturating_add(bytes) <= self.max_bytes {
            return Ok(());
        }
        Err(Error::refused(
            Code::RateLimited,
            format!(
                "{count} delayed publications with {used_bytes} bytes wait {}; at most {} with {} bytes may. Nothing was kept: \
                 publish it without a delay, or again when some of them were delivered",
                self.subject, self.max_count, self.max_bytes
            ),
        ))
    }
}
