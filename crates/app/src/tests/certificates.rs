//! Tests of certificates in the settings: chosen in the desktop's dialog, shown, used for their origin, and removed.

use std::fs;

use tidings_ipc::{ExportFormat, SourceForm};
use tidings_model::Lang;
use tidings_testkit::services::{Feed, ScriptedService as _};
use tidings_testkit::tls::{Authority, TlsFront};

use super::harness::{TestApp, open};

/// Has the next dialog return a file with this content.
fn choose(test: &TestApp, name: &str, content: &str) {
    let file = test.folder.path().join(name);
    fs::write(&file, content).unwrap();
    test.choose_file(&file);
}

fn form(url: &str) -> SourceForm {
    SourceForm { protocol: "feed".into(), url: format!("{url}/feed.xml"), ..SourceForm::default() }
}

#[tokio::test]
async fn a_server_of_an_own_authority_that_wants_a_certificate_is_reached_step_by_step() {
    let (test, feed, authority) = (open(), Feed::start().await, Authority::new("Company CA"));
    feed.publish(0);
    let host = feed.url().replace("http://", "").replace("/feed.xml", "");
    let front = TlsFront::start(&host, &authority.server("localhost"), Some(&authority)).await;
    let refused = test.app.sources.test_source(form(&front.url())).await.unwrap();
    assert!(refused.text.contains("authority that this computer does not know"), "{}", refused.text);

    choose(&test, "company.pem", &authority.pem());
    let added = test.app.certificates.add_authorities(front.url()).await.unwrap().unwrap();
    let [row] = &*added.rows else { panic!("{added:?}") };
    assert_eq!((row.subject.as_str(), row.issuer.as_deref(), row.client), ("Company CA", None, false));
    assert_eq!((row.origin.clone(), row.valid), (front.url(), true));
    assert_eq!(added.text, format!("The authority is trusted at {} only", front.url()));
    let refused = test.app.sources.test_source(form(&front.url())).await.unwrap();
    assert!(refused.text.contains("requires a client certificate"), "{}", refused.text);

    // The certificate is in one file and its key in another, so there is a second dialog.
    let ana = authority.client("ana");
    choose(&test, "ana.key", &ana.key);
    choose(&test, "ana.pem", &ana.certificate);
    let added = test.app.certificates.add_client_certificate(front.url()).await.unwrap().unwrap();
    assert_eq!(added.text, format!("ana is used for {} only", front.url()));
    assert_eq!(added.rows.len(), 2);
    assert!(added.rows[0].client && added.rows[0].issuer.as_deref() == Some("Company CA"), "{added:?}");
    test.app.sources.add_source(form(&front.url())).await.unwrap();

    let page = serde_json::to_string(&added).unwrap();
    let line = ana.key.lines().nth(2).unwrap();
    assert!(!page.contains(line), "the page does not get the key");
    for name in ["backup.tar", "settings.json", "inbox.json"] {
        test.choose_file(&test.folder.path().join(name));
        match name {
            "backup.tar" => test.app.backups.backup().await.unwrap(),
            "settings.json" => test.app.settings_transfer.export_settings().await.unwrap(),
            _ => test.app.storage.export_inbox(ExportFormat::Json).await.unwrap(),
        };
        let written = fs::read(test.folder.path().join(name)).unwrap();
        assert!(!written.is_empty() && !String::from_utf8_lossy(&written).contains(line), "{name}");
    }

    let client = added.rows[0].clone();
    let left = test
        .app
        .certificates
        .remove_certificate(client.origin.clone(), client.fingerprint.clone())
        .await
        .unwrap();
    assert_eq!(left.rows, added.rows[1..]);
    assert!(
        test.app.certificates.remove_certificate(client.origin, client.fingerprint).await.is_err(),
        "it is gone"
    );
    let kept = fs::read_to_string(test.folder.path().join("secrets.json")).unwrap();
    assert!(!kept.contains(line));
}

#[tokio::test]
async fn what_is_no_certificate_is_refused_in_words_and_a_cancelled_dialog_adds_nothing() {
    let test = open();
    let at = || "git.example".to_owned();
    assert!(test.app.certificates.add_authorities(at()).await.unwrap().is_none());
    assert!(test.app.certificates.add_client_certificate(at()).await.unwrap().is_none());
    let authority = Authority::new("CA");
    let said = |done: crate::error::Result<Option<_>>| match done {
        Err(error) => error.to_ipc(Lang::En).text,
        Ok(added) => panic!("{:?}", added.map(|added: tidings_ipc::CertificatesView| added.rows)),
    };
    choose(&test, "notes.txt", "nothing");
    assert!(
        said(test.app.certificates.add_authorities(at()).await).starts_with("notes.txt has no certificate.")
    );
    choose(&test, "ca.pem", &authority.pem());
    assert!(
        said(test.app.certificates.add_authorities("http://git.example".into()).await)
            .contains("is not an address with https")
    );
    choose(&test, "other.key", &authority.client("bo").key);
    choose(&test, "ana.pem", &authority.client("ana").certificate);
    let wrong = said(test.app.certificates.add_client_certificate(at()).await);
    assert_eq!(wrong, "other.key has the key of another certificate. Nothing was added");
    // The first dialog chose a certificate without its key, and the second was cancelled.
    choose(&test, "ana.pem", &authority.client("ana").certificate);
    assert!(test.app.certificates.add_client_certificate(at()).await.unwrap().is_none());
    assert_eq!(test.app.certificates.certificates().await.unwrap(), []);
}
