//! Input latency: the time from a key to the changed picture, in the largest inbox. Keys are sent to the X display, and
//! the picture is read from it.

use std::time::Duration;

use crate::Result;
use crate::desktop::{Running, bare, is_shown};
use crate::reads::Spread;
use crate::report::Report;
use crate::screen::{Part, Screen};

/// The keysym of the space bar; the empty window changes its colour on it.
pub(crate) const SPACE: u32 = 0x20;
const SLASH: u32 = 0x2f;
const BACKSPACE: u32 = 0xff08;
const ESCAPE: u32 = 0xff1b;

/// The left edge of the rows, with the colour of the selected row and the avatars, which move when the list scrolls.
const EDGE: Part = Part { x: 235, y: 80, width: 60, height: 700 };
/// The text of the rows.
const WORDS: Part = Part { x: 300, y: 130, width: 240, height: 600 };

/// Number of presses of `j`.
const STEPS: usize = 200;
/// Letters typed into the search field, each the beginning of many words.
const LETTERS: [u8; 6] = *b"ctsbdm";

/// Runs a measurement `times` times; gives the median and the 99th percentile of what it returned.
pub(crate) fn often_seen(times: usize, mut look: impl FnMut() -> Result<Duration>) -> Result<Spread> {
    let mut took = (0..times).map(|_| look()).collect::<Result<Vec<_>>>()?;
    took.sort_unstable();
    let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or_default();
    Ok(Spread { p50: at(50), p99: at(99) })
}

/// Measures `j` in the list and typing in the search field, beside an empty window that changes its colour on a key.
pub(crate) fn run(
    report: &mut Report,
    screen: &Screen,
    start: impl Fn() -> Result<Running>,
    items: usize,
    floor: Spread,
) -> Result<()> {
    bare(screen)?;
    let running = start()?;
    screen.wait("the list", is_shown)?;
    // The first press only selects the first row.
    screen.key_to_paint(u32::from(b'j'), EDGE)?;
    let step = often_seen(STEPS, || screen.key_to_paint(u32::from(b'j'), EDGE))?;
    screen.press(SLASH)?;
    let mut letters = LETTERS.iter().cycle();
    let search = often_seen(LETTERS.len() * 5, || {
        let letter = letters.next().copied().unwrap_or(b'c');
        let took = screen.key_to_paint(u32::from(letter), WORDS)?;
        screen.key_to_paint(BACKSPACE, WORDS)?;
        Ok(took)
    })?;
    screen.press(ESCAPE)?;
    drop(running);
    report.section("Hands", "from a key to what it paints, on a display without a graphics card");
    let ratio = |spread: Spread| spread.p50.as_secs_f64() / floor.p50.as_secs_f64();
    let millis =
        |s: Spread| format!("{:.0} ms, p99 {:.0} ms", s.p50.as_secs_f64() * 1e3, s.p99.as_secs_f64() * 1e3);
    let beside = "a key that colours an empty window";
    report.row(&format!("`j`, {items} items"), &millis(step), &millis(floor), beside, ratio(step));
    report.row(
        &format!("a letter of a search, {items} items"),
        &millis(search),
        &millis(floor),
        beside,
        ratio(search),
    );
    let text = |d: Duration| format!("{:.0} ms", d.as_secs_f64() * 1e3);
    report.goal("`j` to paint under 50 ms (p99)", step.p99 < Duration::from_millis(50), &text(step.p99));
    report.goal(
        "search results under 100 ms (p99)",
        search.p99 < Duration::from_millis(100),
        &text(search.p99),
    );
    Ok(())
}
