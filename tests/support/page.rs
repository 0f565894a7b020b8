//! The page in the app's window, driven through `WebDriver`: the real WebKit with real key presses and clicks.

use std::{future::Future, time::Duration};

use fantoccini::{
    Client, ClientBuilder, Locator,
    actions::{InputSource, KeyAction, KeyActions},
    elements::Element,
    wd::{Capabilities, WindowHandle},
};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::{
    app,
    desktop::Desktop,
    program::{Process, built, free_port},
    wait,
};

/// The bound of a single request to the driver.
const WAIT_TIMEOUT: Duration = wait::TEST_TIMEOUT;

/// Keys without a character, by their `WebDriver` code points.
pub mod keys {
    /// Enter.
    pub const ENTER: char = '\u{e007}';
    /// Shift, for chords.
    pub const SHIFT: char = '\u{e008}';
    /// Escape.
    pub const ESCAPE: char = '\u{e00c}';
    /// Backspace.
    pub const BACKSPACE: char = '\u{e003}';
    /// Tab.
    pub const TAB: char = '\u{e004}';
    /// Control, for chords.
    pub const CONTROL: char = '\u{e009}';
    /// The beginning of a list.
    pub const HOME: char = '\u{e011}';
    /// Arrow down.
    pub const DOWN: char = '\u{e015}';
}

/// An app whose page is driven.
#[derive(Debug)]
pub struct Page<'d> {
    desktop: &'d Desktop,
    client: Client,
    _driver: Process,
}

impl<'d> Page<'d> {
    /// Starts the app under a driver of its own and waits until the page is rendered.
    pub async fn open(desktop: &'d Desktop) -> Self {
        Self::open_with(desktop, &[]).await
    }

    /// [`Page::open`] with command-line arguments for the app.
    pub async fn open_with(desktop: &'d Desktop, args: &[&str]) -> Self {
        let page = Self::start(desktop, args).await;
        page.wait_until_ready().await;
        page
    }

    async fn start(desktop: &'d Desktop, args: &[&str]) -> Self {
        let (port, native) = (free_port(), free_port());
        let mut command = desktop.command("tauri-driver");
        command.args(["--port", &port.to_string(), "--native-port", &native.to_string()]);
        let driver = Process::start("tauri-driver", command, &desktop.path().join("driver.log"));
        let mut capabilities = Capabilities::new();
        capabilities.insert("browserName".into(), json!("wry"));
        let app = json!({"application": built("tidings-desktop"), "args": args});
        capabilities.insert("tauri:options".into(), app);
        let url = format!("http://127.0.0.1:{port}");
        for port in [port, native] {
            wait::until("the driver", || async {
                tokio::net::TcpStream::connect(("127.0.0.1", port)).await.ok().map(drop)
            })
            .await;
        }
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client =
            tokio::time::timeout(2 * wait::TEST_TIMEOUT, builder.capabilities(capabilities).connect(&url));
        let client =
            client.await.expect("the driver starts the app in time").expect("the driver starts the app");
        Self { desktop, client, _driver: driver }
    }

    /// Waits until the page is rendered.
    pub async fn wait_until_ready(&self) {
        wait::until("the page to be drawn", || async {
            let is_ready = self.script("return document.documentElement.dataset.ready === '1'").await;
            is_ready == json!(true)
        })
        .await;
    }

    /// The process id of the app.
    pub fn pid(&self) -> u32 {
        *app::pids(self.desktop).first().expect("the app runs")
    }

    /// Runs a script in the page and returns its result; null if the script fails or there is no page.
    pub async fn script(&self, script: &str) -> Value {
        bounded("a script", self.client.execute(script, vec![])).await.unwrap_or(Value::Null)
    }

    /// Runs a script that calls `done` with its result; null if the script fails or there is no page.
    pub async fn script_until_done(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        bounded("a script", self.client.execute_async(&script, vec![])).await.unwrap_or(Value::Null)
    }

    /// The visible text of the page, with plain spaces in place of non-breaking ones.
    pub async fn text(&self) -> String {
        let text = self.script("return document.body.innerText").await;
        text.as_str().unwrap_or_default().replace(['\u{a0}', '\u{202f}'], " ")
    }

    /// Waits until the page's text contains `text`.
    pub async fn wait_for_text(&self, text: &str) {
        wait::until(&format!("the page to hold {text:?}"), || async { self.text().await.contains(text) })
            .await;
    }

    /// Waits until the page's text no longer contains `text`.
    pub async fn wait_for_no_text(&self, text: &str) {
        wait::until(&format!("the page to be rid of {text:?}"), || async {
            !self.text().await.contains(text)
        })
        .await;
    }

    /// The texts of the rendered rows of the list, top down.
    pub async fn rows(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('[role=option]')].map(row => row.innerText)";
        let rows = self.script(script).await;
        rows.as_array()
            .map(|rows| rows.iter().map(|row| row.as_str().unwrap_or_default().to_owned()).collect())
            .unwrap_or_default()
    }

    /// Waits for a row that contains `text`.
    pub async fn wait_for_row(&self, text: &str) {
        wait::until(&format!("a row with {text:?}"), || async {
            self.rows().await.iter().any(|row| row.contains(text))
        })
        .await;
    }

    /// Clicks the middle of the row that contains `text`. New rows may arrive between the driver's measurement of the
    /// row's place and its click. A click that would hit another row is kept from the page and tried again.
    pub async fn click_row(&self, text: &str) {
        let path = format!("//*[@role=\"option\" and contains(., {})]", quoted(text));
        let guard = format!(
            "const stop = event => {{
               const row = event.target instanceof Element ? event.target.closest('[role=option]') : null;
               if (row !== null && row.textContent.includes({})) return;
               stop.missed = true;
               event.stopImmediatePropagation();
               event.preventDefault();
             }};
             const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
             for (const kind of kinds) addEventListener(kind, stop, {{ capture: true }});
             window.clickGuard = () => {{
               for (const kind of kinds) removeEventListener(kind, stop, {{ capture: true }});
               return stop.missed === true;
             }}",
            json!(text)
        );
        wait::until(&format!("a row with {text:?} to click"), || async {
            // A list that is being filled may render the row anew in between.
            let row = self.located(Locator::XPath(&path)).await.into_iter().next()?;
            self.script(&guard).await;
            let clicked = bounded("a click", row.click()).await;
            let missed = self.script("return window.clickGuard()").await == json!(true);
            (clicked.is_ok() && !missed).then_some(())
        })
        .await;
    }

    /// Clicks the first element that `css` selects.
    pub async fn click(&self, css: &str) {
        wait::until(&format!("a click on {css}"), || async {
            let found = bounded("a look", self.client.find(Locator::Css(css))).await.ok()?;
            bounded("a click", found.click()).await.ok()
        })
        .await;
    }

    /// Waits until `css` selects an element.
    pub async fn wait_for(&self, css: &str) {
        wait::until(&format!("{css} on the page"), || async { !self.find_all(css).await.is_empty() }).await;
    }

    /// All elements that `css` selects.
    pub async fn find_all(&self, css: &str) -> Vec<Element> {
        self.located(Locator::Css(css)).await
    }

    /// The element that a script returns.
    pub async fn element(&self, script: &str) -> Option<Element> {
        let found = self.script(script).await;
        let id = found.as_object()?.values().next()?.as_str()?.to_owned();
        Some(Element::from_element_id(self.client.clone(), id.into()))
    }

    pub(crate) async fn located(&self, by: Locator<'_>) -> Vec<Element> {
        bounded("a look", self.client.find_all(by)).await.unwrap_or_default()
    }

    /// Types keys one after the other into the focused element.
    pub async fn press_keys(&self, keys: impl IntoIterator<Item = char>) {
        for key in keys {
            let mut actions = KeyActions::new("keyboard".into());
            actions = actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
            bounded("a key", self.client.perform_actions(actions)).await.expect("the page takes keys");
        }
    }

    /// Presses a key while another one is held down.
    pub async fn press_chord(&self, modifier: char, key: char) {
        let actions = KeyActions::new("keyboard".into())
            .then(KeyAction::Down { value: modifier })
            .then(KeyAction::Down { value: key })
            .then(KeyAction::Up { value: key })
            .then(KeyAction::Up { value: modifier });
        bounded("a chord", self.client.perform_actions(actions)).await.expect("the page takes keys");
    }

    /// Runs a command of the palette, found by its name.
    pub async fn run_command(&self, text: &str) {
        self.press_chord(keys::CONTROL, 'k').await;
        // A key that comes before the field has the focus is lost.
        wait::until_equal("the focus in the palette", json!(true), || {
            self.script("return document.activeElement?.matches('.palette input') ?? false")
        })
        .await;
        self.type_text(text).await;
        let first = format!(
            "return document.querySelector('.palette [role=option][aria-selected=true]')?.innerText.includes({})",
            json!(text)
        );
        wait::until(&format!("{text:?} in the palette"), || async {
            self.script(&first).await == json!(true)
        })
        .await;
        self.press_keys([keys::ENTER]).await;
        wait::until("the palette to close", || async { self.find_all(".palette").await.is_empty() }).await;
    }

    /// Types a text into the focused element.
    pub async fn type_text(&self, word: &str) {
        self.press_keys(word.chars()).await;
    }

    /// Types a text into the focused element, as fast as the page takes it.
    pub async fn type_quickly(&self, text: &str) {
        let press = |actions: KeyActions, key| {
            actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key })
        };
        let actions = text.chars().fold(KeyActions::new("keyboard".into()), press);
        bounded("a text", self.client.perform_actions(actions)).await.expect("the page takes keys");
    }

    /// Presses a key until the focused element has this label or text: a field, a button or a line of a menu.
    pub async fn move_focus_to(&self, name: &str, keys: &[char]) {
        let script = "const one = document.activeElement;
            return one?.labels?.[0]?.innerText ?? one?.ariaLabel ?? one?.innerText ?? ''";
        wait::until(&format!("the focus to reach {name:?}"), || async {
            let is_there = || async {
                self.script(script).await.as_str().is_some_and(|named| named.trim().starts_with(name))
            };
            if is_there().await {
                return true;
            }
            match keys {
                [modifier, key] => self.press_chord(*modifier, *key).await,
                _ => self.press_keys(keys.iter().copied()).await,
            }
            is_there().await
        })
        .await;
    }

    /// The app's `WebView` windows.
    pub async fn window_handles(&self) -> Vec<WindowHandle> {
        bounded("a look", self.client.windows()).await.unwrap_or_default()
    }

    /// A screenshot of the page, as PNG.
    pub async fn screenshot(&self) -> Vec<u8> {
        bounded("a picture", self.client.screenshot()).await.expect("the page can be pictured")
    }

    /// A screenshot of an element, as PNG; `None` if it cannot be pictured.
    pub async fn screenshot_of(&self, element: &Element) -> Option<Vec<u8>> {
        bounded("a picture", element.screenshot()).await.ok()
    }

    /// Closes the session, which ends the app, and waits for its end: the driver ends it after its answer.
    pub async fn close(self) {
        let Self { desktop, client, _driver } = self;
        let _ = tokio::time::timeout(WAIT_TIMEOUT, client.close()).await;
        wait::until("the app to end with its session", || async { app::pids(desktop).is_empty() }).await;
    }
}

/// An `XPath` string literal of `text`.
pub(crate) fn quoted(text: &str) -> String {
    assert!(!text.contains('"'), "{text} cannot be written in XPath");
    format!("\"{text}\"")
}

pub(crate) async fn bounded<T, E>(what: &str, request: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let answer = tokio::time::timeout(WAIT_TIMEOUT, request).await;
    answer.unwrap_or_else(|_| panic!("the driver did not answer {what} within {} s", WAIT_TIMEOUT.as_secs()))
}
