//! The desktop program as a process: its start time, until its list is on the screen, and its memory, beside an empty
//! window of the same toolkit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings_model::SystemClock;
use tidings_replica::{FILE, Replica, SourceChange};

use crate::Result;
use crate::reads::Spread;
use crate::report::Report;
use crate::screen::{Rect, Screen};
use crate::setup::{self, LoadedServer};

/// The middle of the empty window, read to recognize the window by its colour.
pub(crate) const WINDOW_CENTER: Rect = Rect { x: 600, y: 380, width: 16, height: 16 };
/// The area of the first rows of the list, in a window of 1,280 × 800. No larger than needed: each read of the screen
/// occupies the display and a core, which slows what is measured.
const LIST_ROWS: Rect = Rect { x: 300, y: 90, width: 120, height: 128 };
/// Dark pixels that the text of two rows has at least in [`LIST_ROWS`].
const MIN_TEXT_PIXELS: usize = 200;
/// The time in which a start without a window has ended, and has given back what it needed.
const BACKGROUND_START: Duration = Duration::from_secs(10);
/// Starts of each of two programs, whose medians are reported; one more goes before them to warm the caches.
const START_COUNT: usize = 9;

/// A started program; dropping it ends the program.
pub(crate) struct DesktopProcess(Child);

impl Drop for DesktopProcess {
    fn drop(&mut self) {
        terminate(&mut self.0);
    }
}

/// Ends a program by SIGTERM, as the desktop does; after ten seconds by SIGKILL. Returns when the program's children
/// are gone too, or after five more seconds.
pub(crate) fn terminate(program: &mut Child) {
    let _ = Command::new("kill").arg(program.id().to_string()).status();
    let requested_at = Instant::now();
    while matches!(program.try_wait(), Ok(None)) && requested_at.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = program.kill();
    let _ = program.wait();
    // WebKit's helper processes end a little later.
    let killed_at = Instant::now();
    while killed_at.elapsed() < Duration::from_secs(5) && process_tree(program.id()).len() > 1 {
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl DesktopProcess {
    pub(crate) fn start(program: &Path, data: &Path, args: &[&str]) -> Result<Self> {
        Self::spawn(program, data, args, Stdio::null())
    }

    /// Starts a program that is written to.
    pub(crate) fn start_with_input(program: &Path, data: &Path) -> Result<(Self, ChildStdin)> {
        let mut started = Self::spawn(program, data, &[], Stdio::piped())?;
        let input = started.0.stdin.take().ok_or("no input")?;
        Ok((started, input))
    }

    fn spawn(program: &Path, data: &Path, args: &[&str], input: Stdio) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(args).env("TIDINGS_DATA_DIR", data).stdin(input);
        Self::of(command)
    }

    /// Starts a program of others.
    pub(crate) fn of(mut command: Command) -> Result<Self> {
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let started = command.spawn();
        Ok(Self(started.map_err(|e| format!("{}: {e}", command.get_program().display()))?))
    }

    /// The proportional set size of the process and its descendants, in MiB. It is the first of two readings, two
    /// seconds apart, that differ by less than 1 MiB, or the last one after a minute.
    pub(crate) fn memory(&self) -> f64 {
        let mut last = f64::MAX;
        for _ in 0..30 {
            std::thread::sleep(Duration::from_secs(2));
            let now = process_tree(self.0.id()).into_iter().map(pss).sum::<f64>();
            if (now - last).abs() < 1.0 {
                return now;
            }
            last = now;
        }
        last
    }
}

/// The ids of a process and of all its descendants.
fn process_tree(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut all = vec![root];
    let mut at = 0;
    while let Some(pid) = all.get(at).copied() {
        all.extend(children.get(&pid).into_iter().flatten());
        at += 1;
    }
    all
}

fn pss(pid: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix("Pss:")?.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1_024.0
}

pub(crate) fn sibling_program(name: &str) -> Result<PathBuf> {
    let me = std::env::current_exe()?;
    Ok(me.parent().ok_or("no folder")?.join(name))
}

/// Whether the list is on the screen: dark text on light paper in the area of its first rows. A bare screen is dark all
/// over.
pub(crate) fn is_shown(screen: &Screen) -> Result<bool> {
    let brightness = |[r, g, b]: [u8; 3]| u32::from(r) + u32::from(g) + u32::from(b);
    let area = usize::from(LIST_ROWS.width) * usize::from(LIST_ROWS.height);
    let [bright, dark] = screen.count(LIST_ROWS, [&|p| brightness(p) > 650, &|p| brightness(p) < 300])?;
    Ok(bright > area / 2 && dark >= MIN_TEXT_PIXELS)
}

pub(crate) fn is_empty_window(screen: &Screen) -> Result<bool> {
    Ok(screen.count(WINDOW_CENTER, [&|p| p == [0x2d, 0x6c, 0xdf]])? == [256])
}

/// Waits until neither the list nor the empty window is on the screen.
pub(crate) fn wait_for_empty_screen(screen: &Screen) -> Result<()> {
    screen.wait_until("an empty screen", |s| Ok(!is_shown(s)? && !is_empty_window(s)?))
}

/// Whether what is waited for is on the screen.
type Shown = fn(&Screen) -> Result<bool>;

/// The median times from the start of two programs until each is shown. They start in turn, so that a machine that
/// becomes slower or faster meanwhile does so for both.
fn start_times(screen: &Screen, programs: [(&Path, Shown); 2], data: &Path) -> Result<[Duration; 2]> {
    let mut took = [const { Vec::new() }; 2];
    for round in 0..=START_COUNT {
        for ((program, shown), took) in programs.iter().zip(&mut took) {
            wait_for_empty_screen(screen)?;
            let started = Instant::now();
            let running = DesktopProcess::start(program, data, &[])?;
            screen.wait_until("the window", shown)?;
            if round > 0 {
                took.push(started.elapsed());
            }
            drop(running);
        }
    }
    Ok(took.map(|mut times| Spread::of(&mut times).p50))
}

/// Fills the data folder of an app with a replica whose sources are paused. `existing_replica` is the folder of a
/// replica that was pulled before, which is copied; without it a server with `items` notifications is made and pulled.
pub(crate) async fn prepare(data: &Path, items: usize, existing_replica: Option<&Path>) -> Result<()> {
    let source = if let Some(existing_replica) = existing_replica {
        fs::create_dir_all(data)?;
        Replica::open(existing_replica, Arc::new(SystemClock))?.backup(&data.join(FILE))?;
        None
    } else {
        let server = data.with_extension("server");
        let loaded = LoadedServer::open(&server).await?;
        loaded.fill(items).await?;
        // A pull has less time than this may take.
        loaded.fan_in().await?;
        let (replica, source) = setup::replica(data, &loaded.client.url)?;
        loaded.pull(&replica, source).await?;
        loaded.close().await?;
        fs::remove_dir_all(server)?;
        Some(source)
    };
    let replica = Replica::open(data, Arc::new(SystemClock))?;
    let paused = SourceChange { paused: Some(true), ..SourceChange::default() };
    for row in replica.sources()?.iter().filter(|row| source.is_none_or(|id| id == row.id)) {
        replica.change_source(row.id, paused.clone())?;
    }
    Ok(())
}

/// Starts the app once in the background, so that it makes its tokens, folders and caches.
pub(crate) fn first_start(app: &Path, data: &Path) -> Result<()> {
    let first = DesktopProcess::start(app, data, &["--background"])?;
    let started = Instant::now();
    while !data.join("endpoint.json").exists() && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(50));
    }
    // Waits until memory is steady, so that one-time work of a new data folder is not measured.
    first.memory();
    drop(first);
    Ok(())
}

/// The address of the app's own server, from `endpoint.json`; an error if it is missing after 20 s.
pub(crate) fn endpoint(data: &Path) -> Result<String> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        let text = fs::read(data.join("endpoint.json")).unwrap_or_default();
        let endpoint: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        if let Some(url) = endpoint.get("url").and_then(serde_json::Value::as_str) {
            return Ok(url.to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err("the app does not say where its server is".into())
}

/// The data folder of an app with `items` notifications in its replica, which is made once.
pub(crate) async fn large(data: &Path, items: usize) -> Result<PathBuf> {
    let (folder, pulled) = (data.join("desktop-large"), data.join("replica"));
    if !folder.exists() {
        prepare(&folder, items, pulled.join(FILE).exists().then_some(pulled.as_path())).await?;
        first_start(&sibling_program("tidings-desktop")?, &folder)?;
    }
    Ok(folder)
}

/// Measures start times and memory. It adds a note instead if there is no display.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize) -> Result<()> {
    let Some(screen) = Screen::open() else {
        report.note("no display: the window was not measured");
        return Ok(());
    };
    let (app, empty) = (sibling_program("tidings-desktop")?, sibling_program("examples/empty_window")?);
    let small = data.join("desktop");
    prepare(&small, items / 10, None).await?;
    first_start(&app, &small)?;
    let large = large(data, items).await?;

    let [floor, list] = start_times(&screen, [(&empty, is_empty_window), (&app, is_shown)], &large)?;
    let millis = |d: Duration| format!("{:.0} ms", d.as_secs_f64() * 1e3);
    let ratio = list.as_secs_f64() / floor.as_secs_f64();
    report.section(
        "Start",
        "from the start of the process to what can be seen, medians of nine starts in turn",
    );
    report.row(
        &format!("first list, {items} items"),
        &millis(list),
        &millis(floor),
        "an empty window",
        ratio,
    );
    let text = format!("{ratio:.2}");
    report.target("first list within 1.15 × of an empty window (goal 1.05)", ratio <= 1.15, &text);

    wait_for_empty_screen(&screen)?;
    let running = DesktopProcess::start(&empty, &large, &[])?;
    screen.wait_until("the empty window", is_empty_window)?;
    let floor = running.memory();
    drop(running);
    report.section("Memory", "MiB of the program with all of WebKit's processes (proportional set size)");
    let small_memory = measure_memory(report, &screen, &app, &small, items / 10, floor, false)?;
    report.target(
        "in the background below a third of an empty window",
        small_memory.never_opened < floor / 3.0,
        &format!("{:.2}", small_memory.never_opened / floor),
    );
    report.target(
        "closed again below 0.6 of an empty window",
        small_memory.closed_again < floor * 0.6,
        &format!("{:.2}", small_memory.closed_again / floor),
    );
    let large_memory = measure_memory(report, &screen, &app, &large, items, floor, true)?;
    for (figures, what) in [(&small_memory, "tenth"), (&large_memory, "whole")] {
        let figure = format!("{:.0} MiB", figures.never_opened);
        let name = format!("never opened at most 55 MiB, with a {what} of the items (goal 47)");
        report.target(&name, figures.never_opened <= 55.0, &figure);
    }
    report.goal(
        "open within 1.3 × of an empty window",
        large_memory.open <= floor * 1.3,
        &format!("{:.2}", large_memory.open / floor),
    );
    // A window that was never opened has none of WebKit, so the empty window is the measure of the memory that closing
    // gives back.
    report.goal(
        "a minute after closing within 0.25 × of an empty window",
        large_memory.closed_again <= floor * 0.25,
        &format!("{:.2}", large_memory.closed_again / floor),
    );
    Ok(())
}

/// Closes the app's window by Alt+F4, as a user does.
fn close_window() -> Result<()> {
    let xdotool = |args: &[&str]| Command::new("xdotool").args(args).output();
    let found = xdotool(&["search", "--onlyvisible", "--class", "tidings"])?;
    let ids = String::from_utf8_lossy(&found.stdout).into_owned();
    let id = ids.lines().next().ok_or("there is no window to close")?;
    // Two calls of xdotool: in one, the keys would go to the window itself, past the window manager.
    xdotool(&["windowactivate", "--sync", id])?;
    xdotool(&["key", "alt+F4"])?;
    Ok(())
}

struct MemoryFigures {
    never_opened: f64,
    open: f64,
    closed_again: f64,
}

/// Measures the app's memory before, while and after its window is open. `wait_after_close` waits a minute after
/// closing it; `floor` is the memory of the empty window, MiB.
fn measure_memory(
    report: &mut Report,
    screen: &Screen,
    app: &Path,
    data: &Path,
    items: usize,
    floor: f64,
    wait_after_close: bool,
) -> Result<MemoryFigures> {
    wait_for_empty_screen(screen)?;
    let running = DesktopProcess::start(app, data, &["--background"])?;
    std::thread::sleep(BACKGROUND_START);
    let never_opened = running.memory();
    // A second start shows the window of the first.
    let second = DesktopProcess::start(app, data, &[])?;
    screen.wait_until("the list", is_shown)?;
    drop(second);
    let open = running.memory();
    close_window()?;
    screen.wait_until("the window's end", |s| Ok(!is_shown(s)?))?;
    if wait_after_close {
        std::thread::sleep(Duration::from_secs(60));
    }
    let closed_again = running.memory();
    let mib = |n: f64| format!("{n:.0} MiB");
    for (what, figure) in
        [("never opened (--background)", never_opened), ("open", open), ("closed again", closed_again)]
    {
        let what = format!("{what}, {items} items");
        report.row(&what, &mib(figure), &mib(floor), "an empty window", figure / floor);
    }
    Ok(MemoryFigures { never_opened, open, closed_again })
}
