//! The item that a thread of GitHub's becomes.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Map;
use tidings_model::{Actor, Content, Format, Priority, Target};
use tidings_replica::ServiceItem;

use super::super::details::Details;
use super::super::thread::Thread;
use super::super::{Person, action, note_bot, tags, target_id, target_type};
use crate::kinds::sentences::GITHUB;

/// The reason of notifications of repositories that the user watches.
pub(super) const SUBSCRIBED: &str = "subscribed";

/// The item of a thread.
pub(super) fn item(thread: &Thread, details: &Details) -> ServiceItem {
    let subject = &thread.subject;
    let reason = thread.reason.as_deref().unwrap_or(SUBSCRIBED);
    let kind = target_type(&subject.kind);
    let (actor, picture) = actor(thread, details, reason);
    let mut data = Map::from_iter([("reason".to_owned(), reason.into())]);
    note_bot(&mut data, person(details, reason));
    let page = details.subject_page().or_else(|| subject_page(thread));
    let name = &thread.repository.full_name;
    let id = target_id(&match thread.subject_name().filter(|_| kind != "release") {
        Some(sha) if kind == "commit" => format!("{name}@{sha}"),
        Some(number) => format!("{name}#{number}"),
        None => format!("{name}/{}", thread.id),
    });
    let body = details.latest_text(&actor).unwrap_or_default();
    let content = Content {
        title: subject.title.clone(),
        body,
        format: Format::Markdown,
        priority: if reason == "security_alert" { Priority::HIGH } else { Priority::DEFAULT },
        tags: tags([Some(name.clone()), details.state().or_else(|| run_state(thread))]),
        url: details.latest_page().or_else(|| comment_page(thread, page.as_deref())).or_else(|| page.clone()),
        icon: picture,
        data,
        ..Content::default()
    };
    let is_release = kind == "release" && reason == SUBSCRIBED;
    let event = if is_release { "release" } else { reason };
    let target_thread = format!("{kind}:{id}");
    ServiceItem {
        action: Some(action(GITHUB, event).to_owned()),
        target: Some(Target { kind, id, title: Some(subject.title.clone()), url: page, owner: None }),
        content,
        ..ServiceItem::new(thread.id.as_str(), thread.updated_at, target_thread, actor)
    }
}

/// Who is said to have done it, and a picture: the person whom the reason is about as far as GitHub names one, else the
/// repository.
fn actor(thread: &Thread, details: &Details, reason: &str) -> (Actor, Option<String>) {
    let person = person(details, reason);
    let owner = thread.repository.owner.as_ref();
    let picture = person.and_then(Person::avatar).or_else(|| owner.and_then(Person::avatar));
    (person.and_then(Person::actor).unwrap_or_else(|| thread.repository_actor()), picture)
}

/// The person whom a reason is about, as far as GitHub names one.
pub(super) fn person<'d>(details: &'d Details, reason: &str) -> Option<&'d Person> {
    match reason {
        "review_requested" => details.opened_by(),
        "state_change" => details.closed_by().or_else(|| details.latest_by()),
        // Nothing says who assigned it, or asked for an approval.
        "assign"
        | "approval_requested"
        | "ci_activity"
        | "invitation"
        | "member_feature_requested"
        | "security_alert"
        | "security_advisory_credit" => None,
        _ => details.latest_by(),
    }
}

/// The address of the subject's page, as it follows from that in the API.
fn subject_page(thread: &Thread) -> Option<String> {
    let repository = thread.repository_page()?;
    let repository = repository.trim_end_matches('/');
    let name = thread.subject_name();
    Some(match (thread.subject.kind.as_str(), name) {
        ("PullRequest", Some(number)) => format!("{repository}/pull/{number}"),
        ("Issue", Some(number)) => format!("{repository}/issues/{number}"),
        ("Commit", Some(sha)) => format!("{repository}/commit/{sha}"),
        ("Discussion", Some(number)) => format!("{repository}/discussions/{number}"),
        ("Release", _) => format!("{repository}/releases"),
        ("Discussion", None) => {
            let title = utf8_percent_encode(&thread.subject.title, NON_ALPHANUMERIC);
            format!("{repository}/discussions?discussions_q={title}")
        }
        ("CheckSuite" | "WorkflowRun", _) => format!("{repository}/actions"),
        ("RepositoryInvitation", _) => format!("{repository}/invitations"),
        ("RepositoryAdvisory", _) => format!("{repository}/security/advisories"),
        ("RepositoryVulnerabilityAlert" | "RepositoryDependabotAlertsThread", _) => {
            format!("{repository}/security/dependabot")
        }
        _ => repository.to_owned(),
    })
}

/// The address of the latest comment on the subject's page.
fn comment_page(thread: &Thread, page: Option<&str>) -> Option<String> {
    let mut parts = thread.comment_address()?.trim_end_matches('/').rsplit('/');
    let (id, list) = (parts.next()?, parts.next()?);
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let anchor = match (list, parts.next()?) {
        ("comments", "issues") => "issuecomment-",
        ("comments", "pulls") => "discussion_r",
        ("comments", _) => "commitcomment-",
        ("reviews", _) => "pullrequestreview-",
        _ => return None,
    };
    Some(format!("{}#{anchor}{id}", page?))
}

/// The state of a run of checks, which only its title says.
fn run_state(thread: &Thread) -> Option<String> {
    if thread.subject.kind != "CheckSuite" {
        return None;
    }
    let title = thread.subject.title.to_ascii_lowercase();
    let states = [("fail", "ci_failed"), ("succeeded", "ci_passed"), ("cancelled", "ci_cancelled")];
    states.iter().find(|(word, _)| title.contains(word)).map(|(_, tag)| (*tag).to_owned())
}
