//! Prometheus' Alertmanager, version 4 of its payload: one notice for each alert of a group.

use axum::http::HeaderMap;
use tidings_model::Priority;
use tidings_server_core::domain::limits;

use super::{Sender, joined};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;

pub(super) const SENDER: Sender = Sender {
    name: "alertmanager",
    title: "Alertmanager",
    event_headers: &[],
    delivery_headers: &[],
    has_form,
    signature: None,
    notices,
};

fn has_form(_: &HeaderMap, payload: Fields<'_>) -> bool {
    payload.is_list("alerts") && payload.has("groupKey") && payload.has("receiver")
}

fn notices(_: &str, payload: Fields<'_>) -> Option<Vec<Notice>> {
    payload.is_list("alerts").then(|| of_alerts(payload, &["generatorURL"]))
}

/// The notices of a group of alerts; `urls` are the members of an alert in which its address is looked for, before that
/// of the group.
pub(super) fn of_alerts(payload: Fields<'_>, urls: &[&str]) -> Vec<Notice> {
    let mut alerts = payload.list("alerts");
    let mut notices: Vec<Notice> =
        alerts.by_ref().take(limits::PAYLOAD_NOTICES).map(|alert| of_alert(payload, alert, urls)).collect();
    let (mut count, mut body) = (0, String::new());
    for alert in alerts {
        count += 1;
        // What is longer than a text may be is cut later.
        if body.len() <= limits::TEXT_BYTES {
            let line_break = if body.is_empty() { "" } else { "\n" };
            body.extend([line_break, alert.text("status"), ": ", name(alert)]);
        }
    }
    if count > 0 {
        notices.push(Notice::new(format!("{count} more alerts")).body(body));
    }
    notices
}

fn of_alert(payload: Fields<'_>, alert: Fields<'_>, urls: &[&str]) -> Notice {
    let url = match alert.first_text(urls) {
        "" => payload.text("externalURL"),
        url => url,
    };
    let severity = alert.first_text(&["labels.severity", "labels.priority"]);
    let notice = Notice::new(name(alert)).body(text(alert)).tag(severity).url(url).about(
        "alert",
        "",
        &identity(alert),
    );
    if alert.text("status") == "resolved" {
        let title = format!("Resolved: {}", notice.title);
        return Notice { title, ..notice.resolved() };
    }
    notice.priority(priority(severity))
}

/// What an alert is called: its summary, or its name.
fn name(alert: Fields<'_>) -> &str {
    match alert.first_text(&["annotations.summary", "annotations.title", "labels.alertname"]) {
        "" => "Alert",
        name => name,
    }
}

/// What it says, then its labels, one a line.
fn text(alert: Fields<'_>) -> String {
    let said = alert.first_text(&["annotations.description", "annotations.message", "valueString"]);
    let labels: Vec<String> = alert.pairs("labels").map(|(name, value)| format!("{name}: {value}")).collect();
    joined(&[said, &labels.join("\n")], "\n\n")
}

/// The alert over all its payloads: its fingerprint, which its labels make.
fn identity(alert: Fields<'_>) -> String {
    match alert.text("fingerprint") {
        "" if alert.pairs("labels").next().is_some() => alert.at("labels").0.to_string(),
        fingerprint => fingerprint.to_owned(),
    }
}

/// The priority of a severity, by the names that are usual.
fn priority(severity: &str) -> Priority {
    match severity.to_ascii_lowercase().as_str() {
        "critical" | "emergency" | "page" | "disaster" | "fatal" => Priority::HIGHEST,
        "error" | "high" | "major" => Priority::HIGH,
        "info" | "information" | "low" | "minor" | "none" | "debug" => Priority::LOW,
        _ => Priority::DEFAULT,
    }
}
