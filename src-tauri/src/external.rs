//! The adapters that open addresses and send the HTTP requests of buttons. A request follows no redirect.
//!
//! Links go to the desktop's opener. In the background means that the window keeps the focus as far as the desktop lets
//! it. If another program takes it within two seconds, the window asks for it back, once. Many X11 window managers
//! grant that; a Wayland compositor may only mark the window as one that asks. The browser itself cannot be made to
//! stay behind.

use std::time::Duration;

use async_trait::async_trait;
use tidings_net::egress;
use tidings_ports::{Call, CallError, Caller, Opener};
use url::Url;

/// The longest duration of a button's request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Opens addresses in the desktop's programs.
pub(crate) struct Programs;

impl Opener for Programs {
    #[cfg(target_os = "linux")]
    fn open(&self, url: &Url) -> bool {
        let is_open = open::commands(url.as_str()).iter().any(crate::umask::start_apart);
        if !is_open {
            tracing::warn!("an address was not opened: no program opens addresses here");
        }
        is_open
    }

    #[cfg(not(target_os = "linux"))]
    fn open(&self, url: &Url) -> bool {
        open::that_detached(url.as_str())
            .inspect_err(|error| tracing::warn!(%error, "an address was not opened"))
            .is_ok()
    }
}

/// Sends requests over HTTP.
pub(crate) struct Http;

#[async_trait]
impl Caller for Http {
    async fn call(&self, call: Call) -> Result<u16, CallError> {
        match tokio::time::timeout(REQUEST_TIMEOUT, send(call)).await {
            Ok(Ok(status)) => Ok(status),
            Ok(Err(tidings_net::Error::Private)) => Err(CallError::PrivateAddress),
            Ok(Err(error)) => {
                tracing::info!(%error, "a button's call was not answered");
                Err(CallError::NoAnswer)
            }
            Err(_) => Err(CallError::NoAnswer),
        }
    }
}

/// Sends the request under the egress policy. Of the answer only the head is read.
async fn send(call: Call) -> tidings_net::Result<u16> {
    let client = egress::client(&call.url, call.source_url.as_ref()).await?;
    let method = call.method.parse().map_err(|_| tidings_net::Error::RedirectRefused)?;
    let mut request = client.request(method, call.url);
    for (name, value) in call.headers {
        request = request.header(name, value);
    }
    if let Some(body) = call.body {
        request = request.body(body);
    }
    let answer = request.send().await.map_err(|error| tidings_net::Error::from_transport(&error))?;
    Ok(answer.status().as_u16())
}
