use tidings_model::Stamp;
use tidings_testkit::tls::Authority;

use super::*;

/// The address of the tests; each has a folder of its own.
const AT: &str = "git.example:8443/x";

fn opened() -> (tempfile::TempDir, CertificateStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = CertificateStore::new(NamedSecrets::new(folder.path(), None));
    (folder, store)
}

fn der(pem: &str) -> Vec<u8> {
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    data_encoding::BASE64.decode(body.as_bytes()).unwrap()
}

#[test]
fn what_was_read_is_shown_and_kept_by_origin() {
    let (folder, store) = opened();
    let (one, two) = (Authority::new("One"), Authority::new("Two\u{202e}\n"));
    assert_eq!(store.list().unwrap(), []);
    let both = format!("A comment\n{}\n{}", one.pem(), two.pem());
    assert_eq!(store.add_authorities(AT, both.as_bytes()).unwrap().len(), 2);
    store.add_authorities("https://git.example:8443", &der(&one.pem())).unwrap();
    store.add_authorities("https://git.example", &der(&one.pem())).unwrap();
    let ana = one.client("ana");
    let (added, stored) = store
        .add_client(AT, format!("{}{}", two.pem(), ana.certificate).as_bytes(), Some(ana.key.as_bytes()))
        .unwrap();
    assert_eq!((added.subject.as_str(), added.issuer.as_str(), stored), ("ana", "One", StoredIn::File));
    assert!(added.is_valid_at(Stamp::from_secs(1_790_000_000)) && !added.is_valid_at(Stamp::from_secs(1)));

    let again = CertificateStore::new(NamedSecrets::new(folder.path(), None));
    let listed = again.list().unwrap();
    let listed: Vec<_> =
        listed.iter().map(|one| (one.origin.as_str(), one.used_as, one.subject.as_str())).collect();
    let (client, authority) = (CertificateUse::Client, CertificateUse::Authority);
    assert_eq!(
        listed,
        [
            ("https://git.example", authority, "One"),
            ("https://git.example:8443", client, "ana"),
            ("https://git.example:8443", authority, "One"),
            ("https://git.example:8443", authority, "Two "),
        ]
    );
    assert!(!again.remove(AT, Some("00")).unwrap());
    assert!(again.remove(AT, Some(&added.fingerprint)).unwrap());
    assert!(again.remove(AT, None).unwrap());
    assert_eq!(again.list().unwrap().len(), 1);
}

#[test]
fn keys_of_every_kind_are_read_and_what_is_none_is_told_apart() {
    let (_folder, store) = opened();
    let authority = Authority::new("One");
    let ana = authority.client("ana");
    let certificate = ana.certificate.as_bytes();
    let add = |key: &str| store.add_client(AT, certificate, Some(key.as_bytes())).map(drop);
    // What PKCS#8 has of a key on an elliptic curve is SEC 1.
    let pkcs8 = der(&ana.key);
    let at = pkcs8.windows(3).position(|window| window == [0x04, 0x6d, 0x30]).unwrap();
    let sec1 = crate::trust::pem("EC PRIVATE KEY", &pkcs8[at + 2..]);
    let sec1 = sec1.as_str();
    for good in [ana.key.as_str(), sec1] {
        add(good).unwrap();
    }
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let broken = crate::trust::pem("PRIVATE KEY", b"nothing");
    let words = |error: Result<()>| error.unwrap_err().to_string();
    assert!(words(add(&authority.client("bo").key)).contains("another certificate"));
    assert!(words(add(encrypted)).contains("password"));
    assert!(words(add(&broken)).contains("neither RSA nor"));
    assert!(words(add("nothing")).contains("no private key"));
    assert!(words(store.add_client(AT, certificate, None).map(drop)).contains("no private key"));
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 1, "what was there before stays");
}

#[test]
fn what_is_no_certificate_and_what_is_no_address_is_refused_and_changes_nothing() {
    let (folder, store) = opened();
    let authority = Authority::new("One").pem();
    let words = |address: &str, file: &[u8]| store.add_authorities(address, file).unwrap_err().to_string();
    for address in ["http://git.example", "ftp://git.example", "", "a b"] {
        assert!(words(address, authority.as_bytes()).contains("https://"), "{address}");
    }
    assert!(words(AT, b"nothing").contains("has no certificate"));
    assert!(words(AT, crate::trust::pem("PRIVATE KEY", b"x").as_bytes()).contains("has no certificate"));
    assert!(words(AT, crate::trust::pem("CERTIFICATE", b"x").as_bytes()).contains("can't be read"));
    // The head of an archive as openssl writes it.
    assert!(words(AT, b"\x30\x82\x0a\x57\x02\x01\x03\x30\x82").contains("openssl pkcs12"));
    assert!(words(AT, &vec![b' '; (1 << 20) + 1]).contains("1 MiB"));
    let many: String = std::iter::repeat_n(authority.as_str(), MAX_AUTHORITIES + 1).collect();
    assert!(words(AT, many.as_bytes()).contains("too many"));
    assert_eq!(store.list().unwrap(), []);

    fs::write(folder.path().join("certificates.json"), r#"{"version":2,"origins":{}}"#).unwrap();
    assert!(words(AT, authority.as_bytes()).contains("newer version"), "it is not written over");
    assert!(store.load().is_err());
}
