//! Spans for traces of what a store does. They have a target of their own at the lowest level, so that none is made unless
//! a program adds a subscriber for that target. No span has anything of a token, a query, a user, a topic or a publication.

use tidings_model::Code;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::Error;

/// The target of the spans of traces.
pub const TARGET: &str = "tidings::traces";

/// A span of traces, with the arguments of [`tracing::trace_span!`] but the target.
#[macro_export]
macro_rules! traced {
    ($($rest:tt)*) => { ::tracing::trace_span!(target: $crate::traces::TARGET, $($rest)*) };
}
pub use traced;

/// Delivers publications that are due, in a trace of its own that has their number.
pub fn of_delivery<T>(
    deliver: impl Future<Output = Result<T, Error>>,
    count: impl FnOnce(&T) -> usize,
) -> impl Future<Output = Result<T, Error>> {
    let span = traced!(
        parent: None,
        "delivery",
        otel.name = "deliver delayed publications",
        otel.kind = "internal",
        otel.status_code = Empty,
        "error.type" = Empty,
        tidings.publications = Empty,
    );
    let deliver = Box::pin(deliver).instrument(span.clone());
    async move {
        let done = deliver.await;
        match &done {
            Ok(delivered) => drop(span.record("tidings.publications", number(count(delivered)))),
            Err(e) => failed(&span, e),
        }
        done
    }
}

/// Sends a hint to the other processes, in a trace of its own.
pub async fn of_hint<T>(system: &'static str, send: impl Future<Output = T>) -> T {
    let span = traced!(
        parent: None,
        "hint",
        otel.name = "send hint",
        otel.kind = "producer",
        messaging.operation.name = "send",
        "messaging.operation.type" = "send",
        messaging.system = system,
    );
    send.instrument(span).await
}

/// Adds an error; what a client is refused is no failure of the server.
pub fn failed(span: &Span, e: &Error) {
    let kind = match e {
        Error::Refused(problem) if problem.code != Code::Unavailable => return,
        Error::Refused(_) | Error::Unavailable(_) => "unavailable",
        Error::Interrupted(_) => "interrupted",
        Error::OutcomeUnknown(_) => "outcome_unknown",
        Error::Damaged(_) => "damaged",
        Error::DiskFull => "disk_full",
        Error::DiskFails(_) => "disk_failed",
        Error::Store { .. } => "store",
        Error::DataDir(_) | Error::Io(_) => "io",
    };
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
}

/// A number as traces have it.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A request to post from when it waits for its turn until it is stored, as the trace of its caller shows it.
#[derive(Debug)]
pub struct Posting {
    caller: Span,
    wait: Span,
}

impl Posting {
    /// One that waits from now on.
    pub fn waits() -> Self {
        let wait = traced!("wait", otel.name = "wait in posting queue");
        // Without a collector nobody asks who called.
        let caller = if wait.is_disabled() { Span::none() } else { Span::current() };
        Self { caller, wait }
    }

    /// Ends the wait. The returned span, which ends when it is dropped, is the transaction with so many drafts of so many
    /// requests.
    pub fn begins(self, drafts: usize, requests: usize) -> Span {
        drop(self.wait);
        traced!(
            parent: &self.caller,
            "transaction",
            otel.name = "posting transaction",
            otel.kind = "internal",
            tidings.drafts = number(drafts),
            tidings.requests = number(requests),
        )
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter;

    use super::*;

    #[test]
    fn no_span_is_made_for_a_log_of_any_level_but_the_lowest() {
        let made = |level: LevelFilter| {
            let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::sink).finish();
            tracing::subscriber::with_default(log, || {
                let posting = Posting::waits();
                !posting.wait.is_disabled() || !posting.begins(1, 1).is_disabled()
            })
        };
        assert!(!made(LevelFilter::INFO) && !made(LevelFilter::DEBUG));
        assert!(made(LevelFilter::TRACE), "the test sees them");
    }
}
