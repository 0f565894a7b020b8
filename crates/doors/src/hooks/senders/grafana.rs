//! Grafana: the payloads of its unified alerting, with one notice for each alert, and those of its legacy alerts.

use axum::http::HeaderMap;
use tidings_model::Priority;

use super::{Sender, alertmanager, joined};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;
use crate::hooks::signature::Signature;

pub(super) const SENDER: Sender = Sender {
    name: "grafana",
    title: "Grafana",
    event_headers: &[],
    delivery_headers: &[],
    has_form,
    signature: Some(Signature::Hmac {
        headers: &["x-grafana-alerting-signature"],
        prefix: "",
        times: &["x-grafana-alerting-timestamp", "x-grafana-alerting-signature-timestamp"],
    }),
    notices,
};

fn has_form(headers: &HeaderMap, payload: Fields<'_>) -> bool {
    headers.contains_key("x-grafana-alerting-signature") || is_unified(payload) || is_legacy(payload)
}

fn is_unified(payload: Fields<'_>) -> bool {
    payload.is_list("alerts") && payload.has("orgId")
}

fn is_legacy(payload: Fields<'_>) -> bool {
    payload.has("ruleId") && payload.has("ruleName") && payload.has("state")
}

fn notices(_: &str, payload: Fields<'_>) -> Option<Vec<Notice>> {
    if is_unified(payload) {
        return Some(alertmanager::of_alerts(payload, &["panelURL", "dashboardURL", "generatorURL"]));
    }
    is_legacy(payload).then(|| vec![legacy(payload)])
}

fn legacy(payload: Fields<'_>) -> Notice {
    let values = payload.list("evalMatches");
    let values: Vec<String> =
        values.map(|value| format!("{}: {}", value.text("metric"), value.scalar("value"))).collect();
    let body = joined(&[payload.text("message"), &values.join("\n")], "\n\n");
    let state = payload.text("state");
    let notice = Notice::new(payload.first_text(&["title", "ruleName"]))
        .body(body)
        .tag(state)
        .url(payload.text("ruleUrl"))
        .about("rule", &payload.scalar("orgId"), &payload.scalar("ruleId"));
    match state {
        "ok" => notice.resolved(),
        "alerting" => notice.priority(Priority::HIGH),
        _ => notice,
    }
}
