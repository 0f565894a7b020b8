//! Decides which items make a toast, count on the badge or stay silent. The policies know no desktop; `toasts` carries
//! them out.

pub mod badge;
mod noise;
mod on_screen;
pub mod quiet;
mod rules;
mod test_notification;
mod toast_clicks;
pub mod toast_policy;
pub(crate) mod toasts;
pub mod tray;
