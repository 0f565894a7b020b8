use std::os::unix::fs::PermissionsExt;

use super::*;

fn row(id: SourceId, url: &str, user: &str) -> Row {
    let user = (!user.is_empty()).then(|| user.to_owned());
    Row { id, url: url.to_owned(), user, protocol: "tidings".to_owned(), ..Row::default() }
}

#[test]
fn without_a_keyring_a_token_is_in_a_file_that_only_its_owner_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = TokenStore::without_keyring(folder.path());
    let (one, two) = (row(1, "https://a.example", "ana"), row(2, "https://b.example", ""));
    assert_eq!(store.get(&one), None);
    assert_eq!(store.set(&one, "tdg_one").unwrap(), StoredIn::File);
    store.set(&two, "tdg_two").unwrap();
    assert_eq!(store.get(&one).as_deref(), Some("tdg_one"));
    let mode = fs::metadata(folder.path().join("tokens.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    store.set_in_memory(&one, "tdg_held");
    assert_eq!(store.clone().get(&one).as_deref(), Some("tdg_held"));
    assert_eq!(store.get(&row(1, "https://b.example", "ana")), None, "what is held has its address, too");
    store.set(&one, "tdg_three").unwrap();
    assert_eq!(store.get(&one).as_deref(), Some("tdg_three"));
    store.remove(&one).unwrap();
    assert_eq!(store.get(&one), None);
    assert_eq!(TokenStore::without_keyring(folder.path()).get(&two).as_deref(), Some("tdg_two"));
}

#[test]
fn a_token_goes_only_to_the_origin_and_the_user_that_it_was_stored_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = TokenStore::without_keyring(folder.path());
    store.set(&row(1, "https://a.example/tidings", "ana"), "tdg_one").unwrap();
    for same in ["https://a.example", "https://a.example:443/elsewhere", "https://A.example/tidings"] {
        assert_eq!(store.get(&row(1, same, "ana")).as_deref(), Some("tdg_one"), "{same}");
    }
    assert!(store.get(&row(1, "https://a.example", "")).is_some(), "its user is not known yet");
    for (id, url, user) in [
        (1, "http://a.example", "ana"),
        (1, "https://a.example:8443", "ana"),
        (1, "https://a.example.evil", "ana"),
        (1, "https://evil.example/https://a.example", "ana"),
        (1, "https://a.example@evil.example", "ana"),
        (1, "https://a.example", "bo"),
        (2, "https://a.example", "ana"),
        (1, "file:///a.example", "ana"),
        (1, "", "ana"),
    ] {
        assert_eq!(store.get(&row(id, url, user)), None, "{id} {url} {user}");
    }
    assert!(store.set(&row(3, "nonsense", ""), "tdg").is_err());
}

#[test]
fn what_was_kept_by_number_stays_with_the_address_that_its_source_has_now() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tokens.json"), r#"{"1":"tdg_one","2":"tdg_two","9":"tdg_gone"}"#).unwrap();
    let store = TokenStore::without_keyring(folder.path());
    let rows = [row(1, "https://a.example", "ana"), row(2, "https://b.example", "")];
    assert_eq!(store.get(&rows[0]), None, "not before it is known for whom it is");
    assert_eq!(store.migrate_legacy(&rows).unwrap(), 0);
    assert_eq!(store.get(&rows[0]).as_deref(), Some("tdg_one"));
    assert_eq!(store.get(&row(2, "https://evil.example", "")), None);
    assert!(!fs::read_to_string(folder.path().join("tokens.json")).unwrap().contains("tdg_gone"));
    // The migration runs once: sources that a backup brings later take over no token.
    assert_eq!(store.migrate_legacy(&[row(2, "https://evil.example", "")]).unwrap(), 0);
    assert_eq!(store.get(&row(2, "https://evil.example", "")), None);
    assert_eq!(store.get(&rows[1]).as_deref(), Some("tdg_two"));
}

#[test]
fn what_was_kept_by_number_is_forgotten_where_a_backup_may_have_changed_the_numbers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tokens.json"), r#"{"1":"tdg_one"}"#).unwrap();
    fs::write(folder.path().join("replica.db.before"), "").unwrap();
    let store = TokenStore::without_keyring(folder.path());
    let rows = [row(1, "https://a.example", "ana")];
    assert_eq!(store.migrate_legacy(&rows).unwrap(), 1, "one source has to be signed in again");
    assert_eq!(store.get(&rows[0]), None);
    assert_eq!(store.migrate_legacy(&rows).unwrap(), 0, "that is said once");
}

#[test]
fn after_a_restore_each_token_is_with_the_same_address_and_user_or_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = TokenStore::without_keyring(folder.path());
    let before = [
        Row { own: true, ..row(1, "http://127.0.0.1:7878", "me") },
        row(2, "https://a.example", "ana"),
        row(3, "https://b.example", "bo"),
    ];
    for row in &before {
        store.set(row, &format!("tdg_{}", row.id)).unwrap();
    }
    let after = [
        row(2, "https://evil.example", "ana"),
        Row { own: true, ..row(4, "https://evil.example", "me") },
        row(5, "https://a.example", "ana"),
        row(6, "https://b.example", "eve"),
    ];
    store.carry_over(&before, &after).unwrap();
    let left: Vec<_> = after.iter().map(|row| store.get(row)).collect();
    assert_eq!(left, [None, None, Some("tdg_2".to_owned()), None]);
    assert!(before.iter().all(|row| store.get(row).is_none()));
}
