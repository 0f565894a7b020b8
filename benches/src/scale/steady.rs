//! A steady load: each publication is due at its time, whatever the server does meanwhile, and a late one counts from then.
//! Readers pull as soon as a hint tells them. In the end each has exactly what was published for them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use tidings_model::Stamp;
use tidings_model::wire::SyncPage;
use tidings_testkit::report::tried_since;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until};

use super::deployment::{Deployment, GROUP_MEMBERS};
use super::http::{Connection, Request};
use super::live::Channels;
use crate::Result;
use crate::reads::Spread;
use crate::report::{Report, millis};

/// Connections that publish: more than publications that are under way at once, unless the server stands still.
const CONNECTIONS: u32 = 128;
/// Users who send direct messages and read nothing.
const SENDERS: i64 = 1_000;
/// Of so many publications one goes to a group, and the others to one reader each.
const GROUP_SHARE: u32 = 16;
/// Items of a page that is pulled.
const PAGE: usize = 500;
/// How long to wait for the last arrivals.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);
/// How long to wait for a hint, or for an arrival that comes twice, after all is there.
const SETTLING: Duration = Duration::from_secs(1);
/// The most that the last answer may be behind its time.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// Publishes 1,000 notifications a second to 1,000 readers who are online, and counts what arrives.
#[derive(Debug, Args)]
pub(crate) struct SteadyArgs {
    /// How long it lasts.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
}

impl SteadyArgs {
    pub(crate) fn load(&self) -> Result<Load> {
        let time = Duration::try_from_secs_f64(self.minutes * 60.0)?;
        Ok(Load { readers: 1_000, interval: Duration::from_millis(1), time })
    }
}

/// How much is published.
pub(crate) struct Load {
    readers: usize,
    /// From one publication to the next.
    interval: Duration,
    time: Duration,
}

impl Load {
    /// That of the short run.
    pub(crate) const SMOKE: Self =
        Self { readers: 32, interval: Duration::from_millis(10), time: Duration::from_secs(1) };
}

/// What is published, by its number.
struct Plan {
    publisher: Arc<str>,
    senders: i64,
    readers: usize,
    groups: usize,
}

impl Plan {
    fn group_of(&self, n: u32) -> Option<usize> {
        (n % GROUP_SHARE == GROUP_SHARE - 1).then(|| (n / GROUP_SHARE) as usize % self.groups)
    }

    /// The readers who get it. The sender has it as well, but not as something new.
    fn recipients(&self, n: u32) -> Range<usize> {
        let Some(group) = self.group_of(n) else {
            let reader = n as usize % self.readers;
            let end = reader + 1;
            return reader..end;
        };
        group * GROUP_MEMBERS + 1..((group + 1) * GROUP_MEMBERS).min(self.readers)
    }

    fn request(&self, n: u32) -> Request {
        let body = format!("Order {n} is packed, and leaves the depot in the north with the next van.");
        let (path, draft) = if let Some(group) = self.group_of(n) {
            let from = format!("r{}", group * GROUP_MEMBERS);
            (format!("/groups/g{group}/messages"), json!({"from": from, "body": body}))
        } else {
            let from = format!("u{}", i64::from(n) % self.senders + 1);
            let to = format!("r{}", self.recipients(n).start);
            ("/messages".to_owned(), json!({"from": from, "to": to, "body": body}))
        };
        Request::post(&path, &self.publisher, draft.to_string())
    }

    /// The numbers that each reader has to get out of the first `count`.
    fn expected(&self, count: u32) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); self.readers];
        for n in 0..count {
            for numbers in all.get_mut(self.recipients(n)).into_iter().flatten() {
                numbers.push(n);
            }
        }
        all
    }
}

/// The number of the publication with this body.
fn number_in(body: &str) -> Result<u32> {
    Ok(body.split(' ').nth(1).ok_or("an item that was not published here")?.parse()?)
}

/// When each publication is due.
#[derive(Clone, Copy)]
struct Schedule {
    first: Instant,
    interval: Duration,
}

impl Schedule {
    fn due(self, n: u32) -> Instant {
        self.first + self.interval * n
    }
}

struct Hint {
    at: Instant,
    stamp: Stamp,
}

/// A reader who pulls at each hint.
struct Reader {
    n: usize,
    id: String,
    token: Arc<str>,
    connection: Connection,
    /// Where the next pull begins, for its query.
    since: String,
    /// The numbers of what arrived.
    numbers: Vec<u32>,
    /// Numbers and stamps of what was pulled before its own hint came.
    unhinted: Vec<(u32, Stamp)>,
    /// From when each publication was due to its hint.
    took: Vec<Duration>,
}

impl Reader {
    async fn open(connection: Connection, n: usize, token: Arc<str>) -> Result<Self> {
        let (id, since) = (format!("r{n}"), String::new());
        let (numbers, unhinted, took) = (Vec::new(), Vec::new(), Vec::new());
        let mut reader = Self { n, id, token, connection, since, numbers, unhinted, took };
        reader.pull().await?;
        Ok(reader)
    }

    /// Pulls what is new: the numbers and the stamps of messages of others. One's own change as others get them.
    async fn pull(&mut self) -> Result<Vec<(u32, Stamp)>> {
        let mut new = Vec::new();
        loop {
            let request = Request::get(format!("/sync?limit={PAGE}{}", self.since), &self.token);
            let page = SyncPage::from_json(&self.connection.send(&request).await?)?;
            for item in page.items.iter().filter(|item| item.actor.id != self.id) {
                new.push((number_in(&item.content.body)?, item.created_at));
            }
            self.since = format!("&since={}&epoch={}", page.next, page.epoch);
            if !page.more {
                return Ok(new);
            }
        }
    }

    async fn keep_new(&mut self) -> Result<usize> {
        let new = self.pull().await?;
        self.numbers.extend(new.iter().map(|(n, _)| *n));
        self.unhinted.extend(&new);
        Ok(new.len())
    }

    /// Reads until there are no more hints. The last pull brings what no hint has told.
    async fn read(
        mut self,
        schedule: Schedule,
        mut hints: mpsc::UnboundedReceiver<Hint>,
        received: Arc<AtomicUsize>,
    ) -> Result<Self> {
        while let Some(hint) = hints.recv().await {
            let mut all = vec![hint];
            while let Ok(hint) = hints.try_recv() {
                all.push(hint);
            }
            let new = self.keep_new().await?;
            let took = &mut self.took;
            self.unhinted.retain(|(n, stamp)| {
                let hint = all.iter().find(|hint| hint.stamp >= *stamp);
                took.extend(hint.map(|hint| hint.at.saturating_duration_since(schedule.due(*n))));
                hint.is_none()
            });
            received.fetch_add(new, Ordering::Relaxed);
        }
        self.keep_new().await?;
        Ok(self)
    }
}

/// What differs from what was published.
#[derive(Debug, Default)]
struct Differences {
    lost: usize,
    twice: usize,
    /// What was published for others.
    strange: usize,
    without_hint: usize,
}

impl Differences {
    fn compare(&mut self, mut found: Vec<u32>, expected: &[u32]) {
        found.sort_unstable();
        let all = found.len();
        found.dedup();
        let lost = expected.iter().filter(|n| found.binary_search(n).is_err()).count();
        self.lost += lost;
        self.twice += all - found.len();
        self.strange += found.len() - (expected.len() - lost);
    }

    fn are_none(&self) -> bool {
        self.lost + self.twice + self.strange + self.without_hint == 0
    }
}

struct Figures {
    publications: u32,
    arrivals: usize,
    /// From the time at which the first was due to the last answer.
    time: Duration,
    /// From when one was due to its answer.
    published: Spread,
    /// From when one was due to its hint at a reader.
    hinted: Spread,
}

/// Publishes at a fixed rate. It fails unless each publication is accepted and arrives exactly once.
pub(crate) async fn run(report: &mut Report, data: &Path, load: &Load) -> Result<()> {
    let deployment = Deployment::start_on_sqlite(&data.join("steady"), (SENDERS, load.readers)).await?;
    match measure(&deployment, load).await {
        Ok(figures) => figures.write(report, load)?,
        Err(error) => return Err(format!("{error}\n{}", deployment.logs()).into()),
    }
    deployment.stop().await
}

async fn measure(deployment: &Deployment, load: &Load) -> Result<Figures> {
    let address = *deployment.addresses.first().ok_or("no server")?;
    let plan = Arc::new(Plan {
        publisher: Arc::clone(&deployment.publisher),
        senders: deployment.users.count,
        readers: load.readers,
        groups: deployment.groups,
    });
    let count = u32::try_from(load.time.as_nanos() / load.interval.as_nanos())?;
    let expected = plan.expected(count);
    let arrivals: usize = expected.iter().map(Vec::len).sum();
    // All that could delay the first of them is done before.
    let mut readers = Vec::new();
    for (n, token) in deployment.readers.iter().enumerate() {
        readers.push(Reader::open(Connection::open(address).await?, n, Arc::clone(token)).await?);
    }
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(address).await?);
    }
    let channels = Channels::open(address, deployment.readers.iter().cloned()).await?;

    let schedule = Schedule { first: Instant::now(), interval: load.interval };
    let received = Arc::new(AtomicUsize::new(0));
    let (mut reading, mut hints) = (JoinSet::new(), Vec::new());
    for reader in readers {
        let (sender, receiver) = mpsc::unbounded_channel();
        hints.push(sender);
        reading.spawn(reader.read(schedule, receiver, Arc::clone(&received)));
    }
    let publishing = async {
        let published = publish(connections, schedule, &plan, count).await?;
        let time = schedule.first.elapsed();
        wait_for(&received, arrivals).await;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((published, time))
    };
    let (mut published, time) = tokio::select! {
        published = publishing => published?,
        Err(error) = hand_on(channels, hints) => return Err(error),
        Some(ended) = reading.join_next() => {
            ended??;
            return Err("a reader ended".into());
        }
    };
    // The readers have no more hints now, and end.
    let (mut differences, mut hinted) = (Differences::default(), Vec::with_capacity(arrivals));
    while let Some(reader) = reading.join_next().await {
        let mut reader = reader??;
        hinted.append(&mut reader.took);
        differences.without_hint += reader.unhinted.len();
        // Its own connection may have been idle for too long meanwhile.
        reader.connection = Connection::open(address).await?;
        reader.since.clear();
        let whole = reader.pull().await?.into_iter().map(|(n, _)| n).collect();
        let expected = expected.get(reader.n).ok_or("no such reader")?;
        differences.compare(reader.numbers, expected);
        differences.compare(whole, expected);
    }
    if !differences.are_none() {
        return Err(format!("of {count} publications with {arrivals} arrivals: {differences:?}").into());
    }
    let (published, hinted) = (Spread::of(&mut published), Spread::of(&mut hinted));
    Ok(Figures { publications: count, arrivals, time, published, hinted })
}

/// Sends each publication when it is due, over connections that take turns; gives the times from then to the answers.
async fn publish(
    connections: Vec<Connection>,
    schedule: Schedule,
    plan: &Arc<Plan>,
    count: u32,
) -> Result<Vec<Duration>> {
    let mut tasks = JoinSet::new();
    for (first, mut connection) in (0..CONNECTIONS).zip(connections) {
        let plan = Arc::clone(plan);
        tasks.spawn(async move {
            let mut took = Vec::new();
            for n in (first..count).step_by(CONNECTIONS as usize) {
                let due = schedule.due(n);
                sleep_until(due.into()).await;
                connection.send(&plan.request(n)).await?;
                took.push(due.elapsed());
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(took)
        });
    }
    let mut all = Vec::with_capacity(count as usize);
    while let Some(took) = tasks.join_next().await {
        all.extend(took??);
    }
    Ok(all)
}

/// Hands each hint to its reader; ends only if a channel does.
async fn hand_on(mut channels: Channels, readers: Vec<mpsc::UnboundedSender<Hint>>) -> Result<()> {
    loop {
        let (channel, at, stamp) = channels.hint().await?;
        let hint = Hint { at, stamp: stamp.parse()? };
        // A reader that has ended says why.
        let _ = readers.get(channel).map(|reader| reader.send(hint));
    }
}

/// Waits until so many have arrived, or for as long as that may take, and then for what comes twice.
async fn wait_for(received: &AtomicUsize, arrivals: usize) {
    let deadline = Instant::now() + ARRIVAL_TIMEOUT;
    while received.load(Ordering::Relaxed) < arrivals && Instant::now() < deadline {
        sleep(Duration::from_millis(50)).await;
    }
    sleep(SETTLING).await;
}

impl Figures {
    fn write(&self, report: &mut Report, load: &Load) -> Result<()> {
        let Self { publications, arrivals, time, published, hinted } = self;
        let rate = f64::from(*publications) / load.time.as_secs_f64();
        report.table(
            "A steady load",
            &format!(
                "{rate:.0} publications a second over {:.0} s, one in {GROUP_SHARE} of them to a group; {} readers pull at \
                 each hint; times are from when a publication was due",
                load.time.as_secs_f64(),
                load.readers
            ),
            &["until", "time"],
        );
        report.cells("its durable answer", &[millis(*published)]);
        report.cells("its hint at a reader", &[millis(*hinted)]);
        let arrived = format!("{publications} publications, {arrivals} arrivals");
        report.target("each reader got each publication once", true, &arrived);
        let delay = time.saturating_sub(load.time);
        report.target(
            "the last answer was less than a second behind its time",
            delay < MAX_DELAY,
            &format!("{} ms", delay.as_millis()),
        );
        let p99 = |spread: &Spread| u64::try_from(spread.p99.as_micros().div_ceil(1_000));
        let counts = [
            ("live readers", u64::try_from(load.readers)?),
            ("arrivals", u64::try_from(*arrivals)?),
            ("lost", 0),
            ("twice", 0),
            ("refused", 0),
            ("ms p99 to the answer", p99(published)?),
            ("ms p99 to the hint", p99(hinted)?),
            ("notifications", u64::from(*publications)),
        ];
        // Reading all of it again is no part of the time.
        let began = Instant::now().checked_sub(*time).ok_or("no such time")?;
        tried_since(began, "a steady load", &counts, &[]);
        Ok(())
    }
}
