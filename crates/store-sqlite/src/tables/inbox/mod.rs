//! The tables of inboxes: items with their state, read marks, conversations and applied operations.

pub(crate) mod applied_ops;
pub(crate) mod closed_conversations;
pub(crate) mod conversations;
pub(crate) mod covered_items;
pub(crate) mod items;
pub(crate) mod read_marks;
