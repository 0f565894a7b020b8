//! Prints the figures as they are taken, and writes them to a page of docs/ at the end.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::bars::{Better, Measured, Table};
use crate::growth::{self, Points};
use crate::reads::Spread;

struct Target {
    what: String,
    passed: bool,
    required: bool,
    figure: String,
}

/// A row with a floor.
struct Row {
    name: String,
    figure: String,
    floor: String,
    ratio: f64,
}

/// A floor below this is small.
const SMALL_FLOOR: Duration = Duration::from_micros(50);

/// The rows that the page begins with: the beginnings of their names.
const HEADLINES: [&str; 18] = [
    "Backlog: pull of",
    "Work of a backlog: bytes written",
    "Size of a replica: a replica of",
    "Marks during a backlog: a mark",
    "Unread numbers: 1000000 items",
    "First page: inbox, 1000000 items",
    "Growth: unread numbers",
    "Growth: first page",
    "Search: threads with `certificate`, 1000000 items",
    "Search: items with `the`, 1000000 items",
    "Publishing: 1 connections ÷ raw HTTP with a raw commit",
    "Publishing: 1 connections ÷ raw commits",
    "Publishing: 64 connections ÷ raw HTTP with a raw commit",
    "Start: first list",
    "Memory: never opened (--background), 1000000 items",
    "Hands: a letter of a search",
    "Toasts: a notification",
    "Rows: a notification",
];

/// The figures, targets and notes of a run so far.
#[derive(Default)]
pub(crate) struct Report {
    text: String,
    /// The title of the last section.
    section: String,
    measured: Vec<Measured>,
    rows: Vec<Row>,
    points: Points,
    /// What stands below the first table of the page.
    beside: String,
    targets: Vec<Target>,
    notes: Vec<String>,
}

impl Report {
    /// Begins a table of figures beside their floors.
    pub(crate) fn section(&mut self, title: &str, unit: &str) {
        println!("\n{title} ({unit})");
        title.clone_into(&mut self.section);
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

    /// Adds a figure beside its floor to a table of [`Report::section`]; `floor_name` names the floor. A lower ratio is
    /// better.
    pub(crate) fn row(&mut self, what: &str, figure: &str, floor: &str, floor_name: &str, ratio: f64) {
        self.figure_row(what, [figure, floor, floor_name], ratio, Better::Lower);
    }

    /// Like [`Report::row`], for a rate: a higher ratio is better.
    pub(crate) fn rate_row(&mut self, what: &str, figure: &str, floor: &str, floor_name: &str, ratio: f64) {
        self.figure_row(what, [figure, floor, floor_name], ratio, Better::Higher);
    }

    /// Like [`Report::row`], for a figure so small or so rough that its ratio has no bar.
    pub(crate) fn rough_row(&mut self, what: &str, figure: &str, floor: &str, floor_name: &str, ratio: f64) {
        self.figure_row(what, [figure, floor, floor_name], ratio, Better::Neither);
    }

    /// Adds a row of times. A floor of a few microseconds depends more on the caches than on what is measured: such a ratio
    /// has no bar.
    pub(crate) fn times_row(
        &mut self,
        what: &str,
        [figure, floor]: [Spread; 2],
        more: &str,
        floor_name: &str,
    ) {
        let ratio = figure.p50.as_secs_f64() / floor.p50.as_secs_f64();
        let better = if floor.p50 < SMALL_FLOOR { Better::Neither } else { Better::Lower };
        let texts = [format!("{}{more}", micros(figure)), micros(floor)];
        self.figure_row(what, [&texts[0], &texts[1], floor_name], ratio, better);
    }

    /// Adds a count for each item that does not depend on the machine, beside that of its floor. The count itself has
    /// the bar.
    pub(crate) fn count(&mut self, what: &str, each: f64, floor: f64) {
        let (figure, floor_figure) = (format!("{each:.4}"), format!("{floor:.4}"));
        self.write_row(what, [&figure, &floor_figure, "raw SQLite"], each / floor);
        self.add_measured(what, each, Better::Lower, true);
    }

    fn figure_row(&mut self, what: &str, figures: [&str; 3], ratio: f64, better: Better) {
        let [_, _, floor_name] = figures;
        let what_of = format!("{what} ÷ {floor_name}");
        self.write_row(what, figures, ratio);
        self.add_measured(&what_of, ratio, better, false);
    }

    fn add_measured(&mut self, what: &str, value: f64, better: Better, is_count: bool) {
        let name = format!("{}: {what}", self.section);
        if let Some(row) = self.rows.last_mut() {
            row.name.clone_from(&name);
        }
        self.measured.push(Measured { name, value, better, is_count });
    }

    fn write_row(&mut self, what: &str, [figure, floor, floor_name]: [&str; 3], ratio: f64) {
        println!("  {what:<44} {figure:>24} {floor:>24}  {ratio:>6.2} × {floor_name}");
        let _ = writeln!(self.text, "| {what} | {figure} | {floor} | {floor_name} | {ratio:.2} |");
        let (figure, floor) = (figure.to_owned(), format!("{floor}, {floor_name}"));
        self.rows.push(Row { name: String::new(), figure, floor, ratio });
    }

    /// Adds a point of a plot of growth.
    pub(crate) fn point(&mut self, figure: &str, items: usize, value: f64) {
        self.points.entry(figure.to_owned()).or_default().insert(items, value);
    }

    /// The points of the plots of growth.
    pub(crate) fn points(&self) -> &Points {
        &self.points
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

    /// Appends sentences to what was measured.
    pub(crate) fn append(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Puts a section of another page below the first table.
    pub(crate) fn beside(&mut self, section: String) {
        self.beside = section;
    }

    /// Writes the page, and the plots of growth beside it. `opening` is its title and first sentences, `machine` the line
    /// that describes the machine.
    pub(crate) fn write(&self, to: &Path, opening: &str, machine: &str, bars: &Table) -> Result<()> {
        let mut page = format!("{opening}\n\n{machine}\n");
        let headlines =
            HEADLINES.iter().filter_map(|name| self.rows.iter().find(|row| row.name.starts_with(name)));
        let headlines: Vec<&Row> = headlines.collect();
        if !headlines.is_empty() {
            page.push_str("\n## In a minute\n\n| what | figure | floor | ratio | best so far |\n|---|---:|---:|---:|---:|\n");
        }
        for Row { name, figure, floor, ratio } in headlines {
            let what = name.split(" ÷ ").next().unwrap_or(name);
            let best = bars.get(name).map_or_else(|| "–".to_owned(), |best| format!("{best:.2}"));
            let _ = writeln!(page, "| {what} | {figure} | {floor} | {ratio:.2} | {best} |");
        }
        page.push_str(&self.beside);
        page.push_str(&growth::draw(&self.points, to)?);
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

    /// The figures that may have bars.
    pub(crate) fn measured(&self) -> &[Measured] {
        &self.measured
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
