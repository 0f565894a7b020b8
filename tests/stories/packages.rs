//! Tests what the packages install and are made of. The files that packaging/files.txt names exist, and the app is the
//! program for the terminal under that name. The tarball's script puts files in place, and the Flatpak's sources are
//! those of the lock files.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use support::program::{Process, built, root};
use support::wait;
use tempfile::TempDir;

const FORMATS: &[&str] = &["deb", "rpm", "tarball"];

/// A line of packaging/files.txt.
struct Line<'a> {
    packages: Vec<&'a str>,
    formats: Vec<&'a str>,
    mode: &'a str,
    source: &'a str,
    target: String,
}

/// The lines, with a whole path as the target.
fn lines(list: &str) -> Vec<Line<'_>> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let [package, format, mode, source, to] = fields[..] else { panic!("not five fields: {line}") };
            let file = source.rsplit('/').next().unwrap();
            let target = if to.ends_with('/') { format!("{to}{file}") } else { to.to_owned() };
            let packages = match package {
                "both" => vec!["tidings", "tidings-server"],
                one => vec![one],
            };
            let formats = match format {
                "all" => FORMATS.to_vec(),
                some => some.split(',').collect(),
            };
            Line { packages, formats, mode, source, target }
        })
        .collect()
}

fn list() -> String {
    fs::read_to_string(root().join("packaging/files.txt")).unwrap()
}

#[test]
fn every_file_that_a_package_installs_exists_and_has_a_place_of_its_own() {
    let list = list();
    let mut places = BTreeSet::new();
    for Line { packages, formats, mode, source, target } in lines(&list) {
        if mode != "link" {
            let made = source.starts_with("made/") || source.starts_with("programs/");
            assert!(made || root().join(source).is_file(), "{source} is missing");
            let program = source.starts_with("programs/");
            assert_eq!(mode, if program { "755" } else { "644" }, "{source}");
        }
        for package in packages {
            assert!(["tidings", "tidings-server"].contains(&package), "there is no package {package}");
            for format in &formats {
                assert!(FORMATS.contains(format), "there is no format {format}");
                assert!(places.insert((package, *format, target.clone())), "twice in {package}: {target}");
            }
        }
    }
    assert!(places.len() > 80, "{} places", places.len());
}

#[test]
fn whatever_installed_files_name_is_installed_by_the_same_package() {
    let list = list();
    let lines = lines(&list);
    let installs = |package: &str, target: &str| {
        lines.iter().any(|line| line.packages.contains(&package) && line.target == target)
    };
    let entry = fs::read_to_string(root().join("packaging/org.tidings.desktop.desktop")).unwrap();
    let icon = entry.lines().find_map(|line| line.strip_prefix("Icon=")).unwrap();
    for size in [16, 24, 32, 48, 64, 128, 256, 512] {
        let path = format!("usr/share/icons/hicolor/{size}x{size}/apps/{icon}.png");
        assert!(installs("tidings", &path), "{path}");
    }
    assert!(installs("tidings", &format!("usr/share/icons/hicolor/scalable/apps/{icon}.svg")));
    assert!(installs("tidings", &format!("usr/share/icons/hicolor/symbolic/apps/{icon}-symbolic.svg")));
    let started_by = [
        ("tidings", "packaging/org.tidings.desktop.service", "Exec=/"),
        ("tidings-server", "packaging/server/tidings-server.service", "ExecStart=/"),
        ("tidings-server", "packaging/server/user.service", "ExecStart=/"),
    ];
    for (package, file, key) in started_by {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let command = text.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        let program = command.split(' ').next().unwrap();
        assert!(installs(package, program), "{file} starts {program}");
    }
    for link in lines.iter().filter(|line| line.mode == "link") {
        let to = Path::new(&link.target).with_file_name(link.source);
        for &package in &link.packages {
            assert!(installs(package, to.to_str().unwrap()), "{} leads to {}", link.target, link.source);
        }
    }
}

#[test]
fn what_is_installed_is_built_without_symbols() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    // Cargo does not take `strip` from the profile of all if a package has one of its own.
    for package in ["tidings-cli", "tidings-desktop"] {
        let head = format!("[profile.release.package.{package}]");
        let rest = manifest.split(&head).nth(1).unwrap();
        let own = rest.split("\n[").next().unwrap();
        assert!(own.contains("strip = true"), "{head}{own}");
    }
}

/// A program on a data folder, in a session without a display and without a keyring.
fn in_terminal(program: &Path, data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env("TIDINGS_DATA_DIR", data).env("TIDINGS_NO_KEYRING", "1").env("LANG", "C.UTF-8");
    let others = ["TIDINGS_SERVER", "TIDINGS_TOKEN", "TIDINGS_STORE", "TIDINGS_LOG"];
    for name in others.iter().chain(&["DISPLAY", "WAYLAND_DISPLAY", "LC_ALL"]) {
        command.env_remove(name);
    }
    command
}

#[test]
fn a_link_to_the_app_is_the_program_for_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let (data, link) = (dir.path().join("data"), dir.path().join("tidings"));
    symlink(built("tidings-desktop"), &link).unwrap();
    let outcome = |program: &Path, args: &[&str]| {
        let done = in_terminal(program, &data, args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let program = built("tidings");
    let commands: [&[&str]; 7] = [
        &["--version"],
        &["--help"],
        &["shout"],
        &["list", "--limit", "none"],
        &["completions", "bash"],
        &["list"],
        &["unread", "--json"],
    ];
    for args in commands {
        assert_eq!(outcome(&link, args), outcome(&program, args), "{args:?}");
    }
    let (code, _, said) = outcome(&link, &["shout"]);
    assert!(code == Some(2) && said.contains("Usage: tidings "), "{said}");

    let serve = in_terminal(&link, &data, &["serve", "--listen", "127.0.0.1:0"]);
    let mut serving = Process::start("tidings", serve, &dir.path().join("served"));
    wait::until_blocking("the server", || serving.output().contains("listening on http://"));
    let (code, _, said) = outcome(&link, &["send", "Backup done"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(serving.terminate().success());
}

/// The tarball's script beside some of the files, and a user that is not root.
fn unpacked() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let put = |to: &str, text: &str| {
        fs::create_dir_all(at.join(to).parent().unwrap()).unwrap();
        fs::write(at.join(to), text).unwrap();
    };
    put("usr/bin/tidings-desktop", "program");
    for (from, to) in [
        ("org.tidings.desktop.desktop", "usr/share/applications"),
        ("org.tidings.desktop.service", "usr/share/dbus-1/services"),
        ("server/tidings-server.service", "usr/lib/systemd/system"),
    ] {
        let text = fs::read_to_string(root().join("packaging").join(from)).unwrap();
        put(&format!("{to}/{}", from.rsplit('/').next().unwrap()), &text);
    }
    put("user/id", "#!/bin/sh\necho 1000\n");
    fs::set_permissions(at.join("user/id"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(root().join("packaging/tarball/install.sh"), at.join("install.sh")).unwrap();
    dir
}

fn install(from: &Path, args: &[&str]) -> bool {
    let path = format!("{}:{}", from.join("user").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.arg(from.join("install.sh")).args(args).env("PATH", path).env("HOME", from.join("home"));
    command.output().unwrap().status.success()
}

/// The files in a folder, but the caches that a desktop's programs write.
fn files(at: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(at) else { return Vec::new() };
    let entries = entries.map(|entry| entry.unwrap().path());
    let inside = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    inside.filter(|path| !path.to_string_lossy().contains("cache")).collect()
}

#[test]
fn a_user_installs_the_tarball_without_being_root_and_removes_it_again() {
    let from = unpacked();
    let local = from.path().join("home/.local");
    assert!(install(from.path(), &[]));
    let program = local.join("bin/tidings-desktop");
    assert_eq!(fs::read_to_string(&program).unwrap(), "program");
    let text = |path: &str| fs::read_to_string(local.join(path)).unwrap();
    let named = format!("Exec={} ", program.display());
    let entry = text("share/applications/org.tidings.desktop.desktop");
    assert_eq!(entry.matches(&named).count(), entry.matches("Exec=").count(), "{entry}");
    assert!(text("share/dbus-1/services/org.tidings.desktop.service").contains(&named));
    assert_eq!(
        files(&local).len(),
        3,
        "a service of the system is of no use to one user: {:?}",
        files(&local)
    );
    assert!(install(from.path(), &["--remove"]));
    assert_eq!(files(&local), Vec::<PathBuf>::new());
    assert!(!install(from.path(), &["--prefix", "a b"]));
    assert!(!install(from.path(), &["--quietly"]));
}

#[test]
fn root_installs_the_tarball_into_a_folder_of_its_own_without_a_service_of_the_system() {
    let from = unpacked();
    fs::write(from.path().join("user/id"), "#!/bin/sh\necho 0\n").unwrap();
    let app = from.path().join("app");
    assert!(install(from.path(), &["--prefix", app.to_str().unwrap()]), "as a Flatpak's build does");
    assert_eq!(files(&app).len(), 3, "{:?}", files(&app));
}

#[test]
fn a_flatpak_is_built_of_what_the_lock_files_name_with_their_checksums() {
    let at = tempfile::tempdir().unwrap();
    let script = root().join("scripts/flatpak-sources.py");
    assert!(Command::new("python3").arg(script).arg(at.path()).status().unwrap().success());
    let archives = |file: &str| -> Vec<Value> {
        let sources: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(at.path().join(file)).unwrap()).unwrap();
        sources.into_iter().filter(|source| source["type"] == "archive").collect()
    };
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let crates = archives("cargo-sources.json");
    assert_eq!(crates.len(), lock.matches("\nchecksum = ").count());
    for source in &crates {
        let sum = source["sha256"].as_str().unwrap();
        assert!(lock.contains(&format!("\nchecksum = \"{sum}\"\n")), "{source}");
    }
    let lock: Value =
        serde_json::from_str(&fs::read_to_string(root().join("ui/package-lock.json")).unwrap()).unwrap();
    let packages = archives("npm-sources.json");
    for source in &packages {
        assert_eq!(source["sha512"].as_str().map(str::len), Some(128), "{source}");
        let place = source["dest"].as_str().unwrap().strip_prefix("ui/").unwrap();
        let version = lock["packages"][place]["version"].as_str().unwrap();
        assert!(source["url"].as_str().unwrap().ends_with(&format!("-{version}.tgz")), "{source}");
    }
    let everywhere = lock["packages"].as_object().unwrap().values().filter(|about| about["os"].is_null());
    assert!(packages.len() >= everywhere.count() - 2, "{} packages", packages.len());
}
