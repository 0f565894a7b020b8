//! Tests of GitHub: who did what, where a link leads, and what is read in both directions.

use tidings_model::{Lang, Stamp};
use tidings_replica::Mark;
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::{Fault, GitHub, ScriptedService};

use crate::conformance::client::Client;

/// A client that has pulled this many notifications.
async fn with(service: GitHub, count: usize) -> Client<GitHub> {
    (0..count).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    client.catch_up().await;
    client
}

/// The requests for a path below the API, without those before.
fn requests_for(client: &Client<GitHub>, path: &str, before: usize) -> Vec<String> {
    let wanted = format!("/api/v3/{path}");
    let requests = client.service.requests().split_off(before);
    requests
        .into_iter()
        .filter(|request| request.split(' ').nth(1).is_some_and(|to| to.starts_with(&wanted)))
        .collect()
}

#[tokio::test]
async fn a_notification_says_who_did_what_and_opens_the_right_place() {
    let mut client = with(GitHub::start_with_subjects().await, 2).await;
    let review = client.item(0).unwrap();
    assert_eq!((review.action.as_deref(), review.actor.id.as_str()), (Some("review_requested"), "bo"));
    let target = review.target.unwrap();
    assert_eq!((target.kind.as_str(), target.id.as_str()), ("pull_request", "acme/widgets#0"));
    assert!(target.url.unwrap().ends_with("/acme/widgets/pull/0"));
    assert_eq!(review.content.tags, ["acme/widgets", "open"]);
    assert_eq!(review.content.body, "About item 0");
    assert!(review.content.icon.unwrap().ends_with("/avatars/bo.png"));

    client.service.change(1);
    client.catch_up().await;
    let mention = client.item(1).unwrap();
    assert_eq!((mention.action.as_deref(), mention.actor.id.as_str()), (Some("mention"), "cy"));
    assert_eq!(mention.content.body, "Comment 1 on item 1");
    assert!(mention.content.url.unwrap().ends_with("/acme/widgets/issues/1#issuecomment-1001"));
    assert_eq!((mention.version, mention.thread.as_str()), (3, "issue:acme/widgets#1"));

    client.service.change(0);
    client.catch_up().await;
    let review = client.item(0).unwrap();
    assert_eq!(review.actor.id, "bo", "a comment requests no review");
    assert_eq!(review.content.body, "**@cy**\n\nComment 1 on item 0");
}

#[tokio::test]
async fn a_subject_that_is_merged_says_so_and_is_news() {
    let mut client = with(GitHub::start_with_subjects().await, 1).await;
    client.mark(0, Mark::Archive);
    client.catch_up().await;
    assert_eq!((client.unread(), client.service.is_archived(0)), (0, Some(true)));
    client.service.publish(1);
    client.service.change(0);
    client.service.merge(0);
    client.catch_up().await;
    assert_eq!(client.item(0).unwrap().content.tags, ["acme/widgets", "merged"]);
    assert_eq!((client.unread(), client.item(0).unwrap().archived_at), (2, None));
}

#[tokio::test]
async fn what_is_read_on_the_page_is_read_here_and_keeps_its_text() {
    let mut client = with(GitHub::start_with_subjects().await, 4).await;
    let before = client.item(1).unwrap();
    client.service.read_on_the_page(1);
    client.service.finish_on_the_page(2);
    client.catch_up().await;
    let after = client.item(1).unwrap();
    assert!(after.read_at.is_some() && client.item(2).unwrap().read_at.is_some());
    assert_eq!((after.content, after.created_at), (before.content.clone(), before.created_at));
    assert_eq!(client.unread(), 2);
    client.service.unread_on_the_page(1);
    client.catch_up().await;
    assert_eq!((client.unread(), client.item(1).unwrap().content), (3, before.content));
}

#[tokio::test]
async fn among_more_unread_threads_than_a_page_one_that_was_read_is_found() {
    let mut client = with(GitHub::start().await, 230).await;
    for n in [0, 100, 229] {
        client.service.read_on_the_page(n);
    }
    client.catch_up().await;
    assert_eq!(client.unread(), 227);
    // Now the first page stays as it is, and its state covers nothing else.
    client.service.read_on_the_page(3);
    client.catch_up().await;
    client.clock.advance(20 * 60);
    client.catch_up().await;
    assert_eq!(client.unread(), 226);
}

#[tokio::test]
async fn a_backlog_begins_with_the_newest_and_no_page_waits_for_details() {
    let client = with(GitHub::start_with_subjects().await, 200).await;
    let requests = client.service.requests();
    let first = |what: &str| requests.iter().position(|request| request.contains(what)).unwrap();
    assert!(first("/notifications?all=true&per_page=50&page=1 ") < first("/repos/"));
    let detailed =
        client.items().into_iter().filter(|item| !item.content.body.is_empty()).collect::<Vec<_>>();
    assert_eq!(detailed.len(), 10, "the details of a backlog are bounded");
    assert!(detailed.iter().all(|item| item.created_at >= detailed[9].created_at));
    assert_eq!(client.items().len(), 200);
    assert_eq!(client.unread(), 200);
}

#[tokio::test]
async fn threads_that_leave_the_list_during_a_walk_take_no_other_with_them() {
    let service = GitHub::start().await;
    (0..300).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    // The user, a page, ten subjects that the token may not read, another page: the next one breaks.
    client.service.faults().plan(13, Fault::Reset);
    assert!(client.pull().await.is_err());
    assert!(!client.items().is_empty(), "what came stays");
    (240..300).for_each(|n| client.service.finish_on_the_page(n));
    client.catch_up().await;
    for n in 0..240 {
        assert!(client.item(n).is_some_and(|item| item.read_at.is_none()), "item {n}");
    }
    assert_eq!(client.unread(), 240);
}

#[tokio::test]
async fn what_comes_while_a_walk_is_interrupted_comes_with_the_next_pull() {
    for passing in (1..42).step_by(4) {
        let service = GitHub::start_with_subjects().await;
        (0..120).for_each(|n| service.publish(n));
        let mut client = Client::of(service).await;
        client.service.faults().plan(passing, Fault::Reset);
        let interrupted = client.pull().await.is_err();
        client.service.faults().clear();
        client.service.publish(120);
        client.pull().await.unwrap();
        assert_eq!(client.unread(), 121, "after {passing} requests, interrupted: {interrupted}");
    }
}

#[tokio::test]
async fn a_quiet_pull_asks_only_whether_anything_changed() {
    let mut client = with(GitHub::start_with_subjects().await, 3).await;
    client.pull().await.unwrap();
    let before = client.requests().await;
    client.pull().await.unwrap();
    let lists = requests_for(&client, "notifications", before);
    assert_eq!(lists.len(), 2, "{lists:?}");
    for list in lists {
        let head = list.to_ascii_lowercase();
        assert!(
            head.contains("if-none-match: ") && head.contains("x-github-api-version: 2022-11-28"),
            "{list}"
        );
        assert!(head.contains("accept: application/vnd.github+json"), "{list}");
    }
    assert!(requests_for(&client, "repos", before).is_empty());
}

#[tokio::test]
async fn details_that_fail_cost_no_notification() {
    let mut client = with(GitHub::start_with_subjects().await, 1).await;
    let elsewhere = client.elsewhere().to_owned();
    let faults = [
        Fault::Reset,
        Fault::Garbage,
        Fault::CaptivePortal,
        Fault::HugeBody,
        Fault::Redirect(elsewhere),
        Fault::Status(401, String::new()),
        Fault::Status(403, String::new()),
        Fault::Status(404, String::new()),
        Fault::Status(410, String::new()),
        Fault::Status(500, String::new()),
    ];
    for (nth, fault) in faults.into_iter().enumerate() {
        client.service.publish(nth + 1);
        // The user and the list, in either order; then the details.
        client.service.faults().plan(2, fault.clone());
        assert_eq!(client.pull().await.map(|report| report.arrived).ok(), Some(1), "{fault:?}");
        assert!(client.service.faults().is_empty());
    }
    client.catch_up().await;
    assert_eq!(client.unread(), 11);
    client.assert_kept_its_secret();
}

#[tokio::test]
async fn the_token_goes_to_no_host_that_a_notification_names() {
    let other = ScriptedServer::start().await;
    let at = other.host();
    let asked = other.always(response("200 OK", "", r#"{"user": {"login": "eve"}, "body": "lies"}"#));
    let client = with(GitHub::start_with_subjects_at(at).await, 3).await;
    assert_eq!(client.item(0).unwrap().actor.id, "acme/widgets");
    assert!(asked.lock().unwrap().is_empty());
    client.assert_kept_its_secret();
}

#[tokio::test]
async fn everything_up_to_a_moment_is_read_with_one_request() {
    let service = GitHub::start().await;
    (0..9).for_each(|n| service.publish(n));
    let mut client = Client::of(service).await;
    client.catch_up().await;
    let through = client.item(5).unwrap().created_at;
    let before = client.requests().await;
    client.source().send_read_all(None, through).await.unwrap();
    let sent = client.service.requests().split_off(before);
    assert!(sent.len() == 1 && sent[0].starts_with("PUT /api/v3/notifications "), "{sent:?}");
    assert_eq!(client.service.is_read(5), Some(true));
    assert_eq!(client.service.is_read(8), Some(false));
    client.source().send_read_all(Some(tidings_model::Kind::Message), Stamp::MAX).await.unwrap();
    assert_eq!(client.service.is_read(8), Some(false), "it has no messages");
}

#[tokio::test]
async fn the_reasons_read_well_in_both_languages() {
    let client = Client::of(GitHub::start().await).await;
    let info = client.source().server_info().await.unwrap();
    assert_eq!(info.user.as_deref(), Some("ana"));
    let catalog = info.catalog.unwrap();
    let template = |lang: Lang| catalog.actions["review_requested"].template[lang.tag()].clone();
    assert_eq!(template(Lang::En), "{actors} requested your review on {target}");
    assert_eq!(template(Lang::ZhCn), "{actors} 请你评审 {target}");
    assert_eq!(tidings_sources::protocol("github").unwrap().default_url, Some("https://api.github.com"));
}
