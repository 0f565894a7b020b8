//! The keys that show and hide the window from anywhere: on Linux a grab on the X server, or the portal on Wayland; the
//! toolkit's plugin elsewhere. On Linux the plugin would wake the program twenty times a second for as long as it runs.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod portal;

/// The adapter for this display. Must be called on the toolkit's main thread, which alone knows the display; needs a tokio
/// runtime.
#[cfg(target_os = "linux")]
pub(crate) fn of_display(
    waits: crate::after_paint::AfterPaint,
    requests: tokio::sync::mpsc::UnboundedSender<tidings_ports::DesktopRequest>,
) -> std::sync::Arc<dyn tidings_ports::GlobalShortcut> {
    if crate::window::on_wayland() {
        std::sync::Arc::new(portal::PortalKeys::new(waits, requests))
    } else {
        std::sync::Arc::new(linux::GlobalKeys::new(requests))
    }
}
#[cfg(not(target_os = "linux"))]
pub(crate) use self::other::GlobalKeys;
