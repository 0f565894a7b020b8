//! Clocks that are wrong: that of a device, and for a time that of the server.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use serde_json::Value;
use tidings_model::{Clock, Stamp};
use tidings_testkit::rules::Position;

use super::{device::Device, world::World};

pub(crate) const YEAR: i64 = 365 * 86_400;

/// The clock of a device, wrong by a difference that a test sets.
#[derive(Clone)]
pub(crate) struct DeviceClock {
    host: Arc<dyn Clock>,
    ahead: Arc<AtomicI64>,
}

impl DeviceClock {
    pub(crate) fn new(host: Arc<dyn Clock>) -> Self {
        Self { host, ahead: Arc::default() }
    }

    pub(crate) fn true_time(&self) -> Stamp {
        self.host.now()
    }

    /// The true time when this clock shows a time.
    pub(crate) fn to_true_time(&self, shown: Stamp) -> Stamp {
        shown.plus_micros(-self.ahead())
    }

    /// A clock that is as wrong, beside another server.
    pub(crate) fn again(&self, host: Arc<dyn Clock>) -> Self {
        Self { host, ahead: Arc::new(AtomicI64::new(self.ahead())) }
    }

    /// By how many microseconds it is ahead.
    pub(crate) fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::SeqCst)
    }

    pub(crate) fn set_ahead(&self, secs: i64) {
        self.ahead.store(secs * 1_000_000, Ordering::SeqCst);
    }
}

impl Clock for DeviceClock {
    fn now(&self) -> Stamp {
        self.host.now().plus_micros(self.ahead())
    }
}

impl World {
    /// Sets the time of the rules. If the clock is behind, no time at the server is before a stamp that it has given.
    pub(crate) async fn tell_time(&mut self) {
        self.rules.now = self.now();
        self.rules.clock = self.rules.now;
        if self.is_clock_behind {
            // A visit to a view without a time goes up to the newest stamp. Like any read, it brings in what is due.
            self.rules.pull("admin");
            let looked = self.client("admin").put("views/target/clock:1", Value::Null).await.is(200);
            let newest: Stamp = looked["at"].as_str().unwrap().parse().unwrap();
            self.rules.clock = newest.plus_micros(1).max(self.rules.clock);
        }
    }

    /// Makes the clock of a device wrong by one of these numbers of seconds. It hears of it with the next pull.
    pub(crate) async fn change_device_clock(&mut self, choices: &[i64]) {
        let device = self.below(self.devices.len());
        let this = &self.devices[device];
        if !this.online {
            return;
        }
        let (name, clock) = (this.name, this.clock.clone());
        let ahead = self.pick(choices);
        self.log.note(format!("the clock of the {name} is {ahead} s ahead"));
        clock.set_ahead(ahead);
        self.clock_changed(device);
        self.pull(device, None).await;
    }

    /// Moves the server's clock, forward or back, once every device has sent what it has: what waits longer than a key is
    /// kept could be sent twice.
    pub(crate) async fn step_the_clock(&mut self, secs: i64) {
        let Some(clock) = self.host.manual_clock() else { return };
        for device in 0..self.devices.len() {
            self.devices[device].online = true;
            self.pull(device, None).await;
        }
        self.log.note(format!("the clock moves by {secs} s"));
        clock.advance(secs);
        self.old_ops.clear();
        self.held.clear();
        self.is_clock_behind |= secs < 0;
        self.tell_time().await;
        if secs > 0 {
            let asked: Vec<Position> = (0..self.rules.now()).filter(|nth| self.rules.close(*nth)).collect();
            self.expired.extend(asked);
        }
        self.devices.iter().for_each(Device::wake);
        for device in 0..self.devices.len() {
            self.pull(device, None).await;
        }
    }
}
