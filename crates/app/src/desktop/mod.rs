//! The boundary between the app and a desktop: ports, the desktop's requests, the background tasks, and the updates of
//! tray, launcher and page.

pub(crate) mod links;
mod pacing;
pub mod ports;
mod requests;
pub(crate) mod running;
pub mod socket;
pub(crate) mod tray_and_badge;
mod updates;
