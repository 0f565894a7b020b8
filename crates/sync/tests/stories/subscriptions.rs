//! Tests of subscriptions at the forges: they wait while the service is out of reach, and are sent once.

use tidings_replica::{Mark, Subscription};
use tidings_testkit::services::{Fault, Forgejo, GitHub, GitLab, ScriptedService};

use crate::conformance::client::Client;

/// A client that has pulled two items.
async fn with_two<S: ScriptedService>(service: S) -> Client<S> {
    (0..2).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    client.catch_up().await;
    client
}

/// The requests about subscriptions that change one.
fn changes<S: ScriptedService>(client: &Client<S>) -> Vec<String> {
    let is_change = |request: &String| {
        let line = request.lines().next().unwrap_or_default();
        line.contains("subscri") && !line.starts_with("GET ")
    };
    client.service.requests().into_iter().filter(is_change).collect()
}

/// What every service that keeps subscriptions has in common. `before` is the number of requests that precede the first
/// change.
async fn is_followed_and_left<S: ScriptedService>(service: S, before: usize, muted: &str) {
    assert!(tidings_sources::protocol(service.protocol()).unwrap().abilities.follow);
    let mut client = with_two(service).await;

    // Out of reach it waits and is in force; then it is sent, once.
    client.mark_thread(0, Mark::Subscribe);
    client.mark_thread(0, Mark::Unsubscribe);
    client.service.faults().plan(0, Fault::Reset);
    assert!(client.pull().await.is_err());
    assert_eq!((client.thread(0).subscription, client.waiting()), (Some(Subscription::Unsubscribed), 1));
    client.catch_up().await;
    assert_eq!(client.service.subscription(0), Some("unsubscribed"));
    assert!(!client.thread(0).pending && client.waiting() == 0);
    let sent = changes(&client).len();
    assert!(sent > 0);
    client.catch_up().await;
    assert_eq!(changes(&client).len(), sent, "what was answered is not sent again");

    // It is put back, also after it was sent.
    let undo = client.mark_thread(1, Mark::Ignore);
    client.catch_up().await;
    assert!(client.thread(1).muted);
    assert_eq!(client.service.subscription(1), Some(muted));
    client.undo(&undo);
    client.catch_up().await;
    assert_eq!(client.service.subscription(1), Some("subscribed"));
    assert!(!client.thread(1).muted);

    // What is gone counts as done, and a refusal is no longer wanted; neither stops the pull.
    client.mark_thread(1, Mark::Unsubscribe);
    client.service.faults().plan(before, Fault::Status(404, String::new()));
    assert_eq!(client.pull().await.unwrap().sent, 1);
    assert_eq!(client.thread(1).subscription, Some(Subscription::Unsubscribed));
    client.mark_thread(1, Mark::Subscribe);
    client.service.faults().plan(before, Fault::Status(403, String::new()));
    client.service.publish(2);
    assert_eq!(client.pull().await.unwrap().arrived, 1);
    assert_eq!((client.thread(1).subscription, client.waiting()), (Some(Subscription::Unsubscribed), 0));
    client.assert_kept_its_secret();
}

#[tokio::test]
async fn a_thread_of_github_is_followed_left_and_muted_there() {
    is_followed_and_left(GitHub::start().await, 0, "ignored").await;
}

#[tokio::test]
async fn an_issue_of_forgejo_is_followed_and_left_there() {
    is_followed_and_left(Forgejo::start_with_subjects().await, 1, "unsubscribed").await;
}

#[tokio::test]
async fn a_merge_request_of_gitlab_is_followed_and_left_there() {
    is_followed_and_left(GitLab::start().await, 0, "unsubscribed").await;
}

#[tokio::test]
async fn a_thread_that_is_opened_says_whether_it_is_subscribed_to_and_is_asked_once() {
    let client = with_two(GitLab::start().await).await;
    let engine = client.engine().await;
    assert_eq!(client.thread(0).subscription, None, "nothing is asked of what was not opened");
    client.open_thread(&engine, 0).await.unwrap();
    assert_eq!(client.thread(0).subscription, Some(Subscription::Subscribed));
    client.open_thread(&engine, 0).await.unwrap();
    let asked =
        client.service.requests().into_iter().filter(|request| request.contains("/projects/")).count();
    assert_eq!(asked, 1);
    engine.shutdown().await;
}
