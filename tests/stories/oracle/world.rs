//! Everyone at once: the server, the readers and their devices, and beside them the rules, which are told the same.
//! Refuses to go on when the two disagree on an answer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::client::Client;
use tidings_model::{MsgId, Stamp};

use super::{
    device::{Device, Fate},
    host::Host,
    line::Heard,
    reading::Deed,
    rules::{Rules, What, is_auto},
};

/// Readers; the first two have devices. Who else acts is no user.
pub(crate) const READERS: [&str; 3] = ["ana", "bo", "cy"];
pub(crate) const GROUPS: [&str; 2] = ["crew", "club"];

pub(crate) struct World {
    pub(crate) host: Host,
    pub(crate) rules: Rules,
    pub(crate) devices: Vec<Device>,
    pub(crate) dice: StdRng,
    pub(crate) log: Log,
    /// Makes names that are used once.
    pub(crate) names: u32,
    /// Operations that were sent straight to the server, and by whom.
    pub(crate) old_ops: Vec<(String, Value)>,
    admin: Client,
    tokens: BTreeMap<&'static str, String>,
}

/// What happened last, for whoever has to find out why.
pub(crate) struct Log {
    seed: u64,
    /// Tells everything at once.
    all: bool,
    lines: VecDeque<String>,
}

impl Log {
    pub(crate) fn note(&mut self, line: String) {
        if self.all {
            println!("{line}");
        }
        if self.lines.len() == 60 {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let lines = self.lines.make_contiguous().join("\n");
            eprintln!("—— the last of it; again with TIDINGS_SEED={} ——\n{lines}", self.seed);
        }
    }
}

impl World {
    pub(crate) async fn begin(host: Host, seed: u64) -> Self {
        let admin = host.admin();
        let mut world = Self {
            admin: admin.clone(),
            host,
            rules: Rules::default(),
            devices: Vec::new(),
            dice: StdRng::seed_from_u64(seed),
            log: Log { seed, all: std::env::var_os("TIDINGS_TOLD").is_some(), lines: VecDeque::new() },
            names: 0,
            old_ops: Vec::new(),
            tokens: BTreeMap::new(),
        };
        world.rules.add_user("admin");
        let mut catalog = admin.get("/catalog").await;
        for (action, rule) in catalog["actions"].as_object_mut().unwrap() {
            rule["class"] = json!(if is_auto(action) { "auto" } else { "manual" });
            rule["default"] = json!(action != "assign");
        }
        catalog["reasons"]["create_product"] = json!(super::rules::expand("create_product"));
        let (status, answer) = admin.api(Method::PUT, "/catalog", catalog).await;
        assert!(status.is_success(), "{answer}");
        for id in READERS {
            world.tokens.insert(id, admin.user(id, &["inbox"]).await.token);
            world.rules.add_user(id);
        }
        for gid in GROUPS {
            world.found(gid).await;
        }
        for (name, user) in [("laptop", "ana"), ("desk", "ana"), ("phone", "bo")] {
            let device = Device::new(name, user, &world.tokens[user], world.host.clock());
            world.devices.push(device);
        }
        if world.host.hand().is_some() {
            // Where a program is killed, nobody can tell what it woke until it is heard.
            world.devices[0].wake_early();
        }
        for device in 0..world.devices.len() {
            world.pull(device, None).await;
        }
        world
    }

    async fn found(&mut self, gid: &str) {
        let owner = if gid == GROUPS[0] { "ana" } else { "cy" };
        let group = json!({"id": gid, "name": gid, "members": ["bo"]});
        self.client(owner).post("/groups", group).await;
        self.rules.groups.insert(gid.to_owned(), [owner, "bo"].map(str::to_owned).into());
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.dice.random_range(0..n)
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

    /// With a token of the reader's own; whoever has none is acted for by the admin.
    pub(crate) fn client(&self, id: &str) -> Client {
        let token = self.tokens.get(id).unwrap_or(&self.admin.token);
        let mut client = self.admin.with_token(token);
        client.url = self.host.url();
        client
    }

    /// A path under which a user's own things are asked for.
    pub(crate) fn own(&self, id: &str, path: &str) -> String {
        if self.tokens.contains_key(id) || id == "admin" {
            return path.to_owned();
        }
        format!("{path}{}user={id}", if path.contains('?') { '&' } else { '?' })
    }

    /// Reads something of a user's inbox: the rules bring in what was waiting, too.
    pub(crate) async fn read(&mut self, id: &str, path: &str) -> Value {
        self.rules.pull(id);
        self.client(id).get(&self.own(id, path)).await
    }

    /// A POST whose answer may be lost: then it is asked again under the same key, and the answer is the same.
    pub(crate) async fn send(
        &mut self,
        who: &str,
        path: &str,
        body: Value,
        crash: bool,
    ) -> (StatusCode, Value) {
        let key = format!("key-{}", self.name());
        let (client, path) = (self.client(who), self.own(who, path));
        let first = if crash {
            let (client, path, body, key) = (client, path.clone(), body.clone(), key.clone());
            let asked = tokio::spawn(async move { client.keyed(&path, body, &key).await });
            self.crash_somewhen().await;
            let answer = asked.await.unwrap();
            self.host.start().await;
            answer
        } else if self.chance(20) {
            client.keyed(&path, body.clone(), &key).await
        } else {
            None
        };
        let answer = self.client(who).keyed(&path, body, &key).await.expect("the server answers");
        if let Some(first) = first.filter(|(status, _)| status.is_success()) {
            assert_eq!(first, answer, "the first answer again");
        }
        answer
    }

    /// The server crashes, at some point of what it is asked just now.
    pub(crate) async fn crash_somewhen(&mut self) {
        let micros = self.dice.random_range(0..6_000);
        tokio::time::sleep(std::time::Duration::from_micros(micros)).await;
        self.host.crash().await;
    }

    /// Publishes one thing or several at once, and tells the rules.
    pub(crate) async fn publish(&mut self, who: &str, path: &str, things: Vec<(Value, What)>, crash: bool) {
        let one = things.len() == 1 && !self.chance(8);
        let asked: Vec<&Value> = things.iter().map(|(thing, _)| thing).collect();
        let body = if one { asked[0].clone() } else { json!(asked) };
        let (status, answer) = self.send(who, path, body, crash).await;
        assert_eq!(status, StatusCode::CREATED, "{path}: {answer}");
        let posted = if one { vec![answer] } else { answer.as_array().unwrap().clone() };
        assert_eq!(posted.len(), things.len());
        for (posted, (thing, what)) in posted.into_iter().zip(things) {
            let stamp = posted["stamp"].as_str().unwrap().parse().unwrap();
            let text = thing["body"].as_str().unwrap();
            self.rules.publish(posted["msgid"].as_str().unwrap(), stamp, text, what);
        }
    }

    /// Tells the rules what arrived over a device's line.
    pub(crate) async fn hear(&mut self, device: usize, heard: Vec<Heard>) {
        let user = self.devices[device].user;
        if !self.devices[device].online {
            return;
        }
        for one in heard {
            match one {
                Heard::Read => self.rules.pull(user),
                Heard::Ops(_) => {
                    self.rules.pull(user);
                    for deed in std::mem::take(&mut self.devices[device].waiting) {
                        self.rules.apply(user, &deed);
                        if let Deed::Mark { items, .. } = deed {
                            self.devices[device].unsure.extend(items);
                        }
                    }
                }
                Heard::Letter(id, msgid) => self.letter(device, &id, msgid).await,
                Heard::Forget(lines) => {
                    let nth =
                        |(msgid, reader): (MsgId, String)| (self.rules.find(msgid.as_str()).unwrap(), reader);
                    let kept: BTreeSet<_> = lines.into_iter().map(nth).collect();
                    assert!(kept.is_subset(&self.rules.read_by), "receipts for {user}: {kept:?}");
                    self.rules.delivered(&kept);
                }
            }
        }
    }

    async fn letter(&mut self, device: usize, id: &str, msgid: Option<MsgId>) {
        let from = self.devices[device].user;
        let at = self.devices[device].letters.iter().position(|letter| letter.id == id).unwrap();
        let letter = self.devices[device].letters[at].clone();
        let (sort, to) = letter.conversation.split_once(':').unwrap();
        let allowed = if sort == "user" {
            self.rules.users.contains_key(to)
        } else {
            self.rules.members(to).contains(from)
        };
        let Some(msgid) = msgid else {
            assert!(!allowed, "{from} may write to {}", letter.conversation);
            // Where that answer was lost, it is asked again, and things may be different then.
            if self.devices[device].was_refused(id) {
                self.devices[device].letters[at].fate = Fate::Refused;
            }
            return;
        };
        let fate = Fate::Posted(msgid.clone());
        if letter.fate == Fate::Waits {
            assert!(allowed, "{from} may not write to {}", letter.conversation);
            let path = format!("/conversations/{}/messages?limit=100", letter.conversation);
            let page = self.read(from, &path).await;
            let items = page["items"].as_array().unwrap();
            let item = items.iter().find(|item| item["msgid"] == msgid.as_str()).expect("it is there");
            let stamp = item["created_at"].as_str().unwrap().parse().unwrap();
            let (from, to) = (from.to_owned(), to.to_owned());
            let what = if sort == "user" {
                What::Direct { from, to }
            } else {
                What::Group { members: self.rules.members(&to), gid: to, from }
            };
            self.rules.publish(msgid.as_str(), stamp, &letter.body, what);
            self.devices[device].letters[at].fate = fate;
        } else {
            assert_eq!(letter.fate, fate, "a letter is posted once");
        }
    }
}
