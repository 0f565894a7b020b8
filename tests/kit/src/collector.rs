//! A collector of traces that takes OTLP over HTTP, as protobuf, on a port of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Kind;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

/// A listening collector, which lasts as long as the test. It keeps all that it is sent.
#[derive(Debug)]
pub struct Collector {
    port: u16,
    received: Arc<Mutex<Received>>,
}

#[derive(Debug, Default)]
struct Received {
    connections: usize,
    requests: Vec<CollectedRequest>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct CollectedRequest {
    /// The request line and the headers.
    pub head: String,
    /// The body as it was sent.
    pub body: Vec<u8>,
}

/// A span of a trace, its ids as hexadecimal digits and its attributes as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedSpan {
    /// The id of its trace.
    pub trace: String,
    /// Its own id.
    pub id: String,
    /// The id of its parent; empty for a root.
    pub parent: String,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SpanKind,
    /// Whether it ended by an error.
    pub is_error: bool,
    /// Its begin and end, in nanoseconds since 1970.
    pub time: (u64, u64),
    /// Its attributes.
    pub attributes: BTreeMap<String, String>,
    /// The attributes of the process that it is of.
    pub resource: BTreeMap<String, String>,
}

/// How a collector treats the requests that it receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Takes,
    Hangs,
}

impl Collector {
    /// One that takes all that comes.
    pub async fn start() -> Self {
        Self::listen(0, Manner::Takes).await
    }

    /// One that takes all that comes, on this port.
    pub async fn start_at(port: u16) -> Self {
        Self::listen(port, Manner::Takes).await
    }

    /// One that reads requests and never answers.
    pub async fn hanging() -> Self {
        Self::listen(0, Manner::Hangs).await
    }

    async fn listen(port: u16, manner: Manner) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let received = Arc::<Mutex<Received>>::default();
        let of_all = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                of_all.lock().unwrap().connections += 1;
                tokio::spawn(answer(stream, Arc::clone(&of_all), manner));
            }
        });
        Self { port, received }
    }

    /// The address that senders are given.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How often somebody connected.
    pub fn connections(&self) -> usize {
        self.received.lock().unwrap().connections
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<CollectedRequest> {
        self.received.lock().unwrap().requests.clone()
    }

    /// The spans so far. Fails the test if a request was none of OTLP.
    pub fn spans(&self) -> Vec<CollectedSpan> {
        self.requests().iter().flat_map(CollectedRequest::spans).collect()
    }

    /// The spans of a trace, in the order in which they began.
    pub fn trace(&self, id: &str) -> Vec<CollectedSpan> {
        let mut spans: Vec<_> = self.spans().into_iter().filter(|span| span.trace == id).collect();
        spans.sort_by_key(|span| span.time);
        spans
    }
}

/// Reads the requests of a connection, and answers each as the protocol has it.
async fn answer(mut stream: TcpStream, received: Arc<Mutex<Received>>, manner: Manner) {
    let mut bytes = Vec::new();
    loop {
        let Some((head_bytes, total)) = size(&bytes) else {
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return;
            }
            continue;
        };
        let rest = bytes.split_off(total);
        let body = bytes.split_off(head_bytes);
        let head = String::from_utf8(bytes).expect("a head is text");
        received.lock().unwrap().requests.push(CollectedRequest { head, body });
        bytes = rest;
        if manner == Manner::Takes {
            let taken =
                b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
            if stream.write_all(taken).await.is_err() {
                return;
            }
        }
    }
}

/// The bytes of the head and of the whole of the first request; `None` while it is not complete.
fn size(bytes: &[u8]) -> Option<(usize, usize)> {
    let head_bytes = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..head_bytes]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let total = head_bytes + length.map_or(0, |length| length.trim().parse::<usize>().expect("a length"));
    (bytes.len() >= total).then_some((head_bytes, total))
}

impl CollectedRequest {
    fn spans(&self) -> Vec<CollectedSpan> {
        let head = self.head.to_ascii_lowercase();
        assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
        assert!(head.contains("content-type: application/x-protobuf"), "{head}");
        let request = ExportTraceServiceRequest::decode(self.body.as_slice()).expect("OTLP");
        let mut spans = Vec::new();
        for of_process in request.resource_spans {
            let resource = texts(&of_process.resource.expect("a resource").attributes);
            let found = of_process.scope_spans.iter().flat_map(|scope| &scope.spans);
            spans.extend(found.map(|span| CollectedSpan::of(span, &resource)));
        }
        spans
    }
}

impl CollectedSpan {
    fn of(span: &Span, resource: &BTreeMap<String, String>) -> Self {
        let hex = |id: &[u8]| data_encoding::HEXLOWER.encode(id);
        assert!(span.events.is_empty(), "lines of the log are no part of a span: {:?}", span.events);
        Self {
            trace: hex(&span.trace_id),
            id: hex(&span.span_id),
            parent: hex(&span.parent_span_id),
            name: span.name.clone(),
            kind: span.kind(),
            is_error: span.status.as_ref().is_some_and(|status| status.code() == StatusCode::Error),
            time: (span.start_time_unix_nano, span.end_time_unix_nano),
            attributes: texts(&span.attributes),
            resource: resource.clone(),
        }
    }

    /// An attribute. Fails the test if there is none.
    #[track_caller]
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &Option<AnyValue>| match value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Kind::StringValue(text)) => text.clone(),
        Some(Kind::IntValue(number)) => number.to_string(),
        other => panic!("an attribute is text or a number: {other:?}"),
    };
    attributes.iter().map(|attribute| (attribute.key.clone(), text(&attribute.value))).collect()
}
