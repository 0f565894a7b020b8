//! The background tasks of a running server: hints, delayed publications, what topics expect, counts of deliveries,
//! recounts, retention and the deletion of uploaded files, each in small steps. A server that shares its data and is not ready leaves it to the others.

mod expectations;
mod other_processes;
mod readiness;
mod receipts;
mod recounts;
mod supervisor;

use std::sync::Arc;
use std::time::Duration;

use tidings_model::Stamp;
use tidings_server_core::files;
use tidings_server_core::removal;
use tidings_server_core::server::Server;
use tidings_server_core::traces;
use tidings_store::trace::of_call;
use tidings_store::{Error, UserKey};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use self::readiness::Readiness;
use self::receipts::ReceiptArchive;
use self::recounts::{recount, recount_cached};
use self::supervisor::supervise;

/// How often users and tokens are checked for changes by another process, while live channels are open.
const AUTH_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The longest sleep before the next delivery is checked again. The machine may be suspended, its clock may be set, and
/// another process that shares the file may schedule publications.
const MAX_DELIVERY_WAIT: Duration = Duration::from_secs(30);
/// The same if other processes serve the same data: they may end before they deliver what they know of.
const MAX_SHARED_DELIVERY_WAIT: Duration = Duration::from_secs(5);
/// How often each process looks for the data of users who were removed by another one: that one may have ended.
const REMOVAL_LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// How long pulls are gathered before it is counted what arrived by them.
const DELIVERIES_COUNT_DELAY: Duration = Duration::from_millis(250);
/// The shortest time between two looks for files that have expired, so that many deletions at once share one.
const MIN_FILES_LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// Rows deleted in one step.
const PRUNE_BATCH_ROWS: usize = 500;

/// Runs all tasks until `stop` is cancelled.
pub(crate) async fn run(server: Server, stop: CancellationToken) {
    let task_failures = &*server.task_failures;
    let readiness = Readiness::default();
    let all = async {
        tokio::join!(
            supervise("hints", task_failures, || hints(&server)),
            supervise("other_processes", task_failures, || other_processes::follow(&server)),
            supervise("watch_auth", task_failures, || watch_auth(&server)),
            supervise("deliver_scheduled", task_failures, || deliver_scheduled(&server, &readiness)),
            supervise("watch_expectations", task_failures, || expectations::watch(&server, &readiness)),
            supervise("count_deliveries", task_failures, || count_deliveries(&server, &readiness)),
            supervise("upkeep", task_failures, || upkeep_loop(&server, &readiness)),
            supervise("files", task_failures, || tidy_files(&server, &readiness)),
        );
    };
    tokio::select! {
        () = all => {}
        () = stop.cancelled() => {}
    }
}

/// Sends hints for publications. After a restart of this task the pending recipients are lost, so that every connected
/// user gets a hint.
async fn hints(server: &Server) {
    if let Ok(meta) = server.store.meta().await {
        server.hub.hint_all(meta.last_stamp);
    }
    server.hub.run(server.store.clone()).await;
}

/// Notices that another process removed users or tokens, so that their streams end.
async fn watch_auth(server: &Server) {
    let mut tick = interval(AUTH_POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known = None;
    loop {
        tick.tick().await;
        if server.hub.channel_count() + server.hub.topics.listener_count() == 0 {
            known = None;
            continue;
        }
        if let Ok(meta) = server.store.meta().await {
            // The first reading can't tell what changed since the first channel was opened, so all channels are
            // checked.
            if known != Some(meta.auth_version) {
                server.access.invalidate();
            }
            known = Some(meta.auth_version);
        }
    }
}

/// Delivers delayed publications when they are due.
async fn deliver_scheduled(server: &Server, readiness: &Readiness) {
    let max_wait = if server.store.is_shared() { MAX_SHARED_DELIVERY_WAIT } else { MAX_DELIVERY_WAIT };
    loop {
        if !readiness.allows_upkeep(&*server.store).await {
            sleep(MAX_SHARED_DELIVERY_WAIT).await;
            continue;
        }
        let next = match server.store.deliver_due().await {
            Ok((posts, next)) => {
                server.hub.published(&posts);
                next
            }
            Err(e) => {
                tracing::warn!(error = %e, "could not deliver what was scheduled");
                sleep(Duration::from_secs(5)).await;
                continue;
            }
        };
        let wait = next.map_or(max_wait, |at| wait_until(at, server.clock.now()).min(max_wait));
        tokio::select! {
            () = sleep(wait) => {}
            () = server.schedule_changed.notified() => {}
        }
    }
}

/// Counts with how many members messages have arrived, some of them together.
async fn count_deliveries(server: &Server, readiness: &Readiness) {
    let store = &*server.store;
    loop {
        tokio::select! {
            () = store.deliveries_to_count() => sleep(DELIVERIES_COUNT_DELAY).await,
            // Those of a process that has ended.
            () = sleep(MAX_DELIVERY_WAIT) => {}
        }
        while readiness.allows_upkeep(store).await {
            match of_call(store, "count deliveries", store.count_deliveries()).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => {
                    tracing::warn!(error = %e, "could not count what has arrived");
                    break;
                }
            }
        }
    }
}

fn wait_until(at: Stamp, now: Stamp) -> Duration {
    let micros = u64::try_from(at.as_micros().saturating_sub(now.as_micros())).unwrap_or(0);
    Duration::from_micros(micros).clamp(Duration::from_millis(20), MAX_DELIVERY_WAIT)
}

/// Recounts a few inboxes and deletes expired data in small steps. The data of a removed user is deleted at once, or a few
/// seconds later if another process removed the user.
async fn upkeep_loop(server: &Server, readiness: &Readiness) {
    let mut tick = interval(server.config.upkeep_interval);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut look = interval(REMOVAL_LOOK_INTERVAL);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut after = UserKey(0);
    let archive = ReceiptArchive::of(server);
    // The first tick comes at the start, which a recount would slow down.
    let mut first = true;
    loop {
        let is_due = tokio::select! {
            _ = tick.tick() => true,
            () = server.user_removed.notified() => false,
            _ = look.tick() => {
                if !removal::is_pending(&*server.store).await {
                    continue;
                }
                false
            }
        };
        let counts = is_due && !std::mem::take(&mut first);
        if !readiness.allows_upkeep(&*server.store).await {
            if !is_due {
                // The removal of a user does not wait for the next interval.
                sleep(removal::RETRY).await;
                server.user_removed.notify_one();
            }
            continue;
        }
        traces::of_work("upkeep", async {
            prune_all(server, readiness, archive.as_ref()).await;
            // Files of removed publications have expired.
            server.files.expired.notify_one();
            finish_removals(server, readiness, archive.as_ref()).await;
            if !is_due {
                tell_of_removals(server).await;
            }
            if counts {
                after = recount(server, after).await;
                recount_cached(server).await;
            }
        })
        .await;
    }
}

/// Finishes removals of users that have begun, even if another process that did so has ended.
async fn finish_removals(server: &Server, readiness: &Readiness, archive: Option<&Arc<ReceiptArchive>>) {
    for _ in 0..removal::TRIES {
        if !removal::is_pending(&*server.store).await {
            return;
        }
        removal::recall(server).await;
        prune_all(server, readiness, archive).await;
        server.files.expired.notify_one();
        if removal::is_pending(&*server.store).await {
            sleep(removal::RETRY).await;
        }
    }
}

/// Sends hints after a removal: conversations were closed and groups changed. Of a database that several processes share,
/// each sees by itself which inboxes changed.
async fn tell_of_removals(server: &Server) {
    if server.store.is_shared() {
        return;
    }
    match server.store.newest_stamp().await {
        Ok(stamp) => server.hub.hint_all(stamp),
        Err(e) => tracing::warn!(error = %e, "could not say that a user was removed"),
    }
}

/// Deletes expired data and that of removed users, in portions with a pause after each; the latter alone while the
/// clock may be wrong.
async fn prune_all(server: &Server, readiness: &Readiness, archive: Option<&Arc<ReceiptArchive>>) {
    let retain = server.config.retain.and_then(|d| i64::try_from(d.as_secs()).ok());
    let mut can_archive = true;
    while readiness.allows_upkeep(&*server.store).await {
        // The time is taken before the clock is checked, so that a clock that is set in between is seen here or with
        // the next portion.
        let before = retain.map(|secs| server.clock.now().plus_secs(-secs));
        let by_age = server.may_delete_by_age().await;
        let portion = async {
            match archive.filter(|_| by_age) {
                Some(archive) => archive.prune(server, before, &mut can_archive).await,
                None if by_age => server.store.prune(before, PRUNE_BATCH_ROWS).await,
                None => server.store.prune_removed(PRUNE_BATCH_ROWS).await,
            }
        };
        match of_call(&*server.store, "prune", portion).await {
            Ok(true) => sleep(Duration::from_millis(20)).await,
            Ok(false) => return,
            Err(e) => return tracing::warn!(error = %e, "could not forget what is too old"),
        }
    }
}

/// Deletes uploaded files that have expired, at intervals or when some did, and at intervals those that no publication has.
async fn tidy_files(server: &Server, readiness: &Readiness) {
    let (store, folder) = (&*server.store, &server.files);
    if readiness.allows_upkeep(store).await && is_own_turn(server).await {
        log_failure(files::forget_missing(store, folder).await);
    }
    let mut tick = interval(server.config.upkeep_interval);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut looks = interval(MIN_FILES_LOOK_INTERVAL);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let is_due = tokio::select! {
            _ = tick.tick() => true,
            () = folder.expired.notified() => false,
        };
        looks.tick().await;
        if !readiness.allows_upkeep(store).await {
            continue;
        }
        // The process that deleted a publication deletes its files at once; one of those that share the folder deletes
        // the files that are due with time.
        if is_due && !is_own_turn(server).await {
            continue;
        }
        traces::of_work("tidy files", async {
            let by_age = server.may_delete_by_age().await;
            log_failure(files::delete_expired(store, folder, by_age).await);
            if is_due {
                log_failure(files::delete_strays(store, folder).await);
            }
        })
        .await;
    }
}

/// Whether this process tidies the folder of files at present. Two that do so at the same time do no harm: it saves work.
async fn is_own_turn(server: &Server) -> bool {
    !server.files.is_shared() || server.store.take_lease("files").await.unwrap_or(false)
}

fn log_failure(tidied: Result<(), Error>) {
    if let Err(e) = tidied {
        tracing::warn!(error = %e, "could not tidy uploaded files");
    }
}
