//! Live channels, many at once, and the hints that arrive on them.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::http::Request;
use crate::Result;

/// Channels that are being opened at the same time: fewer than a listener keeps waiting.
const OPENING: usize = 256;
/// How long to wait for what has to arrive.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);

enum Arrival {
    Open,
    Hint { channel: usize, at: Instant, stamp: String },
}

/// Live channels that are read until they are dropped.
pub(crate) struct Channels {
    tasks: JoinSet<Result<()>>,
    sender: mpsc::UnboundedSender<Arrival>,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
}

impl Channels {
    /// Opens a channel at `address` for each of the tokens.
    pub(crate) async fn open(
        address: SocketAddr,
        tokens: impl IntoIterator<Item = Arc<str>>,
    ) -> Result<Self> {
        let (sender, arrivals) = mpsc::unbounded_channel();
        let mut channels = Self { tasks: JoinSet::new(), sender, arrivals };
        let mut opening = 0;
        for token in tokens {
            if opening == OPENING {
                channels.opened().await?;
                opening -= 1;
            }
            let channel = channels.tasks.len();
            channels.tasks.spawn(read(address, token, channel, channels.sender.clone()));
            opening += 1;
        }
        for _ in 0..opening {
            channels.opened().await?;
        }
        Ok(channels)
    }

    /// Waits until one more channel is open; hints on those that are open already are not what is waited for.
    async fn opened(&mut self) -> Result<()> {
        while !matches!(self.next().await?, Arrival::Open) {}
        Ok(())
    }

    pub(crate) fn count(&self) -> usize {
        self.tasks.len()
    }

    async fn next(&mut self) -> Result<Arrival> {
        tokio::select! {
            biased;
            arrival = timeout(ARRIVAL_TIMEOUT, self.arrivals.recv()) => {
                Ok(arrival.map_err(|_| "a live channel has not received what it should")?.ok_or("no channels")?)
            }
            Some(ended) = self.tasks.join_next() => {
                ended??;
                Err("a live channel ended".into())
            }
        }
    }

    /// The next hint: the number of its channel, the time at which it came, and its stamp.
    pub(crate) async fn hint(&mut self) -> Result<(usize, Instant, String)> {
        loop {
            if let Arrival::Hint { channel, at, stamp } = self.next().await? {
                return Ok((channel, at, stamp));
            }
        }
    }

    /// Waits until a hint for `stamp`, or a later one, is on every channel; gives the times from `started`.
    pub(crate) async fn hinted(&mut self, stamp: &str, started: Instant) -> Result<Vec<Duration>> {
        let (mut seen, mut times) = (HashSet::new(), Vec::new());
        while times.len() < self.count() {
            let arrival = self.next().await.map_err(|error| {
                format!("{} of {} channels have the hint: {error}", times.len(), self.count())
            })?;
            if let Arrival::Hint { channel, at, stamp: hinted } = arrival
                && hinted.as_str() >= stamp
                && seen.insert(channel)
            {
                times.push(at.saturating_duration_since(started));
            }
        }
        Ok(times)
    }
}

/// Opens a live channel and reports what arrives, until it ends.
async fn read(
    address: SocketAddr,
    token: Arc<str>,
    channel: usize,
    arrivals: mpsc::UnboundedSender<Arrival>,
) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&Request::get("/events".into(), &token).to_bytes(address)).await?;
    let mut lines = BufReader::with_capacity(512, stream).lines();
    let status = lines.next_line().await?.unwrap_or_default();
    if !status.contains(" 200 ") {
        return Err(format!("a live channel was refused: {status}").into());
    }
    while let Some(line) = lines.next_line().await? {
        if let Some(stamp) = line.strip_prefix(r#"data: {"stamp":""#).and_then(|rest| rest.split('"').next())
        {
            let (at, stamp) = (Instant::now(), stamp.to_owned());
            arrivals.send(Arrival::Hint { channel, at, stamp })?;
        } else if line.starts_with(": open") {
            arrivals.send(Arrival::Open)?;
        }
    }
    Err("the server ended a live channel".into())
}
