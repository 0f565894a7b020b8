//! A publication as `curl -d` sends it, and a server that stores nothing, as its floor.

use axum::Router;
use axum::routing::post;

use crate::Result;

/// Starts a server that reads each request's body and stores nothing; gives its address.
pub(crate) async fn start_sink_server() -> Result<String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/nowhere", listener.local_addr()?);
    let router = Router::new().route("/nowhere", post(|body: String| async move { body.len().to_string() }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

/// One POST on a new connection, as `curl -d` sends it.
pub(crate) async fn post_text(url: &str, text: &str) -> Result<()> {
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
    http.post(url).body(text.to_owned()).send().await?.error_for_status()?.text().await?;
    Ok(())
}

/// Runs a future to its end from synchronous code inside the runtime.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(work))
}
