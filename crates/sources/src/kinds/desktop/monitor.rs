//! Reads along on the session bus what programs send to the notification daemon, and to GNOME's own interface. A
//! connection of its own becomes a monitor, which the bus gives a copy of these calls and of the daemon's answers; it
//! can send nothing any more.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tidings_model::{Clock, MsgId, Stamp};
use tidings_net::{Error, Result};
use tokio::sync::watch;
use zbus::connection::Builder;
use zbus::message::{Body, Message, Type};
use zbus::{Connection, MatchRule, MessageStream, fdo};

use super::notification::{self, DesktopNotification};
use super::queue::Queue;

/// The bus name of the notification daemon, which is also its interface.
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
/// The method that shows a notification.
const NOTIFY: &str = "Notify";
/// The interface of GNOME's desktop for notifications, and its method that shows one. Its answer says nothing.
const ADDED: (&str, &str) = ("org.gtk.Notifications", "AddNotification");
/// The longest wait for the bus.
const BUS_TIMEOUT: Duration = Duration::from_secs(5);
/// The most calls that wait for the daemon's answer; the oldest ones are given up.
const MAX_UNANSWERED: usize = 64;

/// What the task that reads along shares with the source.
pub(super) struct Shared {
    pub(super) queue: Mutex<Queue>,
    pub(super) state: watch::Sender<MonitorState>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Shared {
    /// Notes that an application has sent something. It gives whether that is kept.
    fn keeps(&self, told: &DesktopNotification) -> bool {
        let mut queue = self.queue.lock();
        if queue.see(&told.application) {
            self.hint();
        }
        told.lasts && queue.keeps(&told.application)
    }

    fn put(&self, msgid: MsgId, at: Stamp, told: DesktopNotification) {
        if self.queue.lock().put(msgid, at, told) {
            self.hint();
        }
    }

    fn hint(&self) {
        self.state.send_modify(|state| state.arrivals += 1);
    }
}

/// The state of the task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MonitorState {
    /// Increases with everything that is worth a pull.
    pub(super) arrivals: u64,
    /// Whether the connection to the bus has ended.
    pub(super) ended: bool,
}

/// A connection that the bus has made a monitor.
pub(super) struct Monitor {
    bus: Connection,
    messages: MessageStream,
}

/// Makes a monitor of a new connection to the session bus, or to the bus at an address.
///
/// # Errors
/// [`Error::NoSessionBus`] without a bus, [`Error::MonitorRefused`] if it lets no program read along.
pub(super) async fn start(address: Option<&str>) -> Result<Monitor> {
    tokio::time::timeout(BUS_TIMEOUT, connect(address)).await.unwrap_or(Err(Error::NoSessionBus))
}

async fn connect(address: Option<&str>) -> Result<Monitor> {
    let builder = address.map_or_else(Builder::session, Builder::address);
    let bus = async { builder?.build().await };
    let bus = bus.await.map_err(|error| {
        tracing::debug!(%error, "no session bus");
        Error::NoSessionBus
    })?;
    // The stream begins before the bus sends anything.
    let messages = MessageStream::from(&bus);
    let become_monitor = async {
        let monitoring = fdo::MonitoringProxy::new(&bus).await?;
        Ok::<_, zbus::Error>(monitoring.become_monitor(&rules()?, 0).await?)
    };
    become_monitor.await.map_err(|error| {
        tracing::debug!(%error, "the session bus has no monitors");
        match error {
            zbus::Error::InputOutput(_) => Error::NoSessionBus,
            _ => Error::MonitorRefused,
        }
    })?;
    Ok(Monitor { bus, messages })
}

/// The messages that the monitor receives.
fn rules() -> zbus::Result<[MatchRule<'static>; 3]> {
    let calls = MatchRule::builder().msg_type(Type::MethodCall).interface(NOTIFICATIONS)?.member(NOTIFY)?;
    let answers = MatchRule::builder().msg_type(Type::MethodReturn).sender(NOTIFICATIONS)?;
    let added = MatchRule::builder().msg_type(Type::MethodCall).interface(ADDED.0)?.member(ADDED.1)?;
    Ok([calls.build(), answers.build(), added.build()])
}

impl Monitor {
    /// Puts what arrives into the queue until the bus ends the connection.
    pub(super) async fn run(self, shared: Arc<Shared>) {
        let Self { bus, mut messages } = self;
        let _ended = EndsWithIt(&shared);
        let guid = bus.server_guid().to_string();
        let mut calls = Calls { guid, unanswered: VecDeque::new() };
        while let Some(Ok(message)) = messages.next().await {
            match message.message_type() {
                Type::MethodCall => calls.called(&message, &shared),
                Type::MethodReturn => calls.answered(&message, &shared),
                _ => {}
            }
        }
    }
}

/// Says that the task has ended, even if it panicked.
struct EndsWithIt<'s>(&'s Shared);

impl Drop for EndsWithIt<'_> {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.ended = true);
    }
}

/// The calls that the daemon has not answered yet. Its answer has the id of the notification.
struct Calls {
    /// Identifies the bus, and with it the session.
    guid: String,
    unanswered: VecDeque<Call>,
}

struct Call {
    caller: String,
    serial: u32,
    at: Stamp,
    told: DesktopNotification,
}

impl Calls {
    fn called(&mut self, message: &Message, shared: &Shared) {
        let header = message.header();
        if header.member().is_some_and(|member| member.as_str() == ADDED.1) {
            return self.added(message, shared);
        }
        let Some(caller) = header.sender() else { return };
        let Some(told) = notification::read(&message.body()).filter(|told| shared.keeps(told)) else {
            return;
        };
        if self.unanswered.len() >= MAX_UNANSWERED {
            self.unanswered.pop_front();
        }
        let (caller, serial) = (caller.to_string(), header.primary().serial_num().get());
        self.unanswered.push_back(Call { caller, serial, at: shared.clock.now(), told });
    }

    fn added(&self, message: &Message, shared: &Shared) {
        let Some((told, id)) = notification::read_added(&message.body()) else { return };
        if shared.keeps(&told) {
            let msgid = self.msgid(&told.application, &id);
            shared.put(msgid, shared.clock.now(), told);
        }
    }

    fn answered(&mut self, message: &Message, shared: &Shared) {
        let header = message.header();
        let (Some(caller), Some(serial)) = (header.destination(), header.reply_serial()) else { return };
        let is_answered = |call: &Call| call.serial == serial.get() && call.caller == caller.as_str();
        let Some(call) = self.unanswered.iter().position(is_answered) else { return };
        let (Some(Call { at, told, .. }), Some(daemon), Some(id)) =
            (self.unanswered.remove(call), header.sender(), id(&message.body()))
        else {
            return;
        };
        let msgid = self.msgid(daemon.as_str(), &id.to_string());
        shared.put(msgid, at, told);
    }

    /// The msgid of a notification with an id of a daemon, or of an application. The same for as long as the session or
    /// the daemon runs, also after a restart of this program.
    fn msgid(&self, whose: &str, id: &str) -> MsgId {
        let digest = Sha256::digest(format!("{}\n{whose}\n{id}", self.guid));
        let hex = data_encoding::HEXLOWER.encode(&digest);
        hex.get(..40).unwrap_or_default().into()
    }
}

/// The id of a notification in the daemon's answer.
fn id(body: &Body) -> Option<u32> {
    body.deserialize().ok()
}
