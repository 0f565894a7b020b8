//! The tables in which the set-ups stand beside each other, and the goals that they are held to.

use super::deployment::{Kind, SetUp};
use super::posts::{ARRAY, PostFigures, PostKind};
use super::raw;
use super::reading::{self, ReadFigures};
use crate::report::{Report, millis};

/// The least share of its floor that publishing over PostgreSQL is to reach.
const MIN_OF_RAW: f64 = 0.5;

/// What was measured in one set-up.
pub(crate) struct Figures {
    pub(crate) set_up: SetUp,
    pub(crate) posts: Vec<(PostKind, PostFigures)>,
    pub(crate) reads: ReadFigures,
}

impl Figures {
    fn of(&self, kind: PostKind) -> Option<&PostFigures> {
        self.posts.iter().find(|(of, _)| *of == kind).map(|(_, figures)| figures)
    }
}

/// Writes all tables and goals.
pub(crate) fn write(report: &mut Report, connections: &[usize], all: &[Figures]) {
    for kind in PostKind::ALL {
        posts(report, connections, all, kind);
    }
    costs(report, all);
    reads(report, all);
}

fn posts(report: &mut Report, connections: &[usize], all: &[Figures], kind: PostKind) {
    let mut columns = vec!["set-up".to_owned()];
    columns.extend(connections.iter().map(|count| format!("{count} connections")));
    columns.push(format!("in arrays of {ARRAY}"));
    columns.extend(
        ["raw SQL", "raw HTTP", "of both floors", "of raw SQL", "in arrays, of raw SQL"].map(str::to_owned),
    );
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let unit = format!(
        "a second, each durable before its answer, one in a request unless in arrays. Raw SQL writes the same rows to the \
         same tables in batches of {}, over {} connections to PostgreSQL. Raw HTTP is the same requests over the most \
         connections to a server that stores nothing. Both floors are the time of the one and of the other for each \
         publication. The ratios are those of the most connections, and of arrays",
        raw::BATCH,
        raw::CONNECTIONS
    );
    report.table(&format!("Publishing {}", kind.name()), &unit, &columns);
    for figures in all {
        let Some(posts) = figures.of(kind) else { continue };
        let ratios = Ratios::of(posts);
        let mut cells: Vec<String> = posts.rates.iter().map(|rate| format!("{rate:.0}")).collect();
        cells.extend([posts.in_arrays, posts.raw, posts.http].map(|rate| format!("{rate:.0}")));
        cells.extend([ratios.of_floors, ratios.of_sql, ratios.in_arrays].map(|ratio| format!("{ratio:.2}")));
        report.cells(figures.set_up.name, &cells);
    }
    for figures in all.iter().filter(|figures| figures.set_up.kind == Kind::Postgres) {
        let Some(ratios) = figures.of(kind).map(Ratios::of) else { continue };
        let what = |how: &str, floor: &str| {
            format!("{}: {} {how} at {MIN_OF_RAW} × of {floor} or more", figures.set_up.name, kind.name())
        };
        for (what, ratio) in [
            (what("one in a request", "raw HTTP with raw SQL"), ratios.of_floors),
            (what("in arrays", "raw SQL"), ratios.in_arrays),
        ] {
            report.goal(&what, ratio >= MIN_OF_RAW, &format!("{ratio:.2}"));
        }
    }
}

/// Rates as shares of their floors.
struct Ratios {
    /// One in a request over the most connections, of raw HTTP and raw SQL one after the other.
    of_floors: f64,
    /// The same, of raw SQL alone.
    of_sql: f64,
    /// In arrays, of raw SQL.
    in_arrays: f64,
}

impl Ratios {
    fn of(posts: &PostFigures) -> Self {
        let singly = posts.rates.last().copied().unwrap_or_default();
        let floors = (posts.raw.recip() + posts.http.recip()).recip();
        Self {
            of_floors: singly / floors,
            of_sql: singly / posts.raw,
            in_arrays: posts.in_arrays / posts.raw,
        }
    }
}

fn costs(report: &mut Report, all: &[Figures]) {
    report.table(
        "What one publication takes",
        "processor time of the nodes and of PostgreSQL's processes in microseconds, rows with their indexes and \
         write-ahead log in bytes. They are over all numbers of connections, one in a request",
        &["set-up and kind", "nodes µs", "PostgreSQL µs", "rows", "log"],
    );
    for figures in all {
        for (kind, posts) in &figures.posts {
            let cost = &posts.cost;
            let none = || "–".to_owned();
            let micros = |time: std::time::Duration| format!("{:.0}", time.as_secs_f64() * 1e6);
            report.cells(
                &format!("{}: {}", figures.set_up.name, kind.name()),
                &[
                    micros(cost.nodes),
                    cost.database.map_or_else(none, micros),
                    cost.rows.to_string(),
                    cost.log.map_or_else(none, |bytes| bytes.to_string()),
                ],
            );
        }
    }
}

fn reads(report: &mut Report, all: &[Figures]) {
    let unit = format!(
        "a second over {} connections of as many readers as there are, with the times of one. Hints are from a publication at \
         the first node to the live channel at the last one",
        reading::CONNECTIONS
    );
    let page = format!("pulls of {} items", reading::PAGE);
    report.table(
        "Reading",
        &unit,
        &["set-up", "pulls of nothing new", "", &page, " ", "unread", "  ", "hints"],
    );
    for Figures { set_up, reads, .. } in all {
        let mut cells = Vec::new();
        for load in [&reads.idle, &reads.pages, &reads.unread] {
            cells.push(format!("{:.0} /s", load.per_second()));
            cells.push(millis(load.latency));
        }
        cells.push(millis(reads.hints));
        report.cells(set_up.name, &cells);
    }
}
