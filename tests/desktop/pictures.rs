//! The pictures of every view, from the real program in the real WebKit: `make screenshots` asks for them.
//! Refuses to judge: what they should look like is compared by eye.

use std::{fs, path::PathBuf, time::Duration};

use support::{page::Page, program::root};

use crate::tour::{CHINESE, ENGLISH, THEMES, Tongue, every_view, first_run, wear};

/// Takes a picture of a view in both themes.
async fn take(page: &Page<'_>, tongue: &Tongue, view: &str) {
    for theme in THEMES {
        wear(page, theme).await;
        let name = format!("{view}-{}-{theme}.png", tongue.tag);
        fs::write(folder().join(name), still(page).await).unwrap();
    }
}

/// The page once nothing moves any more: two pictures in a row are the same.
async fn still(page: &Page<'_>) -> Vec<u8> {
    let mut last = page.picture().await;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let now = page.picture().await;
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

async fn pictures(tongue: &Tongue) {
    first_run(tongue, async |page: &Page<'_>, view: &str| take(page, tongue, view).await).await;
    every_view(tongue, async |page: &Page<'_>, view: &str| take(page, tongue, view).await).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_in_english() {
    pictures(&ENGLISH).await;
}

#[tokio::test]
#[ignore = "make screenshots takes them"]
async fn pictures_in_chinese() {
    pictures(&CHINESE).await;
}
