//! The reader's work on the inbox: lists, threads, marks, searches, conversations, and files that came with items.

mod actions;
mod answers;
mod attachments;
pub(crate) mod compose;
mod conversations;
mod digest;
mod groups;
pub(crate) mod ico;
pub(crate) mod icons;
mod marks;
mod picture;
mod presence;
pub(crate) mod preview;
mod published;
pub(crate) mod search;
pub(crate) mod search_counts;
pub(crate) mod staged_files;
mod threads;
