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
        self.cpu_of_fields(2)
    }

    /// Processor time of the process and of all its children, also of those that have ended.
    pub(crate) fn cpu_with_children(self) -> Result<Duration> {
        // One that has just ended counts with its parent the next time.
        let children: Duration = self.children().into_iter().filter_map(|child| child.cpu().ok()).sum();
        Ok(self.cpu_of_fields(4)? + children)
    }

    /// The fields of `stat` behind the name of the program.
    fn fields(self) -> Result<Vec<u64>> {
        let stat = self.read("stat")?;
        let fields = stat.rsplit_once(')').ok_or("no stat")?.1;
        // The first is the state, a letter.
        Ok(fields.split_whitespace().map(|field| field.parse().unwrap_or_default()).collect())
    }

    fn parent(self) -> Result<u32> {
        Ok(u32::try_from(self.fields()?.get(1).copied().unwrap_or_default())?)
    }

    /// The first `count` of: its own time in user mode and in the kernel, and the same of children that it waited for.
    fn cpu_of_fields(self, count: usize) -> Result<Duration> {
        let ticks: u64 = self.fields()?.iter().skip(11).take(count).sum();
        Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
    }

    /// Resets the peak of resident memory that [`ProcessStats::peak`] reads.
    pub(crate) fn reset_peak(self) -> Result<()> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.0), "5")?)
    }

    /// Its living children.
    fn children(self) -> Vec<Self> {
        let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Self);
        ids.filter(|child| child.parent().is_ok_and(|parent| parent == self.0)).collect()
    }

    /// The largest resident sets of the process since [`ProcessStats::reset_peak`] and of its living children, added up,
    /// bytes: at least as much as they had at one time.
    pub(crate) fn peak_with_children(self) -> Result<u64> {
        // One may end meanwhile.
        let children: u64 = self.children().into_iter().filter_map(|child| child.peak().ok()).sum();
        Ok(self.peak()? + children)
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
