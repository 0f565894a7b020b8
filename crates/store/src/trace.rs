//! The span of a call to the store, as traces show it.

use tracing::Instrument;
use tracing::field::Empty;

use super::Store;
use crate::Error;
use crate::traces::{failed, traced};

/// Runs a call to the store, whose name is `operation`.
pub async fn of_call<T>(
    store: &dyn Store,
    operation: &'static str,
    call: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let (system, kind) = if store.is_shared() { ("postgresql", "client") } else { ("sqlite", "internal") };
    let span = traced!(
        "call",
        otel.name = operation,
        otel.kind = kind,
        otel.status_code = Empty,
        "error.type" = Empty,
        db.operation.name = operation,
        db.system.name = system,
    );
    let done = call.instrument(span.clone()).await;
    if let Err(e) = &done {
        failed(&span, e);
    }
    done
}
