//! What the parts of the app know while it runs, one file a state, each with the only functions that change it. None knows
//! a part.

pub mod age_hold;
pub(crate) mod calendars;
pub(crate) mod call_rate;
pub(crate) mod data_folder;
pub(crate) mod downloads;
pub(crate) mod fetches;
pub(crate) mod last_import;
pub(crate) mod notices;
pub(crate) mod own_server;
pub(crate) mod pending_group;
pub(crate) mod release;
pub(crate) mod search_counts;
pub(crate) mod settings;
pub(crate) mod sign_ins;
pub(crate) mod staged_files;
pub(crate) mod undo_log;
