//! The time from a publication to its row: until the top of the list of an open window has changed on the screen.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::curl::{block_on, post_text, start_sink_server};
use crate::desktop::{
    self, DesktopProcess, WINDOW_CENTER, endpoint, first_start, is_empty_window, is_shown, sibling_program,
    wait_for_empty_screen,
};
use crate::input_latency::sample_durations;
use crate::reads::Spread;
use crate::report::{Report, millis};
use crate::screen::{Rect, Screen};

/// The text of the first row of the list, in a window of 1,280 × 800 under the tray.
const FIRST_ROW: Rect = Rect { x: 300, y: 140, width: 120, height: 48 };
/// Publications measured.
const SAMPLE_COUNT: usize = 100;

/// Measures the time from a publication to its row at the top of an inbox with `items` notifications, beside a page
/// that has to change its colour. It adds a note instead if there is no display.
pub(crate) async fn run(report: &mut Report, data: &Path, items: usize) -> Result<()> {
    let Some(screen) = Screen::open() else {
        report.note("no display: the way to a row was not measured");
        return Ok(());
    };
    let (app, folder) = (sibling_program("tidings-desktop")?, data.join("arrivals"));
    desktop::prepare(&folder, items, None).await?;
    first_start(&app, &folder)?;
    // The pointer would hold rows where they are.
    screen.move_pointer(1_270, 790)?;

    let floor = told_page(&screen, &folder).await?;
    wait_for_empty_screen(&screen)?;
    let running = DesktopProcess::start(&app, &folder, &[])?;
    screen.wait_until("the list", is_shown)?;
    let url = endpoint(&folder)?;
    let mut n = 0;
    let row = sample_durations(SAMPLE_COUNT, || {
        n += 1;
        let topic = format!("{url}/row-{n}");
        screen.change_to_paint(FIRST_ROW, || block_on(post_text(&topic, "A row of its own")))
    })?;
    drop(running);

    report.section("Rows", "from a `curl` to the first changed pixel of the list's first row");
    report.row(
        &format!("a notification, {items} items"),
        &millis(row),
        &millis(floor),
        "a raw post and a page that is told to change its colour",
        row.p50.as_secs_f64() / floor.p50.as_secs_f64(),
    );
    report.goal(
        "from a `curl` to its row under 100 ms (p99)",
        row.p99 < Duration::from_millis(100),
        &millis(row),
    );
    Ok(())
}

/// The floor: a post to a server that stores nothing, then a line to the empty window, whose page changes its colour.
async fn told_page(screen: &Screen, data: &Path) -> Result<Spread> {
    let sink = start_sink_server().await?;
    wait_for_empty_screen(screen)?;
    let (running, mut input) =
        DesktopProcess::start_with_input(&sibling_program("examples/empty_window")?, data)?;
    screen.wait_until("the empty window", is_empty_window)?;
    let told = sample_durations(SAMPLE_COUNT, || {
        screen.change_to_paint(WINDOW_CENTER, || {
            block_on(post_text(&sink, "A row of its own"))?;
            Ok(input.write_all(b"\n")?)
        })
    });
    drop(running);
    told
}
