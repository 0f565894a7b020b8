//! Docker: the notifications of a registry, and the webhooks of Docker Hub. Of a registry's events, a pushed tag and a
//! deletion become notices; pulls and the parts of images do not.

use axum::http::HeaderMap;
use tidings_server_core::domain::limits;

use super::{Sender, joined};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;

pub(super) const SENDER: Sender = Sender {
    name: "docker",
    title: "Docker",
    event_headers: &[],
    delivery_headers: &[],
    has_form,
    signature: None,
    notices,
};

fn has_form(_: &HeaderMap, payload: Fields<'_>) -> bool {
    is_of_registry(payload) || is_of_hub(payload)
}

fn is_of_registry(payload: Fields<'_>) -> bool {
    let mut events = payload.list("events").peekable();
    events.peek().is_some() && events.all(|event| event.has("action") && event.has("target"))
}

fn is_of_hub(payload: Fields<'_>) -> bool {
    payload.has("push_data") && payload.has("repository.repo_name")
}

fn notices(_: &str, payload: Fields<'_>) -> Option<Vec<Notice>> {
    if is_of_hub(payload) {
        return Some(vec![of_hub(payload)]);
    }
    is_of_registry(payload).then(|| of_registry(payload))
}

fn of_hub(payload: Fields<'_>) -> Notice {
    let image = format!("{}:{}", payload.text("repository.repo_name"), payload.text("push_data.tag"));
    Notice::new(format!("{} pushed {image}", payload.text("push_data.pusher")))
        .url(payload.text("repository.repo_url"))
        .about("image", "", &image)
}

fn of_registry(payload: Fields<'_>) -> Vec<Notice> {
    let mut told = payload.list("events").filter_map(of_event);
    let mut notices: Vec<Notice> = told.by_ref().take(limits::PAYLOAD_NOTICES).collect();
    let rest: Vec<String> = told.map(|notice| notice.title).collect();
    if !rest.is_empty() {
        notices.push(Notice::new(format!("{} more events", rest.len())).body(rest.join("\n")));
    }
    notices
}

/// The notice of an event; `None` if the event gets none.
fn of_event(event: Fields<'_>) -> Option<Notice> {
    let target = event.at("target");
    let (repository, tag, digest) = (target.text("repository"), target.text("tag"), target.text("digest"));
    let image = if tag.is_empty() { format!("{repository}@{digest}") } else { format!("{repository}:{tag}") };
    let who = match event.first_text(&["actor.name", "request.addr"]) {
        "" => "Somebody",
        who => who,
    };
    let title = match event.text("action") {
        "push" if !tag.is_empty() => format!("{who} pushed {image}"),
        "delete" => format!("{who} deleted {image}"),
        _ => return None,
    };
    let host = event.text("request.host");
    Some(Notice::new(title).body(joined(&[host, digest], "\n")).about("image", host, &image))
}
