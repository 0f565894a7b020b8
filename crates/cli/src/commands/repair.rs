//! `repair`: makes a new inbox of what can be read of a damaged one, and pulls every source again.

use std::sync::Arc;

use serde_json::json;
use tidings_app::socket::{self, Request};
use tidings_home::Home;
use tidings_model::{Clock, SystemClock};
use tidings_replica::{Replica, Salvage};
use tidings_sqlite::Replacement;

use super::pull;
use crate::{
    error::{Error, Result},
    inbox::{self, replica_file},
    output::{Output, Progress, warn},
};

/// Runs `tidings repair`.
pub(crate) async fn run(home: &Home, out: Output) -> Result<()> {
    inbox::prepare(home)?;
    if socket::ask(&home.socket(), &Request::Ping).await?.is_some() {
        return Err(Error::failed(
            "the app, or a command that pulls, is running on this data folder. Nothing was changed. Repair the inbox in \
             the app's window, or end it first",
        ));
    }
    let progress = Progress::begin(out, "checking the inbox");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let Some(why) = Replica::damage(home.dir(), &clock)? else {
        drop(progress);
        return out.print(&json!({ "repaired": false }), |to| {
            writeln!(to, "the inbox is not damaged; nothing was changed")
        });
    };
    progress.step("keeping what can be read");
    let Salvage { replacement, salvaged } = Replica::salvage(home.dir(), &clock)?;
    Replacement::put_in_place(&[replacement]).map_err(tidings_replica::Error::from)?;
    let before = format!("{}.before", replica_file(home).display());
    progress.step("fetching the rest");
    let failed = pull::after_repair(home).await?;
    drop(progress);
    let document = json!({
        "repaired": true, "damage": why, "sources": salvaged.sources, "items": salvaged.items,
        "lost_sources": salvaged.lost_sources, "lost": salvaged.lost, "failed": failed, "before": before,
    });
    out.print(&document, |to| {
        writeln!(
            to,
            "repaired: {} sources and {} notifications were kept",
            salvaged.sources, salvaged.items
        )?;
        writeln!(to, "the damaged inbox was kept as {before}")
    })?;
    match salvaged.lost {
        0 => {}
        1 => warn("one part of the damaged inbox could not be read"),
        parts => warn(&format!("{parts} parts of the damaged inbox could not be read")),
    }
    if salvaged.sources == 0 && salvaged.lost > 0 && salvaged.lost_sources.is_empty() {
        warn("no source could be read; add them again with `tidings source add`");
    }
    for name in &salvaged.lost_sources {
        warn(&format!("the source {name} could not be read; add it again with `tidings source add`"));
    }
    for (name, reason) in &failed {
        warn(&format!("{name}: {reason}. Its notifications are pulled again with the next pull"));
    }
    Ok(())
}
