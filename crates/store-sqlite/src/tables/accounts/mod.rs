//! The tables of users, tokens and stored responses.

pub(crate) mod former_users;
pub(crate) mod stored_responses;
pub(crate) mod tokens;
pub(crate) mod users;
