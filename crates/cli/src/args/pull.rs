//! Arguments of `pull`.

use clap::Args;

use super::size::parse_size;

#[derive(Debug, Args)]
pub(crate) struct Pull {
    /// Keep pulling as notifications arrive, until this command is stopped.
    #[arg(long)]
    pub(crate) watch: bool,
    /// The most that each source brings in this pull, for example 256M or 4G; the next pull continues. The default is
    /// 1 GiB, or what was chosen in the window. The running app uses what was chosen there.
    #[arg(long, env = "TIDINGS_PULL_SIZE", value_parser = size, value_name = "SIZE")]
    pub(crate) max_size: Option<u64>,
    /// The most pages that each source brings in this pull. The default is 1,000, or what was chosen in the window.
    #[arg(long, env = "TIDINGS_PULL_PAGES", value_parser = clap::value_parser!(u32).range(1..), value_name = "PAGES")]
    pub(crate) max_pages: Option<u32>,
    /// How much of the disk stays free. The default is 512 MiB, or 5 % of a disk below 10 GiB.
    #[arg(long, env = "TIDINGS_PULL_KEEP_FREE", value_parser = size, value_name = "SIZE")]
    pub(crate) keep_free: Option<u64>,
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| "a size such as 256M, 4G or 4096".to_owned())
}
