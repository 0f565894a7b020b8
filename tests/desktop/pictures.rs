//! The pictures of every view, from the real program in the real WebKit: `make screenshots` asks for them.
//! Refuses to judge: what they should look like is compared by eye.

use std::{fs, path::PathBuf, time::Duration};

use serde_json::json;
use support::{
    desktop::{Desktop, Has},
    page::{Page, keys},
    program::root,
    wait,
};

use crate::scene::Scene;

/// One language: what its files are called, its locale, and its words for the commands that are used here.
struct Tongue {
    tag: &'static str,
    locale: &'static str,
    compact: &'static str,
    comfortable: &'static str,
    article: &'static str,
    crew: &'static str,
    query: &'static str,
}

const ENGLISH: Tongue = Tongue {
    tag: "en",
    locale: "en_GB.UTF-8",
    compact: "Density: Compact",
    comfortable: "Density: Comfortable",
    article: "Rust in 2026",
    crew: "Release crew",
    query: "pull",
};

const CHINESE: Tongue = Tongue {
    tag: "zh",
    locale: "zh_CN.UTF-8",
    compact: "密度：紧凑",
    comfortable: "密度：宽松",
    article: "2026 年的 Rust",
    crew: "发布小组",
    query: "同步",
};

/// Where the pictures go, and in which language they are.
struct Album<'p> {
    page: &'p Page<'p>,
    tongue: &'p Tongue,
    folder: PathBuf,
}

impl Album<'_> {
    /// Takes a picture in both themes.
    async fn take(&self, view: &str) {
        for (theme, dark) in [("light", false), ("dark", true)] {
            self.wear(dark).await;
            let name = format!("{view}-{}-{theme}.png", self.tongue.tag);
            fs::write(self.folder.join(name), self.still().await).unwrap();
        }
    }

    /// The theme without a command, so that what is open stays open.
    async fn wear(&self, dark: bool) {
        let theme = if dark { "dark" } else { "light" };
        self.page.script(&format!("document.documentElement.dataset.theme = {}", json!(theme))).await;
    }

    /// The page once nothing moves any more: two pictures in a row are the same.
    async fn still(&self) -> Vec<u8> {
        let mut last = self.page.picture().await;
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(250)).await;
            let now = self.page.picture().await;
            if now == last {
                break;
            }
            last = now;
        }
        last
    }
}

fn folder() -> PathBuf {
    let folder =
        std::env::var_os("TIDINGS_PICTURES").map_or_else(|| root().join("target/screenshots"), PathBuf::from);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A desk with nothing to complain of, and room for the whole window.
fn desk(tongue: &Tongue) -> Desktop {
    Desktop::with(Has { locale: tongue.locale, keyring: true, size: "1360x920", ..Has::default() })
}

async fn first_run(tongue: &Tongue) {
    let desktop = desk(tongue);
    let page = Page::open(&desktop).await;
    dismiss_notices(&page).await;
    Album { page: &page, tongue, folder: folder() }.take("first-run").await;
    page.end().await;
}

async fn every_view(tongue: &Tongue) {
    let desktop = desk(tongue);
    let team = desktop.path().join("team");
    let _scene = Scene::set(&desktop.data(), &team, tongue.tag == "zh").await;
    let page = Page::open(&desktop).await;
    let album = Album { page: &page, tongue, folder: folder() };
    page.has_row(tongue.article).await;
    page.has_row(tongue.crew).await;
    dismiss_notices(&page).await;

    page.click_row(tongue.article).await;
    page.reads("await").await;
    album.take("inbox").await;

    page.command(tongue.compact).await;
    album.take("inbox-compact").await;
    page.command(tongue.comfortable).await;

    page.click_row(tongue.crew).await;
    wait::until("the conversation", || async { (!page.find_all(".talk").await.is_empty()).then_some(()) })
        .await;
    album.take("conversation").await;
    page.click("[data-receipt]").await;
    wait::until("those who read it", || async {
        (!page.find_all(".popover time").await.is_empty()).then_some(())
    })
    .await;
    album.take("conversation-readers").await;
    page.keys([keys::ESCAPE, keys::ESCAPE]).await;

    page.types("/").await;
    page.types(tongue.query).await;
    wait::until("what was found", || async {
        (!page.find_all("[role=option] mark").await.is_empty()).then_some(())
    })
    .await;
    page.keys([keys::ENTER]).await;
    page.click("[role=option]").await;
    page.reads(tongue.query).await;
    album.take("search").await;
    page.types("gi").await;
    page.has_row(tongue.article).await;

    page.chord(keys::CONTROL, 'k').await;
    wait::until("the palette", || async {
        (!page.find_all(".palette input").await.is_empty()).then_some(())
    })
    .await;
    page.types("re").await;
    album.take("palette").await;
    page.keys([keys::ESCAPE]).await;

    page.types("jxJJh").await;
    wait::until("the snooze menu", || async {
        (!page.find_all("[role=menu]").await.is_empty()).then_some(())
    })
    .await;
    album.take("selection").await;
    page.keys([keys::ESCAPE, keys::ESCAPE]).await;

    settings(&page, &album).await;
    narrow(&desktop, &page, &album).await;

    page.end().await;
}

/// What this machine lacks is no part of the picture.
async fn dismiss_notices(page: &Page<'_>) {
    page.script("document.querySelectorAll('[data-notice] .icon-btn').forEach(close => close.click())").await;
}

/// Each page of the settings.
async fn settings(page: &Page<'_>, album: &Album<'_>) {
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
        album.take(&format!("settings-{tab}")).await;
    }
    page.keys([keys::ESCAPE]).await;
    page.types("gi").await;
}

/// One pane, and places as a rail.
async fn narrow(desktop: &Desktop, page: &Page<'_>, album: &Album<'_>) {
    for (name, width, height) in [("rail", 900, 700), ("narrow", 500, 700), ("", 1280, 800)] {
        let ids = desktop.ask("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
        let id = ids.lines().next().unwrap();
        desktop.ask("xdotool", &["windowsize", id, &width.to_string(), &height.to_string()]);
        wait::until("the window's size", || async {
            (page.script("return innerWidth").await == json!(width)).then_some(())
        })
        .await;
        if !name.is_empty() {
            album.take(name).await;
        }
    }
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_in_english() {
    first_run(&ENGLISH).await;
    every_view(&ENGLISH).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_in_chinese() {
    first_run(&CHINESE).await;
    every_view(&CHINESE).await;
}
