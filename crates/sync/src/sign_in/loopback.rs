//! The way back from the browser (RFC 8252, section 7.3): a port of this machine that is open for one sign-in.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use super::grants::{MAX_SECRET_BYTES, refusal};
use super::{Error, Result};

/// The longest request that is read, in bytes: its head is all that is needed.
const MAX_REQUEST_BYTES: usize = 16 << 10;
/// The most time for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The most connections at once: a browser opens some in advance.
const MAX_CONNECTIONS: usize = 16;
/// The path to which the browser comes back.
const PATH: &str = "/signed-in";

/// The texts of the page to which the browser comes back, as plain text in the reader's language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageTexts {
    /// The BCP 47 tag of their language.
    pub lang: &'static str,
    /// The reader agreed, and may close the page.
    pub done: &'static str,
    /// The service did not let Tidings in, and the page may be closed.
    pub denied: &'static str,
    /// The address is not that of a sign-in that is going on.
    pub unknown: &'static str,
}

/// An open port of this machine.
pub(super) struct Loopback {
    listener: TcpListener,
    redirect_uri: String,
}

impl Loopback {
    /// Opens a free port, for this machine alone.
    pub(super) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let redirect_uri = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, redirect_uri })
    }

    /// The address to which the browser is to come back.
    pub(super) fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Waits for the browser to bring a code with this state. Any other request gets a page that says so, and ends
    /// nothing. So no other page can end the sign-in or slip in a code of its own.
    pub(super) async fn code(self, state: &str, texts: &PageTexts) -> Result<String> {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(answered) = connections.join_next() => {
                    if let Ok(Some(outcome)) = answered {
                        return outcome;
                    }
                }
                accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                    // A connection that failed is the browser's to repeat; a port that failed has no more of them.
                    let (stream, _) = accepted.map_err(Error::Port)?;
                    let (state, texts) = (state.to_owned(), texts.clone());
                    connections.spawn(async move {
                        let answered = answer(stream, &state, &texts);
                        tokio::time::timeout(REQUEST_TIMEOUT, answered).await.ok().flatten()
                    });
                }
            }
        }
    }
}

/// Answers one request; `None` if it does not end the sign-in.
async fn answer(mut stream: TcpStream, state: &str, texts: &PageTexts) -> Option<Result<String>> {
    let head = read_head(&mut stream).await?;
    let outcome = outcome(&head, state);
    let (status, text) = match &outcome {
        Some(Ok(_)) => ("200 OK", texts.done),
        Some(Err(_)) => ("200 OK", texts.denied),
        None => ("404 Not Found", texts.unknown),
    };
    // The browser may be gone; what it brought counts all the same.
    let _ = stream.write_all(page(status, texts.lang, text).as_bytes()).await;
    let _ = stream.shutdown().await;
    outcome
}

/// Reads the head of a request; `None` if there is none.
async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        if bytes.len() > MAX_REQUEST_BYTES || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    String::from_utf8(bytes).ok()
}

/// What a request says of the sign-in with this state; `None` if it is none of it.
fn outcome(head: &str, state: &str) -> Option<Result<String>> {
    let mut words = head.lines().next()?.split(' ');
    let (Some("GET"), Some(path)) = (words.next(), words.next()) else { return None };
    let url = Url::parse("http://127.0.0.1").ok()?.join(path).ok()?;
    let value = |name: &str| {
        let mut values =
            url.query_pairs().filter(|(known, _)| known == name).map(|(_, value)| value.into_owned());
        let value = values.next();
        value.filter(|_| values.next().is_none())
    };
    if url.path() != PATH || value("state").as_deref() != Some(state) {
        return None;
    }
    if let Some(error) = value("error") {
        return Some(Err(refusal(&error)));
    }
    let code = value("code").filter(|code| !code.is_empty() && code.len() <= MAX_SECRET_BYTES)?;
    Some(Ok(code))
}

/// A page of one sentence. It loads nothing, and its address with the code goes nowhere.
fn page(status: &str, lang: &str, text: &str) -> String {
    let body = format!(
        "<!doctype html><html lang=\"{lang}\"><meta charset=\"utf-8\"><title>Tidings</title>\
         <meta name=\"color-scheme\" content=\"light dark\"><h1>Tidings</h1><p>{text}</p></html>"
    );
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\ncontent-security-policy: default-src 'none'\r\n\r\n\
         {body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_with_the_state_of_the_sign_in_counts() {
        let asked = |line: &str| outcome(&format!("{line}\r\nhost: 127.0.0.1\r\n\r\n"), "s3cret");
        let brought = asked("GET /signed-in?code=abc&state=s3cret HTTP/1.1");
        assert_eq!(brought.unwrap().unwrap(), "abc");
        let denied = asked("GET /signed-in?error=access_denied&state=s3cret HTTP/1.1");
        assert!(matches!(denied, Some(Err(Error::Denied))));
        for line in [
            "GET /signed-in?code=abc&state=other HTTP/1.1",
            "GET /signed-in?code=abc HTTP/1.1",
            "GET /signed-in?code=abc&state= HTTP/1.1",
            "GET /signed-in?code=abc&state=s3cret&state=s3cret HTTP/1.1",
            "GET /signed-in?code=&state=s3cret HTTP/1.1",
            "GET /signed-in?state=s3cret HTTP/1.1",
            "GET /favicon.ico HTTP/1.1",
            "POST /signed-in?code=abc&state=s3cret HTTP/1.1",
            "GET /signed-in?error=access_denied HTTP/1.1",
            "",
        ] {
            assert!(asked(line).is_none(), "{line}");
        }
    }
}
