//! How many publications may wait for a target, and of a publisher.

use tidings_model::Code;

use super::fields::Fields;
use crate::Error;
use crate::domain::limits;

/// A limit on waiting publications, for each target or for each publisher.
pub struct ScheduleLimit {
    /// Counts those that wait for a target or from a publisher, its parameter, and their bytes.
    pub usage: &'static str,
    max_count: usize,
    max_bytes: usize,
    subject: &'static str,
}

/// For each target, `<type>:<id>`.
pub const BY_TARGET: ScheduleLimit = ScheduleLimit {
    usage: "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM scheduled WHERE target = $1",
    max_count: limits::TOPIC_SCHEDULED,
    max_bytes: limits::TOPIC_SCHEDULED_BYTES,
    subject: "for this topic",
};

/// For each publisher, as it is stored.
pub const BY_PUBLISHER: ScheduleLimit = ScheduleLimit {
    usage: "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM scheduled WHERE publisher = $1",
    max_count: limits::USER_SCHEDULED,
    max_bytes: limits::USER_SCHEDULED_BYTES,
    subject: "from this publisher",
};

impl ScheduleLimit {
    /// Refuses another publication of this many bytes beside those in the row of [`ScheduleLimit::usage`].
    ///
    /// # Errors
    /// `rate_limited` if it would exceed the limit.
    pub fn check(&self, row: &impl Fields, bytes: usize) -> Result<(), Error> {
        let number = |column| Ok::<_, Error>(usize::try_from(row.int(column)?).unwrap_or_default());
        let (count, used_bytes) = (number(0)?, number(1)?);
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
