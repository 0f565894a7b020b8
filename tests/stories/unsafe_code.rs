//! Tests where code is whose memory the compiler does not check (`unsafe`): what is not in `BLOCKS` fails. Each block calls C or
//! the system, which Miri does not run.

use std::fs;

use regex::Regex;
use support::program::root;

use crate::supervision::sources;

/// The files of the programs with such code: path, number of blocks, and why they are right.
const BLOCKS: &[(&str, usize, &str)] = &[
    ("crates/sandbox/src/confine.rs", 1, "closes inherited files, which no value owns"),
    ("crates/server/src/heaps.rs", 2, "the allocator's own calls, which take numbers and no pointer"),
    ("src-tauri/src/memory.rs", 1, "lets go of pages of a file that come back as they were"),
    ("src-tauri/src/rendering.rs", 1, "sets a variable of the environment while there is one thread"),
];

#[test]
fn every_block_that_the_compiler_does_not_check_is_written_down() {
    let (root, mut files) = (root(), Vec::new());
    for part in fs::read_dir(root.join("crates")).expect("the crates") {
        let folder = part.expect("an entry").path().join("src");
        if folder.is_dir() {
            sources(&folder, &mut files);
        }
    }
    sources(&root.join("src-tauri/src"), &mut files);
    let unchecked = Regex::new(r"\bunsafe\s*(\{|\(|fn\b|impl\b|trait\b|extern\b)").expect("a pattern");
    let comment = Regex::new("//[^\n]*").expect("a pattern");
    let (mut wrong, mut blocks) = (Vec::new(), 0);
    for file in &files {
        let name = file.strip_prefix(&root).expect("inside").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(file).expect("a file of the programs");
        let found = unchecked.find_iter(&comment.replace_all(&text, "")).count();
        let known = BLOCKS.iter().find(|(known, ..)| *known == name).map_or(0, |(_, number, _)| *number);
        if found != known {
            wrong.push(format!("{name} has {found} of them, {known} are written down"));
        }
        blocks += found;
    }
    assert!(wrong.is_empty(), "the compiler can check it, or a reason belongs here:\n{}", wrong.join("\n"));
    assert_eq!(blocks, 5, "each file that is written down is there");
}
