//! Tests of the settings of topics, with a real server as the app's own.

use tidings_ipc::{SecretChange, SigningSender, TopicField, TopicForm, TopicRow, TriedBy};
use tidings_model::Lang;
use tidings_testkit::client::Client;

use super::harness::TestApp;
use super::publishing::with_real_server;
use crate::state::own_server::PublishAddress;

const SENDERS: [SigningSender; 5] = [
    SigningSender::Forgejo,
    SigningSender::Github,
    SigningSender::Gitlab,
    SigningSender::Grafana,
    SigningSender::Sentry,
];

struct Own {
    test: TestApp,
    owner: Client,
    _folder: tempfile::TempDir,
}

/// An app whose own server is a real one, with its source and its owner's token.
async fn with_own_server() -> Own {
    let (test, _server, owner, folder) = with_real_server().await;
    let own = test.source("");
    test.store_token_of(own, &owner.token);
    Own { test, owner, _folder: folder }
}

fn form(topic: &str) -> TopicForm {
    TopicForm { topic: topic.to_owned(), ..TopicForm::default() }
}

fn secret(sender: SigningSender, secret: &str) -> SecretChange {
    SecretChange { sender, secret: secret.to_owned() }
}

impl Own {
    /// Sets a topic, which must be valid.
    async fn save(&self, form: TopicForm) -> TopicRow {
        let topic = form.topic.clone();
        let saved = self.test.app.publishing.save_topic(form).await.unwrap();
        assert_eq!(saved.problem, None);
        saved.topics.topics.into_iter().find(|row| row.topic == topic).unwrap()
    }

    /// Sends a payload to a topic without a token, as the line of the settings does.
    async fn hook(&self, topic: &str, payload: &str) {
        let payload = serde_json::from_str(payload).unwrap();
        self.owner.with_token("").post(&format!("/hooks/{topic}"), payload).await.success();
    }
}

#[tokio::test]
async fn a_topic_is_added_changed_and_removed_and_the_server_has_it() {
    let own = with_own_server().await;
    let all = own.test.app.publishing.topics().await.unwrap();
    assert!(all.runs && all.topics.is_empty());
    assert_eq!(all.owner.as_deref(), Some("me"));

    let nas = TopicForm {
        new: true,
        name: " The NAS ".to_owned(),
        icon: "https://nas.example/i.png".to_owned(),
        priority_floor: Some(4),
        template: "{{ state }}".to_owned(),
        publishers: Some(vec!["me".to_owned()]),
        readers: Some(vec!["me".to_owned(), "ana".to_owned()]),
        expect: "26 h".to_owned(),
        ..form("nas")
    };
    let row = own.save(nas.clone()).await;
    assert_eq!((row.name.as_str(), row.priority_floor), ("The NAS", Some(4)));
    assert_eq!(
        (row.icon.as_deref(), row.publishers.unwrap()),
        (Some(nas.icon.as_str()), vec!["me".to_owned()])
    );
    assert_eq!((row.readers, row.expect_secs), (nas.readers, Some(93_600)));
    let there = own.owner.get("topics/nas").await.is(200);
    assert_eq!((&there["template"], &there["readers"][1]), (&"{{ state }}".into(), &"ana".into()));

    own.save(TopicForm { new: true, ..form("a") }).await;
    let bare = own.save(form("nas")).await;
    assert_eq!(bare, TopicRow { topic: "nas".to_owned(), ..TopicRow::default() });
    let left = own.test.app.publishing.remove_topic("nas".to_owned()).await.unwrap();
    assert_eq!(left.topics.iter().map(|row| row.topic.as_str()).collect::<Vec<_>>(), ["a"]);
    own.owner.get("topics/nas").await.problem(404, "not_found", None);
    assert_eq!(
        own.test.app.publishing.remove_topic("nas".to_owned()).await.unwrap(),
        left,
        "it is gone already"
    );
}

#[tokio::test]
async fn adding_a_topic_that_is_there_changes_nothing() {
    let own = with_own_server().await;
    own.save(TopicForm { name: "The NAS".to_owned(), ..form("nas") }).await;
    let saved = own.test.app.publishing.save_topic(TopicForm { new: true, ..form("nas") }).await.unwrap();
    let problem = saved.problem.unwrap();
    assert_eq!(problem.field, TopicField::Topic);
    assert!(problem.text.contains("“nas” is already in the list"), "{}", problem.text);
    assert_eq!(saved.topics.topics[0].name, "The NAS");
}

#[tokio::test]
async fn what_the_server_refuses_is_said_at_its_field_and_nothing_is_set() {
    let own = with_own_server().await;
    let with = |change: fn(&mut TopicForm)| {
        let mut form = form("nas");
        change(&mut form);
        form
    };
    let forms = [
        (form("a b"), TopicField::Topic, "1 to 64"),
        (form("备份"), TopicField::Topic, "the letters A to Z and a to z, digits, - and _"),
        (form("hooks"), TopicField::Topic, "itself"),
        (with(|form| form.name = "x".repeat(2_000)), TopicField::Name, "too long"),
        (with(|form| form.icon = "javascript:alert(1)".to_owned()), TopicField::Icon, "http://"),
        (with(|form| form.template = "a\n{% if".to_owned()), TopicField::Template, "line 2: "),
        (with(|form| form.template = "x".repeat(20_000)), TopicField::Template, "16384"),
        (with(|form| form.publishers = Some(vec!["a b".to_owned()])), TopicField::Publishers, "user names"),
        (with(|form| form.readers = Some(vec!["a b".to_owned()])), TopicField::Readers, "user names"),
        (with(|form| form.expect = "now and then".to_owned()), TopicField::Expect, "such as 26 h"),
        (
            with(|form| form.secrets = vec![secret(SigningSender::Github, &"s".repeat(2_000))]),
            TopicField::Secrets,
            "1,024",
        ),
    ];
    for (form, field, words) in forms {
        let saved = own.test.app.publishing.save_topic(form).await.unwrap();
        let problem = saved.problem.unwrap();
        assert_eq!(problem.field, field, "{}", problem.text);
        assert!(problem.text.contains(words), "{}", problem.text);
        assert!(saved.topics.topics.is_empty());
    }
}

#[tokio::test]
async fn a_secret_is_set_replaced_and_removed_and_never_shown() {
    let own = with_own_server().await;
    let all = SENDERS.map(|sender| secret(sender, "s3cret")).to_vec();
    let row = own.save(TopicForm { secrets: all, ..form("nas") }).await;
    assert_eq!(row.secrets, SENDERS);
    let changes = vec![secret(SigningSender::Github, "other"), secret(SigningSender::Gitlab, "")];
    assert!(!format!("{changes:?}").contains("other"));
    let row = own.save(TopicForm { secrets: changes, ..form("nas") }).await;
    assert_eq!(row.secrets.len(), 4, "those that are not named stay");
    assert!(!row.secrets.contains(&SigningSender::Gitlab));
    assert!(
        !serde_json::to_string(&own.test.app.publishing.topics().await.unwrap()).unwrap().contains("other")
    );
}

#[tokio::test]
async fn a_template_is_tried_on_the_last_payloads_of_a_topic_without_being_set() {
    let own = with_own_server().await;
    let nothing = own.test.app.publishing.try_template("nas".to_owned(), String::new()).await.unwrap();
    assert!(nothing.payloads.is_empty() && nothing.problem.is_none());
    assert!(nothing.line.contains(&format!("{}/hooks/nas", own.owner.url)), "{}", nothing.line);

    own.hook("nas", r#"{"job": "nas", "state": "Back\u202eup done"}"#).await;
    let template = "{% set title = job %}{% set priority = 4 %}{% set tags = 'a,b' %}{{ state }}";
    let trial = own.test.app.publishing.try_template("nas".to_owned(), template.to_owned()).await.unwrap();
    let [payload] = trial.payloads.as_slice() else { panic!("{trial:?}") };
    assert!(payload.by == TriedBy::Template && payload.received_at > 0 && payload.error.is_none());
    let notice = &payload.notices[0];
    assert_eq!((notice.title.as_str(), notice.body.as_str(), notice.priority), ("nas", "Backup done", 4));
    assert_eq!(notice.tags, ["a", "b"]);
    assert!(own.test.app.publishing.topics().await.unwrap().topics.is_empty(), "nothing was set");

    let fails =
        own.test.app.publishing.try_template("nas".to_owned(), "{{ state.x.y }}".to_owned()).await.unwrap();
    assert!(fails.payloads[0].error.is_some() && fails.payloads[0].by == TriedBy::Json);
    let broken = own.test.app.publishing.try_template("nas".to_owned(), "{{ state".to_owned()).await.unwrap();
    assert!(broken.problem.unwrap().starts_with("The template can’t be read: line 1: "));
    assert!(broken.payloads.is_empty());
    let settings =
        tidings_ipc::Settings { lang: Some(Lang::ZhCn), ..own.test.app.settings.current_settings() };
    own.test.app.settings.settings(&settings).await.unwrap();
    let broken = own.test.app.publishing.try_template("nas".to_owned(), "{{ state".to_owned()).await.unwrap();
    assert!(broken.problem.unwrap().starts_with("无法读取模板：第 1 行：syntax error"));
}

#[tokio::test]
async fn the_line_that_the_editor_shows_sends_what_a_template_can_be_tried_on() {
    let own = with_own_server().await;
    let line = own.test.app.publishing.try_template("nas".to_owned(), String::new()).await.unwrap().line;
    let payload = line.split('\'').nth(1).unwrap();
    assert!(line.starts_with("curl ") && !line.contains("Authorization"), "{line}");
    own.hook("nas", payload).await;
    let trial =
        own.test.app.publishing.try_template("nas".to_owned(), "{{ state }}".to_owned()).await.unwrap();
    assert_eq!(trial.payloads[0].notices[0].body, "Backup done");
}

#[tokio::test]
async fn without_a_server_there_is_no_list_and_saving_says_why() {
    let own = with_own_server().await;
    own.test.app.server_state.set_publishing(PublishAddress::Unavailable);
    assert!(!own.test.app.publishing.topics().await.unwrap().runs);
    let refused = own.test.app.publishing.save_topic(form("nas")).await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("is not running"), "{}", refused.text);
    own.test.app.server_state.set_publishing(PublishAddress::At("http://127.0.0.1:1".to_owned()));
    let refused = own.test.app.publishing.save_topic(form("nas")).await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("did not answer"), "{}", refused.text);
}
