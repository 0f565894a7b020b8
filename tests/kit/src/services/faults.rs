//! The faults of services: a queue that a test fills, and the answers that each fault gives.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::scripted::{Exchange, response};

/// More bytes than any client takes in one answer.
const HUGE_BYTES: usize = 48 << 20;
/// The number of pieces of a slow answer, and the pause between two of them.
const SLOW: (usize, Duration) = (25, Duration::from_millis(4));

/// What goes wrong with one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status, with these headers, each of which ends with `\r\n`.
    Status(u16, String),
    /// A success whose body fits no protocol.
    Garbage,
    /// The page of a network that asks for a sign-in, as a success.
    CaptivePortal,
    /// The connection ends in the middle of the body.
    DropMidBody,
    /// The full answer, a few bytes at a time.
    SlowBytes,
    /// A success whose body has no end.
    HugeBody,
    /// A redirect to this address.
    Redirect(String),
    /// The connection ends without an answer.
    Reset,
    /// The full answer with more headers, each of which ends with `\r\n`.
    With(String),
}

/// The faults of the next requests. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    queue: Arc<Mutex<VecDeque<Option<Fault>>>>,
    /// The faults of requests that write.
    writes: Arc<Mutex<VecDeque<Fault>>>,
    is_down: Arc<AtomicBool>,
}

impl Faults {
    /// Plans a fault for the request after those that are planned already and `passing` more, which are answered well.
    pub fn plan(&self, passing: usize, fault: Fault) {
        let mut queue = self.queue.lock().unwrap();
        queue.extend(std::iter::repeat_n(None, passing));
        queue.push_back(Some(fault));
    }

    /// Plans a fault for the next request that writes (`POST`), whatever a listener asks before it.
    pub fn plan_write(&self, fault: Fault) {
        self.writes.lock().unwrap().push_back(fault);
    }

    /// Ends every connection without an answer from now on, or no longer. Streams that are open stay open.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    /// The fault of the next request; `None` if nothing is to go wrong with it.
    pub fn next(&self) -> Option<Fault> {
        if self.is_down.load(Ordering::SeqCst) {
            return Some(Fault::Reset);
        }
        self.queue.lock().unwrap().pop_front().flatten()
    }

    /// The fault of a request, which may be one that was planned for writes.
    pub fn next_of(&self, request: &str) -> Option<Fault> {
        let of_write =
            if request.starts_with("POST ") { self.writes.lock().unwrap().pop_front() } else { None };
        of_write.or_else(|| self.next())
    }

    /// Whether no fault is planned any more.
    pub fn is_empty(&self) -> bool {
        self.queue.lock().unwrap().is_empty()
    }

    /// Forgets the planned faults that have not happened.
    pub fn clear(&self) {
        self.queue.lock().unwrap().clear();
    }
}

impl Fault {
    /// Sends the faulty answer in place of the full one.
    pub async fn answer(self, exchange: &mut Exchange, full: Vec<u8>) {
        let json = "content-type: application/json\r\n";
        let sent = match self {
            Self::Status(status, headers) => {
                exchange.send(&response(&format!("{status} Fault"), &headers, "{}")).await
            }
            Self::Garbage => exchange.send(&response("200 OK", json, "\u{0}{\"items\": [tru")).await,
            Self::CaptivePortal => {
                let page =
                    "<!doctype html><title>Sign in to the network</title><form><input name=room></form>";
                exchange.send(&response("200 OK", "content-type: text/html; charset=utf-8\r\n", page)).await
            }
            Self::DropMidBody => exchange.send(half(&full)).await,
            Self::SlowBytes => slowly(exchange, &full).await,
            Self::HugeBody => huge(exchange).await,
            Self::Redirect(to) => {
                exchange.send(&response("302 Found", &format!("location: {to}\r\n"), "")).await
            }
            Self::Reset => Ok(()),
            Self::With(headers) => exchange.send(&with_headers(&full, &headers)).await,
        };
        // The client may give up first.
        drop(sent);
    }
}

/// An answer up to the middle of its body; of one without a body half of its head.
fn half(full: &[u8]) -> &[u8] {
    let head = full.windows(4).position(|end| end == b"\r\n\r\n").map_or(0, |at| at + 4);
    let cut = if head < full.len() { head.midpoint(full.len()) } else { full.len() / 2 };
    &full[..cut]
}

/// An answer with more headers, which follow its status line.
fn with_headers(full: &[u8], headers: &str) -> Vec<u8> {
    let head = full.windows(2).position(|end| end == b"\r\n").map_or(full.len(), |at| at + 2);
    [&full[..head], headers.as_bytes(), &full[head..]].concat()
}

async fn slowly(exchange: &mut Exchange, full: &[u8]) -> std::io::Result<()> {
    let (pieces, pause) = SLOW;
    for piece in full.chunks(full.len().div_ceil(pieces).max(1)) {
        exchange.send(piece).await?;
        tokio::time::sleep(pause).await;
    }
    Ok(())
}

async fn huge(exchange: &mut Exchange) -> std::io::Result<()> {
    exchange.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n[").await?;
    let piece = vec![b' '; 256 << 10];
    for _ in 0..HUGE_BYTES / piece.len() {
        exchange.send(&piece).await?;
    }
    Ok(())
}
