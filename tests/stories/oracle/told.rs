//! What the toasts of a device tell. Nothing is told twice, and nothing that was read.

use std::collections::BTreeSet;

use tidings_model::{Clock, MsgId, Stamp};
use tidings_replica::{Applied, SourceId};
use tidings_sources::{Since, Source};
use tidings_sync::PullReason;
use tidings_toasts::policy::{ToastCommand, ToastContent, ToastContext, ToastPolicy};

use super::{flaky_link::FlakyLink, world::World};

/// The default settings without a silence.
const CONTEXT: ToastContext = ToastContext::DEFAULT;
/// More items than a pull of these histories brings.
const PAGE: usize = 1_000;

/// The toasts of one device.
pub(crate) struct Told {
    policy: ToastPolicy,
    /// Whether the next pull is the first one of the program.
    is_first: bool,
    /// Whether the device does not know yet how wrong its clock is.
    clock_changed: bool,
    /// The items that arrived, each with the revision of its content.
    arrived: BTreeSet<(MsgId, Option<Stamp>)>,
    /// The number of toasts that told of an item.
    pub(crate) count: usize,
}

impl Told {
    pub(crate) fn new(now: Stamp) -> Self {
        let (policy, arrived) = (ToastPolicy::new(now), BTreeSet::new());
        Self { policy, is_first: true, clock_changed: false, arrived, count: 0 }
    }

    /// Handles a page that was applied, which is all that there was. Gives the items of which toasts told.
    fn pulled(&mut self, source: SourceId, applied: &Applied, now: Stamp) -> Vec<MsgId> {
        for arrival in &applied.arrived {
            let n = &arrival.notification;
            assert!(self.arrived.insert((n.msgid.clone(), n.revised_at)), "it arrives twice: {n:?}");
        }
        let again = applied.updated.iter().filter(|one| one.unread_again);
        let fresh: BTreeSet<&MsgId> =
            applied.arrived.iter().chain(again).map(|one| &one.notification.msgid).collect();
        let reason = if self.is_first { PullReason::Gap } else { PullReason::Live };
        self.is_first = false;
        let (arrived, updated) = (&applied.arrived, &applied.updated);
        let mut commands = self.policy.arrived(source, reason, arrived, updated, &CONTEXT, now);
        if reason == PullReason::Gap {
            commands.extend(self.policy.caught_up(source, &CONTEXT, now));
        }
        let mut told = Vec::new();
        for command in commands {
            let ToastCommand::Show { content, news: true, .. } = command else { continue };
            if let ToastContent::Thread { item, .. } = content {
                assert!(fresh.contains(&item), "{item} is told again");
                told.push(item);
            }
        }
        self.count += told.len();
        told
    }
}

impl World {
    /// Pulls what is new, if toasts are looked at, and checks what they tell of it. Sends nothing.
    pub(crate) async fn pull_toasts(&mut self, device: usize, link: &FlakyLink) {
        let this = &self.devices[device];
        let Some(told) = self.told.get_mut(device) else { return };
        let row = this.replica().source(this.source).unwrap();
        // The description of the server, by which a device knows how wrong its clock is, comes with a whole pull.
        if std::mem::take(&mut told.clock_changed) || row.cursor.is_none() {
            return;
        }
        let since = Since { cursor: row.cursor, epoch: row.epoch };
        let Ok(fetched) = link.page(since, PAGE).await else { return };
        assert!(!fetched.page.more, "one page has everything");
        let applied = this.replica().apply(this.source, fetched.page).unwrap();
        let items = told.pulled(this.source, &applied, this.clock.now());
        let delivered = link.delivered().await;
        self.server_received(device, delivered).await;
        let this = &self.devices[device];
        for msgid in items {
            let nth = self.rules.find(msgid.as_str()).unwrap();
            let item = this.item(msgid.as_str());
            assert!(item.as_ref().is_some_and(|item| item.unread), "{nth} is told on the {}", this.name);
            // What waits here may say the opposite of what the server says.
            let is_read = self.rules.is_read(this.user, nth) && this.unsent_ops.is_empty();
            assert!(!is_read, "{nth} was read and is told on the {}: {item:?}", this.name);
        }
    }

    /// The program of a device was started anew, which forgets its toasts.
    pub(crate) fn starts_anew(&mut self, device: usize) {
        let now = self.now();
        if let Some(told) = self.told.get_mut(device) {
            (told.policy, told.is_first) = (ToastPolicy::new(now), true);
        }
    }

    /// The clock of a device changed, of which it hears with the next whole pull.
    pub(crate) fn clock_changed(&mut self, device: usize) {
        if let Some(told) = self.told.get_mut(device) {
            told.clock_changed = true;
        }
    }
}
