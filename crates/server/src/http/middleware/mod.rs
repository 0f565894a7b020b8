//! What every request passes through on its way to a handler, and every response on its way back.

pub(crate) mod exchange;
pub(crate) mod guards;
