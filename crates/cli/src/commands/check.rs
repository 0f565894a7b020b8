//! `check`: verifies both databases and recounts every counter. It creates no missing database and repairs nothing.

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use tidings_app::{
    age_hold,
    socket::{self, Request},
};
use tidings_home::Home;
use tidings_model::SystemClock;
use tidings_replica::Replica;
use tidings_sandbox::marks::{self, Marks, PassedBy};
use tidings_server::{Server, ServerConfig, mend_clock::mend_clock, served::is_served};
use tidings_sqlite::is_present;
use tidings_sync::outgoing_files;

use crate::{
    args::Store,
    error::{Error, Result},
    inbox::{replica_file, server_file, source_name},
    output::{Output, Progress, clean, warn},
};

/// Names of the databases.
const SERVER: &str = "server";
const INBOX: &str = "inbox";

/// The result: one line for each difference, by database; `None` for a database that does not exist.
#[derive(Serialize)]
struct CheckResult {
    server: Option<Vec<String>>,
    replica: Option<Vec<String>>,
    /// How many stamps in the future were mended; left out unless that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    mended: Option<u64>,
    /// What deletes nothing by age for now, because the clock jumped ahead; left out if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    held: Vec<HeldDatabase>,
    /// What is passed by; left out if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed_by: Vec<Input>,
    /// Whether the replica's file is damaged.
    #[serde(skip)]
    is_damaged: bool,
}

/// A database from which nothing is deleted by age for now.
#[derive(Serialize)]
struct HeldDatabase {
    /// `server` or `inbox`.
    of: &'static str,
    /// Hours of running until it ends.
    hours_left: u64,
}

impl HeldDatabase {
    fn of(of: &'static str, left: Duration) -> Option<Self> {
        (!left.is_zero()).then(|| Self { of, hours_left: left.as_secs().div_ceil(3_600) })
    }
}

/// An input that is passed by, because a process ended or a parser failed at it.
#[derive(Serialize)]
struct Input {
    /// Names it in `tidings source retry`.
    id: String,
    kind: marks::Kind,
    /// The name of its source, its topic, or the name of the file.
    of: String,
}

/// The inputs that are passed by. If nothing was ever read, no folder is made.
fn passed_by(home: &Home, replica: Option<&Replica>) -> Result<Vec<Input>> {
    if !home.dir().join(marks::FOLDER).is_dir() {
        return Ok(Vec::new());
    }
    let marks = Marks::open(home.dir(), env!("CARGO_PKG_VERSION"))?;
    let sources = replica.map(Replica::sources).transpose()?.unwrap_or_default();
    let named = |of: String| {
        let source = sources.iter().find(|source| source.id.to_string() == of);
        source.map_or(of, |source| source_name(source).to_owned())
    };
    let inputs = marks.passed_by().into_iter();
    Ok(inputs.map(|PassedBy { id, kind, of, .. }| Input { id, kind, of: named(of) }).collect())
}

/// The differences of the replica, and whether its file is damaged.
fn check_replica(replica: Result<Replica>) -> Result<(Vec<String>, bool)> {
    let checked = replica.and_then(|replica| {
        let found = replica.check()?;
        let is_damaged = found.iter().any(|difference| difference.what == tidings_replica::FILE);
        let mut differences: Vec<String> = found.iter().map(ToString::to_string).collect();
        differences.extend(outgoing_files::missing(&replica)?);
        Ok((differences, is_damaged))
    });
    match checked {
        Err(error) if error.is_damage() => Ok((vec![error.to_string()], true)),
        checked => checked,
    }
}

/// Mends the server's stamps. The app would go on with what it has in memory.
async fn mend(config: &ServerConfig, home: &Home) -> Result<u64> {
    if config.store.is_local() && socket::ask(&home.socket(), &Request::Changed).await?.is_some() {
        return Err(Error::failed(
            "the app is running on this data folder: quit it first; nothing has changed",
        ));
    }
    config.check()?;
    Ok(mend_clock(&config.store, &config.data_dir, Arc::new(SystemClock)).await?)
}

/// What is said of stamps that are ahead of the clock.
fn ahead_line(ahead: Duration) -> String {
    let hours = ahead.as_secs().div_ceil(3_600);
    format!(
        "the newest stamp is {hours} hours ahead of the clock, and later notifications follow it: check the clock of this \
         machine; if it is right, stop the server and run `tidings check --mend-clock`"
    )
}

/// Runs `tidings check`.
pub(crate) async fn run(mends_clock: bool, store: Store, home: &Home, out: Output) -> Result<()> {
    let config = store.config(home)?;
    let progress = Progress::begin(out, "checking the server");
    let mended = if mends_clock { Some(mend(&config, home).await?) } else { None };
    let mut held = Vec::new();
    let server = if !config.store.is_local() || is_present(&server_file(home)) {
        let is_served = is_served(&config.store, &config.data_dir).await?;
        let server = Server::open(config, Arc::new(SystemClock)).await?;
        // What the next start would find is no news of a server that runs, however long nothing was published.
        let left = if is_served { server.stored_age_hold().await? } else { server.age_hold().await };
        held.extend(HeldDatabase::of(SERVER, left));
        let mut found: Vec<String> = server.check().await?.iter().map(ToString::to_string).collect();
        found.extend(server.stamps_ahead().await?.map(ahead_line));
        Some(found)
    } else {
        None
    };
    progress.step("checking the inbox");
    let opened = is_present(&replica_file(home))
        .then(|| Replica::open(home.dir(), Arc::new(SystemClock)).map_err(Error::from));
    // If the replica can't be read, the inputs are named by the ids of their sources.
    let named_by = opened.as_ref().and_then(|opened| opened.as_ref().ok());
    let passed_by = passed_by(home, named_by.filter(|replica| replica.sources().is_ok()))?;
    // What can't be read is reported below.
    let left = opened.as_ref().and_then(|opened| age_hold::left(opened.as_ref().ok()?).ok());
    held.extend(left.and_then(|left| HeldDatabase::of(INBOX, left)));
    let mut is_damaged = false;
    let replica = if let Some(opened) = opened {
        let (differences, damaged) = check_replica(opened)?;
        is_damaged = damaged;
        Some(differences)
    } else {
        None
    };
    drop(progress);
    let checked = CheckResult { server, replica, mended, held, passed_by, is_damaged };
    let parts = [(SERVER, &checked.server), (INBOX, &checked.replica)];
    out.print(&checked, |to| {
        match checked.mended {
            None => {}
            Some(0) => writeln!(to, "{SERVER}: no stamp is more than an hour ahead of the clock; nothing was corrected")?,
            Some(stamps) => writeln!(
                to,
                "{SERVER}: {stamps} stamps in the future were corrected; every client pulls from the beginning"
            )?,
        }
        for (name, differences) in parts {
            match differences {
                None => writeln!(to, "{name}: none here")?,
                Some(none) if none.is_empty() => writeln!(to, "{name}: all is well")?,
                Some(differences) => {
                    for difference in differences {
                        writeln!(to, "{name}: {}", clean(difference))?;
                    }
                }
            }
        }
        for HeldDatabase { of, hours_left } in &checked.held {
            writeln!(
                to,
                "{of}: the clock jumped ahead by more than 7 days, so nothing is deleted by age for {hours_left} more \
                 hours of running; look at the clock, or end the wait with `tidings serve --retain-now`"
            )?;
        }
        for Input { id, of, .. } in &checked.passed_by {
            writeln!(
                to,
                "skipped: {}: what it sent could not be read. To try again, run `tidings source retry {id}`",
                clean(of)
            )?;
        }
        Ok(())
    })?;
    let consistent = parts.iter().all(|(_, differences)| differences.as_ref().is_none_or(Vec::is_empty));
    if checked.is_damaged {
        warn(tidings_sync::DAMAGED);
    }
    if consistent { Ok(()) } else { Err(Error::Reported) }
}
