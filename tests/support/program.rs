//! The project's own programs, built by `make test` beside the test, run as processes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

pub use tidings_testkit::port::free as free_port;

use crate::wait;

/// The root folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_owned()
}

/// The path of a program built beside this test, for example `tidings`.
pub fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test knows where it is");
    let path = test.parent().and_then(Path::parent).expect("target/<profile>/deps/<test>").join(name);
    assert!(path.exists(), "{} is not built; `make test` builds it first", path.display());
    path
}

/// A started program. Dropping it ends it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    name: String,
    output: Option<PathBuf>,
}

impl Process {
    /// Starts `command` with both outputs in the file `output`.
    pub fn start(name: &str, mut command: Command, output: &Path) -> Self {
        let log = fs::File::create(output).expect("the test's folder is writable");
        command.stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a file handle can be cloned")).stderr(log);
        let child = command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        Self { child, name: name.to_owned(), output: Some(output.to_owned()) }
    }

    /// Takes over a child that was started elsewhere; its output is not recorded.
    pub fn from_child(name: &str, child: Child) -> Self {
        Self { child, name: name.to_owned(), output: None }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Both outputs so far.
    pub fn output(&self) -> String {
        self.output.as_ref().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
    }

    /// Whether the process still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The exit status; `None` if the process still runs after `bound`.
    pub fn exit_within(&mut self, bound: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if start.elapsed() > bound {
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends SIGTERM and returns the exit status. Fails the test if that takes longer than [`wait::TEST_TIMEOUT`].
    pub fn terminate(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.exit_within(wait::TEST_TIMEOUT)
            .unwrap_or_else(|| panic!("{} did not end on SIGTERM:\n{}", self.name, self.output()))
    }

    /// Sends SIGKILL and waits for the exit.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends a signal by its name, for example `TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args([format!("-{name}"), pid]).stderr(Stdio::null()).status();
    }

    /// The number of the process's threads (Linux).
    pub fn threads(&self) -> usize {
        fs::read_dir(format!("/proc/{}/task", self.child.id())).map_or(0, Iterator::count)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_running() {
            self.signal("TERM");
            if self.exit_within(Duration::from_secs(3)).is_none() {
                self.kill();
            }
        }
        if std::thread::panicking() {
            eprintln!("—— output of {} ——\n{}", self.name, tail(&self.output(), 6_000));
        }
    }
}

/// The last `most` bytes of `text`, cut at a line break.
fn tail(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let from = text.len() - most;
    text.char_indices().find(|(at, c)| *at >= from && *c == '\n').map_or(text, |(at, _)| &text[at..])
}
