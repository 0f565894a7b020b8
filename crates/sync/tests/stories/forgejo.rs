//! Tests of Forgejo and Gitea, where reading a notification counts as a change of it.

use tidings_model::Stamp;
use tidings_replica::Mark;
use tidings_testkit::services::{Forgejo, ScriptedService};

use crate::conformance::client::Client;

/// A client that has pulled this many notifications.
async fn with(service: Forgejo, count: usize) -> Client<Forgejo> {
    (0..count).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    client.catch_up().await;
    client
}

#[tokio::test]
async fn a_comment_says_who_wrote_what_and_opens_there() {
    let mut client = with(Forgejo::start_with_subjects().await, 2).await;
    let opened = client.item(0).unwrap();
    assert_eq!((opened.action.as_deref(), opened.actor.name.as_str()), (Some("update"), "bo"));
    assert_eq!(opened.content.body, "About item 0");
    assert_eq!(opened.content.tags, ["acme/widgets", "open"]);
    client.service.change(1);
    client.catch_up().await;
    let comment = client.item(1).unwrap();
    assert_eq!((comment.action.as_deref(), comment.actor.name.as_str()), (Some("comment"), "Cy Young"));
    assert_eq!(comment.content.body, "Comment 1 on item 1");
    assert!(comment.content.url.unwrap().ends_with("/acme/widgets/issues/1#issuecomment-1001"));
}

#[tokio::test]
async fn what_is_read_elsewhere_keeps_its_text_and_its_place() {
    let mut client = with(Forgejo::start_with_subjects().await, 3).await;
    let before = client.item(0).unwrap();
    client.service.read_on_the_page(0);
    client.mark(1, Mark::Read);
    client.catch_up().await;
    client.catch_up().await;
    let after = client.item(0).unwrap();
    assert!(after.read_at.is_some());
    assert_eq!((after.content, after.created_at), (before.content, before.created_at));
    assert_eq!((client.unread(), client.service.is_read(1)), (1, Some(true)));
    assert_eq!(client.items()[0].msgid.as_str(), client.service.msgid(2), "the newest is still the newest");
    client.mark(1, Mark::Unread);
    client.catch_up().await;
    assert_eq!((client.unread(), client.service.is_read(1)), (2, Some(false)));
}

#[tokio::test]
async fn what_is_deleted_here_comes_again_with_news_and_not_because_it_was_read() {
    let service = Forgejo::start().await;
    (0..2).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    // The service's time goes on beyond that of the deletion.
    client.clock.set(Stamp::from_secs(1_790_000_000));
    client.catch_up().await;
    client.mark(0, Mark::Delete);
    client.catch_up().await;
    client.catch_up().await;
    assert_eq!((client.service.is_read(0), client.items().len()), (Some(true), 1));
    assert!(client.item(0).is_none());
    client.service.change(0);
    client.catch_up().await;
    assert!(client.item(0).is_some());
}

#[tokio::test]
async fn a_token_for_notifications_alone_is_enough() {
    let client = with(Forgejo::start().await, 60).await;
    assert_eq!((client.items().len(), client.unread()), (60, 60));
    let info = client.source().server_info().await.unwrap();
    assert!(info.user.is_none() && info.catalog.is_some());
    assert!(
        client.items().iter().all(|item| item.actor.id == "acme/widgets" && item.content.body.is_empty())
    );
}

#[tokio::test]
async fn everything_up_to_a_moment_is_read_with_one_request() {
    let mut client = with(Forgejo::start().await, 9).await;
    let through = client.item(5).unwrap().created_at;
    client.source().send_read_all(None, through).await.unwrap();
    assert_eq!((client.service.is_read(5), client.service.is_read(8)), (Some(true), Some(false)));
    client.catch_up().await;
    let read = client.items().iter().filter(|item| item.read_at.is_some()).count();
    assert_eq!(client.unread(), 9 - read as u64);
    assert!(read >= 6);
}
