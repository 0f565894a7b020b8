//! Hints between processes over Redis, in place of NOTIFY: by sharded pub/sub, which Redis has since version 7, else by
//! the plain one. A hint says only that something changed, and the connection opens itself again after a growing pause;
//! meanwhile the look once a second serves.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ProtocolVersion, PushInfo, PushKind, RedisError, Value};
use tidings_store::traces;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use super::RedisAddress;
use super::connection::{Failure, Pauses, is_unknown_command, open};
use crate::signals::{MERGE_TIME, Signals};

/// How long Redis may take for an answer until the connection counts as lost.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// How often a quiet connection is tried.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// One end of the bus.
pub(crate) struct Bus {
    address: RedisAddress,
    channel: String,
    /// Random: by it a process knows its own hints.
    name: String,
    signals: Arc<Signals>,
}

impl Bus {
    pub(crate) fn new(address: RedisAddress, instance: &str, name: String, signals: Arc<Signals>) -> Self {
        Self { address, channel: format!("tidings:{instance}:changes"), name, signals }
    }

    /// Listens and hints; after the connection was lost, over a new one.
    pub(crate) async fn run(self) {
        let (mut pauses, mut is_lost) = (Pauses::new(), false);
        loop {
            let Err(why) = self.until_lost(&mut pauses, &mut is_lost).await;
            if !is_lost {
                tracing::warn!(
                    bus = %self.address, %why,
                    "the bus is lost: changes of other processes are looked for once a second until it is back"
                );
            }
            is_lost = true;
            self.signals.others.notify_one();
            sleep(pauses.next()).await;
        }
    }

    async fn until_lost(&self, pauses: &mut Pauses, was_lost: &mut bool) -> Result<Infallible, Failure> {
        let config = AsyncConnectionConfig::new().set_push_sender(self.listener());
        let (mut connection, mut driver) = open(&self.address, ProtocolVersion::RESP3, config).await?;
        tokio::select! {
            lost = self.exchange(&mut connection, pauses, was_lost) => lost,
            () = &mut driver => Err(Failure::new("the connection was lost")),
        }
    }

    async fn exchange(
        &self,
        connection: &mut MultiplexedConnection,
        pauses: &mut Pauses,
        was_lost: &mut bool,
    ) -> Result<Infallible, Failure> {
        let publish = self.subscribe(connection).await?;
        if std::mem::take(was_lost) {
            tracing::info!(bus = %self.address, "the bus is back");
        }
        pauses.reset();
        // What was hinted before is not known.
        self.signals.others.notify_one();
        let mut ping = interval_at(Instant::now() + PING_INTERVAL, PING_INTERVAL);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.signals.own.notified() => {
                    sleep(MERGE_TIME).await;
                    let hint = redis::cmd(publish).arg(&self.channel).arg(&self.name).to_owned();
                    traces::of_hint("redis", ask(&hint, connection)).await??;
                }
                _ = ping.tick() => ask(&redis::cmd("PING"), connection).await??,
            }
        }
    }

    /// Subscribes to the channel; gives the command that publishes there.
    async fn subscribe(&self, connection: &mut MultiplexedConnection) -> Result<&'static str, Failure> {
        let subscribe = |command: &str| redis::cmd(command).arg(&self.channel).to_owned();
        match ask(&subscribe("SSUBSCRIBE"), connection).await? {
            Ok(()) => Ok("SPUBLISH"),
            Err(e) if is_unknown_command(&e) => {
                ask(&subscribe("SUBSCRIBE"), connection).await??;
                Ok("PUBLISH")
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Passes on what others hint.
    fn listener(&self) -> impl Fn(PushInfo) -> Result<(), Infallible> + Send + Sync + use<> {
        let (signals, own) = (Arc::clone(&self.signals), self.name.clone());
        move |push: PushInfo| {
            let is_hint = matches!(push.kind, PushKind::Message | PushKind::SMessage);
            let is_own = matches!(push.data.last(), Some(Value::BulkString(name)) if *name == own.as_bytes());
            if is_hint && !is_own {
                signals.others.notify_one();
            }
            Ok(())
        }
    }
}

/// Sends a command whose answer says nothing.
async fn ask(
    command: &redis::Cmd,
    connection: &mut MultiplexedConnection,
) -> Result<Result<(), RedisError>, Failure> {
    timeout(ANSWER_TIME, command.exec_async(connection)).await.map_err(|_| Failure::late())
}
