//! Healthchecks (healthchecks.io). It sends the body that its owner writes: `$JSON`, or an object with `$NAME` as `name` or
//! `check`, `$STATUS` as `status` and `$CODE` as `code` or `uuid`.

use axum::http::{HeaderMap, header};
use tidings_model::Priority;

use super::{Sender, joined};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;

pub(super) const SENDER: Sender = Sender {
    name: "healthchecks",
    title: "Healthchecks",
    event_headers: &[],
    delivery_headers: &[],
    has_form,
    signature: None,
    notices,
};

fn has_form(headers: &HeaderMap, payload: Fields<'_>) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let is_json_of_check = payload.has("n_pings") && payload.has("grace");
    (is_json_of_check || agent.to_ascii_lowercase().contains("healthchecks")) && has_check(payload)
}

fn has_check(payload: Fields<'_>) -> bool {
    payload.has("status") && !name(payload).is_empty()
}

fn name(payload: Fields<'_>) -> &str {
    payload.first_text(&["name", "check", "slug"])
}

fn notices(_: &str, payload: Fields<'_>) -> Option<Vec<Notice>> {
    has_check(payload).then(|| vec![notice(payload)])
}

fn notice(payload: Fields<'_>) -> Notice {
    let (name, status) = (name(payload), payload.text("status"));
    let last = payload.text("last_ping");
    let last = if last.is_empty() { String::new() } else { format!("Last ping: {last}") };
    let description = payload.first_text(&["desc", "body"]);
    let body = joined(&[description, &last], "\n");
    let id = payload.first_text(&["code", "uuid", "unique_key", "ping_url", "slug", "name", "check"]);
    let notice = Notice::new(format!("{name} is {status}")).body(body).about("check", "", id);
    let notice = payload.text("tags").split_whitespace().fold(notice, Notice::tag);
    match status {
        "up" => notice.resolved(),
        "down" => notice.priority(Priority::HIGH),
        _ => notice,
    }
}
