//! The address of a database, `postgres://user:password@host:port/name?…`. What is not PostgreSQL's own is read here:
//! `sslmode`, `sslrootcert` and `prepare`. The password is in no error and in no output.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tidings_model::Code;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use url::Url;

use crate::error::Error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence after which a connection is probed.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);

/// Limits of a session, which the database enforces by itself. A transaction whose program says nothing for two seconds
/// ends, because it may hold the row that hands out stamps.
pub(super) const SESSION_LIMITS: [(&str, &str); 3] =
    [("statement_timeout", "10s"), ("lock_timeout", "3s"), ("idle_in_transaction_session_timeout", "2s")];

/// Planning over all partitions takes longer than most statements, and no plan depends on a value; compiling a plan takes
/// longer still.
const PLANNING: &str = "-c plan_cache_mode=force_generic_plan -c jit=off";

/// How a connection is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Protection {
    /// Not at all: a socket of this machine, or `sslmode=disable`.
    Plain,
    /// TLS with a certificate for the host, by the certificates in this file, or by those of the system.
    Verified(Option<PathBuf>),
}

/// Where a database is and how it is spoken to.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) protection: Protection,
    /// Whether statements are prepared by name and kept. Not behind a pooler that shares connections by transaction and
    /// does not know of them.
    pub(super) prepares: bool,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

fn invalid(why: &str) -> Error {
    Error::refused(Code::Invalid, format!("the address of the database is not valid: {why}"))
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// `invalid`, without the text of the address.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let mut url = Url::parse(text).map_err(|_| invalid("it must be postgres://user@host:port/name"))?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(invalid("it must begin with postgres://"));
        }
        let own = take_own(&mut url);
        let mut config = Config::from_str(url.as_str()).map_err(|_| invalid("a part of it can't be read"))?;
        if config.get_hosts().is_empty() {
            return Err(invalid("it names no host"));
        }
        let (mut mode, mut root, mut prepares) = (None, None, true);
        for (name, value) in own {
            match (name.as_str(), value.as_str()) {
                ("sslmode", "disable" | "verify-full") => mode = Some(value),
                ("sslmode", _) => return Err(invalid("sslmode must be verify-full or disable")),
                ("sslrootcert", path) => root = Some(PathBuf::from(path)),
                ("prepare", "true" | "false") => prepares = value == "true",
                _ => return Err(invalid("prepare must be true or false")),
            }
        }
        let plain = mode.map_or_else(|| is_local(&config), |mode| mode == "disable");
        let protection = if plain { Protection::Plain } else { Protection::Verified(root) };
        config
            .ssl_mode(if plain { SslMode::Disable } else { SslMode::Require })
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(TCP_USER_TIMEOUT)
            .keepalives_idle(KEEPALIVE_IDLE)
            .target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_application_name().is_none() {
            config.application_name("tidings");
        }
        if prepares {
            // A pooler does not pass these on; there each transaction sets them.
            let limits = SESSION_LIMITS.map(|(name, value)| format!("-c {name}={value}")).join(" ");
            config.options(format!("{limits} {PLANNING}"));
        }
        Ok(Self { config, protection, prepares })
    }

    /// The address without the user and the password.
    pub(super) fn shown(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            _ => String::new(),
        };
        format!("postgres://{host}/{}", self.config.get_dbname().unwrap_or_default())
    }
}

/// Takes the parameters out of an address that the client library does not know.
fn take_own(url: &mut Url) -> Vec<(String, String)> {
    let all: Vec<(String, String)> =
        url.query_pairs().map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
    let (own, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(name, _)| matches!(name.as_str(), "sslmode" | "sslrootcert" | "prepare"));
    url.set_query(None);
    if !others.is_empty() {
        url.query_pairs_mut().extend_pairs(others);
    }
    own
}

/// Whether every host is this machine.
fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    #[test]
    fn what_leaves_this_machine_is_encrypted_and_checked() {
        for local in ["postgres://u@127.0.0.1/t", "postgres://u@[::1]/t", "postgresql://u@localhost:5433/t"] {
            assert_eq!(address(local).protection, Protection::Plain, "{local}");
        }
        let socket = address("postgres:///t?host=/run/postgresql&user=u");
        assert_eq!(socket.protection, Protection::Plain);
        let remote = address("postgres://u@db.example/t");
        assert_eq!(remote.protection, Protection::Verified(None));
        assert_eq!(remote.config.get_ssl_mode(), SslMode::Require);
        let own = address("postgres://u@db.example/t?sslmode=verify-full&sslrootcert=/etc/ca.pem");
        assert_eq!(own.protection, Protection::Verified(Some("/etc/ca.pem".into())));
        assert_eq!(address("postgres://u@db.example/t?sslmode=disable").protection, Protection::Plain);
        assert!(Address::parse("postgres://u@db.example/t?sslmode=prefer").is_err(), "nothing in between");
    }

    #[test]
    fn a_session_ends_by_itself_when_it_hangs() {
        let options = address("postgres://u@localhost/t").config.get_options().unwrap().to_owned();
        assert!(
            options.contains("statement_timeout=10s") && options.contains("lock_timeout=3s"),
            "{options}"
        );
        assert!(options.contains("idle_in_transaction_session_timeout=2s"), "{options}");
        let pooled = address("postgres://u@localhost/t?prepare=false");
        assert!(!pooled.prepares && pooled.config.get_options().is_none());
    }

    #[test]
    fn the_password_is_never_shown() {
        let address = address("postgres://u:s3cret@db.example:5433/tidings?application_name=x");
        assert_eq!(address.shown(), "postgres://db.example/tidings");
        assert!(!format!("{address:?}").contains("s3cret"));
        for bad in [
            "postgres://u:s3cret@db.example/t?nonsense=1",
            "s3cret",
            "mysql://u:s3cret@x/t",
            "postgres://u:s3cret@x:port/t",
        ] {
            let error = Address::parse(bad).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("s3cret"), "{bad}");
        }
    }
}
