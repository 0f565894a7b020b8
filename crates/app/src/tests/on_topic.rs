//! Stories of publishing on a topic of a source: at a real server, which speaks ntfy's protocol, and at a scripted one.

use tidings_ipc::{ErrorCode, NewPublication, SourceForm, ThreadRow};
use tidings_testkit::services::{Fault, Ntfy, ScriptedService};
use tidings_testkit::wait;

use super::harness::{TestApp, open};
use super::inbox;
use super::work_server::work;

/// An app that pulls topics at an address.
async fn pulling(url: &str, token: &str) -> (TestApp, i64) {
    let test = open().connected().await;
    let form = SourceForm {
        protocol: "ntfy".into(),
        url: url.to_owned(),
        token: token.to_owned(),
        name: "Home".into(),
        sign_in: None,
    };
    let source = test.app.sources.add_source(form).await.unwrap();
    (test, source)
}

fn publication(source: i64, topic: &str, text: &str) -> NewPublication {
    NewPublication {
        source,
        topic: topic.into(),
        key: "4f1c9a".into(),
        text: text.into(),
        priority: 3,
        ..NewPublication::default()
    }
}

impl TestApp {
    async fn rows_of_inbox(&self) -> Vec<ThreadRow> {
        self.app.reading.threads(inbox()).await.unwrap().rows
    }

    async fn refusal(&self, new: NewPublication) -> (ErrorCode, String) {
        let error =
            self.app.on_topic.publish_on_topic(new).await.unwrap_err().to_ipc(self.app.context.lang());
        (error.code, error.text)
    }
}

#[tokio::test]
async fn what_is_published_at_a_real_server_arrives_and_another_try_takes_its_place() {
    let work = work().await;
    let (test, source) = pulling(&format!("{}/kitchen,door", work.url), &work.ana).await;
    let written = NewPublication {
        title: "  Lunch ".into(),
        markdown: true,
        priority: 5,
        tags: vec!["stew".into()],
        click: "https://menu.example/today".into(),
        ..publication(source, "kitchen", "**Soup**\nand bread")
    };
    test.app.on_topic.publish_on_topic(written.clone()).await.unwrap();
    wait::until("what was published", || async { test.rows_of_inbox().await.len() == 1 }).await;
    let row = test.rows_of_inbox().await.remove(0);
    assert_eq!((row.who.as_str(), row.topic.as_deref(), row.priority), ("kitchen", Some("kitchen"), 5));
    let item = test.app.reading.thread(row.id, None).await.unwrap().items.remove(0);
    assert!(item.html && item.body.contains("<strong>Soup</strong>"), "{}", item.body);
    assert_eq!(item.url.as_deref(), Some("https://menu.example/today"));

    test.app.on_topic.publish_on_topic(NewPublication { text: "Stew".into(), ..written }).await.unwrap();
    wait::until("the other try", || async { test.rows_of_inbox().await[0].snippet == "Stew" }).await;
    assert_eq!(test.rows_of_inbox().await[0].total, 1, "it takes the place of the first one");
    let places = test.app.page.bootstrap().await.unwrap().places;
    assert_eq!(places.sources[0].topics.as_deref(), Some(&["kitchen".to_owned(), "door".to_owned()][..]));
}

#[tokio::test]
async fn what_is_not_published_is_told_in_words_with_what_may_have_happened() {
    let ntfy = Ntfy::with(&["alerts", "door"], false).await;
    ntfy.refuse_writes("door");
    let (test, source) = pulling(&ntfy.url(), &ntfy.token()).await;
    wait::until("the stream", || async { ntfy.streams() == 1 }).await;
    let (code, text) = test.refusal(publication(source, "door", "Soup")).await;
    assert_eq!(code, ErrorCode::Invalid);
    assert!(text.starts_with("You may not publish to “door” at Home"), "{text}");

    // A pull may ask at any time: the fault is that of the publication.
    ntfy.faults().plan_write(Fault::Reset);
    let (code, text) = test.refusal(publication(source, "alerts", "Soup")).await;
    assert_eq!(code, ErrorCode::Outside);
    assert!(text.starts_with("Home did not answer"), "{text}");
    wait::until("what was published all the same", || async { ntfy.published().len() == 1 }).await;

    ntfy.faults().plan_write(Fault::Status(429, "retry-after: 90\r\n".to_owned()));
    let refused = || async { test.refusal(publication(source, "alerts", "Soup")).await.1 };
    let text = refused().await;
    assert!(
        text.starts_with("Home accepts no more for now") && text.contains("Try again in 2 min"),
        "{text}"
    );

    test.app.sources.pause_source(source, true).await.unwrap();
    wait::until("the pause", || async { refused().await.contains("paused") }).await;
}

#[tokio::test]
async fn a_form_that_is_not_one_of_the_page_publishes_nothing() {
    let ntfy = Ntfy::with(&["alerts"], false).await;
    let (test, source) = pulling(&ntfy.url(), &ntfy.token()).await;
    let plain = publication(source, "alerts", "Soup");
    for odd in [
        publication(source, "alerts", " "),
        publication(source, "elsewhere", "Soup"),
        publication(source, "alerts", &"x".repeat(4_097)),
        NewPublication { key: "../x".into(), ..plain.clone() },
        NewPublication { priority: 6, ..plain.clone() },
        NewPublication { title: "x".repeat(251), ..plain.clone() },
        NewPublication { tags: vec!["a,b".into()], ..plain.clone() },
        NewPublication { tags: vec!["a".into(); 21], ..plain.clone() },
        NewPublication { click: "javascript:alert(1)".into(), ..plain.clone() },
    ] {
        let (code, _) = test.refusal(odd.clone()).await;
        assert_eq!(code, ErrorCode::Invalid, "{odd:?}");
    }
    assert!(ntfy.published().is_empty());
    assert!(
        test.app.on_topic.publish_on_topic(NewPublication { source: source + 1, ..plain }).await.is_err()
    );
}
