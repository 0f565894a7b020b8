//! What becomes a toast, counts on the badge or stays silent: the policies, which know no desktop, and the toasts that
//! follow from them.

pub mod badge;
pub mod quiet;
mod rules;
pub mod toast;
pub(crate) mod toasts;
