//! Forges of code: GitHub, Forgejo and Gitea, and GitLab. What all adapters share is here; what those share
//! whose services list notification threads (GitHub, Forgejo) is in `threads` and the modules that it names.

mod cursor;
mod details;
mod forgejo;
mod github;
mod gitlab;
mod offset;
mod thread;
mod threads;
mod unread;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tidings_model::web_url::web_url;
use tidings_model::{ActionSentences, Actor, check_id, text};

use crate::source::{Abilities, Keeps, Protocol};

/// Forgejo and Gitea.
pub(super) const FORGEJO: Protocol = forgejo::PROTOCOL;
/// GitHub and GitHub Enterprise.
pub(super) const GITHUB: Protocol = github::PROTOCOL;
/// GitLab's to-do list.
pub(super) const GITLAB: Protocol = gitlab::PROTOCOL;

/// What the API of GitHub's notification threads, which Forgejo has too, makes possible.
const THREAD_ABILITIES: Abilities = Abilities {
    history: true,
    read: Keeps::Both,
    archive: Keeps::Sent,
    delete: true,
    follow: true,
    details: true,
    poll_interval: Duration::from_secs(60),
    ..Abilities::NONE
};

/// The most bytes of a title, a name or a label.
const MAX_LINE_BYTES: usize = 1 << 10;
/// The most bytes of an address.
const MAX_URL_BYTES: usize = 2 << 10;
/// The most bytes of a body: enough for a comment, and a bound for a page of them.
const MAX_BODY_BYTES: usize = 16 << 10;
/// The most bytes of a target's id, by the protocol.
const MAX_TARGET_ID_BYTES: usize = 256;
/// The action of an event that this version does not know. Every catalog here has it.
const OTHER_ACTION: &str = "update";

/// The action for what a service calls an event: the same, if there is a template for it.
fn action(actions: &[ActionSentences], event: &str) -> &'static str {
    actions.iter().map(|(id, ..)| *id).find(|id| *id == event).unwrap_or(OTHER_ACTION)
}

/// A user or an organisation, as the APIs show them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Person {
    /// The name in addresses, as GitHub and Forgejo call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    login: Option<String>,
    /// The name in addresses, as GitLab calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// The display name. GitHub's lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The display name, as Forgejo calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_name: Option<String>,
    /// The address of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    avatar_url: Option<String>,
    /// The type of the account, such as `Bot`; only GitHub has it.
    #[serde(rename = "type", skip_serializing)]
    kind: Option<String>,
}

impl Person {
    /// The person as actor; `None` without a name in addresses, as in place of a deleted account.
    fn actor(&self) -> Option<Actor> {
        let filled = |text: Option<&str>| text.map(line).filter(|text| !text.is_empty());
        let id = filled(self.login.as_deref()).or_else(|| filled(self.username.as_deref()))?;
        let name = filled(self.name.as_deref()).or_else(|| filled(self.full_name.as_deref()));
        Some(Actor { name: name.unwrap_or_else(|| id.clone()), id })
    }

    /// The address of the picture.
    fn avatar(&self) -> Option<String> {
        web_address(self.avatar_url.as_deref()?)
    }

    /// Whether it is a program. Its type says so at GitHub, and its name at GitLab. There each access token of a project
    /// or a group has such a user.
    fn is_bot(&self) -> bool {
        let is_of_token = |name: &str| {
            let of = name.strip_prefix("project_").or_else(|| name.strip_prefix("group_"));
            of.and_then(|of| of.split_once("_bot"))
                .is_some_and(|(id, rest)| id.parse::<u64>().is_ok() && !rest.starts_with(char::is_alphabetic))
        };
        self.kind.as_deref() == Some("Bot") || self.username.as_deref().is_some_and(is_of_token)
    }
}

/// Says in the data of an item whether the person that did it is a program, which searches for bots find.
fn note_bot(data: &mut Map<String, Value>, person: Option<&Person>) {
    match person.map(Person::is_bot) {
        Some(true) => drop(data.insert("bot".to_owned(), true.into())),
        Some(false) => drop(data.remove("bot")),
        None => {}
    }
}

/// A text on one line and within its bound.
fn line(text: &str) -> String {
    text::cut(&text::line(text), MAX_LINE_BYTES).trim().to_owned()
}

/// A body within its bound. What was cut off ends in an ellipsis.
fn body(text: &str) -> String {
    let (text, cut) = (text.trim(), text::cut(text.trim(), MAX_BODY_BYTES));
    let end = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{end}", cut.replace('\0', ""))
}

/// An address of the web, within its bound.
fn web_address(address: &str) -> Option<String> {
    if address.len() > MAX_URL_BYTES {
        return None;
    }
    web_url(address).map(String::from)
}

/// The type of a target for what an API calls a type: `PullRequest` becomes `pull_request`. What can't be an id is a
/// `subject`.
fn target_type(api_type: &str) -> String {
    let mut id = String::new();
    for letter in api_type.chars() {
        if letter.is_ascii_uppercase() && !id.is_empty() && !id.ends_with(['_', ':']) {
            id.push('_');
        }
        id.extend(letter.to_lowercase());
    }
    let id = id.replace("::", "_").replace(':', "_");
    if check_id(&id).is_ok() { id } else { "subject".to_owned() }
}

/// The id of a target, within its bound.
fn target_id(id: &str) -> String {
    text::cut(&text::line(id), MAX_TARGET_ID_BYTES).to_owned()
}

/// Labels without the empty and the repeated ones.
fn tags<const N: usize>(all: [Option<String>; N]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in all.into_iter().flatten() {
        let tag = line(&tag);
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// An id that is a number in one API and a text in another. Deserializes from both.
fn id_text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let id = match Value::deserialize(from)? {
        Value::String(id) => id,
        Value::Number(id) => id.to_string(),
        _ => String::new(),
    };
    // A msgid has at most 64 characters.
    let fits = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(id) } else { Err(serde::de::Error::custom("not an id")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidings_model::Lang;

    use super::*;

    #[test]
    fn every_template_is_there_in_both_languages_and_names_its_target() {
        for catalog in [github::catalog(), forgejo::catalog(), gitlab::catalog()] {
            catalog.check().unwrap();
            assert!(catalog.actions.contains_key(OTHER_ACTION));
            for (id, rule) in &catalog.actions {
                for lang in [Lang::En, Lang::ZhCn] {
                    assert!(rule.template[lang.tag()].contains("{target}"), "{id}");
                }
            }
        }
    }

    #[test]
    fn every_reason_has_a_preset_and_no_other_has() {
        let all = [(GITHUB, github::catalog()), (FORGEJO, forgejo::catalog()), (GITLAB, gitlab::catalog())];
        for (protocol, catalog) in all {
            let mut preset: Vec<&str> = protocol.reasons.iter().map(|reason| reason.action).collect();
            preset.sort_unstable();
            assert_eq!(
                preset,
                catalog.actions.keys().map(String::as_str).collect::<Vec<_>>(),
                "{}",
                protocol.name
            );
        }
    }

    #[test]
    fn a_bot_is_known_by_its_type_or_by_its_name() {
        for (person, is_bot) in [
            (json!({"login": "imgbot", "type": "Bot"}), true),
            (json!({"login": "bo", "type": "User"}), false),
            (json!({"username": "project_7_bot_4f1c"}), true),
            (json!({"username": "group_12_bot"}), true),
            (json!({"username": "project_7_bottles"}), false),
            (json!({"username": "project_x_bot_1"}), false),
        ] {
            let mut data = Map::new();
            note_bot(&mut data, Some(&serde_json::from_value(person.clone()).unwrap()));
            assert_eq!(data.contains_key("bot"), is_bot, "{person}");
        }
    }

    #[test]
    fn a_type_of_an_api_becomes_a_type_of_ours() {
        for (api, ours) in [
            ("PullRequest", "pull_request"),
            ("Issue", "issue"),
            ("CheckSuite", "check_suite"),
            ("AlertManagement::Alert", "alert_management_alert"),
            ("Pull", "pull"),
            ("", "subject"),
            ("Wörter und mehr", "subject"),
        ] {
            assert_eq!(target_type(api), ours, "{api}");
        }
    }

    #[test]
    fn only_addresses_of_the_web_are_kept() {
        assert_eq!(web_address("https://a.example/b").as_deref(), Some("https://a.example/b"));
        for other in ["javascript:alert(1)", "file:///etc/passwd", "a.example", ""] {
            assert_eq!(web_address(other), None, "{other}");
        }
        assert_eq!(web_address(&format!("https://a.example/{}", "x".repeat(MAX_URL_BYTES))), None);
    }

    #[test]
    fn a_long_comment_is_cut_at_a_whole_character() {
        let long = body(&"é".repeat(MAX_BODY_BYTES));
        assert!(long.len() <= MAX_BODY_BYTES + "…".len() && long.ends_with("é…"), "{}", long.len());
        assert_eq!(body("  short\n"), "short");
    }
}
