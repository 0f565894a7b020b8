//! Switches WebKit's compositing off where no compositor runs, unless a driver takes pictures of the window.

use x11rb::protocol::xproto::ConnectionExt as _;

/// What WebKit reads before it makes its first page.
const PLAINLY: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Without a compositor WebKit leaves a hole where another window stood, until it draws its next frame, and its
/// graphics stack costs a third of the window's memory and a tenth of a second of its start. Plain painting has
/// neither. To be called before there is a second thread.
#[allow(
    unsafe_code,
    reason = "WebKit takes it from the environment alone; nobody else reads that while there is one thread"
)]
pub(crate) fn choose() {
    let set = |name: &str| std::env::var_os(name).is_some();
    // A driver of the window announces itself; it can't take pictures of what is painted plainly.
    let driven = std::env::var("TAURI_WEBVIEW_AUTOMATION").as_deref() == Ok("true");
    if driven || set(PLAINLY) || set("WAYLAND_DISPLAY") || composed().unwrap_or(true) {
        return;
    }
    unsafe { std::env::set_var(PLAINLY, "1") };
}

/// Whether a program composes the windows of the screen, by the selection that it owns (Extended Window Manager Hints,
/// "Compositing managers"); none where there is no X server.
fn composed() -> Option<bool> {
    let (conn, screen) = x11rb::connect(None).ok()?;
    let name = format!("_NET_WM_CM_S{screen}");
    let atom = conn.intern_atom(true, name.as_bytes()).ok()?.reply().ok()?.atom;
    if atom == x11rb::NONE {
        return Some(false);
    }
    Some(conn.get_selection_owner(atom).ok()?.reply().ok()?.owner != x11rb::NONE)
}
