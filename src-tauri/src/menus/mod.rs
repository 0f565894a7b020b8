//! Native context menus at the pointer: the desktop's own on Linux, the toolkit's elsewhere. Refuses to decide what
//! stands in them.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other_platforms;

#[cfg(target_os = "linux")]
pub(crate) use linux::{popup, watch};
#[cfg(not(target_os = "linux"))]
pub(crate) use other_platforms::popup;
