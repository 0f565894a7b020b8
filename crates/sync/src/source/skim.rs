//! Reads a page whose single item is too large to be kept: where the page ends and what the item is called, in bounded
//! memory, however long the item is.

use std::fmt;
use std::io::{self, Read};

use bytes::{Buf, Bytes};
use reqwest::Response;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use tidings_model::{Stamp, wire};
use tokio::sync::mpsc;

use super::json::misfit;
use crate::{Error, Result, http::Body};

/// An answer longer than this is given up, in bytes.
const LONGEST: usize = 64 << 20;
/// Marks of views in the page.
const MOST_MARKS: usize = 10_000;
/// Characters of a name that are kept; the protocol allows no more.
const NAME: usize = 64;
/// Pieces that wait to be read.
const AHEAD: usize = 4;

/// What is read of the page.
#[derive(Debug, Deserialize)]
pub(super) struct Skim {
    pub(super) items: Items,
    #[serde(deserialize_with = "marks")]
    pub(super) marks: Vec<wire::ViewMark>,
    pub(super) next: Stamp,
    pub(super) more: bool,
    pub(super) epoch: String,
}

/// The items of the page: how many, and the last one's name.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) count: usize,
    pub(super) msgid: String,
}

#[derive(Deserialize)]
struct Named {
    #[serde(deserialize_with = "name")]
    msgid: String,
}

/// The first characters of a name, however long it is.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Start;
    impl Visitor<'_> for Start {
        type Value = String;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name")
        }
        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
            Ok(name.chars().take(NAME).collect())
        }
    }
    deserializer.deserialize_str(Start)
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Items;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("items")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Items, A::Error> {
                let mut all = Items::default();
                while let Some(Named { msgid }) = items.next_element()? {
                    (all.count, all.msgid) = (all.count + 1, msgid);
                }
                Ok(all)
            }
        }
        deserializer.deserialize_seq(Each)
    }
}

fn marks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<wire::ViewMark>, D::Error> {
    struct Each;
    impl<'de> Visitor<'de> for Each {
        type Value = Vec<wire::ViewMark>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MOST_MARKS} marks")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut marks: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(mark) = marks.next_element()? {
                if all.len() == MOST_MARKS {
                    return Err(serde::de::Error::invalid_length(MOST_MARKS, &self));
                }
                all.push(mark);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_seq(Each)
}

/// The pieces of a body, as a parser reads them.
struct Pieces {
    from: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.from.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let n = self.piece.len().min(to.len());
        self.piece.copy_to_slice(to.get_mut(..n).unwrap_or_default());
        Ok(n)
    }
}

/// Reads the page.
pub(super) async fn skim(answer: Response) -> Result<Skim> {
    let (pieces, from) = mpsc::channel(AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        let pieces = io::BufReader::new(Pieces { from, piece: Bytes::new() });
        serde_json::from_reader(pieces).map_err(|error| misfit(&error))
    });
    let fed = feed(answer, pieces).await;
    let read = reading.await.map_err(|error| Error::from_task(&error))?;
    fed.and(read)
}

async fn feed(answer: Response, to: mpsc::Sender<Bytes>) -> Result<()> {
    let (mut body, mut bytes) = (Body::of(answer), 0_usize);
    while let Some(piece) = body.chunk().await? {
        bytes += piece.len();
        if bytes > LONGEST {
            return Err(Error::AnswerTooLarge);
        }
        if to.send(piece).await.is_err() {
            // It does not fit: the reader says how.
            return Ok(());
        }
    }
    Ok(())
}
