//! Comparisons of server, devices and rules, item by item and count by count.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tidings_model::{Kind, MsgId, Stamp};
use tidings_replica::ItemFilter;
use tidings_testkit::rules::{Entry, Position, PublicationKind};

use super::{
    device::{Device, SendState},
    world::World,
};

impl World {
    /// Puts every device online, pulls until nothing waits, and compares everything.
    pub(crate) async fn settle_and_compare(&mut self) {
        for device in &mut self.devices {
            device.online = true;
        }
        // An operation that one device sends late reaches the other device in its next pull. Who has no device pulls in
        // between, so that the devices hear with whom all has arrived.
        for _ in 0..2 {
            for device in 0..self.devices.len() {
                self.pull(device, None).await;
            }
            let users: Vec<String> = self.rules.users.keys().cloned().collect();
            for who in &users {
                self.pull_all(who).await;
            }
        }
        for device in 0..self.devices.len() {
            self.pull(device, None).await;
        }
        self.check_server().await;
        for device in 0..self.devices.len() {
            self.check_device(device).await;
        }
        self.check_receipts().await;
    }

    /// The number of occurrences of each event, so that a history with too few of one fails.
    pub(crate) fn coverage(&self) -> Vec<(&'static str, u64)> {
        let rules = &self.rules;
        let entries =
            || rules.users.iter().flat_map(|(id, user)| user.inbox.iter().map(move |one| (id, one)));
        let items = |fits: &dyn Fn(&str, Position, &Entry) -> bool| {
            entries().filter(|(id, (nth, entry))| fits(id, **nth, entry)).count() as u64
        };
        let of = |kind| move |_: &str, nth: Position, _: &Entry| rules.kind(nth) == kind;
        vec![
            ("announcements", items(&of(Kind::Announcement))),
            ("reminders", items(&of(Kind::Reminder))),
            ("messages", items(&of(Kind::Message))),
            ("read", items(&|id, nth, _| rules.is_read(id, nth))),
            ("unread", items(&|id, nth, _| rules.is_unread(id, nth, self.now()))),
            ("archived", items(&|_, _, entry| entry.archived)),
            ("snoozed once", items(&|_, _, entry| entry.snoozed.is_some())),
            ("deleted", items(&|_, _, entry| entry.deleted)),
            ("receipts", rules.receipts.len() as u64),
            ("asked", rules.history.iter().filter(|published| published.asks).count() as u64),
            ("edited", rules.history.iter().filter(|published| published.revised.is_some()).count() as u64),
            (
                "taken back",
                rules.history.iter().filter(|published| published.withdrawn.is_some()).count() as u64,
            ),
            ("written on devices", self.devices.iter().map(|device| device.written.len() as u64).sum()),
        ]
    }

    /// The numbers of users and groups that went.
    pub(crate) fn went(&self) -> [usize; 2] {
        [self.gone.len(), self.ended_groups]
    }

    /// Asserts that every inbox and every count of the server agrees with the rules.
    pub(crate) async fn check_server(&mut self) {
        assert_eq!(self.host.check().await, [""; 0], "the server's own recount");
        let users: Vec<String> = self.rules.users.keys().cloned().collect();
        for who in users {
            let items = self.pull_all(&who).await;
            let at_server: BTreeSet<&str> = items.keys().map(String::as_str).collect();
            let named =
                self.rules.users[&who].inbox.keys().map(|nth| self.rules.history[*nth].msgid.as_str());
            let named: BTreeSet<&str> = named.collect();
            let different: Vec<_> = at_server
                .symmetric_difference(&named)
                .map(|msgid| &self.rules.history[self.rules.find(msgid).unwrap()])
                .collect();
            assert!(different.is_empty(), "{who} has exactly what the rules name: {different:?}");
            for (msgid, item) in &items {
                self.check_item(&who, self.rules.find(msgid).unwrap(), item);
            }
            let unread = self.read(&who, "unread?cap=1000").await;
            self.check_counts(&who, &unread, 1_000);
            self.check_conversations(&who).await;
            for archived in [false, true] {
                self.check_inbox(&who, None, archived, false, 997, usize::MAX).await;
            }
            self.check_inbox(&who, None, false, true, 97, usize::MAX).await;
        }
    }

    /// Pulls from the beginning, page by page, and asserts that no item repeats and stamps only grow.
    async fn pull_all(&mut self, who: &str) -> BTreeMap<String, Value> {
        let limit = 1 + self.below(700);
        let mut items = BTreeMap::new();
        let (mut last, mut since) = (Stamp::ZERO, String::new());
        loop {
            let page = self.read(who, &format!("sync?limit={limit}{since}")).await;
            for item in page["items"].as_array().unwrap() {
                let stamp = time(&item["stamp"]).unwrap();
                assert!(stamp > last, "stamps grow");
                last = stamp;
                let name = item["msgid"].as_str().unwrap().to_owned();
                assert!(items.insert(name, item.clone()).is_none(), "twice: {item}");
            }
            since = format!("&since={}", page["next"].as_str().unwrap());
            if page["more"] == false {
                self.rules.arrive(who);
                return items;
            }
        }
    }

    fn check_item(&self, who: &str, nth: Position, item: &Value) {
        let published = &self.rules.history[nth];
        let entry = &self.rules.users[who].inbox[&nth];
        let expected = match &published.kind {
            PublicationKind::Announcement { .. } => json!([null, null, null]),
            PublicationKind::Reminder { actor, action, target } => json!([actor, action, target]),
            PublicationKind::Direct { from, .. } | PublicationKind::Group { from, .. } => {
                json!([from, null, null])
            }
        };
        let target = item["target"]
            .as_object()
            .map(|target| format!("{}:{}", target["type"].as_str().unwrap(), target["id"].as_str().unwrap()));
        let actor =
            if self.rules.kind(nth) == Kind::Announcement { &Value::Null } else { &item["actor"]["id"] };
        assert_eq!(json!([actor, item["action"], target]), expected, "{item}");
        let identity = (item["kind"].as_str(), item["thread"].as_str(), time(&item["created_at"]));
        let thread = self.rules.thread(who, nth);
        let rules = (Some(self.rules.kind(nth).as_str()), Some(thread.as_str()), Some(published.stamp));
        assert_eq!(identity, rules, "{item}");
        let conversation = self.rules.conversation(who, nth);
        assert_eq!(item["conversation"], json!(conversation), "{item}");
        assert_eq!(item["deleted"], entry.deleted, "{who} has deleted {nth}: {item}");
        if entry.deleted {
            assert_eq!((&item["body"], &item["receipt"]), (&json!(""), &Value::Null), "{item}");
            return;
        }
        assert_eq!(item["body"], published.body.as_str());
        let state = published.asks.then_some(match entry.closed {
            false => "open",
            true if self.expired.contains(&nth) => "expired",
            true => "answered",
        });
        assert_eq!(item["question"]["state"], json!(state), "what became of {nth} for {who}");
        let marks = ["seen_at", "read_at", "archived_at"].map(|mark| item[mark].is_string());
        // A crash in the middle of reading everything may leave the reader's own messages after the last unread one as they
        // are. They are never unread.
        let is_own = self.host.thread().is_none() && conversation.is_some() && self.rules.own(who, nth);
        let read = if is_own { marks[1] } else { self.rules.is_read(who, nth) };
        let rules = [entry.seen, read, entry.archived];
        assert_eq!(marks, rules, "seen, read, archived of {nth} for {who}: {item}");
        assert_eq!(time(&item["snoozed_until"]), entry.snoozed, "{nth} of {who} sleeps");
        let mut at_server = item["receipt"].clone();
        let receipt = match &published.kind {
            PublicationKind::Group { members, from, .. } if from == who => {
                // A page may have arrived of which nobody here heard, because the link broke.
                let arrived = at_server["delivered"].take().as_u64().unwrap();
                let possible = self.rules.arrived(nth).len() as u64..=members.len() as u64 - 1;
                assert!(
                    possible.contains(&arrived),
                    "{nth} of {who} has arrived with {arrived}, not {possible:?}"
                );
                json!({"read": self.rules.readers(nth).len(), "delivered": null, "members": members.len() - 1})
            }
            _ => Value::Null,
        };
        assert_eq!(at_server, receipt, "{nth} of {who}");
    }

    /// Asserts that a list, read page by page, has exactly the items that the filter lets through.
    pub(crate) async fn check_inbox(
        &mut self,
        who: &str,
        kind: Option<Kind>,
        archived: bool,
        unread: bool,
        limit: usize,
        pages: usize,
    ) {
        let of = kind.map_or(String::new(), |kind| format!("&kind={}", kind.as_str()));
        let query = format!("inbox?limit={limit}&archived={archived}&unread={unread}{of}");
        let (mut got, mut before, mut page) = (Vec::new(), String::new(), 0);
        loop {
            let answer = self.read(who, &format!("{query}{before}")).await;
            let items = answer["items"].as_array().unwrap();
            got.extend(items.iter().map(|item| self.rules.find(item["msgid"].as_str().unwrap()).unwrap()));
            page += 1;
            match answer["next"].as_str() {
                Some(next) if page < pages => before = format!("&before={next}"),
                next => {
                    let mut listed = self.listed(who, kind, archived, unread);
                    if next.is_some() {
                        assert!(listed.len() > got.len(), "there is more in {query}");
                        listed.truncate(got.len());
                    }
                    assert_eq!(got, listed, "{who} asks for {query}");
                    return;
                }
            }
        }
    }

    pub(crate) async fn check_conversations(&mut self, who: &str) {
        let answer = self.read(who, "conversations?cap=1000").await;
        let mut newest: BTreeMap<String, Position> = BTreeMap::new();
        for (nth, _) in self.rules.users[who].inbox.iter().filter(|(_, entry)| !entry.deleted) {
            if let Some(conversation) = self.rules.conversation(who, *nth) {
                newest.insert(conversation, *nth);
            }
        }
        let counts = self.rules.unread(who, self.now()).conversations;
        let mut rules: Vec<(Position, Value)> = newest
            .into_iter()
            .map(|(id, nth)| {
                let unread = counts.get(&id).copied().unwrap_or_default();
                (nth, json!([id, self.rules.history[nth].msgid, unread.min(1_000)]))
            })
            .collect();
        rules.sort_by_key(|(nth, _)| std::cmp::Reverse(*nth));
        let at_server: Vec<Value> = answer
            .as_array()
            .unwrap()
            .iter()
            .map(|one| json!([one["id"], one["last"]["msgid"], one["unread"]["count"]]))
            .collect();
        assert_eq!(
            at_server,
            rules.into_iter().map(|(_, one)| one).collect::<Vec<_>>(),
            "conversations of {who}"
        );
    }

    /// Asserts that a device shows exactly the server's items, and that its counters equal a recount.
    async fn check_device(&mut self, device: usize) {
        let user = self.devices[device].user;
        let items = self.pull_all(user).await;
        let device = &self.devices[device];
        let shown = device.shown(&ItemFilter::default(), usize::MAX >> 1);
        let on_device: BTreeMap<String, Value> = shown
            .iter()
            .map(|item| (item.notification.msgid.0.clone(), self.comparable(json!(item.notification))))
            .collect();
        assert_eq!(on_device.len(), shown.len(), "nothing is there twice");
        let at_server: BTreeMap<String, Value> =
            items.into_iter().filter(|(_, item)| item["deleted"] == false).collect();
        let at_server: BTreeMap<String, Value> =
            at_server.into_iter().map(|(msgid, item)| (msgid, self.comparable(item))).collect();
        for (msgid, item) in &at_server {
            assert_eq!(on_device.get(msgid), Some(item), "on the {}", device.name);
        }
        assert_eq!(on_device.len(), at_server.len(), "the {} has nothing else", device.name);
        assert_eq!(device.check(), [""; 0], "the recount of the {}", device.name);
        for item in &shown {
            let nth = self.rules.find(item.notification.msgid.as_str()).unwrap();
            let unread = self.rules.is_unread(user, nth, self.now());
            assert_eq!((item.unread, item.own, item.pending), (unread, self.rules.own(user, nth), false));
        }
        let remaining = device.replica().outgoing(device.source).unwrap();
        let refused = device.written.iter().filter(|message| message.state == SendState::Refused).count();
        assert_eq!(remaining.len(), refused, "only what was refused is left of what was written");
        assert!(remaining.iter().all(|message| message.refused.is_some()));
    }

    /// An item in which only *whether* a view's mark covers it is left to compare, not the time of the mark. The times
    /// may differ if one device reads everything and another has deleted the newest items meanwhile.
    fn comparable(&self, mut item: Value) -> Value {
        let nth = self.rules.find(item["msgid"].as_str().unwrap()).unwrap();
        if self.rules.auto(nth) {
            item["read_at"] = json!(item["read_at"].is_string());
        }
        item
    }

    /// Asserts that each receipt is with its sender, on one of the devices or still at the server. The server's list of
    /// readers must agree with the rules.
    async fn check_receipts(&mut self) {
        let admin = self.client("admin");
        for nth in 0..self.rules.now() {
            let published = self.rules.history[nth].clone();
            let PublicationKind::Group { gid, from, members } = &published.kind else { continue };
            if published.withdrawn.is_some()
                || self.may_be_forgotten(nth)
                || !self.rules.groups.contains_key(gid)
            {
                continue;
            }
            let path = format!("groups/{gid}/messages/{}/receipts", published.msgid);
            let answer = admin.get(&path).await.is(200);
            let read: BTreeMap<String, Stamp> = answer["read"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| (one["user"].as_str().unwrap().to_owned(), time(&one["at"]).unwrap()))
                .collect();
            // Who is gone counts, and is not named any more.
            let is_there = |id: &&str| self.rules.users.contains_key(*id);
            let counted = self.rules.readers(nth);
            let readers: Vec<&str> = counted.iter().copied().filter(is_there).collect();
            assert_eq!(read.keys().map(String::as_str).collect::<Vec<_>>(), readers, "who read {nth}");
            let unread: Vec<&String> =
                members.iter().filter(|one| *one != from && !counted.contains(&one.as_str())).collect();
            let unread: Vec<&String> = unread.into_iter().filter(|one| is_there(&one.as_str())).collect();
            assert_eq!(answer["unread"], json!(unread), "who did not read {nth}");
            let arrived = self.rules.arrived(nth);
            let deleted = self.rules.users.get(from).is_none_or(|user| user.inbox[&nth].deleted);
            if !deleted {
                let only = arrived.iter().copied().filter(|one| !counted.contains(one) && is_there(one));
                let only: Vec<&str> = only.collect();
                assert_eq!(answer["delivered"], json!(only), "with whom {nth} has arrived");
                assert_eq!(answer["delivered_count"], arrived.len(), "with how many {nth} has arrived");
            }
            let counts = (answer["read_count"].as_u64(), answer["member_count"].as_u64());
            assert_eq!(counts, (Some(counted.len() as u64), Some(members.len() as u64 - 1)));
            let devices: Vec<&Device> = self.devices.iter().filter(|device| device.user == from).collect();
            let receipts_on_devices: BTreeMap<String, Stamp> =
                devices.iter().flat_map(|device| receipts_on(device, &published.msgid)).collect();
            let receipts_on_devices: BTreeMap<String, Stamp> =
                receipts_on_devices.into_iter().filter(|(id, _)| is_there(&id.as_str())).collect();
            if deleted || devices.is_empty() {
                assert_eq!(receipts_on_devices, BTreeMap::new(), "receipts of a message that nobody has");
            } else if !self.receipts_lost {
                assert_eq!(receipts_on_devices, read, "receipts of {nth} are with {from}");
            }
        }
        for device in &self.devices {
            let remaining = self.client(device.user).get("receipts").await.is(200);
            assert_eq!(remaining["receipts"], json!([]), "what was delivered to {} is gone", device.user);
        }
        let remaining = self.client("cy").get("receipts?limit=5000").await.is(200);
        assert_eq!(
            remaining["receipts"].as_array().unwrap().len(),
            self.rules.unacknowledged_receipts("cy").len()
        );
    }
}

fn receipts_on(device: &Device, msgid: &str) -> Vec<(String, Stamp)> {
    let readers = device.replica().receipts_of(device.source, &MsgId(msgid.to_owned())).unwrap();
    readers.into_iter().map(|reader| (reader.id, reader.at)).collect()
}

fn time(value: &Value) -> Option<Stamp> {
    value.as_str().map(|text| text.parse().unwrap())
}
