//! `list` and `search`: read from the replica, without the network.

use tidings_app::home::Home;
use tidings_app::query::{Query, local_midnight};
use tidings_model::Lang;
use tidings_replica::{Item, ItemFilter, Replica};

use crate::{
    args::List,
    error::{Error, Result},
    inbox::{self, SourceNames},
    output::Output,
    text,
};

/// Runs `tidings list`.
pub(crate) fn list(args: List, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let List { unread, kind, thread, limit } = args;
    let filter = ItemFilter { unread, kind, thread, ..ItemFilter::default() };
    let items = replica.items(&filter, limit as usize)?;
    print(&replica, &items, out)
}

/// Runs `tidings search`.
pub(crate) fn search(words: &str, limit: u32, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let query = Query::parse(words).map_err(|error| Error::Usage(error.text(Lang::En)))?;
    let sources: Vec<_> =
        replica.sources()?.iter().map(|source| (source.id, inbox::source_name(source).to_owned())).collect();
    let items = replica.search(&query.filter(&sources, local_midnight), limit as usize)?;
    print(&replica, &items, out)
}

fn print(replica: &Replica, items: &[Item], out: Output) -> Result<()> {
    let names = SourceNames::of(replica)?;
    let shown: Vec<_> = items.iter().map(|item| names.exported_item(item)).collect();
    let mut speaker = text::LineFormatter::new(replica);
    out.print(&shown, |to| {
        for item in items {
            writeln!(to, "{}", speaker.line(item))?;
        }
        Ok(())
    })
}
