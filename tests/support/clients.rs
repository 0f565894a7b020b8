//! Clients of other servers, as `scripts/setup.sh test` installs them, run against a server of ours.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    client::unique,
    program::{Process, built, root},
    wait,
};

/// Runs clients with a home of their own and nothing of this process's environment. They find the server's URL and a
/// token in `TIDINGS_SERVER` and `TIDINGS_TOKEN`.
#[derive(Debug)]
pub struct Clients {
    home: TempDir,
    server: String,
    token: String,
}

impl Clients {
    /// Clients of the server at this URL, with this token.
    pub fn new(server: &str, token: &str) -> Self {
        Self { home: work_folder(), server: server.to_owned(), token: token.to_owned() }
    }

    /// Runs a script of `tests/clients`, a Python or Node program by its ending, and returns its output. Fails the test
    /// if it fails.
    pub fn script(&self, name: &str) -> String {
        output_of(name, self.start(name, &[]))
    }

    /// Starts a script of `tests/clients` with arguments.
    pub fn start(&self, name: &str, args: &[&str]) -> Process {
        let text = fs::read_to_string(root().join("tests/clients").join(name)).expect("a script");
        self.start_text(name, &text, args)
    }

    /// Runs a program, given by its text, as [`Clients::script`] does; `kind` is `sh`, `py` or `mjs`.
    pub fn text(&self, kind: &str, text: &str) -> String {
        let name = format!("{}.{kind}", unique());
        output_of(text, self.start_text(&name, text, &[]))
    }

    /// Does what a configuration has a tool do that is not installed; `format` is one that `tests/clients/replay.py` reads.
    pub fn replay(&self, format: &str, text: &str) -> String {
        let file = format!("{}.{format}", unique());
        fs::write(self.home.path().join(&file), text).expect("its home is writable");
        output_of(text, self.start("replay.py", &[format, &file]))
    }

    /// Runs a block of a guide, by the language in which it is written.
    pub fn follow(&self, language: &str, text: &str) -> String {
        match language {
            "sh" => self.text("sh", text),
            "python" => self.text("py", text),
            "js" => self.text("mjs", text),
            format => self.replay(format, text),
        }
    }

    fn start_text(&self, name: &str, text: &str, args: &[&str]) -> Process {
        let flat_name = name.replace('/', "-");
        let path = self.home.path().join(&flat_name);
        // One that runs already is read from there.
        if !path.exists() {
            fs::write(&path, text).expect("its home is writable");
        }
        let output = self.home.path().join(format!("{flat_name}.{}.log", unique()));
        let mut command = self.command(interpreter(&path));
        command.arg(&path).args(args);
        Process::start(name, command, &output)
    }

    /// A command in the clients' environment.
    fn command(&self, program: &str) -> Command {
        let programs = built("tidings").parent().expect("a program is in a folder").to_owned();
        let stand_ins = root().join("tests/clients/programs");
        let mut path = vec![stand_ins, program_folder(), programs];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new(program);
        command.current_dir(self.home.path()).env_clear().envs([
            ("LANG", "C.UTF-8"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("TIDINGS_SERVER", self.server.as_str()),
            ("TIDINGS_TOKEN", self.token.as_str()),
        ]);
        command.env("HOME", self.home.path());
        command.env("PATH", std::env::join_paths(path).expect("no folder has a colon"));
        command
    }
}

/// The last line that a script prints, which must be JSON. Fails the test if the script fails.
pub fn answer(name: &str, process: Process) -> Value {
    let output = output_of(name, process);
    let line = output.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{name} printed {output:?}: {error}"))
}

/// All that a program prints until it ends. Fails the test if the program fails.
fn output_of(what: &str, mut process: Process) -> String {
    let status = process.exit_within(wait::TEST_TIMEOUT);
    let output = process.output();
    assert!(status.is_some_and(|status| status.success()), "{what} ended with {status:?}:\n{output}");
    output
}

/// The path of an installed program, for example `gotify-tray`.
pub fn program(name: &str) -> PathBuf {
    program_folder().join(name)
}

/// A temporary folder in which Node finds the installed packages: it looks for them in the folders above a script.
pub fn work_folder() -> TempDir {
    TempDir::with_prefix_in("run.", installed()).expect("what is built is in a writable folder")
}

fn program_folder() -> PathBuf {
    installed().join("venv/bin")
}

/// The folder into which the clients are installed.
fn installed() -> PathBuf {
    let target = built("tidings").ancestors().nth(2).expect("target/<profile>/tidings").to_owned();
    let clients = target.join("clients");
    let complete = clients.join("installed").exists();
    assert!(complete, "{} is not installed; `scripts/setup.sh test` does that", clients.display());
    clients
}

fn interpreter(script: &Path) -> &'static str {
    match script.extension().and_then(|end| end.to_str()) {
        Some("py") => "python",
        Some("mjs") => "node",
        _ => "bash",
    }
}
