//! What the desktop's own search is told: threads by words, as the window's search finds them, if the reader allowed it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tidings_ipc::{Place, ThreadRow};
use tidings_model::{MsgId, Stamp};
use tidings_render::contexts::RenderContexts;
use tidings_render::tidings_link::TidingsLink;
use tidings_replica as replica;
use tokio::sync::OwnedMutexGuard;

use crate::context::{Context, part};
use crate::error::Result;
use crate::inbox::search::Searches;

/// The most threads of one answer.
const MAX_THREADS: usize = 10;
/// The longest time of one answer; a desktop asks again with each letter.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// The most threads that are remembered: a desktop asks what it shows after it asked what there is.
const MAX_REMEMBERED: usize = 100;

/// A thread that the desktop's search may list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundThread {
    /// The link that opens it, at the item that was found.
    pub link: String,
    /// What it says.
    pub title: String,
    /// Its sender or topic, and its time.
    pub about: String,
}

part! {
    /// Answers the desktop's search.
    pub(crate) struct DesktopSearch {
        context: Arc<Context>,
        searches: Arc<Searches>;
        /// Held while the inbox is read, which goes on if its caller is gone, so that quick typing reads it once at a time.
        turn: Arc<tokio::sync::Mutex<()>> = Arc::default(),
        /// The questions so far: what was asked before the newest one is not read any more.
        asked: AtomicU64 = AtomicU64::new(0),
        /// The threads of the last answers, the newest at the end.
        remembered: Mutex<VecDeque<FoundThread>> = Mutex::default(),
    }
}

impl DesktopSearch {
    fn is_allowed(&self) -> bool {
        self.context.settings.get().behaviour.desktop_search
    }

    /// The threads that a query finds, the newest first; none if it cannot be read, takes too long or is not allowed.
    pub(crate) async fn found(&self, query: &str) -> Vec<FoundThread> {
        if !self.is_allowed() {
            self.remembered.lock().clear();
            return Vec::new();
        }
        if query.trim().is_empty() {
            return Vec::new();
        }
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = async {
            let turn = Arc::clone(&self.turn).lock_owned().await;
            if self.asked.load(Ordering::Relaxed) != number {
                return Ok(Vec::new());
            }
            self.look(query, turn).await
        };
        let found = match tokio::time::timeout(ANSWER_TIMEOUT, answer).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the desktop's search finds nothing");
                return Vec::new();
            }
            Err(_) => return Vec::new(),
        };
        // It may have been switched off meanwhile.
        if !self.is_allowed() {
            return Vec::new();
        }
        let mut remembered = self.remembered.lock();
        remembered.retain(|before| found.iter().all(|now| now.link != before.link));
        remembered.extend(found.iter().cloned());
        let surplus = remembered.len().saturating_sub(MAX_REMEMBERED);
        remembered.drain(..surplus);
        found
    }

    /// What was found before under these links; what is not remembered is left out.
    pub(crate) fn described(&self, links: &[String]) -> Vec<FoundThread> {
        let mut remembered = self.remembered.lock();
        if !self.is_allowed() {
            remembered.clear();
        }
        let links = links.iter().take(MAX_REMEMBERED);
        links.filter_map(|link| remembered.iter().find(|one| one.link == *link).cloned()).collect()
    }

    async fn look(&self, query: &str, turn: OwnedMutexGuard<()>) -> Result<Vec<FoundThread>> {
        let resolved = self.searches.resolve_query(&Place::Inbox, Some(query)).await?;
        let language = self.context.language();
        let rows = self
            .context
            .disk(move |r| {
                let _turn = turn;
                let top = replica::ThreadQuery {
                    filter: resolved.filter,
                    ..replica::ThreadQuery::top(resolved.place, MAX_THREADS)
                };
                let page = r.threads(&top)?;
                Ok(RenderContexts::load(r, &language)?.page_rows(&page, &[], false))
            })
            .await?;
        Ok(rows.into_iter().map(|row| self.shown(row)).collect())
    }

    fn shown(&self, row: ThreadRow) -> FoundThread {
        let what: String = row.what.into_iter().map(|span| span.text).collect();
        let title = [what, row.snippet, row.sentence].into_iter().find(|text| !text.is_empty());
        let at = self.context.zone.local_time(Stamp::from_millis(row.time)).format("%Y-%m-%d %H:%M");
        let target = match row.hit {
            Some(msgid) => TidingsLink::Item(MsgId(msgid)),
            None => TidingsLink::Thread(row.id),
        };
        FoundThread {
            link: target.to_string(),
            title: title.unwrap_or_default(),
            about: format!("{} · {at}", row.who),
        }
    }
}
