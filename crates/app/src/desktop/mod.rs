//! The boundary between the app and a desktop: the desktop's requests, the background tasks, and the updates of
//! tray, launcher and page.

pub(crate) mod engine_states;
mod pacing;
pub(crate) mod page;
pub(crate) mod places;
mod requests;
pub(crate) mod running;
pub mod socket;
mod toast_clicks;
pub(crate) mod updates;
