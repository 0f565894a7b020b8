//! One pull: what waits goes out, what is new comes in, page by page, the next one fetched while the last is written.
//! Refuses to decide when; that is the engine's matter.

use std::sync::Arc;

use tidings_replica::{Page, Replica, SourceId};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Error, Greeting, Head, News, Occasion, Result, Since, Source, State, disk::on_disk, outbox,
    source::Fetched,
};

/// Items of a first page: small, so that something is there soon.
const FIRST: usize = 1_000;
/// Items of the pages after it, as many as the protocol gives.
const FULL: usize = 5_000;
/// Items of a page at least, however heavy they are.
const LEAST: usize = 50;
/// Empty pages in a row that are taken for work and not for a fault.
const PATIENCE: usize = 1_000;
/// A page heavier than this, in bytes, is followed by one of half as many items.
const HEAVY: usize = 16 << 20;

/// What a pull did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Operations and messages that the server answered.
    pub sent: u64,
    /// Items that came, new or changed.
    pub fetched: u64,
    /// Of them those that were not here before.
    pub arrived: u64,
}

/// Flushes the outbox of a source and pulls everything that is new, once.
pub async fn pull_once(replica: &Replica, id: SourceId, source: Arc<dyn Source>) -> Result<Report> {
    Pull { replica: replica.clone(), id, source, news: None, show: Box::new(|_| {}) }.run(true, false).await
}

/// Everything that a pull needs to know.
pub(crate) struct Pull {
    pub(crate) replica: Replica,
    pub(crate) id: SourceId,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) news: Option<mpsc::Sender<News>>,
    pub(crate) show: Box<dyn Fn(State) + Send + Sync>,
}

impl Pull {
    /// The outbox, then the pull; `first` after a start, a sleep or a lost connection; with `gather` the outbox may
    /// wait for more. Dropping it is safe at any point: a page that is being written is written whole.
    pub(crate) async fn run(&self, first: bool, gather: bool) -> Result<Report> {
        let sent = self.flush(gather).await?;
        let (report, read) = match self.history(first).await {
            Err(Error::Resync) => {
                let id = self.id;
                tracing::info!(source = id, "the server's history began anew, pulling from the beginning");
                on_disk(&self.replica, move |r| r.resync(id)).await?;
                // A server that says so to a pull from the beginning makes no sense.
                self.history(true)
                    .await
                    .map_err(|e| if matches!(e, Error::Resync) { Error::Garbled } else { e })?
            }
            answer => answer?,
        };
        self.talk(first, read).await?;
        Ok(Report { sent, ..report })
    }

    /// Only the outbox; with `gather` not yet, where all that waits is what was just read in groups.
    pub(crate) async fn flush(&self, gather: bool) -> Result<u64> {
        let id = self.id;
        if gather && on_disk(&self.replica, move |r| r.gathers(id)).await? {
            return Ok(0);
        }
        outbox::flush(&self.replica, self.id, &self.source).await
    }

    /// The pages; also whether a message among them says that somebody read it.
    async fn history(&self, first: bool) -> Result<(Report, bool)> {
        let id = self.id;
        let row = on_disk(&self.replica, move |r| r.source(id)).await?;
        let occasion = match (&row.cursor, first) {
            (None, _) => Occasion::Backlog,
            (Some(_), true) => Occasion::Gap,
            (Some(_), false) => Occasion::Live,
        };
        if first || !row.complete {
            (self.show)(State::Pulling { done: 0, of: None });
        }
        let mut since = Since { cursor: row.cursor, epoch: row.epoch };
        let mut limit = FIRST;
        let mut ahead = self.fetch(since.clone(), limit);
        let (greeting, mut head) =
            tokio::try_join!(self.greeting(first || row.user.is_none()), self.head(first || !row.complete))?;
        self.keep_greeting(greeting, row.user).await?;
        let mut report = Report::default();
        if !row.complete
            && let Some(head) = head.take()
        {
            report.arrived += self.keep_head(head, occasion).await?;
        }
        let (mut of, mut counted, mut idle, mut read) = (None, false, 0, false);
        loop {
            let Fetched { page, bytes } = ahead.await.map_err(|_| Error::Stopped)??;
            let next = Since { cursor: page.next.clone(), epoch: page.epoch.clone() };
            if since.epoch.is_some() && next.epoch != since.epoch {
                return Err(Error::Resync);
            }
            let more = page.more;
            // A server may look through much that is not for this reader, but not for ever.
            idle = if more && next.cursor == since.cursor { idle + 1 } else { 0 };
            if idle > 0 && (idle > PATIENCE || !page.items.is_empty()) {
                return Err(Error::Garbled);
            }
            limit = if bytes > HEAVY { (limit / 2).max(LEAST) } else { (limit * 5).min(FULL) };
            let following = more.then(|| self.fetch(next.clone(), limit));
            // Only a backlog is worth counting, and only once.
            let count = (more && !counted).then(|| self.count(next.clone()));
            counted = true;
            report.fetched += page.items.len() as u64;
            read |= page.items.iter().any(|item| item.receipt.is_some_and(|receipt| receipt.read > 0));
            report.arrived += self.keep_page(page, occasion).await?;
            if more && let Some(head) = head.take() {
                report.arrived += self.keep_head(head, occasion).await?;
            }
            let Some(following) = following else { break };
            if let Some(count) = count {
                // A source that can't say is pulled all the same.
                let left = count.await.ok().and_then(Result::ok).flatten();
                of = left.map(|left| report.fetched + left);
            }
            let of = of.map(|of| of.max(report.fetched));
            (self.show)(State::Pulling { done: report.fetched, of });
            ahead = following;
            since = next;
        }
        self.tell(News::CaughtUp { source: id, occasion }).await;
        Ok((report, read))
    }

    /// Starts fetching a page; it goes on while others are written.
    fn fetch(&self, since: Since, limit: usize) -> AbortOnDropHandle<Result<Fetched>> {
        let source = self.source.clone();
        AbortOnDropHandle::new(tokio::spawn(async move { source.page(since, limit).await }))
    }

    fn count(&self, since: Since) -> AbortOnDropHandle<Result<Option<u64>>> {
        let source = self.source.clone();
        AbortOnDropHandle::new(tokio::spawn(async move { source.remaining(since).await }))
    }

    async fn greeting(&self, wanted: bool) -> Result<Option<Greeting>> {
        if wanted { self.source.greet().await.map(Some) } else { Ok(None) }
    }

    async fn head(&self, wanted: bool) -> Result<Option<Head>> {
        if wanted { self.source.head().await } else { Ok(None) }
    }

    /// Who the reader is and how items read, before the first item: both decide what is unread.
    async fn keep_greeting(&self, greeting: Option<Greeting>, known: Option<String>) -> Result<()> {
        let Some(Greeting { user, catalog, .. }) = greeting else { return Ok(()) };
        let id = self.id;
        on_disk(&self.replica, move |replica| {
            if user.is_some() && user != known {
                let change = tidings_replica::SourceChange { user, ..Default::default() };
                replica.change_source(id, change)?;
            }
            match catalog {
                Some(catalog) if replica.catalog(id)?.as_ref() != Some(&catalog) => {
                    replica.set_catalog(id, &catalog)
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// The numbers and the newest page, ahead of a backlog.
    async fn keep_head(&self, head: Head, occasion: Occasion) -> Result<u64> {
        let id = self.id;
        let Head { unread, mut newest } = head;
        on_disk(&self.replica, move |r| r.apply_counts(id, &unread)).await?;
        newest.sort_by_key(|item| item.stamp);
        self.keep_page(Page { items: newest, ..Page::default() }, occasion).await
    }

    /// Writes a page and tells of it in one step that a wake in between cannot split: what is kept but never told
    /// would be a toast that never comes.
    async fn keep_page(&self, page: Page, occasion: Occasion) -> Result<u64> {
        let source = self.id;
        // Waits while the listener is busy: that keeps a backlog from piling up in memory.
        let listener = match self.news.clone() {
            // A listener that is gone is no reason to stop pulling.
            Some(news) => news.reserve_owned().await.ok(),
            None => None,
        };
        on_disk(&self.replica, move |replica| {
            let applied = replica.apply(source, page)?;
            let arrived = applied.arrived.len() as u64;
            let nothing = arrived == 0 && applied.renewed.is_empty() && applied.changed.is_empty();
            if let Some(listener) = listener.filter(|_| !nothing) {
                listener.send(News::Applied { source, applied: Arc::new(applied), occasion });
            }
            Ok(arrived)
        })
        .await
    }

    /// Waits while the listener is busy: that keeps a backlog from piling up in memory.
    async fn tell(&self, news: News) {
        if let Some(listener) = &self.news {
            // A listener that is gone is no reason to stop pulling.
            let _ = listener.send(news).await;
        }
    }
}
