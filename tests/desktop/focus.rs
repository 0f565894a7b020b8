//! The keyboard alone, in the real WebKit: Tab comes to everything, and one sees where it is.
//! Refuses to read that off the styles: with the focus and without it, the window must look different.

use std::{cell::RefCell, collections::HashSet};

use serde_json::{Value, json};
use support::{
    desktop::Desktop,
    page::{Page, keys},
    wait,
};

use crate::tour::{ENGLISH, first_run, settings, with_scene};

/// More stops than any view has.
const MOST: usize = 150;

/// What Tab should come to: all that can be seen and used, but what the arrows go through inside one stop, and what only
/// holds the focus of a pane without being a control.
const LEFT: &str = "return [...document.querySelectorAll('button, a[href], input, select, textarea, [tabindex]')]
    .filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !window.stops.has(one))
    .filter(one => !(one.tabIndex < 0 && one.closest('[role=listbox], [role=radiogroup]')))
    .filter(one => one.tabIndex >= 0 || one.matches('button, a[href], input, select, textarea'))
    .map(one => one.outerHTML.slice(0, 120))";

/// The name of where the focus is: null where it is on nothing, empty where it has been before.
const STOP: &str = "const one = document.activeElement;
    if (!one || one === document.body) return null;
    if (window.stops.has(one)) return '';
    window.stops.add(one);
    return one.outerHTML.slice(0, 120)";

/// The stops that were looked at: what several views share is looked at in the first.
type Looked = RefCell<HashSet<String>>;

/// Goes round with Tab, and looks at every stop.
async fn walk(page: &Page<'_>, view: &str, looked: &Looked) {
    page.script("window.stops = new Set()").await;
    for _ in 0..MOST {
        page.keys([keys::TAB]).await;
        match page.script(STOP).await {
            Value::String(been) if been.is_empty() => break,
            Value::String(stop) if looked.borrow_mut().insert(stop.clone()) => seen(page, view, &stop).await,
            // One that was looked at, or the gap between the last stop and the first.
            _ => {}
        }
    }
    assert_eq!(page.script(LEFT).await, json!([]), "Tab does not come to this in {view}");
}

/// The window once what was done to it is drawn.
async fn drawn(page: &Page<'_>) -> Vec<u8> {
    page.script(
        "window.drawn = false; requestAnimationFrame(() => setTimeout(() => { window.drawn = true; }))",
    )
    .await;
    wait::until_equal("the next frame", json!(true), || page.script("return window.drawn")).await;
    page.picture().await
}

async fn seen(page: &Page<'_>, view: &str, stop: &str) {
    let with = drawn(page).await;
    page.script("window.stop = document.activeElement; window.stop.blur()").await;
    let without = drawn(page).await;
    page.script("window.stop.focus()").await;
    assert!(with != without, "nothing shows the focus in {view} on {stop}");
}

#[tokio::test]
async fn on_the_first_day_tab_comes_to_everything_and_is_seen() {
    first_run(&ENGLISH, async |page: &Page<'_>, view: &str| walk(page, view, &Looked::default()).await).await;
}

#[tokio::test]
async fn in_a_thread_and_a_conversation_tab_comes_to_everything_and_is_seen() {
    with_scene(&ENGLISH, async |_: &Desktop, page: &Page<'_>| {
        let looked = Looked::default();
        walk(page, "the inbox", &looked).await;
        page.click_row(ENGLISH.article).await;
        page.reads("await").await;
        walk(page, "a thread", &looked).await;
        page.click_row(ENGLISH.crew).await;
        wait::until("the conversation", || async {
            (!page.find_all(".composer").await.is_empty()).then_some(())
        })
        .await;
        walk(page, "a conversation", &looked).await;
    })
    .await;
}

#[tokio::test]
async fn in_the_settings_tab_comes_to_everything_and_is_seen() {
    with_scene(&ENGLISH, async |_: &Desktop, page: &Page<'_>| {
        let looked = Looked::default();
        settings(page, &async |page: &Page<'_>, view: &str| walk(page, view, &looked).await).await;
    })
    .await;
}
