//! Tables of what is in whose inbox, and of what became of it there.

pub(crate) mod applied_ops;
pub(crate) mod conversations;
pub(crate) mod items;
pub(crate) mod read_marks;
