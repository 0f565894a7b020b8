//! Sends the number on the program's icon over the bus, to any dock that listens.

use std::collections::HashMap;

use zbus::Connection;
use zbus::zvariant::Value;

/// The id of the installed desktop entry, by which docks know the program.
const DESKTOP_ENTRY: &str = "application://org.tidings.desktop.desktop";
const OBJECT_PATH: &str = "/com/canonical/unity/launcherentry/tidings";
const INTERFACE: &str = "com.canonical.Unity.LauncherEntry";

/// The badge of the program's icon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LauncherBadge {
    pub(super) count: u64,
    pub(super) urgent: bool,
}

impl LauncherBadge {
    /// Broadcasts the badge to all docks.
    pub(super) async fn send(self, bus: &Connection) {
        let properties = HashMap::from([
            ("count", Value::I64(i64::try_from(self.count).unwrap_or(i64::MAX))),
            ("count-visible", Value::Bool(self.count > 0)),
            ("urgent", Value::Bool(self.urgent)),
        ]);
        let sent = bus
            .emit_signal(None::<&str>, OBJECT_PATH, INTERFACE, "Update", &(DESKTOP_ENTRY, properties))
            .await;
        if let Err(error) = sent {
            tracing::debug!(%error, "the badge was not sent to the launchers");
        }
    }
}
