//! What is unread at a service that does not count reading as a change: the list of unread threads is compared with
//! those that were unread before.
//!
//! That is GitHub. The unread threads are listed if their first page changed, and every quarter of an hour. They
//! are compared with the newest 500 of the last time.

use std::collections::HashMap;

use tidings_model::{MsgId, Stamp};
use tidings_net::Result;
use tidings_replica::{Part, ServiceItem};

use super::cursor::{Cursor, whole_second};
use super::details::Details;
use super::offset::NumberedPage;
use super::thread::Thread;
use super::threads::{PAGE_THREADS, PageBuilder, Query, ThreadList};
use crate::service::Validators;

/// The most pages of unread threads that are listed.
const MAX_PAGES: usize = 10;

/// The newest unread threads.
struct Unread {
    threads: HashMap<String, Thread>,
    /// Threads whose last change is not after this second may be unread without being listed; `None` if all are listed.
    listed_after: Option<i64>,
    /// The ids of threads that are listed and can't be read.
    malformed: Vec<MsgId>,
}

impl ThreadList {
    /// Brings what was read elsewhere, or marked as unread, since the last time.
    pub(super) async fn unread(&self, cursor: &mut Cursor, page: &mut PageBuilder) -> Result<()> {
        let now = self.clock.now();
        let is_old = self.is_old(cursor);
        let mut validators = if is_old { Validators::default() } else { cursor.unread_validators.clone() };
        let unread = self.list_unread(&mut validators, cursor, page).await?;
        let Some(Unread { threads, listed_after, malformed }) = unread else { return Ok(()) };
        cursor.unread_validators = validators;
        if is_old {
            cursor.refreshed_at = Some(now);
        }
        let is_listed = |at: i64| listed_after.is_none_or(|after| at > after);
        cursor.unread.retain(|id, at| {
            let is_unread = threads.contains_key(id) || malformed.iter().any(|one| one.as_str() == id);
            let was_read = is_listed(*at) && !is_unread;
            if was_read {
                page.items.push(ServiceItem::state(id.as_str(), Some(true), None));
            }
            !was_read
        });
        // What came after the head is brought by the list.
        let was_pulled = |thread: &Thread| cursor.head.is_some_and(|head| thread.updated_at <= head);
        let mut others: Vec<&Thread> = threads.values().filter(|thread| was_pulled(thread)).collect();
        others.retain(|thread| !cursor.unread.contains_key(&thread.id));
        others.sort_by(|a, b| (a.updated_at, &a.id).cmp(&(b.updated_at, &b.id)));
        for thread in others {
            let item = self.item(thread, &Details::default());
            page.items.push(ServiceItem { part: Part::IfNew, ..item });
            cursor.note_unread(thread);
        }
        cursor.bound_unread();
        Ok(())
    }

    /// Lists the unread threads, newest first; `None` if the first page did not change.
    async fn list_unread(
        &self,
        validators: &mut Validators,
        cursor: &mut Cursor,
        page: &mut PageBuilder,
    ) -> Result<Option<Unread>> {
        let (mut threads, mut before, mut malformed) = (HashMap::new(), None::<Stamp>, Vec::new());
        let numbered = NumberedPage::holding(0, PAGE_THREADS as u64);
        for nth in 0..MAX_PAGES {
            let query = Query { all: false, since: None, before, page: numbered };
            let mut unconditional = Validators::default();
            let condition = if nth == 0 { &mut *validators } else { &mut unconditional };
            let Some(listed) = self.list(query, condition, cursor, page).await? else { return Ok(None) };
            malformed.extend(listed.malformed);
            let oldest = listed.threads.iter().map(|thread| whole_second(thread.updated_at)).min();
            let window = oldest.map(|oldest| oldest.plus_secs(1));
            let is_elsewhere =
                before.is_some_and(|before| listed.threads.iter().any(|thread| thread.updated_at > before));
            if is_elsewhere {
                // The service has no windows, and numbered pages move while they are read.
                break;
            }
            // A service that ignores `all` lists the read ones, too.
            let unread = listed.threads.into_iter().filter(|thread| thread.unread);
            threads.extend(unread.map(|thread| (thread.id.clone(), thread)));
            if !listed.has_more {
                return Ok(Some(Unread { threads, listed_after: None, malformed }));
            }
            if window.is_none() || window == before {
                break;
            }
            before = window;
        }
        // The oldest second may have more threads than were listed.
        let listed_after = before.map(|before| before.as_secs() - 1);
        Ok(Some(Unread { threads, listed_after, malformed }))
    }
}
