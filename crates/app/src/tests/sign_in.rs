//! Tests of the sign-in with the browser: what the page asks and gets, and where the token goes.

use tidings_ipc::{SignInForm, SignInPrompt, SourceForm};
use tidings_model::Lang;
use tidings_replica::NewSource;
use tidings_testkit::services::oauth::{CLIENT_ID, USER_CODE};
use tidings_testkit::services::{DeviceStep, GitHub, GitLab, Mastodon, ScriptedService};
use tidings_testkit::wait::{TEST_TIMEOUT, within_timeout};

use super::harness::{TestApp, open, until};

fn form(service: &dyn ScriptedService) -> SignInForm {
    SignInForm {
        protocol: service.protocol().into(),
        url: service.url(),
        client_id: CLIENT_ID.into(),
        ..SignInForm::default()
    }
}

fn new_source(service: &dyn ScriptedService, sign_in: u64) -> SourceForm {
    SourceForm {
        protocol: service.protocol().into(),
        url: service.url(),
        sign_in: Some(sign_in),
        ..SourceForm::default()
    }
}

async fn refused(test: &TestApp, form: SignInForm) -> String {
    test.app.sign_ins.begin_sign_in(form).await.unwrap_err().to_ipc(Lang::En).text
}

#[tokio::test]
async fn the_rights_of_each_kind_are_said_before_one_signs_in() {
    let offered = open().app.page.bootstrap().await.unwrap().protocols;
    let with = offered.iter().filter(|one| one.sign_in.is_some()).map(|one| one.name.as_str());
    assert_eq!(with.collect::<Vec<_>>(), ["github", "gitlab", "mastodon"]);
    for view in offered.iter().filter_map(|one| one.sign_in.as_ref()) {
        assert!(!view.rights.is_empty());
        for words in view.rights.iter().chain(&view.more) {
            assert!(!words.en.is_empty() && !words.zh.is_ascii(), "{words:?}");
        }
    }
}

#[tokio::test]
async fn a_source_is_added_with_a_code_and_the_page_never_sees_its_token() {
    let (test, service) = (open(), GitHub::start().await);
    service.oauth().set_interval(1);
    let without = SignInForm { client_id: " ".into(), ..form(&service) };
    assert!(refused(&test, without).await.contains("Enter the client ID first"));
    let wrong = SignInForm { client_id: "another".into(), ..form(&service) };
    assert!(refused(&test, wrong).await.contains("does not accept this client ID"));

    service.oauth().plan(&[DeviceStep::Pending, DeviceStep::Granted]);
    let SignInPrompt { id, url, code } = test.app.sign_ins.begin_sign_in(form(&service)).await.unwrap();
    assert_eq!((code.as_deref(), url.ends_with("/login/device")), (Some(USER_CODE), true), "{url}");
    let early = test.app.sources.add_source(new_source(&service, id)).await.unwrap_err().to_ipc(Lang::En);
    assert!(early.text.contains("has ended"), "{}", early.text);
    let signed_in = test.app.sign_ins.finish_sign_in(id).await.unwrap();
    assert!(signed_in.ok && signed_in.text.starts_with("Signed in as"), "{}", signed_in.text);
    assert!(!serde_json::to_string(&signed_in).unwrap().contains(&service.token()));
    let kept = test.app.sign_ins.sign_in_client("github".into(), service.url()).await.unwrap();
    assert_eq!(kept, CLIENT_ID, "it is filled in the next time");

    let source = test.app.sources.add_source(new_source(&service, id)).await.unwrap();
    assert_eq!(test.token_of(source).as_deref(), Some(&*service.token()));
    let again = test.app.sources.add_source(new_source(&service, id)).await.unwrap_err().to_ipc(Lang::En);
    assert!(again.text.contains("Sign in again"), "{}", again.text);
}

#[tokio::test]
async fn a_token_goes_only_to_the_address_that_it_was_granted_for() {
    let (test, service, other) = (open(), GitHub::start().await, GitHub::start().await);
    service.oauth().set_interval(1);
    service.oauth().plan(&[DeviceStep::Granted]);
    let prompt = test.app.sign_ins.begin_sign_in(form(&service)).await.unwrap();
    assert!(test.app.sign_ins.finish_sign_in(prompt.id).await.unwrap().ok);
    let elsewhere = SourceForm { url: other.url(), ..new_source(&service, prompt.id) };
    let source = test.app.sources.add_source(elsewhere).await.unwrap();
    assert_eq!(test.app.context.replica.source(source).unwrap().url, service.url());
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_sign_in_is_given_up_or_replaced_without_a_wait() {
    let (test, service) = (open(), GitHub::start().await);
    service.oauth().set_interval(300);
    let prompt = test.app.sign_ins.begin_sign_in(form(&service)).await.unwrap();
    let app = test.app.clone();
    let finishing = tokio::spawn(async move { app.sign_ins.finish_sign_in(prompt.id).await.unwrap() });
    let next = test.app.sign_ins.begin_sign_in(form(&service)).await.unwrap();
    let replaced = within_timeout("the end of the first", finishing).await.unwrap();
    assert!(!replaced.ok && replaced.text.contains("has ended"), "{}", replaced.text);
    test.app.sign_ins.cancel_sign_in(prompt.id);
    let app = test.app.clone();
    let finishing = tokio::spawn(async move { app.sign_ins.finish_sign_in(next.id).await.unwrap() });
    until("the second to be waited for", || test.app.sign_ins.is_waiting(next.id)).await;
    test.app.window_closed();
    assert!(!within_timeout("the end of the second", finishing).await.unwrap().ok);
    assert_eq!(service.oauth().given(), 0);
}

#[tokio::test]
async fn a_known_source_is_signed_in_to_again_as_the_same_user() {
    let (test, service) = (open(), Mastodon::start().await);
    let new = |name: &str, user: &str| NewSource {
        name: name.into(),
        protocol: "mastodon".into(),
        url: service.url(),
        user: Some(user.into()),
        own: false,
    };
    let source = test.app.context.replica.add_source(new("Mine", "1")).unwrap();
    let other = test.app.context.replica.add_source(new("Bo's", "2")).unwrap();
    test.store_token_of(source, "revoked");
    for (id, is_same) in [(source, true), (other, false)] {
        let again = SignInForm { source: Some(id), ..SignInForm::default() };
        let prompt = test.app.sign_ins.begin_sign_in(again).await.unwrap();
        assert_eq!(prompt.code, None);
        let back = service.oauth().agree(&prompt.url);
        let app = test.app.clone();
        let finishing = tokio::spawn(async move { app.sign_ins.finish_sign_in(prompt.id).await.unwrap() });
        let browser = tidings_net::http::loopback_client(TEST_TIMEOUT).unwrap();
        let page = browser.get(back).send().await.unwrap().text().await.unwrap();
        assert!(page.contains("go back to Tidings"), "{page}");
        let signed_in = within_timeout("the token", finishing).await.unwrap();
        assert_eq!(signed_in.ok, is_same, "{}", signed_in.text);
    }
    assert_eq!(test.token_of(source).as_deref(), Some(&*service.token()));
    assert_eq!(test.token_of(other), None, "it is another user's");
}

#[tokio::test]
async fn what_renews_a_token_is_kept_with_it() {
    let (test, service) = (open(), GitLab::start().await);
    service.oauth().set_interval(1);
    service.oauth().set_life(7_200);
    service.oauth().plan(&[DeviceStep::Granted]);
    let prompt = test.app.sign_ins.begin_sign_in(form(&service)).await.unwrap();
    assert!(test.app.sign_ins.finish_sign_in(prompt.id).await.unwrap().ok);
    let source = test.app.sources.add_source(new_source(&service, prompt.id)).await.unwrap();
    let row = test.app.context.replica.source(source).unwrap();
    let renewal = test.app.tokens.store().grant(&row).unwrap().renewal.unwrap();
    assert_eq!((renewal.client_id.as_str(), renewal.expires_at.is_some()), (CLIENT_ID, true));

    // It is taken back with its source.
    assert_eq!(test.app.sign_ins.removal_hint(source).await.unwrap(), None);
    let said = test.app.sources.remove_source(source, true).await.unwrap().unwrap();
    assert!(said.starts_with("The sign-in at 127.0.0.1:") && said.ends_with("was revoked"), "{said}");
    assert_eq!(service.oauth().taken_back(), service.oauth().secrets()[..1]);
}

#[tokio::test]
async fn where_a_sign_in_ends_only_by_hand_the_reader_is_told_before_and_after() {
    let (test, service) = (open(), GitHub::start().await);
    service.oauth().set_interval(1);
    service.oauth().plan(&[DeviceStep::Granted]);
    let prompt = test.app.sign_ins.begin_sign_in(form(&service)).await.unwrap();
    assert!(test.app.sign_ins.finish_sign_in(prompt.id).await.unwrap().ok);
    let source = test.app.sources.add_source(new_source(&service, prompt.id)).await.unwrap();
    let page = service.url().replace("/api/v3", "/settings/applications");
    let told = format!("Its sign-in stays valid at the service until you revoke it at {page}");
    assert_eq!(test.app.sign_ins.removal_hint(source).await.unwrap().as_deref(), Some(&*told));
    assert_eq!(test.app.sources.remove_source(source, false).await.unwrap().as_deref(), Some(&*told));
    assert_eq!(test.app.context.replica.sources().unwrap().len(), 0);
}
