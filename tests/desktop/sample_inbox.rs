//! A realistic inbox in English or Chinese, for screenshots and checks of every view. Its items are published to real
//! servers, each at a time of its own.

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use support::{app, client::Client};
use tidings_model::{Clock, SystemClock, wire::Scope};
use tidings_server::{Server, ServerConfig};
use tidings_testkit::{clock::ManualClock, server::RunningServer};

const MINUTE: i64 = 60_000_000;
const DAY: i64 = 24 * 60;

/// A server in this process with a manual clock.
struct SeedServer {
    client: Client,
    clock: ManualClock,
    running: RunningServer,
}

impl SeedServer {
    async fn open(data: &Path, owner: Option<(&str, &str)>) -> Self {
        let mut config = ServerConfig::new(data);
        config.rate = None;
        config.open_publish = true;
        config.standalone_owner = owner.map(|(id, _)| id.to_owned());
        let clock = ManualClock::at(SystemClock.now().plus_micros(-9 * DAY * MINUTE));
        let server = Server::open(config, Arc::new(clock.clone())).await.unwrap();
        let (id, name) = owner.unwrap_or(("root", "Root"));
        let scopes = [Scope::Inbox, Scope::Publish, Scope::Admin];
        let token = server.owner(id, name, "seed", &scopes).await.unwrap().token;
        let running = RunningServer::serve(server).await;
        let client = Client::new(&running.url, &token);
        Self { client, clock, running }
    }

    /// Sets the server's clock to this many minutes ago.
    fn ago(&self, minutes: i64) {
        self.clock.set(SystemClock.now().plus_micros(-minutes * MINUTE));
    }

    async fn close(self) {
        self.running.stop().await;
    }
}

/// A filled inbox, with the team's server.
pub(crate) struct SampleInbox {
    work: SeedServer,
    reader: Client,
}

impl SampleInbox {
    /// Fills the data folder `data`, which no program uses yet.
    pub(crate) async fn fill(data: &Path, team: &Path, chinese: bool) -> Self {
        let l = |en: &'static str, zh: &'static str| if chinese { zh } else { en };
        let own = SeedServer::open(data, Some(("me", "Me"))).await;
        publish_topics(&own, &l).await;
        own.close().await;
        let work = SeedServer::open(team, None).await;
        let reader = create_team(&work, &l).await;
        publish_team_week(&work, &reader, &l).await;
        work.clock.run();
        let name = l("Work", "工作");
        let (data, url, token) = (data.to_owned(), work.client.url.clone(), reader.token.clone());
        // The server that the program asks runs in this thread.
        let add = move || {
            app::tidings(&data, &["source", "add", "tidings", &url, "--token", &token, "--name", name]);
        };
        tokio::task::spawn_blocking(add).await.expect("it is added");
        Self { work, reader }
    }

    /// Adds a member to the group, renames it, and removes the member. Each change waits until the ones before are seen:
    /// a server sends a group only as it is.
    pub(crate) async fn change_group(&self, chinese: bool, seen: impl AsyncFn(usize)) {
        let l = |en: &'static str, zh: &'static str| if chinese { zh } else { en };
        let (name, crew) = (l("Noa Weiss", "唐宁"), l("Release crew 1.4", "发布小组 1.4"));
        self.work.client.post("users", json!({"id": "noa", "name": name})).await.success();
        self.reader.put("groups/crew/members/noa", json!({})).await.success();
        seen(1).await;
        self.reader.patch("groups/crew", json!({ "name": crew })).await.success();
        seen(2).await;
        self.reader.delete("groups/crew/members/noa").await.is(204);
        seen(3).await;
    }

    /// Stops the team's server.
    pub(crate) async fn stop(self) {
        self.work.close().await;
    }
}

type Translate<'a> = &'a (dyn Fn(&'static str, &'static str) -> &'static str + Sync);

async fn publish_topics(server: &SeedServer, l: Translate<'_>) {
    let all = [
        (8 * DAY, "heat-pump", l("Wattage back to normal", "功率恢复正常"), "", "2"),
        (
            3 * DAY + 40,
            "parcels",
            l("Arrives today between 14:00 and 16:00", "今天 14:00 到 16:00 送达"),
            l("Parcel", "包裹"),
            "2",
        ),
        (DAY + 300, "certificates", l("nas-01 expires in 9 days", "nas-01 还有 9 天到期"), "", "4"),
        (104, "doorbell", l("Someone is at the door", "有人在门口"), "", "3"),
        (
            14,
            "ci",
            l("2 of 1,964 tests failed", "1,964 项测试中 2 项失败"),
            l("Build 4812 failed on main", "main 上的构建 4812 失败"),
            "5",
        ),
        (
            2,
            "backups",
            l("14.2 GB to nas-01 in 3 min 12 s", "14.2 GB 到 nas-01，用时 3 分 12 秒"),
            l("Backup done", "备份完成"),
            "3",
        ),
    ];
    for (minutes, topic, body, title, priority) in all {
        server.ago(minutes);
        // An HTTP header holds no Chinese text, so the title goes into a JSON body.
        let message = json!({"topic": topic, "message": body, "title": title, "priority": priority.parse::<u8>().unwrap()});
        publish(server, message).await;
    }
}

/// Publishes a message in ntfy's JSON format at the server's root.
async fn publish(server: &SeedServer, message: Value) {
    server.client.post("/", message).await.success();
}

/// The ids and names of the team; `sam` is the reader.
fn team(l: Translate<'_>) -> [(&'static str, &'static str); 7] {
    [
        ("ana", l("Ana Ruiz", "林晓")),
        ("bo", l("Bo Kessler", "陈博")),
        ("chen", l("Chen Yu", "赵宇")),
        ("dana", l("Dana Petrov", "周丹")),
        ("eli", l("Eli Novak", "何力")),
        ("mei", l("Mei Tanaka", "孙梅")),
        ("sam", l("Sam Reed", "吴山")),
    ]
}

/// Creates the team and returns the reader's client.
async fn create_team(server: &SeedServer, l: Translate<'_>) -> Client {
    for (id, name) in team(l) {
        server.client.post("users", json!({"id": id, "name": name})).await.success();
    }
    user(server, "sam").await
}

async fn user(server: &SeedServer, id: &str) -> Client {
    let asked = json!({"label": "", "scopes": ["inbox"]});
    let token = server.client.post(&format!("users/{id}/tokens"), asked).await.success();
    server.client.with_token(token["token"].as_str().unwrap())
}

/// An event on the team's server.
enum Event {
    Group(&'static str, &'static str),
    Direct(&'static str, &'static str),
    /// A member reads the group up to the reader's last message.
    Reads(&'static str),
    Comment {
        who: &'static str,
        article: (&'static str, &'static str),
        body: String,
    },
    Announce(&'static str, &'static str),
    /// The reader reads everything so far on another device.
    Phone,
}

const CODE: &str = "```rust\nlet page = {\n    let inbox = inbox.lock().await;\n    inbox.since(cursor).limit(500)\n};\nreplica.apply(page).await?; // one commit\n```";

/// The events of the sample, each with its age in minutes.
fn events(l: Translate<'_>) -> Vec<(i64, Event)> {
    use Event::{Announce, Comment, Direct, Group, Phone, Reads};
    let rust = ("42", l("Rust in 2026", "2026 年的 Rust"));
    let sync = ("7", l("Sync without loss", "不丢消息的同步"));
    let comment = |who, article, body: &str| Comment { who, article, body: body.to_owned() };
    let head = l("| Version | Rows per second | p99 |", "| 版本 | 每秒行数 | p99 |");
    let rows = l(
        "| As published | 41,200 | 18 ms |\n| Shorter lock | 96,700 | 7 ms |\n| Pages of 500 | 183,400 | 3 ms |",
        "| 原文 | 41,200 | 18 ms |\n| 缩短持锁 | 96,700 | 7 ms |\n| 每页 500 条 | 183,400 | 3 ms |",
    );
    let measured = l("Measured on last week’s backlog:", "用上周积压的数据测了一下：");
    let best = l(
        "The part on cancellation is the best I have read. One remark: the example holds the lock across an `await`. This is enough:",
        "关于取消的那一节是我读过最好的。只有一点：示例在 `await` 期间一直持有锁，这样就够了：",
    );
    let agreed = l(
        "Agreed. I would keep the edition out of the title, though: half of this holds for 2024 as well. I left [a suggestion](https://blog.example.org/s/1).",
        "同意，不过标题里最好不要写版本：一半内容对 2024 同样成立。我留了[一条修改建议](https://blog.example.org/s/1)。",
    );
    vec![
        (DAY + 600, Direct("dana", l("The certificate is renewed.", "证书续好了。"))),
        (
            DAY + 400,
            comment(
                "bo",
                sync,
                l(
                    "The stamp is the point. A pull can't overtake a change.",
                    "关键在时间戳，同步不会越过任何变更。",
                ),
            ),
        ),
        (
            DAY + 395,
            comment(
                "mei",
                sync,
                l(
                    "And the cursor is written in the same transaction as the rows?",
                    "那游标和数据行写在同一个事务里吗？",
                ),
            ),
        ),
        (
            DAY + 100,
            comment(
                "dana",
                rust,
                l("The section on locks is worth a talk of its own.", "关于锁的那一节值得单独讲一次。"),
            ),
        ),
        (DAY + 66, Group("chen", l("Freeze is on. Only fixes from here.", "已冻结，之后只收修复。"))),
        (DAY + 60, comment("eli", rust, l("Second this.", "同意。"))),
        (
            DAY + 54,
            Group("sam", l("Thanks. I will look at the wake-up test tonight.", "谢谢，唤醒测试我今晚看。")),
        ),
        (DAY + 53, Reads("sam")),
        (DAY + 52, Phone),
        (
            95,
            comment(
                "bo",
                sync,
                l(
                    "Yes. So a pull can stop anywhere, and the next one repeats a page at worst.",
                    "是的，所以同步可以在任何地方中断，下一次最多重复一页。",
                ),
            ),
        ),
        (
            62,
            Group("mei", l("Wake-up test is green on all three systems.", "唤醒测试在三个系统上都通过了。")),
        ),
        (61, Group("mei", l("1.4 is tagged.", "1.4 已打标签。"))),
        (50, comment("chen", rust, &format!("{best}\n\n{CODE}"))),
        (
            47,
            Group("dana", l("I read the part on `resync`; it is right.", "`resync` 那部分我看了，没问题。")),
        ),
        (
            42,
            Announce(
                l("Maintenance on Sunday, 22:00–23:00", "周日 22:00–23:00 维护"),
                l("Search will be read-only.", "搜索期间只读。"),
            ),
        ),
        (30, Direct("bo", l("Sure, I can take the review this afternoon.", "好的，今天下午我来评审。"))),
        (22, comment("bo", rust, &format!("{measured}\n\n{head}\n|---|--:|--:|\n{rows}"))),
        (
            16,
            Group(
                "sam",
                l(
                    "Two typos fixed. Mei, will you press the button?",
                    "改了两个错字，其余都很清楚。孙梅，你来按按钮？",
                ),
            ),
        ),
        (15, Reads("ana")),
        (14, Reads("chen")),
        (13, Reads("mei")),
        (11, Group("mei", l("I will. Ship it tonight?", "我来。今晚发布？"))),
        (4, comment("ana", rust, agreed)),
    ]
}

async fn publish_team_week(server: &SeedServer, reader: &Client, l: Translate<'_>) {
    server.ago(DAY + 960);
    let members = json!(["ana", "bo", "chen", "dana", "mei"]);
    reader
        .post("groups", json!({"id": "crew", "name": l("Release crew", "发布小组"), "members": members}))
        .await
        .success();
    for id in ["42", "7"] {
        let subscription = json!({"target": {"type": "article", "id": id}, "reason": "create_article"});
        reader.put("subscriptions", subscription).await.success();
    }
    let mut own = String::new();
    for (minutes, event) in events(l) {
        server.ago(minutes);
        match event {
            Event::Group(who, body) => {
                let client = if who == "sam" { reader.clone() } else { user(server, who).await };
                let message = json!({"body": body, "format": "markdown"});
                let posted = client.post("groups/crew/messages", message).await.success();
                if who == "sam" {
                    posted["msgid"].as_str().unwrap().clone_into(&mut own);
                }
            }
            Event::Direct(who, body) => {
                user(server, who).await.post("messages", json!({"to": "sam", "body": body})).await.success();
            }
            Event::Reads(who) => {
                let through = json!({ "through": own });
                user(server, who).await.put("conversations/group:crew/read", through).await.success();
            }
            Event::Comment { who, article: (id, title), body } => {
                let name = team(l).iter().find_map(|(known, name)| (*known == who).then_some(*name));
                let url = format!("https://blog.example.org/{id}");
                let target = json!({"type": "article", "id": id, "title": title, "url": url, "owner": "sam"});
                let open = body.contains("/s/1").then(|| format!("{url}#c7"));
                let reminder = json!({"actor": {"id": who, "name": name}, "action": "comment", "target": target,
                                      "body": body, "format": "markdown", "url": open});
                server.client.post("reminders", reminder).await.success();
            }
            Event::Announce(title, body) => {
                server.client.post("announcements", json!({"title": title, "body": body})).await.success();
            }
            Event::Phone => read_so_far(reader).await,
        }
    }
}

/// Reads everything that has arrived so far, as another device would.
async fn read_so_far(reader: &Client) {
    let items = reader.inbox().await;
    let names: Vec<_> = items.iter().map(|item| item["msgid"].clone()).collect();
    let read = json!({"ops": [{"id": "phone", "op": "read", "msgids": names}]});
    reader.post("inbox/ops", read).await.success();
}
