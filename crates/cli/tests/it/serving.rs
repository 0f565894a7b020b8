//! A running process of the program whose output is read line by line; it ends with its test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tidings_testkit::wait::TEST_TIMEOUT;

use crate::data_folder::DataFolder;

/// A process whose output is read line by line, killed with the test.
pub(crate) struct Serving {
    child: Child,
    lines: mpsc::Receiver<String>,
    pub(crate) url: String,
    pub(crate) token: Option<String>,
}

impl Serving {
    pub(crate) fn start(folder: &DataFolder, args: &[&str]) -> Self {
        let mut serving = Self::watch(folder, args);
        loop {
            let line = serving.line();
            if let Some(at) = line.find("tdg_") {
                serving.token = Some(line[at..].trim().to_owned());
            }
            if let Some(url) = line.strip_prefix("listening on ") {
                url.clone_into(&mut serving.url);
                return serving;
            }
        }
    }

    pub(crate) fn watch(folder: &DataFolder, args: &[&str]) -> Self {
        let mut child = folder.command(args).stderr(Stdio::inherit()).spawn().unwrap();
        let out = child.stdout.take().unwrap();
        let mut watched = Self::with_unread_output(child);
        watched.read(out);
        watched
    }

    /// A process whose output is not read before [`Serving::read`].
    pub(crate) fn with_unread_output(child: Child) -> Self {
        Self { child, lines: mpsc::channel().1, url: String::new(), token: None }
    }

    /// Reads the lines of the process's standard output from now on.
    pub(crate) fn read(&mut self, out: impl Read + Send + 'static) {
        let (sender, lines) = mpsc::channel();
        let out = BufReader::new(out);
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        self.lines = lines;
    }

    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(TEST_TIMEOUT).expect("another line")
    }

    pub(crate) fn wait_for_line(&self, text: &str) {
        while !self.line().contains(text) {}
    }

    /// What follows `text` in the next line that has it.
    pub(crate) fn line_after(&self, text: &str) -> String {
        loop {
            if let Some((_, rest)) = self.line().split_once(text) {
                return rest.to_owned();
            }
        }
    }

    /// The id of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM; returns the exit code and the time until the exit.
    pub(crate) fn terminate(mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        self.send_sigterm();
        (self.wait_for_exit().code(), start.elapsed())
    }

    /// Sends SIGTERM without waiting for the exit.
    pub(crate) fn send_sigterm(&self) {
        self.send_signal("TERM");
    }

    /// Sends a signal by its name.
    pub(crate) fn send_signal(&self, name: &str) {
        let (signal, pid) = (format!("-{name}"), self.child.id().to_string());
        assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
    }

    /// Waits for the exit.
    pub(crate) fn wait_for_exit(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
