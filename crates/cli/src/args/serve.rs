//! Arguments of `serve`.

use std::{net::IpAddr, time::Duration};

use clap::Args;
use tidings_server::Origin;

use super::duration::parse_duration;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:7878", value_name = "ADDRESS:PORT")]
    pub(crate) listen: String,
    /// The database; only sqlite, in the data folder.
    #[arg(long, default_value = "sqlite")]
    pub(crate) store: String,
    /// Let programs on this machine publish on topics without a token.
    #[arg(long)]
    pub(crate) open_publish: bool,
    /// Delete notifications and receipts older than this, for example 90d or 12h; nothing is deleted unless given.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) retain: Option<Duration>,
    /// A further host name that requests may be sent to; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// An origin whose web pages may use the server with a token, such as https://ntfy.example; may be given several
    /// times.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<Origin>,
    /// The address of a proxy whose X-Forwarded headers are trusted; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trust_proxy: Vec<IpAddr>,
}

fn parse_age(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .filter(|age| !age.is_zero())
        .ok_or_else(|| "an age such as 90d, 12h or 30m".to_owned())
}
