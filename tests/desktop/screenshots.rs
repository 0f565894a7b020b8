//! Takes screenshots of every view for `make screenshots`; people compare them by eye.

use std::{cell::Cell, fs, path::PathBuf, time::Duration};

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    program::root,
    wait,
};

use crate::source_tour::every_source_view;
use crate::tour::{
    CHINESE, ENGLISH, Locale, THEMES, every_view_in_every_size, first_run_in_every_size, resize, set_theme,
    with_sample_inbox,
};

/// Takes screenshots of a view in both themes.
async fn take(page: &Page<'_>, locale: &Locale, view: &str) {
    for theme in THEMES {
        set_theme(page, theme).await;
        let name = format!("{view}-{}-{theme}.png", locale.tag);
        fs::write(folder().join(name), once_still(page).await).unwrap();
    }
}

/// A screenshot of the page at rest: two in a row are equal.
async fn once_still(page: &Page<'_>) -> Vec<u8> {
    let mut last = page.screenshot().await;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let now = page.screenshot().await;
        if now == last {
            break;
        }
        last = now;
    }
    last
}

fn folder() -> PathBuf {
    let folder =
        std::env::var_os("TIDINGS_PICTURES").map_or_else(|| root().join("target/screenshots"), PathBuf::from);
    fs::create_dir_all(&folder).unwrap();
    folder
}

async fn screenshots(locale: &Locale) {
    first_run_in_every_size(locale, async |page: &Page<'_>, view: &str| take(page, locale, view).await).await;
    every_view_in_every_size(locale, async |page: &Page<'_>, view: &str| take(page, locale, view).await)
        .await;
}

async fn screenshots_of_sources(locale: &Locale) {
    every_source_view(locale, async |page: &Page<'_>, view: &str| take(page, locale, view).await).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_in_english() {
    screenshots(&ENGLISH).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_in_chinese() {
    screenshots(&CHINESE).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_of_sources_in_english() {
    screenshots_of_sources(&ENGLISH).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_of_sources_in_chinese() {
    screenshots_of_sources(&CHINESE).await;
}

/// The frames of a picture that moves. The name of each ends in the hundredths of a second for which it is shown.
struct Film<'f, 'd> {
    page: &'f Page<'d>,
    folder: PathBuf,
    frames: Cell<u32>,
}

impl Film<'_, '_> {
    async fn show(&self, hundredths: u32) {
        let number = self.frames.replace(self.frames.get() + 1);
        let frame = self.folder.join(format!("{number:02}-{hundredths}.png"));
        fs::write(frame, once_still(self.page).await).unwrap();
    }

    /// Shows the open thread once it has this text.
    async fn show_thread(&self, text: &str, hundredths: u32) {
        let has = format!(
            "return document.querySelector('.reading-pane')?.innerText.includes({}) ?? false",
            json!(text)
        );
        wait::until_equal("the text of the thread", json!(true), || self.page.script(&has)).await;
        self.show(hundredths).await;
    }
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn a_picture_that_moves_from_a_line_of_curl_to_the_dark() {
    with_sample_inbox(&ENGLISH, async |desktop: &Desktop, page: &Page<'_>| {
        let film = Film { page, folder: folder().join("moving"), frames: Cell::new(0) };
        fs::create_dir_all(&film.folder).unwrap();
        let own = app::own_server(desktop).await;
        resize(desktop, page, 1280, 800).await;
        set_theme(page, "light").await;
        page.click_row(ENGLISH.article).await;
        page.wait_for(".reading-pane :is(.hl-keyword, .earlier)").await;
        film.show(150).await;

        let backup = "Backup done: 14.3 GB to nas-01";
        own.publish("backups", backup, &[]).await;
        page.wait_for_row(backup).await;
        film.show(200).await;
        page.click_row(backup).await;
        film.show_thread(backup, 180).await;
        page.type_text("e").await;
        page.wait_for(".snackbar").await;
        film.show(180).await;

        page.press_keys([keys::ESCAPE]).await;
        page.type_text("/").await;
        page.wait_for("input:focus").await;
        for letter in "pull".chars() {
            page.press_keys([letter]).await;
            film.show(25).await;
        }
        page.wait_for("[role=option] mark").await;
        page.press_keys([keys::ENTER]).await;
        page.wait_for(".reading-pane mark").await;
        film.show(220).await;

        page.type_quickly("gi").await;
        page.click_row(ENGLISH.crew).await;
        page.wait_for(".conversation").await;
        film.show(220).await;
        set_theme(page, "dark").await;
        film.show(220).await;
    })
    .await;
}
