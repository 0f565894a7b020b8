//! Whether the desktop is in do-not-disturb mode, asked of the notification daemon. A daemon that does not say keeps
//! its own silence.

use std::time::Duration;

use gtk::gio;
use gtk::gio::prelude::SettingsExt;
use zbus::Connection;
use zbus::zvariant::OwnedValue;

/// A daemon may take this long to answer.
const PATIENCE: Duration = Duration::from_millis(500);
/// Where daemons are.
const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// GNOME keeps its switch in its settings.
const GNOME: (&str, &str) = ("org.gnome.desktop.notifications", "show-banners");

/// How a daemon says that it is silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DoNotDisturb {
    /// It does not.
    #[default]
    Unknown,
    /// The property `Inhibited` of the notifications themselves, as Plasma has it.
    Inhibited,
    /// dunst's own property `paused`.
    Paused,
    /// `GetDnd` of the Sway notification center.
    Sway,
    /// GNOME's setting.
    Banners,
}

impl DoNotDisturb {
    /// What the daemon of this name understands.
    pub(super) async fn of(bus: &Connection, daemon: &str) -> Self {
        if daemon == "gnome-shell" {
            return Self::Banners;
        }
        for way in [Self::Inhibited, Self::Paused, Self::Sway] {
            if (way != Self::Sway || daemon.starts_with("Sway")) && way.ask(bus).await.is_some() {
                return way;
            }
        }
        Self::Unknown
    }

    /// Whether nothing may disturb now.
    pub(super) async fn is_off(self, bus: &Connection) -> bool {
        self.ask(bus).await.unwrap_or(false)
    }

    async fn ask(self, bus: &Connection) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Inhibited => property(bus, NAME, "Inhibited").await,
            Self::Paused => property(bus, "org.dunstproject.cmd0", "paused").await,
            Self::Sway => sway(bus).await,
            Self::Banners => Some(!banners()),
        }
    }
}

async fn property(bus: &Connection, interface: &str, name: &str) -> Option<bool> {
    let which = (interface, name);
    let asked = bus.call_method(Some(NAME), PATH, Some("org.freedesktop.DBus.Properties"), "Get", &which);
    let answer = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
    let value: OwnedValue = answer.body().deserialize().ok()?;
    bool::try_from(value).ok()
}

async fn sway(bus: &Connection) -> Option<bool> {
    const CENTER: &str = "org.erikreider.swaync.cc";
    let asked = bus.call_method(Some(CENTER), "/org/erikreider/swaync/cc", Some(CENTER), "GetDnd", &());
    let answer = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
    answer.body().deserialize().ok()
}

/// GNOME's switch is the wrong way round: off means that nothing is to disturb. Without its settings it is on.
fn banners() -> bool {
    let (schema, key) = GNOME;
    let known = gio::SettingsSchemaSource::default()
        .and_then(|source| source.lookup(schema, true))
        .is_some_and(|schema| schema.has_key(key));
    !known || gio::Settings::new(schema).boolean(key)
}
