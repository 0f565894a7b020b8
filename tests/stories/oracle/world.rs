//! The server, the readers and their devices, and beside them the rules, which receive the same operations.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use support::client::{Answer, Client};
use tidings_model::{MsgId, Stamp};
use tidings_replica as replica;
use tidings_sources as sources;
use tidings_testkit::lot;
use tidings_testkit::rules::{Position, PublicationKind, Rules};

use super::{
    catalog::is_auto,
    clocks::DeviceClock,
    device::{Bounds, Device, SendState},
    flaky_link::{Delivered, FlakyLink, HeldRequest},
    host::Host,
    log::Log,
    told::Told,
};

/// The readers, of whom the first two have devices. The other actors are no users.
pub(crate) const READERS: [&str; 3] = ["ana", "bo", "cy"];
pub(crate) const GROUPS: [&str; 2] = ["crew", "club"];

pub(crate) struct World {
    pub(crate) host: Host,
    pub(crate) rules: Rules,
    pub(crate) devices: Vec<Device>,
    pub(crate) rng: StdRng,
    pub(crate) log: Log,
    /// The number of names handed out, so that each name is used once.
    pub(crate) names: u32,
    /// Operations that were sent directly to the server, each with its user.
    pub(crate) old_ops: Vec<(String, Value)>,
    /// Users who were removed.
    pub(crate) gone: Vec<String>,
    /// The number of groups that ended.
    pub(crate) ended_groups: usize,
    /// The newest publication under the name of each sequence.
    pub(crate) sequences: BTreeMap<&'static str, Position>,
    /// The questions whose time was over before anybody answered.
    pub(crate) expired: BTreeSet<Position>,
    /// Whether the server's clock may be behind the stamps that it gave.
    pub(crate) is_clock_behind: bool,
    /// Requests that arrive later.
    pub(crate) held: Vec<Held>,
    /// What the toasts of each device told; empty if that is not looked at.
    pub(crate) told: Vec<Told>,
    /// Whether a device may have lost receipts that it had acknowledged.
    pub(crate) receipts_lost: bool,
    admin: Client,
    pub(crate) tokens: BTreeMap<String, String>,
}

/// A request of a device that arrives later.
pub(crate) struct Held {
    pub(crate) device: usize,
    /// The address to which it was sent. If the server has another one by now, it is lost.
    pub(crate) url: String,
    /// How many operations of the device were made when it was sent.
    pub(crate) upto: usize,
    pub(crate) link: FlakyLink,
    pub(crate) request: HeldRequest,
}

/// The bounds of a device, drawn from the seed of the history. The rules take what one request brings for all that waited on the
/// device, so that an operation is not divided, and shares its request. It never pauses between two pages, however little they
/// bring.
fn bounds(seed: u64, device: usize) -> Bounds {
    let usual = replica::Bounds::default();
    lot::drawn(seed.wrapping_add(device as u64), |lot| {
        let replica = replica::Bounds {
            marked_rows: usual.marked_rows,
            request_bytes: usual.request_bytes,
            ..replica::Bounds::picked(|least, usual| lot.bound(least, usual))
        };
        let pulls = sources::Bounds::picked(|least, usual| lot.bound(least, usual));
        let pulls = sources::Bounds { pause_millis: 0, ops: sources::Bounds::default().ops, ..pulls };
        let file = replica::FileBounds::picked(|least, usual| lot.bound(least, usual));
        Bounds { replica, file, pulls }
    })
}

impl World {
    /// A world in which nothing has happened yet.
    fn new(host: Host, rules: Rules, devices: Vec<Device>, seed: u64) -> Self {
        Self {
            admin: host.admin(),
            host,
            rules,
            devices,
            rng: StdRng::seed_from_u64(seed),
            log: Log::new(seed),
            names: 0,
            old_ops: Vec::new(),
            gone: Vec::new(),
            ended_groups: 0,
            sequences: BTreeMap::new(),
            expired: BTreeSet::new(),
            is_clock_behind: false,
            held: Vec::new(),
            told: Vec::new(),
            receipts_lost: false,
            tokens: BTreeMap::new(),
        }
    }

    pub(crate) async fn start(host: Host, seed: u64) -> Self {
        let mut world = Self::new(host, super::catalog::rules(), Vec::new(), seed);
        let admin = world.admin.clone();
        world.rules.add_user("admin");
        let mut catalog = admin.get("catalog").await.is(200);
        for (action, rule) in catalog["actions"].as_object_mut().unwrap() {
            rule["class"] = json!(if is_auto(action) { "auto" } else { "manual" });
            rule["default"] = json!(action != "assign");
        }
        catalog["reasons"]["create_product"] = json!(super::catalog::expand("create_product"));
        admin.put("catalog", catalog).await.success();
        for id in READERS {
            world.tokens.insert(id.to_owned(), admin.user(id, &["inbox"]).await.token);
            world.rules.add_user(id);
        }
        for gid in GROUPS {
            world.create_group(gid).await;
        }
        let devices = [("laptop", "ana"), ("desk", "ana"), ("phone", "bo")];
        for (nth, (name, user)) in devices.into_iter().enumerate() {
            let clock = DeviceClock::new(world.host.clock());
            let device = Device::new((name, user), &world.tokens[user], clock, &bounds(seed, nth));
            world.devices.push(device);
        }
        world.devices[0].wake_early();
        for device in 0..world.devices.len() {
            world.pull(device, None).await;
        }
        world
    }

    /// Another world that begins as this one is, with its server in this thread.
    pub(crate) async fn again(&self, seed: u64) -> Self {
        let server =
            self.host.thread().expect("its server is in this thread").again(&super::bounds(seed)).await;
        let host = Host::InThread(Box::new(server));
        let again = |(nth, device): (usize, &Device)| device.again(host.clock(), &bounds(seed, nth));
        let devices = self.devices.iter().enumerate().map(again).collect();
        let mut again = Self::new(host, self.rules.clone(), devices, seed);
        again.tokens.clone_from(&self.tokens);
        again
    }

    async fn create_group(&mut self, gid: &str) {
        let owner = if gid == GROUPS[0] { "ana" } else { "cy" };
        let group = json!({"id": gid, "name": gid, "members": ["bo"]});
        self.client(owner).post("groups", group).await.success();
        self.rules.groups.insert(gid.to_owned(), [owner, "bo"].map(str::to_owned).into());
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    pub(crate) fn now(&self) -> Stamp {
        self.host.clock().now()
    }

    /// A client with the reader's token; the admin's for users without one.
    pub(crate) fn client(&self, id: &str) -> Client {
        let token = self.tokens.get(id).unwrap_or(&self.admin.token);
        let mut client = self.admin.with_token(token);
        client.url = self.host.url();
        client
    }

    /// The path of a request on behalf of a user, with `user=` for users for whom the admin acts.
    pub(crate) fn own(&self, id: &str, path: &str) -> String {
        if self.tokens.contains_key(id) || id == "admin" {
            return path.to_owned();
        }
        format!("{path}{}user={id}", if path.contains('?') { '&' } else { '?' })
    }

    /// Reads from a user's inbox, which also brings in what waited, at the server and in the rules.
    pub(crate) async fn read(&mut self, id: &str, path: &str) -> Value {
        self.rules.pull(id);
        self.client(id).get(&self.own(id, path)).await.is(200)
    }

    /// Sends a POST. With `crash` its answer may be lost; it is then repeated under the same key and must be answered
    /// alike.
    pub(crate) async fn send(&mut self, who: &str, path: &str, body: Value, crash: bool) -> Answer {
        let key = format!("key-{}", self.name());
        let (client, path) = (self.client(who), self.own(who, path));
        let first = if crash {
            let (client, path, body, key) = (client, path.clone(), body.clone(), key.clone());
            let first_attempt = tokio::spawn(async move { client.post_keyed(&path, body, &key).await });
            self.crash_at_random_moment().await;
            let answer = first_attempt.await.unwrap();
            self.host.start().await;
            answer
        } else if self.chance(20) {
            client.post_keyed(&path, body.clone(), &key).await
        } else {
            None
        };
        let answer = self.client(who).post_keyed(&path, body, &key).await.expect("the server answers");
        if let Some(first) = first.filter(|first| first.status.is_success()) {
            assert_eq!((first.status, &first.body), (answer.status, &answer.body), "the first answer again");
        }
        answer
    }

    /// Crashes the server within the next 6 ms, during the current request.
    pub(crate) async fn crash_at_random_moment(&mut self) {
        let micros = self.rng.random_range(0..6_000);
        tokio::time::sleep(std::time::Duration::from_micros(micros)).await;
        self.host.crash().await;
    }

    /// Publishes one notification or several at once, at the server and in the rules.
    pub(crate) async fn publish(
        &mut self,
        who: &str,
        path: &str,
        publications: Vec<(Value, PublicationKind)>,
        crash: bool,
    ) {
        let single = publications.len() == 1 && !self.chance(8);
        let bodies: Vec<&Value> = publications.iter().map(|(fields, _)| fields).collect();
        let body = if single { bodies[0].clone() } else { json!(bodies) };
        let answer = self.send(who, path, body, crash).await.is(201);
        let posted = if single { vec![answer] } else { answer.as_array().unwrap().clone() };
        assert_eq!(posted.len(), publications.len());
        for (posted, (fields, kind)) in posted.into_iter().zip(publications) {
            let stamp = posted["stamp"].as_str().unwrap().parse().unwrap();
            let text = fields["body"].as_str().unwrap();
            self.rules.publish(posted["msgid"].as_str().unwrap(), stamp, text, kind);
        }
    }

    /// Applies the requests that arrived over a device's link to the rules.
    pub(crate) async fn server_received(&mut self, device: usize, delivered: Vec<Delivered>) {
        if self.devices[device].online {
            self.apply_delivered(device, delivered, None).await;
        }
    }

    /// Lets a request arrive that was held back.
    pub(crate) async fn deliver_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let nth = self.below(self.held.len());
        let Held { device, url, upto, link, request } = self.held.remove(nth);
        let is_lost = url != self.host.url();
        self.log.note(format!("{nth} of what was held arrives: {}", !is_lost));
        if is_lost {
            return;
        }
        self.tell_time().await;
        request.await;
        let delivered = link.delivered().await;
        self.apply_delivered(device, delivered, Some(upto)).await;
    }

    /// Applies what arrived; of a request that was held back `upto` says how many operations of the device are older.
    async fn apply_delivered(&mut self, device: usize, delivered: Vec<Delivered>, upto: Option<usize>) {
        let user = self.devices[device].user;
        for delivery in delivered {
            match delivery {
                Delivered::Read => self.rules.pull(user),
                Delivered::Ops(ops) => {
                    self.rules.pull(user);
                    let this = &mut self.devices[device];
                    let made = this.unsent_ops.len();
                    let received = this.received(&self.rules, ops, upto);
                    if received.len() > made {
                        self.log.note(format!("  the {} also woke items: {received:?}", this.name));
                    }
                    for reader_op in received {
                        self.rules.apply(user, &reader_op);
                    }
                }
                Delivered::Message(id, msgid) => self.record_written(device, &id, msgid).await,
                Delivered::AckReceipts(lines) => {
                    let nth =
                        |(msgid, reader): (MsgId, String)| (self.rules.find(msgid.as_str()).unwrap(), reader);
                    let acknowledged: BTreeSet<_> = lines.into_iter().map(nth).collect();
                    assert!(
                        acknowledged.is_subset(&self.rules.read_by),
                        "receipts for {user}: {acknowledged:?}"
                    );
                    self.rules.acknowledge(&acknowledged);
                }
            }
        }
    }

    async fn record_written(&mut self, device: usize, id: &str, msgid: Option<MsgId>) {
        let from = self.devices[device].user;
        let at = self.devices[device].written.iter().position(|message| message.id == id).unwrap();
        let message = self.devices[device].written[at].clone();
        let (recipient_type, to) = message.conversation.split_once(':').unwrap();
        let allowed = if recipient_type == "user" {
            self.rules.users.contains_key(to)
        } else {
            self.rules.members(to).contains(from)
        };
        let Some(msgid) = msgid else {
            assert!(!allowed, "{from} may write to {}", message.conversation);
            // If the answer was lost, the message is sent again, and the rules may allow it by then.
            if self.devices[device].was_refused(id) {
                self.devices[device].written[at].state = SendState::Refused;
            }
            return;
        };
        let state = SendState::Posted(msgid.clone());
        if message.state == SendState::Pending {
            assert!(allowed, "{from} may not write to {}", message.conversation);
            let path = format!("conversations/{}/messages?limit=100", message.conversation);
            let page = self.read(from, &path).await;
            let items = page["items"].as_array().unwrap();
            let item = items.iter().find(|item| item["msgid"] == msgid.as_str()).expect("it is there");
            let stamp = item["created_at"].as_str().unwrap().parse().unwrap();
            let (from, to) = (from.to_owned(), to.to_owned());
            let kind = if recipient_type == "user" {
                PublicationKind::Direct { from, to }
            } else {
                PublicationKind::Group { members: self.rules.members(&to), gid: to, from }
            };
            self.rules.publish(msgid.as_str(), stamp, &message.body, kind);
            self.devices[device].written[at].state = state;
        } else {
            assert_eq!(message.state, state, "a letter is posted once");
        }
    }
}
