//! Requests to post that arrive together share a transaction: each commit waits for the disk, and each transaction holds
//! the row that hands out stamps.
//!
//! One transaction is under way at a time, for two of them would mostly wait for each other's row, and each would carry
//! half as much. Only if one is held up, for example by a lock of somebody's inbox, others go on over a second
//! connection.
//!
//! Of those who wait, one takes what has come and begins a task that does it for all. Each waits for its own answer, no
//! longer than its request may.
//!
//! A transaction takes up to 256 drafts and a mebibyte. What a conflict or a lost connection interrupts runs again,
//! three times in all, and a store that does not answer is 503 within ten seconds.

use std::collections::{HashSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tidings_store::Error;
use tidings_store::domain::draft::Draft;
use tidings_store::request_time::StoreWait;
use tidings_store::traces::Posting;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::batch;
use super::request::{PostAnswer, Request};
use crate::PostgresStore;
use crate::pool::POSTING_CONNECTIONS;
use crate::tx::{CALL_TIME, LATE};

/// Bytes of the drafts of one transaction, as JSON, unless a single request has more: it holds the log while it writes them.
const BATCH_BYTES: usize = 1024 * 1024;

/// How long a request waits for its turn, but no longer than half of its remaining time: the rest is for the database.
const TURN: Duration = Duration::from_secs(5);

/// How long others wait for a transaction before they go on beside it: several times what a full one takes.
const HELD_UP: Duration = Duration::from_millis(100);

struct QueuedRequest {
    ticket: u64,
    /// By when it has to be answered.
    by: Instant,
    request: Request,
    /// The size of its drafts.
    bytes: usize,
    posting: Posting,
    answer: oneshot::Sender<Result<PostAnswer, Error>>,
}

/// The requests of this process that wait to be stored.
pub(crate) struct PostQueue {
    waiting: Mutex<(u64, VecDeque<QueuedRequest>)>,
    turn: Arc<Semaphore>,
    held_up: Arc<Semaphore>,
}

impl Default for PostQueue {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            turn: Arc::new(Semaphore::new(1)),
            // Another one has the connection of whose turn it is.
            held_up: Arc::new(Semaphore::new(POSTING_CONNECTIONS - 1)),
        }
    }
}

impl PostQueue {
    /// Stores the publications of a request, together with others that wait.
    pub(super) async fn submit(&self, store: &PostgresStore, request: Request) -> Result<PostAnswer, Error> {
        let (answer, mut answered) = oneshot::channel();
        let wait = StoreWait::begin();
        let (began, by) = (Instant::now(), wait.end_within(CALL_TIME));
        if by <= began {
            return Err(Error::unavailable(LATE));
        }
        let bytes = request.drafts.iter().map(Draft::size).sum();
        let ticket = {
            let mut waiting = self.waiting.lock();
            waiting.0 += 1;
            let ticket = waiting.0;
            let posting = Posting::waits();
            waiting.1.push_back(QueuedRequest { ticket, by, request, bytes, posting, answer });
            ticket
        };
        let deadline = began + TURN.min(by.saturating_duration_since(began) / 2);
        while self.waits(ticket) {
            tokio::select! {
                biased;
                answer = &mut answered => return received(answer),
                turn = Arc::clone(&self.turn).acquire_owned() => {
                    let turn = turn.map_err(|_| Error::unavailable("the store is closed"))?;
                    let batch = self.next_batch(store.bounds.batch_drafts);
                    let (store, held_up) = (store.clone(), Arc::clone(&self.held_up));
                    tokio::spawn(async move { store_in_turn(&store, batch, turn, &held_up).await });
                }
                () = sleep_until(deadline) => {
                    if self.withdraw(ticket) {
                        return Err(Error::unavailable("too many publications wait"));
                    }
                }
            }
        }
        match timeout_at(by, answered).await {
            Ok(answer) => received(answer),
            Err(_) => Err(Error::OutcomeUnknown(LATE.into())),
        }
    }

    fn waits(&self, ticket: u64) -> bool {
        self.waiting.lock().1.iter().any(|waiting| waiting.ticket == ticket)
    }

    fn withdraw(&self, ticket: u64) -> bool {
        let mut waiting = self.waiting.lock();
        let before = waiting.1.len();
        waiting.1.retain(|waiting| waiting.ticket != ticket);
        waiting.1.len() < before
    }

    /// Takes the next requests that may share a transaction, in their order: with at most so many drafts, unless the first
    /// alone has more.
    fn next_batch(&self, most: usize) -> Vec<QueuedRequest> {
        let mut waiting = self.waiting.lock();
        let mut batch: Vec<QueuedRequest> = Vec::new();
        let (mut drafts, mut bytes, mut names, mut keys) = (0, 0, HashSet::new(), HashSet::new());
        while let Some(next) = waiting.1.front() {
            let request = &next.request;
            let alone = request.is_alone();
            let key = request.key.as_ref().map(|key| (key.token.clone(), key.key.clone()));
            let own_names: Vec<(String, String)> =
                request.names().map(|(topic, name)| (topic.to_owned(), name.to_owned())).collect();
            let fits = batch.is_empty()
                || (!alone
                    && drafts + request.drafts.len() <= most
                    && bytes + next.bytes <= BATCH_BYTES
                    && key.as_ref().is_none_or(|key| !keys.contains(key))
                    && own_names.iter().all(|name| !names.contains(name)));
            if !fits {
                break;
            }
            drafts += request.drafts.len();
            bytes += next.bytes;
            keys.extend(key);
            names.extend(own_names);
            batch.extend(waiting.1.pop_front());
            if alone {
                break;
            }
        }
        batch
    }
}

fn received(
    answer: Result<Result<PostAnswer, Error>, oneshot::error::RecvError>,
) -> Result<PostAnswer, Error> {
    // What did it for all was interrupted.
    answer.unwrap_or_else(|_| Err(Error::OutcomeUnknown("what stored it was given up".into())))
}

/// Stores requests; the turn is given up before, if it takes long and no other one does.
async fn store_in_turn(
    store: &PostgresStore,
    batch: Vec<QueuedRequest>,
    turn: OwnedSemaphorePermit,
    held_up: &Semaphore,
) {
    let mut storing = pin!(store_batch(store, batch));
    let leave = async {
        sleep(HELD_UP).await;
        held_up.acquire().await
    };
    let _held_up = tokio::select! {
        () = &mut storing => return,
        permit = leave => permit,
    };
    drop(turn);
    storing.await;
}

async fn store_batch(store: &PostgresStore, batch: Vec<QueuedRequest>) {
    // Those whose time ends before stop waiting by themselves.
    let Some(by) = batch.iter().map(|waiting| waiting.by).max() else { return };
    let (size, drafts) = (batch.len(), batch.iter().map(|waiting| waiting.request.drafts.len()).sum());
    let (requests, answers): (Vec<Request>, Vec<_>) = batch
        .into_iter()
        .map(|QueuedRequest { request, posting, answer, .. }| {
            (request, (posting.begins(drafts, size), answer))
        })
        .unzip();
    let results = batch::store(store, &requests, by).await;
    for ((transaction, answer), result) in answers.into_iter().zip(results) {
        drop(transaction);
        // Who gave up waiting needs none.
        let _ = answer.send(result);
    }
}
