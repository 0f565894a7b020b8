//! Tests of GitLab's to-do list: open to-dos, and those that are done on either side.

use tidings_replica::Mark;
use tidings_testkit::services::{Fault, GitLab, ScriptedService};

use crate::conformance::client::Client;

/// A client that has pulled this many to-do items.
async fn with(count: usize) -> Client<GitLab> {
    let service = GitLab::start().await;
    (0..count).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    client.catch_up().await;
    client
}

#[tokio::test]
async fn a_to_do_item_says_who_asks_for_what() {
    let mut client = with(4).await;
    let review = client.item(0).unwrap();
    assert_eq!((review.action.as_deref(), review.actor.name.as_str()), (Some("review_requested"), "Bo"));
    let target = review.target.unwrap();
    assert_eq!((target.kind.as_str(), target.id.as_str()), ("merge_request", "acme/widgets!0"));
    assert_eq!(target.title.as_deref(), Some("item 0"));
    let mention = client.item(1).unwrap();
    assert_eq!(mention.content.body, "Look, @ana");
    assert!(mention.content.url.unwrap().ends_with("#note_1"));
    assert_eq!(client.item(3).unwrap().content.tags, ["acme/widgets", "open", "ci_failed"]);

    client.mark(0, Mark::Read);
    client.service.merge(0);
    client.service.merge(1);
    client.catch_up().await;
    assert_eq!(client.item(0).unwrap().content.tags, ["acme/widgets", "merged"]);
    assert_eq!(client.unread(), 3, "a merge request that is merged is no new thing to do");
}

#[tokio::test]
async fn what_is_done_on_the_page_is_done_here_and_may_be_taken_up_again() {
    let mut client = with(250).await;
    for n in [0, 120, 249] {
        client.service.set_done_on_the_page(n, true);
    }
    client.catch_up().await;
    let done = client.items().iter().filter(|item| item.archived_at.is_some()).count();
    assert_eq!((done, client.unread()), (3, 247));
    assert_eq!(client.item(120).unwrap().content.title, "item 120");
    client.service.set_done_on_the_page(120, false);
    client.service.publish(250);
    client.catch_up().await;
    assert_eq!((client.item(120).unwrap().archived_at, client.unread()), (None, 249));
}

#[tokio::test]
async fn what_is_done_here_is_done_there_and_reading_stays_here() {
    let mut client = with(3).await;
    client.mark(0, Mark::Archive);
    client.mark(1, Mark::Read);
    client.catch_up().await;
    client.catch_up().await;
    assert_eq!((client.service.is_archived(0), client.service.is_archived(1)), (Some(true), Some(false)));
    assert!(client.item(0).unwrap().archived_at.is_some() && client.item(1).unwrap().read_at.is_some());
    assert_eq!(client.unread(), 1);
}

#[tokio::test]
async fn items_that_are_done_during_a_walk_hide_no_others() {
    for passing in 2..9 {
        let service = GitLab::start().await;
        (0..700).for_each(|n| service.publish(n));
        let mut client = Client::of(service).await;
        client.service.faults().plan(passing, Fault::Reset);
        assert!(client.pull().await.is_err());
        let done = 640 - 60 * passing..700 - 10 * passing;
        done.clone().for_each(|n| client.service.set_done_on_the_page(n, true));
        client.service.publish(700);
        client.catch_up().await;
        for n in (0..=700).filter(|n| !done.contains(n)) {
            let item =
                client.item(n).unwrap_or_else(|| panic!("item {n} is missing after {passing} requests"));
            assert!(item.archived_at.is_none(), "item {n} is still to do");
        }
        // Only the newest few hundred are compared.
        assert!(
            done.into_iter()
                .filter(|n| *n > 320)
                .filter_map(|n| client.item(n))
                .all(|item| item.archived_at.is_some())
        );
    }
}

#[tokio::test]
async fn a_quiet_pull_asks_only_whether_anything_changed() {
    let mut client = with(5).await;
    client.pull().await.unwrap();
    let before = client.requests().await;
    client.pull().await.unwrap();
    let requests = client.service.requests().split_off(before);
    let lists: Vec<_> = requests.iter().filter(|request| request.contains("/todos?")).collect();
    assert_eq!(lists.len(), 1, "{requests:?}");
    assert!(lists[0].to_ascii_lowercase().contains("if-none-match: "));
}
