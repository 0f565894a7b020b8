//! Tests of recorded statements and of the steps of their plans that the audit reports.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use tidings_sqlite::{Database, Durability, Error, Migration, Options};
use tidings_testkit::statements::{self, Listed, Unrun};

const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "notes",
    sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
          CREATE TABLE word (owner INTEGER, word INTEGER, PRIMARY KEY (owner, word)) STRICT, WITHOUT ROWID;
          INSERT INTO note (text) SELECT 'first' FROM (SELECT 1)",
}];

#[test]
fn a_scan_is_named_unless_it_is_listed_and_a_stale_list_is_named_too() {
    statements::record();
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Full, readers: 1, migrations: MIGRATIONS };
    let db = Database::open(&dir.path().join("notes.db"), &options).unwrap();
    db.write_blocking(|tx| Ok::<_, Error>(tx.execute("INSERT INTO note (text) VALUES (?1)", ["x"])?))
        .unwrap();
    let audit = |listed: &[Listed]| {
        db.read(|c| {
            let mut by_text = c.prepare("SELECT id FROM note\n   WHERE text = ?1 ORDER BY text, id")?;
            by_text.exists(["x"])?;
            c.prepare("SELECT text FROM note WHERE id = ?1")?.exists([1])?;
            statements::audit(c, listed)
        })
        .unwrap()
    };
    assert_eq!(statements::recorded().len(), 1, "the migration is no statement of the program's");
    assert_eq!(audit(&[]), ["SCAN note: SELECT id FROM note WHERE text = ?1 ORDER BY text, id"]);
    let listed = Listed { statement: "FROM note WHERE text", step: "SCAN note", reason: "a test" };
    assert_eq!(audit(&[listed]), Vec::<String>::new());
    let stale = Listed { step: "SCAN other", ..listed };
    assert_eq!(audit(&[listed, stale]).len(), 1);

    let ranges = |columns: &[&str], listed: &[Listed]| {
        db.read(|c| statements::audit_ranges(c, columns, listed)).unwrap()
    };
    db.read(|c| {
        c.prepare("SELECT word FROM word WHERE owner = ?1 AND word > ?2")?.exists([1, 2])?;
        Ok::<_, Error>(c.prepare("SELECT 1 FROM word WHERE owner = ?1 AND word = ?2")?.exists([1, 2])?)
    })
    .unwrap();
    let sql = "SELECT word FROM word WHERE owner = ?1 AND word > ?2";
    assert_eq!(
        ranges(&["owner"], &[]),
        [format!("SEARCH word USING PRIMARY KEY (owner=? AND word>?): {sql}")]
    );
    assert_eq!(ranges(&["owner", "word"], &[]).len(), 2, "the word alone tells no row from another");
    assert_eq!(ranges(&["word"], &[]), Vec::<String>::new());
    let listed = Listed { statement: sql, step: "SEARCH word", reason: "a test" };
    assert_eq!(ranges(&["owner"], &[listed]), Vec::<String>::new());

    let source = dir.path().join("a.rs");
    std::fs::write(&source, "fn f() { q(\"SELECT text FROM note WHERE id = ?1\"); q(\"DELETE FROM note\") }")
        .unwrap();
    let never = |listed: &[Unrun]| statements::never_ran(dir.path(), &|_: &Path| false, listed).unwrap();
    assert_eq!(never(&[]), [format!("{}: DELETE FROM note", source.display())]);
    assert_eq!(never(&[Unrun { statement: "DELETE FROM note", reason: "a test" }]), Vec::<String>::new());
    assert_eq!(statements::never_ran(dir.path(), &|_: &Path| true, &[]).unwrap(), Vec::<String>::new());

    // Statements are found wherever a source has them, and a placeholder stands for anything.
    let source = r#"
        // "DELETE FROM comment"
        fn f<'a>(x: &'a str) -> char { if x == "say \"SELECT\"" { '"' } else { '\'' } }
        const A: &str = "SELECT {COLUMNS} \
            FROM note WHERE {} ORDER BY text, id"; /* "DELETE FROM no" */ const B: &str = r"DELETE FROM raw";
        const C: &str = "SELECT {COLUMNS} FROM note WHERE {} ORDER BY id, text";
    "#;
    std::fs::write(dir.path().join("a.rs"), source).unwrap();
    let found = never(&[]).iter().map(|line| line.split_once(": ").unwrap().1.to_owned()).collect::<Vec<_>>();
    assert_eq!(found, ["DELETE FROM raw", "SELECT {COLUMNS} FROM note WHERE {} ORDER BY id, text"]);
}
