//! A session on a bus of its own, whose parts are there or missing.

#![allow(
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "the specification's methods and properties"
)]

use tidings_testkit::bus::Bus;
use zbus::connection::Builder;
use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, interface};

use super::linux::look_at;
use super::*;

struct Watcher;

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }
}

/// A notification daemon without buttons.
struct Plain;

#[interface(name = "org.freedesktop.Notifications")]
impl Plain {
    fn get_capabilities(&self) -> Vec<&'static str> {
        vec!["body"]
    }

    fn get_server_information(&self) -> (&'static str, &'static str, &'static str, &'static str) {
        ("plain", "somebody", "1.2", "1.2")
    }
}

struct Secrets;

#[interface(name = "org.freedesktop.Secret.Service")]
impl Secrets {
    fn read_alias(&self, _name: &str) -> OwnedObjectPath {
        OwnedObjectPath::try_from("/org/freedesktop/secrets/collection/login").unwrap()
    }
}

struct Collection {
    locked: bool,
}

#[interface(name = "org.freedesktop.Secret.Collection")]
impl Collection {
    #[zbus(property)]
    fn locked(&self) -> bool {
        self.locked
    }
}

struct Portal;

#[interface(name = "org.freedesktop.portal.ProxyResolver")]
impl Portal {
    fn lookup(&self, _uri: &str) -> Vec<String> {
        Vec::new()
    }
}

async fn desktop(bus: &Bus, locked: bool) -> Connection {
    let names = [
        "org.kde.StatusNotifierWatcher",
        "org.freedesktop.Notifications",
        "org.freedesktop.secrets",
        "org.freedesktop.portal.Desktop",
    ];
    let builder = Builder::address(bus.address.as_str()).unwrap();
    let builder = builder.serve_at("/StatusNotifierWatcher", Watcher).unwrap();
    let builder = builder.serve_at("/org/freedesktop/Notifications", Plain).unwrap();
    let builder = builder.serve_at("/org/freedesktop/secrets", Secrets).unwrap();
    let login = "/org/freedesktop/secrets/collection/login";
    let builder = builder.serve_at(login, Collection { locked }).unwrap();
    let mut builder = builder.serve_at("/org/freedesktop/portal/desktop", Portal).unwrap();
    for name in names {
        builder = builder.name(name).unwrap();
    }
    builder.build().await.unwrap()
}

#[tokio::test]
async fn a_session_says_what_it_offers_and_what_it_lacks() {
    for (locked, keyring) in [(true, KeyringState::Locked), (false, KeyringState::Open)] {
        let bus = Bus::start();
        let asking = Builder::address(bus.address.as_str()).unwrap().build().await.unwrap();
        let nothing = Session { bus: true, ..Session::default() };
        assert_eq!(look_at(&asking).await, nothing, "a bus with nobody on it");
        let _desktop = desktop(&bus, locked).await;
        let daemon = Daemon {
            name: "plain".to_owned(),
            version: "1.2".to_owned(),
            capabilities: vec!["body".to_owned()],
        };
        let portals = vec!["ProxyResolver".to_owned()];
        let offered =
            Session { bus: true, tray_host: true, daemon: Some(daemon), keyring, portals, player: false };
        assert_eq!(look_at(&asking).await, offered);
    }
}
