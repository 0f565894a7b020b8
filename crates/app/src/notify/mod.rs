//! Decides which items make a toast, count on the badge or stay silent. The policies know no desktop; `toasts` carries
//! them out.

pub mod badge;
pub mod quiet;
mod rules;
pub mod toast_policy;
pub(crate) mod toasts;
pub mod tray;
