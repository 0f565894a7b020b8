//! Full pages that are fetched one after the other and written as one. A transaction for several pages of a long
//! backlog writes each page of the database that they have in common once.

use std::sync::Arc;

use tidings_net::Result;
use tidings_net::waits::RequestedWait;
use tidings_replica::Page;
use tidings_sources::{Ahead, Bounds, Fetched, Since, Source};

use super::limit::Spent;

/// Pages that are written as one.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) fetched: Fetched,
    /// How many pages they are.
    pub(super) pages: u32,
    /// The size of the last one in bytes.
    pub(super) last_bytes: usize,
}

impl Stretch {
    /// A single page.
    pub(super) fn one(fetched: Fetched) -> Self {
        Self { pages: 1, last_bytes: fetched.bytes, fetched }
    }

    /// Fetches a page and, while pages are full, those that follow it. If one that follows can't be had, the pages
    /// before it are all that is given: the next request says why.
    ///
    /// # Errors
    /// That of the first page.
    pub(super) async fn fetch(
        source: Arc<dyn Source>,
        since: Since,
        limit: usize,
        spent: Spent,
    ) -> Result<Self> {
        let (epoch, bounds) = (since.epoch.clone(), source.bounds());
        let mut ahead = Ahead::default();
        ahead.want(epoch.is_some() && 2 * limit <= bounds.joined_items);
        let mut stretch = Self::one(source.page_ahead(since, limit, &mut ahead).await?);
        while stretch.goes_on(limit, epoch.as_ref(), spent, &bounds) {
            let since = Since { cursor: stretch.fetched.page.next.clone(), epoch: epoch.clone() };
            ahead.want(stretch.goes_on_after(limit, spent, &bounds));
            match source.page_ahead(since, limit, &mut ahead).await {
                Ok(next) if next.page.epoch == epoch => stretch.add(next),
                _ => break,
            }
        }
        Ok(stretch)
    }

    /// Whether the next page may be written with these.
    fn goes_on(&self, limit: usize, epoch: Option<&String>, mut spent: Spent, bounds: &Bounds) -> bool {
        let Fetched { page, bytes, .. } = &self.fetched;
        spent.count_pages(*bytes, self.pages);
        page.more
            // Other services' pages may be of any size.
            && page.service_items.is_empty()
            && page.epoch.as_ref() == epoch
            && self.last_bytes >= bounds.full_page_bytes
            && *bytes < bounds.joined_bytes
            && page.items.len() + limit <= bounds.joined_items
            && spent.end().is_none()
            && RequestedWait::of_task().get().is_none()
    }

    /// Whether one more page may be written with these if the next one is as large as the last one.
    fn goes_on_after(&self, limit: usize, mut spent: Spent, bounds: &Bounds) -> bool {
        let Fetched { page, bytes, .. } = &self.fetched;
        let bytes = bytes + self.last_bytes;
        spent.count_pages(bytes, self.pages + 1);
        bytes < bounds.joined_bytes
            && page.items.len() + 2 * limit <= bounds.joined_items
            && spent.end().is_none()
    }

    fn add(&mut self, next: Fetched) {
        let Fetched { page, bytes, skipped, poll_after, room } = next;
        let Page {
            items,
            service_items,
            marks,
            peer_marks,
            closed,
            groups,
            next,
            epoch,
            more,
            forgotten_before,
        } = page;
        let whole = &mut self.fetched;
        whole.page.items.extend(items);
        whole.page.service_items.extend(service_items);
        whole.page.marks.extend(marks);
        whole.page.peer_marks.extend(peer_marks);
        whole.page.closed.extend(closed);
        whole.page.groups.extend(groups);
        whole.page.forgotten_before = whole.page.forgotten_before.max(forgotten_before);
        (whole.page.next, whole.page.epoch, whole.page.more) = (next, epoch, more);
        whole.bytes += bytes;
        whole.skipped.extend(skipped);
        whole.poll_after = poll_after;
        whole.room = room.or(whole.room.take());
        self.pages += 1;
        self.last_bytes = bytes;
    }
}
