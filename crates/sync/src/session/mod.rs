//! What the desktop's session offers to programs. Asks, and changes nothing.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

#[cfg(target_os = "linux")]
pub use self::linux::look;

/// The program that plays sounds if the notification daemon plays none.
pub const PLAYER: &str = "canberra-gtk-play";

/// What a desktop's session offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// Whether there is a session bus; without one there is nothing else.
    pub bus: bool,
    /// Whether something shows tray icons.
    pub tray_host: bool,
    /// The program that shows notifications.
    pub daemon: Option<Daemon>,
    /// The keyring.
    pub keyring: KeyringState,
    /// The interfaces of the desktop's portal, without the beginning that all have.
    pub portals: Vec<String>,
    /// Whether [`PLAYER`] is installed.
    pub player: bool,
}

/// The program that shows notifications.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Daemon {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its abilities, such as `actions`.
    pub capabilities: Vec<String>,
}

/// The name of MATE's daemon, which has the ability `sound` but plays files alone, not the names of a sound theme.
const FILES_ALONE: &str = "Notification Daemon";

/// Whether a daemon with this name and these abilities plays every sound of a toast.
pub fn plays_sounds(daemon: &str, capabilities: &[String]) -> bool {
    daemon != FILES_ALONE && capabilities.iter().any(|one| one == "sound")
}

/// The state of the desktop's keyring (Secret Service).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeyringState {
    /// There is none, or none that new entries go to.
    #[default]
    Missing,
    /// It is locked.
    Locked,
    /// It is open.
    Open,
}

/// What the session of this desktop offers; `None` if it is not known.
#[cfg(not(target_os = "linux"))]
pub fn look() -> impl Future<Output = Option<Session>> + Send {
    std::future::ready(None)
}
