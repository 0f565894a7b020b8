//! Changes of what is read in an inbox: read marks of views, and the operations of clients.

pub(super) mod marks;
pub(super) mod ops;
