//! Tests of who opens a link of the program.

use super::*;

fn folders(at: &Path) -> Folders {
    Folders { data: at.join("data"), config: at.join("config"), shared: vec![at.join("shared")] }
}

#[test]
fn links_open_here_until_a_package_takes_them() {
    let at = tempfile_dir();
    let folders = folders(at.path());
    let home = Home::at(at.path().join("home"));
    assert!(!folders.has_other_handler().unwrap());
    assert!(write(&folders, Path::new("/opt/my tidings/x"), &home).unwrap());
    assert!(!write(&folders, Path::new("/opt/my tidings/x"), &home).unwrap(), "once is enough");
    let text = fs::read_to_string(folders.entry()).unwrap();
    assert!(text.contains("\"/opt/my tidings/x\" %u"), "{text}");
    assert!(fs::read_to_string(folders.list()).unwrap().contains(&format!("{SCHEME}={ENTRY}")));
    assert!(!folders.has_other_handler().unwrap(), "its own entry is no other program");

    let shared = at.path().join("shared/applications");
    fs::create_dir_all(&shared).unwrap();
    fs::write(shared.join("Tidings.desktop"), format!("[Desktop Entry]\nMimeType={SCHEME};\n")).unwrap();
    assert!(folders.has_other_handler().unwrap());
    assert!(unregister(&folders).unwrap());
    assert!(!folders.entry().exists());
    assert!(!fs::read_to_string(folders.list()).unwrap().contains(SCHEME));
}

#[test]
fn what_the_user_chose_stays() {
    let with = |list: &str| {
        let list = with_default(KeyFile::parse(list.as_bytes()).unwrap())?;
        Some(String::from_utf8(list.to_bytes()).unwrap())
    };
    assert_eq!(with(&format!("[Default Applications]\n{SCHEME}=other.desktop\n")), None);
    assert_eq!(with(&format!("[Removed Associations]\n{SCHEME}={ENTRY};\n")), None);
    let list = with("[Added Associations]\na=b\n[Default Applications]\nc=d\n").unwrap();
    assert!(list.contains(&format!("[Default Applications]\n{SCHEME}={ENTRY}\nc=d")), "{list}");
}

#[test]
fn a_list_of_defaults_with_odd_bytes_keeps_every_one_of_them() {
    let line = format!("{SCHEME}={ENTRY}");
    let cases: [(&[u8], String); 6] = [
        (b"[Default Applications]\ntext/\xe9=a\xff.desktop\n", "LF".into()),
        (b"[Default Applications]\r\na=b\r\n", "CRLF".into()),
        (b"\xef\xbb\xbf[Default Applications]\na=b\n", "a mark of byte order".into()),
        (b"# mine \xfe\n\n[Default Applications]\n# x-scheme-handler/tidings=no\na=b\n", "comments".into()),
        (b"[Added Associations]\na=b\n[Default Applications]\nc=d", "no final newline".into()),
        (b"[Added Associations]\nimage/png=\xc3(.desktop;\n", "no such group".into()),
    ];
    for (before, what) in cases {
        let at = tempfile_dir();
        let folders = folders(at.path());
        fs::create_dir_all(&folders.config).unwrap();
        fs::write(folders.list(), before).unwrap();
        assert!(write(&folders, Path::new("/opt/x"), &Home::at(at.path().join("home"))).unwrap(), "{what}");
        let after = fs::read(folders.list()).unwrap();
        for expected in before.split(|byte| *byte == b'\n') {
            let expected = expected.strip_suffix(b"\r").unwrap_or(expected);
            assert!(
                after.windows(expected.len().max(1)).any(|w| w == expected) || expected.is_empty(),
                "{what}"
            );
        }
        assert!(after.windows(line.len()).any(|w| w == line.as_bytes()), "{what}");
        let ends = |bytes: &[u8]| bytes.windows(2).filter(|w| w == b"\r\n").count();
        assert_eq!(ends(&after), if what == "CRLF" { 3 } else { 0 }, "{what}");
        // Withdrawn, the list is as before, except for the end of its last line and the group that was added.
        assert!(unregister(&folders).unwrap());
        let rest = fs::read(folders.list()).unwrap();
        let begins = rest.strip_suffix(b"[Default Applications]\n").unwrap_or(&rest);
        assert_eq!(begins.trim_ascii_end(), before.trim_ascii_end(), "{what}");
    }
}

#[test]
fn a_list_that_is_none_or_cannot_be_written_is_left_alone() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = |at: &Path| Home::at(at.join("home"));
    let program = Path::new("/opt/x");
    for bytes in [&b"\xff\xfe[\0D\0"[..], b"not a list\n", b"a=b\n[Default Applications]\n"] {
        let at = tempfile_dir();
        let folders = folders(at.path());
        fs::create_dir_all(&folders.config).unwrap();
        fs::write(folders.list(), bytes).unwrap();
        folders.has_other_handler().unwrap_err();
        write(&folders, program, &home(at.path())).unwrap_err();
        assert_eq!(fs::read(folders.list()).unwrap(), bytes);
        assert!(!folders.entry().exists());
    }
    // A folder is in the place of the list.
    let at = tempfile_dir();
    fs::create_dir_all(folders(at.path()).list()).unwrap();
    write(&folders(at.path()), program, &home(at.path())).unwrap_err();
    assert!(folders(at.path()).list().is_dir());

    // A symbolic link still leads to its target, whose mode is kept.
    let at = tempfile_dir();
    let folders = folders(at.path());
    fs::create_dir_all(&folders.config).unwrap();
    let real = at.path().join("dotfiles.list");
    fs::write(&real, "[Default Applications]\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&real, folders.list()).unwrap();
    assert!(write(&folders, program, &home(at.path())).unwrap());
    assert!(fs::symlink_metadata(folders.list()).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains(ENTRY));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);

    // If the folder takes no new file, the list is unchanged.
    let before = fs::read(&real).unwrap();
    fs::set_permissions(at.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let done = unregister(&folders);
    fs::set_permissions(at.path(), fs::Permissions::from_mode(0o700)).unwrap();
    // Root may write there in any case.
    assert!(done.is_ok() || fs::read(&real).unwrap() == before);
    assert_eq!(fs::read_dir(at.path()).unwrap().count(), 3, "no draft is left");
}

fn tempfile_dir() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}
