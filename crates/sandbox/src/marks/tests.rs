use super::*;

fn open(folder: &Path) -> Marks {
    Marks::open(folder, "1").unwrap()
}

/// The files in the folder of the marks.
fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join(FOLDER)).unwrap().flatten();
    entries.filter(|entry| entry.path().is_file()).count()
}

/// Does what a process does that ends while it reads an input: its lock is gone, and its mark is there.
fn end_at(marks: &Marks, of: &str, digest: &str) {
    let mark = marks.begin(Kind::Page, of, digest).unwrap();
    let path = mark.file.as_ref().unwrap().1.clone();
    let text = fs::read(&path).unwrap();
    drop(mark);
    fs::write(path, text).unwrap();
}

#[test]
fn an_input_that_was_read_leaves_no_mark() {
    let folder = tempfile::tempdir().unwrap();
    let marks = open(folder.path());
    let mark = marks.begin(Kind::Mail, "t", "d").unwrap();
    assert_eq!(files(folder.path()), 1);
    drop(mark);
    assert_eq!(files(folder.path()), 0);
    assert!(marks.begin(Kind::Mail, "t", "d").is_ok(), "again and again");
    assert_eq!(open(folder.path()).passed_by(), []);
}

#[test]
fn an_input_at_which_a_process_ended_is_passed_by_until_it_is_offered_again() {
    let folder = tempfile::tempdir().unwrap();
    end_at(&open(folder.path()), "s1", "bad");
    let marks = open(folder.path());
    assert_eq!(files(folder.path()), 0, "the mark is taken over once");
    let [passed_by] = marks.passed_by().try_into().unwrap();
    assert_eq!((passed_by.kind, passed_by.of.as_str()), (Kind::Page, "s1"));
    assert_eq!(marks.begin(Kind::Page, "s2", "bad").unwrap_err(), passed_by, "whoever brings it");
    assert!(marks.begin(Kind::Page, "s1", "good").is_ok(), "other inputs of the source are read");
    assert!(marks.begin(Kind::Mail, "s1", "bad").is_ok(), "another parser may read it");
    let other = open(folder.path());
    assert!(other.is_passed_by(Kind::Page, "bad"), "a start does not forget it");
    assert!(other.offer_again(&passed_by.id).unwrap());
    assert!(!other.offer_again(&passed_by.id).unwrap() && !other.offer_again("../x").unwrap());
    assert!(marks.begin(Kind::Page, "s1", "bad").is_ok(), "another process may offer it again");
}

#[test]
fn an_input_that_is_being_read_by_another_process_is_not_passed_by() {
    let folder = tempfile::tempdir().unwrap();
    let marks = open(folder.path());
    let mark = marks.begin(Kind::Page, "s", "d").unwrap();
    assert_eq!(open(folder.path()).passed_by(), []);
    assert_eq!(files(folder.path()), 1, "its mark is left alone");
    drop(mark);
}

#[test]
fn another_version_of_the_program_tries_again() {
    let folder = tempfile::tempdir().unwrap();
    end_at(&open(folder.path()), "s", "a");
    open(folder.path()).begin(Kind::Page, "s", "b").unwrap().pass_by();
    end_at(&open(folder.path()), "s", "c");
    assert_eq!(open(folder.path()).passed_by().len(), 3);
    end_at(&open(folder.path()), "s", "d");
    let newer = Marks::open(folder.path(), "2").unwrap();
    assert_eq!(newer.passed_by(), [], "also what ended the older version last");
    for digest in ["a", "b", "c", "d"] {
        assert!(newer.begin(Kind::Page, "s", digest).is_ok());
    }
}

#[test]
fn an_input_whose_parser_failed_is_passed_by_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let marks = open(folder.path());
    marks.begin(Kind::Mail, "s", "d").unwrap().pass_by();
    assert!(marks.is_passed_by(Kind::Mail, "d") && files(folder.path()) == 0);
}

#[test]
fn without_room_for_a_mark_the_input_is_read_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let marks = open(folder.path());
    fs::remove_dir_all(folder.path().join(FOLDER)).unwrap();
    assert!(marks.begin(Kind::Page, "s", "d").is_ok());
}

#[test]
fn a_damaged_mark_is_removed_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path());
    fs::write(folder.path().join(FOLDER).join("x.mark"), "{").unwrap();
    fs::write(folder.path().join(FOLDER).join("y.new"), "").unwrap();
    fs::write(folder.path().join(FOLDER).join("passed-by").join("page-1"), "{").unwrap();
    assert_eq!((open(folder.path()).passed_by(), files(folder.path())), (Vec::new(), 0));
}

#[test]
fn equal_inputs_have_equal_digests_however_they_are_cut() {
    assert_eq!(digest([b"ab".as_slice(), b"c"]), digest([b"abc".as_slice()]));
    assert_ne!(digest([b"ab".as_slice()]), digest([b"abc".as_slice()]));
}
