//! The desktop program as a process, its log and its data folder; single runs of the `tidings` program.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    client::Client,
    desktop::Desktop,
    program::{Process, built},
    toasts::Toasts,
    wait,
};

/// A running `tidings-desktop` on a virtual desktop.
#[derive(Debug)]
pub struct App<'d> {
    desktop: &'d Desktop,
    /// The app's process.
    pub process: Process,
}

impl<'d> App<'d> {
    /// Starts the app with `args`, for example `--background`.
    pub fn start(desktop: &'d Desktop, args: &[&str]) -> Self {
        Self::start_with(desktop, args, |_| {})
    }

    /// [`App::start`] with changes to the command before it is run.
    pub fn start_with(desktop: &'d Desktop, args: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let mut command = desktop.command(built("tidings-desktop"));
        command.args(args);
        change(&mut command);
        let output = desktop.path().join("app.log");
        Self { desktop, process: Process::start("tidings-desktop", command, &output) }
    }

    /// Waits for the app's own server and returns a client of it with the admin scope.
    pub async fn server(&self) -> Client {
        own_server(self.desktop).await
    }

    /// The process's output so far, followed by its log files.
    pub fn log(&self) -> String {
        let logs = logs(self.desktop).into_iter().filter_map(|file| fs::read_to_string(file).ok());
        logs.fold(self.process.output(), |all, log| all + &log)
    }

    /// Waits until [`App::log`] contains `text`.
    pub async fn wait_for_log(&self, text: &str) {
        wait::until(&format!("{text:?} in the log"), || async { self.log().contains(text) }).await;
    }

    /// Waits for the process to exit by itself; true if it exits with success in time.
    pub fn exits_cleanly(&mut self) -> bool {
        self.process.exit_within(wait::TEST_TIMEOUT).is_some_and(|status| status.success())
    }
}

/// Starts the app in the background on a desktop of [`Desktop::with_recorded_toasts`]. Returns the recorded toasts, the
/// app and a client of its own server.
pub async fn start_with_recorded_toasts(desktop: &Desktop) -> (Toasts, App<'_>, Client) {
    let toasts = Toasts::record(desktop).await;
    let app = App::start(desktop, &["--background"]);
    let server = app.server().await;
    (toasts, app, server)
}

/// Waits for the server that the app runs itself and returns a client with the admin scope of its owner. The token in
/// `endpoint.json` may only publish, so another is created in the server's data folder.
pub async fn own_server(desktop: &Desktop) -> Client {
    let publishes = wait::until("the app's own server", || async {
        let text = fs::read_to_string(desktop.data_dir().join("endpoint.json")).ok()?;
        let endpoint: Value = serde_json::from_str(&text).ok()?;
        let client = Client::new(endpoint["url"].as_str()?, endpoint["token"].as_str()?);
        client.healthy().await.then_some(client)
    })
    .await;
    // A token with the label of the inbox's own token is not listed on the page.
    let create = ["token", "create", "--user", "me", "--scope", "admin", "--label", "inbox on this computer"];
    let created = tidings_json(&desktop.data_dir(), &create);
    publishes.with_token(created["token"].as_str().expect("a token"))
}

/// The process ids of the `tidings-desktop` programs that use this desktop's data folder.
pub fn pids(desktop: &Desktop) -> Vec<u32> {
    let program = built("tidings-desktop");
    pids_of(desktop, |exe| exe == program)
}

/// The process id of the page: WebKit draws it in a process of its own.
pub fn page_pid(desktop: &Desktop) -> u32 {
    *page_pids(desktop).first().expect("the page has a process")
}

/// The process ids of all pages; none while one is started anew.
pub fn page_pids(desktop: &Desktop) -> Vec<u32> {
    pids_of(desktop, |exe| exe.file_name().is_some_and(|name| name == "WebKitWebProcess"))
}

/// The processes that use this desktop's data folder, and whose program `is_meant` accepts.
fn pids_of(desktop: &Desktop, is_meant: impl Fn(&Path) -> bool) -> Vec<u32> {
    let own_data_dir = [b"TIDINGS_DATA_DIR=", desktop.data_dir().as_os_str().as_encoded_bytes()].concat();
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    let pids = processes.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let runs = is_meant(&fs::read_link(entry.path().join("exe")).ok()?);
        let environ = fs::read(entry.path().join("environ")).ok()?;
        (runs && environ.split(|byte| *byte == 0).any(|pair| pair == own_data_dir)).then_some(pid)
    });
    pids.collect()
}

/// Whether a process of WebKit takes messages of the program, which itself ends if one is killed before.
pub fn is_connected(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let names = threads.map(|thread| fs::read_to_string(thread.path().join("comm")).unwrap_or_default());
    names.into_iter().any(|name| name.trim() == "ReceiveQueue")
}

/// Kills a process; false if it is gone.
pub fn end_process(pid: u32) -> bool {
    Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill starts").success()
}

/// The number of a process's threads.
pub fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count)
}

/// Runs the `tidings` program on a data folder and returns its standard output; fails the test if it fails.
pub fn tidings(data: &Path, args: &[&str]) -> String {
    let (ok, out, err) = try_tidings(data, args);
    assert!(ok, "tidings {args:?} failed: {err}\n{out}");
    out
}

/// Runs the `tidings` program; returns whether it succeeded, its standard output and its standard error.
pub fn try_tidings(data: &Path, args: &[&str]) -> (bool, String, String) {
    try_tidings_with(data, args, |_| {})
}

/// [`try_tidings`] with changes to the command before it is run.
pub fn try_tidings_with(
    data: &Path,
    args: &[&str],
    change: impl FnOnce(&mut Command),
) -> (bool, String, String) {
    let mut command = Command::new(built("tidings"));
    command.args(args.iter().map(OsStr::new)).env("TIDINGS_DATA_DIR", data);
    command.env_remove("TIDINGS_SERVER").env_remove("TIDINGS_TOKEN").env_remove("DBUS_SESSION_BUS_ADDRESS");
    change(&mut command);
    let out = command.output().expect("tidings starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.success(), text(&out.stdout), text(&out.stderr))
}

/// The output of `tidings ARGS --json`, parsed.
pub fn tidings_json(data: &Path, args: &[&str]) -> Value {
    let out = tidings(data, &[args, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("tidings {args:?} --json: {error}\n{out}"))
}

/// The number of unread items in a data folder.
pub fn unread(data: &Path) -> u64 {
    tidings_json(data, &["unread"])["total"].as_u64().expect("a number")
}

/// Adds a user's inbox to a data folder, as the source `Work`.
pub fn add_source(data: &Path, user: &Client) {
    tidings(data, &["source", "add", "tidings", &user.url, "--token", &user.token, "--name", "Work"]);
}

/// Waits until a source of this protocol is paused; the page shows that before the program has done it.
pub async fn wait_for_pause(data: &Path, protocol: &str) {
    wait::until(&format!("the pause of {protocol}"), || async {
        let sources = tidings_json(data, &["source", "list"]);
        let mut all = sources.as_array().into_iter().flatten();
        all.any(|source| source["protocol"] == protocol && source["paused"] == true)
    })
    .await;
}

/// The app's log files, newest first.
pub fn logs(desktop: &Desktop) -> Vec<PathBuf> {
    let folder = desktop.data_dir().join("logs");
    let mut files: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    files.sort();
    files.reverse();
    files
}
