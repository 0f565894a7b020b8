//! The boundary between the app and a desktop: the desktop's requests, those of other processes, and the updates of tray,
//! launcher and page.

pub(crate) mod desktop_search;
pub(crate) mod engine_states;
pub(crate) mod menu;
pub(crate) mod other_processes;
mod pacing;
pub(crate) mod page;
pub(crate) mod places;
pub(crate) mod requests;
pub mod socket;
pub(crate) mod socket_requests;
pub(crate) mod toast_clicks;
pub(crate) mod updates;
