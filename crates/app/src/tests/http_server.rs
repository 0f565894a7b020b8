//! Somebody's web server that answers everything alike.

use tidings_testkit::scripted::{Requests, ScriptedServer};

/// Its address, and what it was asked.
pub(super) async fn answering(answer: Vec<u8>) -> (String, Requests) {
    let server = ScriptedServer::start().await;
    (server.url(), server.always(answer))
}
