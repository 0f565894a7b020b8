//! What a list of notification threads leaves out: the state of the subject, and the latest comment with its author.
//!
//! They are fetched for at most 10 unread threads a pull, one after the other, in pages that are corrections and no
//! news. If five or fewer threads are new, they are awaited for three seconds, so that a toast has them. Any other
//! item keeps the address of what it lacks, which is fetched when its thread is opened (`Engine::look_up`). It is
//! stored as a correction of the version that was opened (`Part::OfVersion`), so that it never replaces what a pull
//! brought meanwhile.

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::Value;
use tidings_model::{Actor, Notification};
use tidings_net::{Error, Result};
use tidings_replica::{Part, ServiceItem};

use super::thread::Thread;
use super::{Person, body, line, note_bot, web_address};
use crate::service::Service;

/// In the data of an item that lacks its latest comment: the address of the comment in the API.
const COMMENT_URL: &str = "comment_url";
/// The same of an item whose subject has no comment, so that the subject's text is the newest.
const SUBJECT_URL: &str = "subject_url";

/// Adds the headers of an API to a request.
pub(super) type Headers = fn(RequestBuilder) -> RequestBuilder;

/// Who is said to have done it, given the reason of the notification.
pub(super) type PersonOf = for<'d> fn(&'d Details, &str) -> Option<&'d Person>;

/// The details of a thread. What could not be had is missing.
#[derive(Debug, Clone, Default)]
pub(super) struct Details {
    subject: Option<Document>,
    comment: Option<Document>,
}

/// The members of an issue, a pull request, a release, a comment or a review that are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Document {
    state: Option<String>,
    draft: Option<bool>,
    merged: Option<bool>,
    user: Option<Person>,
    author: Option<Person>,
    merged_by: Option<Person>,
    closed_by: Option<Person>,
    html_url: Option<String>,
    body: Option<String>,
}

impl Document {
    /// Who wrote it.
    fn by(&self) -> Option<&Person> {
        self.user.as_ref().or(self.author.as_ref())
    }
}

impl Details {
    /// Whether nothing could be had.
    pub(super) const fn is_empty(&self) -> bool {
        self.subject.is_none() && self.comment.is_none()
    }

    /// The state of the subject, such as `merged`.
    pub(super) fn state(&self) -> Option<String> {
        let subject = self.subject.as_ref()?;
        if subject.merged == Some(true) {
            return Some("merged".to_owned());
        }
        let state = subject.state.as_deref().map(line).filter(|state| !state.is_empty())?;
        Some(if subject.draft == Some(true) && state == "open" { "draft".to_owned() } else { state })
    }

    /// Who opened the subject.
    pub(super) fn opened_by(&self) -> Option<&Person> {
        self.subject.as_ref()?.by()
    }

    /// Who merged or closed the subject.
    pub(super) fn closed_by(&self) -> Option<&Person> {
        let subject = self.subject.as_ref()?;
        subject.merged_by.as_ref().or(subject.closed_by.as_ref())
    }

    /// Who wrote what is newest.
    pub(super) fn latest_by(&self) -> Option<&Person> {
        self.latest()?.by()
    }

    /// What was written last, in Markdown. It names its author if that is not the actor.
    pub(super) fn latest_text(&self, actor: &Actor) -> Option<String> {
        let latest = self.latest()?;
        let text = body(latest.body.as_deref()?);
        if text.is_empty() {
            return None;
        }
        match latest.by().and_then(Person::actor).filter(|author| author.id != actor.id) {
            Some(author) => Some(format!("**@{}**\n\n{text}", author.id)),
            None => Some(text),
        }
    }

    /// The address of the subject's page.
    pub(super) fn subject_page(&self) -> Option<String> {
        web_address(self.subject.as_ref()?.html_url.as_deref()?)
    }

    /// The address of the latest comment's page, else of the subject's.
    pub(super) fn latest_page(&self) -> Option<String> {
        web_address(self.latest()?.html_url.as_deref()?)
    }

    /// The latest comment, else the subject itself.
    fn latest(&self) -> Option<&Document> {
        self.comment.as_ref().or(self.subject.as_ref())
    }
}

/// Notes in an item without details from where they can be had.
pub(super) fn note_missing(item: &mut ServiceItem, thread: &Thread) {
    let missing = match thread.comment_address() {
        Some(comment) => Some((COMMENT_URL, comment)),
        None => thread.subject.url.as_deref().map(|subject| (SUBJECT_URL, subject)),
    };
    if let Some((name, address)) = missing {
        item.content.data.insert(name.to_owned(), address.into());
    }
}

/// The item with what was written last, if it lacks that: one request. What is gone, or may not be read, is not asked
/// for again.
///
/// # Errors
/// Those after which it can be asked for again.
pub(super) async fn complete(
    service: &Service,
    item: &Notification,
    headers: Headers,
    person: PersonOf,
) -> Result<Option<ServiceItem>> {
    let address = |name: &str| item.content.data.get(name).and_then(Value::as_str);
    let (address, is_comment) = match (address(COMMENT_URL), address(SUBJECT_URL)) {
        (Some(comment), _) => (comment, true),
        (None, Some(subject)) => (subject, false),
        (None, None) => return Ok(None),
    };
    let found = if is_below(service, address) {
        match service.json(headers(service.get(address)?)).await {
            Ok(document) => Some(document),
            Err(Error::Refused(_) | Error::Forbidden | Error::Resync) => None,
            Err(error) => return Err(error),
        }
    } else {
        None
    };
    let details = if is_comment {
        Details { subject: None, comment: found }
    } else {
        Details { subject: found, comment: None }
    };
    Ok(Some(completed(item, &details, person)))
}

/// The item with these details, as a correction of the version that was completed.
fn completed(item: &Notification, details: &Details, person: PersonOf) -> ServiceItem {
    let mut content = item.content.clone();
    for name in [COMMENT_URL, SUBJECT_URL] {
        content.data.remove(name);
    }
    let reason = content.data.get("reason").and_then(Value::as_str).unwrap_or_default();
    let person = person(details, reason);
    let actor = person.and_then(Person::actor).unwrap_or_else(|| item.actor.clone());
    content.body = details.latest_text(&actor).unwrap_or(content.body);
    content.icon = person.and_then(Person::avatar).or(content.icon);
    note_bot(&mut content.data, person);
    content.url = details.latest_page().or(content.url);
    if let Some(state) = details.state().filter(|state| !content.tags.contains(state)) {
        content.tags.push(state);
    }
    ServiceItem {
        kind: item.kind,
        action: item.action.clone(),
        target: item.target.clone(),
        content,
        news: false,
        part: Part::OfVersion(item.version),
        ..ServiceItem::new(item.msgid.clone(), item.created_at, item.thread.clone(), actor)
    }
}

/// Fetches the details of a thread: one request, or two if it has a comment.
///
/// # Errors
/// Only those after which no more requests are to be made, because the service is out of reach or asks to wait.
/// Details that the token may not read, or that are gone, are missing.
pub(super) async fn fetch(service: &Service, thread: &Thread, headers: Headers) -> Result<Details> {
    let subject = thread.subject.url.as_deref();
    let comment = thread.comment_address();
    // Forgejo's list has the state already, so the subject is asked for only if its text is the newest.
    let subject = subject.filter(|_| comment.is_none() || thread.subject.state.is_none());
    let subject = document(service, subject, headers).await?;
    Ok(Details { subject, comment: document(service, comment, headers).await? })
}

async fn document(service: &Service, address: Option<&str>, headers: Headers) -> Result<Option<Document>> {
    let Some(address) = address.filter(|address| is_below(service, address)) else { return Ok(None) };
    match service.json(headers(service.get(address)?)).await {
        Ok(document) => Ok(Some(document)),
        Err(
            error @ (Error::Unavailable { .. }
            | Error::Offline
            | Error::NameNotFound
            | Error::Unreachable
            | Error::Slow
            | Error::SignIn
            | Error::Stopped),
        ) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether an address is one of the service's API. Others do not get the credential.
fn is_below(service: &Service, address: &str) -> bool {
    let base = service.base();
    base.join(address).is_ok_and(|url| url.origin() == base.origin() && url.path().starts_with(base.path()))
}
