//! Reading: lists of threads, and one thread with its items.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_ipc::{Grouping, Place, ThreadId, ThreadPage, ThreadPosition, ThreadQuery, ThreadView};
use tidings_model::MsgId;
use tidings_render::contexts::RenderContexts;
use tidings_render::{conversation, item};
use tidings_replica::{self as replica, ItemPosition};

use super::search::{ResolvedQuery, Searches};
use super::staged_files::ComposerFiles;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;

/// Items of one page of a thread.
const PAGE_ITEMS: usize = 50;
/// The most open questions that are shown before a page of a thread.
const MAX_ASKING: usize = 20;

part! {
    /// Lists of threads, and threads with their items.
    pub(crate) struct Reading {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        searches: Arc<Searches>,
        composer_files: Arc<ComposerFiles>;
        shown: Mutex<OnScreen> = Mutex::default(),
    }
}

/// What the page shows, as far as its requests tell.
#[derive(Default)]
struct OnScreen {
    /// The place of the list, with the query.
    list: Option<(Place, Option<String>)>,
    /// The open thread, and whether some of it is unread; another list closes it.
    thread: Option<(ThreadId, bool)>,
}

impl OnScreen {
    fn show_list(&mut self, query: &ThreadQuery) {
        let list = Some((query.place.clone(), query.search.clone()));
        if self.list != list {
            *self = Self { list, thread: None };
        }
    }
}

impl Reading {
    /// The thread that the page shows, as far as its requests tell, if nothing of it is unread or its reader watches it.
    pub(crate) fn shown_thread(&self, watched: Option<ThreadId>) -> Option<ThreadId> {
        let (thread, is_unread) = self.shown.lock().thread?;
        (!is_unread || watched == Some(thread)).then_some(thread)
    }

    /// One page of a list.
    pub(crate) async fn threads(&self, query: ThreadQuery) -> Result<ThreadPage> {
        let language = self.context.language();
        let start = start(&query)?;
        self.shown.lock().show_list(&query);
        let ResolvedQuery { place, filter, highlights } =
            self.searches.resolve_query(&query.place, query.search.as_deref()).await?;
        let order = match query.group {
            Grouping::Source => replica::Order::Source,
            Grouping::Day | Grouping::Thread => replica::Order::Newest,
        };
        let limit = usize::try_from(query.limit.clamp(1, 500)).unwrap_or(500);
        let place_only = query.within;
        self.context
            .disk(move |r| {
                let as_of = r.changes();
                let page =
                    r.threads(&replica::ThreadQuery { place, place_only, filter, order, start, limit })?;
                let contexts = RenderContexts::load(r, &language)?;
                Ok(ThreadPage {
                    rows: contexts.page_rows(&page, &highlights, place_only),
                    next: page.next.map(|cursor| cursor.to_string()),
                    prev: page.prev.map(|cursor| cursor.to_string()),
                    total: page.total,
                    at_least: page.at_least,
                    as_of,
                })
            })
            .await
    }

    /// Asks the service for the unknown parts of a thread that the reader opened. Offline, or if the service does not
    /// answer, nothing changes, and the next opening asks again.
    pub(crate) async fn look_up(&self, id: ThreadId) -> Result<()> {
        let Some(thread) = self.context.disk(move |r| r.threads_by_id(&[id])).await?.pop() else {
            return Ok(());
        };
        if let Some(engine) = self.engine.get()
            && let Err(error) = engine.look_up(thread.source, id).await
        {
            tracing::debug!(%error, "a thread is shown without what it lacks");
        }
        Ok(())
    }

    /// A thread with the items at a position, or with its newest ones.
    pub(crate) async fn thread(&self, id: ThreadId, position: Option<ThreadPosition>) -> Result<ThreadView> {
        let language = self.context.language();
        let (engine, files) = (Arc::clone(&self.engine), Arc::clone(&self.composer_files));
        let position = match position {
            None => ItemPosition::Newest,
            Some(ThreadPosition::First) => ItemPosition::First,
            Some(ThreadPosition::FirstUnread) => ItemPosition::FirstUnread,
            Some(ThreadPosition::Around { msgid }) => ItemPosition::Around(MsgId(msgid)),
            Some(ThreadPosition::Before { msgid }) => ItemPosition::Before(MsgId(msgid)),
            Some(ThreadPosition::After { msgid }) => ItemPosition::After(MsgId(msgid)),
        };
        let continues = matches!(position, ItemPosition::Before(_) | ItemPosition::After(_));
        let view = self
            .context
            .disk(move |r| {
                let Some(thread) = r.threads_by_id(&[id])?.pop() else { return Ok(None) };
                let items = r.items_of(id, &position, PAGE_ITEMS)?;
                let mut asking = if continues { Vec::new() } else { r.asking(id, MAX_ASKING)? };
                asking.retain(|one| items.items.iter().all(|item| item.id != one.id));
                let contexts = RenderContexts::load(r, &language)?;
                let Some(ctx) = contexts.of(thread.source) else { return Ok(None) };
                let mut view = item::thread(&ctx, &thread, &items, &asking);
                let waiting = engine.would_wait(thread.source);
                conversation::complete(r, &ctx, &thread, waiting, &items.items, &mut view)?;
                if let Some(composer) = &mut view.composer {
                    composer.files = files.of(id);
                }
                view.notify = r.thread_notify(id)?;
                Ok(Some(view))
            })
            .await?
            .ok_or(Error::NotFound)?;
        self.shown.lock().thread = Some((id, view.row.unread > 0));
        Ok(view)
    }
}

/// The position at which a page of a list starts.
fn start(query: &ThreadQuery) -> Result<replica::Start> {
    let cursor = |text: &str| text.parse::<replica::ThreadCursor>();
    Ok(match (query.bottom, &query.after, &query.before) {
        (true, ..) => replica::Start::Bottom,
        (_, Some(after), _) => replica::Start::After(cursor(after)?),
        (_, None, Some(before)) => replica::Start::Before(cursor(before)?),
        (_, None, None) => replica::Start::Top,
    })
}
