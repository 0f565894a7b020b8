//! Changes of an inbox's read state: read marks of views, and the operations of clients.

pub(super) mod fresh_ops;
pub(super) mod marks;
pub(super) mod ops;
