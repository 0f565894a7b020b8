//! The tables of topics' settings and of the last payloads of webhooks.

pub(crate) mod payloads;
pub(crate) mod settings;
