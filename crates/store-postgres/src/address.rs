//! The address of a database, `postgres://user:password@host:port/name?…`. What is not PostgreSQL's own is read here:
//! `sslmode`, `sslrootcert` and `prepare`. The password is in no error and in no output.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tidings_model::Code;
use tidings_store::Error;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use url::form_urlencoded;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence after which a connection is probed.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);

/// Limits of a session, which the database enforces by itself. A transaction whose program says nothing for a second
/// ends. It may hold the row that hands out stamps, and others of the same program may be next to get it. Each of them
/// adds a second to what everybody else waits.
pub(super) const SESSION_LIMITS: [(&str, &str); 3] =
    [("statement_timeout", "10s"), ("lock_timeout", "3s"), ("idle_in_transaction_session_timeout", "1s")];

/// How a session plans. Planning over all partitions takes longer than most statements, and no plan depends on a value;
/// compiling a plan takes longer still. Statements ask for few rows in the order of an index, and stop there. What
/// reads a table, or all that an index has, before the first row may look cheaper, because an average inbox has little
/// in it. But it takes as long as the largest one is large.
pub(super) const PLANNING: [(&str, &str); 6] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
    ("enable_bitmapscan", "off"),
    ("seq_page_cost", "100"),
    ("random_page_cost", "1"),
    ("max_parallel_workers_per_gather", "0"),
];

/// How a transaction plans whose statements read whole tables: the database's defaults.
pub(super) const PLANNING_OF_WHOLE_TABLES: &str =
    "SET LOCAL enable_bitmapscan = on; SET LOCAL seq_page_cost = 1; SET LOCAL random_page_cost = 4";

/// What the database shows as the name of the program, unless the address has another one.
pub(super) const PROGRAM: &str = "tidings";

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
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(invalid("it must be postgres://user@host:port/name"));
        }
        let (url, own) = take_own(text);
        let mut config = Config::from_str(&url).map_err(|_| invalid("a part of it can't be read"))?;
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
            config.application_name(PROGRAM);
        }
        if prepares {
            // A pooler does not pass these on; there each transaction sets them.
            let settings: Vec<String> = SESSION_LIMITS
                .iter()
                .chain(&PLANNING)
                .map(|(name, value)| format!("-c {name}={value}"))
                .collect();
            config.options(settings.join(" "));
        }
        Ok(Self { config, protection, prepares })
    }

    /// What the database shows as the name of the program.
    pub(super) fn program(&self) -> &str {
        self.config.get_application_name().unwrap_or_default()
    }

    /// The same address for a program of another name.
    pub(super) fn named(mut self, program: &str) -> Self {
        self.config.application_name(program);
        self
    }

    /// The address without the user and the password.
    pub(super) fn shown(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(host) => host.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        format!("postgres://{}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

/// Takes the parameters out of an address that the client library does not know.
fn take_own(text: &str) -> (String, Vec<(String, String)>) {
    let (base, query) = text.split_once('?').unwrap_or((text, ""));
    let name = |parameter: &&str| parameter.split('=').next().unwrap_or_default().to_owned();
    let (own, others): (Vec<&str>, Vec<&str>) = query
        .split('&')
        .filter(|parameter| !parameter.is_empty())
        .partition(|p| matches!(name(p).as_str(), "sslmode" | "sslrootcert" | "prepare"));
    // A plus sign stands for itself here.
    let own = own.into_iter().filter_map(|parameter| {
        let parameter = parameter.replace('+', "%2B");
        let (name, value) = form_urlencoded::parse(parameter.as_bytes()).next()?;
        Some((name.into_owned(), value.into_owned()))
    });
    let url = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
    (url, own.collect())
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
        assert!(options.contains("idle_in_transaction_session_timeout=1s"), "{options}");
        let pooled = address("postgres://u@localhost/t?prepare=false");
        assert!(!pooled.prepares && pooled.config.get_options().is_none());
    }

    #[test]
    fn an_address_may_name_a_standby_that_takes_over() {
        let address = address("postgres://u:p@one.example:5433,two.example/t?sslrootcert=/etc/a+b%20c.pem");
        assert_eq!(address.config.get_hosts().len(), 2);
        assert_eq!(address.shown(), "postgres://one.example,two.example/t");
        assert_eq!(address.protection, Protection::Verified(Some("/etc/a+b c.pem".into())));
        assert_eq!(address.config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        let one_is_far = Address::parse("postgres://u@localhost,two.example/t").unwrap();
        assert_eq!(one_is_far.protection, Protection::Verified(None));
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
