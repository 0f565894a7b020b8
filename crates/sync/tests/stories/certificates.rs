//! Tests of authorities and client certificates by origin, against real TLS servers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use tempfile::TempDir;
use tidings_model::SystemClock;
use tidings_net::certificates::{CertificateError, CertificateStore, CertificateUse};
use tidings_net::{CertificateFault, Error as NetError, egress, http};
use tidings_replica::Replica;
use tidings_sources::protocol;
use tidings_sync::sign_in::{NewSignIn, PageTexts, begin, real_time};
use tidings_sync::{Error, Report, SourceStatus, StoredTokens, TokenStore, Tokens, Trouble};
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::{Feed, Gotify, Mastodon, ScriptedService};
use tidings_testkit::tls::{Authority, Issued, TlsFront};
use url::Url;

use crate::conformance::secrets;
use crate::service_inbox::ServiceInbox;
use crate::support::until_state;

fn url_of(service: &dyn ScriptedService) -> Url {
    service.url().parse().unwrap()
}

/// Where a service listens.
fn host(service: &dyn ScriptedService) -> String {
    let url = url_of(service);
    format!("{}:{}", url.host_str().unwrap(), url.port().unwrap())
}

/// The address of a service behind another origin.
fn behind(service: &dyn ScriptedService, origin: &str) -> String {
    format!("{origin}{}", url_of(service).path())
}

fn store(folder: &TempDir) -> CertificateStore {
    TokenStore::without_keyring(folder.path()).certificates()
}

async fn pull_at(inbox: &ServiceInbox, service: &dyn ScriptedService, origin: &str) -> Result<Report, Error> {
    inbox.move_to(behind(service, origin));
    inbox.pull().await
}

#[track_caller]
fn assert_fault<T: std::fmt::Debug>(done: Result<T, impl Into<Error>>, fault: CertificateFault) {
    let error: Error = done.map_err(Into::into).unwrap_err();
    assert!(matches!(&error, Error::Net(NetError::Certificate(found)) if *found == fault), "{error:?}");
}

#[tokio::test]
async fn an_authority_that_was_added_is_trusted_at_its_origin_and_nowhere_else() {
    let (feed, authority) = (Feed::start().await, Authority::new("Home CA"));
    feed.publish(0);
    let front = TlsFront::start(&host(&feed), &authority.server("localhost"), None).await;
    let (inbox, folder) = (ServiceInbox::of(&feed), tempfile::tempdir().unwrap());
    assert_fault(pull_at(&inbox, &feed, &front.url()).await, CertificateFault::UnknownAuthority);

    let store = store(&folder);
    let bundle = format!("{}\n{}", Authority::new("Another CA").pem(), authority.pem());
    let added = store.add_authorities(&front.url(), bundle.as_bytes()).unwrap();
    let names: Vec<_> = added.iter().map(|one| one.subject.as_str()).collect();
    assert_eq!(names, ["Another CA", "Home CA"]);
    assert_eq!(pull_at(&inbox, &feed, &front.url()).await.unwrap().arrived, 1);
    assert_fault(pull_at(&inbox, &feed, &front.by_address()).await, CertificateFault::UnknownAuthority);

    assert!(store.remove(&front.url(), Some(&added[1].fingerprint)).unwrap());
    assert_fault(pull_at(&inbox, &feed, &front.url()).await, CertificateFault::UnknownAuthority);
    let left = store.list().unwrap();
    assert_eq!(
        (left.len(), left[0].subject.as_str(), left[0].used_as),
        (1, "Another CA", CertificateUse::Authority)
    );
}

#[tokio::test]
async fn a_certificate_of_another_name_or_of_another_time_is_told_apart() {
    let (feed, authority) = (Feed::start().await, Authority::new("Home CA"));
    let (inbox, folder) = (ServiceInbox::of(&feed), tempfile::tempdir().unwrap());
    for (issued, fault) in [
        (authority.server("other.example"), CertificateFault::OtherName),
        (authority.expired_server("localhost"), CertificateFault::NotValidNow),
    ] {
        let front = TlsFront::start(&host(&feed), &issued, None).await;
        store(&folder).add_authorities(&front.url(), authority.pem().as_bytes()).unwrap();
        assert_fault(pull_at(&inbox, &feed, &front.url()).await, fault);
        assert_eq!(Trouble::from(&NetError::Certificate(fault)), Trouble::Certificate(fault));
    }
}

/// A feed that asks for client certificates, whose authority is trusted at both of its origins.
struct Guarded {
    feed: Feed,
    authority: Authority,
    front: TlsFront,
    inbox: ServiceInbox,
    folder: TempDir,
}

impl Guarded {
    async fn new() -> Self {
        let (feed, authority) = (Feed::start().await, Authority::new("Company CA"));
        feed.publish(0);
        let server = authority.server("localhost");
        let front = TlsFront::start(&host(&feed), &server, Some(&authority)).await;
        let (inbox, folder) = (ServiceInbox::of(&feed), tempfile::tempdir().unwrap());
        for origin in [front.url(), front.by_address()] {
            store(&folder).add_authorities(&origin, authority.pem().as_bytes()).unwrap();
        }
        Self { feed, authority, front, inbox, folder }
    }

    fn store(&self) -> CertificateStore {
        store(&self.folder)
    }

    async fn pull(&self) -> Result<Report, Error> {
        pull_at(&self.inbox, &self.feed, &self.front.url()).await
    }

    /// Adds a client certificate for the origin by name.
    fn add(&self, issued: &Issued) {
        let (certificate, key) = (issued.certificate.as_bytes(), issued.key.as_bytes());
        self.store().add_client(&self.front.url(), certificate, Some(key)).unwrap();
    }
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_its_origin_and_to_nobody_else() {
    let guarded = Guarded::new().await;
    assert_fault(guarded.pull().await, CertificateFault::ClientWanted);
    guarded.add(&Authority::new("Strangers").client("ana"));
    assert_fault(guarded.pull().await, CertificateFault::ClientWanted);
    assert!(guarded.front.shown().is_empty());

    let ana = guarded.authority.client("ana");
    guarded.add(&ana);
    assert_eq!(guarded.pull().await.unwrap().arrived, 1);
    assert!(guarded.front.shown().iter().all(Option::is_some));
    let before = guarded.front.shown().len();

    // The same machine by another name is another origin, also as the target of a redirect.
    let elsewhere = pull_at(&guarded.inbox, &guarded.feed, &guarded.front.by_address()).await;
    assert_fault(elsewhere, CertificateFault::ClientWanted);
    let (gate, to) = (ScriptedServer::start().await, guarded.front.by_address());
    let front = TlsFront::start(&gate.host(), &guarded.authority.server("localhost"), None).await;
    gate.always(response("302 Found", &format!("location: {to}/feed.xml\r\n"), ""));
    guarded.store().add_authorities(&front.url(), guarded.authority.pem().as_bytes()).unwrap();
    guarded
        .store()
        .add_client(&front.url(), format!("{}{}", ana.key, ana.certificate).as_bytes(), None)
        .unwrap();
    let url: Url = front.url().parse().unwrap();
    let refused = http::ask(http::client_for(&url).unwrap().get(url)).await;
    assert!(matches!(refused, Err(NetError::RedirectRefused)), "{refused:?}");
    assert_eq!(guarded.front.shown().len(), before);
}

#[tokio::test]
async fn a_page_in_place_of_an_alert_is_told_as_the_missing_certificate_too() {
    let (authority, folder) = (Authority::new("Home CA"), tempfile::tempdir().unwrap());
    let server = authority.server("localhost");
    let ask = async |title: &str| {
        let nginx = ScriptedServer::start().await;
        let front = TlsFront::start(&nginx.host(), &server, None).await;
        store(&folder).add_authorities(&front.url(), authority.pem().as_bytes()).unwrap();
        let page = format!("<html><head><title>400 {title}</title></head><body></body></html>");
        nginx.always(response("400 Bad Request", "content-type: text/html\r\n", page));
        let url: Url = front.url().parse().unwrap();
        http::ask(http::client_for(&url).unwrap().get(url)).await
    };
    for title in ["No required SSL certificate was sent", "The SSL certificate error"] {
        assert_fault(ask(title).await, CertificateFault::ClientWanted);
    }
    let other = ask("Request Header Or Cookie Too Large").await;
    assert!(matches!(other, Err(NetError::Refused(400))), "{other:?}");
}

#[tokio::test]
async fn what_a_notification_names_is_fetched_without_the_certificate_unless_its_source_is_there() {
    let guarded = Guarded::new().await;
    guarded.add(&guarded.authority.client("ana"));
    let picture: Url = format!("{}/picture.png", guarded.front.url()).parse().unwrap();
    guarded.feed.put("/picture.png", "", "a picture");
    let other: Url = "http://127.0.0.1:1/".parse().unwrap();
    let client = egress::client(&picture, Some(&other)).await.unwrap();
    assert_fault(http::ask(client.get(picture.clone())).await, CertificateFault::ClientWanted);
    let client = egress::client(&picture, Some(&guarded.front.url().parse().unwrap())).await.unwrap();
    assert_eq!(http::ask(client.get(picture)).await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_live_channel_uses_the_certificates_and_ends_with_them() {
    let (gotify, authority) = (Gotify::start().await, Authority::new("Home CA"));
    let server = authority.server("localhost");
    let front = TlsFront::start(&host(&gotify), &server, Some(&authority)).await;
    let (inbox, folder) = (ServiceInbox::of(&gotify), tempfile::tempdir().unwrap());
    let (store, ana) = (store(&folder), authority.client("ana"));
    store.add_authorities(&front.url(), authority.pem().as_bytes()).unwrap();
    store.add_client(&front.url(), ana.certificate.as_bytes(), Some(ana.key.as_bytes())).unwrap();
    inbox.move_to(behind(&gotify, &front.url()));
    let engine = inbox.engine().await;
    until_state(&engine, inbox.source, |status| *status == SourceStatus::Live).await;
    assert!(front.shown().iter().all(Option::is_some) && gotify.streams() == 1);

    assert!(store.remove(&front.url(), None).unwrap());
    engine.certificates_changed(&[front.url()]).await.unwrap();
    let unknown = Trouble::Certificate(CertificateFault::UnknownAuthority);
    until_state(
        &engine,
        inbox.source,
        |status| matches!(status, SourceStatus::Retrying { trouble, .. } if *trouble == unknown),
    )
    .await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_sign_in_with_the_browser_registers_behind_a_certificate() {
    let (mastodon, authority) = (Mastodon::start().await, Authority::new("Home CA"));
    let server = authority.server("localhost");
    let front = TlsFront::start(&host(&mastodon), &server, Some(&authority)).await;
    let (folder, ana) = (tempfile::tempdir().unwrap(), authority.client("ana"));
    let sign_in = || NewSignIn {
        protocol: protocol("mastodon").unwrap(),
        url: "",
        client_id: "",
        more: false,
        texts: PageTexts { lang: "en", done: "", denied: "", unknown: "" },
        clock: Arc::new(SystemClock),
        sleep: real_time(),
    };
    let url = front.url();
    let refused = begin(NewSignIn { url: &url, ..sign_in() }).await.unwrap_err();
    assert!(
        refused.to_string().contains("signed by an authority that this computer doesn't know"),
        "{refused}"
    );
    let store = store(&folder);
    store.add_authorities(&url, authority.pem().as_bytes()).unwrap();
    store.add_client(&url, ana.certificate.as_bytes(), Some(ana.key.as_bytes())).unwrap();
    let started = begin(NewSignIn { url: &url, ..sign_in() }).await.unwrap();
    assert_eq!(started.prompt.url().origin().ascii_serialization(), url);
}

/// Everything that is in the files of a folder, except in one of them.
fn written(folder: &TempDir, except: &str) -> String {
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file() && !path.ends_with(except));
    files.map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()).collect()
}

#[tokio::test]
async fn the_key_of_a_client_is_in_one_file_of_its_owner_and_read_when_it_is_needed() {
    secrets::record_logs();
    let guarded = Guarded::new().await;
    let ana = guarded.authority.client("ana");
    let _replica = Replica::open(guarded.folder.path(), Arc::new(SystemClock)).unwrap();
    let mismatch = guarded.store().add_client(
        &guarded.front.url(),
        ana.certificate.as_bytes(),
        Some(guarded.authority.client("bo").key.as_bytes()),
    );
    assert!(matches!(mismatch, Err(CertificateError::KeyMismatch)), "{mismatch:?}");
    guarded.add(&ana);
    guarded.pull().await.unwrap();

    // A program that starts has the certificate at once, and the key with the token of a source there.
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(store(&empty).load().unwrap().len(), 2, "nothing is in force any more");
    assert_eq!(guarded.store().load().unwrap().len(), 2);
    let locked = guarded.pull().await;
    let said = format!("{locked:?}");
    assert_fault(locked, CertificateFault::ClientKey);
    let tokens = StoredTokens::new(TokenStore::without_keyring(guarded.folder.path()), |_| false);
    let row = guarded.inbox.replica.source(guarded.inbox.source).unwrap();
    assert_eq!(tokens.token(&row).unwrap(), "");
    guarded.pull().await.unwrap();

    let file = guarded.folder.path().join("secrets.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let line = ana.key.lines().nth(2).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains(line));
    assert!(!written(&guarded.folder, "secrets.json").contains(line));
    let shown = format!("{:?}", guarded.store().list().unwrap());
    secrets::assert_in_none(line, &[said, shown], empty.path());

    guarded.store().remove(&guarded.front.url(), None).unwrap();
    assert!(!written(&guarded.folder, "").contains(line), "it goes with its certificate");
}
