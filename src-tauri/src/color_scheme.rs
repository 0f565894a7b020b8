//! The preference for dark as GNOME has it: a setting that GTK 3 does not read. The page follows what GTK prefers.

use std::cell::RefCell;

use gtk::gio;
use gtk::gio::prelude::SettingsExt as _;
use gtk::prelude::GtkSettingsExt as _;

use crate::window::on_wayland;

const SCHEMA: &str = "org.gnome.desktop.interface";
const KEY: &str = "color-scheme";
/// GTK's own preference.
const GTK_PROPERTY: &str = "gtk-application-prefer-dark-theme";

thread_local! {
    /// The desktop's settings while they are followed; only the toolkit's main thread has them.
    static FOLLOWED: RefCell<Option<gio::Settings>> = const { RefCell::new(None) };
}

/// Follows the preference from now on. Must be called on the toolkit's main thread, before the first window.
pub(crate) fn follow() {
    // On X11 other desktops tell GTK itself, and reading the setting takes time from the start.
    let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
    if !on_wayland() && !desktop.split(':').any(|name| name == "GNOME") {
        return;
    }
    let schema = gio::SettingsSchemaSource::default().and_then(|source| source.lookup(SCHEMA, true));
    if !schema.is_some_and(|schema| schema.has_key(KEY)) {
        return;
    }
    let settings = gio::Settings::new(SCHEMA);
    settings.connect_changed(Some(KEY), |settings, _| apply(settings));
    // Read after the signal was connected: changes of keys that nobody has read are not told.
    apply(&settings);
    FOLLOWED.replace(Some(settings));
}

fn apply(settings: &gio::Settings) {
    let Some(gtk) = gtk::Settings::default() else { return };
    if settings.string(KEY).as_str() == "prefer-dark" {
        gtk.set_gtk_application_prefer_dark_theme(true);
    } else {
        // As the files of GTK have it.
        gtk.reset_property(GTK_PROPERTY);
    }
}
