//! Pointer and keyboard input at the X display, for menus and dialogs of the desktop outside the page.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{desktop::Desktop, page::Page, wait};

/// How long a confirmed dialog may take to close before Enter is pressed again.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How often Enter is pressed before the path is typed anew.
const ENTERS: usize = 5;

impl Desktop {
    /// Right-clicks the center of the element that `css` selects on the page.
    pub async fn right_click(&self, page: &Page<'_>, css: &str) {
        let (x, y) = self.center_of(page, css).await;
        self.run("xdotool", &["mousemove", &x.to_string(), &y.to_string(), "click", "3"]);
    }

    /// The center of an element of the page, in pixels of the screen.
    async fn center_of(&self, page: &Page<'_>, css: &str) -> (i64, i64) {
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
        let place = self.run("xdotool", &["getwindowgeometry", "--shell", &id]);
        let of = |name: &str| {
            let line = place.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|number| number.parse::<i64>().ok()).expect("the window has a place")
        };
        (of("X=") + at.0, of("Y=") + at.1)
    }

    /// Presses keys one after the other, by their X11 names: `Down`, `shift+F10`.
    pub fn press_keys(&self, names: &[&str]) {
        self.run("xdotool", &[&["key", "--delay", "60"], names].concat());
    }

    /// Waits until a native menu is open.
    pub async fn wait_for_menu(&self) {
        wait::until("a menu over the window", || async { self.window_ids().len() > 1 }).await;
    }

    /// Waits until no native menu is open.
    pub async fn wait_for_no_menu(&self) {
        wait::until_equal("the window and what is over it", 1, || async { self.window_ids().len() }).await;
    }

    /// Waits for the native file dialog with this title, types a path into it and confirms.
    pub async fn answer_file_dialog(&self, title: &str, path: &Path) {
        let dialog = wait::until(&format!("the dialog {title:?}"), || async { self.dialog_id(title) }).await;
        let start = Instant::now();
        loop {
            self.run("xdotool", &["windowactivate", "--sync", &dialog]);
            // In a dialog that opens files, Ctrl+L shows the field for the path.
            self.run("xdotool", &["key", "--delay", "60", "ctrl+l", "ctrl+a"]);
            self.run("xdotool", &["type", "--delay", "5", &path.to_string_lossy()]);
            // The first Enter may only close the dialog's completion list.
            for _ in 0..ENTERS {
                self.run("xdotool", &["key", "Return"]);
                let gone = async {
                    while self.dialog_id(title).is_some() {
                        tokio::time::sleep(Duration::from_millis(25)).await;
                    }
                };
                if tokio::time::timeout(CLOSE_TIMEOUT, gone).await.is_ok() {
                    return;
                }
            }
            // Its field was not there yet when the path was typed.
            let name = path.display();
            assert!(start.elapsed() < wait::TEST_TIMEOUT, "the dialog {title:?} did not take {name}");
        }
    }

    /// The dialog with this title. xdotool compares titles in ASCII only; any other is that of the program's window that
    /// is not called like the program.
    fn dialog_id(&self, title: &str) -> Option<String> {
        let named = |name: &str| self.run("xdotool", &["search", "--onlyvisible", "--name", name]);
        if title.is_ascii() {
            return named(&format!("^{title}$")).lines().next().map(str::to_owned);
        }
        let main = named("^Tidings");
        self.window_ids().into_iter().find(|id| main.lines().all(|known| known != id))
    }
}
