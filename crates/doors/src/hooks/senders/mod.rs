//! The senders of webhooks whose payloads are known: how each is recognized, how it signs, and what its payloads say.

mod alertmanager;
mod docker;
mod forgejo;
mod github;
mod gitlab;
mod grafana;
mod healthchecks;
mod sentry;
mod uptime_kuma;

use axum::http::HeaderMap;

use super::fields::Fields;
use super::notice::{Notice, one_line};
use super::signature::{self, Signature};

/// Bytes of an event's name; what is longer is none.
const MAX_EVENT_BYTES: usize = 64;
/// Commits of a push that are listed.
const LISTED_COMMITS: usize = 20;

/// A sender.
pub(super) struct Sender {
    /// Its name in settings, and in the data of notifications.
    pub(super) name: &'static str,
    /// Its name for those who read notifications.
    pub(super) title: &'static str,
    /// The headers that name the event, the first that is there; a sender that has none is recognized by its payloads.
    event_headers: &'static [&'static str],
    /// The headers with an id that stays the same when a payload is sent again.
    pub(super) delivery_headers: &'static [&'static str],
    /// Whether a payload has its form.
    has_form: fn(&HeaderMap, Fields<'_>) -> bool,
    signature: Option<Signature>,
    /// What a payload with an event says; `None` if its form is not known.
    pub(super) notices: fn(&str, Fields<'_>) -> Option<Vec<Notice>>,
}

impl Sender {
    /// Its name and how it signs; `None` if it signs nothing.
    pub(super) fn signer(&self) -> Option<(&'static str, &Signature)> {
        Some((self.name, self.signature.as_ref()?))
    }
}

/// All senders. The first that fits counts: Forgejo sends GitHub's headers, too, and Grafana's payloads have what
/// Alertmanager's have.
const SENDERS: &[&Sender] = &[
    &forgejo::SENDER,
    &github::SENDER,
    &gitlab::SENDER,
    &sentry::SENDER,
    &grafana::SENDER,
    &alertmanager::SENDER,
    &uptime_kuma::SENDER,
    &healthchecks::SENDER,
    &docker::SENDER,
];

/// The sender that names an event in a header, and the event.
pub(super) fn by_headers(headers: &HeaderMap) -> (Option<&'static Sender>, String) {
    let found =
        SENDERS.iter().find_map(|sender| Some((*sender, signature::first(headers, sender.event_headers)?)));
    match found {
        Some((sender, event)) if event.len() <= MAX_EVENT_BYTES => (Some(sender), event.to_owned()),
        Some((sender, _)) => (Some(sender), String::new()),
        None => (None, String::new()),
    }
}

/// The sender whose form a payload has.
pub(super) fn by_form(headers: &HeaderMap, payload: Fields<'_>) -> Option<&'static Sender> {
    SENDERS.iter().find(|sender| (sender.has_form)(headers, payload)).copied()
}

/// The sender with this name.
pub(super) fn by_name(name: &str) -> Option<&'static Sender> {
    SENDERS.iter().find(|sender| sender.name == name).copied()
}

/// For senders that are recognized by their headers alone.
fn has_no_form(_: &HeaderMap, _: Fields<'_>) -> bool {
    false
}

/// A commit as an element of a list in Markdown, with so many characters of its id.
fn commit(commit: Fields<'_>, id_chars: usize) -> String {
    let id: String = commit.text("id").chars().filter(char::is_ascii_hexdigit).take(id_chars).collect();
    format!("- `{id}` {}", one_line(commit.text("message").lines().next().unwrap_or_default()))
}

/// The sentence that says who did what, then a text in Markdown.
fn done(actor: &str, sentence: &str, text: &str) -> String {
    joined(&[&format!("**{actor}** {sentence}"), text.trim()], "\n\n")
}

/// The parts that are not empty.
fn joined(parts: &[&str], separator: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use tidings_server_core::domain::topic_settings::SIGNING_SENDERS;

    use super::*;

    #[test]
    fn secrets_are_for_those_who_sign() {
        let mut signing: Vec<&str> =
            SENDERS.iter().filter(|sender| sender.signature.is_some()).map(|sender| sender.name).collect();
        signing.sort_unstable();
        assert_eq!(signing, SIGNING_SENDERS);
    }
}
