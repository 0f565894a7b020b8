//! Hands at the display itself: the pointer and the keys, for the menus and dialogs that belong to the desktop.
//! Refuses to know where things are: it asks the page and the window manager.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{desktop::Desktop, page::Page, wait};

/// A dialog that was answered is gone within this time.
const PATIENCE: Duration = Duration::from_secs(2);

impl Desktop {
    /// Clicks the middle of what `css` selects on the page with the right button.
    pub async fn right_click(&self, page: &Page<'_>, css: &str) {
        let (x, y) = self.middle_of(page, css).await;
        self.ask("xdotool", &["mousemove", &x.to_string(), &y.to_string(), "click", "3"]);
    }

    /// Where the middle of something on the page is on the screen.
    async fn middle_of(&self, page: &Page<'_>, css: &str) -> (i64, i64) {
        let script = format!(
            "const box = document.querySelector({})?.getBoundingClientRect();
             return box ? [box.x + box.width / 2, box.y + box.height / 2].map(Math.round) : null",
            json!(css)
        );
        let at = wait::until(&format!("{css} on the page"), || async {
            let at = page.script(&script).await;
            Some((at[0].as_i64()?, at[1].as_i64()?))
        })
        .await;
        let id = self.window_ids().into_iter().next().expect("the window is on the screen");
        let place = self.ask("xdotool", &["getwindowgeometry", "--shell", &id]);
        let of = |name: &str| {
            let line = place.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|number| number.parse::<i64>().ok()).expect("the window has a place")
        };
        (of("X=") + at.0, of("Y=") + at.1)
    }

    /// Presses keys, one after the other, by their names at the display: `Down`, `shift+F10`.
    pub fn press_keys(&self, names: &[&str]) {
        self.ask("xdotool", &[&["key", "--delay", "60"], names].concat());
    }

    /// Waits until a menu of the desktop's own stands over the window.
    pub async fn has_menu(&self) {
        wait::until("a menu over the window", || async { (self.window_ids().len() > 1).then_some(()) }).await;
    }

    /// Waits until no menu stands over the window.
    pub async fn has_no_menu(&self) {
        wait::until_equal("the window and what is over it", 1, || async { self.window_ids().len() }).await;
    }

    /// Waits for the desktop's dialog about a file, writes a path into it and agrees.
    pub async fn answers_with_file(&self, title: &str, path: &Path) {
        let named = format!("^{title}$");
        let search = ["search", "--onlyvisible", "--name", &*named];
        let dialog = wait::until(&format!("the dialog {title:?}"), || async {
            self.ask("xdotool", &search).lines().next().map(str::to_owned)
        })
        .await;
        self.ask("xdotool", &["windowactivate", "--sync", &dialog]);
        // Where a file is to be chosen, its path can be written once that is asked for.
        self.ask("xdotool", &["key", "--delay", "60", "ctrl+l", "ctrl+a"]);
        self.ask("xdotool", &["type", "--delay", "5", &path.to_string_lossy()]);
        // The first Enter may only close what the dialog proposes meanwhile.
        let start = Instant::now();
        while !self.ask("xdotool", &search).is_empty() {
            assert!(start.elapsed() < wait::SOON, "the dialog {title:?} did not take {}", path.display());
            self.ask("xdotool", &["key", "Return"]);
            let gone = async {
                while !self.ask("xdotool", &search).is_empty() {
                    tokio::time::sleep(Duration::from_millis(25)).await;
                }
            };
            let _ = tokio::time::timeout(PATIENCE, gone).await;
        }
    }
}
