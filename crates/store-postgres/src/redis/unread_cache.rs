//! The cache of unread counts in Redis: a hash for each user who asked lately. A transaction that changes an inbox
//! moves its version on in the database; counts are given out only with the version that the database has at the
//! moment.
//!
//! Counts are kept for each user who asked in the last half hour. They are given out only if the inbox has their stamp
//! in the database. Nothing may be due, no snooze may have ended since, and retention may have taken nothing of them.
//! Otherwise they are counted, once for all who ask at the time, and kept. So writers change the cache only for rows
//! that a transaction writes to inboxes at once. These are a direct message at its recipient and sender, and a group's
//! message at its sender. This is added after the commit, from one stamp to the next. With upkeep the hashes of twenty
//! users who asked lately are compared with a recount.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rand::RngExt;
use redis::{Pipeline, pipe};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::{CacheFigures, Error};
use tokio::sync::{SemaphorePermit, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::RedisAddress;
use super::counts::{COUNT_LIMIT, CachedCounts, MAX_FIELDS, UnreadStep};
use super::flights::{Flights, Turn};
use super::link::SharedConnection;
use super::scripts;

/// How long the task waits that passes on what writers did.
const STEP_TIME: Duration = Duration::from_millis(500);
/// How long a hash lives after it was read last; up to a tenth more, so that many do not go at once.
const TIME_TO_LIVE: Duration = Duration::from_secs(30 * 60);
/// Transactions whose steps wait to be sent. Those of one more are left out: the next step finds another version.
const WAITING_STEPS: usize = 1_024;
/// Steps that are sent at once.
const STEPS_AT_ONCE: usize = 256;
/// Users that are remembered as recently active.
const ACTIVE_USERS: usize = 10_000;

/// The cache of a process. Dropping it ends its connection.
pub(crate) struct UnreadCache {
    link: Arc<SharedConnection>,
    /// What the keys begin with.
    prefix: String,
    steps: mpsc::Sender<(String, Vec<UnreadStep>)>,
    /// How long a reader waits for Redis.
    timeout: Duration,
    flights: Flights,
    /// The epoch that was read last.
    epoch: Mutex<String>,
    active: Mutex<Active>,
    figures: Figures,
    _end: DropGuard,
}

/// Users who asked lately, and the one after whom the comparison goes on.
#[derive(Default)]
struct Active {
    users: BTreeSet<UserKey>,
    after: Option<UserKey>,
}

#[derive(Default)]
struct Figures {
    hits: AtomicU64,
    misses: AtomicU64,
    stale: AtomicU64,
    unanswered: AtomicU64,
    compared: AtomicU64,
    repaired: AtomicU64,
}

/// What the cache has for a user.
pub(crate) enum CacheRead {
    /// Counts of some version.
    Counts(CachedCounts),
    /// Nothing that can be read.
    Nothing,
    /// Redis did not answer in time, or does not at present.
    NoAnswer,
}

/// How a request was answered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CacheAnswer {
    FromCache,
    NotThere,
    Stale,
    Unanswered,
}

impl UnreadCache {
    /// A cache that begins to connect. Readers wait for it for at most `timeout`.
    pub(crate) fn start(address: RedisAddress, timeout: Duration, instance: &str, epoch: String) -> Self {
        let link = Arc::new(SharedConnection::start(address));
        let (steps, waiting) = mpsc::channel(WAITING_STEPS);
        let prefix = format!("tidings:{instance}:");
        let end = CancellationToken::new();
        let (sending, ended, of) = (Arc::clone(&link), end.clone(), prefix.clone());
        tokio::spawn(async move { ended.run_until_cancelled(send_steps(&sending, &of, waiting)).await });
        Self {
            link,
            prefix,
            steps,
            timeout,
            flights: Flights::default(),
            epoch: Mutex::new(epoch),
            active: Mutex::default(),
            figures: Figures::default(),
            _end: end.drop_guard(),
        }
    }

    /// What there is for a user, in this epoch. Reading keeps it for another half an hour.
    pub(crate) async fn read(&self, user: UserKey, epoch: &str) -> CacheRead {
        self.note_epoch(epoch);
        let key = key(&self.prefix, epoch, user.0);
        let mut commands = pipe();
        commands.cmd("HGETALL").arg(&key).cmd("PEXPIRE").arg(&key).arg(time_to_live()).ignore();
        self.ask(&commands).await
    }

    /// The same without keeping it.
    pub(crate) async fn peek(&self, user: UserKey, epoch: &str) -> CacheRead {
        let mut commands = pipe();
        commands.cmd("HGETALL").arg(key(&self.prefix, epoch, user.0));
        self.ask(&commands).await
    }

    async fn ask(&self, commands: &Pipeline) -> CacheRead {
        match self.link.ask::<(HashMap<String, String>,)>(commands, self.timeout).await {
            None => CacheRead::NoAnswer,
            Some((fields,)) => CachedCounts::read(&fields).map_or(CacheRead::Nothing, CacheRead::Counts),
        }
    }

    /// Writes what was counted.
    pub(crate) async fn fill(&self, user: UserKey, epoch: &str, counts: &CachedCounts) {
        if !counts.fit() {
            return;
        }
        let mut commands = pipe();
        let key = key(&self.prefix, epoch, user.0);
        commands.cmd("EVAL").arg(scripts::FILL).arg(1).arg(key).arg(time_to_live());
        for (name, value) in counts.fields() {
            commands.arg(name).arg(value);
        }
        self.tell(&commands).await;
    }

    /// Notes that nothing was due up to this stamp of the log.
    pub(crate) async fn considered(&self, user: UserKey, epoch: &str, version: Stamp, upto: Stamp) {
        let mut commands = pipe();
        let key = key(&self.prefix, epoch, user.0);
        commands.cmd("EVAL").arg(scripts::CONSIDERED).arg(1).arg(key);
        commands.arg(version.as_micros()).arg(upto.as_micros());
        self.tell(&commands).await;
    }

    /// Deletes counts of a version that are wrong.
    pub(crate) async fn forget(&self, user: UserKey, epoch: &str, version: Stamp) {
        let mut commands = pipe();
        let key = key(&self.prefix, epoch, user.0);
        commands.cmd("EVAL").arg(scripts::FORGET).arg(1).arg(key).arg(version.as_micros());
        self.tell(&commands).await;
    }

    async fn tell(&self, commands: &Pipeline) {
        let _answer: Option<(i64,)> = self.link.ask(commands, self.timeout).await;
    }

    /// Passes on what a transaction added to inboxes, after its commit. Nobody waits for that.
    pub(crate) fn step(&self, steps: Vec<UnreadStep>) {
        if !steps.is_empty() && !self.link.is_open() {
            let epoch = self.epoch.lock().clone();
            // If too many wait, the hashes are found to be of another version.
            let _sent = self.steps.try_send((epoch, steps));
        }
    }

    fn note_epoch(&self, epoch: &str) {
        let mut known = self.epoch.lock();
        if *known != epoch {
            epoch.clone_into(&mut known);
        }
    }

    /// Waits for the turn of a request that has to count.
    pub(crate) async fn turn(&self, user: UserKey) -> Result<Turn<'_>, Error> {
        self.flights.turn(user).await
    }

    /// Waits for a permit to count.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.flights.permit().await
    }

    /// Counts how a request was answered, and remembers its user as active.
    pub(crate) fn record(&self, user: UserKey, answer: CacheAnswer) {
        let counter = match answer {
            CacheAnswer::FromCache => &self.figures.hits,
            CacheAnswer::NotThere => &self.figures.misses,
            CacheAnswer::Stale => &self.figures.stale,
            CacheAnswer::Unanswered => &self.figures.unanswered,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let mut active = self.active.lock();
        if active.users.len() < ACTIVE_USERS {
            active.users.insert(user);
        }
    }

    /// The next active users, at most this many, who count as active again with their next request.
    pub(crate) fn next_active(&self, batch: usize) -> Vec<UserKey> {
        let mut active = self.active.lock();
        let after = active.after.map_or(Bound::Unbounded, Bound::Excluded);
        let later = (after, Bound::Unbounded);
        let mut next: Vec<UserKey> = active.users.range(later).take(batch).copied().collect();
        let first = active.users.iter().take(batch - next.len()).filter(|user| !next.contains(user));
        let first: Vec<UserKey> = first.copied().collect();
        next.extend(first);
        active.after = next.last().copied();
        for user in &next {
            active.users.remove(user);
        }
        next
    }

    /// Counts a comparison with a recount.
    pub(crate) fn compared(&self, differences: usize) {
        self.figures.compared.fetch_add(1, Ordering::Relaxed);
        self.figures.repaired.fetch_add(differences as u64, Ordering::Relaxed);
    }

    pub(crate) fn figures(&self) -> CacheFigures {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheFigures {
            hits: of(&self.figures.hits),
            misses: of(&self.figures.misses),
            stale: of(&self.figures.stale),
            unanswered: of(&self.figures.unanswered),
            compared: of(&self.figures.compared),
            repaired: of(&self.figures.repaired),
            is_open: self.link.is_open(),
        }
    }
}

/// The key of a user's hash.
fn key(prefix: &str, epoch: &str, user: i64) -> String {
    format!("{prefix}{epoch}:unread:{user}")
}

/// Milliseconds until a hash goes.
fn time_to_live() -> i64 {
    let millis = i64::try_from(TIME_TO_LIVE.as_millis()).unwrap_or(i64::MAX);
    millis + rand::rng().random_range(0..=millis / 10)
}

/// Sends steps, those that wait together.
async fn send_steps(
    link: &SharedConnection,
    prefix: &str,
    mut waiting: mpsc::Receiver<(String, Vec<UnreadStep>)>,
) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, STEPS_AT_ONCE).await > 0 {
        let mut steps = Vec::new();
        for (epoch, of_transaction) in batch.drain(..) {
            steps.extend(of_transaction.into_iter().map(|step| (key(prefix, &epoch, step.user), step)));
        }
        for portion in steps.chunks(STEPS_AT_ONCE) {
            let mut commands = pipe();
            for (key, step) in portion {
                commands.cmd("EVAL").arg(scripts::STEP).arg(1).arg(key);
                commands.arg(step.from.as_micros()).arg(step.to.as_micros());
                commands.arg(COUNT_LIMIT).arg(MAX_FIELDS);
                for (field, more) in step.changes() {
                    commands.arg(field).arg(more);
                }
                commands.ignore();
            }
            // What is not sent is found to be of another version.
            let _answer: Option<()> = link.ask(&commands, STEP_TIME).await;
        }
    }
}
