//! Tests of details that a forge's list leaves out: they are fetched when the thread is opened, once, and kept.

use tidings_net::Error as NetError;
use tidings_replica::Mark;
use tidings_sync::Error;
use tidings_testkit::services::{Fault, Forgejo, GitHub, ScriptedService};

use crate::conformance::client::Client;

/// A client that has pulled so many items that the oldest lack their text.
async fn with_many<S: ScriptedService>(service: S) -> Client<S> {
    (0..20).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    client.catch_up().await;
    client
}

/// The requests for subjects and comments after the first `before`. The program itself asks for nothing meanwhile: it was
/// pulled a moment ago.
fn subjects<S: ScriptedService>(client: &Client<S>, before: usize) -> usize {
    let requests = client.service.requests().split_off(before);
    requests.iter().filter(|request| request.starts_with("GET ") && request.contains("/repos/")).count()
}

#[tokio::test]
async fn the_latest_comment_is_fetched_when_its_thread_is_opened_and_then_kept() {
    let mut client = with_many(GitHub::start_with_subjects().await).await;
    assert_eq!(client.item(1).unwrap().content.body, "");
    let engine = client.engine().await;
    let before = client.requests().await;
    client.open_thread(&engine, 1).await.unwrap();
    let opened = client.item(1).unwrap();
    assert_eq!((opened.content.body.as_str(), opened.actor.id.as_str()), ("About item 1", "bo"));
    assert_eq!(opened.content.tags, ["acme/widgets", "open"]);
    assert!(opened.content.icon.unwrap().ends_with("/avatars/bo.png"));
    assert_eq!((client.unread(), opened.version), (20, 2), "it is no news");
    assert_eq!(subjects(&client, before), 1);
    client.open_thread(&engine, 1).await.unwrap();
    assert_eq!(subjects(&client, before), 1, "it is kept");
    engine.shutdown().await;

    // A comment that came with many others is older than the item until the thread is opened.
    (0..20).for_each(|n| assert!(client.service.change(n)));
    client.catch_up().await;
    assert_eq!(client.item(1).unwrap().content.body, "");
    client.restart();
    let engine = client.engine().await;
    client.open_thread(&engine, 1).await.unwrap();
    let commented = client.item(1).unwrap();
    assert_eq!((commented.content.body.as_str(), commented.actor.id.as_str()), ("Comment 1 on item 1", "cy"));
    assert!(commented.content.url.unwrap().ends_with("/acme/widgets/issues/1#issuecomment-1001"));
    // If the reason is about another, the text names its author.
    client.open_thread(&engine, 0).await.unwrap();
    assert_eq!(client.item(0).unwrap().content.body, "**@cy**\n\nComment 1 on item 0");
    engine.shutdown().await;
    client.assert_kept_its_secret();
}

#[tokio::test]
async fn a_comment_on_forgejo_is_fetched_when_its_thread_is_opened() {
    let client = with_many(Forgejo::start_with_subjects().await).await;
    let engine = client.engine().await;
    assert_eq!(client.item(2).unwrap().content.body, "");
    client.open_thread(&engine, 2).await.unwrap();
    let opened = client.item(2).unwrap();
    assert_eq!((opened.content.body.as_str(), opened.actor.name.as_str()), ("About item 2", "bo"));
    engine.shutdown().await;
}

#[tokio::test]
async fn what_may_not_be_read_is_asked_for_once_and_what_fails_again_later() {
    let client = with_many(GitHub::start().await).await;
    let engine = client.engine().await;
    let before = client.requests().await;
    client.service.faults().plan(0, Fault::Reset);
    assert!(client.open_thread(&engine, 1).await.is_err());
    client.service.faults().plan(0, Fault::CaptivePortal);
    assert!(client.open_thread(&engine, 1).await.is_err());
    assert_eq!(subjects(&client, before), 2);
    for _ in 0..2 {
        client.open_thread(&engine, 1).await.unwrap();
    }
    assert_eq!(subjects(&client, before), 3, "the token may not read it");
    assert_eq!(client.item(1).unwrap().content.title, "item 1");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_service_that_asks_to_wait_is_asked_for_no_details() {
    let client = with_many(GitHub::start_with_subjects().await).await;
    let engine = client.engine().await;
    client.service.faults().plan(0, Fault::Status(429, "retry-after: 600\r\n".to_owned()));
    assert!(client.open_thread(&engine, 1).await.is_err());
    let before = client.requests().await;
    assert!(matches!(client.open_thread(&engine, 1).await, Err(Error::Net(NetError::Waiting { .. }))));
    client.mark_thread(1, Mark::Unsubscribe);
    assert_eq!(client.requests().await, before);
    engine.shutdown().await;
}
