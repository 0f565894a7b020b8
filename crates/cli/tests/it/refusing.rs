//! Tests of files that `restore` refuses, and of paths that are no database files: exit code 1, one sentence, and
//! nothing has changed.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::data_folder::DataFolder;
use crate::restoring::{RestoreFixture, check_and_read};

/// The bytes of one part of a backup.
fn part(backup: &Path, name: &str) -> Vec<u8> {
    let mut archive = tar::Archive::new(fs::File::open(backup).unwrap());
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.path().unwrap() == Path::new(name) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            return bytes;
        }
    }
    panic!("no {name} in the backup");
}

/// A member of a hostile archive, with free choice of name, type, link and size.
struct Member<'a> {
    name: &'a str,
    kind: tar::EntryType,
    link: &'a str,
    size: Option<u64>,
    bytes: &'a [u8],
}

impl<'a> Member<'a> {
    fn file(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, kind: tar::EntryType::Regular, link: "", size: None, bytes }
    }

    fn of(kind: tar::EntryType, link: &'a str) -> Self {
        Self { name: "server.db", kind, link, size: None, bytes: &[] }
    }
}

fn archive(at: &Path, members: &[Member<'_>]) {
    let mut builder = tar::Builder::new(fs::File::create(at).unwrap());
    for member in members {
        let mut header = tar::Header::new_gnu();
        // Written into the raw header, as the library refuses to write some of these names.
        let raw = header.as_old_mut();
        raw.name[..member.name.len()].copy_from_slice(member.name.as_bytes());
        raw.linkname[..member.link.len()].copy_from_slice(member.link.as_bytes());
        header.set_entry_type(member.kind);
        header.set_size(member.size.unwrap_or(member.bytes.len() as u64));
        header.set_mode(0o600);
        header.set_cksum();
        builder.append(&header, member.bytes).unwrap();
    }
    builder.finish().unwrap();
}

/// Asserts that the restore is refused in one sentence that contains `text`, and that the folder has not changed.
fn assert_refused(fixture: &RestoreFixture, file: &Path, text: &str) {
    let folder = fixture.copy();
    let result = folder.try_run(&["restore", file.to_str().unwrap()]);
    assert_eq!(result.code, Some(1), "{text}: {result:?}");
    assert_eq!(result.err.lines().count(), 1, "{text}: {result:?}");
    assert!(result.err.contains(text) && result.err.contains("nothing has changed"), "{text}: {result:?}");
    assert_eq!(&check_and_read(&folder, text), fixture.contents());
}

#[test]
fn nothing_but_a_backup_of_ours_is_restored() {
    let fixture = RestoreFixture::new();
    let dir = TempDir::with_prefix("tidings-archives.").unwrap();
    let at = dir.path().join("x.tar");
    let (server, inbox) = (part(&fixture.backup, "server.db"), part(&fixture.backup, "replica.db"));
    let file_member = Member::file;
    let inbox_member = || file_member("replica.db", &inbox);
    for (members, text) in [
        (vec![Member::of(tar::EntryType::Symlink, "/etc/passwd")], "no plain file"),
        (vec![Member::of(tar::EntryType::Link, "replica.db")], "no plain file"),
        (vec![Member::of(tar::EntryType::Char, "")], "no plain file"),
        (vec![Member::of(tar::EntryType::Fifo, "")], "no plain file"),
        (vec![Member::of(tar::EntryType::Directory, "")], "no plain file"),
        (vec![Member::of(tar::EntryType::GNUSparse, "")], "no plain file"),
        (vec![inbox_member(), file_member("../server.db", &server)], "it holds `../server.db`"),
        (vec![inbox_member(), file_member("/tmp/server.db", &server)], "it holds `/tmp/server.db`"),
        (vec![inbox_member(), file_member("notes.txt", b"hello")], "it holds `notes.txt`"),
        (vec![file_member("server.db", &server), file_member("server.db", &server)], "twice"),
        (vec![file_member("server.db", &server[..server.len() - 4096])], "no whole database"),
        (vec![file_member("server.db", b"junk")], "no whole database"),
        (vec![Member { size: Some(1 << 40), ..file_member("server.db", &server) }], "cut off"),
        (vec![], "it is empty"),
        (vec![inbox_member(), file_member("server.db", &inbox)], "was not restored"),
    ] {
        archive(&at, &members);
        assert_refused(&fixture, &at, text);
    }
    fs::write(&at, "no archive at all").unwrap();
    assert_refused(&fixture, &at, "not a backup of this program");
    assert_refused(&fixture, dir.path(), "it is no file");
    fs::remove_file(&at).unwrap();
    assert!(Command::new("mkfifo").arg(&at).status().unwrap().success());
    assert_refused(&fixture, &at, "it is no file");
    fs::remove_file(&at).unwrap();
    // A sparse file that is larger than the disk.
    archive(&at, &[]);
    let head = {
        let mut head = server[..4096].to_vec();
        head[28..32].copy_from_slice(&u32::MAX.to_be_bytes());
        head
    };
    let huge = u64::from(u32::MAX) * 4096;
    archive(&at, &[Member { size: Some(huge), ..file_member("server.db", &head) }]);
    if fs::OpenOptions::new().write(true).open(&at).unwrap().set_len(huge + 4096).is_ok() {
        assert_refused(&fixture, &at, "are free");
    }
}

#[test]
fn a_database_with_more_or_less_than_our_schema_and_rows_is_not_restored() {
    let fixture = RestoreFixture::new();
    let dir = TempDir::with_prefix("tidings-archives.").unwrap();
    let changed = |name: &str, sql: &str| -> PathBuf {
        let file = dir.path().join(name);
        fs::write(&file, part(&fixture.backup, name)).unwrap();
        let conn = Connection::open(&file).unwrap();
        conn.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
        drop(conn);
        let at = dir.path().join("x.tar");
        archive(&at, &[Member::file(name, &fs::read(&file).unwrap())]);
        at
    };
    for name in ["server.db", "replica.db"] {
        let table = if name == "server.db" { "users" } else { "sources" };
        for (sql, text) in [
            ("CREATE TABLE extra(x)".to_owned(), "its table `extra`"),
            (format!("CREATE VIEW spy AS SELECT * FROM {table}"), "its view `spy`"),
            (
                format!("CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END"),
                "its trigger `t`",
            ),
            (format!("CREATE INDEX i ON {table}(name)"), "its index `i`"),
            (format!("ALTER TABLE {table} ADD COLUMN more TEXT"), "its table"),
            ("PRAGMA user_version = 9999".to_owned(), "version 9999"),
            ("PRAGMA user_version = 0".to_owned(), "no data of this program"),
            ("PRAGMA page_size = 8192; VACUUM".to_owned(), "laid out"),
        ] {
            assert_refused(&fixture, &changed(name, &sql), text);
        }
    }
    for (sql, text) in [
        ("DELETE FROM meta", "it holds no server"),
        ("UPDATE meta SET last_stamp = 9000000000000000", "restore --mend-clock"),
        ("UPDATE meta SET last_stamp = 1", "never handed out"),
        ("UPDATE meta SET catalog = 'no'", "its catalog"),
        ("UPDATE tokens SET user = 12345", "belongs to none"),
    ] {
        assert_refused(&fixture, &changed("server.db", sql), text);
    }
    // A damaged page is found, as the tables are read to their end before any file is replaced.
    let mut bytes = part(&fixture.backup, "server.db");
    let middle = bytes.len() / 8192 * 4096;
    bytes[middle..middle + 64].fill(0xff);
    let at = dir.path().join("x.tar");
    archive(&at, &[Member::file("server.db", &bytes)]);
    assert_refused(&fixture, &at, "damaged");
}

#[test]
fn a_symlink_named_as_a_database_is_not_an_empty_one() {
    let fixture = RestoreFixture::new();
    let elsewhere = TempDir::with_prefix("tidings-elsewhere.").unwrap();
    for (name, commands) in [
        ("server.db", [&["check"][..], &["serve", "--listen", "127.0.0.1:0"], &["user", "list"]]),
        ("replica.db", [&["check"][..], &["list"], &["pull"]]),
    ] {
        for kind in ["nowhere", "a database", "a folder", "a pipe"] {
            let folder = fixture.copy();
            let place = folder.path().join(name);
            let moved = elsewhere.path().join(name);
            fs::rename(&place, &moved).unwrap();
            for log in ["-wal", "-shm"] {
                let _ = fs::remove_file(folder.path().join(format!("{name}{log}")));
            }
            match kind {
                "nowhere" => symlink("/nonexistent/file", &place).unwrap(),
                "a database" => symlink(&moved, &place).unwrap(),
                "a folder" => fs::create_dir(&place).unwrap(),
                _ => assert!(Command::new("mkfifo").arg(&place).status().unwrap().success()),
            }
            let was = fs::symlink_metadata(&place).unwrap().file_type();
            let (restore, backup) = (fixture.backup.to_str().unwrap(), folder.path().join("b.tar"));
            let more = [&["restore", restore][..], &["backup", backup.to_str().unwrap()]];
            for args in commands.into_iter().chain(more) {
                let result = folder.try_run(args);
                assert_eq!(result.code, Some(1), "{name} is {kind}: {args:?}: {result:?}");
                assert!(result.err.contains("not a database file"), "{name} is {kind}: {args:?}: {result:?}");
                assert_eq!(fs::symlink_metadata(&place).unwrap().file_type(), was, "{args:?}");
            }
            assert!(!backup.exists(), "no backup that lacks a part");
            // The other database, which is intact, still works.
            let other = if name == "server.db" { "list" } else { "user" };
            let args = if other == "list" { vec!["list"] } else { vec!["user", "list"] };
            assert_eq!(folder.try_run(&args).code, Some(0), "{args:?}");
        }
    }
}

#[test]
fn a_restore_is_refused_while_somebody_has_the_inbox_open() {
    let fixture = RestoreFixture::new();
    let folder = fixture.copy();
    let before = check_and_read(&folder, "before");
    let watching = crate::serving::Serving::watch(&folder, &["pull", "--watch"]);
    tidings_testkit::wait::until_blocking("it to watch", || folder.path().join("app.sock").exists());
    let result = folder.try_run(&["restore", fixture.backup.to_str().unwrap()]);
    assert_eq!(result.code, Some(1), "{result:?}");
    drop(watching);
    let _ = fs::remove_file(folder.path().join("app.sock"));
    // A program that has the inbox open without the socket holds this shared lock.
    let open = fs::File::open(folder.path().join("replica.db.lock")).unwrap();
    open.lock_shared().unwrap();
    let result = folder.try_run(&["restore", fixture.backup.to_str().unwrap()]);
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(result.err.contains("in use") && result.err.contains("nothing has changed"), "{result:?}");
    drop(open);
    assert_eq!(check_and_read(&folder, "after"), before);
    assert_eq!(
        DataFolder::new().try_run(&["restore", fixture.backup.to_str().unwrap()]).code,
        Some(0),
        "into a new folder"
    );
}
