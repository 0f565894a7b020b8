//! GitLab. What is about one merge request, issue or pipeline is one notification, which is revised.

use tidings_model::Priority;

use super::{LISTED_COMMITS, Sender, commit, done, has_no_form};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;
use crate::hooks::signature::Signature;

pub(super) const SENDER: Sender = Sender {
    name: "gitlab",
    title: "GitLab",
    event_headers: &["x-gitlab-event"],
    // Newer versions send an `Idempotency-Key`, which holds for all senders; the id of the event is the same for others
    // that it sets off.
    delivery_headers: &[],
    has_form: has_no_form,
    signature: Some(Signature::Plain { header: "x-gitlab-token" }),
    notices: |_, payload| notice(payload).map(|notice| vec![notice]),
};

/// Characters of a commit's id that are shown.
const COMMIT_CHARS: usize = 8;

fn notice(payload: Fields<'_>) -> Option<Notice> {
    match payload.text("object_kind") {
        "push" | "tag_push" => Some(push(payload)),
        "merge_request" => Some(work_item(payload, "merge_request", "!")),
        "issue" | "work_item" => Some(work_item(payload, "issue", "#")),
        "note" => Some(note(payload)),
        "pipeline" => Some(pipeline(payload)),
        "release" => Some(release(payload)),
        _ => None,
    }
}

fn project(payload: Fields<'_>) -> &str {
    payload.text("project.path_with_namespace")
}

/// Who did it.
fn actor(payload: Fields<'_>) -> &str {
    match payload.first_text(&["user.name", "user_name", "user.username", "user_username"]) {
        "" => "somebody",
        actor => actor,
    }
}

fn push(payload: Fields<'_>) -> Notice {
    let name = payload.text("ref").trim_start_matches("refs/heads/").trim_start_matches("refs/tags/");
    let is_zero = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte == b'0');
    let count = payload.scalar("total_commits_count");
    let (actor, after) = (actor(payload), payload.text("after"));
    let what = match count.as_str() {
        _ if is_zero(after) => format!("{actor} deleted {name}"),
        "" | "0" if is_zero(payload.text("before")) => format!("{actor} created {name}"),
        "" | "0" => format!("{actor} moved {name}"),
        "1" => format!("{actor} pushed a commit to {name}"),
        count => format!("{actor} pushed {count} commits to {name}"),
    };
    let listed: Vec<String> =
        payload.list("commits").take(LISTED_COMMITS).map(|one| commit(one, COMMIT_CHARS)).collect();
    Notice::new(format!("{}: {what}", project(payload)))
        .markdown(listed.join("\n"))
        .url(payload.text("project.web_url"))
}

/// A notice about a merge request or an issue, without a body.
fn about(payload: Fields<'_>, what: Fields<'_>, kind: &str, mark: &str) -> Notice {
    let (project, number) = (project(payload), what.scalar("iid"));
    Notice::new(format!("{project} {mark}{number}: {}", what.text("title"))).about(kind, project, &number)
}

/// A merge request or an issue.
fn work_item(payload: Fields<'_>, kind: &str, mark: &str) -> Notice {
    let item = payload.at("object_attributes");
    let sentence = match item.text("action") {
        "open" => "opened this",
        "close" => "closed this",
        "reopen" => "opened this again",
        "merge" => "merged this",
        "approved" | "approval" => "approved this",
        "unapproved" | "unapproval" => "took the approval back",
        _ => "updated this",
    };
    let text = if item.text("action") == "open" { item.text("description") } else { "" };
    about(payload, item, kind, mark)
        .markdown(done(actor(payload), sentence, text))
        .tag(item.text("state"))
        .url(item.text("url"))
}

/// A comment.
fn note(payload: Fields<'_>) -> Notice {
    let note = payload.at("object_attributes");
    let notice = match (payload.has("merge_request"), payload.has("issue")) {
        (true, _) => about(payload, payload.at("merge_request"), "merge_request", "!"),
        (false, true) => about(payload, payload.at("issue"), "issue", "#"),
        (false, false) => Notice::new(format!("{}: a comment by {}", project(payload), actor(payload))),
    };
    notice.markdown(done(actor(payload), "commented", note.text("note"))).url(note.text("url"))
}

fn pipeline(payload: Fields<'_>) -> Notice {
    let pipeline = payload.at("object_attributes");
    let (project, id, status) = (project(payload), pipeline.scalar("id"), pipeline.text("status"));
    let own_url = format!("{}/-/pipelines/{id}", payload.text("project.web_url"));
    let url = Some(pipeline.text("url")).filter(|url| !url.is_empty()).unwrap_or(&own_url);
    let failed = payload.list("builds").filter(|build| build.text("status") == "failed");
    let failed: Vec<&str> = failed.map(|build| build.text("name")).collect();
    let body = if failed.is_empty() { String::new() } else { format!("Failed: {}", failed.join(", ")) };
    let priority = if status == "failed" { Priority::HIGH } else { Priority::LOW };
    Notice::new(format!("{project}: pipeline of {} — {status}", pipeline.text("ref")))
        .body(body)
        .priority(priority)
        .tag(status)
        .url(url)
        .about("pipeline", project, &id)
}

fn release(payload: Fields<'_>) -> Notice {
    let (project, tag) = (project(payload), payload.text("tag"));
    let name = payload.first_text(&["name", "tag"]);
    Notice::new(format!("{project}: release {name}"))
        .markdown(payload.text("description"))
        .url(payload.text("url"))
        .about("release", project, tag)
}
