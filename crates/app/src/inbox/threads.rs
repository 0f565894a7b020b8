//! Reading: the data for the first paint, lists of threads, and one thread with its items.

use std::time::Duration;

use tidings_model::MsgId;
use tidings_replica::{self as replica, ItemPosition};

use crate::app::App;
use crate::error::{Error, Result};
use crate::inbox::search::ResolvedQuery;
use crate::ipc::events::Sink;
use crate::ipc::{
    Bootstrap, FirstRun, Grouping, Place, ProtocolView, ThreadId, ThreadPage, ThreadPosition, ThreadQuery,
    ThreadView,
};
use crate::render::contexts::RenderContexts;
use crate::render::{conversation, item};
use crate::state::own_server::PublishAddress;

/// Rows of the first page.
const FIRST_PAGE_ROWS: u32 = 100;
/// The longest wait of the first-run page for the own server's start.
const SERVER_START_TIMEOUT: Duration = Duration::from_secs(3);
/// Items of one page of a thread.
const PAGE_ITEMS: usize = 50;
/// The most open questions that are shown before a page of a thread.
const MAX_ASKING: usize = 20;

impl App {
    /// Registers the page's event sink, in place of the one before.
    pub fn listen(&self, sink: Sink) {
        self.context.events.listen(sink);
    }

    /// Handles that the page has its first paint: background work may start.
    pub fn first_paint(&self) {
        self.context.events.first_paint();
    }

    /// All data for the page's first paint.
    pub async fn bootstrap(&self) -> Result<Bootstrap> {
        let open = self.context.events.bootstrapped();
        let group = self.settings.current_settings().group;
        let first = ThreadQuery { limit: FIRST_PAGE_ROWS, group, ..ThreadQuery::top(Place::Inbox) };
        let inbox = self.threads(first).await?;
        self.inner.search_counts.request();
        let (sync, places) = self.sync_and_places().await?;
        let has_items =
            self.context.disk(|r| Ok(r.counts()?.sources.iter().any(|source| source.items > 0))).await?;
        let settings = self.settings.current_settings();
        let show = !has_items && !settings.welcome_closed && places.sources.iter().all(|source| source.own);
        let first_run = FirstRun {
            show,
            publish_url: self.publish_url(show).await,
            autostart: self.context.ports.autostart.is_on(),
        };
        Ok(Bootstrap {
            version: self.inner.version.clone(),
            time_locale: self.inner.time_locale.clone(),
            notices: self.context.notices.all(self.context.lang()),
            settings,
            places,
            sync,
            inbox,
            first_run,
            open: open.as_ref().map(|open| open.thread),
            open_action: open.as_ref().and_then(|open| open.action.clone()),
            open_item: open.and_then(|open| open.item).map(|item| item.0),
            protocols: ProtocolView::all(),
            uploads: self.upload_views(),
        })
    }

    /// The address at which the own server takes publications. With `wait`, as the first-run page needs it, waits at
    /// most three seconds for the server's start, and lets that start begin before the first paint.
    async fn publish_url(&self, wait: bool) -> Option<String> {
        let mut publishing = self.server_state.publishing();
        if wait {
            self.context.events.first_paint();
            let started = publishing.wait_for(|now| *now != PublishAddress::Starting);
            let _ = tokio::time::timeout(SERVER_START_TIMEOUT, started).await;
        }
        let now = publishing.borrow().clone();
        if let PublishAddress::At(url) = now { Some(url) } else { None }
    }

    /// One page of a list.
    pub async fn threads(&self, query: ThreadQuery) -> Result<ThreadPage> {
        let language = self.context.language();
        let start = start(&query)?;
        let ResolvedQuery { place, filter, highlights } =
            self.resolve_query(&query.place, query.search.as_deref()).await?;
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
    pub async fn look_up(&self, id: ThreadId) -> Result<()> {
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
    pub async fn thread(&self, id: ThreadId, position: Option<ThreadPosition>) -> Result<ThreadView> {
        let (language, app) = (self.context.language(), self.clone());
        let position = match position {
            None => ItemPosition::Newest,
            Some(ThreadPosition::First) => ItemPosition::First,
            Some(ThreadPosition::FirstUnread) => ItemPosition::FirstUnread,
            Some(ThreadPosition::Around { msgid }) => ItemPosition::Around(MsgId(msgid)),
            Some(ThreadPosition::Before { msgid }) => ItemPosition::Before(MsgId(msgid)),
            Some(ThreadPosition::After { msgid }) => ItemPosition::After(MsgId(msgid)),
        };
        let continues = matches!(position, ItemPosition::Before(_) | ItemPosition::After(_));
        self.context
            .disk(move |r| {
                let Some(thread) = r.threads_by_id(&[id])?.pop() else { return Ok(None) };
                let items = r.items_of(id, &position, PAGE_ITEMS)?;
                let mut asking = if continues { Vec::new() } else { r.asking(id, MAX_ASKING)? };
                asking.retain(|one| items.items.iter().all(|item| item.id != one.id));
                let contexts = RenderContexts::load(r, &language)?;
                let Some(ctx) = contexts.of(thread.source) else { return Ok(None) };
                let mut view = item::thread(&ctx, &thread, &items, &asking);
                let waiting = app.engine.would_wait(thread.source);
                conversation::complete(r, &ctx, &thread, waiting, &items.items, &mut view)?;
                if let Some(composer) = &mut view.composer {
                    composer.files = app.composer_files.of(id);
                }
                view.notify = r.thread_notify(id)?;
                Ok(Some(view))
            })
            .await?
            .ok_or(Error::NotFound)
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
