//! Autostart by the portal of the desktop (`org.freedesktop.portal.Background`), which also lets a program in a sandbox run
//! without a window.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt as _;
use tidings_model::Lang;
use zbus::zvariant::{OwnedValue, Value};
use zbus::{Connection, Error, Proxy};

use crate::locale;

const BUS_NAME: &str = "org.freedesktop.portal.Desktop";
const OBJECT_PATH: &str = "/org/freedesktop/portal/desktop";
const INTERFACE: &str = "org.freedesktop.portal.Background";
/// The name of the request within the program.
const TOKEN: &str = "tidings_autostart";
/// What the desktop runs at login.
const COMMAND: [&str; 2] = ["tidings-desktop", "--background"];
/// The wait for an answer: the desktop may ask the user.
const TIMEOUT: Duration = Duration::from_secs(120);

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
    tokio::time::timeout(TIMEOUT, request(&bus, on)).await.unwrap_or_else(|_| Err(no_answer()))
}

async fn request(bus: &Connection, on: bool) -> zbus::Result<bool> {
    let own = bus.unique_name().ok_or_else(no_answer)?.trim_start_matches(':').replace('.', "_");
    let path = format!("{OBJECT_PATH}/request/{own}/{TOKEN}");
    // Subscribed before the call, so that no answer is missed.
    let request = Proxy::new(bus, BUS_NAME, path, "org.freedesktop.portal.Request").await?;
    let mut answers = request.receive_signal("Response").await?;
    let portal = Proxy::new(bus, BUS_NAME, OBJECT_PATH, INTERFACE).await?;
    let options: HashMap<&str, Value<'_>> = HashMap::from([
        ("handle_token", TOKEN.into()),
        ("reason", reason().into()),
        ("autostart", on.into()),
        ("commandline", COMMAND.to_vec().into()),
    ]);
    portal.call_method("RequestBackground", &("", options)).await?;
    let answer = answers.next().await.ok_or_else(no_answer)?;
    let (code, mut results): (u32, HashMap<String, OwnedValue>) = answer.body().deserialize()?;
    if code != 0 {
        return Err(Error::Failure(format!("autostart was refused: {code}")));
    }
    Ok(results.remove("autostart").is_some_and(|granted| bool::try_from(granted).unwrap_or(false)))
}

fn no_answer() -> Error {
    Error::Failure("the portal did not answer".to_owned())
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
