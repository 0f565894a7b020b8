//! Tests of the keyboard focus: Tab reaches every control in every view, and each shows that it is focused. The test
//! compares screenshots with and without the focus, not styles.

use std::{cell::RefCell, collections::HashSet};

use serde_json::{Value, json};
use support::{
    desktop::Desktop,
    page::{Page, keys},
    wait,
};

use crate::tour::{ENGLISH, first_run, settings_pages, with_sample_inbox};

/// A bound above the number of tab stops of any view.
const MAX_STOPS: usize = 150;

/// A script that returns the visible, enabled controls that Tab did not reach. It leaves out controls that arrow keys
/// reach inside one stop, and panes that take the focus without being controls.
const UNREACHED: &str = "return [...document.querySelectorAll('button, a[href], input, select, textarea, [tabindex]')]
    .filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !window.stops.has(one))
    .filter(one => !(one.tabIndex < 0 && one.closest('[role=listbox], [role=radiogroup], .is-settings nav')))
    .filter(one => one.tabIndex >= 0 || one.matches('button, a[href], input, select, textarea'))
    .map(one => one.outerHTML.slice(0, 120))";

/// A script that returns the focused element's HTML: null if nothing has the focus, empty if the element was visited
/// before.
const CURRENT_STOP: &str = "const one = document.activeElement;
    if (!one || one === document.body) return null;
    if (window.stops.has(one)) return '';
    window.stops.add(one);
    return one.outerHTML.slice(0, 120)";

/// The HTML of the checked stops, so that a control of several views is checked once.
type CheckedStops = RefCell<HashSet<String>>;

/// Ends every transition at once, as for those who want less motion; pictures are compared at rest.
const WITHOUT_MOTION: &str =
    "for (const time of ['--fast', '--base']) document.documentElement.style.setProperty(time, '0ms')";

/// Presses Tab through the whole view and checks every stop.
async fn check_tab_order(page: &Page<'_>, view: &str, checked: &CheckedStops) {
    page.script(&format!("window.stops = new Set(); {WITHOUT_MOTION}")).await;
    for _ in 0..MAX_STOPS {
        page.press_keys([keys::TAB]).await;
        match page.script(CURRENT_STOP).await {
            Value::String(been) if been.is_empty() => break,
            Value::String(stop) if checked.borrow_mut().insert(stop.clone()) => {
                shows_focus(page, view, &stop).await;
            }
            // A stop that was checked, or the gap between the last stop and the first.
            _ => {}
        }
    }
    assert_eq!(page.script(UNREACHED).await, json!([]), "Tab does not come to this in {view}");
}

/// Calls `done` after the next frame, when all transitions that it began are over.
const DRAW: &str = "const ends = (one) => one.effect.getComputedTiming().endTime !== Infinity;
    const over = () => Promise.allSettled(document.getAnimations().filter(ends).map((one) => one.finished));
    requestAnimationFrame(() => setTimeout(() => over().then(() => done(true))))";

/// Runs a script and waits until the next frame is drawn.
async fn draw_after(page: &Page<'_>, script: &str) {
    let script = format!("{script}; {DRAW}");
    wait::until_equal("the next frame", json!(true), || page.script_until_done(&script)).await;
}

/// A script that keeps the focused element as `stop`, and returns the one around it, if a picture of that is small and has
/// room for a ring.
const AROUND_FOCUS: &str = "window.stop = document.activeElement;
    const box = window.stop.getBoundingClientRect();
    const isAround = ({ left, top, right, bottom, width, height }) =>
      left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight &&
      left <= box.left - 6 && top <= box.top - 6 && right >= box.right + 6 && bottom >= box.bottom + 6 &&
      width * height < innerWidth * innerHeight / 4;
    let one = window.stop.parentElement;
    while (one !== null && !isAround(one.getBoundingClientRect())) one = one.parentElement;
    return one";

/// Fails the test if a screenshot with the focus is the same as one without it.
pub(crate) async fn shows_focus(page: &Page<'_>, view: &str, stop: &str) {
    // Most rings are seen in a small picture, and a large one takes a tenth of a second of the processor.
    let around = page.element(AROUND_FOCUS).await;
    if let Some(around) = &around
        && differs_without_focus(page, || page.screenshot_of(around)).await
    {
        return;
    }
    let is_seen = differs_without_focus(page, || async { Some(page.screenshot().await) }).await;
    assert!(is_seen, "nothing shows the focus in {view} on {stop}");
}

/// Whether a screenshot with the focus differs from one without it; false if it cannot be taken.
async fn differs_without_focus<F: Future<Output = Option<Vec<u8>>>>(
    page: &Page<'_>,
    take: impl Fn() -> F,
) -> bool {
    draw_after(page, "").await;
    let with = take().await;
    draw_after(page, "window.stop.blur()").await;
    let without = take().await;
    page.script("window.stop.focus()").await;
    with.zip(without).is_some_and(|(with, without)| with != without)
}

#[tokio::test]
async fn on_the_first_day_tab_comes_to_everything_and_is_seen() {
    first_run(&ENGLISH, async |page: &Page<'_>, view: &str| {
        check_tab_order(page, view, &CheckedStops::default()).await;
    })
    .await;
}

#[tokio::test]
async fn in_a_thread_and_a_conversation_tab_comes_to_everything_and_is_seen() {
    with_sample_inbox(&ENGLISH, async |_: &Desktop, page: &Page<'_>| {
        let checked = CheckedStops::default();
        check_tab_order(page, "the inbox", &checked).await;
        page.click_row(ENGLISH.article).await;
        page.wait_for_text("await").await;
        check_tab_order(page, "a thread", &checked).await;
        page.click_row(ENGLISH.crew).await;
        page.wait_for(".composer").await;
        check_tab_order(page, "a conversation", &checked).await;
    })
    .await;
}

#[tokio::test]
async fn in_the_settings_tab_comes_to_everything_and_is_seen() {
    with_sample_inbox(&ENGLISH, async |_: &Desktop, page: &Page<'_>| {
        let checked = CheckedStops::default();
        settings_pages(page, &async |page: &Page<'_>, view: &str| {
            check_tab_order(page, view, &checked).await;
        })
        .await;
    })
    .await;
}
