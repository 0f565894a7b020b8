//! Arguments of `serve`.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};
use tidings_server::{Origin, ProxyHeader};

use super::duration::parse_duration;
use super::size::parse_size;
use super::store::Store;

/// What a promoted standby of the database has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Failover {
    /// Perhaps not everything that was acknowledged.
    Lossy,
    /// Everything that was acknowledged.
    Lossless,
}

/// What becomes of receipts that are too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Receipts {
    /// They are deleted.
    Delete,
    /// They are written to an archive before they are deleted.
    Archive,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:7878", value_name = "ADDRESS:PORT")]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// What a promoted standby of the database has. With `lossless` it has everything that was acknowledged, as a synchronous
    /// one has. With `lossy` it may lack something, so every client pulls from the beginning after a promotion.
    #[arg(long, value_enum, default_value_t = Failover::Lossy)]
    pub(crate) failover: Failover,
    /// How long the server keeps serving after it is asked to stop. Meanwhile /api/v1/health/ready answers 503, so that a load
    /// balancer sends it nothing more. The default is 3s over PostgreSQL and 0s over SQLite.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) drain: Option<Duration>,
    /// A Redis over which several servers on one PostgreSQL database tell each other of changes, such as
    /// redis://:password@host:port; rediss:// for TLS. Without it, or while it cannot be reached, the database tells them,
    /// or each server looks once a second.
    #[arg(long, env = "TIDINGS_BUS", hide_env_values = true, value_name = "REDIS")]
    pub(crate) bus: Option<String>,
    /// A Redis that keeps the unread counts of users who ask for them often, if the data is in PostgreSQL. It may be
    /// the same as --bus, and may lose everything at any time.
    #[arg(long, env = "TIDINGS_CACHE", hide_env_values = true, value_name = "REDIS")]
    pub(crate) cache: Option<String>,
    /// A collector of OpenTelemetry to which traces are sent by OTLP over HTTP, such as `http://collector:4318`; without it
    /// there are none. The SDK's variables set the rest: `OTEL_TRACES_SAMPLER=parentbased_traceidratio` and
    /// `OTEL_TRACES_SAMPLER_ARG=0.1` keep one of ten.
    #[arg(long, env = "TIDINGS_TRACES", hide_env_values = true, value_name = "URL")]
    pub(crate) traces: Option<String>,
    /// Let programs on this machine publish on topics without a token.
    #[arg(long)]
    pub(crate) open_publish: bool,
    /// Delete notifications and receipts older than this, for example 90d or 12h [default: nothing is deleted].
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) retain: Option<Duration>,
    /// Trust the clock, whatever it says. Without this, nothing is deleted by age in the first 24 hours of running after
    /// the clock was found more than 7 days ahead of the newest notification.
    #[arg(long)]
    pub(crate) retain_now: bool,
    /// What to do with read receipts of groups that are too old: delete them, or archive them first. The archive is in the
    /// folder `receipts` in the data folder, as JSON lines compressed with gzip.
    #[arg(long, value_enum, default_value_t = Receipts::Delete)]
    pub(crate) receipts: Receipts,
    /// Another host name that requests may be sent to; can be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// An origin whose web pages may use the server with a token, such as `https://ntfy.example`; can be given several
    /// times.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<Origin>,
    /// The address of a proxy that is trusted to name its clients; can be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trust_proxy: Vec<IpAddr>,
    /// The header in which such a proxy writes its client's address, such as X-Real-IP or Forwarded. The default is
    /// X-Forwarded-For; no other is read. Of several addresses the last one that is not a trusted proxy's counts.
    #[arg(long, value_name = "NAME", requires = "trust_proxy")]
    pub(crate) proxy_header: Option<ProxyHeader>,
    /// The address under which clients reach the server, such as `https://push.example.org`: addresses of uploaded files
    /// begin with it. Without it, they begin with the address that the upload was sent to.
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub(crate) public_url: Option<String>,
    /// The largest file that may be uploaded, for example 15M; 0 for none at all.
    #[arg(long, value_name = "SIZE", default_value = "15M", value_parser = size)]
    pub(crate) file_limit: u64,
    /// The most bytes of uploaded files of one user, and of all programs without a token together.
    #[arg(long, value_name = "SIZE", default_value = "100M", value_parser = size)]
    pub(crate) files_per_user: u64,
    /// The most bytes of all uploaded files.
    #[arg(long, value_name = "SIZE", default_value = "5G", value_parser = size)]
    pub(crate) files_total: u64,
    /// Delete uploaded files after this; they also go with their notification.
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = parse_age)]
    pub(crate) files_keep: Duration,
    /// A folder of uploaded files that several servers on one database share, on a file system that all of them see; it has to
    /// be there. Without it, each server keeps the files that it received in its data folder, and the others don't have them.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) files: Option<PathBuf>,
    /// Take mail at this address, for example 127.0.0.1:2525: a message to TOPIC@ or TOPIC+TOKEN@ becomes a notification;
    /// port 0 picks a free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) smtp: Option<String>,
    /// The domain that mail may be addressed to [default: any].
    #[arg(long, value_name = "NAME", requires = "smtp")]
    pub(crate) smtp_domain: Option<String>,
    /// What precedes the topic in a mail address, for example `ntfy-`.
    #[arg(long, value_name = "TEXT", requires = "smtp")]
    pub(crate) smtp_prefix: Option<String>,
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| "a size such as 15M, 5G or 4096".to_owned())
}

fn parse_url(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_url = host.is_some_and(|host| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>?#\\".contains(&byte))
    });
    if is_url { Ok(text.to_owned()) } else { Err("an address such as https://push.example.org".to_owned()) }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "a time such as 5s or 1m".to_owned())
}

fn parse_age(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .filter(|age| !age.is_zero())
        .ok_or_else(|| "an age such as 90d, 12h or 30m".to_owned())
}
