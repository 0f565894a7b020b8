//! The boundary between the app and a desktop: the desktop's requests, the background tasks, and the updates of
//! tray, launcher and page.

mod bootstrap;
mod pacing;
mod requests;
pub(crate) mod running;
pub mod socket;
mod status_notices;
mod toast_clicks;
mod updates;
