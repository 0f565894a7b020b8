//! A plain HTTP/1.1 connection with one request at a time. This client takes as little as possible of the processor
//! that it shares with the servers it measures.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Result;

/// A request for a path under `/api/v1`. No body is sent if it is empty.
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) token: Arc<str>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn get(path: String, token: &Arc<str>) -> Self {
        Self { method: "GET", path, token: Arc::clone(token), body: String::new() }
    }

    pub(crate) fn post(path: &str, token: &Arc<str>, body: String) -> Self {
        Self { method: "POST", path: path.to_owned(), token: Arc::clone(token), body }
    }

    fn head(&self, address: SocketAddr) -> String {
        let Self { method, path, token, body } = self;
        let content = match body.len() {
            0 => String::new(),
            bytes => format!("Content-Type: application/json\r\nContent-Length: {bytes}\r\n"),
        };
        format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{content}\r\n"
        )
    }

    /// The request as it is sent to `address`.
    pub(crate) fn to_bytes(&self, address: SocketAddr) -> Vec<u8> {
        let mut bytes = self.head(address).into_bytes();
        bytes.extend_from_slice(self.body.as_bytes());
        bytes
    }
}

/// A connection that is kept open between requests.
pub(crate) struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    received: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, address, received: Vec::with_capacity(16 * 1024) })
    }

    /// Sends a request; gives the body of its answer. A status other than success is an error.
    pub(crate) async fn send(&mut self, request: &Request) -> Result<Vec<u8>> {
        self.stream.write_all(&request.to_bytes(self.address)).await?;
        let head_bytes = loop {
            if let Some(at) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.read().await?;
        };
        let head = String::from_utf8_lossy(self.received.get(..head_bytes).unwrap_or_default()).into_owned();
        let body_bytes =
            content_length(&head).ok_or_else(|| format!("an answer of unknown length: {head}"))?;
        while self.received.len() < head_bytes + body_bytes {
            self.read().await?;
        }
        let mut answer: Vec<u8> = self.received.drain(..head_bytes + body_bytes).collect();
        let body = answer.split_off(head_bytes);
        if !is_success(&head) {
            let status = head.lines().next().unwrap_or_default();
            return Err(format!("{}: {status}: {}", request.path, String::from_utf8_lossy(&body)).into());
        }
        Ok(body)
    }

    async fn read(&mut self) -> Result<()> {
        match self.stream.read_buf(&mut self.received).await? {
            0 => Err("the server closed the connection".into()),
            _ => Ok(()),
        }
    }
}

fn is_success(head: &str) -> bool {
    head.split(' ').nth(1).is_some_and(|status| status.starts_with('2'))
}

/// The bytes of the body that the head of an answer announces; none for an answer that has no body.
fn content_length(head: &str) -> Option<usize> {
    if head.split(' ').nth(1) == Some("204") {
        return Some(0);
    }
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("content-length:"))?;
    line.split_once(':')?.1.trim().parse().ok()
}
