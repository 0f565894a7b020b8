//! Tests that files, crates and sentences stay short enough to be read at once.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use support::program::root;

use crate::documents::documents;
use crate::floors::{before_tests, module_of};

/// The most lines of a file, and of all files of a crate, without their tests.
const LINES_OF_A_FILE: usize = 300;
const LINES_OF_A_CRATE: usize = 15_000;
const WORDS_OF_A_SENTENCE: usize = 28;
/// Files that may be longer: migrations, which never change, and what is generated.
const LONGER: &[&str] = &[
    "crates/replica-tables/migrations/0001_replica.sql",
    "crates/store-postgres/migrations/0001_server.sql",
    "crates/store-sqlite/migrations/0001_server.sql",
    "crates/strings/src/generated/en.rs",
    "crates/strings/src/generated/mod.rs",
    "crates/strings/src/generated/zh_cn.rs",
    "ui/src/generated/commands.ts",
    "ui/src/generated/texts.ts",
];
/// Folders of what is built, fetched or printed.
const NOT_WRITTEN: &[&str] = &["target", "node_modules", "out"];

/// The files below a folder whose names have one of some ends.
fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().and_then(OsStr::to_str).is_some_and(|end| ends.contains(&end)) {
                files.push(path);
            }
        }
        folders.retain(|folder| !NOT_WRITTEN.iter().any(|name| folder.ends_with(name)));
    }
    files
}

#[test]
fn no_file_and_no_crate_of_the_programs_is_long() {
    let lines = |path: PathBuf| (before_tests(&fs::read_to_string(&path).unwrap()).lines().count(), path);
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let (mut all, mut long) = (Vec::new(), Vec::new());
    for part in crates.chain([root().join("src-tauri")]) {
        let modules = files(&part, &["rs"]).into_iter().filter(|path| module_of(&part, path).is_some());
        let of_part: Vec<(usize, PathBuf)> = modules.chain(files(&part, &["sql"])).map(lines).collect();
        let sum: usize = of_part.iter().map(|(lines, _)| lines).sum();
        if sum > LINES_OF_A_CRATE {
            long.push(format!("{}: {sum} lines", part.display()));
        }
        all.extend(of_part);
    }
    all.extend(files(&root().join("ui/src"), &["ts", "svelte", "css"]).into_iter().map(lines));
    assert!(all.len() > 1_500, "{} files were found", all.len());
    let may_be_longer = |path: &Path| LONGER.iter().any(|longer| path.ends_with(longer));
    for (lines, path) in all {
        if lines > LINES_OF_A_FILE && !may_be_longer(&path) {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// The lines of a text of code, each with nothing but its comment, if it begins with one.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| {
        let begins = ["///", "//!", "//", "/**", "* "];
        begins.iter().find_map(|begin| line.trim_start().strip_prefix(*begin)).unwrap_or_default()
    })
}

/// A text whose code between backticks is one word.
fn without_code(text: &str) -> String {
    text.split('`').enumerate().map(|(at, part)| if at.is_multiple_of(2) { part } else { "X" }).collect()
}

/// The paragraphs of a text in Markdown. An item of a list and a cell of a table are one each; headings and blocks of code
/// are left out.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let (mut paragraphs, mut is_block) = (vec![String::new()], false);
    for line in lines.map(str::trim) {
        let is_fence = line.starts_with("```");
        is_block ^= is_fence;
        if is_block || is_fence || line.is_empty() || line.starts_with(['#', '<']) {
            paragraphs.push(String::new());
        } else if line.starts_with('|') {
            paragraphs.extend(without_code(line).split('|').map(str::to_owned));
        } else {
            if line.starts_with("- ") {
                paragraphs.push(String::new());
            }
            if let Some(paragraph) = paragraphs.last_mut() {
                paragraph.push_str(line);
                paragraph.push(' ');
            }
        }
    }
    paragraphs
}

/// Whether a word is the last of a sentence: it ends with a mark for that, behind which only brackets, quotation marks and
/// emphasis may stand.
fn ends_a_sentence(word: &str) -> bool {
    word.trim_end_matches([')', ']', '"', '”', '’', '\'', '*', '_']).ends_with(['.', '!', '?'])
}

/// What stands between white space counts as a word if it has a letter or a digit. So the address of a link is none of its
/// own. A sentence goes on after a colon or a semicolon.
#[test]
fn no_sentence_of_a_comment_or_a_document_is_long() {
    let folders = ["benches", "crates", "src-tauri", "tests", "ui/src", "ui/tests"];
    let code = folders.into_iter().flat_map(|folder| files(&root().join(folder), &["rs", "ts", "svelte"]));
    let in_code = code.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path.display().to_string(), paragraphs(comments(&text)))
    });
    let english = documents().into_iter().filter(|(path, _)| !path.contains("zh-CN"));
    let texts = in_code.chain(english.map(|(path, text)| (path, paragraphs(text.lines()))));
    let (mut checked, mut long) = (0, Vec::new());
    for (path, paragraphs) in texts {
        for paragraph in paragraphs.iter().map(|paragraph| without_code(paragraph)) {
            let words: Vec<&str> = paragraph.split_whitespace().collect();
            for sentence in words.split_inclusive(|word| ends_a_sentence(word)) {
                checked += 1;
                let count = sentence.iter().filter(|word| word.contains(char::is_alphanumeric)).count();
                if count > WORDS_OF_A_SENTENCE {
                    long.push(format!("{path}: {count} words: {}", sentence.join(" ")));
                }
            }
        }
    }
    assert!(checked > 30_000, "{checked} sentences were found");
    assert!(long.is_empty(), "{long:#?}");
}
