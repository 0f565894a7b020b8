//! Takes screenshots of every view for `make screenshots`; people compare them by eye.

use std::{fs, path::PathBuf, time::Duration};

use support::{page::Page, program::root};

use crate::source_tour::every_source_view;
use crate::tour::{
    CHINESE, ENGLISH, Locale, THEMES, every_view_in_every_size, first_run_in_every_size, set_theme,
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
