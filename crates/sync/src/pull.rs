//! One pull: what waits goes out, what is new comes in, page by page, the next one fetched while the last is written.
//! Refuses to decide when; that is the engine's matter.

use std::sync::Arc;

use tidings_replica::{Page, Replica, Skipped, SourceId};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Error, Greeting, Head, News, Occasion, Result, Since, Source, State,
    disk::on_disk,
    outbox,
    paging::{PageSize, Progress},
    source::Fetched,
};

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

/// What became of a page.
struct Kept {
    /// Items that were not here before.
    arrived: u64,
    /// Whether anything differs.
    anything: bool,
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
        // Where nothing waits at this moment nothing is sent either: what is read in a group a moment later would go out
        // with it, alone.
        if gather
            && on_disk(&self.replica, move |r| Ok(!r.has_unsent(id)? || r.is_batching_reads(id)?)).await?
        {
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
        let mut size = PageSize::new();
        let mut ahead = self.fetch(since.clone(), size.limit());
        let (greeting, mut head) =
            tokio::try_join!(self.greeting(first || row.user.is_none()), self.head(first || !row.complete))?;
        self.keep_greeting(greeting, row.user).await?;
        let mut report = Report::default();
        if !row.complete
            && let Some(head) = head.take()
        {
            report.arrived += self.keep_head(head, occasion).await?;
        }
        let (mut of, mut counted, mut read) = (None, false, false);
        let mut progress = Progress::default();
        loop {
            let Fetched { page, bytes, skipped } = self.fetched(ahead, &since, &mut size).await?;
            let next = Since { cursor: page.next.clone(), epoch: page.epoch.clone() };
            if since.epoch.is_some() && next.epoch != since.epoch {
                return Err(Error::Resync);
            }
            let (more, items) = (page.more, page.items.len());
            let moved = next.cursor != since.cursor;
            if more && !moved && items > 0 {
                return Err(Error::Garbled);
            }
            size.came(bytes);
            // What waits here goes out between two pages, and the next one is asked for after it.
            let waits = more && self.waits().await?;
            let following = (more && !waits).then(|| self.fetch(next.clone(), size.limit()));
            // Only a backlog is worth counting, and only once.
            let count = (more && !counted).then(|| self.count(next.clone()));
            counted = true;
            report.fetched += items as u64;
            read |= page.items.iter().any(|item| item.receipt.is_some_and(|receipt| receipt.read > 0));
            let kept = self.keep_page(page, skipped, occasion).await?;
            report.arrived += kept.arrived;
            if more && let Some(head) = head.take() {
                report.arrived += self.keep_head(head, occasion).await?;
            }
            if !more {
                break;
            }
            if let Some(count) = count {
                // A source that can't say is pulled all the same.
                let left = count.await.ok().and_then(Result::ok).flatten();
                of = left.map(|left| report.fetched + left);
            }
            let of = of.map(|of| of.max(report.fetched));
            (self.show)(State::Pulling { done: report.fetched, of });
            sleep(progress.came(moved, items, kept.anything, bytes)?).await;
            if waits {
                self.flush(true).await?;
            }
            ahead = following.unwrap_or_else(|| self.fetch(next.clone(), size.limit()));
            since = next;
        }
        self.tell(News::CaughtUp { source: id, occasion }).await;
        Ok((report, read))
    }

    /// A page that was asked for. An answer that is too large is asked for again in smaller pages, down to a single
    /// item; one that is too large even then is passed over.
    async fn fetched(
        &self,
        mut ahead: AbortOnDropHandle<Result<Fetched>>,
        since: &Since,
        size: &mut PageSize,
    ) -> Result<Fetched> {
        loop {
            let asked = size.limit();
            let error = match ahead.await.map_err(|error| Error::from_task(&error))? {
                Ok(fetched) => return Ok(fetched),
                Err(error @ (Error::AnswerTooLarge | Error::AnswerTooSlow)) => error,
                Err(error) => return Err(error),
            };
            if size.shrink(asked) {
                tracing::info!(source = self.id, %error, limit = size.limit(), "the page is asked for in smaller parts");
                ahead = self.fetch(since.clone(), size.limit());
                continue;
            }
            return match (error, self.source.pass_over(since.clone()).await?) {
                (Error::AnswerTooLarge, Some(fetched)) => {
                    let position = fetched.skipped.as_ref().map(|skipped| skipped.position.as_str());
                    tracing::warn!(source = self.id, position, "an item is too large and is skipped");
                    Ok(fetched)
                }
                (error, _) => Err(error),
            };
        }
    }

    /// Whether marks or messages wait to be sent.
    async fn waits(&self) -> Result<bool> {
        let id = self.id;
        on_disk(&self.replica, move |r| r.has_unsent(id)).await
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
        match if wanted { self.source.head().await } else { Ok(None) } {
            // The pull brings all of it, in smaller parts.
            Err(Error::AnswerTooLarge | Error::AnswerTooSlow) => Ok(None),
            answer => answer,
        }
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
        let page = Page { items: newest, ..Page::default() };
        Ok(self.keep_page(page, None, occasion).await?.arrived)
    }

    /// Writes a page and tells of it in one step that a wake in between cannot split: what is kept but never told
    /// would be a toast that never comes.
    async fn keep_page(&self, page: Page, skipped: Option<Skipped>, occasion: Occasion) -> Result<Kept> {
        let source = self.id;
        // Waits while the listener is busy: that keeps a backlog from piling up in memory.
        let listener = match self.news.clone() {
            // A listener that is gone is no reason to stop pulling.
            Some(news) => news.reserve_owned().await.ok(),
            None => None,
        };
        on_disk(&self.replica, move |replica| {
            if let Some(skipped) = &skipped {
                replica.skip(source, skipped)?;
            }
            let applied = replica.apply(source, page)?;
            let arrived = applied.arrived.len() as u64;
            let anything = arrived > 0 || !applied.updated.is_empty() || !applied.changed.is_empty();
            if let Some(listener) = listener.filter(|_| anything) {
                listener.send(News::Applied { source, applied: Arc::new(applied), occasion });
            }
            Ok(Kept { arrived, anything: anything || skipped.is_some() })
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
