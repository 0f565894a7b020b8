//! One payload: who sent it, and what it says.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tidings_model::{Format, Problem};
use tidings_server_core::domain::hook_template::{self, Rendered};
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::parse_value;
use tidings_store::domain::json_size::json_size;
use tidings_store::domain::topic::Secret;

use super::fallback::{self, Whole, cut};
use super::fields::Fields;
use super::notice::{Notice, one_line};
use super::senders::{self, Sender};
use super::signature;

/// The longest id of a delivery and name of an event, in bytes; what is longer is none.
const MAX_NAME_BYTES: usize = 256;
/// The text before a payload that is passed by.
const PASSED_BY: &str = "The server ended while it read this payload before, so it is shown as it came.";

/// A payload with its sender, as far as that is known.
pub struct Delivery {
    sent: Sent,
    body: Body,
    /// The text before a body that is shown as it came.
    note: &'static str,
}

/// Who sent a payload, and for which event.
struct Sent {
    by: Option<&'static Sender>,
    event: String,
}

/// A payload that is being read. What its topic's template makes of it comes from a child process. The values of the
/// payload, which take several times its bytes, are gone by then: many may wait, and few are read at a time.
pub struct Begun(Step);

enum Step {
    /// It was read.
    Read(Reading),
    /// It is to be rendered.
    Render { sent: Sent, template: String, payload: Bytes },
}

impl Begun {
    /// What the template makes of it; `None` if it was read without one.
    pub async fn render(&self, topic: &str) -> Option<Result<Rendered, String>> {
        let Step::Render { template, payload, .. } = &self.0 else { return None };
        Some(hook_template::render(topic, template, payload.clone()).await)
    }

    /// What it says.
    pub fn finish(self, rendered: Option<Result<Rendered, String>>) -> Reading {
        match (self.0, rendered) {
            (Step::Read(reading), _) => reading,
            (Step::Render { sent, .. }, Some(Ok(rendered))) => {
                sent.reading_within_limits(ReadBy::Template, vec![of_template(rendered)])
            }
            (Step::Render { sent, payload, .. }, Some(Err(error))) => sent.unrendered(error, &payload),
            (Step::Render { sent, payload, .. }, None) => {
                sent.unrendered("it was not rendered".to_owned(), &payload)
            }
        }
    }
}

/// The body of a webhook.
enum Body {
    Json(Value),
    /// Not JSON.
    Text(Bytes),
}

/// What a payload says.
pub struct Reading {
    /// The sender's name; empty if it is not known.
    pub sender: String,
    /// The event that the sender named; empty if it named none.
    pub event: String,
    /// The form in which the payload was read.
    pub by: ReadBy,
    /// What the payload says.
    pub notices: Vec<Notice>,
    /// Set if the one notice has only the beginning of the payload.
    pub(super) whole: Option<Whole>,
    /// What is wrong with the template, if it failed.
    pub template_error: Option<String>,
}

/// The form in which a payload arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadBy {
    /// That of its sender.
    Sender,
    /// The template of the topic.
    Template,
    /// JSON, pretty-printed.
    Json,
    /// Text.
    Text,
}

impl ReadBy {
    /// The word for it in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Template => "template",
            Self::Json => "json",
            Self::Text => "text",
        }
    }
}

impl Delivery {
    /// The payload of a request. Senders are recognized by their headers, and those that have none by the form of the
    /// payload.
    pub(super) fn of_request(headers: &HeaderMap, bytes: &Bytes) -> Self {
        let (mut by, event) = senders::by_headers(headers);
        let Some(payload) = json_of(headers, bytes) else {
            return Self { sent: Sent { by, event }, body: Body::Text(bytes.clone()), note: "" };
        };
        by = by.or_else(|| senders::by_form(headers, Fields(&payload)));
        Self { sent: Sent { by, event }, body: Body::Json(payload), note: "" }
    }

    /// The payload of a request that is passed by, because the server ended while it read the same: it is not looked into.
    pub(super) fn passed_by(headers: &HeaderMap, bytes: &Bytes) -> Self {
        let (by, event) = senders::by_headers(headers);
        Self { sent: Sent { by, event }, body: Body::Text(bytes.clone()), note: PASSED_BY }
    }

    /// A payload that was kept, from its sender and its event.
    pub fn of_kept(sender: &str, event: &str, payload: Value) -> Self {
        let sent = Sent { by: senders::by_name(sender), event: event.to_owned() };
        Self { sent, body: Body::Json(payload), note: "" }
    }

    /// [`signature::check`].
    pub(super) fn check_signature(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        secrets: &BTreeMap<String, Secret>,
    ) -> Result<(), Problem> {
        signature::check(self.sent.by.and_then(Sender::signer), headers, body, secrets)
    }

    /// The id by which its sender repeats it.
    pub(super) fn id(&self, headers: &HeaderMap) -> Option<String> {
        let own = self.sent.by.map_or(&[][..], |sender| sender.delivery_headers);
        let id =
            signature::first(headers, own).or_else(|| signature::first(headers, &["idempotency-key"]))?;
        (1..=MAX_NAME_BYTES).contains(&id.len()).then(|| id.to_owned())
    }

    /// Sender, event and JSON, to be kept.
    pub(super) fn kept(&self) -> Option<(String, String, String)> {
        let Body::Json(payload) = &self.body else { return None };
        // A payload that is too large is measured, and never written.
        let fits = json_size(payload).is_ok_and(|bytes| bytes <= limits::TOPIC_PAYLOADS_BYTES);
        fits.then(|| (self.sent.name(), self.sent.event.clone(), payload.to_string()))
    }

    /// Begins to read it: in the form of its sender, by the template, or else as it is.
    pub fn begin(self, template: &str) -> Begun {
        let Self { sent, body, note } = self;
        let payload = match body {
            Body::Json(payload) => payload,
            Body::Text(bytes) => {
                let (notice, whole) = fallback::of_text(&sent.title(), note, &bytes);
                return Begun(Step::Read(sent.reading(ReadBy::Text, vec![notice], whole)));
            }
        };
        let notices = sent.by.and_then(|sender| (sender.notices)(&sent.event, Fields(&payload)));
        Begun(match notices {
            Some(notices) => Step::Read(sent.reading_within_limits(ReadBy::Sender, notices)),
            None if template.is_empty() => {
                let (notice, whole) = fallback::of_json(&sent.title(), "", &payload);
                Step::Read(sent.reading(ReadBy::Json, vec![notice], whole))
            }
            None => {
                let payload = payload.to_string().into();
                Step::Render { sent, template: template.to_owned(), payload }
            }
        })
    }
}

impl Sent {
    /// The sender's name; empty if it is not known.
    fn name(&self) -> String {
        self.by.map_or("", |sender| sender.name).to_owned()
    }

    /// The title of a payload that is shown as it came: its sender and its event; empty if these are not known.
    fn title(&self) -> String {
        match self.by {
            Some(sender) if self.event.is_empty() => sender.title.to_owned(),
            Some(sender) => format!("{}: {}", sender.title, self.event.replace('_', " ")),
            None => String::new(),
        }
    }

    /// The reading of a payload, which is JSON, whose template failed.
    fn unrendered(self, error: String, payload: &[u8]) -> Reading {
        let introduction = format!("The template of this topic failed, {}", inline_code(&error));
        // It was read before, within the same bounds.
        let payload = parse_value(payload).unwrap_or_default();
        let (notice, whole) = fallback::of_json(&self.title(), &introduction, &payload);
        let reading = self.reading(ReadBy::Json, vec![notice], whole);
        Reading { template_error: Some(error), ..reading }
    }

    /// A reading of notices, of which those with a longer body than a text may have are cut.
    fn reading_within_limits(self, by: ReadBy, mut notices: Vec<Notice>) -> Reading {
        let mut whole = None;
        for notice in &mut notices {
            let shown = cut(&notice.body, 0).len();
            if shown < notice.body.len() {
                notice.body.truncate(shown);
                whole = Some(Whole::Json);
            }
        }
        self.reading(by, notices, whole)
    }

    fn reading(self, by: ReadBy, notices: Vec<Notice>, whole: Option<Whole>) -> Reading {
        Reading { sender: self.name(), event: self.event, by, notices, whole, template_error: None }
    }
}

/// The JSON of a body; `None` if it is none, or exceeds the limits of a body. GitHub may send it in a form.
fn json_of(headers: &HeaderMap, bytes: &[u8]) -> Option<Value> {
    let media_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media_type.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded") {
        let payload = url::form_urlencoded::parse(bytes).find(|(name, _)| name == "payload");
        if let Some((_, payload)) = payload {
            return parse_value(payload.as_bytes()).ok();
        }
    }
    parse_value(bytes).ok()
}

/// A text between the marks of code, in one line.
fn inline_code(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', "'"))
}

/// What a template made, in Markdown.
fn of_template(rendered: Rendered) -> Notice {
    let Rendered { text, title, url, priority, tags, thread, resolved } = rendered;
    let notice = Notice {
        format: Format::Markdown,
        tags,
        about: thread.map(|thread| format!("thread/{thread}")),
        ..Notice::new(title).body(text)
    };
    let notice = notice.url(&url.unwrap_or_default()).priority(priority.unwrap_or_default());
    if resolved { notice.resolved() } else { notice }
}

/// The key under which the response to a delivery is stored.
pub(super) fn idempotency_key(topic: &str, id: &str) -> String {
    let hash = Sha256::digest(format!("{topic}\n{id}").as_bytes());
    let key = format!("hook-{}", URL_SAFE_NO_PAD.encode(hash));
    debug_assert!(key.len() <= limits::KEY_BYTES);
    key
}
