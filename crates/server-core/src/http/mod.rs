//! What all handlers of HTTP share: authentication, inputs, what surrounds them, and responses.

pub mod auth;
pub mod files;
pub mod health;
pub mod input;
pub mod middleware;
pub mod public_url;
pub mod response;
pub mod streams;
pub mod topics;
