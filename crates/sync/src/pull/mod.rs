//! One pull of a source: it sends the outbox, then fetches and applies new items page by page, or several full pages at
//! once. The next is fetched while the last one is written. The module `engine` decides when to pull.

mod applying;
mod awaiting;
pub(crate) mod groups;
mod limit;
mod message_answers;
mod outbox;
mod paging;
pub(crate) mod published;
pub(crate) mod publishing;
mod stretch;
pub(crate) mod threads;
pub(crate) mod uploads;

use std::sync::Arc;

use tidings_net::waits::RequestedWait;
use tidings_net::{Error as NetError, Result as NetResult};
use tidings_replica::{Replica, SourceId};
use tidings_sources::{Fetched, Since, Source};
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::blocking::with_replica;
use crate::{EngineEvent, Error, PullReason, Result, SourceStatus, outgoing_files, waits};

pub use self::limit::PullLimit;
use self::limit::Spent;
use self::paging::{PageSize, Progress};
use self::stretch::Stretch;

/// The result of one pull.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// The number of operations and messages of the outbox that the server answered.
    pub sent: u64,
    /// The number of new and changed items that were fetched.
    pub fetched: u64,
    /// The number of fetched items that the replica did not have.
    pub arrived: u64,
}

/// The result of applying a page.
struct AppliedPage {
    /// The number of items that the replica did not have.
    arrived: u64,
    /// Whether the replica changed.
    changed: bool,
}

/// Sends the outbox of a source and pulls all new items, once.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use tidings_sync::pull_once;
/// # async fn pull(replica: &tidings_replica::Replica, token: String) -> tidings_sync::Result<()> {
/// let row = replica.source(1)?;
/// let source = tidings_sources::open(&row, token, Arc::new(tidings_model::SystemClock))?;
/// println!("{} new", pull_once(replica, row.id, source).await?.arrived);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The error of the pull; pages that were applied before it stay.
pub async fn pull_once(replica: &Replica, id: SourceId, source: Arc<dyn Source>) -> Result<Report> {
    let limit = with_replica(replica, PullLimit::stored).await?;
    pull_within(replica, id, source, limit).await
}

/// Does as [`pull_once`], with another limit than the one that the reader chose.
///
/// # Errors
/// Those of [`pull_once`]; [`Error::PullEnded`] at the limit.
pub async fn pull_within(
    replica: &Replica,
    id: SourceId,
    source: Arc<dyn Source>,
    limit: PullLimit,
) -> Result<Report> {
    let set_status = Box::new(|_| {});
    Pull { replica: replica.clone(), id, source, events: None, uploads: None, limit: Some(limit), set_status }
        .run(true, false)
        .await
}

/// Calls a source when a pull has ended, even if its future is dropped.
struct EndOfPull<'s>(&'s dyn Source);

impl Drop for EndOfPull<'_> {
    fn drop(&mut self) {
        self.0.end_pull();
    }
}

/// The parameters of a pull.
pub(crate) struct Pull {
    pub(crate) replica: Replica,
    pub(crate) id: SourceId,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) events: Option<mpsc::Sender<EngineEvent>>,
    /// Requests the sending of files, which goes on beside the pulls; `None` if a pull sends them itself.
    pub(crate) uploads: Option<Arc<Notify>>,
    /// The most that it brings; `None` for what the reader chose.
    pub(crate) limit: Option<PullLimit>,
    pub(crate) set_status: Box<dyn Fn(SourceStatus) + Send + Sync>,
}

impl Pull {
    /// Sends the outbox, then pulls, unless the server asks to be left alone. `first` is true for the first pull after
    /// a start, a sleep or a lost connection. With `batch` read marks may wait in the outbox for more of them. Dropping
    /// the future is safe at any point: a page that is being written is written completely.
    pub(crate) async fn run(&self, first: bool, batch: bool) -> Result<Report> {
        let _end = EndOfPull(&*self.source);
        waits::keep_to(&self.replica, self.id, self.send_and_pull(first, batch)).await
    }

    async fn send_and_pull(&self, first: bool, batch: bool) -> Result<Report> {
        let sent = self.send_outbox(batch).await?;
        let limit = match self.limit {
            Some(limit) => limit,
            None => with_replica(&self.replica, PullLimit::stored).await?,
        };
        let mut spent = Spent::new(limit);
        let (report, read) = match self.pull_pages(first, &mut spent).await {
            Err(Error::Net(NetError::Resync)) => {
                let id = self.id;
                tracing::info!(source = id, "the server's history began anew, pulling from the beginning");
                with_replica(&self.replica, move |r| r.resync(id)).await?;
                // A resync in answer to a pull from the beginning is a malformed answer.
                self.pull_pages(true, &mut spent).await.map_err(|error| match error {
                    Error::Net(NetError::Resync) => NetError::Malformed.into(),
                    error => error,
                })?
            }
            answer => answer?,
        };
        self.pull_groups(first, read, &mut spent).await?;
        with_replica(&self.replica, outgoing_files::remove_unneeded).await?;
        Ok(Report { sent, ..report })
    }

    /// Pulls all pages, or as many as the limit allows. Also returns whether a message among them has a new reader.
    async fn pull_pages(&self, first: bool, spent: &mut Spent) -> Result<(Report, bool)> {
        let id = self.id;
        spent.check_disk(self.replica.folder()).await?;
        let row = with_replica(&self.replica, move |r| r.source(id)).await?;
        let reason = match (&row.cursor, first) {
            (None, _) => PullReason::Backlog,
            (Some(_), true) => PullReason::Gap,
            (Some(_), false) => PullReason::Live,
        };
        if first || !row.complete {
            (self.set_status)(SourceStatus::Pulling { done: 0, of: None });
        }
        let mut since = Since { cursor: row.cursor.clone(), epoch: row.epoch.clone() };
        let mut size = PageSize::new(self.source.bounds());
        let mut ahead = self.fetch(since.clone(), size.limit(), *spent);
        let (info, mut preview) = tokio::try_join!(
            self.server_info(first || row.user.is_none()),
            self.preview_page(first || !row.complete)
        )?;
        self.store_server_info(info, &row).await?;
        let mut report = Report::default();
        if !row.complete
            && let Some(preview) = preview.take()
        {
            report.arrived += self.apply_preview(preview, reason).await?;
        }
        let (mut of, mut counted, mut read) = (None, false, false);
        let mut progress = Progress::new(self.source.bounds());
        loop {
            let Stretch { fetched, pages, last_bytes } =
                self.await_page(ahead, &since, &mut size, spent).await?;
            let Fetched { page, bytes, skipped, poll_after, room } = fetched;
            spent.count_pages(bytes, pages);
            // The answer of a server that asks to be left alone is the last one of this pull, and so is the one that
            // reaches the limit.
            let wait = RequestedWait::of_task().get().filter(|_| page.more);
            let end = spent.end().filter(|_| page.more);
            let is_last = !page.more || wait.is_some() || end.is_some();
            let next = Since { cursor: page.next.clone(), epoch: page.epoch.clone() };
            if since.epoch.is_some() && next.epoch != since.epoch {
                return Err(NetError::Resync.into());
            }
            let (more, items) = (page.more, page.items.len() + page.service_items.len());
            let moved = next.cursor != since.cursor;
            if more && !moved && items > 0 {
                return Err(NetError::Malformed.into());
            }
            size.record(last_bytes);
            // If the outbox is not empty, it is sent between two pages, and the next page is fetched after it instead
            // of ahead.
            let flush_first = !is_last && self.has_unsent().await?;
            let following =
                (!is_last && !flush_first).then(|| self.fetch(next.clone(), size.limit(), *spent));
            // Items are counted only for a backlog, and only once.
            let count = (!is_last && !counted).then(|| self.count(next.clone()));
            counted = true;
            report.fetched += items as u64;
            read |= page.items.iter().any(|item| item.receipt.is_some_and(|receipt| receipt.read > 0));
            spent.check_disk(self.replica.folder()).await?;
            let applied = self.apply_page(page, skipped, reason).await?;
            drop(room);
            report.arrived += applied.arrived;
            if more && let Some(preview) = preview.take() {
                report.arrived += self.apply_preview(preview, reason).await?;
            }
            if let Some(wait) = wait {
                let until = with_replica(&self.replica, move |r| r.postpone_requests(id, wait)).await?;
                return Err(NetError::Waiting { until }.into());
            }
            if let Some(end) = end {
                return Err(Error::PullEnded(end));
            }
            if !more {
                if let Some(wait) = poll_after {
                    with_replica(&self.replica, move |r| r.postpone_polls(id, wait)).await?;
                }
                break;
            }
            if let Some(count) = count {
                // The total is optional, so an error is ignored.
                let remaining = count.await.ok().and_then(Result::ok).flatten();
                of = remaining.map(|remaining| report.fetched + remaining);
            }
            let of = of.map(|of| of.max(report.fetched));
            (self.set_status)(SourceStatus::Pulling { done: report.fetched, of });
            sleep(progress.record(moved, items, applied.changed, bytes)?).await;
            if flush_first {
                self.send_outbox(true).await?;
            }
            ahead = following.unwrap_or_else(|| self.fetch(next.clone(), size.limit(), *spent));
            since = next;
        }
        self.send(EngineEvent::CaughtUp { source: id, reason }).await;
        Ok((report, read))
    }

    /// Whether the outbox holds anything to send.
    async fn has_unsent(&self) -> Result<bool> {
        let id = self.id;
        with_replica(&self.replica, move |r| r.has_unsent(id)).await
    }

    /// Starts fetching the pages that are written next in a separate task, within the rest of the limit.
    fn fetch(&self, since: Since, limit: usize, spent: Spent) -> AbortOnDropHandle<NetResult<Stretch>> {
        let pages = Stretch::fetch(self.source.clone(), since, limit, spent);
        AbortOnDropHandle::new(tokio::spawn(RequestedWait::of_task().record(pages)))
    }

    fn count(&self, since: Since) -> AbortOnDropHandle<NetResult<Option<u64>>> {
        let source = self.source.clone();
        let count = RequestedWait::of_task().record(async move { source.remaining(since).await });
        AbortOnDropHandle::new(tokio::spawn(count))
    }
}
