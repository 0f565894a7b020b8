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
use zbus::fdo::RequestNameFlags;
use zbus::interface;
use zbus::message::Header;
use zbus::names::OwnedUniqueName;

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

/// Where programs say who they are.
struct Registry {
    asked: UnboundedSender<String>,
}

#[interface(name = "org.freedesktop.host.portal.Registry")]
impl Registry {
    fn register(&self, entry: String, _options: HashMap<String, OwnedValue>) {
        self.asked.send(format!("registered {entry}")).unwrap();
    }
}

const REGISTERED: Option<&str> = Some("registered org.tidings.desktop");

/// A portal on a bus, with what it is asked.
async fn portal(bus: &Bus) -> (Connection, UnboundedReceiver<String>) {
    let (asked, hears) = mpsc::unbounded_channel();
    let desktop = portal_of(bus, asked).await;
    desktop.request_name(BUS_NAME).await.unwrap();
    (desktop, hears)
}

/// A portal that has no name on its bus yet.
async fn portal_of(bus: &Bus, asked: UnboundedSender<String>) -> Connection {
    let builder = Builder::address(bus.address.as_str()).unwrap();
    let builder = builder.serve_at(OBJECT_PATH, Portal { asked: asked.clone() }).unwrap();
    let builder = builder.serve_at(OBJECT_PATH, Registry { asked: asked.clone() }).unwrap();
    let builder = builder.serve_at(SESSION, Session { asked }).unwrap();
    builder.build().await.unwrap()
}

/// The program on a bus, whose settings say that there are no shortcuts until a portal has some.
struct Program {
    name: OwnedUniqueName,
    keys: watch::Sender<Option<String>>,
    supported: Arc<AtomicBool>,
    requests: UnboundedReceiver<DesktopRequest>,
}

impl Program {
    async fn start(bus: &Bus) -> Self {
        let own = Builder::address(bus.address.as_str()).unwrap().build().await.unwrap();
        let name = own.unique_name().unwrap().clone();
        let (keys, mut wanted) = watch::channel(None);
        let supported = Arc::new(AtomicBool::new(false));
        let (sender, requests) = mpsc::unbounded_channel();
        let shared = Arc::clone(&supported);
        tokio::spawn(async move { serve(&own, &mut wanted, &shared, &sender).await });
        Self { name, keys, supported, requests }
    }

    fn wants(&self, keys: &str) {
        self.keys.send_replace(trigger(keys));
    }

    fn is_supported(&self) -> bool {
        self.supported.load(Ordering::Relaxed)
    }
}

/// The reader presses the keys of a shortcut.
async fn press(desktop: &Connection, program: &Program, shortcut: &str) {
    let session = OwnedObjectPath::try_from(SESSION).unwrap();
    let press = (session, shortcut, 7_u64, Named::new());
    let to = Some(program.name.as_str());
    desktop.emit_signal(to, OBJECT_PATH, INTERFACE, "Activated", &press).await.unwrap();
}

#[tokio::test]
async fn keys_are_bound_by_the_portal_whose_presses_toggle_the_window_and_by_the_next_portal() {
    let bus = Bus::start();
    let (desktop, mut asked) = portal(&bus).await;
    let mut program = Program::start(&bus).await;
    assert_eq!(asked.recv().await.as_deref(), REGISTERED);

    program.wants("Control+Alt+KeyT");
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window CTRL+ALT+t"));
    assert!(program.is_supported());
    press(&desktop, &program, "of-another").await;
    press(&desktop, &program, SHORTCUT).await;
    assert_eq!(program.requests.recv().await, Some(DesktopRequest::ToggleWindow));

    program.wants("Super+KeyX");
    assert_eq!(asked.recv().await.as_deref(), Some("closed"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+x"));
    assert_eq!(asked.recv().await.as_deref(), Some("closed"), "what was refused is given back");
    assert!(program.requests.try_recv().is_err(), "one press toggles once");

    program.wants("Super+KeyP");
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+p"));
    assert_eq!(asked.recv().await.as_deref(), Some("closed"), "a session without keys is of no use");
    wait::until("the settings to say so", || async { !program.is_supported() }).await;

    program.wants("Super+KeyT");
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+t"));
    wait::until("a portal that binds keys", || async { program.is_supported() }).await;

    // The portal ends while its reader is asked.
    program.wants("Super+KeyW");
    assert_eq!(asked.recv().await.as_deref(), Some("closed"));
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+w"));
    desktop.release_name(BUS_NAME).await.unwrap();
    wait::until("the portal to be missed", || async { !program.is_supported() }).await;
    desktop.request_name(BUS_NAME).await.unwrap();
    assert_eq!(asked.recv().await.as_deref(), REGISTERED);
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window LOGO+w"));
    assert!(program.is_supported());
}

#[tokio::test]
async fn a_portal_that_comes_back_without_shortcuts_has_none_and_binds_the_keys_once_it_has_them_again() {
    let bus = Bus::start();
    let (desktop, mut asked) = portal(&bus).await;
    let mut program = Program::start(&bus).await;
    program.wants("Control+Alt+KeyT");
    assert_eq!(asked.recv().await.as_deref(), REGISTERED);
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window CTRL+ALT+t"));
    // A press is heard after the portal has answered.
    press(&desktop, &program, SHORTCUT).await;
    assert_eq!(program.requests.recv().await, Some(DesktopRequest::ToggleWindow));

    let objects = desktop.object_server();
    let shortcuts = objects.interface::<_, Portal>(OBJECT_PATH).await.unwrap();
    let again = Portal { asked: shortcuts.get().await.asked.clone() };
    desktop.release_name(BUS_NAME).await.unwrap();
    objects.remove::<Portal, _>(OBJECT_PATH).await.unwrap();
    desktop.request_name(BUS_NAME).await.unwrap();
    assert_eq!(asked.recv().await.as_deref(), REGISTERED);
    press(&desktop, &program, SHORTCUT).await;
    assert_eq!(program.requests.recv().await, Some(DesktopRequest::ToggleWindow));
    assert!(!program.is_supported(), "the settings say so");

    desktop.release_name(BUS_NAME).await.unwrap();
    objects.at(OBJECT_PATH, again).await.unwrap();
    desktop.request_name(BUS_NAME).await.unwrap();
    assert_eq!(asked.recv().await.as_deref(), REGISTERED);
    assert_eq!(asked.recv().await.as_deref(), Some("toggle-window CTRL+ALT+t"));
    assert!(program.is_supported());
}

#[tokio::test]
async fn a_portal_that_takes_the_place_of_another_binds_the_keys_again() {
    let bus = Bus::start();
    let (asked, mut hears) = mpsc::unbounded_channel();
    let first = portal_of(&bus, asked.clone()).await;
    first.request_name_with_flags(BUS_NAME, RequestNameFlags::AllowReplacement.into()).await.unwrap();
    let mut program = Program::start(&bus).await;
    program.wants("Control+Alt+KeyT");
    assert_eq!(hears.recv().await.as_deref(), REGISTERED);
    assert_eq!(hears.recv().await.as_deref(), Some("toggle-window CTRL+ALT+t"));
    press(&first, &program, SHORTCUT).await;
    assert_eq!(program.requests.recv().await, Some(DesktopRequest::ToggleWindow));

    let second = portal_of(&bus, asked).await;
    second.request_name_with_flags(BUS_NAME, RequestNameFlags::ReplaceExisting.into()).await.unwrap();
    assert_eq!(hears.recv().await.as_deref(), REGISTERED);
    assert_eq!(hears.recv().await.as_deref(), Some("toggle-window CTRL+ALT+t"));
    press(&second, &program, SHORTCUT).await;
    assert_eq!(program.requests.recv().await, Some(DesktopRequest::ToggleWindow));
    assert!(program.is_supported());
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
