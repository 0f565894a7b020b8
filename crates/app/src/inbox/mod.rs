//! The reader's work on the inbox: lists, threads, marks, searches, conversations, and files that came with items.

pub(crate) mod actions;
pub(crate) mod answers;
pub(crate) mod attachments;
mod conversation;
pub(crate) mod conversations;
pub(crate) mod digest;
pub(crate) mod icons;
pub(crate) mod links;
pub(crate) mod marks;
pub(crate) mod presence;
pub(crate) mod published;
pub(crate) mod search;
pub(crate) mod staged_files;
pub(crate) mod threads;
