//! `pull`: sends the outbox and pulls every source, once, or with `--watch` until it is stopped. If the app is
//! running on the same data folder, the command asks it to pull instead.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::future::join_all;
use serde::Serialize;
use tidings_app::{
    home::Home,
    socket::{self, Request},
};
use tidings_model::{Clock, SystemClock};
use tidings_replica::{Replica, Source};
use tidings_sync::tokens::{renew, valid_token};
use tidings_sync::{Report, SourceStatus, StoredTokens, Tokens, pull_once, source};

use super::puller::Puller;
use super::serve::ShutdownSignals;
use crate::{
    error::{Error, Result},
    inbox,
    output::{Output, clean, warn},
};

#[derive(Default, Serialize)]
struct Pulled {
    sources: BTreeMap<String, Outcome>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Done { sent: u64, fetched: u64, arrived: u64 },
    Failed { error: String },
}

/// Runs `tidings pull`.
pub(crate) async fn once(home: &Home, out: Output) -> Result<()> {
    inbox::prepare(home)?;
    if let Some(answer) = socket::ask(&home.socket(), &Request::Pull).await? {
        return print_app_answer(answer, out);
    }
    let replica = inbox::open(home)?;
    let tokens = inbox::tokens(home, &replica)?;
    let sources: Vec<_> =
        replica.sources()?.into_iter().filter(|s| !s.paused && s.protocol != "kept").collect();
    let outcomes = join_all(sources.iter().map(|row| async {
        let outcome = match pull(&replica, row, &tokens).await {
            Ok(Report { sent, fetched, arrived }) => Outcome::Done { sent, fetched, arrived },
            Err(error) => Outcome::Failed { error: error.to_string() },
        };
        (inbox::source_name(row).to_owned(), outcome)
    }))
    .await;
    let pulled = Pulled { sources: outcomes.into_iter().collect() };
    let failed: Vec<_> = pulled
        .sources
        .iter()
        .filter_map(|(name, outcome)| match outcome {
            Outcome::Failed { error } => Some(format!("{name}: {error}")),
            Outcome::Done { .. } => None,
        })
        .collect();
    out.print(&pulled, |to| {
        if pulled.sources.is_empty() {
            writeln!(to, "there are no sources; `tidings source add` adds one")?;
        }
        for (name, outcome) in &pulled.sources {
            if let Outcome::Done { arrived, sent, .. } = outcome {
                writeln!(to, "{}: {arrived} new, {sent} sent", clean(name))?;
            }
        }
        Ok(())
    })?;
    for line in &failed {
        warn(line);
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Reported) }
}

async fn pull(replica: &Replica, row: &Source, tokens: &StoredTokens) -> tidings_sync::Result<Report> {
    let (tokens, clock): (Arc<dyn Tokens>, Arc<dyn Clock>) =
        (Arc::new(tokens.clone()), Arc::new(SystemClock));
    let pull = async || {
        let (token, _) = valid_token(replica, &tokens, row, &clock).await?;
        let report = pull_once(replica, row.id, source::open(row, token.clone(), clock.clone())?).await;
        Ok::<_, tidings_sync::Error>((report, token))
    };
    match pull().await? {
        (Err(tidings_sync::Error::SignIn), refused)
            if renew(replica, &tokens, row, Some(&refused), &clock).await? =>
        {
            pull().await?.0
        }
        (report, _) => report,
    }
}

fn print_app_answer(answer: Result<(), String>, out: Output) -> Result<()> {
    match answer {
        Ok(()) => {
            out.print(&serde_json::json!({ "asked": "app" }), |to| writeln!(to, "the running app pulled"))
        }
        Err(reason) => Err(Error::failed(reason)),
    }
}

/// Runs `tidings pull --watch`.
pub(crate) async fn watch(home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    let Some(puller) = Puller::start(home, &replica).await? else {
        return Err(Error::failed("the app, or another command that pulls, is running and pulls already"));
    };
    // Before the first line is printed: its reader may ask this process to end at once.
    let mut signals = ShutdownSignals::listen()?;
    let mut statuses = puller.engine.statuses();
    let mut shown = BTreeMap::new();
    loop {
        let now = statuses.borrow_and_update().clone();
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
