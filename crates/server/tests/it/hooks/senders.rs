//! What the documented payloads of each sender become.

use serde_json::json;

use super::{hooked, payload, text};

#[tokio::test]
async fn each_alert_of_alertmanager_is_one_notification_until_it_is_resolved() {
    let h = hooked().await;
    h.plain(payload!("alertmanager-firing")).await;
    h.plain(payload!("alertmanager-firing")).await;
    let items = h.items().await;
    assert_eq!(items.len(), 2, "firing again revises: {items:#?}");
    let disk = items.iter().find(|i| i["title"] == "The disk of db-1 is full").unwrap();
    assert_eq!((&disk["priority"], &disk["tags"]), (&json!(5), &json!(["critical"])));
    assert!(text(disk, "body").starts_with("97 % of /var are used\n\n"), "{disk}");
    assert!(text(disk, "body").contains("instance: db-1:9100"));
    assert_eq!(disk["url"], "http://prometheus.example:9090/graph?g0.expr=up");
    assert_eq!(disk["data"]["hook"]["sender"], "alertmanager");
    assert_eq!(h.me.unread("reminder").await, 2);
    h.plain(payload!("alertmanager-resolved")).await;
    assert_eq!(h.me.unread("reminder").await, 1, "the resolved alert is read");
    let items = h.items().await;
    let read = |title: &str| !items.iter().find(|i| i["title"] == title).unwrap()["read_at"].is_null();
    assert!(read("The disk of db-1 is full") && !read("The load of db-1 is high"));
    h.plain(payload!("alertmanager-firing")).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (2, 2), "it fires again");
}

#[tokio::test]
async fn what_is_resolved_and_was_never_told_arrives_with_the_lowest_priority() {
    let h = hooked().await;
    h.plain(payload!("alertmanager-resolved")).await;
    let item = h.item().await;
    assert_eq!((text(&item, "title"), &item["priority"]), ("Resolved: The disk of db-1 is full", &json!(1)));
}

#[tokio::test]
async fn grafanas_alerts_of_both_forms_are_read_and_resolved() {
    let h = hooked().await;
    h.plain(payload!("grafana-firing")).await;
    let item = h.item().await;
    assert_eq!(text(&item, "title"), "CPU of web-1 above 90 %");
    assert_eq!(item["url"], "https://grafana.example/d/hosts?orgId=1&viewPanel=4");
    assert!(text(&item, "body").contains("value=93.2"), "{item}");
    h.plain(payload!("grafana-resolved")).await;
    assert_eq!(h.me.unread("reminder").await, 0);
    h.plain(payload!("grafana-legacy-alerting")).await;
    let items = h.items().await;
    assert_eq!(
        (text(&items[0], "title"), &items[0]["priority"]),
        ("[Alerting] Errors of the shop", &json!(4))
    );
    assert_eq!(text(&items[0], "body"), "Too many 500s\n\nCount: 1");
    h.plain(payload!("grafana-legacy-ok")).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (2, 0));
    assert_eq!(items[0]["data"]["hook"]["sender"], "grafana");
}

#[tokio::test]
async fn everything_about_one_pull_request_on_github_is_one_notification() {
    let h = hooked().await;
    h.event("X-GitHub-Event", "pull_request", payload!("github-pull-request-opened")).await;
    let opened = h.item().await;
    assert_eq!(text(&opened, "title"), "acme/app #42: Fix the login");
    assert_eq!(text(&opened, "body"), "**bob** opened this pull request\n\nIt failed **without** a cookie.");
    assert_eq!((text(&opened, "format"), &opened["tags"]), ("markdown", &json!(["open"])));
    assert_eq!(opened["url"], "https://github.example/acme/app/pull/42");
    h.event("X-GitHub-Event", "issue_comment", payload!("github-pull-comment")).await;
    let commented = h.item().await;
    assert_eq!(text(&commented, "body"), "**carol** commented\n\nWell done.");
    h.event("X-GitHub-Event", "pull_request", payload!("github-pull-request-merged")).await;
    let merged = h.item().await;
    assert_eq!((&merged["msgid"], &merged["tags"]), (&opened["msgid"], &json!(["merged"])));
    assert_eq!(text(&merged, "body"), "**alice** merged this pull request");
}

#[tokio::test]
async fn issues_and_runs_of_github_are_one_notification_each() {
    let h = hooked().await;
    h.event("X-GitHub-Event", "issues", payload!("github-issues-opened")).await;
    h.event("X-GitHub-Event", "issue_comment", payload!("github-issue-comment")).await;
    let issue = h.item().await;
    assert_eq!(text(&issue, "title"), "acme/app #7: The page is broken");
    assert_eq!(issue["url"], "https://github.example/acme/app/issues/7#issuecomment-492700400");
    h.event("X-GitHub-Event", "workflow_run", payload!("github-workflow-run-requested")).await;
    h.event("X-GitHub-Event", "workflow_run", payload!("github-workflow-run-failed")).await;
    let items = h.items().await;
    assert_eq!(items.len(), 2, "{items:#?}");
    assert_eq!((text(&items[0], "title"), &items[0]["priority"]), ("acme/app: CI — failure", &json!(4)));
}

#[tokio::test]
async fn pushes_releases_and_the_first_ping_of_github_are_told() {
    let h = hooked().await;
    for (event, payload, title, body) in [
        ("ping", payload!("github-ping"), "acme/app: the webhook works", "Keep it logically awesome."),
        (
            "push",
            payload!("github-push"),
            "acme/app: alice pushed 2 commits to main",
            "- `aaaaaaa` Fix the login\n- `ccccccc` Say it in the changelog",
        ),
        (
            "release",
            payload!("github-release"),
            "acme/app: release Spring",
            "**alice** published v1.2.0\n\n- Faster",
        ),
    ] {
        h.event("X-GitHub-Event", event, payload).await;
        let item = h.items().await.remove(0);
        assert_eq!((text(&item, "title"), text(&item, "body")), (title, body), "{event}");
    }
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("payload", payload!("github-push"))
        .finish();
    let headers = [("X-GitHub-Event", "push"), ("Content-Type", "application/x-www-form-urlencoded")];
    h.send("ops", &headers, form).await.is(200);
    assert_eq!(text(&h.items().await[0], "title"), "acme/app: alice pushed 2 commits to main");
}

#[tokio::test]
async fn an_event_of_github_that_is_not_known_arrives_as_json() {
    let h = hooked().await;
    h.event("X-GitHub-Event", "deployment", payload!("github-deployment")).await;
    let item = h.item().await;
    assert_eq!(text(&item, "title"), "GitHub: deployment");
    assert!(text(&item, "body").starts_with("```json\n{\n"), "{item}");
    assert!(text(&item, "body").contains(r#""environment": "production""#));
}

#[tokio::test]
async fn gitlabs_merge_requests_issues_and_pipelines_are_told() {
    let h = hooked().await;
    h.event("X-Gitlab-Event", "Push Hook", payload!("gitlab-push")).await;
    let push = h.item().await;
    assert_eq!(text(&push, "title"), "acme/app: Alice pushed a commit to main");
    assert_eq!(text(&push, "body"), "- `b6568db1` Update the catalan translation");
    for payload in [
        payload!("gitlab-merge-request-open"),
        payload!("gitlab-note"),
        payload!("gitlab-merge-request-merge"),
    ] {
        h.event("X-Gitlab-Event", "Merge Request Hook", payload).await;
    }
    let items = h.items().await;
    assert_eq!(items.len(), 2, "one merge request is one notification: {items:#?}");
    assert_eq!(
        (text(&items[0], "title"), text(&items[0], "body")),
        ("acme/app !3: Faster start", "**Alice** merged this")
    );
    h.event("X-Gitlab-Event", "Issue Hook", payload!("gitlab-issue")).await;
    assert_eq!(text(&h.items().await[0], "title"), "acme/app #23: New API");
    h.event("X-Gitlab-Event", "Pipeline Hook", payload!("gitlab-pipeline")).await;
    let items = h.items().await;
    assert_eq!(
        (text(&items[0], "title"), &items[0]["priority"]),
        ("acme/app: pipeline of main — failed", &json!(4))
    );
    assert_eq!(text(&items[0], "body"), "Failed: unit tests");
    assert_eq!(items[0]["url"], "https://gitlab.example/acme/app/-/pipelines/31");
}

#[tokio::test]
async fn forgejo_is_told_from_github_whose_headers_it_sends_too() {
    let h = hooked().await;
    let headers = [("X-Forgejo-Event", "push"), ("X-Gitea-Event", "push"), ("X-GitHub-Event", "push")];
    h.send("ops", &headers, payload!("forgejo-push")).await.is(200);
    let push = h.item().await;
    assert_eq!(text(&push, "title"), "acme/app: alice pushed a commit to main");
    assert_eq!(push["data"]["hook"]["sender"], "forgejo");
    assert_eq!(push["url"], "https://forgejo.example/acme/app/compare/28e1879d...bffeb742");
    h.event("X-Gitea-Event", "pull_request", payload!("forgejo-pull-request")).await;
    h.event("X-Forgejo-Event", "pull_request_approved", payload!("forgejo-pull-request-approved")).await;
    let items = h.items().await;
    assert_eq!(items.len(), 2, "{items:#?}");
    assert_eq!(
        (text(&items[0], "title"), text(&items[0], "body")),
        ("acme/app #5: Use less memory", "**alice** approved this pull request\n\nNice.")
    );
}

#[tokio::test]
async fn an_issue_of_sentry_is_read_when_it_is_resolved() {
    let h = hooked().await;
    h.event("Sentry-Hook-Resource", "event_alert", payload!("sentry-event-alert")).await;
    let item = h.item().await;
    assert_eq!((text(&item, "title"), &item["priority"]), ("ReferenceError: heck is not defined", &json!(4)));
    assert_eq!(text(&item, "body"), "heck is not defined\n?(<anonymous>)\nRule: Very Important Alert Rule!");
    h.event("Sentry-Hook-Resource", "issue", payload!("sentry-issue-resolved")).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (1, 0));
    h.event("Sentry-Hook-Resource", "metric_alert", payload!("sentry-metric-alert")).await;
    let items = h.items().await;
    assert_eq!((text(&items[0], "title"), &items[0]["priority"]), ("Critical: Too many errors", &json!(5)));
}

#[tokio::test]
async fn monitors_of_uptime_kuma_and_healthchecks_are_read_when_they_are_up() {
    let h = hooked().await;
    h.plain(payload!("uptime-kuma-test")).await;
    assert_eq!(text(&h.item().await, "body"), "My notification Testing");
    h.plain(payload!("uptime-kuma-down")).await;
    h.plain(payload!("healthchecks-down")).await;
    let items = h.items().await;
    assert_eq!(
        (text(&items[0], "title"), &items[0]["tags"]),
        ("Nightly backup is down", &json!(["prod", "db"]))
    );
    assert_eq!(text(&items[1], "title"), "Shop is down");
    assert_eq!(text(&items[1], "body"), "connect ECONNREFUSED 192.0.2.7:443");
    assert_eq!(h.me.unread("reminder").await, 3);
    h.plain(payload!("uptime-kuma-up")).await;
    h.plain(payload!("healthchecks-up")).await;
    assert_eq!((h.items().await.len(), h.me.unread("reminder").await), (3, 1));
    let own = r#"{"check": "Mail", "status": "down", "code": "7d2f"}"#;
    h.send("ops", &[("User-Agent", "healthchecks.io")], own).await.is(200);
    assert_eq!(text(&h.items().await[0], "title"), "Mail is down");
}

#[tokio::test]
async fn tags_that_are_pushed_to_a_registry_are_told_and_its_pulls_are_not() {
    let h = hooked().await;
    h.plain(payload!("docker-registry")).await;
    assert_eq!(text(&h.item().await, "title"), "alice pushed acme/app:1.4");
    h.plain(payload!("docker-hub")).await;
    assert_eq!(text(&h.items().await[0], "title"), "alice pushed acme/app:latest");
    let pull = json!({"events": [{"id": "9", "action": "pull", "target": {"repository": "acme/app"}}]});
    let answer = h.send("ops", &[], pull.to_string()).await.is(200);
    assert_eq!((answer["published"].clone(), h.items().await.len()), (json!([]), 2));
}
