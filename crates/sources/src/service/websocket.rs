//! A WebSocket to a service (RFC 6455). The connection is opened by the program's HTTP client, so that proxies,
//! certificates and the rule of one origin are those of every other request.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, Stream, StreamExt, stream};
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{RequestBuilder, StatusCode, Upgraded};
use tidings_net::{Error, Result, http};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use crate::service::Service;

/// The length in bytes above which a message ends the channel.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// The size of the buffers in bytes: there is one socket for each source, and it is quiet most of the time.
const BUFFER_BYTES: usize = 4 << 10;

/// An open socket.
pub(crate) struct Socket(WebSocketStream<Upgraded>);

/// Opens the socket at a path of a service.
///
/// # Errors
/// The error of the answer's status; [`Error::Malformed`] for a success that is no WebSocket.
pub(crate) async fn open(service: &Service, path: &str) -> Result<Socket> {
    let (_, request) = service.get(path)?.build_split();
    let request = request.map_err(|error| Error::from_transport(&error))?;
    let client = http::upgrade_client(request.url())?;
    let key = generate_key();
    let request = RequestBuilder::from_parts(client, request)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let answer = service.ask(request).await?;
    match answer.status() {
        StatusCode::SWITCHING_PROTOCOLS => {}
        status if status.is_success() => return Err(Error::Malformed),
        _ => return Err(http::status_error(&answer, service.clock.now())),
    }
    let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT).and_then(|value| value.to_str().ok());
    if accepted != Some(derive_accept_key(key.as_bytes()).as_str()) {
        return Err(Error::Malformed);
    }
    let stream = answer.upgrade().await.map_err(|error| Error::from_transport(&error))?;
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    Ok(Socket(WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await))
}

/// The text messages of a socket, until it is closed. After `silence` the server is sent a ping; if it does not answer
/// that for as long, the connection counts as dead.
pub(crate) fn messages(socket: Socket, silence: Duration) -> impl Stream<Item = Result<String>> {
    stream::unfold(Some(socket), move |socket| async move {
        let Socket(mut socket) = socket?;
        let mut is_pinged = false;
        loop {
            let received = match timeout(silence, socket.next()).await {
                Ok(received) => received,
                Err(_) if is_pinged => return Some((Err(Error::Slow), None)),
                Err(_) => {
                    is_pinged = true;
                    match timeout(silence, socket.send(Message::Ping(Bytes::new()))).await {
                        Ok(Ok(())) => continue,
                        Ok(Err(error)) => return Some((Err(from_socket(&error)), None)),
                        Err(_) => return Some((Err(Error::Slow), None)),
                    }
                }
            };
            is_pinged = false;
            match received {
                Some(Ok(Message::Text(text))) => {
                    return Some((Ok(text.as_str().to_owned()), Some(Socket(socket))));
                }
                Some(Ok(Message::Close(_))) | None => return Some((Err(Error::Unreachable), None)),
                // A ping is answered by the socket.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some((Err(from_socket(&error)), None)),
            }
        }
    })
}

fn from_socket(error: &SocketError) -> Error {
    match error {
        SocketError::Capacity(_) => Error::AnswerTooLarge,
        SocketError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Error::Unreachable,
        SocketError::Utf8(_) | SocketError::AttackAttempt | SocketError::Protocol(_) => Error::Malformed,
        _ => Error::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderName;
    use tidings_testkit::scripted::{Exchange, ScriptedServer, response};
    use tidings_testkit::wait::within_timeout;
    use tokio::net::TcpStream;

    use super::*;

    /// Accepts the upgrade that a request asks for.
    async fn accept(mut exchange: Exchange) -> WebSocketStream<TcpStream> {
        let request = exchange.request.to_ascii_lowercase();
        let key_at = request.find("sec-websocket-key: ").unwrap() + "sec-websocket-key: ".len();
        let key = exchange.request[key_at..].lines().next().unwrap().to_owned();
        let accept = derive_accept_key(key.as_bytes());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             sec-websocket-accept: {accept}\r\n\r\n"
        );
        exchange.send(head.as_bytes()).await.unwrap();
        WebSocketStream::from_raw_socket(exchange.stream, Role::Server, None).await
    }

    async fn opened(url: &str) -> Result<Socket> {
        let service = Service::new(url, std::sync::Arc::new(tidings_model::SystemClock))?;
        open(&service.with_header(HeaderName::from_static("x-key"), "right")?, "stream").await
    }

    #[tokio::test]
    async fn texts_come_one_by_one_and_the_end_is_an_error() {
        let server = ScriptedServer::start().await;
        let url = server.url();
        let serving = tokio::spawn(async move {
            let exchange = server.request().await;
            assert!(exchange.request.contains("x-key: right"), "the headers stay");
            let mut socket = accept(exchange).await;
            for message in [Message::text("one"), Message::Ping(Bytes::new()), Message::text("two")] {
                socket.send(message).await.unwrap();
            }
            let answer = socket.next().await.unwrap().unwrap();
            assert!(matches!(answer, Message::Pong(_)), "{answer:?}");
            socket.close(None).await.unwrap();
        });
        let mut messages = Box::pin(messages(opened(&url).await.unwrap(), Duration::from_secs(60)));
        for expected in ["one", "two"] {
            assert_eq!(within_timeout("a text", messages.next()).await.unwrap().unwrap(), expected);
        }
        let end = within_timeout("the end", messages.next()).await;
        assert!(matches!(end, Some(Err(Error::Unreachable))), "{end:?}");
        assert!(messages.next().await.is_none());
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_silent_server_is_asked_before_it_counts_as_dead() {
        let server = ScriptedServer::start().await;
        let url = server.url();
        let (pinged, ping) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let mut socket = accept(server.request().await).await;
            // The first ping is read and so answered, the next one is not.
            let first = socket.next().await.unwrap().unwrap();
            socket.flush().await.unwrap();
            pinged.send(first).unwrap();
            std::future::pending::<()>().await;
        });
        let mut messages = Box::pin(messages(opened(&url).await.unwrap(), Duration::from_millis(200)));
        let end = within_timeout("the end", messages.next()).await;
        assert!(matches!(end, Some(Err(Error::Slow))), "{end:?}");
        assert!(matches!(ping.await.unwrap(), Message::Ping(_)));
    }

    #[tokio::test]
    async fn what_is_no_websocket_is_said() {
        for (status, headers) in [
            ("200 OK", "content-type: text/html\r\n"),
            ("401 Unauthorized", ""),
            ("404 Not Found", ""),
            (
                "101 Switching Protocols",
                "upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: x\r\n",
            ),
            ("302 Found", "location: http://127.0.0.1:9/\r\n"),
        ] {
            let server = ScriptedServer::start().await;
            let url = server.url();
            server.always(response(status, headers, ""));
            let error = opened(&url).await.map(drop).unwrap_err();
            let is_right = match status.split(' ').next() {
                Some("401") => matches!(error, Error::SignIn),
                Some("404") => matches!(error, Error::Refused(404)),
                Some("302") => matches!(error, Error::RedirectRefused),
                _ => matches!(error, Error::Malformed),
            };
            assert!(is_right, "{status}: {error}");
        }
    }

    #[tokio::test]
    async fn a_message_has_a_limit() {
        let server = ScriptedServer::start().await;
        let url = server.url();
        tokio::spawn(async move {
            let mut socket = accept(server.request().await).await;
            let _ = socket.send(Message::text("x".repeat(MAX_MESSAGE_BYTES + 1))).await;
            std::future::pending::<()>().await;
        });
        let mut messages = Box::pin(messages(opened(&url).await.unwrap(), Duration::from_secs(60)));
        let end = within_timeout("the end", messages.next()).await;
        assert!(matches!(end, Some(Err(Error::AnswerTooLarge))), "{end:?}");
    }
}
