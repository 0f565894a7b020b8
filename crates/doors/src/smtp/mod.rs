//! Takes mail over SMTP: a message to the address of a topic is published on it. Nothing is passed on to other servers, and
//! a message is published before it is accepted.
//!
//! A message becomes a request to ntfy's door, and is accepted after its publication is durable on each of its
//! topics. Its `Message-ID` and text are the key under which a second delivery is the first one.

mod address;
mod command;
mod credentials;
mod mime;
mod reading;
mod session;
mod slots;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tidings_server_core::peer_user::{PeerConnection, SocketTable};
use tidings_server_core::state::AppState;
use tokio::net::TcpStream;

pub use self::mime::PARSER;
use self::session::Session;
use self::slots::{Sender, Slots};
use self::wire::Wire;
use crate::ntfy::mail::MailOrigin;

/// How long a connection without a slot waits before another one makes way for it. One that its sender ended just before
/// may not be known to have ended.
const END_TOLD: Duration = Duration::from_millis(20);

/// What all connections that bring mail share.
pub struct MailDoor {
    app: AppState,
    slots: Slots,
    /// Looks up the users who run the programs at the other ends. It knows one port, so that this has one of its own.
    sockets: Arc<SocketTable>,
}

impl MailDoor {
    /// A door without connections.
    pub fn new(app: AppState) -> Self {
        Self { app, slots: Slots::default(), sockets: Arc::default() }
    }

    /// Takes mail from a connection until it ends, is silent for too long, or the server stops.
    pub fn connection(&self, stream: TcpStream, peer: SocketAddr) -> impl Future<Output = ()> + use<> {
        let (slots, local) = (self.slots.clone(), stream.local_addr().ok());
        let origin = local.map(|local| {
            let connection = PeerConnection::new(peer, local, &self.sockets);
            MailOrigin { peer, local, connection }
        });
        let app = self.app.clone();
        async move {
            let mut wire = Wire::new(stream, app.server.config.send_timeout, app.stop.clone());
            let slot = match &origin {
                Some(origin) => {
                    let sender = sender(peer, &origin.connection).await;
                    if slots.are_full(&sender) {
                        tokio::time::sleep(END_TOLD).await;
                    }
                    slots.take(sender)
                }
                None => None,
            };
            let (Some(slot), Some(origin)) = (slot, origin) else {
                return drop(wire.reply(421, "too many connections; try again later").await);
            };
            if let Err(error) = Session::new(&app, origin, wire, slot).run().await {
                tracing::debug!(%peer, %error, "a connection for mail ended early");
            }
        }
    }
}

/// Whose connections count together with this one.
async fn sender(peer: SocketAddr, connection: &PeerConnection) -> Sender {
    let ip = peer.ip().to_canonical();
    let user = if ip.is_loopback() { Some(connection.user().await) } else { None };
    Sender::of(ip, user)
}
