//! The global shortcut by the portal of the desktop, which asks the reader for the keys. Wayland shows a program no keys
//! that are pressed elsewhere.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use tidings_model::Lang;
use tidings_net::supervise;
use tidings_ports::{DesktopRequest, GlobalShortcut, ShortcutError};
use tidings_sources::OWN_DESKTOP_ENTRY;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use zbus::fdo::DBusProxy;
use zbus::names::UniqueName;
use zbus::proxy::{self, CacheProperties};
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

use super::linux::parse;
use crate::after_paint::AfterPaint;
use crate::locale;
use crate::portal::{BUS_NAME, Named, OBJECT_PATH, ask};

const INTERFACE: &str = "org.freedesktop.portal.GlobalShortcuts";
/// The name of the shortcut within the program, by which a desktop remembers its keys.
const SHORTCUT: &str = "toggle-window";
/// The wait before a missing bus or portal is tried again; most desktops will never have one.
const RETRY_INTERVAL: Duration = Duration::from_secs(10 * 60);

/// A press: the session, the name of the shortcut, the time, and more.
type Press = (OwnedObjectPath, String, u64, HashMap<String, OwnedValue>);

/// The adapter of the port for the global shortcut by the portal.
pub(super) struct PortalKeys {
    supported: Arc<AtomicBool>,
    /// The keys that the reader wants, as the portal writes them.
    keys: watch::Sender<Option<String>>,
}

impl PortalKeys {
    /// Needs a tokio runtime. Until the portal was asked, after a wait, it counts as one that has shortcuts.
    pub(super) fn new(waits: AfterPaint, requests: UnboundedSender<DesktopRequest>) -> Self {
        let (keys, wanted) = watch::channel(None);
        let supported = Arc::new(AtomicBool::new(true));
        let shared = Arc::clone(&supported);
        supervise::keep("the global shortcut", move || {
            run(waits.clone(), wanted.clone(), Arc::clone(&shared), requests.clone())
        });
        Self { supported, keys }
    }
}

impl GlobalShortcut for PortalKeys {
    fn is_supported(&self) -> bool {
        self.supported.load(Ordering::Relaxed)
    }

    /// The desktop may ask the reader, who may choose other keys or none; that is not known here.
    fn set(&self, keys: Option<&str>) -> Result<(), ShortcutError> {
        let keys = keys.map(|text| trigger(text).ok_or(ShortcutError::Invalid)).transpose()?;
        self.keys.send_replace(keys);
        Ok(())
    }
}

async fn run(
    waits: AfterPaint,
    mut wanted: watch::Receiver<Option<String>>,
    supported: Arc<AtomicBool>,
    requests: UnboundedSender<DesktopRequest>,
) {
    waits.wait().await;
    loop {
        let served = match Connection::session().await {
            Ok(bus) => serve(&bus, &mut wanted, &supported, &requests).await,
            Err(error) => Err(error),
        };
        match served {
            Ok(()) => return,
            Err(error) => tracing::debug!(%error, "no portal for the global shortcut"),
        }
        supported.store(false, Ordering::Relaxed);
        // What was wanted is bound by the next portal.
        wanted.mark_changed();
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// Binds the keys that are wanted and hears of presses, with each portal after another, until the bus is gone. Returns once
/// nobody can want keys.
async fn serve(
    bus: &Connection,
    wanted: &mut watch::Receiver<Option<String>>,
    supported: &AtomicBool,
    requests: &UnboundedSender<DesktopRequest>,
) -> zbus::Result<()> {
    // Without a cache: a portal that comes back may be another version of it, or have no shortcuts any more.
    let portal: Proxy<'_> = proxy::Builder::new(bus)
        .destination(BUS_NAME)?
        .path(OBJECT_PATH)?
        .interface(INTERFACE)?
        .cache_properties(CacheProperties::No)
        .build()
        .await?;
    introduce(&portal).await?;
    supported.store(true, Ordering::Relaxed);
    let mut presses = portal.receive_signal("Activated").await?;
    let mut owners = portal.receive_owner_changed().await?;
    let (mut session, mut bound_by) = (None, None);
    loop {
        tokio::select! {
            changed = wanted.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                close(bus, session.take()).await;
                let keys = wanted.borrow_and_update().clone();
                if let Some(keys) = keys {
                    // A portal that replaces this one while it binds is noticed: it is not the one of before.
                    bound_by = portal_owner(bus).await;
                    let bound = bind(bus, &keys)
                        .await
                        .inspect_err(|error| tracing::warn!(%error, "the desktop gave no global shortcut"));
                    if let Ok(bound) = bound {
                        supported.store(bound.is_some(), Ordering::Relaxed);
                        session = bound;
                    }
                }
            }
            Some(press) = presses.next() => {
                let press = press.body().deserialize::<Press>();
                if press.is_ok_and(|(_, shortcut, ..)| shortcut == SHORTCUT) {
                    let _ = requests.send(DesktopRequest::ToggleWindow);
                }
            }
            owner = owners.next() => {
                let Some(owner) = owner else {
                    return Err(zbus::Error::Failure("the bus is gone".to_owned()));
                };
                if owner.is_none() {
                    supported.store(false, Ordering::Relaxed);
                    // It has ended with its portal.
                    session = None;
                } else if session.is_none() || owner != bound_by {
                    // That of a portal that was replaced has ended with it.
                    session = None;
                    let has_shortcuts = introduce(&portal)
                        .await
                        .inspect_err(|error| tracing::debug!(%error, "this portal has no global shortcuts"))
                        .is_ok();
                    supported.store(has_shortcuts, Ordering::Relaxed);
                    if has_shortcuts {
                        wanted.mark_changed();
                    }
                }
            }
        }
    }
}

/// Says which program this is, and asks whether there are shortcuts. A newer portal knows no program of the host by itself; an
/// older one has no such method.
///
/// # Errors
/// The portal has no shortcuts, or there is none.
async fn introduce(portal: &Proxy<'_>) -> zbus::Result<()> {
    let entry = (OWN_DESKTOP_ENTRY, Named::new());
    let registry = Some("org.freedesktop.host.portal.Registry");
    let _ = portal.connection().call_method(Some(BUS_NAME), OBJECT_PATH, registry, "Register", &entry).await;
    portal.get_property::<u32>("version").await.map(drop)
}

/// Makes a session with the shortcut in it. `None` if the portal agrees and binds none, as Plasma's does before version 6.1.
async fn bind(bus: &Connection, keys: &str) -> zbus::Result<Option<OwnedObjectPath>> {
    let token = "tidings_session";
    let options = Named::from([("handle_token", token.into()), ("session_handle_token", "tidings".into())]);
    let mut made = ask(bus, INTERFACE, "CreateSession", token, &(options,)).await?;
    let handle = made.remove("session_handle").and_then(|handle| String::try_from(handle).ok());
    let session = OwnedObjectPath::try_from(handle.unwrap_or_default())?;
    let shortcut = Named::from([("description", description().into()), ("preferred_trigger", keys.into())]);
    let token = "tidings_shortcut";
    let options = Named::from([("handle_token", token.into())]);
    let shortcuts = (&session, vec![(SHORTCUT, shortcut)], "", options);
    let answer = ask(bus, INTERFACE, "BindShortcuts", token, &shortcuts).await;
    let binds_none = |answer: &HashMap<String, OwnedValue>| {
        answer
            .get("shortcuts")
            .is_some_and(|bound| matches!(&**bound, Value::Array(bound) if bound.is_empty()))
    };
    if answer.as_ref().is_ok_and(|answer| !binds_none(answer)) {
        return Ok(Some(session));
    }
    close(bus, Some(session)).await;
    answer.map(|_| None)
}

/// The connection of the portal; `None` if there is none.
async fn portal_owner(bus: &Connection) -> Option<UniqueName<'static>> {
    let name = BUS_NAME.try_into().ok()?;
    Some(DBusProxy::new(bus).await.ok()?.get_name_owner(name).await.ok()?.into_inner())
}

async fn close(bus: &Connection, session: Option<OwnedObjectPath>) {
    let Some(session) = session else { return };
    let interface = Some("org.freedesktop.portal.Session");
    if let Err(error) = bus.call_method(Some(BUS_NAME), session, interface, "Close", &()).await {
        tracing::debug!(%error, "a session of the portal was not closed");
    }
}

/// What the shortcut does, for the desktop's list of shortcuts.
fn description() -> &'static str {
    match locale::language().interface() {
        Lang::En => "Show or hide Tidings",
        Lang::ZhCn => "显示或隐藏 Tidings",
    }
}

/// Keys as the specification of shortcuts has them: `CTRL+ALT+t` for `Control+Alt+KeyT`. `None` for keys that X11 would not
/// take either.
fn trigger(text: &str) -> Option<String> {
    parse(text)?;
    let name = |part: &str| match part {
        "Control" => "CTRL".to_owned(),
        "Alt" => "ALT".to_owned(),
        "Shift" => "SHIFT".to_owned(),
        "Super" => "LOGO".to_owned(),
        "Quote" => "apostrophe".to_owned(),
        "Backquote" => "grave".to_owned(),
        "PageUp" => "Page_Up".to_owned(),
        "PageDown" => "Page_Down".to_owned(),
        "Home" | "End" | "Insert" | "Delete" => part.to_owned(),
        other => {
            match (other.strip_prefix("Arrow"), other.strip_prefix("Digit"), other.strip_prefix("Key")) {
                (Some(name), ..) | (_, Some(name), _) => name.to_owned(),
                (.., Some(letter)) => letter.to_lowercase(),
                // `F12`, while names of signs have small letters.
                _ if other.ends_with(|last: char| last.is_ascii_digit()) => other.to_owned(),
                _ => other.to_lowercase(),
            }
        }
    };
    Some(text.split('+').map(name).collect::<Vec<_>>().join("+"))
}

#[cfg(test)]
#[path = "portal_tests.rs"]
mod tests;
