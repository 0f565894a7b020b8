//! `mark` and `snooze`: marks in the replica, which the next pull sends to the server. Unknown msgids are reported
//! after the others are marked; with a msgid that may mean several notifications nothing is marked.

use serde_json::json;
use tidings_home::Home;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_replica::{Mark, Replica, Subscription, Targets, ThreadId};
use tidings_sources::keeps_subscriptions;

use crate::{
    args::{self, MarkArg, Which},
    error::{Error, Result},
    inbox,
    named::{self, Named},
    output::{Output, Progress, warn},
};

/// Runs `tidings mark`.
pub(crate) async fn mark(word: MarkArg, which: Which, home: &Home, out: Output) -> Result<()> {
    let mark = match word {
        MarkArg::Read => Mark::Read,
        MarkArg::Unread => Mark::Unread,
        MarkArg::Archive => Mark::Archive,
        MarkArg::Delete => Mark::Delete,
        MarkArg::Subscribe => Mark::Subscribe,
        MarkArg::Unsubscribe => Mark::Unsubscribe,
        MarkArg::Mute => Mark::Ignore,
    };
    let replica = inbox::open(home)?;
    if mark.is_of_subscription() {
        return put_subscription(&replica, which, mark, home, out).await;
    }
    if which.all {
        let progress = Progress::begin(out, "marking");
        let marked = replica.mark(Targets::All { source: None, kind: None, through: None }, mark)?;
        drop(progress);
        return report("items", marked.items, &[], home, out).await;
    }
    put_mark(&replica, which.msgids, mark, home, out).await
}

/// Runs `tidings snooze`.
pub(crate) async fn snooze(msgids: Vec<String>, until: &str, home: &Home, out: Output) -> Result<()> {
    let now = SystemClock.now();
    let until = time(until, now).ok_or_else(|| {
        Error::Usage(format!("`{until}` is not a time such as 2026-11-21T08:00:00Z, or 30m, 2h, 3d from now"))
    })?;
    if until <= now {
        return Err(Error::Usage("that time is in the past".to_owned()));
    }
    put_mark(&inbox::open(home)?, msgids, Mark::Snooze { until }, home, out).await
}

/// Changes the subscriptions of the threads of notifications.
async fn put_subscription(
    replica: &Replica,
    which: Which,
    mark: Mark,
    home: &Home,
    out: Output,
) -> Result<()> {
    if which.all || which.msgids.len() > Subscription::MAX_THREADS {
        let most = Subscription::MAX_THREADS;
        return Err(Error::Usage(format!("name msgids of the threads, at most {most}")));
    }
    let (threads, missing) = threads(replica, &which.msgids)?;
    for thread in replica.threads_by_id(&threads)? {
        let source = replica.source(thread.source)?;
        if !keeps_subscriptions(&source.protocol) {
            let name = inbox::source_name(&source);
            return Err(Error::failed(format!(
                "{name} has no subscriptions of threads; nothing was changed"
            )));
        }
    }
    let marked = replica.mark(Targets::Threads(threads), mark)?;
    report("items", marked.changed.threads.len() as u64, &missing, home, out).await
}

/// The threads of notifications, and the names of which there is none.
pub(super) fn threads(replica: &Replica, names: &[String]) -> Result<(Vec<ThreadId>, Vec<String>)> {
    let Named { items, missing } = named::find(replica, names)?;
    let mut threads: Vec<ThreadId> = items.iter().map(|item| item.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    Ok((threads, missing))
}

async fn put_mark(
    replica: &Replica,
    msgids: Vec<String>,
    mark: Mark,
    home: &Home,
    out: Output,
) -> Result<()> {
    let Named { items, missing } = named::find(replica, &msgids)?;
    let marked = replica.mark(Targets::Items(items.iter().map(|item| item.id).collect()), mark)?;
    report("items", marked.items, &missing, home, out).await
}

/// Says how many items or threads changed, and which names were of none.
pub(super) async fn report(
    what: &str,
    changed: u64,
    missing: &[String],
    home: &Home,
    out: Output,
) -> Result<()> {
    inbox::notify_app(home).await;
    out.print(&json!({ what: changed }), |to| writeln!(to, "{changed} changed"))?;
    for id in missing {
        warn(&format!("there is no notification `{id}`"));
    }
    if missing.is_empty() { Ok(()) } else { Err(Error::Reported) }
}

/// Parses an RFC 3339 time, or a duration from now in seconds, minutes, hours or days.
pub(super) fn time(text: &str, now: Stamp) -> Option<Stamp> {
    if let Ok(stamp) = text.parse() {
        return Some(stamp);
    }
    let secs = i64::try_from(args::parse_duration(text)?.as_secs()).ok()?;
    Some(now.plus_secs(secs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_out_or_counted_from_now() {
        let now: Stamp = "2026-11-20T06:00:00Z".parse().unwrap();
        let at = |text: &str| time(text, now).map(|t| t.to_string());
        assert_eq!(at("30m").as_deref(), Some("2026-11-20T06:30:00.000000Z"));
        assert_eq!(at("2h").as_deref(), Some("2026-11-20T08:00:00.000000Z"));
        assert_eq!(at("1d").as_deref(), Some("2026-11-21T06:00:00.000000Z"));
        assert_eq!(at("2026-11-21T08:00:00+02:00").as_deref(), Some("2026-11-21T06:00:00.000000Z"));
        for wrong in ["", "h", "tomorrow", "-2h", "2w", "2 h", "2日"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }
}
