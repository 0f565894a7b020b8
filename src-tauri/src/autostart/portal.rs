//! Autostart by the portal of the desktop (`org.freedesktop.portal.Background`), which also lets a program in a sandbox run
//! without a window.

use std::path::Path;
use std::time::Duration;

use tidings_model::Lang;
use tokio::sync::Mutex;
use zbus::{Connection, Error};

use crate::locale;
use crate::portal::{self, Named};

const INTERFACE: &str = "org.freedesktop.portal.Background";
/// The name of the request within the program.
const TOKEN: &str = "tidings_autostart";
/// What the desktop runs at login.
const COMMAND: [&str; 2] = ["tidings-desktop", "--background"];
/// The wait for an answer: the desktop may ask the user.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Held while the desktop is asked: requests of one name would hear each other's answers.
static ASKED: Mutex<()> = Mutex::const_new(());

/// Whether the program runs in a sandbox of Flatpak.
pub(super) fn is_needed() -> bool {
    Path::new("/.flatpak-info").exists()
}

/// Asks the desktop to start the program at login, or no more. Returns whether it will.
///
/// # Errors
/// There is no portal, or it does not answer, or the user refused.
pub(super) async fn ask(on: bool) -> zbus::Result<bool> {
    let bus = Connection::session().await?;
    let _one_at_a_time = ASKED.lock().await;
    tokio::time::timeout(TIMEOUT, request(&bus, on))
        .await
        .unwrap_or_else(|_| Err(Error::Failure("the portal did not answer".to_owned())))
}

async fn request(bus: &Connection, on: bool) -> zbus::Result<bool> {
    let options = Named::from([
        ("handle_token", TOKEN.into()),
        ("reason", reason().into()),
        ("autostart", on.into()),
        ("commandline", COMMAND.to_vec().into()),
    ]);
    let mut results = portal::ask(bus, INTERFACE, "RequestBackground", TOKEN, &("", options)).await?;
    Ok(results.remove("autostart").is_some_and(|granted| bool::try_from(granted).unwrap_or(false)))
}

/// Why the program wants to run without a window, for whom the desktop asks.
fn reason() -> &'static str {
    match locale::language().interface() {
        Lang::En => "Show notifications as they arrive",
        Lang::ZhCn => "在通知到达时显示",
    }
}

#[cfg(test)]
#[path = "portal_tests.rs"]
mod tests;
