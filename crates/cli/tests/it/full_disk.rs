//! Tests of a server whose disk is full: it says that it is not ready, reads what it has, starts, and goes on once there is
//! room.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tidings_testkit::disk::{self, Calls, Fault, Plan};
use tidings_testkit::wait::until_blocking;

use crate::data_folder::DataFolder;
use crate::serving::Serving;

/// A disk that a test fills.
struct Disk<'a> {
    folder: &'a DataFolder,
    /// Variables of the program's environment.
    env: Vec<(&'static str, String)>,
    fill: &'a dyn Fn(),
    empty: &'a dyn Fn(),
    /// Ends a server before the disk is filled again.
    end: fn(Serving),
}

/// A server on the disk.
struct Server {
    serving: Serving,
    address: String,
}

impl Disk<'_> {
    fn serve(&self) -> Server {
        let mut command = self.folder.command(&["serve", "--listen", "127.0.0.1:0"]);
        let child = command.envs(self.env.iter().cloned()).stderr(Stdio::inherit()).spawn();
        let mut child = child.unwrap();
        let out = child.stdout.take().unwrap();
        let mut serving = Serving::with_unread_output(child);
        serving.read(out);
        let address = serving.line_after("listening on http://");
        Server { serving, address }
    }
}

impl Server {
    /// The status and the body of an answer.
    fn ask(&self, line: &str, token: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or_default())
    }

    fn ready(&self) -> u16 {
        self.ask("GET /api/v1/health/ready", "", "").0
    }

    fn post(&self, token: &str, body: &str) -> (u16, Value) {
        self.ask("POST /api/v1/messages", token, &serde_json::json!({"to": "ana", "body": body}).to_string())
    }

    /// The texts of the inbox, the newest first.
    fn inbox(&self, token: &str) -> Vec<String> {
        let (status, page) = self.ask("GET /api/v1/inbox", token, "");
        assert_eq!(status, 200, "{page}");
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["body"].as_str().unwrap().to_owned()).collect()
    }
}

fn a_full_disk_is_survived(disk: &Disk<'_>) {
    disk.folder.run(&["user", "add", "ana"]);
    let token = disk.folder.token("ana", "inbox");
    let server = disk.serve();
    assert_eq!((server.post(&token, "one").0, server.ready()), (201, 200));

    (disk.fill)();
    let (status, problem) = server.post(&token, &"x".repeat(100_000));
    assert_eq!((status, problem["code"].as_str()), (503, Some("unavailable")), "{problem}");
    assert!(problem["detail"].to_string().contains("disk is full"), "{problem}");
    assert_eq!((server.ready(), server.inbox(&token)), (503, vec!["one".to_owned()]));

    // Nobody posts, and it finds out all the same.
    (disk.empty)();
    until_blocking("it is ready again", || server.ready() == 200);
    assert_eq!(server.post(&token, "two").0, 201);
    (disk.end)(server.serving);

    (disk.fill)();
    let server = disk.serve();
    assert_eq!((server.ready(), server.inbox(&token)), (503, vec!["two".to_owned(), "one".to_owned()]));
    assert_eq!(server.post(&token, "not now").0, 503);
    assert!(!disk.folder.path().join("endpoint.json").exists());

    (disk.empty)();
    until_blocking("it is ready again", || server.ready() == 200);
    assert_eq!(server.post(&token, "three").0, 201);
    until_blocking("programs find it", || disk.folder.path().join("endpoint.json").exists());
    assert_eq!(server.serving.terminate().0, Some(0));
    disk.folder.run(&["check"]);
}

#[test]
fn a_server_whose_disk_is_full_is_not_ready_reads_starts_and_goes_on_once_there_is_room() {
    let folder = DataFolder::new();
    let disk = disk::Disk::below(folder.path());
    a_full_disk_is_survived(&Disk {
        folder: &folder,
        env: disk.env(),
        fill: &|| disk.plan(&Plan::fail(Calls::GROW, Fault::Full, 1)),
        empty: &|| disk.heal(),
        // Here no file can be made at all, and those of a killed server are there.
        end: drop,
    });
}

/// Ends the mount of a file system.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn the_same_holds_on_a_small_disk_that_is_full_to_the_last_byte() {
    let folder = DataFolder::new();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=12m,mode=0700", "tmpfs"]).arg(folder.path()).stderr(Stdio::null());
    if !mount.status().is_ok_and(|done| done.success()) {
        return println!("skipped: this test may not mount a file system");
    }
    let _mounted = Mounted(folder.path());
    let ballast = folder.path().join("ballast");
    a_full_disk_is_survived(&Disk {
        folder: &folder,
        env: Vec::new(),
        fill: &|| {
            let mut file = fs::File::create(&ballast).unwrap();
            for size in [64 * 1024, 1] {
                while file.write_all(&vec![0; size]).is_ok() {}
            }
        },
        empty: &|| fs::remove_file(&ballast).unwrap(),
        // Nothing is left that connections share, and there is no room for it.
        end: |serving| assert_eq!(serving.terminate().0, Some(0)),
    });
}
