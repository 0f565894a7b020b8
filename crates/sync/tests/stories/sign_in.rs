//! Tests of the sign-in with the browser, and of tokens that expire.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tidings_model::Clock;
use tidings_net::Error;
use tidings_replica::{NewSource, Replica, Source as Row, SourceId};
use tidings_sources::{Bounds, protocol};
use tidings_sync::sign_in::{
    Error as SignInError, NewSignIn, PageTexts, Prompt, Revocation, Sleep, Started, begin, revoke,
    revoked_by_hand,
};
use tidings_sync::tokens::{Grant, valid_token};
use tidings_sync::{
    BackoffConfig, Engine, EngineConfig, SourceStatus, StoredTokens, TokenStore, Tokens, wake,
};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::scripted::ScriptedServer;
use tidings_testkit::services::oauth::{CLIENT_ID, USER_CODE};
use tidings_testkit::services::{DeviceStep, Fault, Forgejo, GitHub, GitLab, Mastodon, ScriptedService};
use tidings_testkit::wait::within_timeout;
use url::Url;

use crate::conformance::secrets;
use crate::support::{until, until_state};

/// Waits by moving a clock, so that a service can tell whether it is asked too early.
fn by(clock: &ManualClock) -> Sleep {
    let clock = clock.clone();
    Arc::new(move |wait: Duration| {
        clock.advance_micros(i64::try_from(wait.as_micros()).unwrap());
        Box::pin(ready(()))
    })
}

fn new<'a>(protocol_name: &str, url: &'a str, client_id: &'a str, clock: &ManualClock) -> NewSignIn<'a> {
    NewSignIn {
        protocol: protocol(protocol_name).unwrap(),
        url,
        client_id,
        more: false,
        texts: PageTexts {
            lang: "zh-CN", done: "已登录", denied: "没有允许", unknown: "没有等待"
        },
        clock: Arc::new(clock.clone()),
        sleep: by(clock),
    }
}

async fn started(service: &dyn ScriptedService, clock: &ManualClock) -> Started {
    begin(new(service.protocol(), &service.url(), CLIENT_ID, clock)).await.unwrap()
}

#[tokio::test]
async fn a_code_is_shown_and_asked_about_no_more_often_than_the_service_wants() {
    secrets::record_logs();
    let (service, clock) = (GitHub::start().await, ManualClock::default());
    service.oauth().watch(&clock);
    service.oauth().plan(&[
        DeviceStep::Pending,
        DeviceStep::SlowDown(Some(12)),
        DeviceStep::Pending,
        DeviceStep::SlowDown(None),
        DeviceStep::Unavailable(40),
        DeviceStep::Pending,
        DeviceStep::Granted,
    ]);
    let started = started(&service, &clock).await;
    let host = service.url().replace("/api/v3", "");
    let page = format!("{host}/login/device").parse().unwrap();
    assert_eq!(started.prompt, Prompt::Code { code: USER_CODE.into(), url: page });
    assert_eq!(started.url, service.url());
    let shown = format!("{started:?}");
    let grant = started.finish().await.unwrap();
    assert_eq!(service.oauth().faults(), Vec::<String>::new());
    assert_eq!((grant.token.clone(), grant.renewal.is_none()), (service.token(), true));
    assert_eq!(service.oauth().scopes(), ["notifications"], "no more than is needed");
    let printed = [shown, format!("{grant:?}")];
    for secret in service.oauth().secrets() {
        secrets::assert_in_none(&secret, &printed, tempfile::tempdir().unwrap().path());
    }
}

#[tokio::test]
async fn more_rights_are_asked_for_only_if_they_are_wanted() {
    let (service, clock) = (GitLab::start().await, ManualClock::default());
    let url = format!("{}/api/v4", service.url());
    begin(NewSignIn { more: true, ..new("gitlab", &url, CLIENT_ID, &clock) }).await.unwrap();
    begin(new("gitlab", &url, CLIENT_ID, &clock)).await.unwrap();
    assert_eq!(service.oauth().scopes(), ["api", "read_api"]);
}

#[tokio::test]
async fn a_sign_in_ends_where_it_is_not_allowed_or_nobody_agrees() {
    let (service, clock) = (GitLab::start().await, ManualClock::default());
    service.oauth().watch(&clock);
    service.oauth().plan(&[DeviceStep::Pending, DeviceStep::Denied]);
    let denied = started(&service, &clock).await.finish().await;
    assert!(matches!(denied, Err(SignInError::Denied)), "{denied:?}");
    service.oauth().plan(&[DeviceStep::Expired]);
    let expired = started(&service, &clock).await.finish().await;
    assert!(matches!(expired, Err(SignInError::Expired)), "{expired:?}");
    // The code is valid for 900 s, and is asked about every 5 s.
    let asked = service.requests().len();
    let forgotten = started(&service, &clock).await.finish().await;
    assert!(matches!(forgotten, Err(SignInError::Expired)), "{forgotten:?}");
    assert_eq!(service.requests().len() - asked, 1 + 900 / 5);
    assert_eq!(service.oauth().faults(), Vec::<String>::new());
    assert_eq!(service.oauth().given(), 0);
}

#[tokio::test]
async fn a_network_that_fails_for_a_while_does_not_end_a_sign_in_and_a_captive_portal_is_no_answer() {
    let (service, clock) = (GitHub::start().await, ManualClock::default());
    service.oauth().watch(&clock);
    service.oauth().plan(&[DeviceStep::Pending, DeviceStep::Pending, DeviceStep::Granted]);
    let waiting = started(&service, &clock).await;
    service.faults().plan(0, Fault::Reset);
    service.faults().plan(0, Fault::Status(502, String::new()));
    assert_eq!(waiting.finish().await.unwrap().token, service.token());
    assert_eq!(service.oauth().faults(), Vec::<String>::new());

    service.faults().plan(0, Fault::CaptivePortal);
    let refused = begin(new("github", &service.url(), CLIENT_ID, &clock)).await;
    assert!(matches!(refused, Err(SignInError::Service(Error::Malformed))), "{refused:?}");
}

#[tokio::test]
async fn what_is_missing_for_a_sign_in_is_told_apart() {
    let clock = ManualClock::default();
    let (github, forgejo) = (GitHub::start().await, Forgejo::start().await);
    let url = github.url();
    let none = begin(new("github", &url, " ", &clock)).await;
    assert!(matches!(none, Err(SignInError::NoClientId)), "{none:?}");
    assert!(github.requests().is_empty(), "nothing to ask without it");
    let wrong = begin(new("github", &url, "another", &clock)).await;
    assert!(matches!(wrong, Err(SignInError::ClientId)), "{wrong:?}");
    let url = forgejo.url();
    let other = begin(new("gitlab", &url, CLIENT_ID, &clock)).await;
    assert!(matches!(other, Err(SignInError::NotOffered)), "{other:?}");
    let without = begin(new("forgejo", &url, CLIENT_ID, &clock)).await;
    assert!(matches!(without, Err(SignInError::NotOffered)), "{without:?}");
}

#[tokio::test]
async fn a_service_that_shows_the_page_of_another_one_is_not_believed() {
    let (service, clock, other) =
        (GitLab::start().await, ManualClock::default(), ScriptedServer::start().await);
    service.oauth().set_page(&format!("{}/login/device", other.url()));
    service.oauth().plan(&[DeviceStep::Granted]);
    let refused = begin(new("gitlab", &service.url(), CLIENT_ID, &clock)).await;
    assert!(matches!(refused, Err(SignInError::Service(Error::RedirectRefused))), "{refused:?}");
    assert_eq!((service.requests().len(), service.oauth().given()), (1, 0));
}

/// Opens an address as a browser does; returns the status and the page.
async fn browse(url: &Url) -> (u16, String) {
    let answer = reqwest::get(url.clone()).await.unwrap();
    let status = answer.status().as_u16();
    assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
    (status, answer.text().await.unwrap())
}

#[tokio::test]
async fn the_browser_comes_back_with_a_code_that_counts_only_with_its_state_and_its_verifier() {
    secrets::record_logs();
    let (service, clock) = (Mastodon::start().await, ManualClock::default());
    let started = begin(new("mastodon", &service.url(), "", &clock)).await.unwrap();
    let (page, shown) = (started.prompt.url().clone(), format!("{started:?}"));
    assert_eq!(page.origin(), service.url().parse::<Url>().unwrap().origin());
    let back = service.oauth().agree(page.as_str());
    assert_eq!((back.host_str(), back.scheme()), (Some("127.0.0.1"), "http"));
    let finishing = tokio::spawn(started.finish());

    // Another page of the browser may send what it likes.
    let mut forged = back.clone();
    forged.set_query(Some("code=code-41cc-secret&state=guessed"));
    let mut icon = back.clone();
    icon.set_path("/favicon.ico");
    let mut denied = back.clone();
    denied.set_query(Some("error=access_denied"));
    for wrong in [forged, icon, denied] {
        assert!(matches!(browse(&wrong).await, (404, page) if page.contains("没有等待")), "{wrong}");
    }
    assert!(!finishing.is_finished() && service.oauth().given() == 0);

    let (status, page) = browse(&back).await;
    assert!(status == 200 && page.contains("已登录") && page.contains("lang=\"zh-CN\""), "{page}");
    let grant = within_timeout("the token", finishing).await.unwrap().unwrap();
    assert_eq!((grant.token.clone(), grant.renewal.is_none()), (service.token(), true));
    assert_eq!(service.oauth().scopes(), ["read:accounts read:notifications"]);
    until("the port to be closed", || async { reqwest::get(back.clone()).await.is_err() }).await;
    let printed = [shown, format!("{grant:?}")];
    for secret in service.oauth().secrets() {
        secrets::assert_in_none(&secret, &printed, tempfile::tempdir().unwrap().path());
    }
}

#[tokio::test]
async fn who_does_not_agree_in_the_browser_is_told_so_there_and_here() {
    let (service, clock) = (Mastodon::start().await, ManualClock::default());
    let started = begin(new("mastodon", &service.url(), "", &clock)).await.unwrap();
    let mut back = service.oauth().agree(started.prompt.url().as_str());
    let state = back.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    let finishing = tokio::spawn(started.finish());
    back.query_pairs_mut().clear().append_pair("error", "access_denied").append_pair("state", &state);
    assert!(matches!(browse(&back).await, (200, page) if page.contains("没有允许")));
    let denied = within_timeout("the end", finishing).await.unwrap();
    assert!(matches!(denied, Err(SignInError::Denied)), "{denied:?}");
    assert_eq!(service.oauth().given(), 0);
}

#[tokio::test]
async fn the_token_of_a_removed_source_is_taken_back_by_the_client_that_got_it() {
    secrets::record_logs();
    let (gitlab, mastodon, github) = (GitLab::start().await, Mastodon::start().await, GitHub::start().await);
    let manual = ManualClock::default();
    let clock: Arc<dyn Clock> = Arc::new(manual.clone());
    let row = |service: &dyn ScriptedService| Row {
        protocol: service.protocol().to_owned(),
        url: service.url(),
        ..Row::default()
    };
    gitlab.oauth().plan(&[DeviceStep::Granted]);
    let of_gitlab = started(&gitlab, &manual).await.finish().await.unwrap();
    github.oauth().plan(&[DeviceStep::Granted]);
    let of_github = started(&github, &manual).await.finish().await.unwrap();
    let begun = begin(new("mastodon", &mastodon.url(), "", &manual)).await.unwrap();
    let back = mastodon.oauth().agree(begun.prompt.url().as_str());
    let finishing = tokio::spawn(begun.finish());
    assert_eq!(browse(&back).await.0, 200);
    let of_mastodon = within_timeout("the token", finishing).await.unwrap().unwrap();

    for (service, oauth, grant, page) in [
        (&gitlab as &dyn ScriptedService, gitlab.oauth(), &of_gitlab, "-/user_settings/applications"),
        (&mastodon, mastodon.oauth(), &of_mastodon, "oauth/authorized_applications"),
    ] {
        // What is kept has all that it needs.
        let kept = serde_json::from_str::<Grant>(&serde_json::to_string(grant).unwrap()).unwrap();
        assert_eq!(revoked_by_hand(&row(service), &kept, &clock), None);
        service.faults().plan(0, Fault::Reset);
        let page = format!("{}/{page}", service.url()).parse().unwrap();
        assert_eq!(revoke(&row(service), &kept, &clock).await, Some(Revocation::ByHand(page)));
        assert_eq!(revoke(&row(service), &kept, &clock).await, Some(Revocation::Done));
        assert_eq!(oauth.taken_back().last(), Some(&grant.token));
        assert_eq!(revoke(&row(service), &Grant::of_token("entered"), &clock).await, None);
    }
    let asked = github.requests().len();
    let page: Url = github.url().replace("/api/v3", "/settings/applications").parse().unwrap();
    assert_eq!(revoked_by_hand(&row(&github), &of_github, &clock), Some(page.clone()));
    assert_eq!(revoke(&row(&github), &of_github, &clock).await, Some(Revocation::ByHand(page)));
    assert_eq!(github.requests().len(), asked, "it would need a secret");
    let printed = [&of_gitlab, &of_github, &of_mastodon].map(|grant| format!("{grant:?} {:?}", grant.client));
    for secret in mastodon.oauth().secrets().into_iter().chain(gitlab.oauth().secrets()) {
        secrets::assert_in_none(&secret, &printed, tempfile::tempdir().unwrap().path());
    }
}

/// A replica and tokens in one folder, with a GitLab that was signed in to and whose tokens expire after two hours.
struct SignedIn {
    service: GitLab,
    clock: ManualClock,
    replica: Replica,
    source: SourceId,
    store: TokenStore,
    folder: TempDir,
}

impl SignedIn {
    async fn new() -> Self {
        let (service, clock) = (GitLab::start().await, ManualClock::default());
        service.oauth().set_life(7_200);
        service.oauth().plan(&[DeviceStep::Granted]);
        let grant = started(&service, &clock).await.finish().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let replica = Replica::open(folder.path(), Arc::new(clock.clone())).unwrap();
        let new = NewSource {
            name: "Work".into(),
            protocol: "gitlab".into(),
            url: service.url(),
            user: None,
            own: false,
        };
        let source = replica.add_source(new).unwrap();
        let store = TokenStore::without_keyring(folder.path());
        store.set_grant(&replica.source(source).unwrap(), grant).unwrap();
        Self { service, clock, replica, source, store, folder }
    }

    fn row(&self) -> Row {
        self.replica.source(self.source).unwrap()
    }

    fn stored(&self) -> Grant {
        self.store.grant(&self.row()).unwrap()
    }

    /// The tokens as a process has them.
    fn tokens(&self) -> Arc<dyn Tokens> {
        Arc::new(StoredTokens::new(TokenStore::without_keyring(self.folder.path()), |_| false))
    }

    async fn engine(&self) -> Engine {
        Engine::start(EngineConfig {
            replica: self.replica.clone(),
            tokens: self.tokens(),
            clock: Arc::new(self.clock.clone()),
            wakes: wake::never(),
            backoff: BackoffConfig { first_delay: Duration::from_millis(50), ..BackoffConfig::default() },
            events: None,
            bounds: Bounds::default(),
        })
        .await
        .unwrap()
    }

    async fn has_arrived(&self, count: u64) {
        until("the to-do items", || async { self.replica.counts().unwrap().total == count }).await;
    }
}

#[tokio::test]
async fn a_token_that_was_refused_is_renewed_and_nothing_is_lost() {
    secrets::record_logs();
    let test = SignedIn::new().await;
    test.service.publish(0);
    let engine = test.engine().await;
    test.has_arrived(1).await;
    let first = test.stored();
    test.clock.advance(3_600);
    test.service.oauth().expire();
    test.service.publish(1);
    engine.pull_now();
    test.has_arrived(2).await;
    let second = test.stored();
    assert!(first.token != second.token && first.renewal != second.renewal);
    assert_eq!(test.service.oauth().given(), 2);
    engine.shutdown().await;
    for secret in test.service.oauth().secrets() {
        secrets::assert_in_none(&secret, &[format!("{second:?}")], tempfile::tempdir().unwrap().path());
    }
}

#[tokio::test]
async fn a_token_that_is_about_to_expire_is_renewed_before_it_is_used_and_by_one_process_only() {
    let test = SignedIn::new().await;
    let clock: Arc<dyn Clock> = Arc::new(test.clock.clone());
    let row = test.row();
    let (app, terminal) = (test.tokens(), test.tokens());
    let before = valid_token(&test.replica, &app, &row, &clock).await.unwrap();
    assert_eq!((&before.0, test.service.oauth().given()), (&test.stored().token, 1));
    test.clock.advance(7_200 - 200);
    let (one, other) = tokio::join!(
        valid_token(&test.replica, &app, &row, &clock),
        valid_token(&test.replica, &terminal, &row, &clock),
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!((&one.0, test.service.oauth().given()), (&other.0, 2), "a refresh token may be used once");
    assert!(one.0 != before.0 && one.1.unwrap() > clock.now());
    // The other process was refused with the token of before.
    assert!(app.renew(&row, Some(&before.0), &clock).await.unwrap());
    assert_eq!(test.service.oauth().given(), 2);
    let old = format!("bearer {}", before.0);
    assert!(!test.service.requests().iter().any(|request| request.to_lowercase().contains(&old)));
}

#[tokio::test]
async fn a_sign_in_that_was_taken_back_asks_for_another_one_and_for_no_end_of_tokens() {
    let test = SignedIn::new().await;
    test.service.publish(0);
    test.clock.advance(3_600);
    test.service.oauth().revoke();
    let engine = test.engine().await;
    until_state(&engine, test.source, |status| matches!(status, SourceStatus::NeedsSignIn { .. })).await;
    let renewals =
        test.service.requests().iter().filter(|request| request.contains("grant_type=refresh_token")).count();
    assert_eq!((renewals, test.service.oauth().given()), (1, 1));
    engine.shutdown().await;

    // Tokens that are never taken are not renewed without end.
    let test = SignedIn::new().await;
    test.clock.advance(3_600);
    let (tokens, row) = (test.tokens(), test.row());
    let clock: Arc<dyn Clock> = Arc::new(test.clock.clone());
    assert!(tokens.renew(&row, Some(&test.stored().token), &clock).await.unwrap());
    assert!(!tokens.renew(&row, Some(&test.stored().token), &clock).await.unwrap());
    assert_eq!(test.service.oauth().given(), 2);
}
