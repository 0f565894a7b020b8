//! The bars: for each ratio and count of a run, the best that it was on a calm machine. `benches/bars.toml` has them,
//! and a run fails if a figure falls behind its bar by more than its tolerance. They only move when `--raise-bars` is
//! given.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::Result;

/// The bars of one kind of run: the figures' names with their best values.
pub(crate) type Table = BTreeMap<String, f64>;
/// Those of each kind of run, by its name.
type Tables = BTreeMap<String, Table>;

/// Bytes that are written depend on the time, because the log is copied into the file while others write. Beside four
/// busy threads a backlog wrote up to 16 % more.
const VARYING: &str = "bytes written";
const VARYING_TOLERANCE: f64 = 0.25;

/// What is nearly the same in each run: such counts may only fall.
const EXACT: [&str; 3] = ["statements", "transactions", "allocations"];
const EXACT_TOLERANCE: f64 = 0.05;

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    Higher,
    Lower,
    /// It depends on the machine so much that it has no bar.
    Neither,
}

impl Better {
    /// How far a value is behind its bar, as a share of the bar; negative if it is ahead of it.
    fn lag(self, value: f64, bar: f64) -> f64 {
        match self {
            Self::Higher => (bar - value) / bar,
            Self::Lower => (value - bar) / bar,
            Self::Neither => 0.0,
        }
    }
}

/// A figure that was measured.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// Its section and its row.
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) better: Better,
    /// Whether it is a count, which is the same on every machine.
    pub(crate) is_count: bool,
}

impl Measured {
    /// How far it may be behind its bar, as a share of that; `usual` for what is no count.
    fn tolerance(&self, usual: f64) -> f64 {
        let counted = self.name.split_once(": ").filter(|_| self.is_count).map_or("", |(_, what)| what);
        if counted.starts_with(VARYING) {
            VARYING_TOLERANCE
        } else if EXACT.iter().any(|exact| counted.starts_with(exact)) {
            EXACT_TOLERANCE
        } else {
            usual
        }
    }
}

/// The bars of one kind of run.
pub(crate) struct Bars {
    /// The name of their table.
    pub(crate) run: &'static str,
    /// How far a figure that is no count may be behind its bar, as a share of it.
    pub(crate) tolerance: f64,
    /// Whether only counts have bars.
    pub(crate) counts_only: bool,
}

impl Bars {
    fn file() -> PathBuf {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/bars.toml"))
    }

    /// The bars as they are in the file.
    ///
    /// # Errors
    /// The file can't be read.
    pub(crate) fn table(&self) -> Result<Table> {
        let mut tables: Tables = toml::from_str(&std::fs::read_to_string(Self::file())?)?;
        Ok(tables.remove(self.run).unwrap_or_default())
    }

    /// Prints which figures are behind their bars, and by how much; true if none is.
    ///
    /// # Errors
    /// The file can't be read.
    pub(crate) fn check(&self, measured: &[Measured]) -> Result<bool> {
        let bars = self.table()?;
        let mut holds = true;
        for figure in measured {
            let Measured { name, value, better, .. } = figure;
            let Some(bar) = bars.get(name) else { continue };
            let lag = better.lag(*value, *bar);
            if lag > figure.tolerance(self.tolerance) {
                holds = false;
                println!("  BEHIND its bar by {:.0} %: {name}: {value:.2}, bar {bar:.2}", lag * 1e2);
            }
        }
        for name in bars.keys().filter(|name| !measured.iter().any(|figure| figure.name == **name)) {
            holds = false;
            println!("  MISSING, but there is a bar for it: {name}");
        }
        Ok(holds)
    }

    /// Raises the bars of figures that were better than their bars, and sets bars for figures that have none.
    ///
    /// # Errors
    /// The file can't be read or written.
    pub(crate) fn raise(&self, measured: &[Measured]) -> Result<()> {
        let text = std::fs::read_to_string(Self::file())?;
        let mut tables: Tables = toml::from_str(&text)?;
        let bars = tables.entry(self.run.to_owned()).or_default();
        for Measured { name, value, better, is_count } in measured {
            let rounded = (value * 1e6).round() / 1e6;
            match bars.get_mut(name) {
                _ if *better == Better::Neither || self.counts_only && !is_count => {}
                Some(bar) if better.lag(rounded, *bar) < 0.0 => *bar = rounded,
                Some(_) => {}
                None => drop(bars.insert(name.clone(), rounded)),
            }
        }
        // The sentences at the top stay.
        let opening: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        Ok(std::fs::write(Self::file(), format!("{}\n\n{}", opening.join("\n"), toml::to_string(&tables)?))?)
    }
}
