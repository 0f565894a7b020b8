//! Commands under other programs: under one that limits them, or in a terminal of their own.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use tidings_testkit::wait::until_blocking;

/// The same command, started by another program whose own arguments come first.
pub(crate) fn under(program: &[&str], command: &Command) -> Command {
    let mut under = Command::new(program[0]);
    under.args(&program[1..]).arg(command.get_program()).args(command.get_args());
    with_environment_of(command, under)
}

fn with_environment_of(command: &Command, mut other: Command) -> Command {
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    other
}

/// A terminal with one command in it, which ends with its test.
pub(crate) struct Terminal {
    child: Child,
    keyboard: ChildStdin,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    pub(crate) fn of(command: &Command) -> Self {
        let words = [command.get_program()].into_iter().chain(command.get_args());
        let quoted = words.map(|word| format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''")));
        // In the place of the shell, which a key would end as well.
        let line = format!("exec {}", quoted.collect::<Vec<_>>().join(" "));
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
        let mut script = with_environment_of(command, script);
        script.env("SHELL", "/bin/sh").env("TERM", "xterm");
        let mut child = script.stdin(Stdio::piped()).spawn().unwrap();
        let (keyboard, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, keyboard, screen: watched(out) }
    }

    /// All that was shown so far.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until something was shown.
    pub(crate) fn wait_for(&self, text: &str) {
        until_blocking(&format!("{text:?} on the screen"), || self.screen().contains(text));
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits for the end; the exit code, and all that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = until_blocking("the end of the command", || self.child.try_wait().unwrap());
        (status.code(), self.screen())
    }
}

/// What comes from a reader, which a thread reads.
fn watched(mut from: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let screen = Arc::<Mutex<String>>::default();
    let shown = screen.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 4_096];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            shown.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
    });
    screen
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
