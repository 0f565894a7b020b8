//! Tests that what a process knows, such as tokens, gets neither into core dumps nor to other programs. A server whose
//! memory is closed still knows whose programs publish.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::data_folder::DataFolder;
use crate::serving::Serving;

/// Soft and hard limit on core files, as `/proc/PID/limits` has them.
fn core_limits(pid: u32) -> Vec<String> {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    line.split_ascii_whitespace().skip(4).take(2).map(ToOwned::to_owned).collect()
}

#[test]
fn a_running_server_leaves_no_core_dump() {
    let folder = DataFolder::new();
    let serving = folder.serve();
    assert_eq!(core_limits(serving.pid()), ["0", "0"]);
}

#[test]
fn a_server_whose_memory_is_closed_still_knows_the_programs_of_its_user() {
    const NOBODY: u32 = 65_534;
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let folder = DataFolder::new();
    let as_user = |command: &mut Command| {
        if is_root {
            command.current_dir("/").uid(NOBODY).gid(NOBODY);
        }
    };
    let mut command = folder.command(&["serve", "--listen", "127.0.0.1:0", "--open-publish"]);
    if is_root {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        as_user(&mut command);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        // A folder above the program is closed to that user.
        Err(error) => return println!("skipped: another user can't run this program: {error}"),
    };
    let (pid, out) = (child.id(), child.stdout.take().unwrap());
    let mut serving = Serving::with_unread_output(child);
    serving.read(out);
    let address = serving.line_after("listening on http://").replace(':', "/");
    assert_eq!(core_limits(pid), ["0", "0"]);
    // The system gives what is private of such a process to root.
    assert_eq!(fs::metadata(format!("/proc/{pid}/environ")).unwrap().uid(), 0, "it is not dumpable");
    let request = "POST /backups HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 4\\r\\n\\r\\ndone";
    let script = format!("exec 3<>/dev/tcp/{address}; printf '%b' '{request}' >&3; head -n 1 <&3");
    let mut publishing = Command::new("/bin/bash");
    publishing.args(["-c", &script]);
    as_user(&mut publishing);
    let answer = String::from_utf8(publishing.output().unwrap().stdout).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
