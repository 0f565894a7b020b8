//! Input latency: the time from a key to the changed picture, in the largest inbox. Keys are sent to the X display, and
//! the picture is read from it.

use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::desktop::{
    DesktopProcess, WINDOW_CENTER, is_empty_window, is_shown, large, sibling_program, wait_for_empty_screen,
};
use crate::reads::Spread;
use crate::report::{Report, millis};
use crate::screen::{Rect, Screen};

/// The keysym of the space bar; the empty window changes its colour on it.
pub(crate) const SPACE: u32 = 0x20;
const SLASH: u32 = 0x2f;
const BACKSPACE: u32 = 0xff08;
const ESCAPE: u32 = 0xff1b;

/// The left edge of the rows, with the colour of the selected row and the avatars, which move when the list scrolls.
const LIST_EDGE: Rect = Rect { x: 235, y: 80, width: 60, height: 700 };
/// The text of rows that the list of completions does not cover: its paint is not that of what was found.
const LIST_TEXT: Rect = Rect { x: 300, y: 345, width: 240, height: 385 };

/// Number of presses of a key in the empty window.
const FLOOR_SAMPLES: usize = 30;
/// Number of presses of `j`.
const STEP_SAMPLES: usize = 200;
/// Letters typed into the search field, each the beginning of many words.
const SEARCH_LETTERS: [u8; 6] = *b"ctsbdm";
/// How often each of them is: of a hundred times the 99th percentile is not the longest.
const SEARCH_ROUNDS: usize = 20;

/// How many of the letters that took longest are reported.
const LONGEST_LETTERS: usize = 5;

/// Runs a measurement `count` times; gives the median and the 99th percentile of its results.
pub(crate) fn sample_durations(
    count: usize,
    mut measure: impl FnMut() -> Result<Duration>,
) -> Result<Spread> {
    let mut durations = (0..count).map(|_| measure()).collect::<Result<Vec<_>>>()?;
    Ok(Spread::of(&mut durations))
}

/// Measures `j` in the list and typing in the search field, beside an empty window that changes its colour on a key. It
/// adds a note instead if there is no display.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize) -> Result<()> {
    let Some(screen) = Screen::open() else {
        report.note("no display: keys were not measured");
        return Ok(());
    };
    let large = large(data, items).await?;
    wait_for_empty_screen(&screen)?;
    let running = DesktopProcess::start(&sibling_program("examples/empty_window")?, &large, &[])?;
    screen.wait_until("the empty window", is_empty_window)?;
    let floor = sample_durations(FLOOR_SAMPLES, || screen.key_to_paint(SPACE, WINDOW_CENTER))?;
    drop(running);
    wait_for_empty_screen(&screen)?;
    let running = DesktopProcess::start(&sibling_program("tidings-desktop")?, &large, &[])?;
    screen.wait_until("the list", is_shown)?;
    // The first press only selects the first row.
    screen.key_to_paint(u32::from(b'j'), LIST_EDGE)?;
    let step = sample_durations(STEP_SAMPLES, || screen.key_to_paint(u32::from(b'j'), LIST_EDGE))?;
    screen.press_key(SLASH)?;
    let mut letters = SEARCH_LETTERS.iter().cycle();
    let mut by_letter = Vec::new();
    let search = sample_durations(SEARCH_LETTERS.len() * SEARCH_ROUNDS, || {
        let letter = letters.next().copied().unwrap_or(b'c');
        let took = screen.key_to_paint(u32::from(letter), LIST_TEXT)?;
        by_letter.push((took, char::from(letter), by_letter.len() + 1));
        screen.key_to_paint(BACKSPACE, LIST_TEXT)?;
        Ok(took)
    })?;
    screen.press_key(ESCAPE)?;
    drop(running);
    report.section("Hands", "from a key to what it paints, on a display without a graphics card");
    let ratio = |spread: Spread| spread.p50.as_secs_f64() / floor.p50.as_secs_f64();
    let floor_name = "a key that colours an empty window";
    // The floor takes one frame or two, from run to run, so that ratios to it have no bar. The times themselves must hold.
    report.rough_row(&format!("`j`, {items} items"), &millis(step), &millis(floor), floor_name, ratio(step));
    report.rough_row(
        &format!("a letter of a search, {items} items"),
        &millis(search),
        &millis(floor),
        floor_name,
        ratio(search),
    );
    let text = |d: Duration| format!("{:.0} ms", d.as_secs_f64() * 1e3);
    report.goal("`j` to paint under 50 ms (p99)", step.p99 < Duration::from_millis(50), &text(step.p99));
    by_letter.sort_unstable_by(|one, other| other.cmp(one));
    let longest = by_letter
        .iter()
        .take(LONGEST_LETTERS)
        .map(|(took, letter, at)| format!("`{letter}` {} ({at})", text(*took)));
    report.note(&format!(
        "the longest letters, and when they were typed: {}",
        longest.collect::<Vec<_>>().join(", ")
    ));
    let holds = search.p99 <= Duration::from_millis(80);
    report.target(
        "from a letter of a search to its paint within 80 ms (p99, goal 60)",
        holds,
        &text(search.p99),
    );
    Ok(())
}
