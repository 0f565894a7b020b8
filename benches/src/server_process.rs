//! The headless server as a process of its own, so that the kernel accounts for its processor time and memory.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::Result;

/// Clock ticks per second in /proc/PID/stat; constant on Linux.
const TICKS_PER_SECOND: u64 = 100;

/// A running `tidings serve`. Dropping it kills it.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) url: String,
    /// The admin's token; printed only at the first start on a data folder.
    pub(crate) admin: Option<String>,
}

impl ServerProcess {
    /// Starts the `tidings` program next to this executable on a free port.
    pub(crate) async fn start(data: &Path) -> Result<Self> {
        let program = std::env::current_exe()?.with_file_name("tidings");
        let mut child = Command::new(&program)
            .args(["serve", "--listen", "127.0.0.1:0", "--open-publish"])
            .env("TIDINGS_DATA_DIR", data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(data.join("serve.log"))?)
            .kill_on_drop(true)
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let mut admin = None;
        while let Some(line) = lines.next_line().await? {
            if let Some(at) = line.find("tdg_") {
                admin = line.get(at..).map(str::to_owned);
            }
            if let Some(url) = line.strip_prefix("listening on ") {
                return Ok(Self { url: url.to_owned(), admin, child });
            }
        }
        Err(format!("the server did not start: {}", fs::read_to_string(data.join("serve.log"))?).into())
    }

    fn proc_file(&self, name: &str) -> Result<String> {
        let id = self.child.id().ok_or("the server has ended")?;
        Ok(format!("/proc/{id}/{name}"))
    }

    /// Processor time of all its threads since its start.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let stat = fs::read_to_string(self.proc_file("stat")?)?;
        let fields = stat.rsplit_once(')').ok_or("no stat")?.1;
        let ticks: u64 =
            fields.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
    }

    /// Resets the peak of resident memory that [`ServerProcess::peak`] reads.
    pub(crate) fn reset_peak(&self) -> Result<()> {
        Ok(fs::write(self.proc_file("clear_refs")?, "5")?)
    }

    /// The largest resident set since [`ServerProcess::reset_peak`], bytes.
    pub(crate) fn peak(&self) -> Result<u64> {
        let status = fs::read_to_string(self.proc_file("status")?)?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).ok_or("no peak")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }

    /// Ends it by SIGTERM and gives the time it took. It is killed after a minute.
    pub(crate) async fn shut_down(mut self) -> Result<Duration> {
        let id = self.child.id().ok_or("the server has ended")?;
        let requested_at = Instant::now();
        Command::new("kill").arg(id.to_string()).status().await?;
        match tokio::time::timeout(Duration::from_secs(60), self.child.wait()).await {
            Ok(status) => drop(status?),
            Err(_) => self.child.kill().await?,
        }
        Ok(requested_at.elapsed())
    }
}
