//! Conversations beside their items: messages to send, drafts, groups, and who has read what.

pub(crate) mod closed;
pub(crate) mod drafts;
pub(crate) mod group_changes;
pub(crate) mod groups;
pub(crate) mod messages;
pub(crate) mod receipts;
