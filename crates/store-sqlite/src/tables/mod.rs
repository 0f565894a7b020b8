//! One module for each table. It has its rows, the queries of it alone, the statements that write it, and the part of the
//! store's interface that needs no other module. Queries that join tables are in the modules that need them, and what
//! both stores have is in [`tidings_store::statements`].

mod accounts;
pub(super) mod gotify;
pub(super) mod groups;
mod inbox;
pub(super) mod meta;
mod publications;
pub(super) mod subscriptions;
pub(super) mod topics;

pub(super) use accounts::{former_users, stored_responses, tokens, users};
pub(super) use groups::{acks, deliveries, former_positions, group_messages, memberships, receipts};
pub(super) use inbox::{applied_ops, closed_conversations, conversations, covered_items, items, read_marks};
pub(super) use publications::{files, notifications, open_questions, revision_ids, scheduled, sequences};
pub(super) use subscriptions::preferences;
