//! `unread`: the numbers of unread notifications, and of those that are counted on the badge, from the replica.

use std::collections::BTreeMap;

use serde::Serialize;
use tidings_app::notify::tray::unread_text;
use tidings_home::Home;
use tidings_ipc::UnreadCount;
use tidings_model::Lang;
use tidings_replica::{Counts, Replica, Source, SourceCounts};

use crate::{
    error::Result,
    inbox,
    output::{Output, clean},
};

/// The unread notifications; `counted` has the same numbers of those that are counted on the badge.
#[derive(Serialize)]
pub(super) struct Unread {
    #[serde(flatten)]
    unread: Numbers,
    counted: Numbers,
}

#[derive(Serialize)]
struct Numbers {
    total: u64,
    announcement: u64,
    reminder: u64,
    message: u64,
    sources: BTreeMap<String, u64>,
}

/// Runs `tidings unread`.
pub(crate) fn run(home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let both = numbers(&replica)?;
    out.print(&both, |to| {
        let Unread { unread, counted } = &both;
        let line = |of: fn(&Numbers) -> u64| text(of(unread), of(counted));
        writeln!(to, "{}", line(|n| n.total))?;
        writeln!(to, "  announcements: {}", line(|n| n.announcement))?;
        writeln!(to, "  reminders: {}", line(|n| n.reminder))?;
        writeln!(to, "  messages: {}", line(|n| n.message))?;
        for ((name, unread), counted) in unread.sources.iter().zip(counted.sources.values()) {
            writeln!(to, "{}: {}", clean(name), text(*unread, *counted))?;
        }
        Ok(())
    })
}

/// The numbers of an inbox.
pub(super) fn numbers(replica: &Replica) -> Result<Unread> {
    Ok(Unread::of(&replica.counts()?, &replica.sources()?))
}

fn text(unread: u64, counted: u64) -> String {
    unread_text(Lang::En, UnreadCount { unread, counted })
}

impl Unread {
    fn of(counts: &Counts, sources: &[Source]) -> Self {
        let by_source = |of: fn(&SourceCounts) -> u64| {
            let number =
                |source: &Source| counts.sources.iter().find(|n| n.source == source.id).map_or(0, of);
            sources.iter().map(|source| (inbox::source_name(source).to_owned(), number(source))).collect()
        };
        let by_kind = counts.badge_by_kind;
        Self {
            unread: Numbers {
                total: counts.total,
                announcement: counts.announcement,
                reminder: counts.reminder,
                message: counts.message,
                sources: by_source(|n| n.unread),
            },
            counted: Numbers {
                total: counts.badge,
                announcement: by_kind.announcement,
                reminder: by_kind.reminder,
                message: by_kind.message,
                sources: by_source(|n| n.badge),
            },
        }
    }
}
