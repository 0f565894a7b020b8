//! Reads the desktop's do-not-disturb mode from the notification daemon, and hears of its changes. A daemon that does
//! not expose it applies the mode by itself.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use gtk::gio::prelude::SettingsExt;
use gtk::{gio, glib};
use tokio::sync::Notify;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, MatchRule, MessageStream, message};

/// The longest wait for the daemon's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
/// The bus name of notification daemons, which is also their interface.
const BUS_NAME: &str = "org.freedesktop.Notifications";
const OBJECT_PATH: &str = "/org/freedesktop/Notifications";
/// The interface of `SwayNotificationCenter`, which is also its bus name.
const SWAY: &str = "org.erikreider.swaync.cc";
/// The interface of the signal that a property changed.
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// The most signals that wait to be looked at; one is as good as many.
const SIGNAL_QUEUE: usize = 8;
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

    /// Whether do-not-disturb mode is on; `false` if unknown.
    pub(super) async fn is_on(self, bus: &Connection) -> bool {
        self.ask(bus).await.unwrap_or(false)
    }

    /// The signs that the mode may have changed, from now on.
    pub(super) async fn changes(self, bus: &Connection) -> Changes {
        let rule = MatchRule::builder().msg_type(message::Type::Signal);
        let rule = match self {
            Self::Unknown => return Changes::Never,
            Self::Banners => return Changes::Setting(watch_banners()),
            Self::Inhibited | Self::Paused => {
                rule.interface(PROPERTIES).and_then(|rule| rule.path(OBJECT_PATH))
            }
            Self::Sway => rule.interface(SWAY),
        };
        let Ok(rule) = rule.map(|rule| rule.build().to_owned()) else { return Changes::Never };
        match MessageStream::for_match_rule(rule, bus, Some(SIGNAL_QUEUE)).await {
            Ok(signals) => Changes::Signals(Box::new(signals)),
            Err(error) => {
                tracing::debug!(%error, "changes of do-not-disturb are seen with the next toast");
                Changes::Never
            }
        }
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
    let call = bus.call_method(Some(BUS_NAME), OBJECT_PATH, Some(PROPERTIES), "Get", &arguments);
    let answer = tokio::time::timeout(ANSWER_TIMEOUT, call).await.ok()?.ok()?;
    let value: OwnedValue = answer.body().deserialize().ok()?;
    bool::try_from(value).ok()
}

async fn sway_dnd(bus: &Connection) -> Option<bool> {
    let call = bus.call_method(Some(SWAY), "/org/erikreider/swaync/cc", Some(SWAY), "GetDnd", &());
    let answer = tokio::time::timeout(ANSWER_TIMEOUT, call).await.ok()?.ok()?;
    answer.body().deserialize().ok()
}

/// Signs that the do-not-disturb mode may have changed.
#[derive(Debug, Default)]
pub(super) enum Changes {
    /// There are none.
    #[default]
    Never,
    /// Signals on the bus.
    Signals(Box<MessageStream>),
    /// A setting of the desktop.
    Setting(Arc<Notify>),
}

impl Changes {
    /// Waits for the next sign.
    pub(super) async fn next(&mut self) {
        match self {
            Self::Never => {}
            Self::Setting(changed) => return changed.notified().await,
            Self::Signals(signals) => {
                if signals.next().await.is_some() {
                    return;
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

thread_local! {
    /// GNOME's setting while it is watched; only the toolkit's main thread has it.
    static WATCHED: RefCell<Option<gio::Settings>> = const { RefCell::new(None) };
}

/// Watches GNOME's setting on the main thread, where such signals arrive.
fn watch_banners() -> Arc<Notify> {
    let changed = Arc::new(Notify::new());
    let signal = Arc::clone(&changed);
    glib::MainContext::default().invoke(move || {
        let (schema, key) = GNOME_SETTING;
        if !has_banners_setting() {
            return;
        }
        let settings = gio::Settings::new(schema);
        settings.connect_changed(Some(key), move |_, _| signal.notify_one());
        WATCHED.replace(Some(settings));
    });
    changed
}

fn has_banners_setting() -> bool {
    let (schema, key) = GNOME_SETTING;
    gio::SettingsSchemaSource::default()
        .and_then(|source| source.lookup(schema, true))
        .is_some_and(|schema| schema.has_key(key))
}

/// GNOME's setting: `false` means do not disturb. `true` if the schema is not installed.
fn shows_banners() -> bool {
    let (schema, key) = GNOME_SETTING;
    !has_banners_setting() || gio::Settings::new(schema).boolean(key)
}
