//! Asks the session bus.

use std::time::Duration;

use tokio::time::timeout;
use zbus::Connection;
use zbus::proxy::Proxy;
use zbus::zvariant::OwnedObjectPath;

use super::{Daemon, KeyringState, PLAYER, Session};

/// The longest wait for one answer; a service may have to be started first.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The beginning of the names of a portal's interfaces.
const PORTAL: &str = "org.freedesktop.portal.";

/// What the session of this desktop offers; `None` without a display, as on a server.
pub async fn look() -> Option<Session> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_set("WAYLAND_DISPLAY") && !is_set("DISPLAY") {
        return None;
    }
    let session = match timeout(ANSWER_TIMEOUT, Connection::session()).await {
        Ok(Ok(bus)) => look_at(&bus).await,
        _ => Session::default(),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let player = std::env::split_paths(&path).any(|folder| folder.join(PLAYER).is_file());
    Some(Session { player, ..session })
}

pub(super) async fn look_at(bus: &Connection) -> Session {
    let (tray_host, daemon, keyring, portals) =
        tokio::join!(known(tray_host(bus)), known(daemon(bus)), known(keyring(bus)), known(portals(bus)));
    Session {
        bus: true,
        tray_host: tray_host.unwrap_or_default(),
        daemon,
        keyring: keyring.unwrap_or_default(),
        portals: portals.unwrap_or_default(),
        player: false,
    }
}

/// An answer; `None` if it is an error or does not come.
async fn known<T>(answer: impl Future<Output = zbus::Result<T>>) -> Option<T> {
    let answered = timeout(ANSWER_TIMEOUT, answer).await.ok()?;
    answered.inspect_err(|error| tracing::debug!(%error, "this desktop lacks something")).ok()
}

async fn tray_host(bus: &Connection) -> zbus::Result<bool> {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let watcher = Proxy::new(bus, WATCHER, "/StatusNotifierWatcher", WATCHER).await?;
    watcher.get_property("IsStatusNotifierHostRegistered").await
}

async fn daemon(bus: &Connection) -> zbus::Result<Daemon> {
    const NAME: &str = "org.freedesktop.Notifications";
    let proxy = Proxy::new(bus, NAME, "/org/freedesktop/Notifications", NAME).await?;
    let (name, _vendor, version, _specification): (String, String, String, String) =
        proxy.call("GetServerInformation", &()).await?;
    let capabilities = proxy.call("GetCapabilities", &()).await?;
    Ok(Daemon { name, version, capabilities })
}

async fn keyring(bus: &Connection) -> zbus::Result<KeyringState> {
    const NAME: &str = "org.freedesktop.secrets";
    const INTERFACE: &str = "org.freedesktop.Secret.Service";
    let service = Proxy::new(bus, NAME, "/org/freedesktop/secrets", INTERFACE).await?;
    let default: OwnedObjectPath = service.call("ReadAlias", &("default",)).await?;
    if default.as_str() == "/" {
        return Ok(KeyringState::Missing);
    }
    let collection = Proxy::new(bus, NAME, default.as_str(), "org.freedesktop.Secret.Collection").await?;
    let is_locked: bool = collection.get_property("Locked").await?;
    Ok(if is_locked { KeyringState::Locked } else { KeyringState::Open })
}

async fn portals(bus: &Connection) -> zbus::Result<Vec<String>> {
    const NAME: &str = "org.freedesktop.portal.Desktop";
    const INTERFACE: &str = "org.freedesktop.DBus.Introspectable";
    let desktop = Proxy::new(bus, NAME, "/org/freedesktop/portal/desktop", INTERFACE).await?;
    let described: String = desktop.call("Introspect", &()).await?;
    let names = described.split("interface name=\"").skip(1).filter_map(|rest| rest.split('"').next());
    Ok(names.filter_map(|name| name.strip_prefix(PORTAL)).map(str::to_owned).collect())
}
