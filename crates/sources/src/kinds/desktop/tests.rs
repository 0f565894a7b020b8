//! The source on a bus of its own, with a notification daemon that counts.

#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "the specification's methods and arguments"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use tidings_testkit::bus::Bus;
use tidings_testkit::clock::ManualClock;
use tokio::time::timeout;
use zbus::connection::Builder;
use zbus::zvariant::Value;
use zbus::{Connection, interface};

use super::*;

/// The time that a busy machine may need.
const TEST_TIMEOUT: Duration = Duration::from_secs(90);
const PATH: &str = "/org/freedesktop/Notifications";
const NAME: &str = "org.freedesktop.Notifications";

async fn connect(bus: &Bus) -> Connection {
    Builder::address(bus.address.as_str()).unwrap().build().await.unwrap()
}

/// The notification daemon.
#[derive(Default)]
struct Daemon(AtomicU32);

#[interface(name = "org.freedesktop.Notifications")]
impl Daemon {
    fn notify(
        &self,
        _app: &str,
        replaces: u32,
        _icon: &str,
        _summary: &str,
        _body: &str,
        _actions: Vec<String>,
        _hints: HashMap<String, Value<'_>>,
        _timeout: i32,
    ) -> u32 {
        if replaces != 0 { replaces } else { self.0.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

/// GNOME's interface for notifications.
struct Gnome;

#[interface(name = "org.gtk.Notifications")]
impl Gnome {
    fn add_notification(&self, _app: &str, _id: &str, _content: HashMap<String, Value<'_>>) {}
}

/// A bus with a notification daemon, and a program on it.
struct Desk {
    bus: Bus,
    _daemon: Connection,
    program: Connection,
}

impl Desk {
    async fn start() -> Self {
        let bus = Bus::start();
        let daemon =
            Builder::address(bus.address.as_str()).unwrap().serve_at(PATH, Daemon::default()).unwrap();
        let daemon =
            daemon.serve_at("/org/gtk/Notifications", Gnome).unwrap().name("org.gtk.Notifications").unwrap();
        let daemon = daemon.name(NAME).unwrap().build().await.unwrap();
        let program = connect(&bus).await;
        Self { bus, _daemon: daemon, program }
    }

    /// A client of the source with this id, whose chosen applications are `names`.
    fn client(&self, id: SourceId, names: &str) -> Desktop {
        let row = replica::Source {
            id,
            protocol: PROTOCOL_NAME.to_owned(),
            url: format!("{SCHEME}{names}"),
            ..replica::Source::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        Desktop { bus: Some(self.bus.address.clone()), ..Desktop::of(&row, clock) }
    }

    /// Shows a notification as `app`; returns its id.
    async fn tell(&self, app: &str, replaces: u32, body: &str, hints: HashMap<&str, Value<'_>>) -> u32 {
        let arguments = (app, replaces, "", "Title", body, Vec::<&str>::new(), hints, -1_i32);
        let answer = self.program.call_method(Some(NAME), PATH, Some(NAME), "Notify", &arguments).await;
        answer.unwrap().body().deserialize().unwrap()
    }

    /// Shows a notification as a program of GNOME does.
    async fn add(&self, app: &str, id: &str, body: &str) {
        let name = "org.gtk.Notifications";
        let content: HashMap<&str, Value<'_>> = HashMap::from([("body", Value::from(body))]);
        let arguments = (app, id, content);
        let call = self.program.call_method(
            Some(name),
            "/org/gtk/Notifications",
            Some(name),
            "AddNotification",
            &arguments,
        );
        call.await.unwrap();
    }
}

async fn page(client: &Desktop, cursor: Option<&str>) -> Fetched {
    client.page(Since { cursor: cursor.map(str::to_owned), epoch: None }, 1_000).await.unwrap()
}

fn bodies(fetched: &Fetched) -> Vec<String> {
    fetched.page.service_items.iter().map(|item| item.content.body.clone()).collect()
}

/// Waits for hints until the queue has `count` notifications; the pages acknowledge nothing.
async fn arrived(client: &Desktop, live: &mut Live, count: usize) -> Fetched {
    let all = async {
        loop {
            let fetched = page(client, None).await;
            if fetched.page.service_items.len() >= count {
                return fetched;
            }
            live.next().await.unwrap().unwrap();
        }
    };
    timeout(TEST_TIMEOUT, all).await.unwrap()
}

#[tokio::test]
async fn what_a_chosen_application_tells_is_pulled_and_of_others_only_the_name_is_known() {
    let desk = Desk::start().await;
    let client = desk.client(0, "Mail");
    let mut live = client.listen().await.unwrap().unwrap();
    desk.tell("Chat", 0, "for nobody else", HashMap::new()).await;
    desk.tell("Tidings", 0, "our own", HashMap::new()).await;
    let first = desk.tell("Mail", 0, "one", HashMap::new()).await;
    desk.tell("Mail", 0, "volume", HashMap::from([("value", Value::I32(7))])).await;
    desk.tell("Mail", 0, "two", HashMap::new()).await;
    desk.tell("Mail", first, "one, corrected", HashMap::new()).await;
    desk.tell("Mail", 0, "last", HashMap::new()).await;
    let last = async {
        while bodies(&page(&client, None).await).last().is_none_or(|last| last != "last") {
            live.next().await.unwrap().unwrap();
        }
    };
    timeout(TEST_TIMEOUT, last).await.unwrap();
    let items = page(&client, None).await;
    assert_eq!(bodies(&items), ["two", "one, corrected", "last"]);
    let [two, one, _] = &items.page.service_items[..] else { panic!() };
    assert_ne!(two.msgid, one.msgid);
    assert_eq!((one.actor.name.as_str(), one.thread.as_str()), ("Mail", "application:Mail#publish"));
    let cursor = items.page.next.unwrap();
    assert!(!cursor.contains("nobody") && cursor.contains("Chat") && !cursor.contains("Tidings"), "{cursor}");
    assert_eq!(bodies(&page(&client, Some(&cursor)).await), [""; 0]);
}

#[tokio::test]
async fn a_program_of_gnome_is_kept_by_its_own_ids() {
    let desk = Desk::start().await;
    let client = desk.client(0, "org.gnome.Geary");
    let mut live = client.listen().await.unwrap().unwrap();
    desk.add("org.gnome.Clocks", "alarm", "for nobody").await;
    desk.add("org.gnome.Geary", "mail", "one mail").await;
    desk.add("org.gnome.Geary", "error", "offline").await;
    desk.add("org.gnome.Geary", "mail", "two mails").await;
    desk.add("org.gnome.Geary", "last", "last").await;
    let last = async {
        while bodies(&page(&client, None).await).last().is_none_or(|last| last != "last") {
            live.next().await.unwrap().unwrap();
        }
    };
    timeout(TEST_TIMEOUT, last).await.unwrap();
    assert_eq!(bodies(&page(&client, None).await), ["offline", "two mails", "last"]);
}

#[tokio::test]
async fn what_arrives_between_two_clients_passes_over_and_a_paused_source_leaves_nothing() {
    let desk = Desk::start().await;
    let first = desk.client(7, "Mail");
    let live = first.listen().await.unwrap().unwrap();
    drop(live);
    desk.tell("Mail", 0, "while nobody listened", HashMap::new()).await;
    let second = desk.client(7, "Mail");
    drop(first);
    let mut live = second.listen().await.unwrap().unwrap();
    assert_eq!(bodies(&arrived(&second, &mut live, 1).await), ["while nobody listened"]);

    drop((second, live));
    desk.tell("Mail", 0, "while it was paused", HashMap::new()).await;
    let third = desk.client(7, "Mail");
    let mut live = third.listen().await.unwrap().unwrap();
    desk.tell("Mail", 0, "after", HashMap::new()).await;
    assert_eq!(bodies(&arrived(&third, &mut live, 1).await), ["after"]);
    let elsewhere = desk.client(8, "Mail");
    assert!(bodies(&page(&elsewhere, None).await).is_empty(), "another source has a queue of its own");
}

#[tokio::test]
async fn a_notification_keeps_its_msgid_after_a_restart_of_this_program() {
    let desk = Desk::start().await;
    let mut msgids = Vec::new();
    let mut id = 0;
    for body in ["before", "after"] {
        let client = desk.client(0, "Mail");
        let mut live = client.listen().await.unwrap().unwrap();
        id = desk.tell("Mail", id, body, HashMap::new()).await;
        msgids.push(arrived(&client, &mut live, 1).await.page.service_items[0].msgid.clone());
    }
    assert_eq!(msgids[0], msgids[1]);
}

#[tokio::test]
async fn the_channel_ends_with_its_bus() {
    let mut desk = Desk::start().await;
    let client = desk.client(0, "Mail");
    let mut live = client.listen().await.unwrap().unwrap();
    assert!(live.next().now_or_never().is_none());
    desk.bus.end();
    let end = timeout(TEST_TIMEOUT, live.next()).await.unwrap();
    assert!(matches!(end, Some(Err(Error::NoSessionBus))), "{end:?}");
    assert!(matches!(client.check_access().await, Err(Error::NoSessionBus)));
}

#[tokio::test]
async fn a_bus_that_lets_nobody_read_along_is_told_from_none() {
    let bus = Bus::without_monitors();
    let row = replica::Source { url: SCHEME.to_owned(), ..replica::Source::default() };
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
    let client = Desktop { bus: Some(bus.address.clone()), ..Desktop::of(&row, clock) };
    assert!(matches!(client.check_access().await, Err(Error::MonitorRefused)));
    assert!(matches!(client.listen().await.map(drop), Err(Error::MonitorRefused)));
    assert!(client.server_info().await.is_ok() && page(&client, None).await.page.service_items.is_empty());
}
