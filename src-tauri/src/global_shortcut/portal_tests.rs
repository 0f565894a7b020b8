//! Tests of the global shortcut with a portal that writes down what it is asked.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "the methods and arguments of the portal"
)]

use tidings_testkit::bus::Bus;
use tidings_testkit::wait;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use zbus::connection::Builder;
use zbus::interface;
use zbus::message::Header;

use super::*;

const SESSION: &str = "/org/freedesktop/portal/desktop/session/tidings";

/// A portal whose reader agrees with everything but a shortcut on `x`, and says nothing of one on `w`. It binds none on `p`.
struct Portal {
    asked: UnboundedSender<String>,
}

/// Answers a request in the way of portals.
async fn answer(
    bus: &Connection,
    header: &Header<'_>,
    token: &str,
    code: u32,
    results: Named<'_>,
) -> OwnedObjectPath {
    let sender = header.sender().unwrap().as_str();
    let own = sender.trim_start_matches(':').replace('.', "_");
    let path = OwnedObjectPath::try_from(format!("{OBJECT_PATH}/request/{own}/{token}")).unwrap();
    let interface = "org.freedesktop.portal.Request";
    bus.emit_signal(Some(sender), &path, interface, "Response", &(code, results)).await.unwrap();
    path
}

#[interface(name = "org.freedesktop.portal.GlobalShortcuts")]
impl Portal {
    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        1
    }

    async fn create_session(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &Connection,
        _options: HashMap<String, OwnedValue>,
    ) -> OwnedObjectPath {
        answer(bus, &header, "tidings_session", 0, Named::from([("session_handle", SESSION.into())])).await
    }

    async fn bind_shortcuts(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &Connection,
        _session: OwnedObjectPath,
        mut shortcuts: Vec<(String, HashMap<String, OwnedValue>)>,
        _parent: String,
        _options: HashMap<String, OwnedValue>,
    ) -> OwnedObjectPath {
        let (name, mut shortcut) = shortcuts.remove(0);
        let keys = String::try_from(shortcut.remove("preferred_trigger").unwrap()).unwrap();
        let code = u32::from(keys.ends_with("+x"));
        self.asked.send(format!("{name} {keys}")).unwrap();
        if keys.ends_with("+w") {
            return OwnedObjectPath::default();
        }
        let bound = if keys.ends_with("+p") { vec![] } else { vec![name] };
        let results = Named::from([("shortcuts", bound.into())]);
        answer(bus, &header, "tidings_shortcut", code, results).await
    }
}

struct Session {
    asked: UnboundedSender<String>,
}

#[interface(name = "org.freedesktop.portal.Session")]
impl Session {
    fn close(&self) {
        self.asked.send("closed".to_owned()).unwrap();
    }
}

/// A portal on a bus, with what it is asked.
async fn portal(bus: &Bus) -> (Connection, UnboundedReceiver<String>) {
    let (asked, hears) = mpsc::unbounded_channel();
    let builder = Builder::address(bus.address.as_str()).unwrap();
    let builder = builder.serve_at(OBJECT_PATH, Portal { asked: asked.clone() }).unwrap();
    let builder = builder.serve_at(SESSION, Session { asked }).unwrap();
    (builder.name(BUS_NAME).unwrap().build().await.unwrap(), hears)
}

#[tokio::test]
async fn keys_are_bound_by_the_portal_whose_presses_toggle_the_window_and_by_the_next_portal() {
    let bus = Bus::start();
    let (desktop, mut asked) = portal(&bus).await;
    let own = Builder::address(bus.address.as_str()).unwrap().build().await.unwrap();
    let name = own.unique_name().unwrap().clone();
    let (keys, mut wanted) = watch::channel(None);
    let supported = Arc::new(AtomicBool::new(false));
    let (requests, mut received) = mpsc::unbounded_channel();
    let shared = Arc::clone(&supported);
    let task = tokio::spawn(async move { serve(&own, &mut wanted, &shared, &requests).await });

    keys.send_replace(trigger("Control+Alt+KeyT"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window CTRL+ALT+t"));
    assert!(supported.load(Ordering::Relaxed));
    let session = OwnedObjectPath::try_from(SESSION).unwrap();
    for shortcut in ["of-another", SHORTCUT] {
        let press = (&session, shortcut, 7_u64, Named::new());
        desktop.emit_signal(Some(name.as_str()), OBJECT_PATH, INTERFACE, "Activated", &press).await.unwrap();
    }
    assert_eq!(received.recv().await, Some(DesktopRequest::ToggleWindow));

    keys.send_replace(trigger("Super+KeyX"));
    assert_eq!(asked.recv().await.as_deref(), Some("closed"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+x"));
    assert_eq!(asked.recv().await.as_deref(), Some("closed"), "what was refused is given back");
    assert!(received.try_recv().is_err(), "one press toggles once");

    keys.send_replace(trigger("Super+KeyP"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+p"));
    assert_eq!(asked.recv().await.as_deref(), Some("closed"), "a session without keys is of no use");
    wait::until("the settings to say so", || async { !supported.load(Ordering::Relaxed) }).await;

    keys.send_replace(trigger("Super+KeyT"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+t"));
    wait::until("a portal that binds keys", || async { supported.load(Ordering::Relaxed) }).await;

    // The portal ends while its reader is asked.
    keys.send_replace(trigger("Super+KeyW"));
    assert_eq!(asked.recv().await.as_deref(), Some("closed"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+w"));
    desktop.release_name(BUS_NAME).await.unwrap();
    wait::until("the portal to be missed", || async { !supported.load(Ordering::Relaxed) }).await;
    desktop.request_name(BUS_NAME).await.unwrap();
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+w"));
    assert!(supported.load(Ordering::Relaxed));
    task.abort();
}

#[test]
fn keys_are_written_as_portals_have_them() {
    for (text, expected) in [
        ("Control+Shift+Digit1", "CTRL+SHIFT+1"),
        ("Super+F12", "LOGO+F12"),
        ("Alt+ArrowUp", "ALT+Up"),
        ("Alt+BracketLeft", "ALT+bracketleft"),
        ("Control+Backquote", "CTRL+grave"),
        ("Control+PageDown", "CTRL+Page_Down"),
    ] {
        assert_eq!(trigger(text).as_deref(), Some(expected));
    }
    assert_eq!(trigger("KeyT"), None, "it would take a letter from every program");
}
