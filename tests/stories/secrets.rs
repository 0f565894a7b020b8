//! Tests that a secret is where it has to be, and nowhere else. Known ones are planted in a server and in a client, which work
//! with them at the most verbose level of their logs, and fail with them. Whatever the programs wrote is then searched: what
//! they printed and logged, the files of their folders, backups, and the command lines and variables of their processes.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::json;
use support::client::Client;
use support::program::built;
use support::server::ServerProcess;
use tempfile::TempDir;
use tidings_testkit::report::tried;
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::{Gotify, ScriptedService};
use tokio::task::block_in_place;

/// What a secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The token that the first start of a server prints once. The server keeps its hash.
    AdminToken,
    /// The token of a user of the server, with which the client pulls.
    UserToken,
    /// The token of a source at another service.
    ServiceToken,
    /// Tokens and passwords with which somebody was refused.
    Guess,
    /// Signs webhooks to a topic.
    HookSecret,
    /// A part of the address of a feed that only those who know it may read.
    FeedAddress,
    /// A part of the address of an uploaded file.
    FileName,
    /// The password of a proxy.
    ProxyPassword,
    /// What one user wrote to another.
    Letter,
    /// A variable of the environment that is of another program.
    Variable,
}

use Kind::{
    AdminToken, FeedAddress, FileName, Guess, HookSecret, Letter, ProxyPassword, ServiceToken, UserToken,
    Variable,
};

/// The files that may hold secrets, by the end of their names, and which. No other file holds any, and no line of a log.
const HELD: [(&str, &[Kind]); 8] = [
    // What it has to give out, or to compare with what it gets.
    ("server.db", &[HookSecret, FileName, Letter]),
    ("server.db-wal", &[HookSecret, FileName, Letter]),
    ("server.tar", &[HookSecret, FileName, Letter]),
    // A copy of what its sources have, and their addresses.
    ("replica.db", &[FeedAddress, FileName, Letter]),
    ("replica.db-wal", &[FeedAddress, FileName, Letter]),
    ("client.tar", &[FeedAddress, FileName, Letter]),
    // If there is no keyring; only its owner can read it, and no backup has it.
    ("tokens.json", &[UserToken, ServiceToken]),
    // What was asked for.
    ("exported", &[FeedAddress, FileName, Letter]),
];

/// The secrets, and where they were looked for.
struct Planted {
    all: Vec<(Kind, String)>,
    /// What holds which of them.
    seen: Vec<(String, Kind)>,
    /// How many files, lines and processes were searched.
    searched: u64,
}

impl Planted {
    /// Asserts that bytes hold none but these kinds of secrets.
    #[track_caller]
    fn look(&mut self, what: &str, bytes: &[u8], allowed: &[Kind]) {
        let text = String::from_utf8_lossy(bytes);
        self.searched += 1;
        for (kind, secret) in &self.all {
            if let Some(at) = text.find(secret.as_str()) {
                let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
                let line: String = text[start..].chars().take(300).collect();
                assert!(allowed.contains(kind), "{what} holds a {kind:?}: {line}");
                self.seen.push((what.to_owned(), *kind));
            }
        }
    }

    /// Looks through all files of a folder.
    fn look_through(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                self.look_through(&path);
            } else if kind.is_file() {
                let name = path.file_name().and_then(OsStr::to_str).unwrap();
                // Uploaded files are called by the hashes of their names.
                self.look("the name of a file", name.as_bytes(), &[]);
                let held = HELD.iter().find(|(end, _)| *end == name).map_or(&[][..], |(_, kinds)| *kinds);
                self.look(name, &fs::read(&path).unwrap(), held);
            }
        }
    }

    /// Looks at the command line of a process and its children, and at their variables as far as they can be read.
    fn look_at_processes(&mut self, pid: u32) {
        let own = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        self.look("a command line", &own("cmdline"), &[]);
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace() {
                self.look(
                    "a child's variables",
                    &fs::read(format!("/proc/{child}/environ")).unwrap_or_default(),
                    &[],
                );
                self.look_at_processes(child.parse().unwrap());
            }
        }
    }
}

/// What a run of the client gets.
struct Terminal {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Terminal {
    /// Runs the program; gives whether it succeeded, and all that it printed.
    fn run(&self, args: &[&str], input: &str) -> (bool, Vec<u8>) {
        let mut command = Command::new(built("tidings"));
        command
            .args(args)
            .env("TIDINGS_DATA_DIR", self.folder.path().join("data"))
            .env("TIDINGS_NO_KEYRING", "1");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        for unset in ["TIDINGS_SERVER", "TIDINGS_TOKEN", "DBUS_SESSION_BUS_ADDRESS"] {
            command.env_remove(unset);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that reads nothing closes its end.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let done = child.wait_with_output().unwrap();
        (done.status.success(), [done.stdout, done.stderr].concat())
    }
}

/// Uses a server with its secrets, and is refused with others; gives the public name of an uploaded file.
async fn use_server(
    server: &ServerProcess,
    reader: &Client,
    letter: &str,
    hook: &str,
    guess: &str,
) -> String {
    let (admin, stranger) = (server.admin(), Client::new(&server.url(), guess));
    admin.post("messages", json!({"to": "reader", "body": letter})).await.is(201);
    admin.put("topics/ci", json!({"secrets": {"github": hook}})).await.success();
    drop(admin.get("topics/ci").await);
    let photo = admin.request(Method::PUT, "/photos").header("Filename", "flower.bin").body(vec![7; 2_000]);
    let photo = admin.send(photo).await.is(200);
    let name = photo["attachment"]["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    for path in [format!("/file/{name}"), "/file/none".to_owned()] {
        drop(Client::try_send(reader.request(Method::GET, &path)).await);
    }
    stranger.get("inbox").await.problem(401, "unauthorized", None);
    stranger.post("messages", json!({"to": "reader", "body": letter})).await.problem(
        401,
        "unauthorized",
        None,
    );
    let nobody = Client::new(&server.url(), "");
    let refused = [
        nobody.request(Method::GET, &format!("/message?token={guess}")),
        nobody.request(Method::GET, &format!("/message?token={}", reader.token)),
        nobody.request(Method::GET, "inbox").basic_auth("reader", Some(guess)),
        nobody
            .request(Method::POST, "/hooks/ci")
            .header("X-Hub-Signature-256", guess)
            .body(letter.to_owned()),
        admin.request(Method::POST, "messages").body(format!("{{\"to\": \"reader\", \"body\": \"{letter}")),
        admin.request(Method::POST, "messages").json(&json!({"to": "nobody-of-this-name", "body": letter})),
        admin.request(Method::PUT, "topics/ci").json(&json!({"secrets": {"no sender": hook}})),
    ];
    for request in refused {
        drop(Client::try_send(request).await);
    }
    name
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_is_where_it_has_to_be_and_nowhere_else() {
    let plain = |text: &str| text.to_owned();
    let (letter, hook, guess) =
        ("pr1vate-w0rds-of-a-letter", "h00k-signing-s3cret", "tdg_gu3ss-of-a-stranger-0000");
    let (feed, proxy, variable) = ("f33d-address-s3cret", "pr0xy-passw0rd", "var1able-of-another");
    let variables = vec![
        ("TIDINGS_LOG", plain("trace")),
        ("RUST_LOG", plain("trace")),
        ("RUST_BACKTRACE", plain("1")),
        ("ANOTHERS_SECRET", plain(variable)),
    ];
    let folder = TempDir::with_prefix("tidings-secrets.").unwrap();
    let data = folder.path().join("data");
    let mut server = block_in_place(|| ServerProcess::in_folder(&data, &variables, ""));
    let reader = server.admin().user("reader", &["inbox", "publish"]).await;
    let file = use_server(&server, &reader, letter, hook, guess).await;

    let gotify = Gotify::start().await;
    gotify.publish(0);
    // A feed that can be read at first.
    let scripted = ScriptedServer::start().await;
    let address = format!("{}/{feed}.xml?key={feed}", scripted.url());
    let fails = Arc::new(AtomicBool::new(false));
    let is_failing = Arc::clone(&fails);
    scripted.serve(move |mut exchange| {
        let rss = "<rss version=\"2.0\"><channel><title>News</title><item><guid>1</guid><title>One</title>\
            <pubDate>Fri, 20 Nov 2026 06:00:00 GMT</pubDate></item></channel></rss>";
        let answer = if is_failing.load(Ordering::Relaxed) {
            response("500 Internal Server Error", "", rss)
        } else {
            response("200 OK", "content-type: application/rss+xml\r\n", rss)
        };
        async move { drop(exchange.send(&answer).await) }
    });

    let mut planted = Planted {
        all: vec![
            (AdminToken, server.admin().token),
            (UserToken, reader.token.clone()),
            (ServiceToken, gotify.token()),
            (Guess, plain(guess)),
            (HookSecret, plain(hook)),
            (FeedAddress, plain(feed)),
            (FileName, file),
            (ProxyPassword, plain(proxy)),
            (Letter, plain(letter)),
            (Variable, plain(variable)),
        ],
        seen: Vec::new(),
        searched: 0,
    };
    let own = TempDir::with_prefix("tidings-secrets.").unwrap();
    let mut terminal = Terminal { folder: own, variables: variables.clone() };
    let tar = terminal.folder.path().join("client.tar");
    let (token, service) = (reader.token.as_str(), gotify.token());
    let (url, push) = (reader.url.clone(), gotify.url());
    let mut runs: Vec<(bool, Vec<u8>)> = Vec::new();
    block_in_place(|| {
        let all: [(&[&str], &str, bool); 9] = [
            (&["source", "add", "tidings", &url, "--token", "-", "--name", "Work"], token, true),
            (&["source", "add", "tidings", &url, "--token", "-", "--name", "Other"], guess, false),
            (&["source", "add", "gotify", &push, "--token", "-", "--name", "Push"], &service, true),
            (&["source", "add", "gotify", &push, "--token", "-", "--name", "Pull"], guess, false),
            (&["source", "add", "feed", &address, "--name", "News"], "", true),
            (&["pull"], "", true),
            (&["check"], "", true),
            (&["mark", "read", "--all"], "", true),
            (&["backup", tar.to_str().unwrap()], "", true),
        ];
        for (args, input, succeeds) in all {
            let (is_done, printed) = terminal.run(args, input);
            assert_eq!(is_done, succeeds, "{args:?}: {}", String::from_utf8_lossy(&printed));
            runs.push((is_done, printed));
        }
        runs.push(terminal.run(&["doctor"], ""));
        let exported = terminal.run(&["export", "--format", "json", "--of", "inbox"], "").1;
        planted.look("exported", &exported, HELD[7].1);
    });
    // Whatever is asked now fails.
    let server_tar = folder.path().join("server.tar");
    block_in_place(|| {
        let mut backup = Command::new(built("tidings"));
        backup.args(["backup", server_tar.to_str().unwrap()]).env("TIDINGS_DATA_DIR", &data);
        let done = backup.envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        planted.look("a backup's lines", &[done.stdout, done.stderr].concat(), &[]);
        let process = server.process().unwrap();
        planted.look_at_processes(process.pid());
        let log = process.output();
        assert!(log.contains("DEBUG"), "it is verbose: {log}");
        planted.look("the server's log", log.as_bytes(), &[AdminToken]);
        server.stop();
    });
    fails.store(true, Ordering::Relaxed);
    let proxied = format!("http://me:{proxy}@127.0.0.1:9");
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        terminal.variables.push((name, proxied.clone()));
    }
    block_in_place(|| {
        runs.push(terminal.run(&["pull"], ""));
        runs.push(terminal.run(&["source", "add", "feed", "http://feeds.invalid/rss"], ""));
        runs.push(terminal.run(&["doctor"], ""));
        runs.push(terminal.run(&["check"], ""));
    });
    assert!(runs.iter().any(|(is_done, _)| !is_done));
    for (_, printed) in &runs {
        // Who adds a source reads the address again that was typed.
        planted.look("a line of the terminal", printed, &[FeedAddress]);
    }
    planted.look_through(folder.path());
    planted.look_through(terminal.folder.path());
    // What was searched for can be found.
    for (file, kind) in [("server.db", Letter), ("replica.db", Letter), ("tokens.json", UserToken)] {
        assert!(planted.seen.contains(&(file.to_owned(), kind)), "{file} has a {kind:?}");
    }
    let counts = [("secrets", planted.all.len() as u64), ("places searched", planted.searched)];
    tried("secrets that are planted", &counts, &[]);
}
