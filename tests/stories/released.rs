//! Tests that migrations which a release brought stay as they are: `tests/data` has their checksums.

use std::{fs, path::PathBuf, process::Command};

use support::program::root;

/// The files of the releases with this ending.
fn kept(ending: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("tests/data")).expect("tests/data is there");
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ending));
    let first = format!("0.1.0{ending}");
    assert!(files.iter().any(|file| file.ends_with(&first)), "tests/data has no {first}");
    files
}

#[test]
fn migrations_of_a_release_are_never_changed() {
    for list in kept(".sha256") {
        let mut command = Command::new("sha256sum");
        let done = command.args(["--check", "--quiet"]).arg(&list).current_dir(root()).output().unwrap();
        assert!(
            done.status.success(),
            "{}{}: migrations of a release stay as they are, because databases out there were made by them. \
             Undo the change, and write a migration with the next number that makes it.",
            String::from_utf8_lossy(&done.stdout),
            list.display()
        );
        let text = fs::read_to_string(&list).unwrap();
        let released: Vec<_> = text.lines().map(|line| line.split("  ").nth(1).unwrap()).collect();
        for store in ["replica-tables", "store-sqlite", "store-postgres"] {
            let folder = format!("crates/{store}/migrations/");
            let last = released.iter().filter(|path| path.starts_with(&folder)).max().expect(store);
            for file in fs::read_dir(root().join(&folder)).unwrap() {
                let path = format!("{folder}{}", file.unwrap().file_name().to_string_lossy());
                assert!(
                    released.contains(&path.as_str()) || path.as_str() > *last,
                    "{path}: a new migration has a higher number than {last}, which was released"
                );
            }
        }
    }
}
