//! What the display can do. Disables WebKit's compositing if no compositor runs, unless a test driver takes screenshots
//! of the window.

use gtk::pango::FontDescription;
use gtk::prelude::GtkSettingsExt as _;
use x11rb::protocol::xproto::ConnectionExt as _;

/// The variable that WebKit reads before it creates its first page.
const DISABLE_COMPOSITING: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Names of fontconfig for whichever font fits.
const GENERIC_FAMILIES: [&str; 6] = ["sans", "sans-serif", "serif", "monospace", "mono", "system-ui"];

/// Sets the variable if no compositor runs. There, WebKit's compositing leaves holes where another window was, until
/// the next frame. It costs a third of the window's memory and a tenth of a second of its start. This must be called
/// while the program has one thread.
#[allow(
    unsafe_code,
    reason = "WebKit takes it from the environment alone; nobody else reads that while there is one thread"
)]
pub(crate) fn choose_compositing() {
    let set = |name: &str| std::env::var_os(name).is_some();
    // A test driver sets this variable; it cannot take screenshots without compositing.
    let driven = std::env::var("TAURI_WEBVIEW_AUTOMATION").as_deref() == Ok("true");
    if driven || set(DISABLE_COMPOSITING) || set("WAYLAND_DISPLAY") || has_compositor().unwrap_or(true) {
        return;
    }
    unsafe { std::env::set_var(DISABLE_COMPOSITING, "1") };
}

/// Whether the toolkit has a display. Without one it would panic later.
pub(crate) fn has_display() -> bool {
    gtk::init().is_ok()
}

/// The first family of the desktop's font for interfaces, from the settings of GTK; `None` if it is a generic name, which
/// only the library of fonts understands. Must be called on the main thread.
pub(crate) fn interface_font() -> Option<String> {
    let name = gtk::Settings::default()?.gtk_font_name()?;
    let family = FontDescription::from_string(&name).family()?;
    let first = family.split(',').next()?.trim();
    let is_generic = GENERIC_FAMILIES.iter().any(|generic| first.eq_ignore_ascii_case(generic));
    (!is_generic && !first.is_empty()).then(|| first.to_owned())
}

/// Whether a compositor runs, by the owner of its selection (Extended Window Manager Hints, "Compositing managers");
/// `None` if there is no X server.
fn has_compositor() -> Option<bool> {
    let (conn, screen) = x11rb::connect(None).ok()?;
    let name = format!("_NET_WM_CM_S{screen}");
    let atom = conn.intern_atom(true, name.as_bytes()).ok()?.reply().ok()?.atom;
    if atom == x11rb::NONE {
        return Some(false);
    }
    Some(conn.get_selection_owner(atom).ok()?.reply().ok()?.owner != x11rb::NONE)
}
