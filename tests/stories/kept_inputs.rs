//! Tests the inputs that are kept for parsers: they are small, and each folder of them has its target.

use std::fs;
use std::path::{Path, PathBuf};

use support::program::root;

/// The most bytes of all kept inputs.
const MAX_BYTES: u64 = 200 << 10;

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// What is before each of some words in a text.
fn starts<'t>(text: &'t str, words: &str) -> impl Iterator<Item = &'t str> {
    text.match_indices(words).map(move |(at, _)| &text[..at])
}

#[test]
fn the_kept_inputs_are_small_and_each_folder_of_them_has_one_target() {
    let corpus = root().join("tests/fuzz/corpus");
    let bytes: u64 = files(&corpus).iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(bytes <= MAX_BYTES, "{bytes} bytes");
    let sources = ["crates", "src-tauri/src"].into_iter().flat_map(|folder| files(&root().join(folder)));
    let sources = sources.filter(|file| file.extension().is_some_and(|end| end == "rs"));
    let sources: Vec<String> = sources.map(|file| fs::read_to_string(file).unwrap()).collect();
    for folder in fs::read_dir(&corpus).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        let call = format!("fuzz::run(\"{name}\",");
        let before: Vec<&str> = sources.iter().flat_map(|source| starts(source, &call)).collect();
        assert_eq!(before.len(), 1, "{name}");
        let test = before[0].rsplit_once("fn ").map(|(_, test)| test).unwrap_or_default();
        assert!(test.starts_with("whatever_"), "`make fuzz` finds no {test}");
    }
}
