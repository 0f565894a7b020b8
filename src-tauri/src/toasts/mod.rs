//! The adapters of the ports for toasts and launcher: the session bus on Linux, the desktop's own API elsewhere.

#[cfg(target_os = "linux")]
mod daemon;
#[cfg(target_os = "linux")]
mod do_not_disturb;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other_platforms;
#[cfg(target_os = "linux")]
mod queue;

#[cfg(target_os = "linux")]
pub(crate) use linux::NativeToasts;
#[cfg(not(target_os = "linux"))]
pub(crate) use other_platforms::NativeToasts;
