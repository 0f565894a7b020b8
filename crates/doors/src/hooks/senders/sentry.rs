//! Sentry: the webhooks of its integrations. All payloads about one issue or one alert are one notification, and a
//! resolved one marks it as read.

use tidings_model::Priority;

use super::{Sender, has_no_form, joined};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;
use crate::hooks::signature::Signature;

pub(super) const SENDER: Sender = Sender {
    name: "sentry",
    title: "Sentry",
    event_headers: &["sentry-hook-resource"],
    delivery_headers: &["request-id"],
    has_form: has_no_form,
    signature: Some(Signature::Hmac { headers: &["sentry-hook-signature"], prefix: "", times: &[] }),
    notices: |event, payload| notice(event, payload).map(|notice| vec![notice]),
};

fn notice(resource: &str, payload: Fields<'_>) -> Option<Notice> {
    let data = payload.at("data");
    match resource {
        "installation" => data.has("installation").then(|| installation(payload)),
        "event_alert" => data.has("event").then(|| event(data.at("event"), data.text("triggered_rule"))),
        "error" => data.has("error").then(|| event(data.at("error"), "")),
        "issue" => data.has("issue").then(|| issue(payload)),
        "metric_alert" => data.has("metric_alert").then(|| metric_alert(payload)),
        "comment" => data.has("comment").then(|| comment(payload)),
        _ => None,
    }
}

fn installation(payload: Fields<'_>) -> Notice {
    Notice::new(format!("Sentry: the integration was {}", payload.text("action"))).priority(Priority::LOWEST)
}

/// An event that an alert rule met, or a new error.
fn event(event: Fields<'_>, rule: &str) -> Notice {
    let rule = if rule.is_empty() { String::new() } else { format!("Rule: {rule}") };
    let text = event.first_text(&["message", "metadata.value"]);
    of_level(Notice::new(title(event)), event.text("level"))
        .body(joined(&[text, event.text("culprit"), &rule], "\n"))
        .url(event.first_text(&["web_url", "url"]))
        .about("issue", "", &event.scalar("issue_id"))
}

fn title(what: Fields<'_>) -> &str {
    match what.first_text(&["title", "message", "culprit"]) {
        "" => "An error",
        title => title,
    }
}

fn issue(payload: Fields<'_>) -> Notice {
    let issue = payload.at("data.issue");
    let (action, name) = (payload.text("action"), issue.text("shortId"));
    let who = payload.text("actor.name");
    let done = if who.is_empty() { action.to_owned() } else { format!("{action} by {who}") };
    let notice = of_level(Notice::new(title(issue)), issue.text("level"))
        .body(joined(&[&format!("{name}: {done}"), issue.text("culprit")], "\n"))
        .url(issue.first_text(&["web_url", "permalink"]))
        .about("issue", "", &issue.scalar("id"));
    match action {
        "resolved" | "archived" | "ignored" => notice.resolved(),
        _ => notice,
    }
}

fn metric_alert(payload: Fields<'_>) -> Notice {
    let data = payload.at("data");
    let title = match data.first_text(&["description_title", "metric_alert.title"]) {
        "" => "An alert",
        title => title,
    };
    let notice = Notice::new(title)
        .body(data.text("description_text"))
        .url(data.text("web_url"))
        .tag(payload.text("action"))
        .about("alert", "", &data.scalar("metric_alert.id"));
    match payload.text("action") {
        "resolved" => notice.resolved(),
        "critical" => notice.priority(Priority::HIGHEST),
        _ => notice,
    }
}

fn comment(payload: Fields<'_>) -> Notice {
    let data = payload.at("data");
    let who = payload.text("actor.name");
    Notice::new(format!("{}: a comment by {who}", data.text("project_slug"))).body(data.text("comment"))
}

/// A notice with the priority and the tag of a level.
fn of_level(notice: Notice, level: &str) -> Notice {
    let priority = match level {
        "fatal" => Priority::HIGHEST,
        "error" => Priority::HIGH,
        "info" | "debug" => Priority::LOW,
        _ => Priority::DEFAULT,
    };
    notice.priority(priority).tag(level)
}
