//! Asks the desktop's portal (`org.freedesktop.portal.ProxyResolver`) for the proxies of an address.

use tokio::sync::Mutex;
use zbus::Connection;
use zbus::proxy::Proxy;

/// The connection to the session bus, which is kept.
static BUS: Mutex<Option<Connection>> = Mutex::const_new(None);

/// The proxies for an address; none if there is no session bus or no portal.
pub(super) async fn lookup(url: &str) -> Vec<String> {
    let known = BUS.lock().await.clone();
    let bus = match known {
        Some(bus) => bus,
        None => match Connection::session().await {
            Ok(bus) => BUS.lock().await.insert(bus).clone(),
            Err(error) => {
                tracing::debug!(%error, "no session bus to ask for the desktop's proxy");
                return Vec::new();
            }
        },
    };
    match ask(&bus, url).await {
        Ok(proxies) => proxies,
        Err(error) => {
            tracing::debug!(%error, "the desktop does not say which proxy it uses");
            if matches!(error, zbus::Error::InputOutput(_)) {
                *BUS.lock().await = None;
            }
            Vec::new()
        }
    }
}

async fn ask(bus: &Connection, url: &str) -> zbus::Result<Vec<String>> {
    let portal = Proxy::new(
        bus,
        "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop",
        "org.freedesktop.portal.ProxyResolver",
    )
    .await?;
    portal.call("Lookup", &(url,)).await
}
