//! Between the app and a desktop: the ports, what the desktop asks for, what runs beside the window, and what goes out to
//! tray, launcher and page.

pub(crate) mod links;
pub mod ports;
mod requests;
pub(crate) mod running;
pub mod socket;
pub(crate) mod tray_and_badge;
mod updates;
