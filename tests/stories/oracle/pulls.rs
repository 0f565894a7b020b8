//! Pulls and their faults: links that break, power losses between any two steps, a server that crashes. After a pull
//! that succeeds, nothing waits and every count is right.

use std::sync::Arc;

use tidings_model::is_unread;
use tidings_model::wire::OpResult;
use tidings_sources::{Since, Source};
use tidings_sync::pull_once;
use tokio::sync::Semaphore;

use super::{
    device::Device,
    flaky_link::{Cut, FlakyLink},
    world::{Held, World},
};

impl World {
    pub(crate) fn link(&self, device: usize, cut: Option<Cut>) -> FlakyLink {
        // In one thread the order of the requests is that in which they are made.
        let at_once = if self.host.thread().is_some() { 1 } else { Semaphore::MAX_PERMITS };
        FlakyLink::new(self.devices[device].server(&self.host.url()), cut, at_once)
    }

    /// Sends what waits and pulls everything, as far as the link allows. Operations that the pull itself causes on the
    /// device are sent with the next pull.
    pub(crate) async fn pull(&mut self, device: usize, cut: Option<Cut>) {
        for _ in 0..5 {
            self.pull_once(device, cut).await;
            self.devices[device].record_refusals();
            let this = &self.devices[device];
            if cut.is_some() || !this.online {
                return;
            }
            if this.all_delivered() && this.replica().counts().unwrap().waiting == 0 {
                return self.check_up_to_date(device);
            }
            assert!(this.wakes_early, "all was delivered: {:?} {:?}", this.unsent_ops, this.written);
        }
        panic!("the {} has always something to add", self.devices[device].name);
    }

    async fn pull_once(&mut self, device: usize, cut: Option<Cut>) {
        let done = self.fetch(device, cut).await;
        let this = &self.devices[device];
        this.assert_unsent_marks_show(&self.rules);
        match done {
            Ok(()) => assert!(this.online, "there is no network"),
            Err(error) => assert!(!this.online || cut.is_some(), "the {} pulls: {error}", this.name),
        }
    }

    async fn fetch(&mut self, device: usize, cut: Option<Cut>) -> tidings_sync::Result<()> {
        self.tell_time().await;
        let link = self.link(device, cut);
        self.pull_toasts(device, &link).await;
        let this = &self.devices[device];
        let mut done = pull_once(this.replica(), this.source, Arc::new(link.clone())).await;
        // A server that was too busy for an earlier pull may have asked for a wait.
        if let Err(tidings_sync::Error::Net(tidings_net::Error::Waiting { until })) = done {
            self.host.wait_until(this.clock.to_true_time(until)).await;
            done = pull_once(this.replica(), this.source, Arc::new(link.clone())).await;
        }
        let delivered = link.delivered().await;
        let this = &self.devices[device];
        let upto = this.received_ops + this.unsent_ops.len();
        for request in link.held().into_iter().filter(|_| this.online) {
            self.held.push(Held { device, url: self.host.url(), upto, link: link.clone(), request });
        }
        self.server_received(device, delivered).await;
        if done.is_ok() {
            self.devices[device].read_all_waits = false;
        }
        done.map(drop)
    }

    /// Asserts, after a complete pull, that nothing waits and the counts agree with the rules.
    fn check_up_to_date(&self, device: usize) {
        let device = &self.devices[device];
        assert!(
            device.all_delivered(),
            "the server has received everything: {:?} {:?}",
            device.unsent_ops,
            device.written
        );
        device.wake();
        let waiting = device.replica().counts().unwrap().waiting;
        assert_eq!(waiting, 0, "nothing waits on the {}", device.name);
        let counts = self.rules.unread(device.user, self.now());
        let on_device = device.unread();
        let rules = [counts.total(), counts.announcement, counts.reminder, counts.message];
        assert_eq!(
            on_device,
            rules,
            "unread on the {}: in all, announcements, reminders, messages; {:?}",
            device.name,
            self.unlike(device)
        );
    }

    /// The items that are unread on the device alone, or by the rules alone.
    fn unlike(&self, device: &Device) -> Vec<String> {
        let positions = 0..self.rules.now();
        let unlike = positions.filter_map(|nth| {
            let it = &self.rules.history[nth];
            let by_rules = self.rules.is_unread(device.user, nth, self.now());
            let item = device.item(&it.msgid);
            let here = item
                .as_ref()
                .is_some_and(|item| is_unread(&item.notification.state(device.user), self.now()));
            (here != by_rules)
                .then(|| format!("{nth}: unread by the rules: {by_rules}, {it:?}, here: {item:?}"))
        });
        unlike.collect()
    }

    /// Sends and pulls step by step, with a power loss after some step.
    pub(crate) async fn pull_until_power_loss(&mut self, device: usize) {
        let link = self.link(device, None);
        let (stage, limit, pages) = (self.below(6), 1 + self.below(7), self.below(5));
        self.log.note(format!("  stage {stage}, {pages} pages of {limit}"));
        self.tell_time().await;
        self.flush_in_part(device, &link, stage).await;
        let delivered = link.delivered().await;
        self.server_received(device, delivered).await;
        if self.devices[device].online {
            self.apply_pages(device, &link, limit, pages).await;
        }
        let delivered = link.delivered().await;
        self.server_received(device, delivered).await;
        self.devices[device].crash();
        self.starts_anew(device);
        self.devices[device].assert_unsent_marks_show(&self.rules);
    }

    async fn flush_in_part(&mut self, device: usize, link: &FlakyLink, stage: usize) {
        let this = &self.devices[device];
        let (replica, source) = (this.replica(), this.source);
        let ops = if stage == 0 { Vec::new() } else { replica.pending(source, 1_000).unwrap() };
        if stage <= 1 || ops.is_empty() {
            return;
        }
        let Ok(results) = link.send_ops(ops).await else { return };
        // The device records none of the results, half of them or all.
        let acknowledged: &[OpResult] = match stage {
            2 => &[],
            3 => &results[..results.len() / 2],
            _ => &results,
        };
        replica.acknowledge(source, acknowledged).unwrap();
    }

    async fn apply_pages(&mut self, device: usize, link: &FlakyLink, limit: usize, pages: usize) {
        for _ in 0..pages {
            let this = &self.devices[device];
            let row = this.replica().source(this.source).unwrap();
            let since = Since { cursor: row.cursor, epoch: row.epoch };
            let page = link.page(since, limit).await.unwrap().page;
            let more = page.more;
            this.replica().apply(this.source, page.clone()).unwrap();
            if self.chance(2) {
                // The same page again, as after a crash between its write and the steps that follow.
                let this = &self.devices[device];
                let again = this.replica().apply(this.source, page).unwrap();
                assert!(
                    again.arrived.is_empty() && again.updated.is_empty(),
                    "a page comes twice: {again:?}"
                );
            }
            if self.chance(2) {
                // A mark in the middle of a pull, of which the next page may know nothing.
                self.mark_one(device);
            }
            if !more {
                break;
            }
        }
    }

    /// The server crashes while a device pulls; the device pulls again once the server is back.
    pub(crate) async fn pull_while_the_server_crashes(&mut self, device: usize) {
        let link = self.link(device, None);
        self.tell_time().await;
        let this = &self.devices[device];
        let (replica, source, over) = (this.replica().clone(), this.source, link.clone());
        let pulling = tokio::spawn(async move { pull_once(&replica, source, Arc::new(over)).await.is_ok() });
        self.crash_at_random_moment().await;
        let done = pulling.await.unwrap();
        let delivered = link.delivered().await;
        self.host.start().await;
        self.log.note(format!("  done before that: {done}"));
        self.server_received(device, delivered).await;
        self.devices[device].assert_unsent_marks_show(&self.rules);
        if self.devices[device].online {
            self.pull(device, None).await;
        }
    }

    /// Aborts a pull within 20 ms and opens the replica again, as when the device's program is killed.
    pub(crate) async fn pull_and_kill(&mut self, device: usize) {
        let link = self.link(device, None);
        let after = std::time::Duration::from_micros(self.below(20_000) as u64);
        let this = &self.devices[device];
        let this_pull = pull_once(this.replica(), this.source, Arc::new(link.clone()));
        drop(tokio::time::timeout(after, this_pull).await);
        let delivered = link.delivered().await;
        self.server_received(device, delivered).await;
        self.devices[device].restart();
        self.devices[device].assert_unsent_marks_show(&self.rules);
    }
}
