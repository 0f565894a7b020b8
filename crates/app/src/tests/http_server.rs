//! A web server that gives the same answer to every request.

use tidings_testkit::scripted::{Requests, ScriptedServer};

/// Starts the server; returns its URL and the requests it receives.
pub(super) async fn answering(answer: Vec<u8>) -> (String, Requests) {
    let server = ScriptedServer::start().await;
    (server.url(), server.always(answer))
}
