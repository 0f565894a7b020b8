//! Native context menus at the pointer: the desktop's own on Linux, the toolkit's elsewhere. Refuses to decide what
//! stands in them.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::popup;
#[cfg(target_os = "linux")]
pub(crate) use linux::{popup, watch};
