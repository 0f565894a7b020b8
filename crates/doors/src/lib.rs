//! The doors through which programs of others publish and read, each in a folder: ntfy's API, Gotify's API, webhooks and
//! mail.
//!
//! A door translates. It has the paths, the credentials, the errors and the bounds that its programs know, and leaves
//! everything else to [`tidings_server_core`]. The three doors of HTTP have a function `routes`. Mail comes through
//! [`smtp::MailDoor`], which takes connections that somebody else has accepted.

pub mod gotify;
pub mod hooks;
pub mod ntfy;
mod refusal;
pub mod smtp;

pub use refusal::refusal;
