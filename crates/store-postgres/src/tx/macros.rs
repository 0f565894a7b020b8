//! Macros that run a job in a transaction, a snapshot or a session, again if it was interrupted.

/// Runs a transaction that writes: `in_transaction!(store, |tx| expression)`. The expression is a `Result<T, Error>` in
/// which `tx` is a `&mut WriteTx`, and in which `.await` and `?` may be used. The transaction is committed if it is
/// `Ok`, else rolled back. It runs again, up to three times in all, if another transaction or the loss of the
/// connection interrupts it. So the expression must not consume anything from outside. The macro evaluates to the
/// result.
macro_rules! in_transaction {
    ($store:expr, |$tx:ident| $job:expr) => {{
        let store: &$crate::PostgresStore = $store;
        let mut attempts = $crate::tx::Attempts::to_write(store);
        loop {
            let attempt = async {
                let mut transaction = store.begin().await?;
                let done: Result<_, ::tidings_store::Error> = {
                    let $tx = &mut transaction;
                    async { $job }.await
                };
                transaction.end(done).await
            };
            match attempts.run(attempt).await {
                ::std::ops::ControlFlow::Break(done) => break done,
                ::std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}

/// Reads in one snapshot: `in_snapshot!(store, |s| expression)`, as [`in_transaction!`]. `s` is a `&Snapshot`, and
/// every statement sees the same moment.
macro_rules! in_snapshot {
    ($store:expr, |$snapshot:ident| $job:expr) => {{
        let store: &$crate::PostgresStore = $store;
        let mut attempts = $crate::tx::Attempts::to_read(store);
        loop {
            let attempt = async {
                let snapshot = store.snapshot().await?;
                let done: Result<_, ::tidings_store::Error> = {
                    let $snapshot = &snapshot;
                    async { $job }.await
                };
                snapshot.end(done).await
            };
            match attempts.run(attempt).await {
                ::std::ops::ControlFlow::Break(done) => break done,
                ::std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}

/// Reads with single statements, each of which sees its own moment: `reading!(store, |s| expression)`, as
/// [`in_snapshot!`]. `s` is a `&Session`.
macro_rules! reading {
    ($store:expr, |$session:ident| $job:expr) => {{
        let store: &$crate::PostgresStore = $store;
        let mut attempts = $crate::tx::Attempts::to_read(store);
        loop {
            let attempt = async {
                let session = store.reading_session().await?;
                let done: Result<_, ::tidings_store::Error> = {
                    let $session = &session;
                    async { $job }.await
                };
                session.end_reading().await;
                done
            };
            match attempts.run(attempt).await {
                ::std::ops::ControlFlow::Break(done) => break done,
                ::std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}

pub(crate) use {in_snapshot, in_transaction, reading};
