//! The lines and messages of a connection, within bounds of size and time.

use std::io;
use std::time::Duration;

use smtp_proto::request::receiver::{DataReceiver, DummyDataReceiver};
use tidings_server_core::domain::limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Bytes of a command or of a line of credentials, at most.
const LINE_BYTES: usize = 2_048;
/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;
/// Bytes of a message that is too large that are read to its end, so that the sender learns of it.
const DROPPED_BYTES: usize = 4 * limits::MAIL_BYTES;
/// Characters of the text of a reply.
const REPLY_CHARS: usize = 400;

/// The end of a connection, as far as it is known why.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError {
    /// The other end was silent, or took nothing, for too long.
    #[error("nothing came in time")]
    Silent,
    /// A line is too long.
    #[error("a line is too long")]
    LongLine,
    /// A message that is too large has no end.
    #[error("the message is far too large")]
    EndlessMessage,
    /// The server stops.
    #[error("the server stops")]
    Stopping,
    /// The connection ended.
    #[error("the connection ended: {0}")]
    Io(#[from] io::Error),
}

/// A receiver of a message. It takes a dot alone on the first line, too, for the end.
pub(super) fn message_receiver() -> DataReceiver {
    let mut receiver = DataReceiver::new();
    receiver.ingest(&mut b"\r\n".iter(), &mut Vec::new());
    receiver
}

/// The outcome of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// Its first bytes; more of it will come.
    More,
    /// It is whole.
    Whole,
    /// It is whole and too large; it was dropped.
    TooLarge,
}

/// A connection.
pub(super) struct Wire {
    stream: TcpStream,
    /// What was received and not read yet.
    input: Vec<u8>,
    send_timeout: Duration,
    /// Ends the wait for what comes.
    stop: CancellationToken,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, send_timeout: Duration, stop: CancellationToken) -> Self {
        Self { stream, input: Vec::new(), send_timeout, stop }
    }

    /// Sends a reply of one line.
    pub(super) async fn reply(&mut self, code: u16, text: &str) -> Result<(), WireError> {
        let line: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(REPLY_CHARS).collect();
        self.send(&format!("{code} {line}\r\n")).await
    }

    /// Sends text as it is.
    pub(super) async fn send(&mut self, text: &str) -> Result<(), WireError> {
        let sent = timeout(self.send_timeout, self.stream.write_all(text.as_bytes())).await;
        Ok(sent.map_err(|_| WireError::Silent)??)
    }

    /// Receives more; an error at the end of the connection, or when the server stops.
    async fn receive(&mut self, patience: Duration) -> Result<(), WireError> {
        self.input.reserve(READ_BYTES);
        let received = tokio::select! {
            received = timeout(patience, self.stream.read_buf(&mut self.input)) => received,
            () = self.stop.cancelled() => return Err(WireError::Stopping),
        };
        match received {
            Ok(Ok(0)) => Err(WireError::Io(io::ErrorKind::UnexpectedEof.into())),
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(WireError::Silent),
        }
    }

    /// The next line, with its end. If the future is dropped before, nothing that was received is lost.
    pub(super) async fn line(&mut self, patience: Duration) -> Result<Vec<u8>, WireError> {
        loop {
            match self.input.iter().position(|byte| *byte == b'\n') {
                Some(end) if end < LINE_BYTES => return Ok(self.input.drain(..=end).collect()),
                None if self.input.len() < LINE_BYTES => self.receive(patience).await?,
                _ => return Err(WireError::LongLine),
            }
        }
    }

    /// Reads a part of a message, without the dots that SMTP adds, to the end of `message`. It ends a part at `max_bytes`,
    /// and drops what is beyond [`limits::MAIL_BYTES`].
    pub(super) async fn message(
        &mut self,
        receiver: &mut DataReceiver,
        message: &mut Vec<u8>,
        max_bytes: usize,
        patience: Duration,
    ) -> Result<Received, WireError> {
        loop {
            if self.input.is_empty() {
                self.receive(patience).await?;
            }
            let mut bytes = self.input.iter();
            let is_whole = receiver.ingest(&mut bytes, message);
            let rest = bytes.as_slice().len();
            self.input.drain(..self.input.len() - rest);
            if is_whole && message.len() <= limits::MAIL_BYTES {
                return Ok(Received::Whole);
            }
            if is_whole {
                return Ok(Received::TooLarge);
            }
            if message.len() > limits::MAIL_BYTES {
                *message = Vec::new();
                return self.drop_rest(DummyDataReceiver::new_data(receiver), patience).await;
            }
            if message.len() > max_bytes {
                return Ok(Received::More);
            }
        }
    }

    async fn drop_rest(
        &mut self,
        mut receiver: DummyDataReceiver,
        patience: Duration,
    ) -> Result<Received, WireError> {
        let mut dropped = 0;
        while dropped <= DROPPED_BYTES {
            if self.input.is_empty() {
                self.receive(patience).await?;
            }
            let mut bytes = self.input.iter();
            let is_whole = receiver.ingest(&mut bytes);
            let rest = bytes.as_slice().len();
            dropped += self.input.drain(..self.input.len() - rest).count();
            if is_whole {
                return Ok(Received::TooLarge);
            }
        }
        Err(WireError::EndlessMessage)
    }
}
