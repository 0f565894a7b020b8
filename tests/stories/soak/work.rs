//! What all who work at the servers share: where the servers are, what was acknowledged, and how a request is repeated
//! until it is.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use support::{client::Client, wait};

use super::record::{Audience, Posted};

/// How long a client waits for an answer until it asks the next server.
const ATTEMPT: Duration = Duration::from_secs(5);
/// The pause after a request that failed.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between two requests of one user, in a short run and in a long one, milliseconds.
const SHORT_PAUSE: u64 = 40;
const LONG_PAUSE: u64 = 150;
/// From here on a run is long.
const LONG: Duration = Duration::from_secs(60);

pub(super) struct Work {
    pub(super) urls: [String; 2],
    /// A user who publishes on behalf of others.
    pub(super) publisher: Client,
    pub(super) seed: u64,
    began: Instant,
    time: Duration,
    /// Whether nobody begins anything new.
    pub(super) ended: AtomicBool,
    /// Whether everything that will be there is there.
    pub(super) complete: AtomicBool,
    posted: Mutex<Vec<Posted>>,
    groups: Mutex<BTreeMap<String, Vec<String>>>,
    /// Requests that were repeated, marks, and pages that were pulled.
    repeated: AtomicUsize,
    pub(super) marks: AtomicUsize,
    pub(super) pages: AtomicUsize,
    /// The longest time from the first attempt of a request to its answer, microseconds.
    longest: AtomicU64,
}

/// An answer of success, with the times of its first attempt and of its arrival.
pub(super) struct Done {
    pub(super) body: Value,
    pub(super) sent: Instant,
    pub(super) acknowledged: Instant,
}

impl Work {
    pub(super) fn new(
        urls: [String; 2],
        publisher: Client,
        seed: u64,
        began: Instant,
        time: Duration,
    ) -> Self {
        Self {
            urls,
            publisher,
            seed,
            began,
            time,
            ended: AtomicBool::new(false),
            complete: AtomicBool::new(false),
            posted: Mutex::default(),
            groups: Mutex::default(),
            repeated: AtomicUsize::new(0),
            marks: AtomicUsize::new(0),
            pages: AtomicUsize::new(0),
            longest: AtomicU64::new(0),
        }
    }

    /// Random numbers of one task.
    pub(super) fn rng(&self, task: u64) -> StdRng {
        StdRng::seed_from_u64(self.seed.wrapping_mul(1_000).wrapping_add(task))
    }

    /// Whether something that takes ten seconds to come still comes in time.
    pub(super) fn has_time_for_delays(&self) -> bool {
        let (now, margin) = (self.began.elapsed(), Duration::from_secs(20));
        now < Duration::from_millis(1_500) || now + margin < self.time
    }

    /// Sends a request until it is answered with success. The same body goes under the same key, and to the next server
    /// after one that did not answer or could not. `change` gives the request its body.
    pub(super) async fn ask(
        &self,
        user: &Client,
        first: usize,
        change: impl Fn(&Client) -> reqwest::RequestBuilder,
    ) -> Done {
        let sent = Instant::now();
        for attempt in first.. {
            let mut at = user.clone();
            at.url.clone_from(&self.urls[attempt % 2]);
            let answer = tokio::time::timeout(ATTEMPT, Client::try_send(change(&at))).await.ok().flatten();
            if let Some(answer) = answer {
                if answer.status.is_success() {
                    let acknowledged = Instant::now();
                    let took = u64::try_from((acknowledged - sent).as_micros()).expect("not for ever");
                    self.longest.fetch_max(took, Ordering::SeqCst);
                    return Done { body: answer.body, sent, acknowledged };
                }
                assert_eq!(answer.status, 503, "{}", answer.body);
            }
            self.repeated.fetch_add(1, Ordering::SeqCst);
            assert!(sent.elapsed() < wait::TEST_TIMEOUT, "no server answered in {:?}", sent.elapsed());
            tokio::time::sleep(PAUSE).await;
        }
        unreachable!("it is asked again and again")
    }

    /// Rests for a random moment.
    pub(super) async fn rest(&self, rng: &mut StdRng) {
        let longest = if self.time > LONG { LONG_PAUSE } else { SHORT_PAUSE };
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..longest))).await;
    }

    pub(super) fn acknowledged(&self, posted: Posted) {
        self.posted.lock().unwrap().push(posted);
    }

    /// The number of publications that were acknowledged.
    pub(super) fn count(&self) -> usize {
        self.posted.lock().unwrap().len()
    }

    /// Everything that was acknowledged.
    pub(super) fn posted(&self) -> Vec<Posted> {
        std::mem::take(&mut *self.posted.lock().unwrap())
    }

    /// Remembers a group with its members, who never change.
    pub(super) fn group_made(&self, id: &str, members: Vec<String>) {
        self.groups.lock().unwrap().insert(id.to_owned(), members);
    }

    /// A group that a user is in, and its members.
    pub(super) fn group_of(&self, user: &str, rng: &mut StdRng) -> (String, Vec<String>) {
        let groups = self.groups.lock().unwrap();
        let of_user: Vec<_> =
            groups.iter().filter(|(_, members)| members.iter().any(|m| m == user)).collect();
        let (id, members) = of_user[rng.random_range(0..of_user.len())];
        (id.clone(), members.clone())
    }

    /// What a user has subscribed to, by `<type>:<id>`, and since when.
    pub(super) async fn subscriptions(&self, user: &Client) -> BTreeMap<String, String> {
        let list = user.get("subscriptions?limit=1000").await.is(200);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let each = list.as_array().expect("a list").iter().map(|subscription| {
            let target = &subscription["target"];
            (format!("{}:{}", text(&target["type"]), text(&target["id"])), text(&subscription["created_at"]))
        });
        each.collect()
    }

    /// What was done, in a few lines.
    pub(super) fn report(&self, posted: &[Posted]) -> String {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for publication in posted {
            *kinds.entry(publication.audience.name()).or_default() += 1;
        }
        let [repeated, marks, pages] =
            [&self.repeated, &self.marks, &self.pages].map(|n| n.load(Ordering::SeqCst));
        let longest = Duration::from_micros(self.longest.load(Ordering::SeqCst));
        format!(
            "{} publications acknowledged ({kinds:?}), {marks} marks, {pages} pages pulled; {repeated} requests \
             repeated, the longest took {longest:.1?}",
            posted.len()
        )
    }
}

impl Audience {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Everyone => "announcements",
            Self::Users(_) => "messages",
            Self::Group(_) => "group messages",
            Self::Subscribers { .. } => "reminders",
            Self::Later(_) => "delayed",
        }
    }
}
