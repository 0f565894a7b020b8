//! `pull`: sends the outbox and pulls every source, once, or with `--watch` until it is stopped. If the app is
//! running on the same data folder, the command asks it to pull instead.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::future::join_all;
use serde::Serialize;
use tidings_app::socket::{self, Request};
use tidings_home::Home;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_replica::{Replica, Skipped, Source};
use tidings_sync::tokens::{renew, valid_token};
use tidings_sync::{PullLimit, Report, SourceStatus, StoredTokens, Tokens, Trouble, pull_within};

use super::puller::Puller;
use super::serve::ShutdownSignals;
use crate::{
    args,
    error::{Error, Result},
    inbox,
    output::{Output, Progress, clean, warn},
};

/// The most msgids that a line names.
const MAX_NAMED: usize = 10;

#[derive(Default, Serialize)]
struct Pulled {
    sources: BTreeMap<String, Outcome>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Done {
        sent: u64,
        fetched: u64,
        arrived: u64,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        passed_by: Vec<PassedBy>,
    },
    Failed {
        error: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        passed_by: Vec<PassedBy>,
    },
}

/// An item that the pull went on without.
#[derive(Serialize)]
struct PassedBy {
    /// Its msgid; empty if it has none.
    msgid: String,
    why: &'static str,
}

/// Runs `tidings pull`.
pub(crate) async fn once(args: args::Pull, home: &Home, out: Output) -> Result<()> {
    inbox::prepare(home)?;
    let (begin, progress) = (SystemClock.now(), Progress::begin(out, "fetching"));
    if let Some(answer) = socket::ask(&home.socket(), &Request::Pull).await? {
        drop(progress);
        let replica = inbox::open(home)?;
        for row in replica.sources()? {
            warn_of_passed_by(inbox::source_name(&row), &passed_by(&replica, &row, begin)?);
        }
        answer.map_err(Error::Failed)?;
        return out
            .print(&serde_json::json!({ "asked": "app" }), |to| writeln!(to, "the running app pulled"));
    }
    let replica = inbox::open(home)?;
    let chosen = PullLimit::stored(&replica)?;
    let limit = PullLimit {
        bytes: args.max_size.unwrap_or(chosen.bytes),
        pages: args.max_pages.unwrap_or(chosen.pages),
        keep_free: args.keep_free,
    };
    let pulled = all(home, &replica, limit).await?;
    drop(progress);
    let failed: Vec<_> = pulled
        .sources
        .iter()
        .filter_map(|(name, outcome)| match outcome {
            Outcome::Failed { error, .. } => Some(format!("{name}: {error}")),
            Outcome::Done { .. } => None,
        })
        .collect();
    out.print(&pulled, |to| {
        if pulled.sources.is_empty() {
            writeln!(to, "there are no sources; add one with `tidings source add`")?;
        }
        for (name, outcome) in &pulled.sources {
            if let Outcome::Done { arrived, sent, .. } = outcome {
                writeln!(to, "{}: {arrived} new, {sent} sent", clean(name))?;
            }
        }
        Ok(())
    })?;
    for (name, outcome) in &pulled.sources {
        let (Outcome::Done { passed_by, .. } | Outcome::Failed { passed_by, .. }) = outcome;
        warn_of_passed_by(name, passed_by);
    }
    for line in &failed {
        warn(line);
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Reported) }
}

/// Pulls every source that is not paused.
async fn all(home: &Home, replica: &Replica, limit: PullLimit) -> Result<Pulled> {
    let (begin, tokens) = (SystemClock.now(), inbox::tokens(home, replica)?);
    let sources: Vec<_> =
        replica.sources()?.into_iter().filter(|s| !s.paused && s.protocol != "kept").collect();
    let outcomes = join_all(sources.iter().map(|row| async {
        let done = pull(replica, row, &tokens, limit).await;
        let passed_by = passed_by(replica, row, begin)?;
        let outcome = match done {
            Ok(Report { sent, fetched, arrived }) => Outcome::Done { sent, fetched, arrived, passed_by },
            Err(tidings_sync::Error::Replica(error)) if error.is_corrupt() => return Err(error.into()),
            Err(error) => Outcome::Failed { error: error.to_string(), passed_by },
        };
        Ok((inbox::source_name(row).to_owned(), outcome))
    }))
    .await;
    Ok(Pulled { sources: outcomes.into_iter().collect::<Result<_>>()? })
}

/// Pulls every source after a repair, and returns those that failed, each with the reason.
pub(super) async fn after_repair(home: &Home) -> Result<BTreeMap<String, String>> {
    let replica = inbox::open(home)?;
    let pulled = all(home, &replica, PullLimit::stored(&replica)?).await?;
    let failed = pulled.sources.into_iter().filter_map(|(name, outcome)| match outcome {
        Outcome::Failed { error, .. } => Some((name, error)),
        Outcome::Done { .. } => None,
    });
    Ok(failed.collect())
}

/// The items of a source that its pulls since a time went on without.
fn passed_by(replica: &Replica, row: &Source, since: Stamp) -> Result<Vec<PassedBy>> {
    let why = |malformed| if malformed { "malformed" } else { "too_large" };
    let skipped = replica.skipped_since(row.id, since)?;
    Ok(skipped.into_iter().map(|one| PassedBy { msgid: one.msgid.0, why: why(one.malformed) }).collect())
}

/// Says how many items of a source were passed by, and which.
fn warn_of_passed_by(source: &str, passed_by: &[PassedBy]) {
    for (why, what) in [("malformed", "could not be read"), ("too_large", "too large to keep")] {
        let of_this: Vec<&PassedBy> = passed_by.iter().filter(|one| one.why == why).collect();
        if of_this.is_empty() {
            continue;
        }
        let named: Vec<&str> = of_this
            .iter()
            .map(|one| one.msgid.as_str())
            .filter(|msgid| !msgid.is_empty())
            .take(MAX_NAMED)
            .collect();
        let more = if named.len() < of_this.len() { ", …" } else { "" };
        let names = if named.is_empty() { String::new() } else { format!(" ({}{more})", named.join(", ")) };
        let (items, most) =
            (of_this.len(), if of_this.len() < Skipped::MAX_RECORDED { "" } else { " or more" });
        let plural = if items == 1 { "item" } else { "items" };
        warn(&format!("{source}: {items}{most} {plural} skipped, {what}{names}. All others arrived"));
    }
}

async fn pull(
    replica: &Replica,
    row: &Source,
    tokens: &StoredTokens,
    limit: PullLimit,
) -> tidings_sync::Result<Report> {
    let (tokens, clock): (Arc<dyn Tokens>, Arc<dyn Clock>) =
        (Arc::new(tokens.clone()), Arc::new(SystemClock));
    let pull = async || {
        let (token, _) = valid_token(replica, &tokens, row, &clock).await?;
        let opened = tidings_sources::open(row, token.clone(), clock.clone())?;
        let report = pull_within(replica, row.id, opened, limit).await;
        Ok::<_, tidings_sync::Error>((report, token))
    };
    match pull().await? {
        (Err(tidings_sync::Error::Net(tidings_net::Error::SignIn)), refused)
            if renew(replica, &tokens, row, Some(&refused), &clock).await? =>
        {
            pull().await?.0
        }
        (report, _) => report,
    }
}

/// Runs `tidings pull --watch`.
pub(crate) async fn watch(home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let Some(puller) = Puller::start(home, &replica).await? else {
        return Err(Error::failed("the app, or another command that pulls, is already running"));
    };
    // Before the first line is printed: its reader may ask this process to end at once.
    let mut signals = ShutdownSignals::listen()?;
    let mut statuses = puller.engine.statuses();
    let mut shown = BTreeMap::new();
    loop {
        let now = statuses.borrow_and_update().clone();
        let is_damaged =
            |state: &SourceStatus| matches!(state, SourceStatus::Retrying { trouble: Trouble::Damaged, .. });
        if now.values().any(is_damaged) {
            puller.stop().await;
            return Err(Error::failed(tidings_sync::DAMAGED));
        }
        for (id, state) in now {
            if shown.insert(id, state) != Some(state)
                && let Ok(row) = replica.source(id)
            {
                out.print_line(&format!("{}: {}", inbox::source_name(&row), describe(state)))?;
            }
        }
        tokio::select! {
            () = signals.recv() => break,
            changed = statuses.changed() => if changed.is_err() { break },
        }
    }
    puller.stop().await;
    out.print(&serde_json::json!({}), |_| Ok(()))
}

fn describe(state: SourceStatus) -> String {
    match state {
        SourceStatus::Idle => "idle".to_owned(),
        SourceStatus::Paused => "paused".to_owned(),
        SourceStatus::Pulling { done, of: Some(of) } => format!("pulling {done}/{of}"),
        SourceStatus::Pulling { done: 0, of: None } => "pulling".to_owned(),
        SourceStatus::Pulling { done, of: None } => format!("pulling, {done} so far"),
        SourceStatus::Live => "live".to_owned(),
        SourceStatus::Retrying { at, trouble } => {
            let seconds = (at.as_secs() - SystemClock.now().as_secs()).max(0);
            format!("{trouble}; trying again in {seconds} s")
        }
        SourceStatus::NeedsSignIn { .. } => "sign-in needed".to_owned(),
    }
}
