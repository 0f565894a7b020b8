//! The toolkit's connection to the session bus, whose end would end the program.

use gtk::gio;

/// Lets the program go on without the bus. Must be called on the toolkit's main thread.
pub(crate) fn outlive() {
    gio::bus_get(gio::BusType::Session, gio::Cancellable::NONE, |bus| match bus {
        Ok(bus) => bus.set_exit_on_close(false),
        Err(error) => tracing::debug!(%error, "the toolkit has no session bus"),
    });
}
