//! Tables of users, their tokens, and responses to repeat.

pub(crate) mod stored_responses;
pub(crate) mod tokens;
pub(crate) mod users;
