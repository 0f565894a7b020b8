//! Tests of autostart with a portal that writes down what it is asked.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "the method and arguments of the portal"
)]

use std::collections::HashMap;

use tidings_testkit::bus::Bus;
use tokio::sync::mpsc::{self, UnboundedSender};
use zbus::connection::Builder;
use zbus::interface;
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

use super::*;
use crate::portal::{BUS_NAME, OBJECT_PATH};

/// A portal whose user agrees, or does not.
struct Portal {
    agrees: bool,
    asked: UnboundedSender<(bool, Vec<String>)>,
}

#[interface(name = "org.freedesktop.portal.Background")]
impl Portal {
    async fn request_background(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &Connection,
        _parent: String,
        mut options: HashMap<String, OwnedValue>,
    ) -> OwnedObjectPath {
        let mut option = |name: &str| options.remove(name).unwrap();
        let on = bool::try_from(option("autostart")).unwrap();
        let command = Vec::<String>::try_from(option("commandline")).unwrap();
        let token = String::try_from(option("handle_token")).unwrap();
        self.asked.send((on, command)).unwrap();
        let sender = header.sender().unwrap().as_str();
        let own = sender.trim_start_matches(':').replace('.', "_");
        let path = OwnedObjectPath::try_from(format!("{OBJECT_PATH}/request/{own}/{token}")).unwrap();
        let results = HashMap::from([("background", Value::from(true)), ("autostart", Value::from(on))]);
        let answer = (u32::from(!self.agrees), results);
        let interface = "org.freedesktop.portal.Request";
        bus.emit_signal(Some(sender), &path, interface, "Response", &answer).await.unwrap();
        path
    }
}

#[tokio::test]
async fn a_sandbox_asks_its_portal_for_autostart_and_hears_whether_it_is_granted() {
    for agrees in [true, false] {
        let bus = Bus::start();
        let connect = || async { Builder::address(bus.address.as_str()).unwrap().build().await.unwrap() };
        let own = connect().await;
        request(&own, true).await.unwrap_err();
        let (asked, mut hears) = mpsc::unbounded_channel();
        let desktop = connect().await;
        desktop.object_server().at(OBJECT_PATH, Portal { agrees, asked }).await.unwrap();
        desktop.request_name(BUS_NAME).await.unwrap();
        for on in [true, false] {
            assert_eq!(request(&own, on).await.ok(), agrees.then_some(on));
            let command = COMMAND.map(str::to_owned).to_vec();
            assert_eq!(hears.recv().await, Some((on, command)));
        }
    }
}
