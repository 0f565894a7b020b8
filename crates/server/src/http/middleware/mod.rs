//! The layers around all handlers, which process every request and every response.

pub(crate) mod cors;
pub(crate) mod exchange;
pub(crate) mod guards;
