//! The tray icon behind the app's port: the desktop's own protocol on Linux, the toolkit's tray elsewhere. Refuses to
//! decide what it shows.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::TrayIcon;
#[cfg(target_os = "linux")]
pub(crate) use linux::TrayIcon;
