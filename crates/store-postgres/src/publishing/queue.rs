//! Requests to post that arrive together share a transaction: each commit waits for the disk, and each transaction holds
//! the row that hands out stamps.
//!
//! One transaction is under way at a time, for two of them would mostly wait for each other's row, and each would carry
//! half as much. Only if one is held up, for example by a lock of somebody's inbox, others go on over a second
//! connection.
//!
//! A transaction begins with the first request that comes, and then with all that came while one was under way, as soon as
//! that one has ended. It has a task of its own. Each request waits for its own answer alone, no longer than it may.
//!
//! A transaction takes up to 256 drafts and a mebibyte. What a conflict or a lost connection interrupts runs again,
//! three times in all, and a store that does not answer is 503 within ten seconds.

use std::collections::{HashSet, VecDeque};
use std::pin::pin;
use std::time::Duration;

use parking_lot::Mutex;
use tidings_store::Error;
use tidings_store::domain::draft::Draft;
use tidings_store::request_time::StoreWait;
use tidings_store::traces::Posting;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, sleep, timeout_at};

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

#[derive(Default)]
struct Queue {
    last_ticket: u64,
    waiting: VecDeque<QueuedRequest>,
    /// Whether a transaction is under way that is not held up.
    turn_is_taken: bool,
}

/// The requests of this process that wait to be stored.
pub(crate) struct PostQueue {
    queue: Mutex<Queue>,
    held_up: Semaphore,
}

impl Default for PostQueue {
    fn default() -> Self {
        // Another one has the connection of whose turn it is.
        Self { queue: Mutex::default(), held_up: Semaphore::new(POSTING_CONNECTIONS - 1) }
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
        let posting = Posting::waits();
        let ticket = {
            let mut queue = self.queue.lock();
            queue.last_ticket += 1;
            let ticket = queue.last_ticket;
            queue.waiting.push_back(QueuedRequest { ticket, by, request, bytes, posting, answer });
            ticket
        };
        self.begin_next(store);
        let deadline = began + TURN.min(by.saturating_duration_since(began) / 2);
        if let Ok(answer) = timeout_at(deadline, &mut answered).await {
            return received(answer);
        }
        if self.withdraw(ticket) {
            return Err(Error::unavailable("too many publications wait"));
        }
        match timeout_at(by, answered).await {
            Ok(answer) => received(answer),
            Err(_) => Err(Error::OutcomeUnknown(LATE.into())),
        }
    }

    /// Begins a transaction with those who wait, unless another has the turn.
    fn begin_next(&self, store: &PostgresStore) {
        let batch = {
            let mut queue = self.queue.lock();
            if queue.turn_is_taken || queue.waiting.is_empty() {
                return;
            }
            queue.turn_is_taken = true;
            queue.next_batch(store.bounds.batch_drafts)
        };
        tokio::spawn(store_in_turn(store.clone(), batch));
    }

    fn withdraw(&self, ticket: u64) -> bool {
        let mut queue = self.queue.lock();
        let before = queue.waiting.len();
        queue.waiting.retain(|waiting| waiting.ticket != ticket);
        queue.waiting.len() < before
    }
}

/// The turn of a transaction. The next one begins when it is dropped.
struct Turn<'s> {
    store: &'s PostgresStore,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let posts = &self.store.posts;
        posts.queue.lock().turn_is_taken = false;
        // Without a runtime the program ends.
        if Handle::try_current().is_ok() {
            posts.begin_next(self.store);
        }
    }
}

impl Queue {
    /// Takes the next requests that may share a transaction, in their order: with at most so many drafts, unless the first
    /// alone has more.
    fn next_batch(&mut self, most: usize) -> Vec<QueuedRequest> {
        let mut batch: Vec<QueuedRequest> = Vec::new();
        let (mut drafts, mut bytes, mut names, mut keys) = (0, 0, HashSet::new(), HashSet::new());
        while let Some(next) = self.waiting.front() {
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
            batch.extend(self.waiting.pop_front());
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
async fn store_in_turn(store: PostgresStore, batch: Vec<QueuedRequest>) {
    // It is made here: a runtime that ends drops new tasks at once, and each would begin the next one on the same stack.
    let turn = Turn { store: &store };
    let mut storing = pin!(store_batch(&store, batch));
    let leave = async {
        sleep(HELD_UP).await;
        store.posts.held_up.acquire().await
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
