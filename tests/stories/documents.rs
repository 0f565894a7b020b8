//! Tests that everything the documents name exists: every path, every link, and every type of the glossary.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use support::program::root;

/// The folders whose paths the documents write from the root.
const FOLDERS: &[&str] =
    &["benches/", "crates/", "docs/", "packaging/", "scripts/", "src-tauri/", "tests/", "ui/"];
/// Keywords that declare a name, in Rust and in TypeScript.
const DECLARING_KEYWORDS: &[&str] = &["struct", "enum", "trait", "fn", "type", "class", "interface", "const"];
/// Folders that a test run creates, which a clean clone lacks.
const CREATED_BY_RUNS: &[&str] = &["tests/out/"];

/// The documents in a folder below docs/, but for the list of the pages of a book.
fn pages_in(folder: &str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(root().join("docs").join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "md") && !path.ends_with("SUMMARY.md"))
}

/// The path and text of each document.
pub(crate) fn documents() -> Vec<(String, String)> {
    let in_docs = ["", "zh-CN", "operating"].into_iter().flat_map(pages_in);
    let at_root =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/SUMMARY.md", "docs/zh-CN/SUMMARY.md"];
    let documents = in_docs.chain(at_root.map(|name| root().join(name)));
    documents.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

/// Where each link of a text leads, those of the web aside.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    all.filter(|link| !link.contains("://"))
}

/// The parts of a text between backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The most bytes of the first picture of the README, which every visitor loads.
const MAX_MOVING_PICTURE: usize = 2_000_000;

#[test]
fn the_first_picture_of_the_readme_moves_and_is_small() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let first = text.split("![").nth(1).and_then(|rest| links(rest).next()).unwrap();
    let picture = fs::read(root().join(first)).unwrap();
    assert!(picture.starts_with(b"GIF89a"), "{first}");
    assert!(picture.len() <= MAX_MOVING_PICTURE, "{} bytes", picture.len());
    // Each frame begins with a graphic control extension.
    let frames = picture.windows(3).filter(|part| part == b"\x21\xf9\x04").count();
    assert!(frames > 3, "{frames} frames");
}

#[test]
fn every_path_in_the_documents_exists() {
    let mut checked = 0;
    let mut missing = Vec::new();
    for (document, text) in documents() {
        for line in text.lines() {
            for path in code(line).filter(|code| FOLDERS.iter().any(|folder| code.starts_with(folder))) {
                let named = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
                if named && !CREATED_BY_RUNS.contains(&path) {
                    checked += 1;
                    if !root().join(path).exists() {
                        missing.push(format!("{document}: {path}"));
                    }
                }
            }
        }
    }
    assert!(checked > 50, "{checked} paths were found");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The anchor of a heading, as forges make it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|sign| sign.is_alphanumeric() || [' ', '-', '_'].contains(sign));
    kept.map(|sign| if sign == ' ' { '-' } else { sign }).collect()
}

#[test]
fn every_link_between_the_documents_leads_to_a_file_and_its_heading() {
    let book = root().join("docs").canonicalize().unwrap();
    let mut checked = 0;
    let mut dead = Vec::new();
    for (document, text) in documents() {
        let here = Path::new(&document);
        for link in links(&text) {
            checked += 1;
            let (path, heading) =
                link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
            let target = if path.is_empty() { PathBuf::from(here) } else { here.with_file_name(path) };
            // A page of the book leads to nothing outside of it.
            let is_outside =
                here.starts_with(&book) && !target.canonicalize().is_ok_and(|to| to.starts_with(&book));
            let leads = !is_outside
                && target.is_file()
                && heading.is_none_or(|heading| {
                    let text = fs::read_to_string(&target).unwrap();
                    text.lines().any(|line| line.starts_with('#') && anchor(line) == heading)
                });
            if !leads {
                dead.push(format!("{document}: {link}"));
            }
        }
    }
    assert!(checked > 40, "{checked} links were found");
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn every_document_is_a_page_of_the_book_and_those_for_users_are_there_in_chinese_too() {
    let summary =
        |folder: &str| fs::read_to_string(root().join("docs").join(folder).join("SUMMARY.md")).unwrap();
    let (english, chinese) = (summary(""), summary("zh-CN"));
    let listed: BTreeSet<PathBuf> = links(&english).map(|page| root().join("docs").join(page)).collect();
    let existing: BTreeSet<PathBuf> = ["", "operating"].into_iter().flat_map(pages_in).collect();
    assert_eq!(listed, existing);
    let (for_users, _) = english.split_once("# Reference").expect("a part for reference");
    assert!(links(for_users).count() >= 10);
    assert!(links(for_users).eq(links(&chinese)), "not the same pages:\n{for_users}\n{chinese}");
}

#[test]
fn what_is_to_be_read_at_once_stays_short() {
    let text = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (architecture, changelog) = (text("docs/ARCHITECTURE.md"), text("CHANGELOG.md"));
    // The lines of its picture are no words.
    let words = architecture.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    assert!(words.count() <= 1_200, "docs/ARCHITECTURE.md");
    assert!(changelog.lines().count() <= 80, "CHANGELOG.md");
}

/// The blocks of a language in a Markdown text.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    let bodies = text.split(&opening).skip(1);
    bodies.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn what_the_walk_through_a_new_source_quotes_is_compiled_and_tested() {
    let text = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let example =
        ["crates/sync/tests/stories/tally.rs", "tests/kit/src/services/tally.rs"].map(text).concat();
    let document = text("docs/new-source.md");
    let quoted = blocks(&document, "rust");
    assert!(quoted.len() >= 6, "{} quotations", quoted.len());
    for block in quoted {
        assert!(example.contains(block), "not in the example:\n{block}");
    }
    for block in blocks(&document, "diff") {
        for context in block.lines().filter_map(|line| line.strip_prefix(' ')) {
            let files = ["crates/sources/src/kinds/mod.rs", "crates/sync/tests/stories/conformance/mod.rs"];
            assert!(files.map(text).concat().contains(context), "not there to be changed: {context}");
        }
    }
}

#[test]
fn every_term_of_the_glossary_names_where_it_is_declared() {
    let text = fs::read_to_string(root().join("docs/GLOSSARY.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
    let terms: Vec<_> = rows.filter(|row| !row.starts_with("term |")).collect();
    assert!(terms.len() >= 50, "{} terms", terms.len());
    for row in terms {
        // One or more of "`Type` in `path`"; the type is left out if a folder carries the term.
        for place in row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap().split(", ") {
            let named: Vec<_> = code(place).collect();
            let (path, declared) = match named[..] {
                [path] => (path, None),
                [declared, path] => (path, Some(declared)),
                _ => panic!("neither a path nor a type with its path: {row}"),
            };
            assert!(root().join(path).exists(), "no such path: {row}");
            if let Some(declared) = declared {
                let source = fs::read_to_string(root().join(path)).unwrap();
                let declares = |word: &&str| source.contains(&format!("{word} {declared}"));
                assert!(DECLARING_KEYWORDS.iter().any(declares), "{path} does not declare {declared}");
            }
        }
    }
}
