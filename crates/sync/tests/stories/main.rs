//! Tests of the engine against scripted servers, with answers that real servers give only in case of faults.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, unreachable_pub)]

mod backlog;
mod bounds;
mod certificates;
mod conformance;
mod details;
mod faults;
mod feed;
mod files;
mod forgejo;
mod github;
mod gitlab;
mod gotify;
mod limits;
mod live;
mod malformed;
mod mastodon;
mod ntfy;
mod presets;
mod progress;
mod publishing;
mod reaching;
mod room;
mod sending;
mod service_inbox;
mod sign_in;
mod subscriptions;
mod support;
mod talk;
mod tally;
mod waits;
