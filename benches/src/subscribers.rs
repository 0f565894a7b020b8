//! Streams of topics: publishing beside many of them, the time until a message is at each, and the memory that one
//! takes. The floor is a program that writes the same line to as many connections and stores nothing.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::Url;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Result;
use crate::reads::Spread;
use crate::report::{Report, micros};
use crate::server_process::ServerWithUser;

/// Open streams.
const SUBSCRIBER_COUNT: usize = 1_000;
/// Publications on the one topic of all streams.
const PUBLICATION_COUNT: usize = 200;
/// The most resident memory of the server that one stream may take, bytes.
const MAX_STREAM_BYTES: u64 = 20_000;
/// When the server has returned the memory that a burst needed: it does so each 30 s.
const TRIMMED_AFTER: Duration = Duration::from_secs(35);
/// How long to wait for what has to arrive.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);

/// What a subscriber has received.
enum Arrival {
    Open,
    Message(Instant),
}

/// Connections that read lines until they are dropped.
struct Subscribers {
    tasks: JoinSet<Result<()>>,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
}

impl Subscribers {
    /// Opens a connection for each request and waits until all streams are open: at once, or each when the one before is.
    async fn open(address: SocketAddr, requests: Vec<String>, at_once: bool) -> Result<Self> {
        let (sender, arrivals) = mpsc::unbounded_channel();
        let mut subscribers = Self { tasks: JoinSet::new(), arrivals };
        let mut opening = 0;
        for request in requests {
            subscribers.tasks.spawn(read_stream(address, request, sender.clone()));
            opening += 1;
            if !at_once {
                subscribers.next().await?;
                opening -= 1;
            }
        }
        for _ in 0..opening {
            subscribers.next().await?;
        }
        Ok(subscribers)
    }

    async fn next(&mut self) -> Result<Arrival> {
        let next = timeout(ARRIVAL_TIMEOUT, self.arrivals.recv()).await;
        Ok(next.map_err(|_| "a stream has not received what it should")?.ok_or("all streams ended")?)
    }

    /// Waits until a message is at `count` of them; gives the times since `started`.
    async fn delivery_times(&mut self, started: Instant, count: usize) -> Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(count);
        while times.len() < count {
            if let Arrival::Message(at) = self.next().await? {
                times.push(at.saturating_duration_since(started));
            }
        }
        Ok(times)
    }
}

/// Sends a request and reports what arrives, until the connection ends.
async fn read_stream(
    address: SocketAddr,
    request: String,
    arrivals: mpsc::UnboundedSender<Arrival>,
) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut lines = BufReader::with_capacity(1_024, stream).lines();
    while let Some(line) = lines.next_line().await? {
        if line.contains(r#""message":""#) {
            arrivals.send(Arrival::Message(Instant::now()))?;
        } else if line.contains(r#""event":"open""#) {
            arrivals.send(Arrival::Open)?;
        }
    }
    Ok(())
}

/// The floor: accepts connections, and writes a line to each of them.
struct RawServer {
    address: SocketAddr,
    listener: TcpListener,
    connections: Vec<TcpStream>,
}

impl RawServer {
    /// Opens `count` connections to it.
    async fn open(count: usize) -> Result<(Self, Subscribers)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut server = Self { address: listener.local_addr()?, listener, connections: Vec::new() };
        let requests = vec!["GET / HTTP/1.1\r\n\r\n".to_owned(); count];
        let opening = tokio::spawn(Subscribers::open(server.address, requests, true));
        for _ in 0..count {
            let (mut connection, _) = server.listener.accept().await?;
            connection.write_all(b"{\"event\":\"open\"}\n").await?;
            server.connections.push(connection);
        }
        Ok((server, opening.await??))
    }

    async fn publish(&mut self) -> Result<()> {
        for connection in &mut self.connections {
            connection.write_all(b"{\"event\":\"message\",\"message\":\"Backup done\"}\n").await?;
        }
        Ok(())
    }
}

impl ServerWithUser {
    /// Resident memory now, bytes.
    fn resident(&self) -> Result<u64> {
        self.process.stats()?.resident()
    }

    async fn subscribe(&self, topics: &[String], at_once: bool) -> Result<Subscribers> {
        let url: Url = self.client.url.parse()?;
        let address = url.socket_addrs(|| None)?.into_iter().next().ok_or("no address")?;
        let token = &self.token;
        let request = |topic: &String| {
            format!("GET /{topic}/json HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n")
        };
        Subscribers::open(address, topics.iter().map(request).collect(), at_once).await
    }

    /// Publishes once on each of the topics, each when the one before is at its `listeners`.
    async fn measure(
        &self,
        topics: &[String],
        subscribers: &mut Subscribers,
        listeners: usize,
    ) -> Result<Figures> {
        let (mut publishing, mut delivery) = (Vec::new(), Vec::new());
        for topic in topics {
            let started = Instant::now();
            self.publish(topic).await?;
            publishing.push(started.elapsed());
            delivery.extend(subscribers.delivery_times(started, listeners).await?);
        }
        Ok(Figures { publishing: Spread::of(&mut publishing), delivery: Spread::of(&mut delivery) })
    }

    /// The times of publications that nobody listens to.
    async fn measure_alone(&self) -> Result<Spread> {
        let mut took = Vec::new();
        for _ in 0..PUBLICATION_COUNT {
            let started = Instant::now();
            self.publish("unheard").await?;
            took.push(started.elapsed());
        }
        Ok(Spread::of(&mut took))
    }
}

struct Figures {
    /// The time from the request to its answer.
    publishing: Spread,
    /// The time from the request to a subscriber.
    delivery: Spread,
}

/// The times of writing a line to `written` of as many connections as there are subscribers.
async fn measure_raw(written: usize) -> Result<Spread> {
    let (mut server, mut subscribers) = RawServer::open(SUBSCRIBER_COUNT).await?;
    let others = server.connections.split_off(written);
    let mut took = Vec::new();
    for _ in 0..PUBLICATION_COUNT {
        let started = Instant::now();
        server.publish().await?;
        took.extend(subscribers.delivery_times(started, written).await?);
    }
    drop(others);
    Ok(Spread::of(&mut took))
}

/// A post to which nobody listens is measured once, before, and takes 0.4 or 0.7 ms on the same machine: it gives no bar.
fn write_publishing(report: &mut Report, what: &str, figure: Spread, alone: Spread) {
    let ratio = figure.p50.as_secs_f64() / alone.p50.as_secs_f64();
    report.rough_row(what, &micros(figure), &micros(alone), "one that nobody listens to", ratio);
}

/// Measures many streams of one topic, then as many topics with a stream each.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    report.section(
        "Listening",
        "microseconds from a publication's request to its answer, and to those who listen",
    );
    let server = ServerWithUser::start(&data.join("subscribers"), "listener").await?;
    let alone = server.measure_alone().await?;
    let before = server.resident()?;

    // Of many that open at the same moment, the heap keeps what their requests needed.
    let same_topic = vec!["busy".to_owned(); SUBSCRIBER_COUNT];
    let mut subscribers = server.subscribe(&same_topic, false).await?;
    let topics = vec!["busy".to_owned(); PUBLICATION_COUNT];
    let one_topic = server.measure(&topics, &mut subscribers, SUBSCRIBER_COUNT).await?;
    let stream_bytes = server.resident()?.saturating_sub(before) / SUBSCRIBER_COUNT as u64;
    drop(subscribers);
    let what = format!("publishing to {SUBSCRIBER_COUNT} streams of one topic");
    write_publishing(report, &what, one_topic.publishing, alone);
    let raw = measure_raw(SUBSCRIBER_COUNT).await?;
    let ratio = one_topic.delivery.p50.as_secs_f64() / raw.p50.as_secs_f64();
    // How soon a thousand raw lines are read depends on the threads of the machine: from 1.7 to 2.9 ms on the same one.
    let (each, raw) = (micros(one_topic.delivery), micros(raw));
    report.rough_row("until it is at each of them", &each, &raw, "a raw line to each", ratio);

    let topics: Vec<String> = (0..SUBSCRIBER_COUNT).map(|n| format!("topic{n}")).collect();
    let mut subscribers = server.subscribe(&topics, true).await?;
    let opened_at_once = server.resident()?.saturating_sub(before) / SUBSCRIBER_COUNT as u64;
    tokio::time::sleep(TRIMMED_AFTER).await;
    let trimmed = server.resident()?.saturating_sub(before) / SUBSCRIBER_COUNT as u64;
    let many_topics = server.measure(&topics, &mut subscribers, 1).await?;
    let what = format!("publishing on {SUBSCRIBER_COUNT} topics with a stream each");
    write_publishing(report, &what, many_topics.publishing, alone);
    let raw = measure_raw(1).await?;
    report.times_row(
        "until it is at its one",
        [many_topics.delivery, raw],
        "",
        "a raw line to one of as many",
    );
    drop(subscribers);
    report.note(&format!(
        "of {SUBSCRIBER_COUNT} streams that open at once, each takes {opened_at_once} bytes, and {trimmed} when the \
         server has returned what opening needed"
    ));

    report.target(
        "a stream of a topic takes at most 20 KB of the server's memory",
        stream_bytes <= MAX_STREAM_BYTES,
        &format!("{stream_bytes} bytes"),
    );
    server.process.shut_down().await?;
    Ok(())
}
