//! How devices pull, and how that goes wrong: lines that break, power cuts between any two steps, a server that dies.
//! Refuses to be lenient: what goes well must leave nothing waiting and every number right.

use std::{collections::BTreeSet, sync::Arc};

use tidings_model::wire::OpResult;
use tidings_sync::{Since, Source, pull_once};

use super::{
    line::{Cut, Line},
    rules::Nth,
    world::World,
};

impl World {
    fn line(&self, device: usize, cut: Option<Cut>) -> Line {
        Line::new(self.devices[device].server(&self.host.url()), cut)
    }

    /// Sends what waits and pulls everything, as far as the line lets it. What the device itself had to add to that
    /// goes with the next pull.
    pub(crate) async fn pull(&mut self, device: usize, cut: Option<Cut>) {
        for _ in 0..5 {
            self.pull_once(device, cut).await;
            self.devices[device].learn_refusals();
            let this = &self.devices[device];
            if cut.is_some() || !this.online {
                return;
            }
            if this.is_heard() && this.replica().counts().unwrap().waiting == 0 {
                return self.is_up_to_date(device);
            }
            assert!(this.wakes_early, "all is heard: {:?} {:?}", this.waiting, this.letters);
        }
        panic!("the {} has always something to add", self.devices[device].name);
    }

    async fn pull_once(&mut self, device: usize, cut: Option<Cut>) {
        let slept = self.devices[device].sleepers(&self.rules);
        let done = self.fetch(device, cut).await;
        self.after_a_pull(device, slept).await;
        let this = &self.devices[device];
        match done {
            Ok(()) => assert!(this.online, "there is no network"),
            Err(error) => assert!(!this.online || cut.is_some(), "the {} pulls: {error}", this.name),
        }
    }

    async fn fetch(&mut self, device: usize, cut: Option<Cut>) -> tidings_sync::Result<()> {
        let line = self.line(device, cut);
        let this = &self.devices[device];
        let done = pull_once(this.replica(), this.source, Arc::new(line.clone())).await;
        let heard = line.heard().await;
        self.hear(device, heard).await;
        if done.is_ok() {
            self.devices[device].unsure.clear();
        }
        done.map(drop)
    }

    /// However it went: what waits shows.
    async fn after_a_pull(&mut self, device: usize, slept: BTreeSet<Nth>) {
        let this = &mut self.devices[device];
        let unsure = this.notes_who_woke(&self.rules, slept);
        this.shows_what_waits(&self.rules, &unsure);
        if !unsure.is_empty() && this.online {
            // What the device woke is told apart from what waited anyway when that is heard.
            self.log.note(format!("  and once more, for {unsure:?}"));
            let slept = self.devices[device].sleepers(&self.rules);
            self.fetch(device, None).await.unwrap();
            let this = &mut self.devices[device];
            this.woke(&mut self.rules, &unsure);
            assert!(this.notes_who_woke(&self.rules, slept).is_empty());
        }
    }

    /// After a pull, nothing waits and the numbers are those of the rules.
    fn is_up_to_date(&self, device: usize) {
        let device = &self.devices[device];
        assert!(
            device.is_heard(),
            "the server has heard everything: {:?} {:?}",
            device.waiting,
            device.letters
        );
        device.wake();
        let numbers = device.replica().counts().unwrap();
        assert_eq!(numbers.waiting, 0, "nothing waits on the {}", device.name);
        let counts = self.rules.unread(device.user, self.now());
        let here = [numbers.total, numbers.announcement, numbers.reminder, numbers.message];
        let rules = [counts.total(), counts.announcement, counts.reminder, counts.message];
        assert_eq!(here, rules, "unread on the {}: in all, announcements, reminders, messages", device.name);
    }

    /// Sends and pulls step by step, and the power goes after some of them.
    pub(crate) async fn pull_until_the_power_goes(&mut self, device: usize) {
        let line = self.line(device, None);
        let (stage, limit, pages) = (self.below(6), 1 + self.below(7), self.below(5));
        self.log.note(format!("  stage {stage}, {pages} pages of {limit}"));
        let slept = self.devices[device].sleepers(&self.rules);
        self.flush_in_part(device, &line, stage).await;
        let heard = line.heard().await;
        self.hear(device, heard).await;
        if self.devices[device].online {
            self.pages(device, &line, limit, pages).await;
        }
        let heard = line.heard().await;
        self.hear(device, heard).await;
        self.devices[device].crash();
        self.after_a_pull(device, slept).await;
    }

    async fn flush_in_part(&mut self, device: usize, line: &Line, stage: usize) {
        let this = &self.devices[device];
        let (replica, source) = (this.replica(), this.source);
        let ops = if stage == 0 { Vec::new() } else { replica.pending(source, 1_000).unwrap() };
        if stage <= 1 || ops.is_empty() {
            return;
        }
        let Ok(results) = line.send_ops(ops).await else { return };
        // The answer is lost, or half of what it says is kept, or all of it.
        let kept: &[OpResult] = match stage {
            2 => &[],
            3 => &results[..results.len() / 2],
            _ => &results,
        };
        replica.acknowledge(source, kept).unwrap();
    }

    async fn pages(&mut self, device: usize, line: &Line, limit: usize, pages: usize) {
        for _ in 0..pages {
            let this = &self.devices[device];
            let row = this.replica().source(this.source).unwrap();
            let since = Since { cursor: row.cursor, epoch: row.epoch };
            let page = line.page(since, limit).await.unwrap().page;
            let more = page.more;
            this.replica().apply(this.source, page.clone()).unwrap();
            if self.chance(2) {
                // The same page again, as after a cut between its write and what follows.
                let this = &self.devices[device];
                let again = this.replica().apply(this.source, page).unwrap();
                assert!(
                    again.arrived.is_empty() && again.updated.is_empty(),
                    "a page comes twice: {again:?}"
                );
            }
            if self.chance(2) {
                // In the middle of a pull; the next page may know nothing of it.
                self.mark_one(device);
            }
            if !more {
                break;
            }
        }
    }

    /// The server crashes while a device pulls; the device tries again when it is back.
    pub(crate) async fn pull_while_the_server_crashes(&mut self, device: usize) {
        let line = self.line(device, None);
        let slept = self.devices[device].sleepers(&self.rules);
        let this = &self.devices[device];
        let (replica, source, over) = (this.replica().clone(), this.source, line.clone());
        let pulling = tokio::spawn(async move { pull_once(&replica, source, Arc::new(over)).await.is_ok() });
        self.crash_somewhen().await;
        let done = pulling.await.unwrap();
        let heard = line.heard().await;
        self.host.start().await;
        self.log.note(format!("  done before that: {done}"));
        self.hear(device, heard).await;
        self.after_a_pull(device, slept).await;
        if self.devices[device].online {
            self.pull(device, None).await;
        }
    }

    /// The device's program is killed while it pulls.
    pub(crate) async fn pull_and_be_killed(&mut self, device: usize) {
        let line = self.line(device, None);
        let slept = self.devices[device].sleepers(&self.rules);
        let after = std::time::Duration::from_micros(self.below(20_000) as u64);
        let this = &self.devices[device];
        let this_pull = pull_once(this.replica(), this.source, Arc::new(line.clone()));
        drop(tokio::time::timeout(after, this_pull).await);
        let heard = line.heard().await;
        self.hear(device, heard).await;
        self.devices[device].restart();
        self.after_a_pull(device, slept).await;
    }
}
