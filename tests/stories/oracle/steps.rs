//! The random steps of a history, with their frequencies.

use serde_json::json;
use tidings_model::Kind;
use tidings_replica::{Item, ItemFilter, Mark};
use tidings_testkit::rules::PublicationKind;

use super::{
    catalog::ACTIONS,
    clocks::YEAR,
    device::Device,
    flaky_link::{Break, Cut, Request},
    world::World,
};

const TARGETS: [(&str, &str); 4] =
    [("article", "1"), ("article", "2"), ("product", "1"), ("product", "a/b c")];
const ACTORS: [&str; 5] = ["ana", "bo", "cy", "dana", "eve"];
/// More than a step takes stamps, of which each is a microsecond.
const STEP_MICROS: i64 = 20_000;

impl World {
    /// Takes one random step.
    pub(crate) async fn step(&mut self) {
        self.pass_time().await;
        match self.below(1_000) {
            0..30 => self.announce().await,
            30..62 => self.remind().await,
            62..76 => self.publish_under_a_sequence().await,
            76..94 => self.ask_a_question().await,
            94..114 => self.answer_at_server().await,
            114..124 => self.answer_on_device(),
            124..144 => self.edit().await,
            144..172 => self.recall().await,
            172..230 => self.message().await,
            230..308 => self.group_message().await,
            308..320 => self.withdraw_a_sequence().await,
            320..350 => self.write_a_message(),
            350..390 => self.subscribe().await,
            390..410 => self.unsubscribe().await,
            410..440 => self.follow().await,
            440..480 => self.prefer().await,
            480..520 => self.join_or_leave().await,
            520..640 => {
                let device = self.below(self.devices.len());
                self.mark_one(device);
            }
            640..670 => self.mark_a_thread(),
            670..680 => self.read_all(),
            680..720 => self.visit_view(),
            720..790 => self.operate_at_server().await,
            790..830 => self.visit_at_server().await,
            830..890 => self.pull_one().await,
            890..915 => self.pull_over_flaky_link().await,
            915..935 => {
                let device = self.below(self.devices.len());
                self.note("the power goes", device);
                self.pull_until_power_loss(device).await;
            }
            935..945 => self.toggle_network(),
            945..950 => {
                self.log.note("the server crashes".into());
                self.host.crash().await;
                self.host.start().await;
            }
            // In one thread it crashes between requests.
            950..953 if self.host.thread().is_none() => {
                let device = self.below(self.devices.len());
                self.note("the server crashes during a pull", device);
                self.pull_while_the_server_crashes(device).await;
            }
            953..963 => self.advance_clock(),
            963..970 => self.acknowledge_receipts().await,
            970..976 => self.add_late_user().await,
            976..980 => self.let_a_user_go().await,
            980..983 => self.found_a_group().await,
            983..985 => self.end_a_group().await,
            985..987 => self.change_device_clock(&[YEAR, 0, -YEAR]).await,
            987..992 if self.host.manual_clock().is_none() => {
                let device = self.below(self.devices.len());
                self.note("killed during a pull", device);
                self.pull_and_kill(device).await;
            }
            992.. => self.read_at_random().await,
            _ => {}
        }
    }

    /// Each step has a time of its own, so that the later one of two marks is known.
    async fn pass_time(&mut self) {
        if let Some(clock) = self.host.manual_clock() {
            clock.advance_micros(STEP_MICROS);
            self.devices.iter().for_each(Device::wake);
        }
        self.tell_time().await;
    }

    fn note(&mut self, what: &str, device: usize) {
        let name = self.devices[device].name;
        self.log.note(format!("{what}: {name}"));
    }

    /// Whether the server crashes during this publication: once in 150.
    fn draw_crash(&mut self) -> bool {
        self.host.thread().is_none() && self.chance(150)
    }

    fn draw_count(&mut self) -> usize {
        if self.chance(10) { 1 + self.below(4) } else { 1 }
    }

    async fn announce(&mut self) {
        let fields = |n| {
            (
                json!({"title": format!("news {n}"), "body": format!("text {n}")}),
                PublicationKind::Announcement { by: "admin".to_owned() },
            )
        };
        let publications = (0..self.draw_count()).map(|_| fields(self.name())).collect();
        let crash = self.draw_crash();
        self.log.note("announcements".into());
        self.publish("admin", "announcements", publications, crash).await;
    }

    async fn remind(&mut self) {
        let mut publications = Vec::new();
        // A reader may publish reminders of its own actions; the admin publishes those of other actors.
        let own = self.chance(4).then(|| self.random_writer());
        for _ in 0..self.draw_count() {
            let actor = own.clone().unwrap_or_else(|| self.random_actor());
            let (action, (kind, id), n) = (self.pick(&ACTIONS), self.pick(&TARGETS), self.name());
            self.log.note(format!("{actor} did {action} to {kind}:{id}"));
            let target = json!({"type": kind, "id": id, "title": "Tides", "owner": "ana"});
            let fields =
                json!({"actor": actor, "action": action, "target": target, "body": format!("text {n}")});
            let target = format!("{kind}:{id}");
            publications
                .push((fields, PublicationKind::Reminder { actor, action: action.to_owned(), target }));
        }
        let crash = self.draw_crash();
        self.publish(own.as_deref().unwrap_or("admin"), "reminders", publications, crash).await;
    }

    async fn message(&mut self) {
        let from = self.random_sender();
        let writes_itself = self.tokens.contains_key(&from);
        let mut publications = Vec::new();
        for _ in 0..self.draw_count() {
            let (to, n) = (self.random_user(), self.name());
            self.log.note(format!("{from} writes to {to}"));
            let mut fields = json!({"to": to, "body": format!("text {n}")});
            if !writes_itself {
                fields["from"] = json!(from);
            }
            publications.push((fields, PublicationKind::Direct { from: from.clone(), to }));
        }
        let crash = self.draw_crash();
        self.publish(if writes_itself { &from } else { "admin" }, "messages", publications, crash).await;
    }

    async fn group_message(&mut self) {
        let (from, gid, n) = (self.random_writer(), self.random_group(), self.name());
        self.log.note(format!("{from} writes to {gid}"));
        let (path, fields) = (format!("groups/{gid}/messages"), json!({"body": format!("text {n}")}));
        let members = self.rules.members(&gid);
        if !members.contains(&from) {
            self.send(&from, &path, fields, false).await.problem(403, "forbidden", None);
            return;
        }
        let kind = PublicationKind::Group { gid, from: from.clone(), members };
        let crash = self.draw_crash();
        self.publish(&from, &path, vec![(fields, kind)], crash).await;
    }

    fn write_a_message(&mut self) {
        let (device, n) = (self.below(self.devices.len()), self.name());
        let to = match self.below(6) {
            0..=2 => format!("user:{}", self.random_user()),
            3 => format!("user:{}", self.gone.last().map_or("nobody", String::as_str)),
            _ => format!("group:{}", self.random_group()),
        };
        self.note(&format!("a letter to {to}"), device);
        self.devices[device].write(&to, format!("text {n}"));
    }

    async fn pull_one(&mut self) {
        let device = self.below(self.devices.len());
        self.note("pull", device);
        self.pull(device, None).await;
    }

    pub(crate) async fn pull_over_flaky_link(&mut self) {
        use Request::{AckReceipts, Count, Group, Message, Ops, Page, Preview, Receipts, ServerInfo};
        let device = self.below(self.devices.len());
        let at = self.pick(&[
            ServerInfo,
            Preview,
            Page,
            Count,
            Ops,
            Ops,
            Message,
            Message,
            Receipts,
            AckReceipts,
            AckReceipts,
            Group,
        ]);
        let nth = 1 + u32::from(self.chance(3));
        let all = [Break::Lost, Break::AnswerLost, Break::Doubled, Break::Held];
        let ways = if self.host.thread().is_some() { &all[..] } else { &all[..2] };
        let how = match self.pick(ways) {
            // The message is sent again, and that may be refused before the first one arrives.
            Break::Held if at == Message => Break::Doubled,
            how => how,
        };
        let cut = Cut { at, nth, how };
        self.note(&format!("pull over {cut:?}"), device);
        self.pull(device, Some(cut)).await;
    }

    fn toggle_network(&mut self) {
        // At most one device is without a network at a time.
        let offline = self.devices.iter().position(|device| !device.online);
        let device = offline.unwrap_or_else(|| self.below(self.devices.len()));
        self.devices[device].online ^= true;
        self.note(&format!("network: {}", self.devices[device].online), device);
    }

    fn advance_clock(&mut self) {
        if self.host.manual_clock().is_some() {
            let seconds = self.random_seconds();
            self.let_pass(seconds);
        }
    }

    /// Lets time pass, by the clock of the test.
    pub(crate) fn let_pass(&mut self, seconds: i64) {
        let Some(clock) = self.host.manual_clock() else { return };
        self.log.note(format!("{seconds} s pass"));
        clock.advance_micros(seconds * 1_000_000 + 7);
        self.devices.iter().for_each(Device::wake);
    }

    fn random_seconds(&mut self) -> i64 {
        i64::try_from(1 + self.below(300)).unwrap()
    }

    /// A random item of a device, mostly one of the 40 newest.
    fn shown(&mut self, device: usize) -> Option<Item> {
        let limit = if self.chance(6) { 1_000 } else { 40 };
        let items = self.devices[device].shown(&ItemFilter::default(), limit);
        (!items.is_empty()).then(|| items[self.below(items.len())].clone())
    }

    fn random_mark(&mut self) -> Mark {
        let until = self.now().plus_secs(self.until());
        let snooze = Mark::Snooze { until };
        self.pick(&[
            Mark::Read,
            Mark::Read,
            Mark::Unread,
            Mark::Seen,
            Mark::Archive,
            Mark::Unarchive,
            snooze,
            Mark::Unsnooze,
            Mark::Delete,
        ])
    }

    /// A snooze in seconds. Under the system clock it is longer than the test, so that no item wakes.
    pub(crate) fn until(&mut self) -> i64 {
        if self.host.manual_clock().is_some() {
            self.random_seconds()
        } else {
            86_400 + self.random_seconds()
        }
    }

    pub(crate) fn mark_one(&mut self, device: usize) {
        let mark = self.random_mark();
        if self.devices[device].read_all_waits {
            return;
        }
        if let Some(item) = self.shown(device) {
            self.note(&format!("{mark:?} of {}", self.describe(&item)), device);
            self.devices[device].mark(&self.rules, &item, mark);
        }
    }

    fn mark_a_thread(&mut self) {
        let (device, mut mark) = (self.below(self.devices.len()), self.random_mark());
        if mark == Mark::Delete && !self.chance(10) {
            mark = Mark::Archive;
        }
        if self.devices[device].read_all_waits {
            return;
        }
        if let Some(item) = self.shown(device) {
            self.note(&format!("{mark:?} of the thread of {}", self.describe(&item)), device);
            self.devices[device].mark_thread(&self.rules, &item, mark);
        }
    }

    fn read_all(&mut self) {
        let (device, kind) = (self.below(self.devices.len()), self.random_kind());
        let upto = if self.chance(2) { self.shown(device) } else { None };
        let through = upto.as_ref().map(|item| self.describe(item));
        self.note(&format!("all read, {kind:?} up to {through:?}"), device);
        self.devices[device].read_all(kind, upto.as_ref());
    }

    pub(crate) fn random_kind(&mut self) -> Option<Kind> {
        self.pick(&[None, Some(Kind::Announcement), Some(Kind::Reminder), Some(Kind::Message)])
    }

    fn visit_view(&mut self) {
        let (device, all) = (self.below(self.devices.len()), self.chance(2));
        if let Some(item) = self.shown(device) {
            self.note(&format!("looks at the view of {}, all: {all}", self.describe(&item)), device);
            self.devices[device].visit(&self.rules, &item, all);
        }
    }

    fn describe(&self, item: &Item) -> String {
        let n = &item.notification;
        format!("{:?} {}", self.rules.find(n.msgid.as_str()), n.thread)
    }

    pub(crate) fn random_target(&mut self) -> (&'static str, &'static str) {
        self.pick(&TARGETS)
    }

    pub(crate) fn random_actor(&mut self) -> String {
        if self.chance(4) { self.random_user() } else { self.pick(&ACTORS).to_owned() }
    }
}
