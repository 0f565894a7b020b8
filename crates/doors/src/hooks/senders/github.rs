//! GitHub. What is about one pull request, issue, run or release is one notification, which is revised. Gitea and Forgejo
//! send much the same.

use tidings_model::Priority;

use super::{LISTED_COMMITS, Sender, commit, done, has_no_form};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;
use crate::hooks::signature::Signature;

pub(super) const SENDER: Sender = Sender {
    name: "github",
    title: "GitHub",
    event_headers: &["x-github-event"],
    delivery_headers: &["x-github-delivery"],
    has_form: has_no_form,
    signature: Some(Signature::Hmac { headers: &["x-hub-signature-256"], prefix: "sha256=", times: &[] }),
    notices: |event, payload| notice(event, payload).map(|notice| vec![notice]),
};

/// Characters of a commit's id that are shown.
const COMMIT_CHARS: usize = 7;

/// What a payload says; `None` for an event that is not known.
pub(super) fn notice(event: &str, payload: Fields<'_>) -> Option<Notice> {
    match event {
        "ping" => Some(ping(payload)),
        "push" => payload.has("ref").then(|| push(payload)),
        "pull_request" => payload.has("pull_request").then(|| pull_request(payload)),
        "pull_request_review" => payload.has("review").then(|| review(payload)),
        "pull_request_review_comment" | "pull_request_comment" => {
            payload.has("comment").then(|| comment(payload))
        }
        "issues" => payload.has("issue").then(|| issue(payload)),
        "issue_comment" => payload.has("comment").then(|| comment(payload)),
        "workflow_run" => payload.has("workflow_run").then(|| run(payload)),
        "release" => payload.has("release").then(|| release(payload)),
        _ => None,
    }
}

fn repository(payload: Fields<'_>) -> &str {
    payload.first_text(&["repository.full_name", "organization.login"])
}

/// Who did it.
fn actor(payload: Fields<'_>) -> &str {
    match payload.first_text(&["sender.login", "pusher.login", "pusher.name", "sender.username"]) {
        "" => "somebody",
        actor => actor,
    }
}

fn ping(payload: Fields<'_>) -> Notice {
    let title = format!("{}: the webhook works", repository(payload));
    Notice::new(title)
        .body(payload.text("zen"))
        .priority(Priority::LOWEST)
        .url(payload.first_text(&["repository.html_url", "organization.url"]))
}

fn push(payload: Fields<'_>) -> Notice {
    let name = payload.text("ref").trim_start_matches("refs/heads/").trim_start_matches("refs/tags/");
    let (repository, actor) = (repository(payload), actor(payload));
    let count = payload.list("commits").count();
    let what = match count {
        _ if payload.is_true("deleted") => format!("{actor} deleted {name}"),
        0 if payload.is_true("created") => format!("{actor} created {name}"),
        0 => format!("{actor} moved {name}"),
        1 => format!("{actor} pushed a commit to {name}"),
        _ => format!("{actor} pushed {count} commits to {name}"),
    };
    let listed = payload.list("commits").take(LISTED_COMMITS).map(|one| commit(one, COMMIT_CHARS));
    let more = count.saturating_sub(LISTED_COMMITS);
    let more = (more > 0).then(|| format!("- and {more} more"));
    let url = payload.first_text(&["compare", "compare_url", "repository.html_url"]);
    Notice::new(format!("{repository}: {what}"))
        .markdown(listed.chain(more).collect::<Vec<_>>().join("\n"))
        .url(url)
}

/// `name #number: title`, for a pull request or an issue.
fn titled(payload: Fields<'_>, what: Fields<'_>) -> String {
    format!("{} #{}: {}", repository(payload), what.scalar("number"), what.text("title"))
}

/// An action's name as a word in a sentence.
fn words(action: &str) -> String {
    action.replace('_', " ")
}

fn pull_request(payload: Fields<'_>) -> Notice {
    let pull = payload.at("pull_request");
    let action = payload.text("action");
    let sentence = match action {
        "closed" if pull.is_true("merged") => "merged this pull request".to_owned(),
        "closed" => "closed this pull request without merging it".to_owned(),
        "synchronize" | "synchronized" => "pushed to this pull request".to_owned(),
        "review_requested" => {
            format!(
                "asked {} for a review",
                payload.first_text(&["requested_reviewer.login", "requested_team.name"])
            )
        }
        "assigned" => format!("assigned {}", payload.text("assignee.login")),
        "labeled" | "unlabeled" => format!("{action} it {}", payload.text("label.name")),
        "opened" => "opened this pull request".to_owned(),
        action => format!("{} this pull request", words(action)),
    };
    let text = if action == "opened" { pull.text("body") } else { "" };
    about_pull(payload, pull).markdown(done(actor(payload), &sentence, text)).tag(if pull.is_true("merged") {
        "merged"
    } else {
        pull.text("state")
    })
}

/// A notice about a pull request, without a body.
fn about_pull(payload: Fields<'_>, pull: Fields<'_>) -> Notice {
    Notice::new(titled(payload, pull)).url(pull.text("html_url")).about(
        "pull",
        repository(payload),
        &pull.scalar("number"),
    )
}

fn review(payload: Fields<'_>) -> Notice {
    let review = payload.at("review");
    let sentence = match review.first_text(&["state", "type"]) {
        "approved" | "pull_request_review_approved" => "approved this pull request",
        "changes_requested" | "pull_request_review_rejected" => "asked for changes",
        "dismissed" => "dismissed a review",
        _ => "reviewed this pull request",
    };
    let notice = about_pull(payload, payload.at("pull_request"));
    let text = review.first_text(&["body", "content"]);
    let url = review.text("html_url");
    let notice = notice.markdown(done(actor(payload), sentence, text));
    if url.is_empty() { notice } else { notice.url(url) }
}

fn issue(payload: Fields<'_>) -> Notice {
    let issue = payload.at("issue");
    let action = payload.text("action");
    let sentence = match action {
        "assigned" => format!("assigned {}", payload.text("assignee.login")),
        "labeled" | "unlabeled" => format!("{action} it {}", payload.text("label.name")),
        action => format!("{} this issue", words(action)),
    };
    let text = if action == "opened" { issue.text("body") } else { "" };
    about_issue(payload, issue).markdown(done(actor(payload), &sentence, text)).tag(issue.text("state"))
}

fn about_issue(payload: Fields<'_>, issue: Fields<'_>) -> Notice {
    Notice::new(titled(payload, issue)).url(issue.text("html_url")).about(
        "issue",
        repository(payload),
        &issue.scalar("number"),
    )
}

/// A comment on a pull request or an issue.
fn comment(payload: Fields<'_>) -> Notice {
    let comment = payload.at("comment");
    let about = match (payload.has("pull_request"), payload.has("issue.pull_request")) {
        (true, _) => about_pull(payload, payload.at("pull_request")),
        (false, true) => about_pull(payload, payload.at("issue")),
        (false, false) => about_issue(payload, payload.at("issue")),
    };
    let sentence = match payload.text("action") {
        "created" | "" => "commented".to_owned(),
        action => format!("{} a comment", words(action)),
    };
    about.markdown(done(actor(payload), &sentence, comment.text("body"))).url(comment.text("html_url"))
}

fn run(payload: Fields<'_>) -> Notice {
    let run = payload.at("workflow_run");
    let outcome = match run.text("conclusion") {
        "" => words(run.text("status")),
        conclusion => words(conclusion),
    };
    let priority = match run.text("conclusion") {
        "failure" | "timed_out" | "startup_failure" | "action_required" => Priority::HIGH,
        _ => Priority::LOW,
    };
    let name = run.first_text(&["name", "display_title"]);
    let body = format!("{} on `{}`", run.text("display_title"), run.text("head_branch").replace('`', "'"));
    Notice::new(format!("{}: {name} — {outcome}", repository(payload)))
        .markdown(done(actor(payload), &format!("started run {}", run.scalar("run_number")), &body))
        .priority(priority)
        .tag(run.text("conclusion"))
        .url(run.text("html_url"))
        .about("run", repository(payload), &run.scalar("id"))
}

fn release(payload: Fields<'_>) -> Notice {
    let release = payload.at("release");
    let name = release.first_text(&["name", "tag_name"]);
    let sentence = format!("{} {}", words(payload.text("action")), release.text("tag_name"));
    Notice::new(format!("{}: release {name}", repository(payload)))
        .markdown(done(actor(payload), &sentence, release.text("body")))
        .url(release.text("html_url"))
        .about("release", repository(payload), &release.scalar("id"))
}
