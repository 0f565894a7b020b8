//! The address of a Redis. The password is in no error and in no output.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tidings_model::Code;
use tidings_store::Error;
use url::Url;

const DEFAULT_PORT: u16 = 6379;

/// How a Redis is reached, without user and password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Transport {
    /// A port of a host.
    Tcp { host: String, port: u16 },
    /// The same by TLS; the certificate and the name of the host are verified, by the certificates in this file or by
    /// those of the system.
    Tls { host: String, port: u16, roots: Option<PathBuf> },
    /// A socket of this machine.
    Unix(PathBuf),
}

/// The address of a Redis: `redis://[user]:password@host:port/database`, `rediss://…` for TLS with a certificate that
/// is verified, or `redis+unix:///path?db=…&user=…&password=…`. `?sslrootcert=` names a file with the certificates to
/// trust instead of those of the system. It is shown without user and password.
///
/// ```
/// use tidings_store_postgres::RedisAddress;
///
/// let address: RedisAddress = "redis://:secret@cache.example/1".parse()?;
/// assert_eq!(address.to_string(), "redis://cache.example:6379/1");
/// assert!(!format!("{address:?}").contains("secret"));
/// # Ok::<(), tidings_store::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RedisAddress {
    pub(super) transport: Transport,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: i64,
}

fn invalid(why: &str) -> Error {
    // Without the text: it may hold a password.
    Error::refused(Code::Invalid, format!("the address of the Redis is not valid: {why}"))
}

fn decoded(text: &str) -> Result<String, Error> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| invalid("it is not UTF-8"))?;
    Ok(text.into_owned())
}

fn number(text: &str) -> Result<i64, Error> {
    let number = if text.is_empty() { Some(0) } else { text.parse().ok() };
    number.filter(|n| *n >= 0).ok_or_else(|| invalid("the database must be a number"))
}

impl FromStr for RedisAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let url = Url::parse(text)
            .map_err(|_| invalid("it must be redis://host:port, rediss:// or redis+unix://"))?;
        let parameters: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        match url.scheme() {
            "redis" | "rediss" => of_host(&url, parameters),
            "redis+unix" => of_socket(&url, parameters),
            _ => Err(invalid("it must begin with redis://, rediss:// or redis+unix://")),
        }
    }
}

fn of_host(url: &Url, parameters: Vec<(String, String)>) -> Result<RedisAddress, Error> {
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| invalid("it names no host"))?;
    let (host, port) = (host.trim_matches(['[', ']']).to_owned(), url.port().unwrap_or(DEFAULT_PORT));
    let is_tls = url.scheme() == "rediss";
    let mut roots = None;
    for (name, value) in parameters {
        if name != "sslrootcert" || !is_tls {
            return Err(invalid("it has an unknown parameter"));
        }
        roots = Some(PathBuf::from(value));
    }
    let user = Some(decoded(url.username())?).filter(|user| !user.is_empty());
    Ok(RedisAddress {
        transport: if is_tls { Transport::Tls { host, port, roots } } else { Transport::Tcp { host, port } },
        user,
        password: url.password().map(decoded).transpose()?,
        database: number(url.path().trim_matches('/'))?,
    })
}

fn of_socket(url: &Url, parameters: Vec<(String, String)>) -> Result<RedisAddress, Error> {
    let path = decoded(url.path())?;
    if url.has_host() || path.len() < 2 {
        return Err(invalid("a socket is redis+unix:///path"));
    }
    let mut address = RedisAddress {
        transport: Transport::Unix(PathBuf::from(path)),
        user: None,
        password: None,
        database: 0,
    };
    for (name, value) in parameters {
        match name.as_str() {
            "db" => address.database = number(&value)?,
            "user" => address.user = Some(value),
            "password" => address.password = Some(value),
            _ => return Err(invalid("it has an unknown parameter")),
        }
    }
    Ok(address)
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = |host: &str| if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let database = self.database;
        match &self.transport {
            Transport::Tcp { host: name, port } => write!(f, "redis://{}:{port}/{database}", host(name)),
            Transport::Tls { host: name, port, .. } => write!(f, "rediss://{}:{port}/{database}", host(name)),
            Transport::Unix(path) => write!(f, "redis+unix://{}?db={database}", path.display()),
        }
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> RedisAddress {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_is_read_with_everything_in_it() {
        let plain = address("redis://ann:s%20t@[::1]:7000/3");
        assert_eq!(plain.transport, Transport::Tcp { host: "::1".into(), port: 7000 }, "{plain}");
        assert_eq!((plain.user.as_deref(), plain.password.as_deref()), (Some("ann"), Some("s t")));
        assert_eq!(plain.database, 3);
        assert_eq!(address("redis://cache").to_string(), "redis://cache:6379/0");
        let tls = address("rediss://:p@cache.example?sslrootcert=/etc/ca.pem");
        let (host, roots) = ("cache.example".into(), Some("/etc/ca.pem".into()));
        assert_eq!(tls.transport, Transport::Tls { host, port: 6379, roots });
        let socket = address("redis+unix:///run/redis.sock?db=2&password=p");
        assert_eq!((&socket.transport, socket.database), (&Transport::Unix("/run/redis.sock".into()), 2));
    }

    #[test]
    fn the_password_is_never_shown() {
        for text in ["redis://u:s3cret@cache/1", "rediss://:s3cret@cache", "redis+unix:///s?password=s3cret"]
        {
            let address = address(text);
            assert_eq!(address.password.as_deref(), Some("s3cret"));
            assert!(!format!("{address} {address:?}").contains("s3cret"), "{address}");
        }
        for bad in [
            "s3cret",
            "redis://",
            "redis://:s3cret@cache/x",
            "redis://:s3cret@cache?db=1",
            "redis://:s3cret@cache:port",
            "postgres://u:s3cret@x/t",
            "redis+unix://?password=s3cret",
            "redis+unix://host/s?password=s3cret",
        ] {
            let error = bad.parse::<RedisAddress>().unwrap_err();
            assert!(!format!("{error:?} {error}").contains("s3cret"), "{bad}");
        }
    }
}
