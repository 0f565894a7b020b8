//! The keys that show and hide the window from anywhere: a grab on the X server on Linux, the toolkit's plugin elsewhere.
//! On Linux the plugin would wake the program twenty times a second for as long as it runs.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(crate) use self::linux::GlobalKeys;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::other::GlobalKeys;
