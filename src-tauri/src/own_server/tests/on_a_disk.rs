//! Tests of the embedded server on a disk whose calls fail: at its start, while it is used, and at its end, in backups,
//! restores and exports. It says so, loses nothing that it acknowledged, and goes on once the disk is well.
//!
//! `TIDINGS_SOAK` lets every call fail in turn; a usual run takes a sample.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tidings_home::Home;
use tidings_model::SystemClock;
use tidings_net::http::loopback_client;
use tidings_ports::{ListenConfig, OwnServer, TokenPurpose};
use tidings_testkit::client::{Client, unique};
use tidings_testkit::disk::{Calls, Disk, Fault, Plan, plans};

use super::NETWORK_TIMEOUT;
use crate::own_server::{Embedded, OWNER};

/// Names the data folder of [`the_part_that_serves`].
const FOLDER: &str = "TIDINGS_TEST_FOLDER";
/// The pause between two posts to a server that does not go on yet.
const PAUSE: Duration = Duration::from_millis(50);
/// What is uploaded.
const PHOTO: [u8; 10_000] = [7; 10_000];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a part of the other tests here, as a process of its own"]
async fn the_part_that_serves() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let embedded = Embedded::new(Home::at(&folder), Arc::new(SystemClock));
    let mut asked = "begin".to_owned();
    // Each line asks for something. The input ends when the test that began this closes its end.
    while !asked.is_empty() {
        match answer(&embedded, asked.trim_end()).await {
            Ok(done) => println!("done: {done}"),
            Err(why) => println!("fails: {why}"),
        }
        asked = tokio::task::spawn_blocking(|| std::io::stdin().lines().next())
            .await
            .unwrap()
            .map_or_else(String::new, Result::unwrap);
    }
    embedded.stop().await;
}

/// Does what a line asks for, with the file that it names.
async fn answer(embedded: &Embedded, asked: &str) -> Result<String, String> {
    let (what, file) = asked.split_once(' ').unwrap_or((asked, ""));
    let file = Path::new(file);
    match what {
        "backup" => embedded.backup(file).await?,
        "restore" => {
            embedded.restore(file).await?;
        }
        "export" => embedded.export_user(OWNER, file).await.map_err(|why| why.to_string())?,
        _ => return begin(embedded).await,
    }
    Ok(String::new())
}

/// Starts the server, unless it runs, and makes a token. Returns the port and the token.
async fn begin(embedded: &Embedded) -> Result<String, String> {
    let port = if let Some(port) = embedded.with_running(|running| running.port) {
        port
    } else {
        let listen = ListenConfig { port: Some(0), ..ListenConfig::default() };
        embedded.start(listen).await.map_err(|why| why.to_string())?
    };
    embedded.token(TokenPurpose::Inbox).await?;
    Ok(format!("{port} {}", embedded.create_token("reader", true).await?))
}

/// A process that serves with its files on a disk.
struct Part {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Part {
    fn start(disk: &Disk) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let name = "own_server::tests::on_a_disk::the_part_that_serves";
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        command.env(FOLDER, disk.folder().join("data")).envs(disk.env());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Waits for what came of the last request: what it says then, or the sentence that says why it failed.
    fn outcome(&mut self) -> Result<String, String> {
        let found = self.lines.by_ref().map(Result::unwrap).find_map(|line| {
            let why = line.split_once("fails: ").map(|(_, why)| Err(why.to_owned()));
            why.or_else(|| Some(Ok(line.split_once("done: ")?.1.to_owned())))
        });
        found.expect("it says what came of it")
    }

    /// Waits for what came of its start: a client of the server, or the sentence that says why there is none.
    fn served(&mut self) -> Result<Client, String> {
        self.outcome().map(|served| {
            let (port, token) = served.split_once(' ').unwrap();
            Client::new(&format!("http://127.0.0.1:{port}"), token)
        })
    }

    fn ask(&mut self, what: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{what}").unwrap();
    }

    /// Asks for something, and waits for what comes of it.
    fn does(&mut self, what: &str) -> Result<(), String> {
        self.ask(what);
        self.outcome().map(drop)
    }

    /// Lets it end. Whether it ended well.
    fn end(mut self) -> bool {
        drop(self.child.stdin.take());
        self.child.wait().unwrap().success()
    }
}

/// What the owner posts to the server, and what became of it.
struct Posts {
    owner: Client,
    count: usize,
    acknowledged: Vec<String>,
    refused: Vec<String>,
    /// The paths of uploaded files.
    files: Vec<String>,
}

impl Posts {
    fn of(owner: Client) -> Self {
        Self { owner, count: 0, acknowledged: Vec::new(), refused: Vec::new(), files: Vec::new() }
    }

    /// Uploads a file. It is acknowledged, or refused as ntfy's tools expect it.
    async fn upload(&mut self) {
        let put = loopback_client(NETWORK_TIMEOUT).unwrap().put(format!("{}/photos", self.owner.url));
        let put = put.bearer_auth(&self.owner.token).header("Filename", "flower.bin").body(PHOTO.to_vec());
        let answer = put.send().await.unwrap();
        let (status, body) = (answer.status().as_u16(), answer.json::<Value>().await.unwrap());
        if status == 200 {
            let url = body["attachment"]["url"].as_str().unwrap();
            self.files.push(format!("/file/{}", url.split("/file/").nth(1).unwrap()));
        } else {
            assert_eq!((status, &body["http"]), (503, &json!(503)), "{body}");
        }
    }

    /// Marks what is the newest in the inbox. If that is acknowledged, it is read.
    async fn mark(&self, disk: &Disk) {
        let inbox = self.owner.get("inbox?limit=1").await;
        let msgid = inbox.body["items"][0]["msgid"].as_str().map(str::to_owned);
        let Some(msgid) = msgid else { return inbox.problem(503, "unavailable", None) };
        let op = json!({"id": unique(), "op": "read", "msgids": [msgid]});
        let marked = self.owner.post("inbox/ops", json!({"ops": [op]})).await;
        if marked.status != 200 {
            return marked.problem(503, "unavailable", None);
        }
        disk.heal();
        let item = self.owner.inbox().await.into_iter().find(|item| item["msgid"] == msgid).unwrap();
        assert!(item["read_at"].is_string(), "{item}");
    }

    /// Posts a note. It is acknowledged, or refused with a problem.
    async fn post(&mut self) -> bool {
        self.count += 1;
        let body = format!("note {}", self.count);
        let answer = self.owner.post("messages", json!({"to": OWNER, "body": body})).await;
        let is_acknowledged = answer.status == 201;
        if is_acknowledged {
            self.acknowledged.push(body);
        } else {
            answer.problem(503, "unavailable", None);
            self.refused.push(body);
        }
        is_acknowledged
    }

    /// Once the disk is well, it goes on.
    async fn go_on(&mut self, disk: &Disk, plan: &Plan) {
        disk.heal();
        let start = Instant::now();
        while !self.post().await {
            assert!(start.elapsed() < NETWORK_TIMEOUT, "{plan:?}: it does not recover");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Whatever was acknowledged is there once, and at most once what was refused.
    async fn are_kept(&self) {
        let items = self.owner.pull(None, 500).await.0;
        let times = |body: &String| items.iter().filter(|item| item["body"] == body.as_str()).count();
        for body in &self.acknowledged {
            assert_eq!(times(body), 1, "{body}");
        }
        for body in &self.refused {
            assert!(times(body) <= 1, "{body}");
        }
        let client = loopback_client(NETWORK_TIMEOUT).unwrap();
        for path in &self.files {
            let file = client.get(format!("{}{path}", self.owner.url)).send().await.unwrap();
            assert_eq!(file.bytes().await.unwrap(), PHOTO.as_slice(), "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_own_server_on_a_failing_disk_says_so_and_goes_on_once_it_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::below(folder.path());
    let mut part = Part::start(&disk);
    let owner = part.served().unwrap();
    let (client, url, token) = (loopback_client(NETWORK_TIMEOUT).unwrap(), &owner.url, &owner.token);
    let publish = async |body: String| {
        let answer =
            client.post(format!("{url}/backups")).bearer_auth(token).body(body).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let published = async || {
        let list = client
            .get(format!("{url}/backups/json?poll=1&since=all"))
            .bearer_auth(token)
            .send()
            .await
            .unwrap();
        assert_eq!(list.status().as_u16(), 200);
        list.text().await.unwrap()
    };
    let is_unready_because = async |said: &str| {
        let ready = client.get(format!("{url}/api/v1/health/ready")).send().await.unwrap();
        assert_eq!(ready.status().as_u16(), 503);
        ready.text().await.unwrap().contains(said)
    };
    assert_eq!(publish("first".to_owned()).await.0, 200);
    let mut acknowledged = vec!["first".to_owned()];
    let lasting = [
        (Calls::WRITE, Fault::Io, "disk fails"),
        (Calls::SYNC, Fault::Io, "disk fails"),
        (Calls::GROW, Fault::Full, "disk is full"),
    ];
    for (nth, (calls, fault, said)) in lasting.into_iter().enumerate() {
        disk.plan(&Plan::fail(calls, fault, 1));
        assert_eq!(publish(format!("refused {nth}")).await.0, 503);
        // What the last look found is said for half a second.
        tokio::time::timeout(NETWORK_TIMEOUT, async {
            while !is_unready_because(said).await {
                tokio::time::sleep(PAUSE).await;
            }
        })
        .await
        .unwrap_or_else(|_| panic!("ready says that the {said}"));
        let list = published().await;
        assert!(acknowledged.iter().all(|body| list.contains(body)), "reads go on: {list}");
        disk.heal();
        let body = format!("after {nth}");
        tokio::time::timeout(NETWORK_TIMEOUT, async {
            while publish(body.clone()).await.0 != 200 {
                tokio::time::sleep(PAUSE).await;
            }
        })
        .await
        .expect("it goes on once the disk is well");
        acknowledged.push(body);
    }
    let list = published().await;
    assert!(acknowledged.iter().all(|body| list.matches(body.as_str()).count() == 1), "{list}");
    assert!(part.end());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_post_upload_or_mark_at_the_own_server_is_lost_whichever_call_fails() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::below(folder.path());
    let mut part = Part::start(&disk);
    let mut posts = Posts::of(part.served().unwrap());
    let mut failed = 0;
    for (nth, plan) in plans(12, 5).enumerate() {
        disk.plan(&plan);
        match nth % 3 {
            0 => drop(posts.post().await),
            1 => posts.upload().await,
            _ => posts.mark(&disk).await,
        }
        for list in ["inbox?limit=1", "sync?limit=2"] {
            let list = posts.owner.get(list).await;
            if list.status != 200 {
                list.problem(503, "unavailable", None);
            }
        }
        failed += disk.failed();
        posts.go_on(&disk, &plan).await;
    }
    assert!(failed > 20, "{failed} calls failed");
    posts.are_kept().await;
    assert!(part.end());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_own_server_that_starts_or_ends_on_a_failing_disk_says_so_and_keeps_what_it_took() {
    for (nth, plan) in plans(20, 31).enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::below(folder.path());
        // Plans that fail once and plans that fail from then on alternate.
        let fails_at_start = (nth / 2).is_multiple_of(2);
        if fails_at_start {
            disk.plan(&plan);
        }
        let mut part = Part::start(&disk);
        let mut served = part.served();
        if let Err(why) = &served {
            assert!(fails_at_start && why.contains(' '), "{plan:?}: {why}");
            disk.heal();
            part.ask("begin");
            served = part.served();
        }
        let mut posts = Posts::of(served.unwrap_or_else(|why| panic!("{plan:?}: {why}")));
        posts.go_on(&disk, &plan).await;
        if !fails_at_start {
            disk.plan(&plan);
        }
        assert!(part.end(), "{plan:?}");
        disk.heal();

        let mut next = Part::start(&disk);
        posts.owner = next.served().unwrap_or_else(|why| panic!("{plan:?}: {why}"));
        posts.are_kept().await;
        assert!(next.end(), "{plan:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_a_restore_or_an_export_of_the_own_server_on_a_failing_disk_is_told_and_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::below(folder.path());
    let mut part = Part::start(&disk);
    let mut posts = Posts::of(part.served().unwrap());
    let (backup, export) = (disk.folder().join("server.db.copy"), disk.folder().join("me.jsonl"));
    let [saves, restores, exports] = [("backup", &backup), ("restore", &backup), ("export", &export)]
        .map(|(what, file)| format!("{what} {}", file.display()));
    let firsts = if std::env::var_os("TIDINGS_SOAK").is_some() { 40 } else { 8 };
    let mut refused = 0;
    for (nth, plan) in plans(firsts, 13).enumerate() {
        posts.go_on(&disk, &plan).await;
        let asked = [&saves, &restores, &exports][nth % 3];
        if asked == &restores {
            part.does(&saves).unwrap();
        }
        disk.plan(&plan);
        let outcome = part.does(asked);
        disk.heal();
        if let Err(why) = &outcome {
            refused += 1;
            assert!(why.contains(' ') && !why.contains("panicked"), "{plan:?}: {why}");
            // A restore that failed may have left it without a listener.
            part.ask("begin");
            posts.owner = part.served().unwrap_or_else(|why| panic!("{plan:?}: {asked}: {why}"));
            posts.are_kept().await;
            if asked == &saves {
                let _ = std::fs::remove_file(&backup);
            }
            part.does(asked).unwrap_or_else(|why| panic!("{plan:?}: {asked}: {why}"));
        }
        if asked == &saves {
            part.does(&restores).unwrap_or_else(|why| panic!("{plan:?}: {why}"));
        }
        if asked == &exports {
            let text = std::fs::read_to_string(&export).unwrap();
            assert!(posts.acknowledged.iter().all(|body| text.contains(body.as_str())), "{plan:?}");
        }
        // A token that is newer than a backup is gone with the restore.
        part.ask("begin");
        posts.owner = part.served().unwrap();
        posts.are_kept().await;
        let _ = std::fs::remove_file(&backup);
    }
    assert!(refused > 1, "{refused} were refused");
    assert!(part.end());
}
