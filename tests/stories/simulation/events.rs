//! What happens beside the steps of `oracle`: restarts, wrong clocks, tokens that expire, copies of files that come back,
//! and links that are worse.

use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tidings_sync::{Error, pull_once};
use tidings_testkit::rules::ReaderOp;

use super::{Backup, Simulation};
use crate::oracle::{device::SendState, told::Told};

/// All events.
pub(super) const EVENTS: [&str; 12] = [
    "a bad link",
    "a late request",
    "a restart of the server",
    "a crash of the server",
    "a restart of a device",
    "a wrong clock of a device",
    "a step back of all clocks",
    "days that pass",
    "a token that expires",
    "a service that is asked",
    "a device that goes back to a copy",
    "a backup of the server",
];
/// The longest pause before a step, in seconds.
const PAUSE: usize = 40;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// The files of a device at a moment, with what waited there.
pub(super) struct DeviceCopy {
    device: usize,
    files: TempDir,
    /// By how many microseconds its clock was ahead, which the copy knows.
    ahead: i64,
    unsent_ops: Vec<ReaderOp>,
    received_ops: usize,
}

impl Simulation<'_> {
    /// One step of `oracle`, and perhaps an event.
    pub(super) async fn step(&mut self) {
        let pause = i64::try_from(1 + self.world.below(PAUSE)).unwrap();
        self.world.let_pass(pause);
        Box::pin(self.world.step()).await;
        match self.world.below(40) {
            0..5 => {
                self.count("a bad link");
                self.world.pull_over_flaky_link().await;
            }
            5..8 if !self.world.held.is_empty() => self.deliver_late().await,
            8 => self.restart_server().await,
            9 => self.restart_device(),
            10 => {
                self.count("a wrong clock of a device");
                self.world.change_device_clock(&[2 * HOUR, HOUR, 0, -HOUR]).await;
            }
            11 | 12 => self.renew_token().await,
            13..16 => {
                self.count("a service that is asked");
                self.ask_service().await;
            }
            16..19 => self.copy_device().await,
            19 => self.back_up().await,
            20 => self.let_days_pass().await,
            21 if !self.world.is_clock_behind && self.world.chance(3) => {
                self.count("a step back of all clocks");
                self.world.step_the_clock(-HOUR).await;
            }
            _ => {}
        }
    }

    fn count(&mut self, event: &'static str) {
        *self.happened.entry(event).or_default() += 1;
    }

    /// Lets a request arrive that a device sent earlier.
    pub(super) async fn deliver_late(&mut self) {
        self.count("a late request");
        self.world.deliver_held().await;
    }

    async fn restart_server(&mut self) {
        let crashes = self.world.chance(2);
        self.count(if crashes { "a crash of the server" } else { "a restart of the server" });
        self.world.log.note(format!("the server is started again, after a crash: {crashes}"));
        let server = self.world.host.thread_mut().expect("it is in this thread");
        if crashes {
            server.crash().await;
        } else {
            server.stop().await;
        }
        server.start().await;
    }

    fn restart_device(&mut self) {
        self.count("a restart of a device");
        let device = self.world.below(self.world.devices.len());
        self.world.devices[device].restart();
        self.world.starts_anew(device);
        let this = &self.world.devices[device];
        self.world.log.note(format!("the {} is started again", this.name));
        this.assert_unsent_marks_show(&self.world.rules);
    }

    /// Longer than a question is open. Before it, every device sends what it has.
    async fn let_days_pass(&mut self) {
        self.count("days that pass");
        let days = i64::try_from(1 + self.world.below(3)).unwrap();
        (self.copy, self.jumps) = (None, self.jumps + 1);
        self.world.step_the_clock(days * DAY + 2 * HOUR).await;
    }

    /// Ends the token of a device, which is refused until it has another one. No message waits there: a message is sent
    /// once under one token.
    async fn renew_token(&mut self) {
        let device = self.world.below(self.world.devices.len());
        let this = &self.world.devices[device];
        if !this.online || !this.replica().outgoing(this.source).unwrap().is_empty() {
            return;
        }
        let (name, user) = (this.name, this.user);
        let admin = self.world.client("admin");
        if let Some(ended) = self.tokens[device].take() {
            self.count("a token that expires");
            self.world.log.note(format!("the token of the {name} ends"));
            self.world.held.retain(|held| held.device != device);
            admin.delete(&format!("tokens/{ended}")).await.is(204);
            let link = self.world.link(device, None);
            let this = &self.world.devices[device];
            let refused = pull_once(this.replica(), this.source, Arc::new(link)).await;
            assert!(matches!(refused, Err(Error::Net(tidings_net::Error::SignIn))), "{refused:?}");
            this.assert_unsent_marks_show(&self.world.rules);
        }
        self.new_token(device, user).await;
    }

    /// Gives a device a token of its own.
    pub(super) async fn new_token(&mut self, device: usize, user: &str) {
        let admin = self.world.client("admin");
        let wanted = json!({"label": "device", "scopes": ["inbox"]});
        let made = admin.post(&format!("users/{user}/tokens"), wanted).await.success();
        self.tokens[device] = Some(made["id"].as_str().unwrap().to_owned());
        made["token"].as_str().unwrap().clone_into(&mut self.world.devices[device].token);
    }

    /// Copies the files of a device, or goes back to the copy, as from a backup of the machine.
    async fn copy_device(&mut self) {
        if let Some(copy) = self.copy.take() {
            self.return_to_copy(copy).await;
            return;
        }
        let device = self.world.below(self.world.devices.len());
        let this = &self.world.devices[device];
        if this.read_all_waits || !this.replica().outgoing(this.source).unwrap().is_empty() {
            return;
        }
        self.world.log.note(format!("the files of the {} are copied", this.name));
        self.copy = Some(DeviceCopy {
            device,
            files: this.copy(),
            ahead: this.clock.ahead(),
            unsent_ops: this.unsent_ops.clone(),
            received_ops: this.received_ops,
        });
    }

    /// What was made since then and not sent is lost, and what was sent comes back.
    async fn return_to_copy(&mut self, copy: DeviceCopy) {
        let DeviceCopy { device, files, ahead, mut unsent_ops, received_ops } = copy;
        let this = &mut self.world.devices[device];
        // With another clock it would wake items too early before it can ask what time it is.
        if !this.online || this.clock.ahead() != ahead {
            return;
        }
        let since = (this.received_ops - received_ops).min(unsent_ops.len());
        unsent_ops.drain(..since);
        this.open_copy(files);
        (this.unsent_ops, this.read_all_waits) = (unsent_ops, false);
        this.written.retain(|message| matches!(message.state, SendState::Posted(_)));
        let name = this.name;
        self.count("a device that goes back to a copy");
        self.world.log.note(format!("the {name} goes back to the copy"));
        self.world.held.retain(|held| held.device != device);
        self.world.receipts_lost = true;
        // It knows nothing of the toasts since then.
        self.world.told[device] = Told::new(self.world.now());
        self.world.clock_changed(device);
        self.world.pull(device, None).await;
    }

    async fn back_up(&mut self) {
        self.count("a backup of the server");
        self.world.log.note("the server is backed up".into());
        let folder = TempDir::with_prefix("tidings-backup.").unwrap();
        let backup = Backup { folder, rules: self.world.rules.clone(), jumps: self.jumps };
        let server = self.world.host.thread().expect("it is in this thread");
        server.backup(&backup.file()).await;
        self.backup = Some(backup);
    }
}
