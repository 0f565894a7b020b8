//! The tables of topics' settings, and of their expectations and when these were looked at.

pub(crate) mod expectations;
pub(crate) mod server_runs;
pub(crate) mod settings;
