//! How figures change while an inbox grows. A run of more than a million items keeps its points in `benches/growth.toml`.
//! So the page of a whole run, which ends at a million, has them too.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::plot::{self, Line};
use crate::report::Report;

/// The figures that must not grow with the inbox, µs.
pub(crate) const NUMBERS: &str = "unread numbers";
pub(crate) const FIRST_PAGE: &str = "first page";
/// The searches whose times are drawn, µs.
pub(crate) const SEARCHES: [&str; 3] =
    ["threads with `certificate`", "items with `the`", "threads with `the`"];
/// What an item takes of the replica, and items a second of a backlog.
pub(crate) const BYTES: &str = "bytes an item";
pub(crate) const RATE: &str = "items a second";

/// The most that a figure at the largest inbox may be of the one at the smallest.
const MAX_FACTOR: f64 = 1.3;

/// Values by the number of items, by the name of the figure.
pub(crate) type Points = BTreeMap<String, BTreeMap<usize, f64>>;

/// A plot beside the page.
struct Plot {
    file: &'static str,
    title: &'static str,
    axis: &'static str,
    figures: &'static [&'static str],
    label: fn(f64) -> String,
}

const PLOTS: [Plot; 2] = [
    Plot {
        file: "growth.svg",
        title: "Times of reading by the number of items",
        axis: "items in the inbox; median times",
        figures: &[NUMBERS, FIRST_PAGE, SEARCHES[0], SEARCHES[1], SEARCHES[2]],
        label: time,
    },
    Plot {
        file: "growth-backlog.svg",
        title: "Size and speed of a backlog by the number of items",
        axis: "items in the inbox; above a million copies of them, from memory",
        figures: &[RATE, BYTES],
        label: number,
    },
];

fn time(micros: f64) -> String {
    if micros < 1e3 { format!("{micros:.0} µs") } else { format!("{:.0} ms", micros / 1e3) }
}

fn number(value: f64) -> String {
    format!("{value:.0}")
}

/// What a run of more items has left.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// The day and the machine.
    taken: String,
    /// The points as in [`Points`], with the numbers of items as text.
    figures: BTreeMap<String, BTreeMap<String, f64>>,
}

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/growth.toml"))
}

impl Kept {
    /// `None` if no such run was made yet.
    fn read() -> Result<Option<Self>> {
        match std::fs::read_to_string(file()) {
            Ok(text) => Ok(Some(toml::from_str(&text)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The points of a figure, in ascending order.
    fn points(&self, figure: &str) -> BTreeMap<usize, f64> {
        let points = self.figures.get(figure).into_iter().flatten();
        points.filter_map(|(items, value)| Some((items.parse().ok()?, *value))).collect()
    }
}

/// Keeps the points of a run.
///
/// # Errors
/// The file can't be written.
pub(crate) fn keep(points: &Points, taken: &str) -> Result<()> {
    let text = |of: &BTreeMap<usize, f64>| -> BTreeMap<String, f64> {
        of.iter().map(|(items, value)| (items.to_string(), (value * 1e3).round() / 1e3)).collect()
    };
    let figures = points.iter().map(|(name, of)| (name.clone(), text(of))).collect();
    let opening = "# The points of the plots of growth, as the last run of more than a million items has left them:\n\
                   # `tidings-benches --items 10000000 --only pull,reads`.\n\n";
    let kept = Kept { taken: taken.to_owned(), figures };
    Ok(std::fs::write(file(), format!("{opening}{}", toml::to_string(&kept)?))?)
}

/// Writes how the largest inbox whose points are kept is read, beside the smallest of the same run.
///
/// # Errors
/// The file can't be read.
pub(crate) fn write_kept(report: &mut Report) -> Result<()> {
    let Some(kept) = Kept::read()? else { return Ok(()) };
    let unit = format!("median microseconds at the most items, beside those at the fewest; {}", kept.taken);
    report.section("Growth", &unit);
    for figure in [NUMBERS, FIRST_PAGE] {
        let points = kept.points(figure);
        let (Some((few, small)), Some((many, large))) = (points.first_key_value(), points.last_key_value())
        else {
            continue;
        };
        let (factor, what) = (large / small, format!("{figure}, {many} items"));
        let text = |micros: f64| format!("{micros:.0} µs");
        report.rough_row(&what, &text(*large), &text(*small), &format!("the same at {few}"), factor);
        let holds = factor <= MAX_FACTOR;
        let target = format!("{figure} at {many} within {MAX_FACTOR} × of those at {few} (goal 1.1)");
        report.target(&target, holds, &format!("{factor:.2}"));
    }
    Ok(())
}

/// Draws the plots beside a page, with the kept points of larger inboxes; gives the lines of the page that show them.
///
/// # Errors
/// The file of the points can't be read, or a plot not be written.
pub(crate) fn draw(points: &Points, page: &Path) -> Result<String> {
    let (kept, mut shown) = (Kept::read()?, String::new());
    for Plot { file, title, axis, figures, label } in PLOTS {
        let line = |name: &&str| {
            let mut points = points.get(*name)?.clone();
            let largest = *points.last_key_value()?.0;
            if let Some(kept) = &kept {
                points.extend(kept.points(name).into_iter().filter(|(items, _)| *items > largest));
            }
            #[allow(clippy::cast_precision_loss)]
            let points = points.into_iter().map(|(items, value)| (items as f64, value)).collect();
            Some(Line { name: (*name).to_owned(), points })
        };
        let lines: Vec<Line> = figures.iter().filter_map(line).collect();
        if lines.is_empty() {
            continue;
        }
        std::fs::write(page.with_file_name(file), plot::draw(&lines, [title, axis], label))?;
        let _ = writeln!(shown, "\n![{title}]({file})");
    }
    Ok(shown)
}
