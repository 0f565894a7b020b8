//! An HTTP server whose answers a test scripts byte by byte.

use std::future::Future;
use std::sync::{Arc, Mutex};

use reqwest::Url;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::wait;

/// A listening port on the loopback. It answers nothing by itself.
#[derive(Debug)]
pub struct ScriptedServer(TcpListener);

/// A request that was received and not answered yet.
#[derive(Debug)]
pub struct Exchange {
    /// The connection, on which nothing of the answer has been sent.
    pub stream: TcpStream,
    /// The whole request: request line, headers and body.
    pub request: String,
}

/// The text of each request received so far.
pub type Requests = Arc<Mutex<Vec<String>>>;

impl ScriptedServer {
    /// Listens on a free port.
    pub async fn start() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.expect("a port is free"))
    }

    /// The host and port, for example `127.0.0.1:12345`.
    pub fn host(&self) -> String {
        self.0.local_addr().expect("it is bound").to_string()
    }

    /// The root URL, for example `http://127.0.0.1:12345`.
    pub fn url(&self) -> String {
        format!("http://{}", self.host())
    }

    /// Waits for the next request.
    pub async fn request(&self) -> Exchange {
        wait::within_timeout("a request", async {
            loop {
                let (stream, _) = self.0.accept().await.expect("somebody connects");
                if let Some(exchange) = Exchange::read(stream).await {
                    return exchange;
                }
            }
        })
        .await
    }

    /// Asserts that nobody connects within [`wait::QUIET_PERIOD`].
    pub async fn assert_no_request(&self) {
        let connection = tokio::time::timeout(wait::QUIET_PERIOD, self.0.accept()).await;
        assert!(connection.is_err(), "nobody was to ask");
    }

    /// Passes every request from now on to `answer`, each in a task of its own, for as long as the test runs. Returns
    /// the requests received so far, which grow meanwhile.
    pub fn serve<F>(self, answer: impl Fn(Exchange) -> F + Send + Sync + 'static) -> Requests
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let requests = Requests::default();
        let (received, answer) = (requests.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = self.0.accept().await {
                let (received, answer) = (received.clone(), answer.clone());
                tokio::spawn(async move {
                    let Some(exchange) = Exchange::read(stream).await else { return };
                    received.lock().unwrap().push(exchange.request.clone());
                    answer(exchange).await;
                });
            }
        });
        requests
    }

    /// Answers every request from now on with the same bytes.
    pub fn always(self, answer: Vec<u8>) -> Requests {
        self.serve(move |mut exchange| {
            let answer = answer.clone();
            async move { drop(exchange.send(&answer).await) }
        })
    }
}

impl Exchange {
    /// The requested path and query, as a URL on `http://127.0.0.1`.
    pub fn url(&self) -> Url {
        let path = self.request.split(' ').nth(1).expect("a request line");
        Url::parse("http://127.0.0.1").and_then(|base| base.join(path)).expect("a path")
    }

    /// The value of a header of the request, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.request.split("\r\n\r\n").next()?;
        head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The request's body as JSON. Fails the test if it is not JSON.
    pub fn json(&self) -> Value {
        let body = self.request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).expect("JSON")
    }

    /// Sends a complete JSON response, marked as the last on its connection.
    ///
    /// # Errors
    ///
    /// Fails if the client has closed the connection.
    pub async fn send_json(&mut self, body: &Value) -> std::io::Result<()> {
        self.send(&response("200 OK", "content-type: application/json\r\n", body.to_string())).await
    }

    /// Sends a part of the answer.
    ///
    /// # Errors
    ///
    /// Fails if the client has closed the connection.
    pub async fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Reads a whole request; `None` if the connection ends before.
    async fn read(mut stream: TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        loop {
            let request = String::from_utf8_lossy(&bytes);
            if let Some((head, body)) = request.split_once("\r\n\r\n") {
                let head = head.to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
                if body.len() >= length.map_or(0, |length| length.trim().parse().expect("a length")) {
                    let request = request.into_owned();
                    return Some(Self { stream, request });
                }
            }
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return None;
            }
        }
    }
}

/// A complete response that says `connection: close`. Each header of `headers` ends with `\r\n`.
pub fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}
