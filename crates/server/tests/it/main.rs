//! Tests of the server over real HTTP.

// A helper that fails ends the test at once, with a message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod accounts;
mod asking;
mod attacks;
mod clocks;
mod connections;
mod descent;
mod disconnects;
mod expecting;
mod gotify;
mod gotify_lists;
mod gotify_streams;
mod groups;
mod guards;
mod hooks;
mod leaving;
mod lifecycle;
mod limits;
mod live;
mod mail;
mod malformed;
mod mended_ends;
mod message_files;
mod ntfy;
mod ntfy_clients;
mod ntfy_push;
mod ntfy_shared_streams;
mod ntfy_streams;
mod ntfy_templates;
mod observability;
mod pages;
mod peers;
mod publishers;
mod publishing;
mod pulling;
mod reading;
mod recalling;
mod scopes;
mod store_time;
mod streams;
mod subscriptions;
mod support;
mod topic_readers;
mod topics;
mod uploads;
mod wire;
