//! Uptime Kuma: one notification for each monitor; up again marks it as read.

use axum::http::HeaderMap;
use tidings_model::Priority;

use super::Sender;
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;

pub(super) const SENDER: Sender = Sender {
    name: "uptime-kuma",
    title: "Uptime Kuma",
    event_headers: &[],
    delivery_headers: &[],
    has_form,
    signature: None,
    notices: |_, payload| Some(vec![notice(payload)]),
};

/// A monitor's state in a heartbeat.
const DOWN: &str = "0";
const UP: &str = "1";

/// A test of its settings comes without monitor and heartbeat, but with both members.
fn has_form(_: &HeaderMap, payload: Fields<'_>) -> bool {
    let has_member = |name: &str| payload.0.get(name).is_some();
    has_member("heartbeat")
        && has_member("monitor")
        && payload.0.get("msg").is_some_and(serde_json::Value::is_string)
}

fn notice(payload: Fields<'_>) -> Notice {
    let (monitor, heartbeat) = (payload.at("monitor"), payload.at("heartbeat"));
    if !payload.has("monitor") || !payload.has("heartbeat") {
        return Notice::new("Uptime Kuma").body(payload.text("msg"));
    }
    let (name, status) = (monitor.text("name"), heartbeat.scalar("status"));
    let state = match status.as_str() {
        DOWN => "is down",
        UP => "is up",
        "2" => "is pending",
        "3" => "is under maintenance",
        _ => "changed",
    };
    let body = match heartbeat.text("msg") {
        "" => payload.text("msg"),
        msg => msg,
    };
    // A monitor without an address has `https://` as one.
    let url = Some(monitor.text("url")).filter(|url| *url != "https://").unwrap_or_default();
    let id = if monitor.has("id") { monitor.scalar("id") } else { heartbeat.scalar("monitorID") };
    let notice = Notice::new(format!("{name} {state}")).body(body).url(url).about("monitor", "", &id);
    match status.as_str() {
        UP => notice.resolved(),
        DOWN => notice.priority(Priority::HIGH),
        _ => notice,
    }
}
