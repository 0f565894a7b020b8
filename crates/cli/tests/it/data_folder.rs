//! A data folder and the program run on it, without a keyring and without the developer's own settings.

use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tidings_testkit::wait::until_blocking;
use tidings_testkit::wrong_clock;

use crate::serving::Serving;

/// A data folder, with methods that run the program on it.
pub(crate) struct DataFolder {
    dir: TempDir,
    /// Seconds by which the clock of its programs is ahead.
    clock_ahead: Cell<i64>,
}

/// The exit code of a command, and its outputs.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl DataFolder {
    pub(crate) fn new() -> Self {
        Self { dir: TempDir::with_prefix("tidings-cli.").unwrap(), clock_ahead: Cell::new(0) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Sets the clock of programs that are started from now on ahead by so many seconds.
    pub(crate) fn set_clock_ahead(&self, secs: i64) {
        self.clock_ahead.set(secs);
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command
            .args(args)
            .env("TIDINGS_DATA_DIR", self.path())
            .env("TIDINGS_NO_KEYRING", "1")
            .env("LANG", "C.UTF-8")
            .env_remove("LC_ALL")
            .env_remove("TIDINGS_SERVER")
            .env_remove("TIDINGS_TOKEN")
            .env_remove("TIDINGS_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.clock_ahead.get() != 0 {
            command.envs(wrong_clock::ahead_by(self.clock_ahead.get()));
        }
        command
    }

    pub(crate) fn run_command(command: &mut Command) -> CommandOutput {
        let done = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        CommandOutput { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
    }

    pub(crate) fn try_run(&self, args: &[&str]) -> CommandOutput {
        Self::run_command(&mut self.command(args))
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        let result = self.try_run(args);
        assert_eq!(result.code, Some(0), "{args:?}: {result:?}");
        result.out
    }

    /// Runs the program with `--json` and parses its standard output, which must be a single document.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let out = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}"))
    }

    pub(crate) fn serve(&self) -> Serving {
        Serving::start(self, &["serve", "--listen", "127.0.0.1:0", "--open-publish"])
    }

    /// Creates a token of a user of this folder's server.
    pub(crate) fn token(&self, user: &str, scope: &str) -> String {
        let created = self.json(&["token", "create", "--user", user, "--scope", scope]);
        created["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn unread(&self) -> u64 {
        self.json(&["unread"])["total"].as_u64().unwrap()
    }

    pub(crate) fn until_unread(&self, count: u64) {
        until_blocking(&format!("{count} unread"), || self.unread() == count);
    }
}

/// Starts a server, and creates another data folder whose replica pulls Ana's inbox from it.
pub(crate) fn server_and_replica() -> (DataFolder, Serving, DataFolder) {
    let server_dir = DataFolder::new();
    let serving = server_dir.serve();
    server_dir.run(&["user", "add", "ana", "--name", "Ana"]);
    let laptop = replica(&server_dir, &serving);
    (server_dir, serving, laptop)
}

pub(crate) fn replica(server_dir: &DataFolder, serving: &Serving) -> DataFolder {
    let token = server_dir.token("ana", "inbox");
    let laptop = DataFolder::new();
    laptop.run(&["source", "add", "tidings", &serving.url, "--token", &token, "--name", "Work"]);
    laptop
}

pub(crate) fn msgid(item: &Value) -> &str {
    item["msgid"].as_str().unwrap()
}
