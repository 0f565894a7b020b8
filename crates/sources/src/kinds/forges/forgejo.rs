//! Forgejo and Gitea: the notifications of a user, over API v1.

use std::sync::Arc;

use async_trait::async_trait;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tidings_model::{Actor, Catalog, Clock, Content, Format, Kind, Mark, MsgId, Notification, Stamp, Target};
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result};
use tidings_replica::{NotifyLevel, ServiceItem, Subject, Subscription};
use tokio::sync::OnceCell;

use super::details::Details;
use super::thread::Thread;
use super::threads::{Api, ThreadList};
use super::{OTHER_ACTION, Person, THREAD_ABILITIES, action, target_id, target_type, web_address};
use crate::bounds::Bounds;
use crate::kinds::sentences::FORGEJO;
use crate::service::Service;
use crate::source::{Credential, Fetched, Protocol, Reason, ServerInfo, SignIn, Since, Source};

/// Forgejo and Gitea.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "forgejo",
    label: "Forgejo",
    default_url: None,
    example: "codeberg.org",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SignIn::None,
    abilities: THREAD_ABILITIES,
    notify: NotifyLevel::Toast,
    reasons: REASONS,
    open: |row, token, clock, bounds| Ok(Arc::new(Forgejo::new(&row.url, &token, clock, bounds)?)),
};

/// The path of the API.
const API: &str = "/api/v1";

/// Forgejo does not distinguish watched threads from those that concern the reader; releases can wait.
const REASONS: &[Reason] = &[
    Reason::toast("comment"),
    Reason::toast(OTHER_ACTION),
    Reason::toast("transfer"),
    Reason::badge("release"),
];

/// The catalog of Forgejo's events. It does not say why it notifies; what happened follows from the subject.
pub(super) fn catalog() -> Catalog {
    Catalog::of(FORGEJO)
}

/// One user's notifications on a Forgejo or Gitea server.
struct Forgejo {
    list: ThreadList,
    /// The token's user, requested once: subscriptions are below that name.
    login: OnceCell<String>,
}

impl Forgejo {
    /// A client of the server at `url`, with or without `/api/v1`. Sends no request.
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        let url = url.trim_end_matches('/').trim_end_matches(API);
        let mut service = Service::new(&format!("{url}{API}"), clock.clone())?.with_bounds(bounds);
        if !token.is_empty() {
            service = service.with_header(AUTHORIZATION, &format!("token {token}"))?;
        }
        let api = Api { headers, size_parameter: "limit", reading_is_a_change: true, item, person };
        Ok(Self { list: ThreadList { service, clock, api }, login: OnceCell::new() })
    }

    /// The token's user; `None` if the token may read notifications and nothing of the user.
    async fn user(&self) -> Result<Option<Actor>> {
        let service = &self.list.service;
        match service.json::<Person>(headers(service.get("user")?)).await {
            Ok(user) => user.actor().map(Some).ok_or(Error::Malformed),
            Err(Error::Forbidden) => {
                let request = service.get("notifications")?.query(&[("limit", "1")]);
                service.json::<Vec<IgnoredAny>>(headers(request)).await.map(|_| None)
            }
            Err(error) => Err(error),
        }
    }

    /// The login of the token's user.
    async fn login(&self) -> Result<String> {
        self.user().await?.map(|user| user.id).ok_or(Error::Forbidden)
    }
}

/// The member of an issue's subscription that is read.
#[derive(Deserialize)]
struct WatchInfo {
    subscribed: bool,
}

#[async_trait]
impl Source for Forgejo {
    fn bounds(&self) -> Bounds {
        self.list.service.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        let (user, name) = self.user().await?.map(|Actor { id, name }| (id, name)).unzip();
        Ok(ServerInfo { user, name, catalog: Some(catalog()), ..ServerInfo::default() })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        self.list.page(since, limit).await
    }

    async fn send_mark(&self, mark: Mark, msgid: &MsgId) -> Result<()> {
        let status = match mark {
            Mark::Read | Mark::Archive | Mark::Delete => "read",
            Mark::Unread => "unread",
            // There is no request for any other mark.
            _ => return Ok(()),
        };
        let id = utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC);
        let request = self.list.service.request(Method::PATCH, &format!("notifications/threads/{id}"))?;
        self.list.service.send(headers(request.query(&[("to-status", status)]))).await.map(drop)
    }

    async fn set_subscription(&self, subject: &Subject, to: Subscription) -> Result<()> {
        let path = subscriptions_path(subject).ok_or(Error::Refused(405))?;
        let login = self.login.get_or_try_init(|| self.login()).await?;
        let login = utf8_percent_encode(login, NON_ALPHANUMERIC);
        let method = if to == Subscription::Subscribed { Method::PUT } else { Method::DELETE };
        let request = self.list.service.request(method, &format!("{path}/{login}"))?;
        self.list.service.send(headers(request)).await.map(drop)
    }

    async fn subscription(&self, subject: &Subject) -> Result<Option<Subscription>> {
        let Some(path) = subscriptions_path(subject) else { return Ok(None) };
        let request = headers(self.list.service.get(&format!("{path}/check"))?);
        match self.list.service.json::<WatchInfo>(request).await {
            Ok(WatchInfo { subscribed: true }) => Ok(Some(Subscription::Subscribed)),
            Ok(_) => Ok(Some(Subscription::Unsubscribed)),
            // The token may not read issues, or the issue is gone.
            Err(Error::Refused(_) | Error::Forbidden) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn details(&self, item: &Notification) -> Result<Option<ServiceItem>> {
        self.list.complete(item).await
    }

    async fn send_read_all(&self, kind: Option<Kind>, through: Stamp) -> Result<()> {
        if !matches!(kind, None | Some(Kind::Reminder)) {
            return Ok(());
        }
        let through = through.to_datetime().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let request = self.list.service.request(Method::PUT, "notifications")?;
        let query = [("last_read_at", through.as_str()), ("status-types", "unread"), ("to-status", "read")];
        self.list.service.send(headers(request.query(&query))).await.map(drop)
    }
}

fn headers(request: RequestBuilder) -> RequestBuilder {
    request.header(ACCEPT, "application/json")
}

/// Who wrote what is newest: Forgejo gives no reason.
fn person<'d>(details: &'d Details, _reason: &str) -> Option<&'d Person> {
    details.latest_by()
}

/// The path of the subscriptions of an issue or pull request; `None` for other targets, which have none.
fn subscriptions_path(subject: &Subject) -> Option<String> {
    let target = subject.target.as_ref()?;
    let (repository, number) = target.id.rsplit_once('#')?;
    let is_issue = matches!(target.kind.as_str(), "issue" | "pull_request")
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let (owner, name) = repository.split_once('/')?;
    let [owner, name] = [owner, name].map(|part| utf8_percent_encode(part, NON_ALPHANUMERIC));
    is_issue.then(|| format!("repos/{owner}/{name}/issues/{number}/subscriptions"))
}

/// The item of a thread.
fn item(thread: &Thread, details: &Details) -> ServiceItem {
    let subject = &thread.subject;
    let kind = match target_type(&subject.kind) {
        kind if kind == "pull" => "pull_request".to_owned(),
        kind => kind,
    };
    let event = match kind.as_str() {
        "release" => "release",
        "repository" => "transfer",
        _ if thread.comment_address().is_some() => "comment",
        _ => OTHER_ACTION,
    };
    let name = &thread.repository.full_name;
    let id = target_id(&match (kind.as_str(), thread.subject_name()) {
        ("repository", _) => name.clone(),
        ("commit", Some(sha)) => format!("{name}@{sha}"),
        (_, Some(number)) => format!("{name}#{number}"),
        (_, None) => format!("{name}/{}", thread.id),
    });
    let owner = thread.repository.owner.as_ref();
    let person = person(details, "");
    let actor = person.and_then(Person::actor).unwrap_or_else(|| thread.repository_actor());
    let page = subject.html_url.as_deref().and_then(web_address).or_else(|| thread.repository_page());
    let comment = subject.latest_comment_html_url.as_deref().and_then(web_address);
    let state = subject.state.clone().or_else(|| details.state());
    let content = Content {
        title: subject.title.clone(),
        body: details.latest_text(&actor).unwrap_or_default(),
        format: Format::Markdown,
        tags: super::tags([Some(name.clone()), state]),
        url: comment.or_else(|| page.clone()),
        icon: person.and_then(Person::avatar).or_else(|| owner.and_then(Person::avatar)),
        ..Content::default()
    };
    let target_thread = format!("{kind}:{id}");
    ServiceItem {
        action: Some(action(FORGEJO, event).to_owned()),
        target: Some(Target { kind, id, title: Some(subject.title.clone()), url: page, owner: None }),
        content,
        ..ServiceItem::new(thread.id.as_str(), thread.updated_at, target_thread, actor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn item_of(subject: &Value) -> ServiceItem {
        let thread = json!({"id": 1, "updated_at": "2026-11-20T06:00:00Z", "unread": true, "subject": subject,
            "repository": {"full_name": "acme/widgets", "html_url": "https://f.example/acme/widgets"}});
        item(&serde_json::from_value::<Thread>(thread).unwrap().bounded(), &Details::default())
    }

    #[test]
    fn a_comment_on_a_pull_request_is_one() {
        let item = item_of(&json!({"title": "T", "type": "Pull", "state": "merged",
            "url": "https://f.example/api/v1/repos/acme/widgets/issues/3",
            "html_url": "https://f.example/acme/widgets/pulls/3",
            "latest_comment_url": "https://f.example/api/v1/repos/acme/widgets/issues/comments/9",
            "latest_comment_html_url": "https://f.example/acme/widgets/pulls/3#issuecomment-9"}));
        let target = item.target.unwrap();
        assert_eq!((target.kind.as_str(), target.id.as_str()), ("pull_request", "acme/widgets#3"));
        assert_eq!(item.action.as_deref(), Some("comment"));
        assert_eq!(item.content.tags, ["acme/widgets", "merged"]);
        let url = item.content.url.as_deref();
        assert_eq!(url, Some("https://f.example/acme/widgets/pulls/3#issuecomment-9"));
    }

    #[test]
    fn an_issue_without_a_comment_and_a_repository_are_told_apart() {
        let issue = item_of(&json!({"title": "T", "type": "Issue", "latest_comment_url": "",
            "url": "https://f.example/api/v1/repos/acme/widgets/issues/3"}));
        assert_eq!(issue.action.as_deref(), Some("update"));
        let repository =
            item_of(&json!({"title": "acme/widgets", "type": "Repository", "url": "/acme/widgets"}));
        assert_eq!(repository.action.as_deref(), Some("transfer"));
        assert_eq!(repository.target.unwrap().id, "acme/widgets");
    }

    #[test]
    fn a_commit_is_called_by_the_first_line_of_its_message() {
        let commit = item_of(&json!({"title": "Fix the lid\n\nIt was loose.", "type": "Commit",
            "url": "https://f.example/acme/widgets/commit/abc", "html_url": "https://f.example/acme/widgets/commit/abc"}));
        let target = commit.target.unwrap();
        assert_eq!((target.id.as_str(), target.title.as_deref()), ("acme/widgets@abc", Some("Fix the lid")));
    }

    #[test]
    fn an_address_may_have_the_path_of_the_api() {
        let clock = Arc::new(tidings_model::SystemClock);
        for url in ["https://f.example", "https://f.example/", "https://f.example/api/v1/"] {
            let forgejo = Forgejo::new(url, "", clock.clone(), Bounds::default()).unwrap();
            assert_eq!(forgejo.list.service.base().as_str(), "https://f.example/api/v1/");
        }
        let below = Forgejo::new("https://f.example/git", "", clock, Bounds::default()).unwrap();
        assert_eq!(below.list.service.base().as_str(), "https://f.example/git/api/v1/");
    }
}
