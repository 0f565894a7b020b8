//! Opens connections to Redis, and says why one failed without repeating what a server said.

use std::fmt;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rand::RngExt;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, ProtocolVersion, RedisConnectionInfo, RedisError};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::address::{RedisAddress, Transport};
use crate::tls::Tls;

/// How long opening a connection may take.
const OPEN_TIME: Duration = Duration::from_secs(2);
/// Requests that may wait to be written to a connection.
const WAITING_REQUESTS: usize = 1_024;
/// The first pause before a connection is opened again, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(8));

/// Why Redis could not be used. It has only the code of a server's answer, because the text may repeat a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure(String);

impl Failure {
    pub(super) fn new(why: &str) -> Self {
        Self(why.to_owned())
    }

    pub(super) fn late() -> Self {
        Self::new("it does not answer")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        Self(e.to_string())
    }
}

impl From<RedisError> for Failure {
    fn from(e: RedisError) -> Self {
        if e.kind() == ErrorKind::Io {
            return Self::new("the connection was lost");
        }
        // The code is a word in capitals; anything else is what some server made up.
        let code = e.code().filter(|code| code.len() <= 20 && code.bytes().all(|b| b.is_ascii_uppercase()));
        Self(match code {
            Some(code) => format!("it refused a command ({code})"),
            None => format!("it can't be used: {}", e.category()),
        })
    }
}

/// Whether a server does not know a command.
pub(super) fn is_unknown_command(e: &RedisError) -> bool {
    e.detail().is_some_and(|detail| detail.to_ascii_lowercase().contains("unknown command"))
}

/// A stream to Redis.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection, and the work of moving it along, which ends with it.
pub(super) type Opened = (MultiplexedConnection, BoxFuture<'static, ()>);

/// Opens a connection that speaks this version of the protocol.
pub(super) async fn open(
    address: &RedisAddress,
    protocol: ProtocolVersion,
    config: AsyncConnectionConfig,
) -> Result<Opened, Failure> {
    let opening = async {
        let stream = stream(address).await?;
        let mut settings = RedisConnectionInfo::default()
            .set_db(address.database)
            .set_protocol(protocol)
            .set_lib_name("tidings", env!("CARGO_PKG_VERSION"));
        if let Some(user) = &address.user {
            settings = settings.set_username(user);
        }
        if let Some(password) = &address.password {
            settings = settings.set_password(password);
        }
        // Who asks sets the time for an answer.
        let config = config.set_response_timeout(None).set_pipeline_buffer_size(WAITING_REQUESTS);
        let (connection, driver) = MultiplexedConnection::new_with_config(&settings, stream, config).await?;
        Ok::<Opened, Failure>((connection, driver.boxed()))
    };
    timeout(OPEN_TIME, opening).await.unwrap_or_else(|_| Err(Failure::late()))
}

async fn stream(address: &RedisAddress) -> Result<Box<dyn Stream>, Failure> {
    match &address.transport {
        Transport::Tcp { host, port } => Ok(Box::new(tcp(host, *port).await?)),
        Transport::Tls { host, port, roots } => {
            let tls = Tls::trusting(roots.as_deref()).map_err(|e| Failure(e.to_string()))?;
            let name = ServerName::try_from(host.clone())
                .map_err(|_| Failure::new("the name of the host can't be in a certificate"))?;
            Ok(Box::new(tls.connector().connect(name, tcp(host, *port).await?).await?))
        }
        #[cfg(unix)]
        Transport::Unix(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
        #[cfg(not(unix))]
        Transport::Unix(_) => Err(Failure::new("this system has no sockets of this kind")),
    }
}

async fn tcp(host: &str, port: u16) -> Result<TcpStream, Failure> {
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The growing pauses between attempts to connect, with jitter, so that processes do not come all at once.
pub(super) struct Pauses(Duration);

impl Pauses {
    pub(super) fn new() -> Self {
        Self(PAUSES.0)
    }

    /// The next pause.
    pub(super) fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(PAUSES.1);
        pause.mul_f64(rand::rng().random_range(0.5..1.0))
    }

    /// The next pause is the first one again.
    pub(super) fn reset(&mut self) {
        self.0 = PAUSES.0;
    }
}
