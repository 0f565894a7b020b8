//! `list` and `search`: read from the replica, without the network.

use tidings_home::Home;
use tidings_model::Lang;
use tidings_query::{NamedSource, Query, local_midnight};
use tidings_replica::{Item, ItemFilter, Replica, SearchFilter, Source};

use crate::{
    args::List,
    error::{Error, Result},
    inbox::{self, SourceNames},
    output::{Output, warn},
    text,
};

/// The number up to which the items of a suggested query are counted.
const MAX_COUNTED: usize = 100;

/// Runs `tidings list`.
pub(crate) fn list(args: List, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let List { unread, inbox, kind, thread, limit } = args;
    let filter = ItemFilter { unread, inbox, kind, thread, ..ItemFilter::default() };
    let items = replica.items(&filter, limit as usize)?;
    print(&replica, &items, out)
}

/// Runs `tidings search`.
pub(crate) fn search(words: &str, limit: u32, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let query = parse(words)?;
    let sources = named_sources(&replica)?;
    let items = replica.search(&query.filter(&sources, local_midnight), limit as usize)?;
    print(&replica, &items, out)?;
    if items.is_empty() {
        suggest(&replica, &query, &|query| query.filter(&sources, local_midnight))?;
    }
    Ok(())
}

/// What a search finds, newest first.
pub(super) fn found(replica: &Replica, words: &str, limit: usize) -> Result<Vec<Item>> {
    let filter = parse(words)?.filter(&named_sources(replica)?, local_midnight);
    Ok(replica.search(&filter, limit)?)
}

fn parse(words: &str) -> Result<Query> {
    Query::parse(words).map_err(|error| Error::Usage(error.text(Lang::En)))
}

fn named_sources(replica: &Replica) -> Result<Vec<NamedSource>> {
    let named = |source: Source| NamedSource {
        id: source.id,
        name: inbox::source_name(&source).to_owned(),
        protocol: source.protocol,
    };
    Ok(replica.sources()?.into_iter().map(named).collect())
}

/// Names queries that may have been meant by one that found nothing, on standard error.
fn suggest(replica: &Replica, query: &Query, filter: &dyn Fn(&Query) -> SearchFilter) -> Result<()> {
    let total = |query: &Query| {
        let found = replica.search(&filter(query), MAX_COUNTED)?;
        Ok(found.len().try_into().unwrap_or(u64::MAX))
    };
    for correction in query.corrections(replica, &total)? {
        let more = if correction.total >= MAX_COUNTED as u64 { "+" } else { "" };
        warn(&format!(
            "did you mean: {} ({}{more})",
            correction.query.to_string().trim_end(),
            correction.total
        ));
    }
    Ok(())
}

fn print(replica: &Replica, items: &[Item], out: Output) -> Result<()> {
    let names = SourceNames::of(replica)?;
    let shown: Vec<_> = items.iter().map(|item| names.exported_item(item)).collect();
    let mut speaker = text::LineFormatter::of(replica, items)?;
    out.print(&shown, |to| {
        for item in items {
            writeln!(to, "{}", speaker.line(item))?;
        }
        Ok(())
    })
}
