//! `serve`: the headless server, which runs until a signal. Its first token is printed once. A data folder that
//! another server has locked is refused.

mod service_manager;
mod signals;

use std::{
    io::{self, Write},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tidings_home::{Endpoint, Home};
use tidings_model::SystemClock;
use tidings_net::supervise;
use tidings_server::traces::ContinueTrace;
use tidings_server::{FileLimits, Listeners, MailConfig, RedisAddress, Server};
use tidings_sqlite::{DataDir, LockError};
use tokio::net::TcpListener;

use self::service_manager::{Stage, tell};
pub(crate) use self::signals::ShutdownSignals;
use self::signals::{ServerSignals, SignalRequest};
use crate::{
    args::{Failover, Receipts, Serve},
    error::{Error, Result},
    inbox,
    output::{Output, warn},
    text::language,
    traces::continue_trace,
};

/// How long a server that shares its database goes on after it was asked to end: a few checks of a load balancer.
const SHARED_DRAIN: Duration = Duration::from_secs(3);

/// How long a server whose disk does not take `endpoint.json` waits before it tries again.
const ENDPOINT_RETRY: Duration = Duration::from_secs(10);

/// The name of the lock of a served data folder, which the server uses too.
const LOCK_NAME: &str = "server";

/// Runs `tidings serve`.
pub(crate) async fn run(args: Serve, home: &Home, out: Output) -> Result<()> {
    inbox::prepare(home)?;
    let (files, mail) = (file_limits(&args), mail_config(&args));
    let Serve {
        listen,
        store,
        failover,
        drain,
        bus,
        cache,
        traces,
        open_publish,
        allow_host,
        allow_origin,
        trust_proxy,
        proxy_header,
        retain,
        retain_now,
        receipts,
        public_url,
        smtp,
        files: files_folder,
        ..
    } = args;
    let folder = lock(home)?;
    let mut config = store.config(home)?;
    config.lossless_failover = failover == Failover::Lossless;
    // One that is alone has nobody to send its clients to.
    let default_drain = if config.store.is_local() { Duration::ZERO } else { SHARED_DRAIN };
    config.drain = drain.unwrap_or(default_drain);
    (config.bus, config.cache) = (redis(bus)?, redis(cache)?);
    config.check().map_err(|error| Error::Usage(error.to_string()))?;
    config.continue_trace = traces.map(|_| continue_trace as ContinueTrace);
    config.lang = language().interface();
    config.open_publish = open_publish;
    config.allow_hosts = allow_host;
    config.allow_origins = allow_origin;
    config.trust_proxy = trust_proxy;
    config.proxy_header = proxy_header.unwrap_or_default();
    config.retain = retain;
    config.retain_now = retain_now;
    config.archive_receipts = receipts == Receipts::Archive;
    config.public_url = public_url;
    config.files = files;
    config.files_folder = files_folder;
    config.mail = mail;
    tidings_server::raise_open_files();
    let server = Server::open(config, Arc::new(SystemClock)).await?;
    let listeners = Listeners {
        http: bind(&listen, "--listen").await?,
        smtp: match &smtp {
            Some(smtp) => Some(bind(smtp, "--smtp").await?),
            None => None,
        },
    };
    let address = listeners.http.local_addr()?;
    let mail_address = listeners.smtp.as_ref().map(TcpListener::local_addr).transpose()?;
    if let Some(first) = server.first_start().await? {
        let (user, token) = (&first.about.user, &first.token);
        let line = format!("the user {user} was created; its token, which is shown only once: {token}");
        out.print_entry(&serde_json::json!({ "user": user, "token": token }), &line)?;
    }
    // From here on a signal to end is handled, so that no file that is written below is left behind.
    let mut signals = ServerSignals::listen()?;
    // A killed server leaves its file, which would name that server until this one writes its own.
    let path = home.endpoint();
    if let Some(former) = Endpoint::read(&path) {
        match server.forget_endpoint(&former.token).await {
            // It only publishes, and is revoked once the disk takes that.
            Err(error) if !error.is_of_disk() => return Err(error.into()),
            _ => {}
        }
    }
    let _ = std::fs::remove_file(&path);
    let url = format!("http://{}", reachable(address));
    let published = Arc::new(OnceLock::new());
    match publish_endpoint(&server, &url, &path).await? {
        Some(endpoint) => drop(published.set(endpoint)),
        None => {
            warn("the disk can't be written: programs on this machine cannot find the server until it can");
        }
    }
    let shutdown = {
        let (server, published, path) = (server.clone(), Arc::clone(&published), path.clone());
        async move {
            loop {
                tokio::select! {
                    asked = signals.recv() => match asked {
                        SignalRequest::End => break,
                        SignalRequest::Reload => reload(&server).await,
                    },
                    () = tokio::time::sleep(ENDPOINT_RETRY), if published.get().is_none() => {
                        if let Ok(Some(endpoint)) = publish_endpoint(&server, &url, &path).await {
                            drop(published.set(endpoint));
                        }
                    }
                }
            }
            tell(Stage::Stopping);
            // Before the port is released, so that no program is sent to the port's next owner.
            if let Some(endpoint) = published.get() {
                endpoint.withdraw(&path);
            }
        }
    };
    let result = match announce(address, mail_address, out) {
        Ok(()) => {
            // The server takes the lock again.
            drop(folder);
            tell(Stage::Ready);
            supervise::keep("giving memory back", tidings_server::trim_heaps_periodically);
            tidings_server::serve(listeners, server.clone(), shutdown).await.map_err(Error::from)
        }
        Err(error) => Err(error),
    };
    // Also if the server could not run.
    if let Some(endpoint) = published.get() {
        endpoint.withdraw(&path);
    }
    if let Err(error) = server.end_endpoint().await {
        warn(&format!("the token of endpoint.json could not be revoked: {error}"));
    }
    result
}

/// Reads the certificates to trust again. What can't be read stays as it was.
async fn reload(server: &Server) {
    tell(Stage::Reloading);
    // Those of the system, for the collector of traces.
    tidings_net::http::reset_clients();
    match server.reload().await {
        Ok(()) => tracing::info!("the certificates to trust were read again"),
        Err(error) => {
            tracing::error!(%error, "the certificates could not be read, so those from before stay in use");
        }
    }
    tell(Stage::Ready);
}

/// Makes the token of `endpoint.json` and writes the file; `None` if the disk takes nothing.
async fn publish_endpoint(server: &Server, url: &str, path: &Path) -> Result<Option<Endpoint>> {
    let token = match server.renew_endpoint("admin", "admin").await {
        Ok(fresh) => fresh.token,
        Err(error) if error.is_of_disk() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let endpoint = Endpoint { url: url.to_owned(), token };
    if let Err(error) = endpoint.write(path) {
        warn(&format!("programs on this machine can't find the server: {}: {error}", path.display()));
    }
    Ok(Some(endpoint))
}

/// The address of a Redis. Like that of the store it is not read by the parser of arguments, which shows what it can't read.
fn redis(address: Option<String>) -> Result<Option<RedisAddress>> {
    let parsed = address.map(|address| address.parse()).transpose();
    parsed.map_err(|error: tidings_server::Error| Error::Usage(error.to_string()))
}

fn file_limits(args: &Serve) -> FileLimits {
    FileLimits {
        file_bytes: args.file_limit,
        user_bytes: args.files_per_user,
        total_bytes: args.files_total,
        keep: args.files_keep,
        ..FileLimits::default()
    }
}

fn mail_config(args: &Serve) -> MailConfig {
    MailConfig {
        domain: args.smtp_domain.clone(),
        address_prefix: args.smtp_prefix.clone().unwrap_or_default(),
        ..MailConfig::default()
    }
}

/// Prints the addresses on which the server listens to standard output.
fn announce(address: SocketAddr, mail: Option<SocketAddr>, out: Output) -> Result<()> {
    let url = format!("http://{address}");
    if out.json {
        let document = match mail {
            Some(mail) => serde_json::json!({ "listening": url, "smtp": mail }),
            None => serde_json::json!({ "listening": url }),
        };
        return print_line(&document.to_string());
    }
    print_line(&format!("listening on {url}"))?;
    match mail {
        Some(mail) => print_line(&format!("smtp on {mail}")),
        None => Ok(()),
    }
}

fn lock(home: &Home) -> Result<DataDir> {
    DataDir::lock(home.dir(), LOCK_NAME).map_err(|error| match error {
        LockError::InUse(path) => Error::failed(format!("another server runs on {}", path.display())),
        other => Error::failed(other.to_string()),
    })
}

/// Listens at an address, which the user gave by an option.
async fn bind(listen: &str, option: &str) -> Result<TcpListener> {
    tidings_server::bind(listen).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            Error::failed(format!("another program uses {listen}; choose another address with {option}"))
        }
        io::ErrorKind::PermissionDenied => Error::failed(format!("listening on {listen} is not allowed")),
        io::ErrorKind::InvalidInput => Error::Usage(format!("`{listen}` is not an ADDRESS:PORT")),
        _ => Error::failed(format!("can't listen on {listen}: {error}")),
    })
}

/// The address under which this machine reaches the server: loopback for an unspecified address.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, v6.port()).into(),
        other => other,
    }
}

fn print_line(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
