//! A scripted HTTP server, and one request to a real one.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Answers every connection with the same bytes, and keeps what was asked.
pub(super) async fn answering(answer: Vec<u8>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let keeps = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (answer, keeps) = (answer.clone(), Arc::clone(&keeps));
            tokio::spawn(async move {
                let mut head = vec![0; 8_192];
                let n = stream.read(&mut head).await.unwrap_or(0);
                keeps.lock().unwrap().push(String::from_utf8_lossy(&head[..n]).to_lowercase());
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    (url, asked)
}

pub(super) fn page(status: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{more}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// One request over a socket of its own.
pub(super) async fn post(url: &str, token: &str, path: &str, body: &str) -> String {
    let host = url.trim_start_matches("http://");
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
