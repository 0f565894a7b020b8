//! What runs have tried, for the table in docs/TRUST.md: each adds lines to the file that `TIDINGS_REPORT` names, and
//! `scripts/trust.py` writes their sums into the table.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::time::{Instant, SystemTime};

/// Reports that so many things were tried, such as `("images", 40)`. `what` is the row of the table; `seeds` are those by
/// which the things were drawn, or the first and the last of them. Without `TIDINGS_REPORT` this does nothing.
pub fn tried(what: &str, counts: &[(&str, u64)], seeds: &[u64]) {
    write_line(what, counts, seeds, "");
}

/// [`tried`], for what began at `began` and ends now. The row says how long all of it took, from the first beginning to
/// the last end. It also says how many of the last of the counts that is in a second.
pub fn tried_since(began: Instant, what: &str, counts: &[(&str, u64)], seeds: &[u64]) {
    let end =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock after 1970").as_millis();
    write_line(what, counts, seeds, &format!("{}–{end}", end - began.elapsed().as_millis()));
}

fn write_line(what: &str, counts: &[(&str, u64)], seeds: &[u64], span: &str) {
    let Some(path) = std::env::var_os("TIDINGS_REPORT") else { return };
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let mut line = format!("{what}\t{}\t{span}", seeds.join("–"));
    for (unit, count) in counts {
        write!(line, "\t{count} {unit}").expect("a text takes it");
    }
    line.push('\n');
    let mut file = File::options().create(true).append(true).open(path).expect("the report is writable");
    // In one piece, because many tests write at once.
    file.write_all(line.as_bytes()).expect("the report is writable");
}
