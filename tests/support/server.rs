//! `tidings serve` as a process: started, stopped, killed, and started again on the same port and data.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{
    client::Client,
    program::{Process, built, free_port},
    wait,
};

/// A headless server with a data folder of its own.
#[derive(Debug)]
pub struct ServerProcess {
    dir: TempDir,
    /// Its data folder, if that is not in the folder above.
    data: Option<PathBuf>,
    process: Option<Process>,
    args: &'static [&'static str],
    port: u16,
    starts: u32,
    admin: String,
    /// The address of its database, if that is not in its data folder.
    store: Option<String>,
    /// The folder of uploaded files, if that is not in its data folder.
    files: Option<PathBuf>,
    /// Further variables of its environment.
    settings: Vec<(&'static str, String)>,
}

impl ServerProcess {
    /// Starts a new server on a free port and reads the admin's token from its first output.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// [`ServerProcess::start`] with further arguments of `tidings serve`.
    pub fn start_with(args: &'static [&'static str]) -> Self {
        Self::new(args, None, "", &[])
    }

    /// [`ServerProcess::start_with`] with these variables in its environment.
    pub fn start_with_env(args: &'static [&'static str], settings: &[(&'static str, String)]) -> Self {
        Self::new(args, None, "", settings)
    }

    /// Starts a server on this data folder, with these variables in its environment. Unless the folder is new, its
    /// admin's token is given.
    pub fn in_folder(data: &Path, settings: &[(&'static str, String)], admin: &str) -> Self {
        let stopped = Self::stopped(&[], None, admin, settings);
        let mut server = Self { data: Some(data.to_owned()), ..stopped };
        server.restart();
        server
    }

    /// Starts the first server on an empty database.
    pub fn on_database(url: &str) -> Self {
        Self::new(&[], Some(url), "", &[])
    }

    /// [`ServerProcess::on_database`] with these variables in its environment.
    pub fn on_database_with_env(url: &str, settings: &[(&'static str, String)]) -> Self {
        Self::new(&[], Some(url), "", settings)
    }

    /// [`ServerProcess::on_database`] with further arguments of `tidings serve`.
    pub fn on_database_with(url: &str, args: &'static [&'static str]) -> Self {
        Self::new(args, Some(url), "", &[])
    }

    /// Starts one of several servers that begin on an empty database at the same time; one of them makes the admin.
    pub fn beside_others(url: &str) -> Self {
        Self::new(&[], Some(url), "", &[])
    }

    /// Whether this server made the admin, or got the admin's token.
    pub fn has_admin_token(&self) -> bool {
        !self.admin.is_empty()
    }

    /// Starts a further server on the database of this one, with the same settings and a data folder of its own.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self::new(self.args, self.store.as_deref(), &self.admin, &self.settings)
    }

    /// Starts a further server on the database of this one, which it reaches by another address.
    #[must_use]
    pub fn beside_at(&self, url: &str) -> Self {
        Self::new(self.args, Some(url), &self.admin, &self.settings)
    }

    /// A server on the data folder or the database to which the data of this one is moved before it starts, with
    /// [`ServerProcess::restart`].
    #[must_use]
    pub fn successor(&self, store: Option<&str>, files: Option<PathBuf>) -> Self {
        Self { files, ..Self::stopped(&[], store, &self.admin, &self.settings) }
    }

    /// Goes on with another database from its next start on.
    pub fn use_database(&mut self, url: &str) {
        self.store = Some(url.to_owned());
    }

    /// Keeps uploaded files in this folder from its next start on.
    pub fn use_files(&mut self, folder: &Path) {
        self.files = Some(folder.to_owned());
    }

    fn stopped(
        args: &'static [&'static str],
        store: Option<&str>,
        admin: &str,
        settings: &[(&'static str, String)],
    ) -> Self {
        let dir = TempDir::with_prefix("tidings-server.").expect("a temporary folder");
        let (port, admin, store) = (free_port(), admin.to_owned(), store.map(str::to_owned));
        let settings = settings.to_vec();
        Self { dir, data: None, process: None, args, port, starts: 0, admin, store, files: None, settings }
    }

    fn new(
        args: &'static [&'static str],
        store: Option<&str>,
        admin: &str,
        settings: &[(&'static str, String)],
    ) -> Self {
        let mut server = Self::stopped(args, store, admin, settings);
        server.restart();
        server
    }

    /// The server's data folder.
    pub fn data_dir(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| self.dir.path().join("data"))
    }

    /// The root URL at which the server listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A client with the admin's token.
    pub fn admin(&self) -> Client {
        Client::new(&self.url(), &self.admin)
    }

    /// The server's process while it runs.
    pub fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// Starts the server again, with the same data on the same port.
    pub fn restart(&mut self) {
        self.starts += 1;
        let mut command = Command::new(built("tidings"));
        command.args(["serve", "--listen", &format!("127.0.0.1:{}", self.port)]);
        command.args(self.args).env("TIDINGS_DATA_DIR", self.data_dir());
        for unset in ["TIDINGS_STORE", "TIDINGS_BUS", "TIDINGS_CACHE", "TIDINGS_TRACES"] {
            command.env_remove(unset);
        }
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command.envs(self.store.iter().map(|store| ("TIDINGS_STORE", store)));
        if self.store.is_some() && !self.args.contains(&"--drain") {
            // Nobody who would have to notice sends requests to it.
            command.args(["--drain", "0s"]);
        }
        if let Some(files) = &self.files {
            command.arg("--files").arg(files);
        }
        let output = self.dir.path().join(format!("serve-{}.log", self.starts));
        let mut process = Process::start("tidings serve", command, &output);
        let url = wait_for_line(&mut process, &output, "listening on http://");
        self.port =
            url.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        if self.admin.is_empty() {
            let text = process.output();
            let token = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            match text.find("tdg_") {
                Some(at) => self.admin = text[at..].chars().take_while(|c| token(*c)).collect(),
                None => assert!(self.store.is_some(), "a first start prints the admin's token"),
            }
        }
        self.process = Some(process);
    }

    /// Starts the server again with these variables in its environment, in place of those that it had.
    pub fn restart_with_env(&mut self, settings: &[(&'static str, String)]) {
        self.settings = settings.to_vec();
        self.restart();
    }

    /// The address at which it takes mail, if it was started with `--smtp`.
    pub fn mail(&mut self) -> String {
        let output = self.dir.path().join(format!("serve-{}.log", self.starts));
        let process = self.process.as_mut().expect("it runs");
        wait_for_line(process, &output, "smtp on ")
    }

    /// Sends SIGTERM; fails the test if the exit status is not success.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let status = process.terminate();
            assert!(status.success(), "serve ended with {status} on SIGTERM:\n{}", process.output());
        }
    }

    /// Sends SIGKILL.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }
}

/// Waits for a line of the output that contains `wanted` and returns the rest of that line.
fn wait_for_line(process: &mut Process, output: &Path, wanted: &str) -> String {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(output).unwrap_or_default();
        // Only whole lines: the program may still be writing the last one.
        let complete_lines = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
        if let Some((_, rest)) = complete_lines.split_once(wanted) {
            return rest.lines().next().unwrap_or_default().trim().to_owned();
        }
        assert!(process.is_running(), "serve ended while starting:\n{text}");
        assert!(start.elapsed() < wait::TEST_TIMEOUT, "serve did not say {wanted:?}:\n{text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
