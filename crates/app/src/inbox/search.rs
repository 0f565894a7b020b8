//! Searches: resolves queries to filters of the replica, suggests terms, and keeps saved searches.

mod counts;

use std::sync::Arc;

use chrono::Local;
use tidings_ipc::{BulkTarget, Correction, Place, SavedSearch, Suggestion};
use tidings_model::{Stamp, text};
use tidings_query::suggest::{SuggestContext, suggest, typed_name, typed_value};
use tidings_query::{Key, NamedSource, Query, begins, local_midnight};
use tidings_render::item::source_name;
use tidings_replica::{self as replica, Replica, RuleField, RuleValue, SearchFilter};

use super::conversation::invalid;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::state::search_counts::SearchCounts;

/// The most people that are suggested.
const MAX_PEOPLE: usize = 6;
/// The most actions, tags and origins that are suggested.
const MAX_VALUES: usize = 6;
/// The most targets among which origins are looked for.
const MAX_TARGETS: usize = 200;
/// The most characters of a saved search's name.
const MAX_NAME_CHARS: usize = 100;
/// The most characters of a query, also of one that is saved.
pub(crate) const MAX_QUERY_CHARS: usize = 2_000;

/// A place and a query of the page, as the replica takes them.
pub(crate) struct ResolvedQuery {
    pub(crate) place: tidings_replica::Place,
    pub(crate) filter: SearchFilter,
    /// The terms to highlight in the rows.
    pub(crate) highlights: Vec<String>,
}

part! {
    /// The searches: resolves them, and keeps those that are saved with their counts.
    pub(crate) struct Searches {
        context: Arc<Context>;
        counts: SearchCounts = SearchCounts::default(),
    }
}

impl Searches {
    /// Resolves a place and a query of the page; a saved search and a query must both match.
    pub(crate) async fn resolve_query(&self, place: &Place, search: Option<&str>) -> Result<ResolvedQuery> {
        let mut queries = Vec::new();
        if let Place::Saved { id } = *place {
            let saved = self.context.disk(move |r| r.saved_search(id)).await?.ok_or(Error::NotFound)?;
            queries.push(Query::parse(&saved.query)?);
        }
        if let Some(text) = search.filter(|text| !text.trim().is_empty()) {
            queries.push(parsed(text)?);
        }
        let place = replica_place(place);
        if queries.is_empty() {
            return Ok(ResolvedQuery { place, filter: SearchFilter::default(), highlights: Vec::new() });
        }
        let sources = self.named_sources().await?;
        let filter = |query: &Query| query.filter(&sources, local_midnight);
        Ok(ResolvedQuery {
            place,
            highlights: queries.iter().flat_map(Query::highlights).collect(),
            filter: queries.iter().map(filter).reduce(SearchFilter::and).unwrap_or_default(),
        })
    }

    /// The sources with the names that the reader sees.
    pub(super) async fn named_sources(&self) -> Result<Vec<NamedSource>> {
        let lang = self.context.lang();
        self.context
            .disk(move |r| {
                let named = |row: replica::Source| NamedSource {
                    id: row.id,
                    name: source_name(&row, lang),
                    protocol: row.protocol,
                };
                Ok(r.sources()?.into_iter().map(named).collect())
            })
            .await
    }

    /// Queries that may have been meant by one that finds nothing in its list.
    pub(crate) async fn corrections(&self, target: &BulkTarget) -> Result<Vec<Correction>> {
        let typed = target.search.as_deref().unwrap_or_default();
        let query = parsed(typed)?;
        let of_place = self.resolve_query(&target.place, None).await?;
        let sources = self.named_sources().await?;
        let (place, place_only) = (of_place.place, target.within);
        self.context
            .disk(move |r| {
                let total = |query: &Query| {
                    let filter = of_place.filter.clone().and(query.filter(&sources, local_midnight));
                    let top =
                        replica::ThreadQuery { place_only, filter, ..replica::ThreadQuery::top(place, 1) };
                    Ok(r.threads(&top)?.total)
                };
                let corrections = query.corrections(r, &total)?;
                let shown = |one: tidings_query::Correction| Correction {
                    query: text::line(one.query.to_string().trim_end()).into_owned(),
                    threads: one.total,
                };
                Ok(corrections.into_iter().map(shown).collect())
            })
            .await
    }

    /// Terms that the query may go on with and that find something, at most six.
    pub(crate) async fn suggest(&self, query: String) -> Result<Vec<Suggestion>> {
        if query.chars().count() > MAX_QUERY_CHARS {
            return Ok(Vec::new());
        }
        let named = self.named_sources().await?;
        let sources = suggested_sources(&named);
        let lang = self.context.lang();
        let day = |at: Stamp| at.to_datetime().with_timezone(&Local).date_naive();
        let today = day(self.context.now());
        self.context
            .disk(move |r| {
                let oldest = r.oldest()?.map(day);
                let people = match typed_name(&query) {
                    Some(name) => r.people(name, MAX_PEOPLE)?,
                    None => Vec::new(),
                };
                let reasons = match typed_value(&query, Key::Reason) {
                    Some(typed) => r.actions(typed, MAX_VALUES)?,
                    None => Vec::new(),
                };
                let tags: Vec<String> = match typed_value(&query, Key::Tag) {
                    Some(typed) => values(r.rule_values(RuleField::Tag, typed, MAX_VALUES)?),
                    None => Vec::new(),
                };
                let origins = match typed_value(&query, Key::In) {
                    Some(typed) => origins(r.rule_values(RuleField::Target, typed, MAX_TARGETS)?),
                    None => Vec::new(),
                };
                let (sources, people, reasons) = (&sources, &people, &reasons);
                let (tags, origins) = (&tags, &origins);
                let finds = &|query: &Query| r.finds(&query.filter(&named, local_midnight));
                let context =
                    SuggestContext { lang, sources, reasons, tags, origins, people, today, oldest, finds };
                suggest(&query, &context)
            })
            .await
    }

    /// Saves a new search (id 0) or changes one; returns all saved searches.
    pub(crate) async fn save_search(&self, search: SavedSearch) -> Result<Vec<SavedSearch>> {
        let (name, query) = normalized(&search.name, &search.query)?;
        self.context
            .disk(move |r| r.save_search(replica::SavedSearch { id: search.id, name, query }))
            .await?;
        self.searches_changed().await
    }

    /// Removes a saved search; returns the others.
    pub(crate) async fn remove_search(&self, id: i64) -> Result<Vec<SavedSearch>> {
        self.context.disk(move |r| r.remove_search(id)).await?;
        self.searches_changed().await
    }

    /// Puts the saved searches into the given order; returns them.
    pub(crate) async fn order_searches(&self, ids: Vec<i64>) -> Result<Vec<SavedSearch>> {
        self.context.disk(move |r| r.order_searches(&ids)).await?;
        self.searches_changed().await
    }

    /// Counts the saved searches at once, since the reader changed them and sees the result; returns them.
    pub(crate) async fn searches_changed(&self) -> Result<Vec<SavedSearch>> {
        self.count_searches().await?;
        self.context.events.update(|dirty| dirty.counts = true);
        self.saved_searches().await
    }

    /// The saved searches with their counts.
    pub(crate) async fn saved_searches(&self) -> Result<Vec<SavedSearch>> {
        let searches = self.context.disk(Replica::saved_searches).await?;
        let row = |search: replica::SavedSearch| {
            let found = self.counts.unread(search.id);
            SavedSearch {
                id: search.id,
                // They may come from a backup or from an imported settings file.
                name: text::line(&search.name).into_owned(),
                query: text::line(&search.query).into_owned(),
                unread: found.counted,
                quiet: found.quiet,
            }
        };
        Ok(searches.into_iter().map(row).collect())
    }
}

fn values(all: Vec<RuleValue>) -> Vec<String> {
    all.into_iter().map(|one| one.value).collect()
}

/// The topics, applications and repositories among targets, each with its title.
fn origins(targets: Vec<RuleValue>) -> Vec<(String, String)> {
    let origin = |RuleValue { value, name }: RuleValue| match value.split_once(':') {
        Some(("topic" | "application", id)) => Some((id.to_owned(), name)),
        Some(_) => None,
        None => Some((value, String::new())),
    };
    targets.into_iter().filter_map(origin).take(MAX_VALUES).collect()
}

/// The names of sources, and the protocols that none of them begins with, since `source:` takes both. The protocol of
/// Tidings servers is left out.
fn suggested_sources(sources: &[NamedSource]) -> Vec<String> {
    let mut names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    for NamedSource { protocol, .. } in sources {
        let is_named = names.iter().any(|name| begins(name, protocol));
        if !is_named && tidings_sources::protocol(protocol).is_ok_and(|known| known.name != "tidings") {
            names.push(protocol.clone());
        }
    }
    names
}

/// Name and query of a search, trimmed; the name defaults to the query.
pub(crate) fn normalized(name: &str, query: &str) -> Result<(String, String)> {
    let (name, query) = (name.trim().to_owned(), query.trim().to_owned());
    Query::parse(&query)?;
    let fits = name.chars().count() <= MAX_NAME_CHARS && query.chars().count() <= MAX_QUERY_CHARS;
    if query.is_empty() || !fits {
        return Err(invalid("a kept search has a query, and a name of at most 100 letters"));
    }
    let name = if name.is_empty() { query.chars().take(MAX_NAME_CHARS).collect() } else { name };
    Ok((name, query))
}

/// A query that the reader typed, if it is not too long.
fn parsed(typed: &str) -> Result<Query> {
    if typed.chars().count() > MAX_QUERY_CHARS {
        return Err(invalid("a query has at most 2,000 letters"));
    }
    Ok(Query::parse(typed)?)
}

/// The replica's place for a place of the page; a saved search takes `Inbox`, on which a filter searches everywhere.
const fn replica_place(place: &Place) -> tidings_replica::Place {
    match place {
        Place::Inbox | Place::Saved { .. } => tidings_replica::Place::Inbox,
        Place::Unread => tidings_replica::Place::Unread,
        Place::Pinned => tidings_replica::Place::Pinned,
        Place::Snoozed => tidings_replica::Place::Snoozed,
        Place::Done => tidings_replica::Place::Done,
        Place::Kind { kind } => tidings_replica::Place::Kind(*kind),
        Place::Source { source } => tidings_replica::Place::Source(*source),
    }
}
