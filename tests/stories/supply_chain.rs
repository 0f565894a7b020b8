//! Tests the build's dependencies: by checksum and from public registries only, checked by `make lint` before a change
//! is merged.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

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
    let lint: String = make.split("\n\n").filter(|rules| rules.trim_start().starts_with("lint")).collect();
    for check in ["clippy", "cargo deny", "scripts/advisories.sh", "scripts/audit.sh", "npm run lint"] {
        assert!(lint.contains(check), "make lint leaves out {check}");
    }
    let ci = read(".ci/run");
    assert!(ci.lines().any(|line| line.starts_with("make lint-and-test")));
    let both = make.split("\n\n").find(|rules| rules.contains("\nlint-and-test:")).unwrap();
    assert!(both.contains(" lint-others ") && both.contains(" check-page "), "{both}");
    assert!(
        ci.contains("export RUSTC_WORKSPACE_WRAPPER=$PWD/scripts/lint-as-built.sh RUSTFLAGS='-D warnings'"),
        "clippy is left out"
    );
    let list = read("scripts/advisories/rustsec.txt");
    assert!(list.lines().any(|line| line.starts_with("date 20")), "the list says of when it is: {list}");
}

#[test]
fn each_crate_is_linted_by_clippy_as_its_tests_are_built_or_as_itself() {
    let script = root().join("scripts/lint-as-built.sh");
    let folder = tempfile::tempdir().unwrap();
    let compiler = |name: &str| {
        let file = folder.path().join(name);
        fs::write(&file, format!("#!/bin/sh\necho {name}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    };
    let (rustc, _clippy) = (compiler("rustc"), compiler("clippy-driver"));
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let compiles = |name: &str, more: &str| {
        let mut build = Command::new(&script);
        build.arg(&rustc).args(["--crate-name", name, "--edition=2024", "src/lib.rs", more]);
        String::from_utf8(build.env("PATH", &path).output().unwrap().stdout).unwrap()
    };
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    for folder in crates.chain([root().join("src-tauri")]) {
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let package = text.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let lib = text.split("\n[").find(|part| part.starts_with("lib]")).unwrap_or_default();
        assert!(
            lib.lines().all(|line| line != "test = false"),
            "{package} has no tests: it is linted as itself"
        );
        let name = package.replace('-', "_");
        assert_eq!(compiles(&name, "--test"), "clippy-driver\n", "the tests of {name}");
        assert_eq!(compiles(&name, "--emit=link"), "rustc\n", "{name}");
    }
    for other in
        ["tidings", "tidings_benches", "tidings_testkit", "support", "empty_window", "build_script_build"]
    {
        assert_eq!(compiles(other, "--emit=link"), "clippy-driver\n", "{other}");
    }
}

/// A copy of the scripts, whose list of known weaknesses is `days` old.
fn with_list_of(days: u64) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("scripts/advisories");
    fs::create_dir_all(&kept).unwrap();
    for script in ["scripts/advisories.sh", "scripts/package.sh", "deny.toml"] {
        fs::copy(root().join(script), dir.path().join(script)).unwrap();
    }
    fs::write(kept.join("rustsec.tar.xz"), "").unwrap();
    let of = format!("commit 0000\ndate {}\n", day(dir.path(), days));
    fs::write(kept.join("rustsec.txt"), of).unwrap();
    dir
}

/// The day some days ago.
fn day(dir: &Path, ago: u64) -> String {
    let out = run(dir, "date", &["-u", "-d", &format!("{ago} days ago"), "+%F"]);
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn run(dir: &Path, program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).current_dir(dir).output().unwrap()
}

/// What a script says if it fails.
fn refusal(dir: &Path, script: &str, args: &[&str]) -> String {
    let out = run(dir, &dir.join(script).to_string_lossy(), args);
    assert!(!out.status.success(), "{script} {args:?} succeeded");
    String::from_utf8(out.stderr).unwrap()
}

#[test]
fn a_release_with_a_list_of_weaknesses_that_is_more_than_30_days_old_is_refused_in_a_sentence() {
    let old = with_list_of(31);
    for (script, args) in [("scripts/advisories.sh", &["release"][..]), ("scripts/package.sh", &[])] {
        let said = refusal(old.path(), script, args);
        let sentence = "31 days old, and a release needs one of at most 30 days: run make advisories first\n";
        assert!(said.ends_with(sentence) && said.lines().count() == 1, "{said}");
    }
    // What the check of a younger one says comes from cargo-deny, which has no list here.
    let young = with_list_of(29);
    assert!(!refusal(young.path(), "scripts/advisories.sh", &["release"]).contains("days old"));
    assert!(read("deny.toml").contains("maximum-db-staleness = \"P30D\""));
}

#[test]
fn a_list_of_weaknesses_is_renewed_by_a_newer_one_alone_and_else_stays() {
    let kept = with_list_of(100);
    let list = || fs::read_to_string(kept.path().join("scripts/advisories/rustsec.txt")).unwrap();
    let before = list();
    let said = refusal(kept.path(), "scripts/advisories.sh", &["update", "/no/such/repository"]);
    assert!(said.contains("could not be reached") && said.ends_with("100 days old, stays\n"), "{said}");
    let upstream = tempfile::tempdir().unwrap();
    let at = upstream.path();
    fs::create_dir_all(at.join("crates/a")).unwrap();
    fs::create_dir_all(at.join("LICENSES")).unwrap();
    for file in ["LICENSE.txt", "LICENSES/one.txt", "crates/a/RUSTSEC-2026-0001.md"] {
        fs::write(at.join(file), "text").unwrap();
    }
    run(at, "git", &["init", "--quiet"]);
    run(at, "git", &["add", "--all"]);
    let commit = |ago| {
        let date = format!("{}T12:00:00Z", day(at, ago));
        let user = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.args(user).args(["commit", "--quiet", "--allow-empty", "--message", "list"]).current_dir(at);
        assert!(command.env("GIT_COMMITTER_DATE", date).status().unwrap().success());
    };
    commit(200);
    let from = at.to_string_lossy();
    let said = refusal(kept.path(), "scripts/advisories.sh", &["update", &from]);
    assert!(said.contains("older than the one of") && list() == before, "{said}");
    commit(2);
    let script = kept.path().join("scripts/advisories.sh");
    let out = run(kept.path(), &script.to_string_lossy(), &["update", &from]);
    assert!(out.status.success(), "{out:?}");
    assert!(list().ends_with(&format!("date {}\n", day(at, 2))), "{}", list());
}
