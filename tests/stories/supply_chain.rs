//! Tests the build's dependencies: by checksum and from public registries only, checked by `make lint` before a change
//! is merged.

use std::fs;

use serde_json::Value;
use support::program::root;

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn every_npm_package_has_a_checksum_and_no_machine_is_named() {
    for (file, at_least) in [("ui/package-lock.json", 100), ("tests/clients/package-lock.json", 4)] {
        check_npm_lock(file, at_least);
    }
}

fn check_npm_lock(file: &str, at_least: usize) {
    let lock: Value = serde_json::from_str(&read(file)).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    assert!(packages.len() > at_least, "{file} has {} packages", packages.len());
    for (name, about) in packages.iter().filter(|(name, _)| !name.is_empty()) {
        let sum = about["integrity"].as_str().unwrap_or_default();
        assert!(sum.starts_with("sha512-"), "{name} has no checksum");
        assert!(about.get("resolved").is_none(), "{name} names the host that it was fetched from");
        assert!(about.get("link").is_none(), "{name} is a link");
    }
    for (name, about) in packages {
        for wanted in ["dependencies", "devDependencies", "optionalDependencies"] {
            let by_address = about[wanted].as_object().into_iter().flatten().find(|(_, range)| {
                let range = range.as_str().unwrap_or_default();
                range.contains("://") || range.starts_with("git") || range.starts_with("file:")
            });
            assert_eq!(by_address, None, "{name} takes a package by its address");
        }
    }
}

#[test]
fn every_python_package_has_one_version_with_checksums_and_no_machine_is_named() {
    let requirements = read("tests/clients/requirements.txt").replace("\\\n", "");
    let packages = requirements.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for package in packages {
        let name = package.split_whitespace().next().unwrap();
        assert!(name.contains("=="), "{name} has no version");
        assert!(package.contains(" --hash=sha256:"), "{name} has no checksum");
        assert!(!package.contains("://"), "{name} names a host");
        count += 1;
    }
    assert!(count > 20, "{count} packages");
}

#[test]
fn every_crate_has_a_checksum_and_comes_from_the_public_registry() {
    let lock = read("Cargo.lock");
    let value = |block: &str, key: &str| -> Option<String> {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")))?;
        Some(line.trim_matches('"').to_owned())
    };
    let mut bought = 0;
    for block in lock.split("[[package]]").skip(1) {
        let name = value(block, "name").unwrap();
        let Some(source) = value(block, "source") else {
            assert!(name.starts_with("tidings-"), "{name} comes from nowhere");
            continue;
        };
        assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{name}");
        assert_eq!(value(block, "checksum").map(|sum| sum.len()), Some(64), "{name} has no checksum");
        bought += 1;
    }
    assert!(bought > 100, "{bought} crates");
}

#[test]
fn packages_are_installed_by_their_lock_alone_and_a_change_is_linted_before_it_is_taken_in() {
    let scripts = fs::read_dir(root().join("scripts")).unwrap();
    let scripts = scripts.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let files = scripts.chain([root().join("Makefile"), root().join(".ci/run")]);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for word in ["npm install", "npm i ", "npm update", "npx --yes"] {
            assert!(!text.contains(word), "{} says `{word}`", file.display());
        }
    }
    let make = read("Makefile");
    let lint = make.split("\nlint:").nth(1).unwrap().split("\n\n").next().unwrap();
    for check in ["clippy", "cargo deny", "scripts/advisories.sh", "scripts/audit.sh", "npm run lint"] {
        assert!(lint.contains(check), "make lint leaves out {check}");
    }
    assert!(read(".ci/run").lines().any(|line| line.starts_with("make lint")));
    let list = read("scripts/advisories/rustsec.txt");
    assert!(list.lines().any(|line| line.starts_with("date 20")), "the list says of when it is: {list}");
}
