//! A notification thread of GitHub, Forgejo and Gitea, whose lists have the same form.

use serde::{Deserialize, Deserializer, Serialize};
use tidings_model::{Actor, Stamp};

use super::{MAX_LINE_BYTES, MAX_URL_BYTES, Person, id_text, line, web_address};

/// A thread: the notifications about one subject. The cursor keeps it until its details were fetched.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Thread {
    /// The id, for good.
    #[serde(deserialize_with = "id_text")]
    pub(super) id: String,
    /// The time of the last change, in whole seconds.
    pub(super) updated_at: Stamp,
    /// Whether it is unread at the service.
    #[serde(default)]
    pub(super) unread: bool,
    /// Why the user is notified; only GitHub has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What it is about.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) subject: Subject,
    /// Where the subject is.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) repository: Repository,
}

/// What a thread is about.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Subject {
    #[serde(deserialize_with = "or_default")]
    pub(super) title: String,
    /// The type, for example `PullRequest`.
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    /// The address in the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    /// The address of the latest comment in the API; that of the subject if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latest_comment_url: Option<String>,
    /// The address of its page; only Forgejo has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) html_url: Option<String>,
    /// The address of the latest comment's page; only Forgejo has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latest_comment_html_url: Option<String>,
    /// The state; only Forgejo has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<String>,
}

/// The repository of a subject.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Repository {
    /// Owner and name, for example `acme/widgets`.
    #[serde(deserialize_with = "or_default")]
    pub(super) full_name: String,
    /// The address of its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) html_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<Person>,
}

impl Thread {
    /// The thread with no more than what is used of it.
    pub(super) fn bounded(mut self) -> Self {
        // The title of a commit is its whole message.
        self.subject.title = self.subject.title.trim_start().lines().next().unwrap_or_default().to_owned();
        for text in [&mut self.subject.title, &mut self.subject.kind, &mut self.repository.full_name] {
            *text = line(text);
        }
        let subject = &mut self.subject;
        for address in [
            &mut subject.url,
            &mut subject.latest_comment_url,
            &mut subject.html_url,
            &mut subject.latest_comment_html_url,
            &mut self.repository.html_url,
        ] {
            // Forgejo has empty texts for addresses that there are not.
            address.take_if(|address| address.is_empty() || address.len() > MAX_URL_BYTES);
        }
        for text in [&mut self.reason, &mut subject.state] {
            text.take_if(|text| text.is_empty() || text.len() > MAX_LINE_BYTES);
        }
        self
    }

    /// The address of the latest comment in the API; `None` if the subject itself is the newest.
    pub(super) fn comment_address(&self) -> Option<&str> {
        self.subject
            .latest_comment_url
            .as_deref()
            .filter(|comment| self.subject.url.as_deref() != Some(comment))
    }

    /// The last part of the subject's address: the number of an issue, the hash of a commit.
    pub(super) fn subject_name(&self) -> Option<&str> {
        let name = self.subject.url.as_deref()?.trim_end_matches('/').rsplit('/').next()?;
        Some(name).filter(|name| !name.is_empty())
    }

    /// The repository as actor, for what no person is known to have caused.
    pub(super) fn repository_actor(&self) -> Actor {
        let name = &self.repository.full_name;
        let name = if name.is_empty() { "?" } else { name };
        Actor { id: name.to_owned(), name: name.to_owned() }
    }

    /// The address of the repository's page.
    pub(super) fn repository_page(&self) -> Option<String> {
        web_address(self.repository.html_url.as_deref()?)
    }
}

/// A value in whose place an API may have `null`.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_read_whatever_is_missing() {
        let sparse = r#"{"id": 7, "updated_at": "2026-11-20T07:00:00+01:00", "repository": null, "subject":
            {"title": "T", "url": null, "latest_comment_url": "", "type": null}}"#;
        let thread = serde_json::from_str::<Thread>(sparse).unwrap().bounded();
        assert_eq!((thread.id.as_str(), thread.unread), ("7", false));
        assert_eq!(thread.updated_at, "2026-11-20T06:00:00Z".parse().unwrap());
        assert_eq!((thread.comment_address(), thread.subject_name()), (None, None));
        for bad in [r#"{"id": "", "updated_at": "2026-11-20T07:00:00Z"}"#, r#"{"id": "7"}"#, "{}", "[]"] {
            assert!(serde_json::from_str::<Thread>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_thread_that_a_cursor_kept_is_the_same() {
        let text = r#"{"id": "7", "updated_at": "2026-11-20T06:00:00Z", "unread": true, "reason": "mention",
            "subject": {"title": "T", "type": "Issue", "url": "https://a.example/repos/o/r/issues/3",
            "latest_comment_url": "https://a.example/repos/o/r/issues/comments/9"}, "repository":
            {"full_name": "o/r", "owner": {"login": "o", "avatar_url": "https://a.example/o.png"}}}"#;
        let thread = serde_json::from_str::<Thread>(text).unwrap().bounded();
        let kept = serde_json::to_string(&thread).unwrap();
        let back: Thread = serde_json::from_str(&kept).unwrap();
        assert_eq!(format!("{back:?}"), format!("{thread:?}"));
        assert_eq!(back.subject_name(), Some("3"));
        assert!(back.comment_address().is_some());
    }
}
