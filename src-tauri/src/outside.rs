//! What lies outside the program, behind the app's ports: other programs and web servers.
//! Refuses to follow a button's call to another address.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::redirect::Policy;
use tidings_app::ports::{Call, Caller, Opener};
use url::Url;

/// A button's call may take this long.
const PATIENCE: Duration = Duration::from_secs(20);

/// The programs that the desktop means for an address.
pub(crate) struct Programs;

impl Opener for Programs {
    fn open(&self, url: &Url) -> bool {
        open::that_detached(url.as_str())
            .inspect_err(|error| tracing::warn!(%error, "an address was not opened"))
            .is_ok()
    }
}

/// Calls over HTTP.
pub(crate) struct Http;

#[async_trait]
impl Caller for Http {
    async fn call(&self, call: Call) -> Option<u16> {
        tidings_sync::http::install_tls();
        let client = reqwest::Client::builder()
            .user_agent(concat!("tidings/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .timeout(PATIENCE)
            .build()
            .ok()?;
        let method = call.method.parse().ok()?;
        let mut request = client.request(method, call.url);
        for (name, value) in call.headers {
            request = request.header(name, value);
        }
        if let Some(body) = call.body {
            request = request.body(body);
        }
        match request.send().await {
            Ok(answer) => Some(answer.status().as_u16()),
            Err(error) => {
                tracing::info!(error = %error.without_url(), "a button's call was not answered");
                None
            }
        }
    }
}
