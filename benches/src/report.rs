//! Prints the figures as they are taken, and writes them to a page of docs/ at the end.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::reads::Spread;

struct Target {
    what: String,
    passed: bool,
    required: bool,
    figure: String,
}

/// The figures, targets and notes of a run so far.
#[derive(Default)]
pub(crate) struct Report {
    text: String,
    targets: Vec<Target>,
    notes: Vec<String>,
}

impl Report {
    /// Begins a table of figures beside their floors.
    pub(crate) fn section(&mut self, title: &str, unit: &str) {
        println!("\n{title} ({unit})");
        let _ = write!(
            self.text,
            "\n## {title}\n\n{unit}\n\n| what | figure | floor | floor is | ratio |\n|---|---:|---:|---|---:|\n"
        );
    }

    /// Begins a table with other columns.
    pub(crate) fn table(&mut self, title: &str, unit: &str, columns: &[&str]) {
        println!("\n{title} ({unit})\n  {}", columns.join(" | "));
        let _ = write!(
            self.text,
            "\n## {title}\n\n{unit}\n\n| {} |\n|---|{}\n",
            columns.join(" | "),
            "---:|".repeat(columns.len().saturating_sub(1))
        );
    }

    /// Adds a row to a table of [`Report::table`].
    pub(crate) fn cells(&mut self, what: &str, cells: &[String]) {
        println!("  {what:<52} {}", cells.join(" | "));
        let _ = writeln!(self.text, "| {what} | {} |", cells.join(" | "));
    }

    /// Adds a figure beside its floor to a table of [`Report::section`]; `floor_name` names the floor.
    pub(crate) fn row(&mut self, what: &str, figure: &str, floor: &str, floor_name: &str, ratio: f64) {
        println!("  {what:<44} {figure:>24} {floor:>24}  {ratio:>6.2} × {floor_name}");
        let _ = writeln!(self.text, "| {what} | {figure} | {floor} | {floor_name} | {ratio:.2} |");
    }

    /// Adds a target; one that is missed fails the run.
    pub(crate) fn target(&mut self, what: &str, passed: bool, figure: &str) {
        self.add_target(what, passed, true, figure);
    }

    /// Adds a goal: shown like a target, but a missed one does not fail the run.
    pub(crate) fn goal(&mut self, what: &str, passed: bool, figure: &str) {
        self.add_target(&format!("goal: {what}"), passed, false, figure);
    }

    fn add_target(&mut self, what: &str, passed: bool, required: bool, figure: &str) {
        println!("  {} {what}: {figure}", if passed { "holds:" } else { "MISSED:" });
        self.targets.push(Target { what: what.to_owned(), passed, required, figure: figure.to_owned() });
    }

    /// Adds a remark, printed now and listed at the end of the page.
    pub(crate) fn note(&mut self, text: &str) {
        println!("  ({text})");
        self.notes.push(text.to_owned());
    }

    /// Writes the page. `opening` is its title and first sentences, `machine` the line that describes the machine.
    pub(crate) fn write(&self, to: &Path, opening: &str, machine: &str) -> Result<()> {
        let mut page = format!("{opening}\n\n{machine}\n");
        page.push_str("\n## What must hold\n\n| what | figure | holds |\n|---|---:|---|\n");
        for Target { what, passed, figure, .. } in &self.targets {
            let _ = writeln!(page, "| {what} | {figure} | {} |", if *passed { "yes" } else { "**no**" });
        }
        page.push_str(&self.text);
        if !self.notes.is_empty() {
            page.push_str("\n## Notes\n\n");
            for note in &self.notes {
                let _ = writeln!(page, "- {note}");
            }
        }
        Ok(std::fs::write(to, page)?)
    }

    /// Whether no target was missed.
    pub(crate) fn all_passed(&self) -> bool {
        self.targets.iter().all(|target| target.passed || !target.required)
    }
}

/// A duration in seconds, as `1.2 s`.
pub(crate) fn secs(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Items per second and the duration, as `123000 /s (8.1 s)`.
pub(crate) fn rate(items: usize, time: Duration) -> String {
    #[allow(clippy::cast_precision_loss)]
    let rate = items as f64 / time.as_secs_f64();
    format!("{rate:.0} /s ({})", secs(time))
}

/// Median and 99th percentile in milliseconds, as `12.3 ms, p99 30.1 ms`.
pub(crate) fn millis(spread: Spread) -> String {
    let millis = |d: Duration| d.as_secs_f64() * 1e3;
    format!("{:.1} ms, p99 {:.1} ms", millis(spread.p50), millis(spread.p99))
}

/// Median and 99th percentile in microseconds, as `12 µs, p99 30 µs`.
pub(crate) fn micros(spread: Spread) -> String {
    let micros = |d: Duration| d.as_secs_f64() * 1e6;
    format!("{:.0} µs, p99 {:.0} µs", micros(spread.p50), micros(spread.p99))
}
