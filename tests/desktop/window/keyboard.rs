//! Tests of the keyboard shortcuts in a real window.

use serde_json::{Value, json};
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    wait,
};

use crate::tour::resize;

/// A script that measures the list of keys. It gives the columns, and whether all begin with a heading at one height. It
/// says whether one is longer than another by more than a heading and two lines, and whether a group goes on in the next
/// one. It also says whether a name takes a second line, and whether keys end before their column does.
const COLUMNS: &str = "const columns = new Map();
    const box = part => part.getBoundingClientRect();
    const left = part => Math.round(box(part).left);
    const lines = [...document.querySelectorAll('.dialog .key-lines > div')];
    for (const part of document.querySelectorAll('.dialog .key-group > h3, .dialog .key-lines > div')) {
      const column = columns.get(left(part)) ?? { first: part, gaps: new Set() };
      column.bottom = box(part).bottom;
      const keys = part.querySelector('dd');
      if (keys) column.gaps.add(Math.round(box(part).right - box(keys).right));
      columns.set(left(part), column);
    }
    const all = [...columns.values()];
    const spread = numbers => Math.max(...numbers) - Math.min(...numbers);
    return {
      columns: all.length,
      level: all.every(({ first }) => first.matches('h3')) && spread(all.map(({ first }) => box(first).top)) < 1,
      uneven: spread(all.map(({ bottom }) => bottom)) > 100,
      broken: [...document.querySelectorAll('.dialog .key-group')].some(
        group => spread([...group.querySelectorAll('.key-lines > div')].map(left)) > 0),
      wrapped: spread(lines.map(line => box(line).height)) > 1,
      ragged: all.some(({ gaps }) => [...gaps].some(gap => gap !== 0)),
    }";

async fn current_row(page: &Page<'_>) -> String {
    let script = "return document.querySelector('[role=option][aria-selected=true]')?.innerText ?? ''";
    page.script(script).await.as_str().unwrap_or_default().to_owned()
}

async fn wait_for_current_row(page: &Page<'_>, text: &str) {
    wait::until(&format!("{text:?} to be chosen"), || async { current_row(page).await.contains(text) }).await;
}

#[tokio::test]
async fn each_place_begins_with_its_uppermost_thread_which_is_not_read_by_that() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("first", "The first thing", &[]).await;
    wait_for_current_row(&page, "first").await;
    page.wait_for(".reading-pane .sheet[aria-label=first]").await;
    // What arrives after it moves nothing.
    server.publish("second", "The second thing", &[]).await;
    page.wait_for_row("The second thing").await;
    wait_for_current_row(&page, "first").await;
    page.type_quickly("gp").await;
    wait::until("no rows", || async { page.rows().await.is_empty() }).await;
    page.type_quickly("gi").await;
    wait_for_current_row(&page, "second").await;
    page.wait_for(".reading-pane .sheet[aria-label=second]").await;
    wait::stays(wait::QUIET_PERIOD, "unread at the server", 2, || server.unread("total")).await;
    page.type_text("e").await;
    page.wait_for_snackbar("archived").await;
    wait_for_current_row(&page, "first").await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

#[tokio::test]
async fn j_and_k_go_enter_opens_u_and_e_mark() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for topic in ["first", "second", "third"] {
        server.publish(topic, &format!("The {topic} thing"), &[]).await;
        page.wait_for_row(&format!("The {topic} thing")).await;
    }
    wait::until_equal("unread at the server", 3, || server.unread("total")).await;

    page.type_text("jj").await;
    wait_for_current_row(&page, "second").await;
    page.type_text("k").await;
    wait_for_current_row(&page, "third").await;
    page.type_text("j").await;
    page.press_keys([keys::ENTER]).await;
    // If a busy machine kept another one on the screen for a moment, that one is read, too.
    let is_read = || async { server.read_bodies().await.iter().any(|body| body == "The second thing") };
    wait::until_equal("whether it is read after opening", true, is_read).await;
    page.type_text("u").await;
    wait::until_equal("whether it is read after u", false, is_read).await;
    page.type_text("e").await;
    wait::until("the archived row to leave", || async {
        page.rows().await.iter().all(|row| !row.contains("The second thing"))
    })
    .await;
    wait::until_equal("archived at the server", 1, || async {
        server.get("inbox?archived=true").await.is(200)["items"].as_array().map_or(0, Vec::len)
    })
    .await;
    app::tidings(&desktop.data_dir(), &["check"]);
    page.close().await;
}

#[tokio::test]
async fn a_snooze_reads_nothing_and_what_its_undo_brings_back_is_unread() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for (topic, text) in [("backups", "Backup done"), ("parcels", "Your parcel is here")] {
        server.publish(topic, text, &[]).await;
        page.wait_for_row(text).await;
    }
    // Of several that are selected none is shown, so none is read by that.
    page.type_quickly("jx").await;
    page.press_chord(keys::SHIFT, 'J').await;
    wait::until_equal("selected rows", json!(2), || {
        page.script("return document.querySelectorAll('[role=option].is-checked').length")
    })
    .await;
    page.type_text("h").await;
    page.wait_for(".snooze [role=option]").await;
    page.press_keys([keys::DOWN, keys::ENTER]).await;
    page.wait_for_snackbar("2 threads snoozed until").await;
    let states = || async {
        let items = server.pull(None, 100).await.0;
        let state = |item: &Value| (item["snoozed_until"].is_string(), item["read_at"].is_string());
        items.iter().map(state).collect::<Vec<_>>()
    };
    wait::until_equal("snoozed and read at the server", vec![(true, false); 2], states).await;
    page.type_text("z").await;
    wait::until_equal("rows", 2, || async { page.rows().await.len() }).await;
    wait::until_equal("snoozed and read at the server", vec![(false, false); 2], states).await;
    wait::stays(wait::QUIET_PERIOD, "unread", 2, || async { app::unread(&desktop.data_dir()) }).await;
    assert_eq!(states().await, [(false, false); 2]);
    page.close().await;
}

#[tokio::test]
async fn slash_searches_as_one_types_in_either_script_and_a_tag_by_a_click() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("home", "洗衣机已完成，可以晾衣服了", &[]).await;
    server.publish("backups", "Backup of the laptop done", &[("Tags", "nightly")]).await;
    page.wait_for_row("Backup").await;
    page.wait_for_row("洗衣机").await;

    page.type_text("/").await;
    page.type_text("lapt").await;
    wait::until("only the backup", || async {
        let rows = page.rows().await;
        rows.len() == 1 && rows[0].contains("Backup")
    })
    .await;
    // A letter typed in the search field is text, not a command.
    assert_eq!(page.script("return document.activeElement.value").await, json!("lapt"));
    page.press_keys([keys::BACKSPACE; 4]).await;
    page.type_text("衣机").await;
    wait::until("only the washing machine", || async {
        let rows = page.rows().await;
        rows.len() == 1 && rows[0].contains("洗衣机")
    })
    .await;
    page.press_keys([keys::ESCAPE, keys::ESCAPE]).await;
    wait::until_equal("rows after leaving the search", 2, || async { page.rows().await.len() }).await;

    page.click_row("Backup").await;
    page.click("[data-tag]").await;
    wait::until("only what has the tag", || async {
        let rows = page.rows().await;
        rows.len() == 1 && rows[0].contains("Backup")
    })
    .await;
    page.close().await;
}

/// What the reading pane shows.
async fn pane(page: &Page<'_>) -> String {
    let script = "return document.querySelector('.reading-pane')?.innerText ?? ''";
    page.script(script).await.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_search_shows_its_first_hit_which_enter_opens_and_an_empty_pane_if_nothing_is_found() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for (topic, text) in [
        ("backups", "Backup of the laptop done"),
        ("parcels", "Your parcel is here"),
        ("disks", "Disk of the laptop full"),
    ] {
        server.publish(topic, text, &[]).await;
        page.wait_for_row(text).await;
    }
    page.click_row("Your parcel is here").await;
    wait::until_equal("unread at the server", 2, || server.unread("total")).await;

    page.type_text("/lapt").await;
    let shows_first_hit =
        || async { page.rows().await.len() == 2 && pane(&page).await.contains("Disk of the laptop full") };
    wait::until("the first hit in the pane", shows_first_hit).await;
    wait::stays(wait::QUIET_PERIOD, "unread at the server", 2, || server.unread("total")).await;

    page.type_text("zzz").await;
    wait::until("an empty pane", || async {
        page.rows().await.is_empty() && pane(&page).await.trim().is_empty()
    })
    .await;
    page.press_keys([keys::BACKSPACE; 3]).await;
    wait::until("the first hit again", shows_first_hit).await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for(".list [role=listbox]:focus").await;
    wait_for_current_row(&page, "Disk of the laptop full").await;
    let read = || async {
        let bodies = server.read_bodies().await;
        (bodies.len(), bodies.iter().any(|body| body == "Disk of the laptop full"))
    };
    wait::until_equal("what is read", (2, true), read).await;
    page.close().await;
}

#[tokio::test]
async fn a_question_mark_shows_all_keys() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    page.wait_for_row("Backup done").await;
    page.type_text("?").await;
    wait::until("the keys in a dialog", || async {
        let dialog =
            page.script("return document.querySelector('[role=dialog], dialog[open]')?.innerText").await;
        dialog.as_str().is_some_and(|text| text.to_lowercase().contains("archive"))
    })
    .await;
    wait::until_equal("the focus is in the dialog", json!(true), || async {
        page.script("return document.activeElement?.closest('[role=dialog], dialog[open]') != null").await
    })
    .await;
    let even = |columns: u32| {
        json!({
            "columns": columns, "level": true, "uneven": false, "broken": false, "wrapped": false, "ragged": false,
        })
    };
    wait::until_equal("the columns of keys", even(2), || page.script(COLUMNS)).await;
    resize(&desktop, &page, 600, 500).await;
    wait::until_equal("the columns of keys in a narrow window", even(1), || page.script(COLUMNS)).await;
    page.press_keys([keys::ESCAPE]).await;
    wait::until_equal("dialogs", json!(0), || async {
        page.script("return document.querySelectorAll('[role=dialog], dialog[open]').length").await
    })
    .await;
    page.close().await;
}

#[tokio::test]
async fn o_opens_in_the_browser_what_the_current_thread_is_about() {
    let desktop = Desktop::start().with_recorded_links();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    server.publish("ci", "Build 4812 failed", &[("Click", "https://ci.example.org/4812")]).await;
    server.publish("ci-log", "See https://ci.example.org/log.", &[]).await;
    page.wait_for_row("Build 4812 failed").await;
    page.click_row("Build 4812 failed").await;
    page.wait_for(".reading-pane [data-open-link]").await;
    page.type_text("o").await;
    wait::until_equal("the link", vec!["https://ci.example.org/4812".to_owned()], || async {
        desktop.opened_links()
    })
    .await;
    page.press_chord(keys::SHIFT, 'O').await;
    wait::until_equal("the link again", 2, || async { desktop.opened_links().len() }).await;
    // The address in a plain text is a link.
    page.click_row("See https").await;
    page.wait_for(".md a").await;
    page.type_text("o").await;
    page.wait_for_text("This thread has no link").await;
    page.click(".md a").await;
    wait::until_equal("the address", Some("https://ci.example.org/log".to_owned()), || async {
        desktop.opened_links().pop()
    })
    .await;
    page.close().await;
}
