//! Decides which items make a toast, count on the badge or stay silent. The policies know no desktop; `toasts` carries
//! them out.
//!
//! The notify level of a thread goes before that of its source, and that before the settings; badge and toasts go by
//! the same. Quiet hours, a pause and the desktop's do-not-disturb hold toasts back, never numbers. The toasts that
//! wait for their end are kept in the replica, so that the end of the program does not lose them.

pub(crate) mod calendars;
pub(crate) mod mutes;
pub(crate) mod noise;
pub(crate) mod outages;
pub mod quiet_now;
pub(crate) mod rules;
pub(crate) mod silence;
pub(crate) mod test_notification;
pub(crate) mod toasts;
pub mod tray;
