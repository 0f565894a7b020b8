//! Finds the SQL statements in Rust sources, so that a test can require that each of them runs in some test.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use tidings_sqlite::statements::{collapse_whitespace, is_query, recorded};

/// A statement in the sources that is allowed not to run.
#[derive(Debug, Clone, Copy)]
pub struct Unrun {
    /// A part of its text, with each run of white space as one space.
    pub statement: &'static str,
    /// The reason for which no test runs it.
    pub reason: &'static str,
}

/// Reads the Rust sources below a folder. Returns one line for each statement that was never recorded and is not in
/// `listed`, and one for each entry of `listed` that is not in the sources. A statement is a string literal that begins
/// with `SELECT`, `INSERT`, `UPDATE`, `DELETE`, `REPLACE` or `WITH`. `skip` is true for files that hold tests only.
///
/// # Errors
/// A file or folder cannot be read.
pub fn never_ran(folder: &Path, skip: &dyn Fn(&Path) -> bool, listed: &[Unrun]) -> io::Result<Vec<String>> {
    let ran = recorded();
    let mut unused: HashSet<&str> = listed.iter().map(|l| l.statement).collect();
    let mut found = Vec::new();
    for file in sources(folder)?.into_iter().filter(|f| !skip(f)) {
        let text = std::fs::read_to_string(&file)?;
        let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for literal in strings(program).iter().map(|l| collapse_whitespace(l)).filter(|l| is_query(l)) {
            let known: Vec<&Unrun> = listed.iter().filter(|l| literal.contains(l.statement)).collect();
            for l in &known {
                unused.remove(l.statement);
            }
            if known.is_empty() && !has_run(&literal, &ran) {
                found.push(format!("{}: {literal}", file.display()));
            }
        }
    }
    found.extend(unused.iter().map(|l| format!("listed, but not in the sources: {l}")));
    Ok(found)
}

/// Every Rust file below a folder, sorted by path.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a recorded statement may come from a literal: it contains the text between the literal's placeholders, in
/// order.
fn has_run(literal: &str, ran: &BTreeSet<String>) -> bool {
    let pieces = pieces(literal);
    ran.iter().any(|sql| {
        let mut rest = sql.as_str();
        pieces.iter().all(|piece| match rest.split_once(piece.as_str()) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    })
}

/// The parts of a format string between its placeholders.
fn pieces(literal: &str) -> Vec<String> {
    let (mut pieces, mut piece, mut inside) = (Vec::new(), String::new(), false);
    for c in literal.chars() {
        match (c, inside) {
            ('{', false) => {
                pieces.push(std::mem::take(&mut piece));
                inside = true;
            }
            ('}', true) => inside = false,
            (_, true) => {}
            (c, false) => piece.push(c),
        }
    }
    pieces.push(piece);
    pieces.iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

/// The string literals of a Rust source, unescaped as far as SQL needs it.
fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        let (before, here) = rest.split_at(at);
        rest = if here.starts_with("//") {
            here.split_once('\n').map_or("", |(_, after)| after)
        } else if here.starts_with("/*") {
            here.split_once("*/").map_or("", |(_, after)| after)
        } else if let Some(text) = here.strip_prefix('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let raw = before.trim_end_matches('#').ends_with('r');
            let (literal, after) = if raw { raw_string(text, hashes) } else { string(text) };
            found.push(literal);
            after
        } else {
            character(here)
        };
    }
    found
}

fn raw_string(text: &str, hashes: usize) -> (String, &str) {
    let end = format!("\"{}", "#".repeat(hashes));
    text.split_once(&end).map_or((text.to_owned(), ""), |(literal, after)| (literal.to_owned(), after))
}

/// Returns a string up to its closing quote, and the text after it.
fn string(text: &str) -> (String, &str) {
    let (mut literal, mut chars) = (String::new(), text.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (literal, text.get(at + 1..).unwrap_or_default()),
            // A continued line, or an escaped character.
            '\\' => literal.push(match chars.next() {
                Some((_, '\n' | 'n' | 't')) | None => ' ',
                Some((_, c)) => c,
            }),
            c => literal.push(c),
        }
    }
    (literal, "")
}

/// Skips a character literal, or the quote of a lifetime.
fn character(text: &str) -> &str {
    let mut chars = text.char_indices().skip(1);
    let escaped = matches!(chars.next(), Some((_, '\\')));
    let end = if escaped { chars.nth(1) } else { chars.next() };
    match end {
        Some((at, '\'')) => text.get(at + 1..).unwrap_or_default(),
        _ if escaped => text.get(2..).and_then(|t| t.split_once('\'')).map_or("", |(_, after)| after),
        _ => text.get(1..).unwrap_or_default(),
    }
}
