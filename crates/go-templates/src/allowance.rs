//! What filling in one template may cost.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gotmpl::TemplateError;

use crate::limits;

/// The time after which a template is given up: a backstop for what the other bounds let pass on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(1);

/// What the functions of one template have left to read and write, and until when.
pub(crate) struct Allowance {
    bytes: AtomicUsize,
    pub(crate) ends_at: Instant,
}

impl Allowance {
    pub(crate) fn new() -> Self {
        Self { bytes: AtomicUsize::new(limits::TEMPLATE_WORK_BYTES), ends_at: Instant::now() + TIMEOUT }
    }

    /// The bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts bytes that are read or made.
    ///
    /// # Errors
    /// An error if nothing is left.
    pub(crate) fn take(&self, bytes: usize) -> gotmpl::Result<()> {
        let taken =
            self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        if taken.is_err() || Instant::now() > self.ends_at {
            return Err(TemplateError::Exec("the template needs too much work".to_owned()));
        }
        Ok(())
    }
}
