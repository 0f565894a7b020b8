//! Shows one toast for a source that was out of reach for a quarter of an hour: its notifications are missing, and
//! nothing else shows that.
//!
//! Sources that fail together share a toast, as those of one service do.
//!
//! Only time in which the program runs is counted, so that a restart, sleep or a wrong clock makes no toast. Nor is a
//! computer without a network the fault of its sources. An outage that lasts over a restart is told once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tidings_model::{Priority, Stamp};
use tidings_render::item::source_name;
use tidings_replica::{NotifyLevel, Replica, Source, SourceId};
use tidings_strings::desktop::desktop_strings;
use tidings_strings::strings;
use tidings_sync::{Engine, SourceStatus, SourceStatuses, Trouble};
use tidings_toasts::policy::ToastContext;
use tokio::time::{Instant, sleep_until};

use super::toasts::Toasts;
use crate::context::{Context, part};
use crate::error::Result;

/// How long a source is out of reach before it has a toast.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// A look that comes later than this was delayed by sleep. Outages that are due within this time join those that are
/// due now.
const MAX_DELAY: Duration = Duration::from_secs(60);
/// The time after which toasts that a silence held back are tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(60);

/// The state of a service, by the status of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contact {
    Reached,
    Lost(Trouble),
    /// The computer has no network or cannot store anything.
    NotAtFault,
    /// A try is under way, or the service asked for a pause.
    Unknown,
}

impl Contact {
    fn of(status: SourceStatus) -> Self {
        match status {
            SourceStatus::Idle
            | SourceStatus::Live
            | SourceStatus::Paused
            | SourceStatus::Retrying { trouble: Trouble::PullEnded(_), .. } => Self::Reached,
            SourceStatus::Pulling { done, .. } if done > 0 => Self::Reached,
            SourceStatus::Pulling { .. } | SourceStatus::Retrying { trouble: Trouble::Waiting(_), .. } => {
                Self::Unknown
            }
            SourceStatus::NeedsSignIn { .. } => Self::Lost(Trouble::SignIn),
            SourceStatus::Retrying { trouble, .. } if trouble.is_local() => Self::NotAtFault,
            SourceStatus::Retrying { trouble, .. } => Self::Lost(trouble),
        }
    }
}

/// The key of the setting that keeps what was told.
const KEY: &str = "told_outages";

/// The sources whose outages were told, each with its last pull at that time. An outage after the same pull is the same
/// one.
type ReportedOutages = BTreeMap<SourceId, Option<Stamp>>;

/// The sources that are out of reach.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    lost: BTreeMap<SourceId, Outage>,
    told: ReportedOutages,
}

#[derive(Debug)]
struct Outage {
    trouble: Trouble,
    /// When it gets its toast; `None` after that.
    due: Option<Instant>,
}

impl Outages {
    /// Takes over what the statuses say.
    pub(crate) fn update(&mut self, statuses: &SourceStatuses, now: Instant) {
        self.lost.retain(|source, _| statuses.contains_key(source));
        for (source, status) in statuses {
            match Contact::of(*status) {
                // Before its first try a source counts as reached, which ends no outage of an earlier run.
                Contact::Reached => {
                    if self.lost.remove(source).is_some() {
                        self.told.remove(source);
                    }
                }
                Contact::Lost(trouble) => {
                    let new = || Outage { trouble, due: Some(now + PATIENCE) };
                    self.lost.entry(*source).or_insert_with(new).trouble = trouble;
                }
                // An outage has one toast, whatever comes between.
                Contact::NotAtFault => {
                    self.lost.retain(|other, outage| other != source || outage.due.is_none());
                }
                Contact::Unknown => {}
            }
        }
    }

    /// When the next outage gets its toast.
    fn next_due(&self) -> Option<Instant> {
        self.lost.values().filter_map(|outage| outage.due).min()
    }

    /// The outages that are due and that no silence holds back. They count as shown from now on. The wait begins anew
    /// for those that came due in a sleep.
    fn take_due(&mut self, now: Instant, context: &ToastContext) -> Vec<(SourceId, Trouble)> {
        let mut all = Vec::new();
        if self.next_due().is_none_or(|due| due > now) {
            return all;
        }
        for (source, outage) in &mut self.lost {
            let Some(due) = outage.due.filter(|due| *due <= now + MAX_DELAY) else { continue };
            outage.due = if now > due + MAX_DELAY {
                Some(now + PATIENCE)
            } else if !context.allows(*source, "", Priority::DEFAULT.get()) {
                Some(now + RETRY_INTERVAL)
            } else {
                all.push((*source, outage.trouble));
                None
            };
        }
        all
    }
}

part! {
    /// Tells outages with toasts.
    pub(crate) struct OutageToasts {
        context: Arc<Context>,
        toasts: Arc<Toasts>,
    }
}

impl OutageToasts {
    /// Shows toasts for outages as long as the program runs.
    pub(crate) async fn watch_outages(self: Arc<Self>, engine: Engine) {
        let (mut statuses, mut outages) = (engine.statuses(), self.told_outages().await);
        loop {
            outages.update(&statuses.borrow_and_update(), Instant::now());
            let due = outages.next_due();
            tokio::select! {
                changed = statuses.changed() => if changed.is_err() {
                    return;
                },
                () = async { sleep_until(due.unwrap_or_else(Instant::now)).await }, if due.is_some() => {
                    if let Err(error) = self.tell_outages(&mut outages, Instant::now()).await {
                        tracing::error!(%error, "a source out of reach could not be told");
                    }
                }
            }
        }
    }

    /// No outage yet, with those that earlier runs told.
    pub(crate) async fn told_outages(&self) -> Outages {
        let stored = self.context.disk(|replica| replica.setting(KEY)).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "outages that were told before may be told again");
            None
        });
        let told = stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        Outages { told, ..Outages::default() }
    }

    /// Shows a toast for the outages that are due and that no silence holds back.
    pub(crate) async fn tell_outages(&self, outages: &mut Outages, now: Instant) -> Result<()> {
        let due = outages.take_due(now, &self.toasts.toast_context());
        if due.is_empty() {
            return Ok(());
        }
        let (lang, sources) = (self.context.lang(), self.context.disk(Replica::sources).await?);
        let (mut names, mut reasons) = (Vec::new(), Vec::new());
        for (id, trouble) in due {
            let Some(source) = sources.iter().find(|source| source.id == id && may_tell(source)) else {
                continue;
            };
            if outages.told.insert(id, source.last_pull) == Some(source.last_pull) {
                continue;
            }
            names.push(source_name(source, lang));
            let why = strings(lang).trouble(trouble);
            if !reasons.contains(&why) {
                reasons.push(why);
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let table = desktop_strings(lang);
        self.toasts.show_program_toast(&(table.outage_title)(&names), &(table.outage_body)(&reasons));
        outages.told.retain(|id, _| sources.iter().any(|source| source.id == *id));
        let told = outages.told.clone();
        self.context.disk(move |replica| replica.set_setting(KEY, &serde_json::to_value(told)?)).await
    }
}

/// Whether a toast may name a source. One that only counts may: its number does not say that it stands still. Of one that
/// is muted, its row says enough.
fn may_tell(source: &Source) -> bool {
    !source.own && !source.paused && source.notify.level != Some(NotifyLevel::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRY: Stamp = Stamp::from_micros(0);

    fn take_due(outages: &mut Outages, now: Instant) -> Vec<(SourceId, Trouble)> {
        outages.take_due(now, &ToastContext { from_priority: 1, ..ToastContext::DEFAULT })
    }

    fn of(status: SourceStatus) -> SourceStatuses {
        [(1, status)].into()
    }

    fn failing(trouble: Trouble) -> SourceStatuses {
        of(SourceStatus::Retrying { at: RETRY, trouble })
    }

    #[test]
    fn an_outage_is_told_once_and_anew_after_the_source_was_there() {
        let (mut outages, start) = (Outages::default(), Instant::now());
        let told = |outages: &mut Outages, at: Duration| take_due(outages, start + at).len();
        outages.update(&failing(Trouble::Unreachable), start);
        assert_eq!(outages.next_due(), Some(start + PATIENCE));
        outages.update(&of(SourceStatus::Pulling { done: 0, of: None }), start + PATIENCE / 2);
        outages.update(&failing(Trouble::Slow), start + PATIENCE / 2);
        assert_eq!(told(&mut outages, PATIENCE * 9 / 10), 0);
        assert_eq!(take_due(&mut outages, start + PATIENCE), [(1, Trouble::Slow)], "the reason of now");
        outages.update(&failing(Trouble::Offline), start + PATIENCE * 2);
        outages.update(&failing(Trouble::Slow), start + PATIENCE * 2);
        assert_eq!((outages.next_due(), told(&mut outages, PATIENCE * 4)), (None, 0));
        outages.update(&of(SourceStatus::Live), start + PATIENCE * 4);
        outages.update(&of(SourceStatus::NeedsSignIn { since: RETRY }), start + PATIENCE * 4);
        assert_eq!(told(&mut outages, PATIENCE * 5), 1);
    }

    #[test]
    fn sleep_and_a_computer_without_a_network_raise_no_alarm() {
        let (mut outages, start) = (Outages::default(), Instant::now());
        outages.update(&failing(Trouble::Unreachable), start);
        assert_eq!(take_due(&mut outages, start + PATIENCE * 40), [], "it slept");
        outages.update(&of(SourceStatus::Live), start + PATIENCE * 40);
        assert_eq!(outages.next_due(), None);
        outages.update(&failing(Trouble::Unreachable), start);
        for trouble in [Trouble::Offline, Trouble::DiskFull] {
            outages.update(&failing(trouble), start + PATIENCE / 2);
            assert_eq!(outages.next_due(), None, "{trouble:?}");
        }
        outages.update(&SourceStatuses::new(), start);
        assert!(outages.lost.is_empty(), "a source that was removed");
    }
}
