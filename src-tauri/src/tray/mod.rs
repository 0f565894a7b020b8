//! The adapter of the tray's port: `StatusNotifierItem` on Linux, the toolkit's tray elsewhere.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other_platforms;

#[cfg(target_os = "linux")]
pub(crate) use linux::TrayIcon;
#[cfg(not(target_os = "linux"))]
pub(crate) use other_platforms::TrayIcon;
