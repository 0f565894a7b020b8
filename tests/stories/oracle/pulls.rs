//! How devices pull, and how that goes wrong: lines that break, power cuts between any two steps, a server that dies.
//! Refuses to be lenient: what goes well must leave nothing waiting and every number right.

use std::sync::Arc;

use tidings_model::wire::OpResult;
use tidings_sync::{Since, Source, pull_once};

use super::{
    line::{Cut, Line},
    world::World,
};

impl World {
    fn line(&self, device: usize, cut: Option<Cut>) -> Line {
        Line::new(self.devices[device].server(&self.host.url()), cut)
    }

    /// Sends what waits and pulls everything, as far as the line lets it.
    pub(crate) async fn pull(&mut self, device: usize, cut: Option<Cut>) {
        let line = self.line(device, cut);
        let this = &self.devices[device];
        let (online, source) = (this.online, this.source);
        let done = pull_once(this.replica(), source, Arc::new(line.clone())).await;
        let heard = line.heard().await;
        self.hear(device, heard).await;
        if !online {
            assert!(done.is_err(), "there is no network");
        } else if cut.is_none() {
            let name = self.devices[device].name;
            done.unwrap_or_else(|error| panic!("{name} pulls: {error}"));
            self.is_up_to_date(device);
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
        let numbers = device.replica().numbers().unwrap();
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
        self.flush_in_part(device, &line, stage).await;
        if stage >= 4 && self.devices[device].online {
            self.pages(device, &line, limit, pages).await;
        }
        let heard = line.heard().await;
        self.hear(device, heard).await;
        self.devices[device].crash();
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
                    again.arrived.is_empty() && again.renewed.is_empty(),
                    "a page comes twice: {again:?}"
                );
            }
            if !more {
                break;
            }
        }
    }

    /// The server crashes while a device pulls; the device tries again when it is back.
    pub(crate) async fn pull_while_the_server_crashes(&mut self, device: usize) {
        let line = self.line(device, None);
        let this = &self.devices[device];
        let (replica, source, over) = (this.replica().clone(), this.source, line.clone());
        let pulling = tokio::spawn(async move { pull_once(&replica, source, Arc::new(over)).await.is_ok() });
        self.crash_somewhen().await;
        let done = pulling.await.unwrap();
        let heard = line.heard().await;
        self.host.start().await;
        self.log.note(format!("  done before that: {done}"));
        self.hear(device, heard).await;
        if self.devices[device].online {
            self.pull(device, None).await;
        }
    }

    /// The device's program is killed while it pulls.
    pub(crate) async fn pull_and_be_killed(&mut self, device: usize) {
        let line = self.line(device, None);
        let after = std::time::Duration::from_micros(self.below(20_000) as u64);
        let this = &self.devices[device];
        let this_pull = pull_once(this.replica(), this.source, Arc::new(line.clone()));
        drop(tokio::time::timeout(after, this_pull).await);
        let heard = line.heard().await;
        self.hear(device, heard).await;
        self.devices[device].restart();
    }
}
