//! A walk through every view of the window, with an inbox as on an ordinary Friday, in either language.
//! Refuses to judge what it passes: that is done by whoever walks along.

use serde_json::json;
use support::{
    desktop::{Desktop, Has},
    page::{Page, keys},
    wait,
};

use crate::scene::Scene;

/// One language: what its files are called, its locale, and its words for the commands that are used here.
pub(crate) struct Tongue {
    pub(crate) tag: &'static str,
    locale: &'static str,
    compact: &'static str,
    comfortable: &'static str,
    pub(crate) article: &'static str,
    pub(crate) crew: &'static str,
    query: &'static str,
}

pub(crate) const ENGLISH: Tongue = Tongue {
    tag: "en",
    locale: "en_GB.UTF-8",
    compact: "Density: Compact",
    comfortable: "Density: Comfortable",
    article: "Rust in 2026",
    crew: "Release crew",
    query: "pull",
};

pub(crate) const CHINESE: Tongue = Tongue {
    tag: "zh",
    locale: "zh_CN.UTF-8",
    compact: "密度：紧凑",
    comfortable: "密度：宽松",
    article: "2026 年的 Rust",
    crew: "发布小组",
    query: "同步",
};

/// What the page can wear.
pub(crate) const THEMES: [&str; 2] = ["light", "dark"];

/// The theme without a command, so that what is open stays open.
pub(crate) async fn wear(page: &Page<'_>, theme: &str) {
    page.script(&format!("document.documentElement.dataset.theme = {}", json!(theme))).await;
}

/// A desk with nothing to complain of, and room for the whole window.
fn desk(tongue: &Tongue) -> Desktop {
    Desktop::with(Has { locale: tongue.locale, keyring: true, size: "1360x920", ..Has::default() })
}

/// The window as it is on its first day.
pub(crate) async fn first_run(tongue: &Tongue, look: impl AsyncFn(&Page<'_>, &str)) {
    let desktop = desk(tongue);
    let page = Page::open(&desktop).await;
    dismiss_notices(&page).await;
    look(&page, "first-run").await;
    page.end().await;
}

/// The window over an inbox in use.
pub(crate) async fn with_scene(tongue: &Tongue, visit: impl AsyncFn(&Desktop, &Page<'_>)) {
    let desktop = desk(tongue);
    let team = desktop.path().join("team");
    let _scene = Scene::set(&desktop.data(), &team, tongue.tag == "zh").await;
    let page = Page::open(&desktop).await;
    page.has_row(tongue.article).await;
    page.has_row(tongue.crew).await;
    dismiss_notices(&page).await;
    visit(&desktop, &page).await;
    page.end().await;
}

/// Every view of an inbox in use; `look` is called in each, with its name.
pub(crate) async fn every_view(tongue: &Tongue, look: impl AsyncFn(&Page<'_>, &str)) {
    with_scene(tongue, async |desktop: &Desktop, page: &Page<'_>| {
        reading(page, tongue, &look).await;
        conversation(page, tongue, &look).await;
        searching(page, tongue, &look).await;
        commands(page, &look).await;
        settings(page, &look).await;
        narrow(desktop, page, &look).await;
    })
    .await;
}

/// Waits until the page has what `css` selects.
async fn shows(page: &Page<'_>, css: &str) {
    wait::until(&format!("{css} on the page"), || async {
        (!page.find_all(css).await.is_empty()).then_some(())
    })
    .await;
}

/// The inbox with a thread, in both densities, and what may be told of the thread.
async fn reading(page: &Page<'_>, tongue: &Tongue, look: &impl AsyncFn(&Page<'_>, &str)) {
    page.click_row(tongue.article).await;
    shows(page, ".hl-keyword").await;
    look(page, "inbox").await;

    page.command(tongue.compact).await;
    look(page, "inbox-compact").await;
    page.command(tongue.comfortable).await;

    page.click(".reading-pane .pane-head [aria-haspopup=menu]:last-child").await;
    page.click("[data-notify-option=level]").await;
    shows(page, "[role=menuitemradio]").await;
    look(page, "telling").await;
    page.keys([keys::ESCAPE]).await;
}

/// A group, who has read a message of it, and who is in it.
async fn conversation(page: &Page<'_>, tongue: &Tongue, look: &impl AsyncFn(&Page<'_>, &str)) {
    page.click_row(tongue.crew).await;
    shows(page, ".conversation").await;
    look(page, "conversation").await;
    for (button, list, view) in [
        ("[data-receipt]", ".popover time", "conversation-readers"),
        ("[data-members]", ".popover li", "conversation-members"),
    ] {
        page.click(button).await;
        shows(page, list).await;
        look(page, view).await;
        page.keys([keys::ESCAPE]).await;
    }
    beginning(page, look).await;
}

/// The form that begins a conversation: a group of two, and who else could be meant.
async fn beginning(page: &Page<'_>, look: &impl AsyncFn(&Page<'_>, &str)) {
    page.keys([keys::ESCAPE]).await;
    page.types("c").await;
    shows(page, ".people-field input:focus").await;
    page.types("ana,bo,").await;
    shows(page, ".compose-name").await;
    page.types("c").await;
    shows(page, ".people-list").await;
    look(page, "conversation-new").await;
    page.keys([keys::ESCAPE, keys::BACKSPACE, keys::BACKSPACE, keys::BACKSPACE, keys::ESCAPE]).await;
}

/// What was found, with one of it open, and the name that the search is kept under.
async fn searching(page: &Page<'_>, tongue: &Tongue, look: &impl AsyncFn(&Page<'_>, &str)) {
    page.keys([keys::ESCAPE]).await;
    page.types("/").await;
    page.types(tongue.query).await;
    shows(page, "[role=option] mark").await;
    page.keys([keys::ENTER]).await;
    page.click("[role=option]").await;
    page.reads(tongue.query).await;
    look(page, "search").await;

    page.click(".search-status button").await;
    shows(page, ".popover input").await;
    look(page, "search-kept").await;
    page.keys([keys::ESCAPE]).await;
    page.types("gi").await;
    page.has_row(tongue.article).await;
}

/// The palette, and several threads under check boxes.
async fn commands(page: &Page<'_>, look: &impl AsyncFn(&Page<'_>, &str)) {
    page.chord(keys::CONTROL, 'k').await;
    shows(page, ".palette input").await;
    page.types("re").await;
    look(page, "palette").await;
    page.keys([keys::ESCAPE]).await;

    page.types("jxJJh").await;
    shows(page, "[role=menu]").await;
    look(page, "selection").await;
    page.keys([keys::ESCAPE, keys::ESCAPE]).await;
}

/// What this machine lacks is no part of the picture.
async fn dismiss_notices(page: &Page<'_>) {
    page.script("document.querySelectorAll('[data-notice] .icon-btn').forEach(close => close.click())").await;
}

/// Each page of the settings.
pub(crate) async fn settings(page: &Page<'_>, look: &impl AsyncFn(&Page<'_>, &str)) {
    page.chord(keys::CONTROL, ',').await;
    let names = "return [...document.querySelectorAll('[data-settings]')].map(one => one.dataset.settings)";
    let tabs = wait::until("the settings", || async {
        let tabs = page.script(names).await.as_array().cloned().unwrap_or_default();
        (!tabs.is_empty()).then_some(tabs)
    })
    .await;
    for tab in tabs {
        let tab = tab.as_str().unwrap();
        page.click(&format!("[data-settings={tab}]")).await;
        look(page, &format!("settings-{tab}")).await;
    }
    page.keys([keys::ESCAPE]).await;
    page.types("gi").await;
}

/// One pane, and places as a rail.
async fn narrow(desktop: &Desktop, page: &Page<'_>, look: &impl AsyncFn(&Page<'_>, &str)) {
    for (name, width, height) in [("rail", 900, 700), ("narrow", 500, 700), ("", 1280, 800)] {
        let ids = desktop.ask("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
        let id = ids.lines().next().unwrap();
        desktop.ask("xdotool", &["windowsize", id, &width.to_string(), &height.to_string()]);
        wait::until("the window's size", || async {
            (page.script("return innerWidth").await == json!(width)).then_some(())
        })
        .await;
        if !name.is_empty() {
            look(page, name).await;
        }
    }
}
