//! Processor time and memory of a process, as the kernel accounts for them.

use std::fs;
use std::time::Duration;

use crate::Result;

/// Clock ticks per second in /proc/PID/stat; constant on Linux.
const TICKS_PER_SECOND: u64 = 100;

/// The account of a process, by its id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessStats(u32);

impl ProcessStats {
    pub(crate) fn new(id: u32) -> Self {
        Self(id)
    }

    fn read(self, name: &str) -> Result<String> {
        Ok(fs::read_to_string(format!("/proc/{}/{name}", self.0))?)
    }

    /// Processor time of all its threads since its start.
    pub(crate) fn cpu(self) -> Result<Duration> {
        let stat = self.read("stat")?;
        let fields = stat.rsplit_once(')').ok_or("no stat")?.1;
        let ticks: u64 =
            fields.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
    }

    /// Resets the peak of resident memory that [`ProcessStats::peak`] reads.
    pub(crate) fn reset_peak(self) -> Result<()> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.0), "5")?)
    }

    /// The largest resident set since [`ProcessStats::reset_peak`], bytes.
    pub(crate) fn peak(self) -> Result<u64> {
        let status = self.read("status")?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).ok_or("no peak")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }

    /// The resident set now, bytes.
    pub(crate) fn resident(self) -> Result<u64> {
        self.reset_peak()?;
        self.peak()
    }
}
