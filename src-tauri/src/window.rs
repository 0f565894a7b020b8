//! The main window: built when it is opened and destroyed when it is closed, so that its WebView uses no memory in
//! between. It never navigates away from the embedded page.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::{AppHandleExt as _, StateFlags};
use tidings_app::ports;

/// The window's label in the capability file.
pub(crate) const LABEL: &str = "main";
/// The properties of the window that are restored when it opens again.
pub(crate) const SAVED_STATE: StateFlags =
    StateFlags::SIZE.union(StateFlags::POSITION).union(StateFlags::MAXIMIZED);

/// The adapter of the window's port.
pub(crate) struct MainWindow {
    handle: AppHandle,
    /// The folder of the WebView's files; set once the app is open.
    files: OnceLock<PathBuf>,
    title: parking_lot::Mutex<String>,
}

impl MainWindow {
    pub(crate) fn new(handle: AppHandle) -> Self {
        Self { handle, files: OnceLock::new(), title: parking_lot::Mutex::new("Tidings".to_owned()) }
    }

    /// Sets the folder for the WebView's files.
    pub(crate) fn set_files_folder(&self, folder: &Path) {
        let _ = self.files.set(folder.join("webview"));
    }

    fn current_title(&self) -> String {
        self.title.lock().clone()
    }
}

impl ports::Window for MainWindow {
    fn show(&self, token: Option<String>) {
        let (handle, title) = (self.handle.clone(), self.current_title());
        let files = self.files.get().cloned();
        on_main(&self.handle, move || {
            let shown = match handle.get_webview_window(LABEL) {
                Some(window) => to_front(&window, token.as_deref()),
                None => build(&handle, files, &title).map(drop),
            };
            if let Err(error) = shown {
                tracing::error!(%error, "the window could not be shown");
            }
        });
    }

    fn set_title(&self, title: &str) {
        title.clone_into(&mut self.title.lock());
        if let Some(window) = self.handle.get_webview_window(LABEL) {
            let _ = window.set_title(title);
        }
    }

    fn quit(&self) {
        let handle = self.handle.clone();
        on_main(&self.handle, move || {
            save_state(&handle);
            handle.exit(0);
        });
    }
}

/// Saves the window's size, position and maximised state.
pub(crate) fn save_state(handle: &AppHandle) {
    if let Err(error) = handle.save_window_state(SAVED_STATE) {
        tracing::debug!(%error, "the window's state was not saved");
    }
}

/// Runs work on the toolkit's main thread, as soon as that is free.
pub(crate) fn on_main(handle: &AppHandle, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = handle.run_on_main_thread(work) {
        tracing::debug!(%error, "the program is ending");
    }
}

fn to_front(window: &WebviewWindow, token: Option<&str>) -> tauri::Result<()> {
    #[cfg(target_os = "linux")]
    if let Some(token) = token {
        use gtk::prelude::GtkWindowExt as _;
        window.gtk_window()?.set_startup_id(token);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = token;
    window.unminimize()?;
    window.show()?;
    window.set_focus()
}

fn build(handle: &AppHandle, files: Option<PathBuf>, title: &str) -> tauri::Result<WebviewWindow<Wry>> {
    let mut builder = WebviewWindowBuilder::new(handle, LABEL, WebviewUrl::App("index.html".into()))
        .title(title)
        .inner_size(1_280.0, 800.0)
        .min_inner_size(420.0, 360.0)
        .disable_drag_drop_handler()
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny);
    if let Some(files) = files {
        builder = builder.data_directory(files);
    }
    // Shown until the page is drawn, so that a dark desktop sees no white flash.
    if let Some(theme) = theme() {
        builder = builder.background_color(theme);
    }
    let window = builder.build()?;
    #[cfg(target_os = "linux")]
    window.with_webview(|page| crate::menus::track_presses(&page.inner()))?;
    Ok(window)
}

/// The background colour of the window, equal to the page's.
fn theme() -> Option<Color> {
    #[cfg(target_os = "linux")]
    {
        use gtk::prelude::GtkSettingsExt as _;
        let settings = gtk::Settings::default()?;
        let name = settings.gtk_theme_name().unwrap_or_default();
        let dark = settings.is_gtk_application_prefer_dark_theme() || name.to_lowercase().contains("dark");
        Some(if dark { Color(0x15, 0x18, 0x1b, 255) } else { Color(0xf2, 0xf4, 0xf5, 255) })
    }
    #[cfg(not(target_os = "linux"))]
    None
}

fn is_own_page(url: &url::Url) -> bool {
    let own = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => url.host_str() == Some("tauri.localhost") || is_development(url),
        _ => false,
    };
    if !own {
        tracing::warn!("the page wanted to leave");
    }
    own
}

/// Whether an address is the development server's, which a build without the embedded page uses.
fn is_development(url: &url::Url) -> bool {
    !cfg!(feature = "custom-protocol") && url.host_str() == Some("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_never_leaves_the_page() {
        assert!(is_own_page(&"tauri://localhost/index.html".parse().unwrap()));
        for other in [
            "https://example.org/",
            "file:///etc/passwd",
            "tauri://elsewhere/",
            "data:text/html,x",
            "about:srcdoc",
        ] {
            assert!(!is_own_page(&other.parse().unwrap()), "{other}");
        }
    }
}
