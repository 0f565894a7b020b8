//! Reads the outline of a page whose single item is too large: the cursor after it and the item's msgid, in bounded
//! memory regardless of the item's size.

use std::fmt;
use std::io::{self, Read};
use std::marker::PhantomData;

use bytes::{Buf, Bytes};
use reqwest::Response;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use tidings_model::{Stamp, wire};
use tidings_net::http::Body;
use tidings_net::{Error, Result};
use tokio::sync::mpsc;

use super::json::malformed;

/// The longest answer that is read, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// The most view marks in a page, and the most ids of groups.
const MAX_MARKS: usize = 10_000;
/// The longest msgid, in characters, by the protocol.
const MAX_MSGID_CHARS: usize = 64;

/// The outline of a page: its fields without the content of items.
#[derive(Debug, Deserialize)]
pub(crate) struct Outline {
    pub(crate) items: Items,
    #[serde(deserialize_with = "bounded")]
    pub(crate) marks: Vec<wire::ViewMark>,
    #[serde(default, deserialize_with = "bounded")]
    pub(crate) peer_marks: Vec<wire::ViewMark>,
    #[serde(default, deserialize_with = "bounded")]
    pub(crate) closed: Vec<wire::ClosedConversation>,
    #[serde(default, deserialize_with = "bounded")]
    pub(crate) groups: Vec<String>,
    pub(crate) next: Stamp,
    pub(crate) more: bool,
    pub(crate) epoch: String,
}

/// The number of items, and the msgid of the last one.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) count: usize,
    pub(crate) msgid: String,
}

#[derive(Deserialize)]
struct ItemMsgId {
    #[serde(deserialize_with = "name")]
    msgid: String,
}

/// Reads the first characters of a msgid, regardless of its length.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct MsgIdVisitor;
    impl Visitor<'_> for MsgIdVisitor {
        type Value = String;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name")
        }
        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
            Ok(name.chars().take(MAX_MSGID_CHARS).collect())
        }
    }
    deserializer.deserialize_str(MsgIdVisitor)
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("items")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Items, A::Error> {
                let mut all = Items::default();
                while let Some(ItemMsgId { msgid }) = items.next_element()? {
                    (all.count, all.msgid) = (all.count + 1, msgid);
                }
                Ok(all)
            }
        }
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

fn bounded<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct BoundedVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedVisitor<T> {
        type Value = Vec<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MAX_MARKS} marks or names")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(element) = elements.next_element()? {
                if all.len() == MAX_MARKS {
                    return Err(serde::de::Error::invalid_length(MAX_MARKS, &self));
                }
                all.push(element);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_seq(BoundedVisitor(PhantomData))
}

/// A body as a blocking reader for the parser.
struct BodyReader {
    from: mpsc::Receiver<Bytes>,
    chunk: Bytes,
}

impl Read for BodyReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.from.blocking_recv() {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(0),
            }
        }
        let n = self.chunk.len().min(to.len());
        self.chunk.copy_to_slice(to.get_mut(..n).unwrap_or_default());
        Ok(n)
    }
}

/// Reads the outline of an answer, of which at most `chunks_ahead` chunks wait for the parser.
///
/// # Errors
/// [`Error::AnswerTooLarge`] beyond 64 MiB, [`Error::Malformed`] for an answer that is not a page, else the error of
/// reading the body.
pub(crate) async fn read(answer: Response, chunks_ahead: usize) -> Result<Outline> {
    let (sender, from) = mpsc::channel(chunks_ahead);
    let reading = tokio::task::spawn_blocking(move || {
        let body = io::BufReader::new(BodyReader { from, chunk: Bytes::new() });
        serde_json::from_reader(body).map_err(|error| malformed(&error))
    });
    let sent = send_chunks(answer, sender).await;
    let read = reading.await.map_err(|error| Error::from_task(&error))?;
    sent.and(read)
}

async fn send_chunks(answer: Response, to: mpsc::Sender<Bytes>) -> Result<()> {
    let (mut body, mut bytes) = (Body::of(answer), 0_usize);
    while let Some(chunk) = body.chunk().await? {
        bytes += chunk.len();
        if bytes > MAX_BYTES {
            return Err(Error::AnswerTooLarge);
        }
        if to.send(chunk).await.is_err() {
            // The parser ended with an error of its own.
            return Ok(());
        }
    }
    Ok(())
}
