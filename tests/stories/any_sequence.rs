//! Whatever happens, in whatever order, replicas and server end up saying the same, and every counter is a recount.
//! Refuses to know why: it plays random days, and shows the shortest one that ends badly.

use std::{path::PathBuf, sync::Arc};

use proptest::prelude::*;
use reqwest::Method;
use serde_json::{Value, json};
use support::{client::Client, program::free_port};
use tempfile::TempDir;
use tidings_model::{SystemClock, wire::Scope};
use tidings_replica::{ItemFilter, Mark, NewSource, Replica, SourceId, Targets};
use tidings_server::{Server, ServerConfig, serve};
use tidings_sync::{Since, Source, pull_once, source::Tidings};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Something that happens on a day.
#[derive(Debug, Clone)]
enum Step {
    /// The operators tell everyone.
    Announce,
    /// Bo writes to Ana, or Ana to Bo.
    Message { own: bool },
    /// Somebody comments on an article that Ana follows, under one of a few names.
    Comment { who: u8, article: u8 },
    /// Ana marks one item on one of her machines.
    Mark { machine: usize, item: usize, mark: u8 },
    /// Ana marks all read on one of her machines.
    AllRead { machine: usize },
    /// Ana does something on her phone, straight at the server.
    Phone { item: usize, op: u8 },
    /// Ana looks at her conversation with Bo on her phone.
    PhoneVisits,
    /// A machine sends what waits and pulls everything.
    Pull { machine: usize },
    /// A machine gets a few pages of some size, the last one twice, and the power goes.
    PullAndCrash { machine: usize, limit: usize, pages: usize },
    /// The server is started again.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let machine = 0..2_usize;
    prop_oneof![
        3 => Just(Step::Announce),
        3 => any::<bool>().prop_map(|own| Step::Message { own }),
        4 => (0..4_u8, 0..2_u8).prop_map(|(who, article)| Step::Comment { who, article }),
        5 => (machine.clone(), 0..40_usize, 0..7_u8).prop_map(|(machine, item, mark)| Step::Mark { machine, item, mark }),
        1 => machine.clone().prop_map(|machine| Step::AllRead { machine }),
        3 => (0..40_usize, 0..6_u8).prop_map(|(item, op)| Step::Phone { item, op }),
        1 => Just(Step::PhoneVisits),
        4 => machine.clone().prop_map(|machine| Step::Pull { machine }),
        2 => (machine, 1..8_usize, 1..4_usize).prop_map(|(machine, limit, pages)| Step::PullAndCrash { machine, limit, pages }),
        1 => Just(Step::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_day_ends_with_replicas_and_server_in_agreement(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(play(steps));
    }
}

/// Days to play: few each time, many when somebody asks for them.
fn cases() -> u32 {
    std::env::var("TIDINGS_DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(24)
}

async fn play(steps: Vec<Step>) {
    let mut day = Day::begin().await;
    for step in steps {
        day.happens(step).await;
    }
    day.ends().await;
}

/// One machine of Ana's.
struct Machine {
    dir: TempDir,
    replica: Option<Replica>,
    source: SourceId,
}

impl Machine {
    fn replica(&self) -> &Replica {
        self.replica.as_ref().unwrap()
    }

    /// The newest items that are here, by a number that wraps around.
    fn msgid(&self, nth: usize) -> Option<tidings_model::MsgId> {
        let items = self.replica().items(&ItemFilter::default(), 40).unwrap();
        (!items.is_empty()).then(|| items[nth % items.len()].notification.msgid.clone())
    }

    fn crash(&mut self) {
        self.replica = None;
        self.replica = Some(Replica::open(self.dir.path(), Arc::new(SystemClock)).unwrap());
    }
}

struct Day {
    data: TempDir,
    port: u16,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    admin: Client,
    ana: Client,
    bo: Client,
    machines: Vec<Machine>,
    ops: u32,
}

async fn serve_at(data: PathBuf, port: u16, stop: CancellationToken) -> (u16, Server, JoinHandle<()>) {
    let server = Server::open(ServerConfig::new(data), Arc::new(SystemClock)).await.unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (api, until) = (server.clone(), stop.cancelled_owned());
    let serving = tokio::spawn(async move { serve(listener, api, until).await.unwrap() });
    (port, server, serving)
}

impl Day {
    async fn begin() -> Self {
        let data = TempDir::new().unwrap();
        let stop = CancellationToken::new();
        let (port, server, serving) = serve_at(data.path().to_owned(), free_port(), stop.clone()).await;
        let url = format!("http://127.0.0.1:{port}");
        let token = server.owner("admin", "Admin", "test", &[Scope::Admin]).await.unwrap();
        let admin = Client::new(&url, &token.token);
        let ana = admin.user("ana", &["inbox"]).await;
        let bo = admin.user("bo", &["inbox", "publish"]).await;
        for article in 0..2 {
            let subscription =
                json!({"target": {"type": "article", "id": article.to_string()}, "reason": "create_article"});
            let (status, answer) = ana.api(Method::PUT, "/subscriptions", subscription).await;
            assert!(status.is_success(), "{answer}");
        }
        let machines = (0..2).map(|_| machine(&url)).collect();
        Self { data, port, stop, serving, admin, ana, bo, machines, ops: 0 }
    }

    fn source(&self) -> Arc<dyn Source> {
        Arc::new(Tidings::new(&self.ana.url, self.ana.token.clone(), Arc::new(SystemClock)).unwrap())
    }

    async fn pull(&self, machine: usize) {
        let machine = &self.machines[machine];
        pull_once(machine.replica(), machine.source, self.source()).await.unwrap();
    }

    async fn happens(&mut self, step: Step) {
        match step {
            Step::Announce => {
                self.admin.post("/announcements", json!({"title": "Maintenance", "body": "Tonight"})).await;
            }
            Step::Message { own } => {
                let (from, to) = if own { (&self.ana, "bo") } else { (&self.bo, "ana") };
                from.post("/messages", json!({"to": to, "body": "Are you there?"})).await;
            }
            Step::Comment { who, article } => {
                // One of the names is Ana's own: she is not told what she did herself.
                let actor = ["ana", "bo", "chen", "dana"][usize::from(who)];
                let target =
                    json!({"type": "article", "id": article.to_string(), "title": "Tides", "owner": "ana"});
                self.bo
                    .post(
                        "/reminders",
                        json!({"actor": actor, "action": "comment", "target": target, "body": "Well said"}),
                    )
                    .await;
            }
            Step::Mark { machine, item, mark } => self.mark(machine, item, mark),
            Step::AllRead { machine } => {
                let all = Targets::All { source: None, kind: None, through: None };
                self.machines[machine].replica().mark(all, Mark::Read).unwrap();
            }
            Step::Phone { item, op } => self.phone(item, op).await,
            Step::PhoneVisits => {
                self.ana.api(Method::PUT, "/views/conversation/user:bo", json!({})).await;
            }
            Step::Pull { machine } => self.pull(machine).await,
            Step::PullAndCrash { machine, limit, pages } => self.pull_and_crash(machine, limit, pages).await,
            Step::Restart => self.restart().await,
        }
    }

    fn mark(&self, machine: usize, item: usize, mark: u8) {
        let machine = &self.machines[machine];
        let Some(msgid) = machine.msgid(item) else { return };
        let later = tidings_model::Clock::now(&SystemClock).plus_micros(3_600_000_000);
        let mark = [
            Mark::Read,
            Mark::Unread,
            Mark::Archive,
            Mark::Unarchive,
            Mark::Snooze { until: later },
            Mark::Unsnooze,
            Mark::Delete,
        ][usize::from(mark)];
        machine.replica().mark(Targets::MsgIds(vec![msgid]), mark).unwrap();
    }

    async fn phone(&mut self, item: usize, op: u8) {
        let inbox = self.ana.inbox().await;
        if inbox.is_empty() {
            return;
        }
        let msgid = &inbox[item % inbox.len()]["msgid"];
        let op = ["read", "unread", "archive", "unarchive", "delete", "seen"][usize::from(op)];
        self.ops += 1;
        let ops = json!({"ops": [{"id": format!("phone-{}", self.ops), "op": op, "msgids": [msgid]}]});
        self.ana.post("/inbox/ops", ops).await;
    }

    async fn pull_and_crash(&mut self, machine: usize, limit: usize, pages: usize) {
        let source = self.source();
        let machine = &mut self.machines[machine];
        for _ in 0..pages {
            let row = machine.replica().source(machine.source).unwrap();
            let since = Since { cursor: row.cursor, epoch: row.epoch };
            let fetched = source.page(since, limit).await.unwrap();
            let more = fetched.page.more;
            machine.replica().apply(machine.source, fetched.page.clone()).unwrap();
            machine.replica().apply(machine.source, fetched.page).unwrap();
            assert_no_difference(machine.replica());
            if !more {
                break;
            }
        }
        machine.crash();
    }

    async fn restart(&mut self) {
        self.stop.cancel();
        (&mut self.serving).await.unwrap();
        self.stop = CancellationToken::new();
        (_, _, self.serving) = serve_at(self.data.path().to_owned(), self.port, self.stop.clone()).await;
    }

    async fn ends(self) {
        // What one machine still had to send reaches the other one in its next pull, and what that wakes there is sent
        // with the one after.
        for machine in [0, 1, 0, 1, 0] {
            self.pull(machine).await;
        }
        let server = self.server_s_word().await;
        for machine in &self.machines {
            assert_no_difference(machine.replica());
            let numbers = machine.replica().counts().unwrap();
            assert_eq!(numbers.waiting, 0, "nothing waits any more");
            assert_eq!(said_by(machine.replica()), server);
            let counts = self.ana.get("/unread?cap=1000").await;
            let ours = [numbers.total, numbers.announcement, numbers.reminder, numbers.message];
            let theirs = ["total", "announcement", "reminder", "message"]
                .map(|kind| counts[kind]["count"].as_u64().unwrap());
            assert_eq!(ours, theirs, "total, announcement, reminder, message");
        }
        self.stop.cancel();
        self.serving.await.unwrap();
    }

    /// Name, state of every item that the server has, archived ones included.
    async fn server_s_word(&self) -> Vec<[Value; 4]> {
        let mut items = Vec::new();
        for archived in ["false", "true"] {
            let mut before = String::new();
            loop {
                let page = self.ana.get(&format!("/inbox?limit=100&archived={archived}{before}")).await;
                items.extend(page["items"].as_array().unwrap().iter().map(state));
                match page["next"].as_str() {
                    Some(next) => before = format!("&before={next}"),
                    None => break,
                }
            }
        }
        items.sort_by_key(|item| item[0].to_string());
        items
    }
}

fn machine(url: &str) -> Machine {
    let dir = TempDir::new().unwrap();
    let replica = Replica::open(dir.path(), Arc::new(SystemClock)).unwrap();
    let source = NewSource {
        name: "Work".into(),
        protocol: "tidings".into(),
        url: url.into(),
        user: None,
        own: false,
    };
    let source = replica.add_source(source).unwrap();
    Machine { dir, replica: Some(replica), source }
}

fn said_by(replica: &Replica) -> Vec<[Value; 4]> {
    let items = replica.items(&ItemFilter::default(), 10_000).unwrap();
    let mut items: Vec<_> =
        items.iter().map(|item| state(&serde_json::to_value(&item.notification).unwrap())).collect();
    items.sort_by_key(|item| item[0].to_string());
    items
}

/// What both sides must agree on. What Ana wrote herself is never unread, whatever its `read_at` says.
fn state(item: &Value) -> [Value; 4] {
    let read = item["read_at"].is_string() || item["actor"]["id"] == "ana";
    let archived = item["archived_at"].is_string();
    [item["msgid"].clone(), json!(read), json!(archived), item["snoozed_until"].clone()]
}

fn assert_no_difference(replica: &Replica) {
    let differences: Vec<_> = replica.check().unwrap().iter().map(ToString::to_string).collect();
    assert!(differences.is_empty(), "{differences:#?}");
}
