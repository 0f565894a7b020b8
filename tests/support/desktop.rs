//! A virtual desktop for one test: display, window manager, session bus, tray host, notification daemon and home
//! folder. Dropping it ends it, with every program on it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    os::unix::{ffi::OsStringExt, fs::PermissionsExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;
use zbus::{Connection, connection};

use crate::{
    program::{Process, free_port, root},
    screen, wait,
};

/// The parts of a virtual desktop. The default has all but a keyring.
#[derive(Debug, Clone, Copy)]
pub struct DesktopOptions {
    /// Whether there is a session bus.
    pub bus: bool,
    /// Whether a tray host runs (xfce4-panel).
    pub tray_host: bool,
    /// Whether a notification daemon runs (dunst).
    pub dunst: bool,
    /// Whether an unlocked Secret Service runs (gnome-keyring).
    pub keyring: bool,
    /// Whether the desktop prefers dark colours.
    pub dark: bool,
    /// Whether there is the bus of screen readers, for [`crate::screen_reader::ScreenReader`].
    pub screen_reader: bool,
    /// The locale, for example `zh_CN.UTF-8`.
    pub locale: &'static str,
    /// The screen size in pixels, for example `1280x800`.
    pub size: &'static str,
}

impl Default for DesktopOptions {
    fn default() -> Self {
        Self {
            bus: true,
            tray_host: true,
            dunst: true,
            keyring: false,
            dark: false,
            screen_reader: false,
            locale: "en_US.UTF-8",
            size: "1280x800",
        }
    }
}

/// A running virtual desktop.
#[derive(Debug)]
pub struct Desktop {
    script: Child,
    stdin: Option<ChildStdin>,
    env: BTreeMap<OsString, OsString>,
    dir: TempDir,
    unprivileged: bool,
    port: u16,
}

impl Desktop {
    /// Starts a desktop with the default options.
    pub fn start() -> Self {
        Self::with_options(DesktopOptions::default())
    }

    /// Starts a desktop without a notification daemon, for [`crate::toasts::Toasts`] to take its place.
    pub fn with_recorded_toasts() -> Self {
        Self::with_options(DesktopOptions { dunst: false, ..DesktopOptions::default() })
    }

    /// Starts a desktop with these options and waits until it is ready.
    pub fn with_options(options: DesktopOptions) -> Self {
        let dir = TempDir::with_prefix("tidings-test.").expect("a temporary folder");
        let env_file = dir.path().join("env");
        let ready_file = dir.path().join("ready");
        let mut command = Command::new(root().join("scripts/with-desktop.sh"));
        let flags = [
            (!options.bus, "--no-bus"),
            (!options.tray_host, "--no-panel"),
            (!options.dunst, "--no-dunst"),
            (options.keyring, "--keyring"),
            (options.dark, "--dark"),
            (options.screen_reader, "--a11y"),
        ];
        command.args(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| flag));
        command.args(["--lang", options.locale, "--size", options.size, "--"]);
        command.env("MESA_SHADER_CACHE_DIR", shader_cache());
        // The desktop runs until its standard input is closed, so it also ends if the test is killed.
        command.args(["bash", "-c", r#"env -0 >"$0"; touch "$1"; exec cat >/dev/null"#]);
        command.args([&env_file, &ready_file]).stdin(Stdio::piped());
        let mut script = command.spawn().expect("scripts/with-desktop.sh starts");
        let stdin = script.stdin.take();

        let start = Instant::now();
        while !ready_file.exists() {
            if let Ok(Some(status)) = script.try_wait() {
                panic!("the desktop ended while starting: {status}");
            }
            assert!(start.elapsed() < 2 * wait::TEST_TIMEOUT, "the desktop did not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        let env = fs::read(&env_file)
            .expect("the desktop's environment")
            .split(|byte| *byte == 0)
            .filter_map(|pair| {
                let at = pair.iter().position(|byte| *byte == b'=')?;
                let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
                Some((text(&pair[..at]), text(&pair[at + 1..])))
            })
            .collect();
        Self { script, stdin, env, dir, unprivileged: false, port: free_port() }
    }

    /// Puts a program in the place of the desktop's opener that writes down what it is given, for
    /// [`Desktop::opened_links`].
    #[must_use]
    pub fn with_recorded_links(mut self) -> Self {
        let folder = self.dir.path().join("opener");
        let opener = folder.join("xdg-open");
        fs::create_dir(&folder).expect("a folder for the opener");
        let text = format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >>'{}'\n", self.links_file().display());
        fs::write(&opener, text).expect("the opener is written");
        fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("the opener can be run");
        let path = self.env.get(std::ffi::OsStr::new("PATH")).cloned().unwrap_or_default();
        let all = std::iter::once(folder).chain(std::env::split_paths(&path));
        let joined = std::env::join_paths(all).expect("no folder has a colon");
        self.env.insert("PATH".into(), joined);
        self
    }

    /// Sets a variable of the environment of what is started from now on.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    fn links_file(&self) -> PathBuf {
        self.dir.path().join("opened-links")
    }

    /// The addresses that were opened outside, on a desktop [`Desktop::with_recorded_links`].
    pub fn opened_links(&self) -> Vec<String> {
        let text = fs::read_to_string(self.links_file()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// If the test runs as root, makes its programs drop the capabilities that override file modes.
    #[must_use]
    pub fn as_unprivileged_user(mut self) -> Self {
        let id = Command::new("id").arg("-u").output().expect("id");
        self.unprivileged = id.stdout.starts_with(b"0");
        self
    }

    /// A command that runs on this desktop, with Tidings' files in [`Desktop::data_dir`].
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let program = program.as_ref();
        let mut command = if self.unprivileged {
            let mut command = Command::new("setpriv");
            command.args(["--bounding-set=-dac_override,-dac_read_search", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .env_clear()
            .envs(&self.env)
            .env("TIDINGS_DATA_DIR", self.data_dir())
            .env("TIDINGS_PORT", self.port.to_string());
        command
    }

    /// A folder for the test's own files, deleted with the desktop.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The port of the app's own server, unless it is taken. It differs from the default port, so that Tidings may run
    /// on the developer's desktop meanwhile.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of Tidings' files on this desktop.
    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        PathBuf::from(self.env.get(&OsString::from("HOME")).expect("a desktop has a HOME"))
    }

    /// The address of the X server.
    fn display(&self) -> String {
        let display = self.env.get(&OsString::from("DISPLAY")).expect("a desktop has a display");
        display.to_str().expect("a display's address is text").to_owned()
    }

    /// A new connection to the session bus.
    pub async fn bus(&self) -> Connection {
        self.bus_builder().build().await.expect("the session bus answers")
    }

    /// The builder of such a connection, for tests that serve an object on it.
    pub fn bus_builder(&self) -> connection::Builder<'static> {
        let address = self.env.get(&OsString::from("DBUS_SESSION_BUS_ADDRESS")).expect("a desktop has a bus");
        let address = address.to_str().expect("a bus address is text");
        let builder = connection::Builder::address(address).expect("a bus address can be read");
        // A peer that does not answer fails the test instead of blocking it.
        builder.method_timeout(wait::TEST_TIMEOUT)
    }

    /// Starts a tray host on a desktop that was started without one.
    pub fn start_tray_host(&self) -> Process {
        let mut command = self.command("xfce4-panel");
        command.arg("--disable-wm-check");
        Process::start("xfce4-panel", command, &self.dir.path().join("panel.log"))
    }

    /// Starts dunst on a desktop that was started without it.
    pub fn start_dunst(&self) -> Process {
        Process::start("dunst", self.command("dunst"), &self.dir.path().join("dunst.log"))
    }

    /// Puts the content of a file into the clipboard under a type, for as long as the process runs.
    pub async fn start_clipboard(&self, kind: &str, content: &Path) -> Process {
        let mut command = self.command("xclip");
        command.args(["-quiet", "-selection", "clipboard", "-t", kind, "-i"]).arg(content);
        let owner = Process::start("xclip", command, &self.dir.path().join("xclip.log"));
        wait::until("the clipboard", || async {
            let types = self.run("xclip", &["-selection", "clipboard", "-t", "TARGETS", "-o"]);
            types.lines().any(|offered| offered == kind).then_some(())
        })
        .await;
        owner
    }

    /// Runs a short program on the desktop and returns its trimmed standard output, for example `dunstctl count
    /// displayed`. A program that takes longer than [`wait::TEST_TIMEOUT`] fails the test.
    pub fn run(&self, program: &str, args: &[&str]) -> String {
        let out = self
            .command("timeout")
            .args([&wait::TEST_TIMEOUT.as_secs().to_string(), program])
            .args(args)
            .output()
            .expect("timeout starts");
        assert_ne!(out.status.code(), Some(124), "{program} {args:?} did not end");
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    }

    /// The X11 ids of the app's visible windows.
    pub(crate) fn window_ids(&self) -> Vec<String> {
        let ids = self.run("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
        ids.lines().map(str::to_owned).collect()
    }

    /// The titles of the app's visible windows.
    pub fn window_titles(&self) -> Vec<String> {
        self.window_ids().iter().map(|id| self.run("xdotool", &["getwindowname", id])).collect()
    }

    /// Waits until exactly one window of the app is visible and its page is rendered.
    pub async fn wait_for_rendered_page(&self) {
        wait::until_equal("windows on the screen", 1, || async { self.window_titles().len() }).await;
        wait::until("the page to be rendered", || async {
            let id = self.window_ids().into_iter().next()?.parse().expect("a window has a number");
            matches!(screen::is_drawn(&self.display(), id), Ok(true)).then_some(())
        })
        .await;
    }

    /// Closes the app's window by the window manager's key, Alt+F4, and waits until it is gone.
    pub async fn close_window(&self) {
        wait::until("the window to be on the screen", || async { !self.window_titles().is_empty() }).await;
        wait::until("the window to be gone", || async {
            let Some(id) = self.window_ids().into_iter().next() else { return Some(()) };
            self.run("xdotool", &["windowactivate", &id, "key", "alt+F4"]);
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(1) {
                if self.window_titles().is_empty() {
                    return Some(());
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            None
        })
        .await;
    }

    /// Saves a screenshot of the screen in tests/out/ and returns its path.
    pub fn screenshot(&self, name: &str) -> PathBuf {
        let folder = root().join("tests/out");
        fs::create_dir_all(&folder).expect("tests/out can be made");
        let path = folder.join(format!("{name}.png"));
        let _ = self.command("import").args(["-window", "root"]).arg(&path).status();
        path
    }
}

/// Where Mesa keeps the shaders that it has compiled. It lasts beside the programs: each window needs the same ones, and
/// Mesa goes on writing after the temporary folder of a test is deleted.
fn shader_cache() -> PathBuf {
    let test = std::env::current_exe().expect("a running test knows where it is");
    test.ancestors().nth(2).expect("target/<profile>/deps/<test>").join("shaders")
}

impl Drop for Desktop {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
            eprintln!("—— the screen at that moment: {} ——", self.screenshot(&name).display());
        }
        drop(self.stdin.take());
        let start = Instant::now();
        while matches!(self.script.try_wait(), Ok(None)) {
            if start.elapsed() > Duration::from_secs(10) {
                let _ = self.script.kill();
                let _ = self.script.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
