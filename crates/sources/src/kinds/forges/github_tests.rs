//! Tests of what GitHub's threads become.

use serde_json::{Value, json};

use super::super::details::Details;
use super::super::thread::Thread;
use super::*;

fn thread(subject: &Value) -> Thread {
    let thread = json!({"id": "1", "updated_at": "2026-11-20T06:00:00Z", "unread": true, "reason": "mention",
            "subject": subject, "repository": {"full_name": "acme/widgets",
            "html_url": "https://ghe.example/acme/widgets", "owner": {"login": "acme"}}});
    serde_json::from_value::<Thread>(thread).unwrap().bounded()
}

#[test]
fn a_link_opens_the_comment_on_the_page_of_its_subject() {
    let api = "https://ghe.example/api/v3/repos/acme/widgets";
    for (kind, subject, comment, page) in [
        ("Issue", "issues/3", "issues/comments/9", "issues/3#issuecomment-9"),
        ("PullRequest", "pulls/4", "issues/comments/9", "pull/4#issuecomment-9"),
        ("PullRequest", "pulls/4", "pulls/comments/9", "pull/4#discussion_r9"),
        ("PullRequest", "pulls/4", "pulls/4/reviews/9", "pull/4#pullrequestreview-9"),
        ("PullRequest", "pulls/4", "pulls/4", "pull/4"),
        ("Commit", "commits/abc", "comments/9", "commit/abc#commitcomment-9"),
        ("Release", "releases/5", "releases/5", "releases"),
        ("Issue", "issues/3", "issues/comments/9?x", "issues/3"),
    ] {
        let subject = json!({"title": "T", "type": kind, "url": format!("{api}/{subject}"),
                "latest_comment_url": format!("{api}/{comment}")});
        let item = item(&thread(&subject), &Details::default());
        let expected = format!("https://ghe.example/acme/widgets/{page}");
        assert_eq!(item.content.url.as_deref(), Some(expected.as_str()), "{comment}");
    }
}

#[test]
fn subjects_without_an_address_have_a_page_too() {
    for (kind, page) in [
        ("Discussion", "discussions?discussions_q=What%20now%3F"),
        ("CheckSuite", "actions"),
        ("RepositoryInvitation", "invitations"),
        ("RepositoryDependabotAlertsThread", "security/dependabot"),
    ] {
        let item =
            item(&thread(&json!({"title": "What now?", "type": kind, "url": null})), &Details::default());
        let expected = format!("https://ghe.example/acme/widgets/{page}");
        assert_eq!(item.content.url.as_deref(), Some(expected.as_str()));
        assert_eq!(item.target.unwrap().id, "acme/widgets/1");
    }
}

#[test]
fn a_reason_of_tomorrow_reads_like_an_update() {
    let mut thread = thread(&json!({"title": "T", "type": "Issue"}));
    thread.reason = Some("beamed_up".to_owned());
    let item = item(&thread, &Details::default());
    assert_eq!(item.action.as_deref(), Some("update"));
    assert_eq!(item.content.data["reason"], "beamed_up");
}

#[test]
fn a_failed_run_has_a_tag() {
    let mut thread =
        thread(&json!({"title": "CI workflow run failed for main branch", "type": "CheckSuite"}));
    thread.reason = Some("ci_activity".to_owned());
    let item = item(&thread, &Details::default());
    assert_eq!(item.content.tags, ["acme/widgets", "ci_failed"]);
}

#[test]
fn the_address_of_the_pages_stands_for_that_of_the_api() {
    for page in ["https://github.com", "https://GitHub.com/", "github.com", "http://www.github.com"] {
        assert!(is_page(page), "{page}");
    }
    for api in ["https://api.github.com", "https://ghe.example/api/v3", "https://github.com.evil.example"] {
        assert!(!is_page(api), "{api}");
    }
}
