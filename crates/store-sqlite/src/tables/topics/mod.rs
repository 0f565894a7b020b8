//! The tables of topics' settings, of their expectations and when these were looked at, and of the last payloads of
//! webhooks.

pub(crate) mod expectations;
pub(crate) mod payloads;
pub(crate) mod server_runs;
pub(crate) mod settings;
