//! Tests of the reader's publications on a topic: each comes back once, and is never sent again by itself. If an answer
//! was lost, another try takes the place of the first one.

use tidings_model::{Format, Priority, SystemClock};
use tidings_net::Error as NetError;
use tidings_replica::SourceChange;
use tidings_sources::Publication;
use tidings_sync::{Engine, Error, SourceStatus};
use tidings_testkit::services::{Fault, Gotify, Ntfy, ScriptedService};

use crate::service_inbox::ServiceInbox;
use crate::support::{until, until_state};

fn publication(text: &str) -> Publication {
    Publication {
        key: "4f1c9a".to_owned(),
        topic: "alerts".to_owned(),
        text: text.to_owned(),
        ..Publication::default()
    }
}

/// The publications among the requests.
fn sent(ntfy: &Ntfy) -> usize {
    ntfy.requests().iter().filter(|request| request.starts_with("POST ")).count()
}

/// An inbox whose engine listens to a server.
async fn listening(ntfy: &Ntfy) -> (ServiceInbox, Engine) {
    let inbox = ServiceInbox::of(ntfy);
    let engine = inbox.engine().await;
    until_state(&engine, inbox.source, |status| *status == SourceStatus::Live).await;
    (inbox, engine)
}

#[tokio::test]
async fn what_is_published_comes_back_once_as_it_was_written() {
    let ntfy = Ntfy::with(&["alerts", "door"], false).await;
    let (inbox, engine) = listening(&ntfy).await;
    let written = Publication {
        title: Some("午饭".to_owned()),
        is_markdown: true,
        priority: Priority::HIGH,
        tags: vec!["stew".to_owned(), "kitchen".to_owned()],
        click: Some("https://menu.example/today".to_owned()),
        topic: "door".to_owned(),
        ..publication("**Soup**\nand bread")
    };
    assert!(engine.publish(inbox.source, &written).await.unwrap());
    until("what was published", || async { inbox.unread() == 1 }).await;
    engine.shutdown().await;
    inbox.pull().await.unwrap();
    let item = inbox.item("door/4f1c9a").notification;
    assert_eq!((item.thread.as_str(), item.version), ("topic:door#publish", 1));
    let content = item.content;
    assert_eq!((content.title.as_str(), content.body.as_str()), ("午饭", "**Soup**\nand bread"));
    assert_eq!((content.format, content.priority), (Format::Markdown, Priority::HIGH));
    assert_eq!(content.tags, ["stew", "kitchen"]);
    assert_eq!(content.url.as_deref(), Some("https://menu.example/today"));
    assert_eq!((inbox.items().len(), sent(&ntfy)), (1, 1));
    let request = ntfy.requests().into_iter().find(|request| request.starts_with("POST ")).unwrap();
    let line = request.lines().next().unwrap();
    assert_eq!(line, "POST / HTTP/1.1", "what is written is in no address, which servers log");
    inbox.assert_consistent();
}

#[tokio::test]
async fn an_answer_that_was_lost_leaves_one_notification_after_another_try() {
    let ntfy = Ntfy::start().await;
    let (inbox, engine) = listening(&ntfy).await;
    ntfy.faults().plan_write(Fault::Reset);
    let lost = engine.publish(inbox.source, &publication("Soup")).await.unwrap_err();
    assert!(matches!(lost, Error::Net(NetError::Unreachable)), "{lost:?}");
    until("what was published all the same", || async { inbox.unread() == 1 }).await;
    assert_eq!(sent(&ntfy), 1, "nothing is sent again by itself");
    engine.publish(inbox.source, &publication("Soup, again")).await.unwrap();
    until("the other try", || async { inbox.bodies() == ["Soup, again"] }).await;
    engine.shutdown().await;
    assert_eq!((inbox.items().len(), inbox.unread(), sent(&ntfy)), (1, 1, 2));
    inbox.assert_consistent();
}

#[tokio::test]
async fn each_refusal_is_told_apart_and_a_wait_is_kept_to() {
    let ntfy = Ntfy::with(&["alerts", "door"], false).await;
    let (inbox, engine) = listening(&ntfy).await;
    ntfy.refuse_writes("door");
    let refused =
        async |publication: Publication| engine.publish(inbox.source, &publication).await.unwrap_err();
    let forbidden = refused(Publication { topic: "door".to_owned(), ..publication("Soup") }).await;
    assert!(matches!(forbidden, Error::Net(NetError::Forbidden)), "{forbidden:?}");
    let long = refused(publication(&"x".repeat(9_000))).await;
    assert!(matches!(long, Error::Net(NetError::Refused(413))), "{long:?}");
    let of_portal = {
        ntfy.faults().plan_write(Fault::CaptivePortal);
        refused(publication("Soup")).await
    };
    assert!(matches!(of_portal, Error::Net(NetError::Malformed)), "{of_portal:?}");

    ntfy.faults().plan_write(Fault::Status(429, "retry-after: 60\r\n".to_owned()));
    let busy = refused(publication("Soup")).await;
    assert!(
        matches!(busy, Error::Net(NetError::Unavailable { status: 429, retry_after: Some(_) })),
        "{busy:?}"
    );
    let before = sent(&ntfy);
    let waits = refused(publication("Soup")).await;
    assert!(matches!(waits, Error::Net(NetError::Waiting { .. })), "{waits:?}");
    assert_eq!(sent(&ntfy), before, "nothing is asked before it is time");
    engine.shutdown().await;
}

#[tokio::test]
async fn nothing_is_sent_to_a_source_that_is_paused_or_has_no_topics() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    let pause = SourceChange { paused: Some(true), ..SourceChange::default() };
    inbox.replica.change_source(inbox.source, pause).unwrap();
    let engine = inbox.engine().await;
    assert!(!engine.publish(inbox.source, &publication("Soup")).await.unwrap());
    engine.shutdown().await;
    assert!(ntfy.requests().is_empty());

    let gotify = Gotify::start().await;
    let row = tidings_replica::Source {
        protocol: "gotify".into(),
        url: gotify.url(),
        ..tidings_replica::Source::default()
    };
    let client = tidings_sources::open(&row, gotify.token(), std::sync::Arc::new(SystemClock)).unwrap();
    assert!(matches!(client.publish(&publication("Soup")).await, Err(NetError::Refused(405))));
    assert!(gotify.requests().is_empty());
    assert!(tidings_sources::topics(&row).is_empty());
}
