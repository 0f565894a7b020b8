//! Somebody's web server: hears one request at a time and answers what the story says, as slowly as it says.
//! Refuses to answer by itself.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::wait;

/// A port that listens.
#[derive(Debug)]
pub struct Listener(TcpListener);

/// A request that came and waits for its answer.
#[derive(Debug)]
pub struct Asked {
    stream: TcpStream,
    /// Everything of it: its first line, its headers, its body.
    pub text: String,
}

impl Listener {
    /// On a free port of the loopback.
    pub async fn open() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.expect("a port is free"))
    }

    /// `127.0.0.1:12345`
    pub fn host(&self) -> String {
        self.0.local_addr().expect("it is bound").to_string()
    }

    /// Nobody asks for a while.
    pub async fn hears_nothing(&self) {
        let early = tokio::time::timeout(wait::A_WHILE, self.0.accept()).await;
        assert!(early.is_err(), "nobody was to ask");
    }

    /// Waits for a request, up to where it holds `end`.
    pub async fn hears(&self, end: &str) -> Asked {
        let heard = async {
            let (mut stream, _) = self.0.accept().await.expect("somebody asks");
            let mut bytes = Vec::new();
            while !String::from_utf8_lossy(&bytes).ends_with(end) {
                let read = stream.read_buf(&mut bytes).await.expect("it can be read");
                assert!(read > 0, "{}", String::from_utf8_lossy(&bytes));
            }
            Asked { stream, text: String::from_utf8_lossy(&bytes).into_owned() }
        };
        tokio::time::timeout(wait::SOON, heard).await.expect("somebody asks in time")
    }
}

impl Asked {
    /// Sends a part of the answer.
    pub async fn say(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("it can be answered");
        self.stream.flush().await.expect("it can be answered");
    }
}
