//! Tests that what the program and the engine of its window write is for their owner alone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use support::{
    app,
    desktop::Desktop,
    program::{Process, built},
    wait,
};

/// All files and folders in a folder, with their modes.
fn modes(folder: &Path, found: &mut Vec<(PathBuf, u32)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // A file may go meanwhile.
        let Ok(about) = fs::symlink_metadata(entry.path()) else { continue };
        if !about.is_symlink() {
            found.push((entry.path(), about.permissions().mode() & 0o777));
        }
        if about.is_dir() {
            modes(&entry.path(), found);
        }
    }
}

#[tokio::test]
async fn logs_and_the_files_of_the_window_are_for_their_owner_alone_whatever_the_umask() {
    let desktop = Desktop::start();
    let mut command = desktop.command("sh");
    command.args(["-c", "umask 000; exec \"$0\""]).arg(built("tidings-desktop"));
    let mut process = Process::start("tidings-desktop", command, &desktop.path().join("app.log"));
    let server = app::own_server(&desktop).await;
    desktop.wait_for_rendered_page().await;
    server.publish("nas", "Disk full", &[]).await;
    let data = desktop.data_dir();
    for (part, from) in [("logs", "tidings-desktop"), ("webview", "")] {
        wait::until(&format!("files in {part}"), || async {
            let mut found = Vec::new();
            modes(&data.join(part), &mut found);
            found.iter().any(|(path, _)| path.is_file() && path.to_string_lossy().contains(from))
        })
        .await;
    }
    let mut found = vec![(data.clone(), fs::metadata(&data).unwrap().permissions().mode() & 0o777)];
    modes(&data, &mut found);
    // What the toolkit and the engine keep in the folders of the user, by their names.
    for folder in [".cache", ".local", ".config"] {
        let mut elsewhere = Vec::new();
        modes(&desktop.home().join(folder), &mut elsewhere);
        let home = desktop.home();
        let name = |path: &Path| path.strip_prefix(&home).unwrap().to_string_lossy().to_lowercase();
        found.extend(elsewhere.into_iter().filter(|(path, _)| {
            ["tidings", "webkit"].iter().any(|part| name(path).contains(part))
                && !name(path).ends_with(".desktop")
        }));
    }
    let open = found.iter().filter(|(_, mode)| mode & 0o077 != 0);
    let open: Vec<_> = open.map(|(path, mode)| format!("{mode:o} {}", path.display())).collect();
    assert!(open.is_empty(), "others can read {open:#?}");
    assert!(found.len() > 8, "{found:?}");
    process.terminate();
}
