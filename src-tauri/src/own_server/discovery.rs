//! Announces the own server in the local network by mDNS, so that other devices find it without its address. Everybody
//! in the network learns the computer's name and the port, so it is announced only while other devices may connect. A
//! failure is a sentence for the settings; the server goes on.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mdns_sd::{DaemonEvent, IfKind, MDNS_PORT, Receiver, ServiceDaemon, ServiceInfo};
use parking_lot::Mutex;
use tidings_net::supervise;

use super::addresses;

/// The type of the announced service.
pub(super) const SERVICE_TYPE: &str = "_tidings._tcp.local.";
/// The name of the announced service; a number follows if the network has another one.
const SERVICE_NAME: &str = "Tidings";
/// The longest wait for the first announcement, which asks three times whether its names are taken.
const ANNOUNCE_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest wait until other devices hear that the server is gone.
const WITHDRAW_TIMEOUT: Duration = Duration::from_secs(1);
/// The trouble of a computer without a network, or with one that takes no multicast messages.
const NOT_ANNOUNCED: &str = "no network took the announcement";

/// Where a service is announced.
#[derive(Debug, Clone)]
pub(super) struct Network {
    /// The UDP port of mDNS.
    port: u16,
    /// The interfaces that are left out.
    without: Vec<IfKind>,
    /// The interfaces that are used although they were left out.
    with: Vec<IfKind>,
}

impl Network {
    /// All interfaces but the loopback.
    pub(super) fn everywhere() -> Self {
        Self { port: MDNS_PORT, without: vec![IfKind::LoopbackV4, IfKind::LoopbackV6], with: Vec::new() }
    }

    /// A daemon that speaks there.
    pub(super) fn daemon(&self) -> mdns_sd::Result<ServiceDaemon> {
        let daemon = ServiceDaemon::new_with_port(self.port)?;
        daemon.disable_interface(self.without.clone())?;
        daemon.enable_interface(self.with.clone())?;
        Ok(daemon)
    }
}

/// An announcement that was begun. Dropping it does not withdraw it; [`Discovery::withdraw`] does.
pub(super) struct Discovery {
    /// `None` if it could not be begun.
    daemon: Option<ServiceDaemon>,
    trouble: Arc<Mutex<Option<String>>>,
}

impl Discovery {
    /// Begins to announce the server on this TCP port. Needs a tokio runtime.
    pub(super) fn announce(network: &Network, port: u16) -> Self {
        let trouble = Arc::<Mutex<Option<String>>>::default();
        let daemon = match begin(network, port) {
            Ok((daemon, events)) => {
                supervise::once("the announcement in the network", watch(events, Arc::clone(&trouble)));
                Some(daemon)
            }
            Err(error) => {
                tracing::warn!(%error, "the own server is not announced in the network");
                *trouble.lock() = Some(error.to_string());
                None
            }
        };
        Self { daemon, trouble }
    }

    /// The reason why other devices do not find the server; `None` if they do, and at the beginning.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    /// Announces to the network that the server is gone.
    pub(super) async fn withdraw(self) {
        let Some(daemon) = self.daemon else { return };
        match daemon.shutdown() {
            Ok(ended) => {
                let _ = tokio::time::timeout(WITHDRAW_TIMEOUT, ended.recv_async()).await;
            }
            Err(error) => tracing::warn!(%error, "the announcement in the network was not withdrawn"),
        }
    }
}

fn begin(network: &Network, port: u16) -> mdns_sd::Result<(ServiceDaemon, Receiver<DaemonEvent>)> {
    let daemon = network.daemon()?;
    let events = daemon.monitor()?;
    let host = format!("{}.", addresses::announced_name());
    let service =
        ServiceInfo::new(SERVICE_TYPE, SERVICE_NAME, &host, (), port, None::<HashMap<String, String>>)?;
    daemon.register(service.enable_addr_auto())?;
    Ok((daemon, events))
}

/// Keeps the trouble up to date until the daemon ends.
async fn watch(events: Receiver<DaemonEvent>, trouble: Arc<Mutex<Option<String>>>) {
    let deadline = tokio::time::sleep(ANNOUNCE_TIMEOUT);
    tokio::pin!(deadline);
    let (mut announced, mut waiting) = (false, true);
    loop {
        let why = tokio::select! {
            event = events.recv_async() => match event {
                Ok(DaemonEvent::Announce(..)) => {
                    announced = true;
                    *trouble.lock() = None;
                    continue;
                }
                Ok(DaemonEvent::Error(error)) => error.to_string(),
                Ok(_) => continue,
                Err(_) => return,
            },
            () = &mut deadline, if waiting => {
                waiting = false;
                if announced {
                    continue;
                }
                NOT_ANNOUNCED.to_owned()
            }
        };
        tracing::warn!(error = %why, "the own server may not be found in the network");
        if !announced {
            *trouble.lock() = Some(why);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::net::UdpSocket;

    use super::*;

    /// The loopback alone, on a free port, so that a test is heard by nobody else.
    pub(in crate::own_server) fn loopback() -> Network {
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Network { port, without: vec![IfKind::All], with: vec![IfKind::LoopbackV4] }
    }

    #[tokio::test(start_paused = true)]
    async fn a_computer_without_a_network_says_that_it_is_not_announced() {
        let nowhere = Network { without: vec![IfKind::All], with: Vec::new(), ..loopback() };
        let discovery = Discovery::announce(&nowhere, 7878);
        assert_eq!(discovery.trouble(), None, "it may still be announced");
        tokio::time::sleep(ANNOUNCE_TIMEOUT + Duration::from_secs(1)).await;
        assert_eq!(discovery.trouble().as_deref(), Some(NOT_ANNOUNCED));
        discovery.withdraw().await;
    }
}
