//! Toasts, and the number on the launcher, behind the app's ports: one bus connection on Linux, the desktop's own API
//! elsewhere. Refuses to decide what is told.

#[cfg(target_os = "linux")]
mod disturb;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod on_screen;
#[cfg(target_os = "linux")]
mod waiting;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::NativeToasts;
#[cfg(target_os = "linux")]
pub(crate) use linux::NativeToasts;
