//! A backup of the server is restored: the server is as it was then, and every device pulls from the beginning. Devices keep
//! what the server no longer has, and send again what they had marked since.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use tidings_model::Notification;
use tidings_replica::ItemFilter;
use tidings_sync::pull_once;
use tidings_testkit::rules::Position;

use super::Simulation;

/// Pulls of every device until all have what the others sent. The first one begins anew and finds what was lost, the
/// second sends it, the others get it.
const ROUNDS: usize = 4;

/// What server and device must agree on: content, question, and whether it is read, archived, asleep.
fn comparable(item: &Value) -> Value {
    let is_set = |name: &str| item[name].is_string();
    json!([
        item["body"],
        item["title"],
        item["question"]["state"],
        is_set("read_at"),
        is_set("archived_at"),
        item["snoozed_until"]
    ])
}

impl Simulation<'_> {
    pub(super) async fn restore_backup(&mut self) {
        let Some(backup) = self.backup.take() else { return };
        self.world.log.note("the backup of the server is restored".into());
        let before: Vec<BTreeSet<String>> =
            (0..self.world.devices.len()).map(|device| self.msgids(device)).collect();
        let server = self.world.host.thread_mut().expect("it is in this thread");
        server.restore(&backup.file()).await;
        self.world.rules = backup.rules;
        if backup.jumps < self.jumps {
            // The time of what was asked before the days passed is over.
            let open = 0..self.world.rules.now();
            let closed: Vec<Position> = open.filter(|nth| self.world.rules.close(*nth)).collect();
            self.world.expired.extend(closed);
        }
        self.world.tell_time().await;
        Box::pin(self.world.check_server()).await;

        for device in 0..self.world.devices.len() {
            let user = self.world.devices[device].user;
            self.new_token(device, user).await;
        }
        for _ in 0..ROUNDS {
            for device in 0..self.world.devices.len() {
                let link = self.world.link(device, None);
                let this = &self.world.devices[device];
                pull_once(this.replica(), this.source, Arc::new(link)).await.unwrap();
            }
        }
        for (device, before) in before.iter().enumerate() {
            self.check_restored(device, before).await;
            self.check_search(device);
            self.check_threads(device);
        }
        assert_eq!(self.world.host.check().await, [""; 0], "the server's own recount");
    }

    /// The msgids of the items that a device shows.
    fn msgids(&self, device: usize) -> BTreeSet<String> {
        let shown = self.world.devices[device].shown(&ItemFilter::default(), usize::MAX >> 1);
        shown.into_iter().map(|item| item.notification.msgid.0).collect()
    }

    /// Asserts that a device shows what the server has, and beside it only what the server has lost.
    async fn check_restored(&self, device: usize, before: &BTreeSet<String>) {
        let device = &self.world.devices[device];
        let (items, _, _) = self.world.client(device.user).pull(None, 1_000).await;
        let named = items.iter().map(|item| (item["msgid"].as_str().unwrap(), item));
        let at_server: BTreeMap<&str, &Value> = named.collect();
        let shown: BTreeMap<String, Notification> = device
            .shown(&ItemFilter::default(), usize::MAX >> 1)
            .into_iter()
            .map(|item| (item.notification.msgid.0.clone(), item.notification))
            .collect();
        for (msgid, item) in &at_server {
            let here = shown.get(*msgid).map(|n| comparable(&json!(n)));
            let expected = (item["deleted"] == false).then(|| comparable(item));
            assert_eq!(here, expected, "{item} on the {}", device.name);
        }
        for (msgid, n) in shown.iter().filter(|(msgid, _)| !at_server.contains_key(msgid.as_str())) {
            assert!(before.contains(msgid), "nobody sent it to the {}: {n:?}", device.name);
        }
        let is_kept = |msgid: &str| shown.contains_key(msgid) || at_server.contains_key(msgid);
        let lost: Vec<&String> = before.iter().filter(|msgid| !is_kept(msgid)).collect();
        assert!(lost.is_empty(), "the {} keeps what the server has lost: {lost:?}", device.name);
        assert_eq!(device.check(), [""; 0], "the recount of the {}", device.name);
    }
}
