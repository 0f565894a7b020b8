//! Lists of notification threads that are sorted by the time of their last change: GitHub's, Forgejo's and Gitea's.
//!
//! A pull walks the list from its head to what it knows, or to its end the first time. Each page is applied as it is.
//! What the list leaves out of the newest unread threads follows in pages of its own, so that none waits for it.
//!
//! The walk goes in windows of time. Each window begins with the last second of the one before, so that a thread that
//! leaves the list shifts nothing. Within one second it goes by page numbers. It ends when the head brings nothing
//! more.

mod query;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, LINK};
use tidings_model::{Clock, MsgId, Notification};
use tidings_net::{Error, Result};
use tidings_replica::{self as replica, Part, ServiceItem};

pub(super) use self::query::Query;
use super::cursor::{Cursor, Walk, fresh};
use super::details::{self, Details, Headers, PersonOf};
use super::offset::NumberedPage;
use super::thread::Thread;
use crate::bounds::{Bounds, millis};
use crate::cursors;
use crate::service::elements::Elements;
use crate::service::{Service, Validators};
use crate::source::{Fetched, Since};

/// The most threads of a page, by the APIs.
pub(super) const PAGE_THREADS: usize = 50;
/// The time after which the lists are read whatever their state, in seconds.
const REFRESH_SECONDS: i64 = 15 * 60;
/// The most walks of one pull.
const MAX_ROUNDS: u32 = 4;
/// The longest time between two pulls that a service may ask for, in seconds.
const MAX_POLL_SECONDS: u64 = 3_600;

/// What differs between the services.
#[derive(Clone, Copy)]
pub(super) struct Api {
    /// Adds its headers to a request.
    pub(super) headers: Headers,
    /// The name of the parameter for the size of a page.
    pub(super) size_parameter: &'static str,
    /// Whether reading a thread counts as a change of it. If not, the unread threads are listed as well.
    pub(super) reading_is_a_change: bool,
    /// The item of a thread, without its state.
    pub(super) item: fn(&Thread, &Details) -> ServiceItem,
    /// Who is said to have done it, given the reason of the notification.
    pub(super) person: PersonOf,
}

/// The notification threads of one user.
pub(super) struct ThreadList {
    pub(super) service: Service,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) api: Api,
}

/// A page that is being fetched.
#[derive(Default)]
pub(super) struct PageBuilder {
    pub(super) items: Vec<ServiceItem>,
    pub(super) bytes: usize,
    /// The threads that can't be read.
    skipped: Vec<replica::Skipped>,
}

/// A page of the list.
pub(super) struct ListPage {
    pub(super) threads: Vec<Thread>,
    /// The position in the window after its last thread.
    end: u64,
    pub(super) has_more: bool,
    /// The ids of threads that can't be read.
    pub(super) malformed: Vec<MsgId>,
}

impl ThreadList {
    /// The next page of a pull.
    pub(super) async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut cursor: Cursor = cursors::read(since.cursor.as_deref());
        let mut page = PageBuilder::default();
        if cursor.pending.is_empty() {
            self.walk(&mut cursor, limit, &mut page).await?;
            if page.items.is_empty()
                && !cursor.has_more()
                && cursor.head.is_some()
                && !self.api.reading_is_a_change
            {
                self.unread(&mut cursor, &mut page).await?;
            }
        } else {
            self.pending_details(&mut cursor, &mut page).await;
        }
        let (more, poll_after) = (cursor.has_more(), cursor.poll_seconds.map(Duration::from_secs));
        if !more {
            (cursor.rounds, cursor.detailed) = (0, 0);
        }
        let applied = replica::Page {
            service_items: page.items,
            next: Some(cursors::write(&cursor)?),
            more,
            ..replica::Page::default()
        };
        Ok(Fetched {
            page: applied,
            bytes: page.bytes,
            skipped: page.skipped,
            poll_after,
            ..Fetched::default()
        })
    }

    /// Fetches one page of the list: the next one of the walk, or the first one of a new walk.
    async fn walk(&self, cursor: &mut Cursor, limit: usize, page: &mut PageBuilder) -> Result<()> {
        let begun = cursor.walk.take();
        let is_first_page = begun.is_none();
        let mut walk = begun.unwrap_or_else(|| Walk::after(cursor.head));
        let is_conditional = is_first_page && !self.is_old(cursor);
        let mut validators = if is_conditional { cursor.validators.clone() } else { Validators::default() };
        let numbered = NumberedPage::holding(walk.offset, limit.clamp(1, PAGE_THREADS) as u64);
        let query = Query { all: true, since: walk.since, before: walk.before, page: numbered };
        cursor.is_due = false;
        let Some(listed) = self.list(query, &mut validators, cursor, page).await? else { return Ok(()) };
        if is_first_page {
            walk.validators = validators;
            if self.api.reading_is_a_change {
                cursor.refreshed_at = Some(self.clock.now());
            }
        }
        if walk.before.is_some_and(|before| listed.threads.iter().any(|thread| thread.updated_at > before)) {
            walk.leave_windows();
            cursor.walk = Some(walk);
            return Ok(());
        }
        walk.move_on(&listed.threads, listed.end);
        let edge = std::mem::take(&mut walk.edge);
        walk.note(&listed.threads);
        let threads = fresh(listed.threads, [&cursor.seen, &edge]);
        for thread in &threads {
            cursor.note_unread(thread);
        }
        cursor.bound_unread();
        let awaits_details = cursor.head.is_some() && is_first_page && !listed.has_more;
        if listed.has_more {
            cursor.walk = Some(walk);
        } else {
            // What came meanwhile is at the head of the list again, which is looked at until it brings nothing.
            cursor.rounds += 1;
            cursor.is_due = (!threads.is_empty() || !is_first_page) && cursor.rounds < MAX_ROUNDS;
            cursor.finish(walk);
        }
        self.take_in(&threads, awaits_details, cursor, page).await;
        Ok(())
    }

    /// Makes items of threads, oldest first, and decides whose details are fetched; those of the others are fetched when they
    /// are opened.
    async fn take_in(
        &self,
        threads: &[Thread],
        awaits_details: bool,
        cursor: &mut Cursor,
        page: &mut PageBuilder,
    ) {
        let unread: Vec<&Thread> = threads.iter().rev().filter(|thread| thread.unread).collect();
        let bounds = self.service.bounds();
        let room = bounds.detailed_threads.saturating_sub(cursor.detailed);
        cursor.detailed += unread.len().min(room);
        if awaits_details && unread.len() <= bounds.awaited_details {
            for thread in threads {
                page.items.push(self.item(thread, &Details::default()));
            }
            for item in self.details_of(&unread, millis(bounds.awaited_details_millis)).await {
                // It replaces the item without details. Within the same second another text is news as well.
                if let Some(plain) = page.items.iter_mut().find(|plain| plain.msgid == item.msgid) {
                    *plain = ServiceItem { read: plain.read, news: true, ..item };
                }
            }
            return;
        }
        cursor.pending.extend(unread.into_iter().take(room).cloned());
        page.items.extend(threads.iter().map(|thread| self.item(thread, &Details::default())));
    }

    /// Fetches details that the pages before left out.
    async fn pending_details(&self, cursor: &mut Cursor, page: &mut PageBuilder) {
        let Bounds { page_details, details_millis, .. } = self.service.bounds();
        let rest = cursor.pending.split_off(page_details.min(cursor.pending.len()));
        let batch = std::mem::replace(&mut cursor.pending, rest);
        page.items = self.details_of(&batch.iter().collect::<Vec<_>>(), millis(details_millis)).await;
        if page.items.is_empty() {
            // The token may not read the subjects, or the service is out of reach: the rest would fail, too.
            cursor.pending.clear();
        }
        page.items.reverse();
    }

    /// The items of threads with their details, in the same order; those are missing whose details can't be had.
    async fn details_of(&self, threads: &[&Thread], timeout: Duration) -> Vec<ServiceItem> {
        let mut items = Vec::with_capacity(threads.len());
        let fetching = async {
            // One after the other, as the services ask for.
            for thread in threads {
                let details = details::fetch(&self.service, thread, self.api.headers).await?;
                if !details.is_empty() {
                    let item = (self.api.item)(thread, &details);
                    // The state was applied with the thread, and may have changed since.
                    items.push(ServiceItem { news: false, ..item });
                }
            }
            Ok::<_, tidings_net::Error>(())
        };
        match tokio::time::timeout(timeout, fetching).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "details of notifications can't be had"),
            Err(_) => tracing::debug!("details of notifications take too long"),
        }
        items
    }

    /// An item with its details, if it lacks them.
    pub(super) async fn complete(&self, item: &Notification) -> Result<Option<ServiceItem>> {
        details::complete(&self.service, item, self.api.headers, self.api.person).await
    }

    /// The item of a thread with its state.
    pub(super) fn item(&self, thread: &Thread, details: &Details) -> ServiceItem {
        let mut item = (self.api.item)(thread, details);
        if details.is_empty() {
            details::note_missing(&mut item, thread);
        }
        // A thread that was read elsewhere keeps its text and its place.
        let part = if thread.unread { Part::IfNewer } else { Part::IfNew };
        ServiceItem { read: Some(!thread.unread), part, ..item }
    }

    /// Whether the lists are to be read whatever their state: that goes by the second, and page by page.
    pub(super) fn is_old(&self, cursor: &Cursor) -> bool {
        let now = self.clock.now();
        cursor.refreshed_at.is_none_or(|at| now < at || now >= at.plus_secs(REFRESH_SECONDS))
    }

    /// Fetches a page of threads; `None` if it did not change.
    pub(super) async fn list(
        &self,
        query: Query,
        validators: &mut Validators,
        cursor: &mut Cursor,
        page: &mut PageBuilder,
    ) -> Result<Option<ListPage>> {
        let request = (self.api.headers)(self.service.get("notifications")?);
        let request = request.query(&query.parameters(self.api.size_parameter));
        let Some(answer) = self.service.if_changed(request, validators).await? else { return Ok(None) };
        page.bytes += answer.body.len();
        if let Some(interval) = answer.poll_interval() {
            cursor.poll_seconds = Some(interval.as_secs().min(MAX_POLL_SECONDS));
        }
        let (has_next, total) = (answer.next_page().is_some(), number(&answer.headers, "x-total-count"));
        let links = answer.headers.contains_key(LINK);
        let threads: Elements<Thread> = answer.json().await?;
        let (count, is_foreign) = (threads.len() as u64, threads.is_foreign());
        let end = query.page.start() + count;
        // If the service says nothing of pages, a full one may have another behind it.
        let is_full = !links && total.is_none() && count == query.page.size;
        let has_more = count > 0 && (has_next || is_full || total.is_some_and(|total| total > end));
        if is_foreign && has_more {
            // No thread says where the next page begins.
            return Err(Error::Malformed);
        }
        let malformed = threads.malformed.iter().map(|one| one.msgid.clone()).collect();
        page.skipped.extend(threads.malformed);
        let threads = threads.read.into_iter().map(Thread::bounded).collect();
        Ok(Some(ListPage { threads, end, has_more, malformed }))
    }
}

/// A header that is a whole number.
fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}
