//! Tests of how others publish to the own server: lines, links for phones, applications, and the test notification.

use std::sync::Arc;

use tidings_ipc::{PhoneApp, PublishDoor, PublishForm, PublishTool, PublishView};
use tidings_model::wire::Scope;
use tidings_model::{Lang, SystemClock};
use tidings_server::Server;
use tidings_testkit::client::Client;
use tidings_testkit::server::{RunningServer, config_of};

use super::harness::{TestApp, open};
use super::settings_file::FakeOwnServer;
use crate::publish::templates::TEMPLATES;
use crate::state::own_server::PublishAddress;

fn form(topic: &str) -> PublishForm {
    PublishForm { topic: topic.to_owned(), ..PublishForm::default() }
}

fn line(view: &PublishView, tool: PublishTool) -> &str {
    &view.lines.iter().find(|line| line.tool == tool).unwrap().text
}

/// An app whose own server is not a real one.
async fn with_fake_server(others: bool) -> TestApp {
    let test = open();
    test.app.server_state.set_server(Arc::new(FakeOwnServer::default()));
    test.app.server.set_server(Some(7878), others).await.unwrap();
    test
}

/// An app whose own server is a real one, with a client that reads its owner's inbox.
pub(super) async fn with_real_server() -> (TestApp, Server, Client, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config_of(folder.path());
    config.standalone_owner = Some("me".to_owned());
    config.open_publish = true;
    let server = Server::open(config, Arc::new(SystemClock)).await.unwrap();
    server.create_user("me", "Me").await.unwrap();
    let running = RunningServer::serve(server).await;
    let owner = running.token("me", &[Scope::Inbox]).await;
    let test = open();
    test.app.server_state.set_publishing(PublishAddress::At(running.url.clone()));
    (test, running.server, owner, folder)
}

#[tokio::test]
async fn a_program_of_this_computer_gets_lines_without_a_token_for_every_tool() {
    let test = with_fake_server(false).await;
    let view = test.app.publishing.publishing(form("nas")).await.unwrap();
    assert_eq!(view.lines.len(), TEMPLATES.len());
    assert_eq!(line(&view, PublishTool::Curl), "curl -d \"Backup done\" http://127.0.0.1:7878/nas");
    assert!(line(&view, PublishTool::Gotify).contains("--token TOKEN"));
    let needing: Vec<_> = view.lines.iter().filter(|line| line.needs_token).map(|line| line.tool).collect();
    assert_eq!(
        needing,
        [PublishTool::Gotify, PublishTool::GithubActions, PublishTool::Alertmanager, PublishTool::Grafana]
    );
    assert!(view.runs && !view.others && view.phones.is_empty());
}

#[tokio::test]
async fn the_line_of_a_new_token_has_an_address_that_another_device_reaches_or_says_why_not() {
    let test = with_fake_server(true).await;
    let made = test.app.publishing.create_token("nas".to_owned(), false).await.unwrap();
    assert_eq!(made.only_here, None);
    assert!(made.curl.ends_with("http://192.168.1.20:7878/backups"), "{}", made.curl);
    let test = with_fake_server(false).await;
    let made = test.app.publishing.create_token("nas".to_owned(), false).await.unwrap();
    assert!(made.only_here.unwrap().contains("on this computer only"));
    assert!(made.curl.ends_with("http://127.0.0.1:7878/backups"), "{}", made.curl);
}

#[tokio::test]
async fn another_device_gets_an_address_that_it_reaches_a_token_and_what_its_phone_scans() {
    let test = with_fake_server(true).await;
    let elsewhere = PublishForm { elsewhere: true, ..form("nas") };
    let view = test.app.publishing.publishing(elsewhere.clone()).await.unwrap();
    let curl = "curl -H \"Authorization: Bearer TOKEN\" -d \"Backup done\" http://192.168.1.20:7878/nas";
    assert_eq!(line(&view, PublishTool::Curl), curl);
    assert!(view.lines.iter().all(|line| line.needs_token));
    let links: Vec<_> = view.phones.iter().map(|phone| (phone.app, phone.link.as_str())).collect();
    let ntfy = "ntfy://192.168.1.20:7878/nas?secure=false";
    assert_eq!(links, [(PhoneApp::Ntfy, ntfy), (PhoneApp::Gotify, "http://192.168.1.20:7878")]);

    let chosen = PublishForm {
        address: "http://desk.local:7878".to_owned(),
        token: test.app.publishing.create_token("nas".to_owned(), false).await.unwrap().token,
        application: test.app.publishing.create_application("phone".to_owned()).await.unwrap(),
        ..elsewhere
    };
    let view = test.app.publishing.publishing(chosen).await.unwrap();
    assert_eq!(
        line(&view, PublishTool::Apprise),
        "apprise -b \"Backup done\" \"ntfy://tdg_nas@desk.local:7878/nas\""
    );
    assert!(line(&view, PublishTool::Gotify).contains("--url http://desk.local:7878 --token tdg_phone"));
}

#[tokio::test]
async fn another_device_gets_no_line_while_it_may_not_connect() {
    let test = with_fake_server(false).await;
    let view = test.app.publishing.publishing(PublishForm { elsewhere: true, ..form("nas") }).await.unwrap();
    assert!(view.runs && !view.others && view.lines.is_empty() && view.phones.is_empty());
}

#[tokio::test]
async fn a_topic_that_the_server_would_refuse_has_no_line_but_a_reason() {
    let test = with_fake_server(true).await;
    for (topic, reason) in
        [("", "1 to 64"), ("a b", "1 to 64"), ("$(reboot)", "1 to 64"), ("hooks", "itself")]
    {
        let view = test.app.publishing.publishing(form(topic)).await.unwrap();
        assert!(view.topic_error.as_ref().is_some_and(|text| text.contains(reason)), "{topic}: {view:?}");
        assert!(view.lines.is_empty() && view.phones.is_empty());
        test.app.publishing.test_publishing(form(topic), PublishDoor::Topic).await.unwrap_err();
    }
    let view = test
        .app
        .publishing
        .publishing(PublishForm { token: "a\"; reboot".to_owned(), ..form("nas") })
        .await
        .unwrap();
    assert!(view.token_error.is_some() && view.lines.is_empty());
}

#[tokio::test]
async fn a_line_says_its_message_in_the_readers_language() {
    let test = with_fake_server(false).await;
    let settings = tidings_ipc::Settings { lang: Some(Lang::ZhCn), ..test.app.settings.current_settings() };
    test.app.settings.settings(&settings).await.unwrap();
    let view = test.app.publishing.publishing(form("nas")).await.unwrap();
    assert_eq!(line(&view, PublishTool::Curl), "curl -d \"备份完成\" http://127.0.0.1:7878/nas");
}

#[tokio::test]
async fn a_test_notification_goes_through_the_same_door_as_the_line() {
    let (test, server, owner, _folder) = with_real_server().await;
    test.app.publishing.test_publishing(form("nas"), PublishDoor::Topic).await.unwrap();
    let application = server.create_application("me", "Phone").await.unwrap();
    let by_gotify = PublishForm { application, ..form("nas") };
    test.app.publishing.test_publishing(by_gotify, PublishDoor::Gotify).await.unwrap();
    let inbox = owner.inbox().await;
    let targets: Vec<_> = inbox.iter().map(|item| item["target"]["type"].as_str().unwrap()).collect();
    assert_eq!(targets, ["application", "topic"]);
    assert!(inbox.iter().all(|item| item["body"] == "A test notification"), "{inbox:#?}");
}

#[tokio::test]
async fn a_test_that_fails_says_why_in_words() {
    let (test, _server, owner, _folder) = with_real_server().await;
    let wrong = PublishForm { token: "tdg_wrong".to_owned(), ..form("nas") };
    let refused =
        test.app.publishing.test_publishing(wrong, PublishDoor::Topic).await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("refused the token"), "{}", refused.text);
    let refused = test.app.publishing.test_publishing(form("nas"), PublishDoor::Gotify).await.unwrap_err();
    assert!(refused.to_ipc(Lang::En).text.contains("refused the token"));
    assert!(owner.inbox().await.is_empty());
    test.app.server_state.set_publishing(PublishAddress::Unavailable);
    let refused = test.app.publishing.test_publishing(form("nas"), PublishDoor::Topic).await.unwrap_err();
    assert!(refused.to_ipc(Lang::En).text.contains("is not running"));
}

#[tokio::test]
async fn a_server_that_is_not_announced_says_so_and_works_all_the_same() {
    let test = with_fake_server(true).await;
    let view = test.app.server.server().await.unwrap();
    let why = view.discovery_trouble.unwrap();
    assert!(why.contains("multicast is not possible. Its addresses still work"), "{why}");
    assert!(view.trouble.is_none() && !view.addresses.is_empty());
}

#[tokio::test]
async fn pages_are_let_in_by_their_origin_and_what_is_none_changes_nothing() {
    let test = with_fake_server(true).await;
    let pages = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let twice = pages(&[" https://Ntfy.example:443/ ", "https://ntfy.example", "http://127.0.0.1:3000"]);
    let view = test.app.server.set_origins(twice).await.unwrap();
    assert_eq!(view.origins, ["https://ntfy.example", "http://127.0.0.1:3000"]);
    assert!(view.others && view.port == Some(7878), "the other settings stay");

    let refused =
        test.app.server.set_origins(pages(&["https://a.example", "https://*.example"])).await.unwrap_err();
    let refused = refused.to_ipc(Lang::En).text;
    assert!(refused.contains("“https://*.example” is not an origin"), "{refused}");
    let many: Vec<_> = (0..=50).map(|nth| format!("https://a{nth}.example")).collect();
    test.app.server.set_origins(many).await.unwrap_err();
    let view = test.app.server.set_server(Some(7900), false).await.unwrap();
    assert_eq!(view.origins, ["https://ntfy.example", "http://127.0.0.1:3000"]);
    assert!(test.app.server.set_origins(Vec::new()).await.unwrap().origins.is_empty());
}
