//! Tests of ntfy as a source: cached messages, live ones, and those that are neither.

use serde_json::json;
use tidings_model::{MsgId, SystemClock};
use tidings_net::Error as NetError;
use tidings_replica::{Mark, Targets};
use tidings_sources::Since;
use tidings_sync::{Error, SourceStatus};
use tidings_testkit::services::{Fault, Ntfy, ScriptedService};

use crate::service_inbox::{ServiceInbox, all_items};
use crate::support::{until, until_state};

/// The polls among the requests, by what they ask for.
fn polls(ntfy: &Ntfy) -> Vec<String> {
    let since = |request: &String| {
        let (_, rest) = request.lines().next()?.split_once("poll=1&since=")?;
        Some(rest.split(' ').next()?.to_owned())
    };
    ntfy.requests().iter().filter_map(since).collect()
}

#[tokio::test]
async fn what_is_cached_comes_once() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    (0..10).for_each(|n| ntfy.publish(n));
    assert_eq!(inbox.pull().await.unwrap().arrived, 10);
    assert_eq!(inbox.bodies(), all_items(10));
    ntfy.publish(10);
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    let again = inbox.pull().await.unwrap();
    assert_eq!((again.fetched, again.arrived), (0, 0));
    assert_eq!((inbox.bodies(), inbox.unread()), (all_items(11), 11));
    let item = inbox.item(&ntfy.msgid(3)).notification;
    assert_eq!((item.thread.as_str(), item.content.title.as_str()), ("topic:alerts#publish", "alerts"));
    inbox.assert_consistent();
}

#[tokio::test]
async fn ten_thousand_messages_come_page_by_page_and_a_full_second_stays_together() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    (0..5_000).for_each(|n| ntfy.publish(n));
    // A burst of one second is longer than what is remembered of the last one.
    for n in 5_000..8_000 {
        ntfy.store(json!({"id": Ntfy::id(n), "time": 5_000 / 3, "message": format!("item {n}")}));
    }
    (8_000..10_000).for_each(|n| ntfy.publish(n));
    let client = inbox.client().unwrap();
    assert!(inbox.pull_page(&*client, 1_000).await.unwrap());
    let first = inbox.items().len();
    assert!((1_000..1_010).contains(&first), "the first page is there after one round trip: {first}");
    assert_eq!(ntfy.requests().len(), 1);
    inbox.pull().await.unwrap();
    assert_eq!(inbox.bodies(), all_items(10_000));
    assert_eq!(inbox.unread(), 10_000);
    inbox.assert_consistent();
}

#[tokio::test]
async fn an_interrupted_backlog_goes_on_where_it_was() {
    let ntfy = Ntfy::start().await;
    // A page that asks for all of it, since one that is full before the end of the answer does not need the end.
    ServiceInbox::of(&ntfy).survives_interruptions(&ntfy, 5_000, 1).await;
}

#[tokio::test]
async fn several_topics_are_one_source_and_none_is_left_behind() {
    let ntfy = Ntfy::with(&["one", "two"], false).await;
    let inbox = ServiceInbox::of(&ntfy);
    let on = |id: &str, time: i64, topic: &str, sequence: Option<&str>| {
        let mut line = json!({"id": id, "time": time, "topic": topic, "message": id});
        if let Some(sequence) = sequence {
            line["sequence_id"] = json!(sequence);
        }
        line
    };
    ntfy.store(on("aaaaaaaaaaa1", 10, "one", Some("build")));
    inbox.pull().await.unwrap();
    // It shares its second with the last one, and another took its time to be stored.
    ntfy.store(on("aaaaaaaaaaa2", 10, "two", Some("build")));
    ntfy.store(on("aaaaaaaaaaa3", 12, "one", None));
    inbox.pull().await.unwrap();
    ntfy.store(on("aaaaaaaaaaa4", 11, "two", None));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.bodies(), ["aaaaaaaaaaa1", "aaaaaaaaaaa2", "aaaaaaaaaaa4", "aaaaaaaaaaa3"]);
    let threads: Vec<_> = inbox.items().into_iter().map(|item| item.notification.thread).collect();
    assert_eq!(threads[..2], ["topic:one#publish", "topic:two#publish"]);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_topic_that_is_added_brings_its_history_and_the_others_nothing_again() {
    let ntfy = Ntfy::with(&["one", "two"], false).await;
    let inbox = ServiceInbox::of(&ntfy);
    let both = ntfy.url();
    inbox.move_to(both.replace("one,two", "one"));
    ntfy.store(json!({"id": "aaaaaaaaaaa1", "time": 2, "topic": "two", "message": "early"}));
    ntfy.store(json!({"id": "aaaaaaaaaaa2", "time": 9, "topic": "one", "message": "late"}));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.bodies(), ["late"]);
    inbox.replica.mark(Targets::MsgIds(vec![MsgId::from("one/aaaaaaaaaaa2")]), Mark::Read).unwrap();
    inbox.move_to(both);
    inbox.pull().await.unwrap();
    assert_eq!((inbox.bodies(), inbox.unread()), (vec!["early".to_owned(), "late".to_owned()], 1));
}

#[tokio::test]
async fn what_was_delayed_and_delivered_while_nobody_listened_is_found() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    ntfy.publish(0);
    ntfy.delay(json!({"id": "delayed00000", "time": 500, "message": "delayed"}));
    ntfy.publish(1);
    inbox.pull().await.unwrap();
    assert_eq!(inbox.bodies(), all_items(2));
    ntfy.deliver("delayed00000");
    inbox.pull().await.unwrap();
    assert_eq!(inbox.bodies(), ["item 0", "item 1", "delayed"]);
    ntfy.store(json!({"id": "later0000000", "time": 501, "message": "later"}));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 4);
    inbox.assert_consistent();
}

#[tokio::test]
async fn what_comes_live_is_there_at_once_though_it_is_not_cached() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    ntfy.publish(0);
    let engine = inbox.engine().await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    ntfy.publish(1);
    until("the live message", || async { inbox.unread() == 2 }).await;
    ntfy.send_uncached(json!({"id": "uncached0000", "time": 7, "message": "not cached"}));
    until("what is not cached", || async { inbox.unread() == 3 }).await;
    ntfy.delay(json!({"id": "delayed00000", "time": 8, "message": "delayed"}));
    ntfy.publish(2);
    until("the next one", || async { inbox.unread() == 4 }).await;
    ntfy.deliver("delayed00000");
    until("the delayed one", || async { inbox.unread() == 5 }).await;
    engine.shutdown().await;
    assert_eq!(inbox.bodies(), ["item 0", "item 1", "item 2", "not cached", "delayed"]);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_stream_that_ends_loses_nothing() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    let engine = inbox.engine().await;
    for round in 0..5 {
        until("the stream", || async { ntfy.streams() == 1 }).await;
        ntfy.publish(2 * round);
        ntfy.end_streams();
        ntfy.publish(2 * round + 1);
        let count = u64::try_from(2 * round + 2).unwrap();
        until("both", || async { inbox.unread() == count }).await;
    }
    engine.shutdown().await;
    assert_eq!(inbox.bodies(), all_items(10));
    inbox.assert_consistent();
}

#[tokio::test]
async fn while_it_listens_it_polls_by_id_and_once_only() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    ntfy.publish(0);
    let engine = inbox.engine().await;
    until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
    let before = polls(&ntfy).len();
    ntfy.publish(1);
    until("the message", || async { inbox.unread() == 2 }).await;
    engine.shutdown().await;
    assert_eq!(polls(&ntfy)[before..], [Ntfy::id(0)]);
    let asked_who = ntfy.requests().iter().filter(|request| request.contains("/auth ")).count();
    assert_eq!(asked_who, 1);
}

#[tokio::test]
async fn a_publisher_revises_clears_and_deletes_what_it_published() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    (0..3).for_each(|n| ntfy.publish(n));
    inbox.pull().await.unwrap();
    inbox.replica.mark(Targets::MsgIds(vec![MsgId(ntfy.msgid(0))]), Mark::Read).unwrap();
    assert_eq!(inbox.unread(), 2);

    assert!(ntfy.change(0));
    inbox.pull().await.unwrap();
    let revised = inbox.item(&ntfy.msgid(0));
    assert_eq!((revised.notification.content.body.as_str(), revised.unread), ("item 0, again", true));

    ntfy.store(
        json!({"id": "clear0000001", "time": 90_000, "event": "message_clear", "sequence_id": Ntfy::id(1)}),
    );
    assert!(ntfy.delete(2));
    inbox.pull().await.unwrap();
    let cleared = inbox.item(&ntfy.msgid(1));
    assert_eq!((cleared.notification.content.body.as_str(), cleared.unread), ("item 1", false));
    assert_eq!((inbox.items().len(), inbox.unread()), (2, 1));

    // Known messages do not undo the reader's own mark.
    inbox.replica.mark(Targets::MsgIds(vec![MsgId(ntfy.msgid(1))]), Mark::Unread).unwrap();
    inbox.pull().await.unwrap();
    assert_eq!(inbox.unread(), 2);
    inbox.assert_consistent();

    // A client that comes later sees each as it is now.
    let later = ServiceInbox::of(&ntfy);
    later.pull().await.unwrap();
    assert_eq!((later.bodies(), later.unread()), (vec!["item 1".to_owned(), "item 0, again".to_owned()], 1));
}

#[tokio::test]
async fn a_server_that_forgets_does_not_make_the_inbox_forget() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    (0..5).for_each(|n| ntfy.publish(n));
    inbox.pull().await.unwrap();
    ntfy.forget();
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 5);
    ntfy.publish(5);
    inbox.pull().await.unwrap();
    assert_eq!((inbox.bodies(), inbox.unread()), (all_items(6), 6));
}

#[tokio::test]
async fn ids_of_another_kind_of_server_are_no_dead_end() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    ntfy.store(json!({"id": "an-id-of-another-kind", "time": 3, "message": "before"}));
    inbox.pull().await.unwrap();
    ntfy.store(json!({"id": "aaaaaaaaaaa1", "time": 5, "message": "after"}));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.bodies(), ["before", "after"]);
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 2);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_skipped_and_said_once() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    ntfy.publish(0);
    ntfy.store(json!({"id": "toolong00000", "time": 0, "message": "x".repeat(700_000)}));
    ntfy.publish(1);
    for _ in 0..3 {
        inbox.pull().await.unwrap();
    }
    assert_eq!(inbox.bodies(), all_items(2));
    assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 1);
}

#[tokio::test]
async fn a_token_a_password_or_nothing_opens_a_topic() {
    let ntfy = Ntfy::start().await;
    ntfy.publish(0);
    for (credential, is_right) in [
        (ntfy.token().as_str(), true),
        (Ntfy::password(), true),
        ("", false),
        ("tk_wrong", false),
        ("phil:x", false),
    ] {
        let inbox = ServiceInbox::with_token(&ntfy, credential);
        match inbox.pull().await {
            Ok(report) => assert!(is_right && report.arrived == 1, "{credential}"),
            Err(error) => {
                assert!(!is_right && error.needs_sign_in(), "{credential}: {error:?}");
                assert!(credential.is_empty() || !format!("{error} {error:?}").contains(credential));
            }
        }
        let user = inbox.replica.source(inbox.source).unwrap().user;
        assert_eq!(user.as_deref(), is_right.then_some("phil"));
        let cursor = inbox.cursor().unwrap_or_default();
        assert!(credential.is_empty() || !cursor.contains(credential));
    }
    let open = Ntfy::with(&["news"], true).await;
    open.publish(0);
    let inbox = ServiceInbox::of(&open);
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    assert!(open.requests().iter().all(|request| !request.to_ascii_lowercase().contains("authorization:")));
}

#[tokio::test]
async fn the_credential_goes_to_no_other_server() {
    let (ntfy, other) = (Ntfy::start().await, Ntfy::start().await);
    let inbox = ServiceInbox::of(&ntfy);
    let client = inbox.client().unwrap();
    for fault in [Fault::Redirect(other.url()), Fault::Redirect(format!("{}/json", other.url()))] {
        ntfy.faults().plan(0, fault);
        let error = client.page(Since::default(), 10).await.unwrap_err();
        assert!(matches!(error, NetError::RedirectRefused), "{error:?}");
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn marks_stay_on_this_device() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    (0..4).for_each(|n| ntfy.publish(n));
    inbox.pull().await.unwrap();
    let before = ntfy.requests().len();
    for (n, mark) in [(0, Mark::Read), (1, Mark::Archive), (2, Mark::Delete)] {
        inbox.replica.mark(Targets::MsgIds(vec![MsgId(ntfy.msgid(n))]), mark).unwrap();
    }
    assert_eq!(inbox.pull().await.unwrap().sent, 3);
    let sent: Vec<_> = ntfy.requests()[before..].to_vec();
    assert!(sent.iter().all(|request| request.starts_with("GET ")), "{sent:?}");
    assert_eq!(inbox.unread(), 1);
    inbox.pull().await.unwrap();
    assert_eq!(inbox.unread(), 1, "nothing of it comes back");
    inbox.assert_consistent();
}

#[tokio::test]
async fn an_address_without_topics_is_said_at_once() {
    let ntfy = Ntfy::start().await;
    let inbox = ServiceInbox::of(&ntfy);
    inbox.move_to(ntfy.url().replace("/alerts", ""));
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Address(_)))));
    let protocol = tidings_sources::protocol("ntfy").unwrap();
    assert!(protocol.abilities.live && !protocol.abilities.delete);
    let row = tidings_replica::Source { protocol: "ntfy".into(), url: ntfy.url(), ..Default::default() };
    assert!(tidings_sources::open(&row, String::new(), std::sync::Arc::new(SystemClock)).is_ok());
}
