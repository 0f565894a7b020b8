//! Searches: what a query means here, what could stand in it next, and the ones that are kept with what they find.
//! Refuses to count while somebody waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::Local;
use tidings_model::text;
use tidings_replica::{self as replica, Changed, Replica, SearchFilter, SourceId};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::app::{App, RenderContexts, lock};
use crate::error::{Error, Result};
use crate::ipc::{Place, SavedSearch, Suggestion};
use crate::query::suggest::{SuggestContext, name_typed, suggest};
use crate::query::{Query, local_midnight};
use crate::render::item::source_name;

/// Unread threads of a kept search are counted up to here.
const COUNTED: u64 = 100;
/// Between two counts.
const PACE: Duration = Duration::from_secs(1);
/// People that a name is completed to.
const MAX_PEOPLE: usize = 6;
/// Letters of a kept search's name, and of its query.
const LONGEST: (usize, usize) = (100, 2_000);

/// What a list is taken from: a place of the replica, and what is sought there.
pub(crate) struct ResolvedQuery {
    pub(crate) place: tidings_replica::Place,
    pub(crate) find: SearchFilter,
    /// What is marked where it is found.
    pub(crate) highlights: Vec<String>,
}

impl App {
    /// What a place and a query of the page mean.
    pub(crate) async fn resolve_query(&self, at: &Place, search: Option<&str>) -> Result<ResolvedQuery> {
        let mut queries = Vec::new();
        if let Place::Saved { id } = *at {
            let kept = self.disk(move |r| r.saved_search(id)).await?.ok_or(Error::NotFound)?;
            queries.push(Query::parse(&kept.query)?);
        }
        if let Some(text) = search.filter(|text| !text.trim().is_empty()) {
            queries.push(Query::parse(text)?);
        }
        let place = super::threads::place(at);
        if queries.is_empty() {
            return Ok(ResolvedQuery { place, find: SearchFilter::default(), highlights: Vec::new() });
        }
        let sources = self.sources_by_name().await?;
        let find = |query: &Query| query.find(&sources, local_midnight);
        Ok(ResolvedQuery {
            place,
            highlights: queries.iter().flat_map(Query::highlights).collect(),
            find: queries.iter().map(find).reduce(SearchFilter::and).unwrap_or_default(),
        })
    }

    /// Sources with the names that people see.
    async fn sources_by_name(&self) -> Result<Vec<(SourceId, String)>> {
        let lang = self.lang();
        self.disk(move |r| {
            let contexts = RenderContexts::load(r, lang)?;
            let named = |id| contexts.of(id).map(|ctx| (id, source_name(ctx.source, ctx.lang)));
            Ok(contexts.sources.iter().filter_map(|source| named(source.id)).collect())
        })
        .await
    }

    /// What could stand in a query next, at most six.
    pub async fn suggest(&self, query: String) -> Result<Vec<Suggestion>> {
        let sources: Vec<String> = self.sources_by_name().await?.into_iter().map(|(_, name)| name).collect();
        let lang = self.lang();
        let today = self.now().to_datetime().with_timezone(&Local).date_naive();
        self.disk(move |r| {
            let people = match name_typed(&query) {
                Some(name) => r.people(name, MAX_PEOPLE)?,
                None => Vec::new(),
            };
            Ok(suggest(&query, &SuggestContext { lang, sources: &sources, people: &people, today }))
        })
        .await
    }

    /// Keeps a search (id 0), or changes one that is kept; gives all of them.
    pub async fn save_search(&self, search: SavedSearch) -> Result<Vec<SavedSearch>> {
        let (name, query) = normalized(&search.name, &search.query)?;
        self.disk(move |r| r.save_search(replica::SavedSearch { id: search.id, name, query })).await?;
        self.searches_changed().await
    }

    /// Forgets a kept search; gives the others.
    pub async fn remove_search(&self, id: i64) -> Result<Vec<SavedSearch>> {
        self.disk(move |r| r.remove_search(id)).await?;
        self.searches_changed().await
    }

    /// Puts the kept searches in another order.
    pub async fn order_searches(&self, ids: Vec<i64>) -> Result<Vec<SavedSearch>> {
        self.disk(move |r| r.order_searches(&ids)).await?;
        self.searches_changed().await
    }

    /// What is counted is counted at once, so that the answer is whole: it was asked for by hand.
    pub(crate) async fn searches_changed(&self) -> Result<Vec<SavedSearch>> {
        self.count_searches().await?;
        self.inner.events.note(|dirty| dirty.numbers = true);
        self.saved_searches().await
    }

    /// The kept searches with the numbers counted last.
    pub(crate) async fn saved_searches(&self) -> Result<Vec<SavedSearch>> {
        let searches = self.disk(Replica::saved_searches).await?;
        let counts = lock(&self.inner.search_counts);
        let row = |search: replica::SavedSearch| SavedSearch {
            unread: counts.get(&search.id).copied().unwrap_or_default(),
            id: search.id,
            // They may have come with a backup or with somebody's settings.
            name: text::line(&search.name).into_owned(),
            query: text::line(&search.query).into_owned(),
        };
        Ok(searches.into_iter().map(row).collect())
    }

    /// Counts what the kept searches find; whether anything is another number than before.
    async fn count_searches(&self) -> Result<bool> {
        let searches = self.disk(Replica::saved_searches).await?;
        if searches.is_empty() && lock(&self.inner.search_counts).is_empty() {
            return Ok(false);
        }
        let sources = self.sources_by_name().await?;
        let counts: HashMap<i64, u64> = self
            .disk(move |r| {
                let mut counts = HashMap::new();
                for search in &searches {
                    if let Ok(query) = Query::parse(&search.query) {
                        let find = query.find(&sources, local_midnight);
                        counts.insert(search.id, r.unread_of(&find, COUNTED)?);
                    }
                }
                Ok(counts)
            })
            .await?;
        let mut known = lock(&self.inner.search_counts);
        let differs = *known != counts;
        *known = counts;
        Ok(differs)
    }

    /// Counts again after changes, at most once a second, and only while a page shows the numbers.
    pub(crate) async fn run_search_counts(self, mut changes: broadcast::Receiver<Arc<Changed>>) {
        loop {
            tokio::select! {
                change = changes.recv() => if matches!(change, Err(RecvError::Closed)) { return },
                () = self.inner.recount.notified() => {}
            }
            // Whatever came meanwhile is counted together.
            while matches!(changes.try_recv(), Ok(_) | Err(TryRecvError::Lagged(_))) {}
            if self.inner.events.has_listener() {
                match self.count_searches().await {
                    Ok(true) => self.inner.events.note(|dirty| dirty.numbers = true),
                    Ok(false) => {}
                    Err(error) => tracing::warn!(%error, "what the kept searches find could not be counted"),
                }
            }
            tokio::time::sleep(PACE).await;
        }
    }
}

/// Name and query of a search, as they are kept.
pub(super) fn normalized(name: &str, query: &str) -> Result<(String, String)> {
    let (name, query) = (name.trim().to_owned(), query.trim().to_owned());
    Query::parse(&query)?;
    let fits = name.chars().count() <= LONGEST.0 && query.chars().count() <= LONGEST.1;
    if query.is_empty() || !fits {
        return Err(invalid("a kept search has a query, and a name of at most 100 letters"));
    }
    let name = if name.is_empty() { query.chars().take(LONGEST.0).collect() } else { name };
    Ok((name, query))
}

fn invalid(why: &str) -> Error {
    Error::Replica(tidings_replica::Error::Invalid(why.to_owned()))
}
