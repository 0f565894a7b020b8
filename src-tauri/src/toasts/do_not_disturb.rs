//! Reads the desktop's do-not-disturb mode from the notification daemon. A daemon that does not expose it applies the
//! mode by itself.

use std::time::Duration;

use gtk::gio;
use gtk::gio::prelude::SettingsExt;
use zbus::Connection;
use zbus::zvariant::OwnedValue;

/// The longest wait for the daemon's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
/// The bus name of notification daemons, which is also their interface.
const BUS_NAME: &str = "org.freedesktop.Notifications";
const OBJECT_PATH: &str = "/org/freedesktop/Notifications";
/// The schema and key of GNOME's switch.
const GNOME_SETTING: (&str, &str) = ("org.gnome.desktop.notifications", "show-banners");

/// The way in which a daemon exposes its do-not-disturb mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DoNotDisturb {
    /// Not at all.
    #[default]
    Unknown,
    /// The property `Inhibited` of the notifications interface, as in Plasma.
    Inhibited,
    /// The property `paused` of dunst.
    Paused,
    /// The method `GetDnd` of `SwayNotificationCenter`.
    Sway,
    /// GNOME's setting `show-banners`.
    Banners,
}

impl DoNotDisturb {
    /// Determines the way of the daemon with this name.
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

    /// Whether do-not-disturb mode is on; `false` where unknown.
    pub(super) async fn is_on(self, bus: &Connection) -> bool {
        self.ask(bus).await.unwrap_or(false)
    }

    async fn ask(self, bus: &Connection) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Inhibited => property(bus, BUS_NAME, "Inhibited").await,
            Self::Paused => property(bus, "org.dunstproject.cmd0", "paused").await,
            Self::Sway => sway_dnd(bus).await,
            Self::Banners => Some(!shows_banners()),
        }
    }
}

async fn property(bus: &Connection, interface: &str, name: &str) -> Option<bool> {
    let arguments = (interface, name);
    let call = bus.call_method(
        Some(BUS_NAME),
        OBJECT_PATH,
        Some("org.freedesktop.DBus.Properties"),
        "Get",
        &arguments,
    );
    let answer = tokio::time::timeout(ANSWER_TIMEOUT, call).await.ok()?.ok()?;
    let value: OwnedValue = answer.body().deserialize().ok()?;
    bool::try_from(value).ok()
}

async fn sway_dnd(bus: &Connection) -> Option<bool> {
    const CENTER: &str = "org.erikreider.swaync.cc";
    let call = bus.call_method(Some(CENTER), "/org/erikreider/swaync/cc", Some(CENTER), "GetDnd", &());
    let answer = tokio::time::timeout(ANSWER_TIMEOUT, call).await.ok()?.ok()?;
    answer.body().deserialize().ok()
}

/// GNOME's setting: `false` means do not disturb. `true` where the schema is not installed.
fn shows_banners() -> bool {
    let (schema, key) = GNOME_SETTING;
    let known = gio::SettingsSchemaSource::default()
        .and_then(|source| source.lookup(schema, true))
        .is_some_and(|schema| schema.has_key(key));
    !known || gio::Settings::new(schema).boolean(key)
}
