//! Tests of the embedded server in the network, which is the loopback here, and of who may use it.

#[cfg(target_os = "linux")]
mod on_a_disk;
mod users;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use mdns_sd::{Receiver, ServiceEvent};
use tidings_home::Home;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_net::http::loopback_client;
use tidings_ports::{ListenConfig, OwnServer, TokenPurpose};

use super::discovery::{SERVICE_TYPE, tests::loopback};
use super::{Embedded, INBOX_TOKEN_LABEL};

/// The longest wait for what the network gets to know.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(60);

/// The next service that is found, by its port, or `None` for the next one that is gone.
async fn next_change(events: &Receiver<ServiceEvent>) -> Option<u16> {
    let change = async {
        loop {
            match events.recv_async().await.expect("the network is browsed") {
                ServiceEvent::ServiceResolved(service) => return Some(service.get_port()),
                ServiceEvent::ServiceRemoved(..) => return None,
                _ => {}
            }
        }
    };
    tokio::time::timeout(NETWORK_TIMEOUT, change).await.expect("a change in time")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_found_in_the_network_only_while_other_devices_may_connect() {
    let folder = tempfile::tempdir().unwrap();
    let network = loopback();
    let mut embedded = Embedded::new(Home::at(folder.path()), Arc::new(SystemClock));
    embedded.network = network.clone();
    let browser = network.daemon().unwrap();
    let found = browser.browse(SERVICE_TYPE).unwrap();

    let port = embedded.start(ListenConfig { port: Some(0), ..ListenConfig::default() }).await.unwrap();
    let listen = |others| ListenConfig { port: Some(port), others, ..ListenConfig::default() };
    assert!(found.try_iter().all(|event| matches!(event, ServiceEvent::SearchStarted(_))));
    assert_eq!(embedded.discovery_trouble(), None);

    embedded.move_to(listen(true)).await.unwrap();
    assert_eq!(next_change(&found).await, Some(port));
    assert_eq!(embedded.discovery_trouble(), None);
    embedded.move_to(listen(false)).await.unwrap();
    assert_eq!(next_change(&found).await, None, "it is withdrawn when others are shut out");

    embedded.move_to(listen(true)).await.unwrap();
    assert_eq!(next_change(&found).await, Some(port));
    embedded.stop().await;
    assert_eq!(next_change(&found).await, None, "it is withdrawn when the program ends");
    browser.shutdown().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_before_the_start_waits_for_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let embedded = Embedded::new(Home::at(folder.path()), Arc::new(SystemClock));
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = ListenConfig { port: Some(free), ..ListenConfig::default() };
    embedded.reserve_port(&listen);
    let client = loopback_client(NETWORK_TIMEOUT).unwrap();
    let publication = client.post(format!("http://127.0.0.1:{free}/backups")).body("Backup done").send();
    // The connection is made though nothing accepts it yet.
    drop(tokio::net::TcpStream::connect(("127.0.0.1", free)).await.unwrap());
    let (answer, started) = tokio::join!(publication, embedded.start(listen));
    assert_eq!((answer.unwrap().status().as_u16(), started), (200, Ok(free)));
    embedded.stop().await;

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = ListenConfig { port: Some(taken.local_addr().unwrap().port()), ..ListenConfig::default() };
    embedded.reserve_port(&listen);
    assert_ne!(embedded.start(listen.clone()).await.unwrap(), listen.port.unwrap(), "a free one");
    embedded.stop().await;
}

/// Whether a page of this origin may read what the server answers.
async fn admits(port: u16, origin: &str) -> bool {
    let client = loopback_client(NETWORK_TIMEOUT).unwrap();
    let request = client.get(format!("http://127.0.0.1:{port}/api/v1/health")).header("Origin", origin);
    let answer = request.send().await.unwrap();
    answer.headers().get("access-control-allow-origin").is_some_and(|allowed| allowed == origin)
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_use_the_server_only_from_origins_that_were_allowed() {
    let (folder, page) = (tempfile::tempdir().unwrap(), "https://ntfy.example");
    let embedded = Embedded::new(Home::at(folder.path()), Arc::new(SystemClock));
    let port = embedded.start(ListenConfig { port: Some(0), ..ListenConfig::default() }).await.unwrap();
    assert!(!admits(port, page).await);

    let origins = vec![embedded.origin("https://Ntfy.example:443/").unwrap()];
    let listen = ListenConfig { port: Some(0), origins, ..ListenConfig::default() };
    assert_eq!(embedded.move_to(listen).await, Ok(port), "it stays at its port");
    assert!(admits(port, page).await && !admits(port, "https://other.example").await);

    embedded.move_to(ListenConfig { port: Some(0), ..ListenConfig::default() }).await.unwrap();
    assert!(!admits(port, page).await);
    assert!(embedded.origin("*").is_none() && embedded.origin("https://ntfy.example/path").is_none());
    embedded.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_phone_made_goes_with_its_token_and_the_apps_own_token_stays() {
    let folder = tempfile::tempdir().unwrap();
    let embedded = Embedded::new(Home::at(folder.path()), Arc::new(SystemClock));
    let port = embedded.start(ListenConfig { port: Some(0), ..ListenConfig::default() }).await.unwrap();
    let own = embedded.token(TokenPurpose::Inbox).await.unwrap();
    let phone = embedded.create_token("phone", true).await.unwrap();
    // It signs in as Gotify's app does, under the label of the app's own tokens.
    let client = loopback_client(NETWORK_TIMEOUT).unwrap();
    let sign_in = client.post(format!("http://127.0.0.1:{port}/client")).basic_auth("phone", Some(&phone));
    let made = sign_in.json(&serde_json::json!({"name": INBOX_TOKEN_LABEL})).send().await.unwrap();
    let made: serde_json::Value = made.json().await.unwrap();
    let made = made["token"].as_str().unwrap();
    assert!(embedded.accepts_token(made).await);

    let rows = embedded.tokens().await.unwrap();
    let told: Vec<_> =
        rows.iter().map(|row| (row.label.as_str(), row.made_by.as_deref(), row.made)).collect();
    assert_eq!(told, [(INBOX_TOKEN_LABEL, Some("phone"), 0), ("phone", None, 1)]);
    assert_eq!(embedded.revoke_token(&rows[1].id).await, Ok(true));
    assert!(!embedded.accepts_token(made).await && !embedded.accepts_token(&phone).await);
    assert!(embedded.accepts_token(&own).await, "the owner is not locked out");
    let again = embedded.token(TokenPurpose::Inbox).await.unwrap();
    assert!(embedded.accepts_token(&again).await && !embedded.accepts_token(&own).await);
    embedded.stop().await;
}

/// The system's clock, ahead by so many seconds.
#[derive(Debug, Default)]
struct AheadClock(AtomicI64);

impl Clock for AheadClock {
    fn now(&self) -> Stamp {
        SystemClock.now().plus_secs(self.0.load(Ordering::Relaxed))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stamps_of_a_wrong_clock_are_mended_and_the_server_listens_where_it_did() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::new(AheadClock::default()));
    let embedded = Embedded::new(Home::at(folder.path()), Arc::<AheadClock>::clone(&clock));
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let port = embedded.start(ListenConfig { port: Some(free), ..ListenConfig::default() }).await.unwrap();
    let client = loopback_client(NETWORK_TIMEOUT).unwrap();
    let publish = || client.post(format!("http://127.0.0.1:{port}/backups")).body("Backup done").send();
    assert!(publish().await.unwrap().status().is_success());
    assert!(!embedded.stamps_are_ahead().await);
    clock.0.store(400 * 24 * 3_600, Ordering::Relaxed);
    assert!(publish().await.unwrap().status().is_success());
    clock.0.store(0, Ordering::Relaxed);
    assert!(embedded.stamps_are_ahead().await);
    let token = embedded.token(TokenPurpose::Inbox).await.unwrap();
    assert_eq!(embedded.mend_clock().await, Ok(port));
    assert!(!embedded.stamps_are_ahead().await);
    assert!(embedded.accepts_token(&token).await);
    assert!(publish().await.unwrap().status().is_success());
    embedded.stop().await;
}
