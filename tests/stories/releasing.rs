//! Tests that one command makes a release: the version in every file that has it, a commit, the packages, and a tag.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use support::program::root;
use tempfile::TempDir;

/// The files that name the version.
const FILES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "ui/package.json",
    "ui/package-lock.json",
    "packaging/org.tidings.desktop.metainfo.xml",
    "README.md",
    "docs/server.md",
    "CHANGELOG.md",
];

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

fn said(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// A command whose Git knows nothing of this machine's user.
fn command(program: &str, args: &[&str], at: &Path) -> Output {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@example.org");
    }
    command.output().unwrap()
}

fn git(at: &Path, args: &[&str]) -> String {
    let out = command("git", args, at);
    assert!(out.status.success(), "git {args:?}: {}", said(&out));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn release(at: &Path, args: &[&str]) -> Output {
    command("scripts/release.sh", args, at)
}

/// A clean clone with scripts that make no packages: they note what they were called for, and fail while `fails` is there.
fn clone() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    for file in FILES.iter().chain(&["scripts/release.sh"]) {
        fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
        fs::copy(root().join(file), at.join(file)).unwrap();
    }
    let changelog =
        text(at.join("CHANGELOG.md")).replacen("\n## [Unreleased]\n", "\n## [Unreleased]\n\n- New.\n", 1);
    fs::write(at.join("CHANGELOG.md"), changelog).unwrap();
    let stub = |name: &str, body: &str| {
        let path = at.join("scripts").join(name);
        fs::write(&path, format!("#!/bin/sh\nset -e\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    stub("advisories.sh", "[ \"$1\" = release ]");
    stub("package.sh", "[ ! -e target/fails ]\nmkdir -p target\ngit log -1 --format=%s >>target/packaged");
    fs::write(at.join(".gitignore"), "/target\n").unwrap();
    git(at, &["init", "--quiet"]);
    git(at, &["add", "--all"]);
    git(at, &["commit", "--quiet", "--message", "before"]);
    dir
}

#[test]
fn a_dry_run_of_a_release_shows_the_version_in_every_file_and_changes_none() {
    let before: Vec<_> = FILES.iter().map(|file| text(root().join(file))).collect();
    let out = release(&root(), &["--dry-run", "99.0.0"]);
    let shown = said(&out);
    assert!(out.status.success(), "{shown}");
    for file in FILES {
        assert!(shown.contains(&format!("\n+++ {file}\n")), "{file} stays as it is: {shown}");
    }
    let own = text(root().join("Cargo.lock")).matches("\nname = \"tidings-").count();
    assert_eq!(shown.matches("\n+version = \"99.0.0\"\n").count(), own + 1, "{shown}");
    for line in
        ["tidings_99.0.0_amd64.deb", "tidings-99.0.0-1.x86_64.rpm", "<release version=\"99.0.0\" date="]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(shown.contains("\n+## [99.0.0] - 20"), "{shown}");
    for (file, before) in FILES.iter().zip(before) {
        assert_eq!(text(root().join(file)), before, "{file} was changed");
    }
    for wrong in ["", "99", "v99.0.0", "99.0.0-rc.1"] {
        assert!(!release(&root(), &["--dry-run", wrong]).status.success(), "{wrong} was taken for a version");
    }
}

#[test]
fn a_release_is_committed_before_its_packages_are_made_and_tagged_after() {
    let clone = clone();
    let at = clone.path();
    let out = release(at, &["99.0.0"]);
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(text(at.join("target/packaged")), "chore(release): version 99.0.0\n");
    assert!(git(at, &["show", "v99.0.0:Cargo.toml"]).contains("\nversion = \"99.0.0\"\n"));
    assert_eq!(git(at, &["status", "--porcelain"]), "");
    let changelog = text(at.join("CHANGELOG.md"));
    let (open, _) = changelog.split_once("\n## [99.0.0] - ").unwrap();
    assert!(open.ends_with("## [Unreleased]\n"), "{open}");
    for (version, why) in [
        ("99.0.0", "there is a tag v99.0.0 already"),
        ("98.0.0", "99.0.0 is newer than 98.0.0"),
        ("99.1.0", "CHANGELOG.md says nothing under Unreleased"),
    ] {
        let again = release(at, &[version]);
        assert!(!again.status.success() && said(&again).contains(why), "{}", said(&again));
    }
    fs::write(at.join("README.md"), "changed").unwrap();
    assert!(said(&release(at, &["99.2.0"])).contains("not committed"));
}

#[test]
fn a_release_whose_packages_failed_goes_on_with_the_same_command() {
    let clone = clone();
    let at = clone.path();
    fs::create_dir(at.join("target")).unwrap();
    fs::write(at.join("target/fails"), "").unwrap();
    assert!(!release(at, &["99.0.0"]).status.success());
    assert_eq!(git(at, &["tag"]), "", "tagged without packages");
    fs::remove_file(at.join("target/fails")).unwrap();
    let out = release(at, &["99.0.0"]);
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(git(at, &["tag"]), "v99.0.0");
    assert_eq!(git(at, &["rev-list", "--count", "HEAD"]), "2");
}

#[test]
fn packages_are_made_in_two_folders_and_have_to_be_alike() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    fs::create_dir(at.join("scripts")).unwrap();
    fs::copy(root().join("scripts/reproducible.sh"), at.join("scripts/reproducible.sh")).unwrap();
    // A package that has its folder in it while `tells` is there.
    let recipe = [
        "package:",
        "\tmkdir -p target/packages",
        "\tif [ -e tells ]; then pwd; else echo the same; fi >target/packages/tidings.deb",
        "\tcd target/packages && sha256sum -- * >SHA256SUMS",
        "",
    ];
    fs::write(at.join("Makefile"), recipe.join("\n")).unwrap();
    git(at, &["init", "--quiet"]);
    let twice = || {
        git(at, &["add", "Makefile", "scripts"]);
        git(at, &["commit", "--quiet", "--allow-empty", "--message", "some commit"]);
        command("env", &[&format!("TMPDIR={}", at.display()), "scripts/reproducible.sh"], at)
    };
    let alike = twice();
    assert!(alike.status.success() && said(&alike).contains("two builds, one result"), "{}", said(&alike));
    fs::write(at.join("tells"), "").unwrap();
    git(at, &["add", "tells"]);
    let different = twice();
    assert!(!different.status.success(), "{}", said(&different));
    assert!(said(&different).contains("the two builds differ"), "{}", said(&different));
    let left = fs::read_dir(at)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("tidings-twice"));
    assert_eq!(left.count(), 0, "no clone is left");
}
