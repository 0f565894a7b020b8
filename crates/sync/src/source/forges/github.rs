//! GitHub and GitHub Enterprise: the notifications of a user, over the REST API.

use std::sync::Arc;

use async_trait::async_trait;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde_json::{Map, json};
use tidings_model::{
    Actor, Catalog, Clock, Content, Format, Kind, Mark, MsgId, Notification, Priority, Stamp, Target,
};
use tidings_replica::{NotifyLevel, ServiceItem, Subject, Subscription};
use url::Url;

use super::super::{
    AddressKind, Credential, DeviceGrant, Fetched, MoreRights, Protocol, Reason, Rights, ServerInfo, Service,
    SignIn, Since, Source, TakenBack,
};
use super::details::Details;
use super::thread::Thread;
use super::threads::{Api, ThreadList};
use super::{OTHER_ACTION, Person, THREAD_ABILITIES, Template, action, target_id, target_type};
use crate::{Error, Result};

/// GitHub.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "github",
    label: "GitHub",
    default_url: Some("https://api.github.com"),
    example: "https://git.example.org/api/v3",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SIGN_IN,
    abilities: THREAD_ABILITIES,
    notify: NotifyLevel::Toast,
    reasons: REASONS,
    open: |row, token, clock| Ok(Arc::new(GitHub::new(&row.url, &token, clock)?)),
};

/// A token of an OAuth app does not expire.
const SIGN_IN: SignIn = SignIn::Device(DeviceGrant {
    site,
    code_path: "login/device/code",
    token_path: "login/oauth/access_token",
    // A program can take it back with the secret of the client only.
    taken_back: TakenBack { path: None, page: "settings/applications" },
    rights: Rights {
        scopes: "notifications",
        means: &[
            ("see who you are", "查看你的身份"),
            ("read your notifications, and mark them as read or done", "读取你的通知，并标为已读或已完成"),
            ("mute and follow threads", "静音或关注会话"),
        ],
        more: Some(MoreRights {
            scopes: "notifications repo",
            means: (
                "Also show what private repositories say. GitHub grants this only together with the right to change them, and calls it “repo”",
                "同时显示私有仓库的内容。GitHub 会一并授予更改这些仓库的权限（repo）",
            ),
        }),
    },
});

/// The version of the API that is spoken.
const API_VERSION: &str = "2022-11-28";
/// The reason of notifications of repositories that the user watches.
const SUBSCRIBED: &str = "subscribed";

/// A template for each reason that GitHub documents, and for releases.
const TEMPLATES: &[Template] = &[
    ("approval_requested", "{actors} asked you to approve {target}", "{actors} 请你批准 {target}"),
    ("assign", "{actors} assigned {target} to you", "{actors} 把 {target} 分配给了你"),
    ("author", "{actors} updated {target}, which you opened", "{actors} 更新了你发起的 {target}"),
    ("ci_activity", "{actors} reports: {target}", "{actors} 报告：{target}"),
    ("comment", "{actors} updated {target}, where you commented", "{actors} 更新了你评论过的 {target}"),
    ("invitation", "{actors} invites you: {target}", "{actors} 邀请你：{target}"),
    ("manual", "{actors} updated {target}, which you follow", "{actors} 更新了你关注的 {target}"),
    (
        "member_feature_requested",
        "{actors} has a request of a member: {target}",
        "{actors} 有一项成员请求：{target}",
    ),
    ("mention", "{actors} mentioned you in {target}", "{actors} 在 {target} 中提到了你"),
    ("release", "{actors} released {target}", "{actors} 发布了 {target}"),
    ("review_requested", "{actors} requested your review on {target}", "{actors} 请你评审 {target}"),
    ("security_advisory_credit", "{actors} credited you for {target}", "{actors} 因 {target} 向你致谢"),
    ("security_alert", "{actors} has a security alert: {target}", "{actors} 有一条安全警报：{target}"),
    ("state_change", "{actors} changed the state of {target}", "{actors} 更改了 {target} 的状态"),
    (SUBSCRIBED, "{actors} updated {target}", "{actors} 更新了 {target}"),
    ("team_mention", "{actors} mentioned your team in {target}", "{actors} 在 {target} 中提到了你的团队"),
    ("update", "{actors} updated {target}", "{actors} 更新了 {target}"),
    ("your_activity", "{actors} updated {target}, where you took part", "{actors} 更新了你参与过的 {target}"),
];

/// Reasons that ask something of the reader make toasts; events in watched repositories or in checks only count.
const REASONS: &[Reason] = &[
    Reason::toast("review_requested"),
    Reason::toast("mention"),
    Reason::toast("team_mention"),
    Reason::toast("assign"),
    Reason::toast("approval_requested"),
    Reason::toast("comment"),
    Reason::toast("author"),
    Reason::toast("manual"),
    Reason::toast("invitation"),
    Reason::toast("security_alert"),
    Reason::toast("security_advisory_credit"),
    Reason::toast("member_feature_requested"),
    Reason::badge("state_change"),
    Reason::badge("your_activity"),
    Reason::badge("ci_activity"),
    Reason::badge("release"),
    Reason::badge(SUBSCRIBED),
    Reason::badge(OTHER_ACTION),
];

/// The catalog of GitHub's reasons.
pub(super) fn catalog() -> Catalog {
    super::catalog(TEMPLATES)
}

/// One user's notifications on GitHub.
struct GitHub(ThreadList);

impl GitHub {
    /// A client of the API at `url`. Sends no request.
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>) -> Result<Self> {
        // The address that people know is that of the pages.
        let url = if is_page(url) { PROTOCOL.default_url.unwrap_or(url) } else { url };
        let mut service = Service::new(url, clock.clone())?;
        if !token.is_empty() {
            service = service.with_header(AUTHORIZATION, &format!("Bearer {token}"))?;
        }
        let api = Api { headers, size_parameter: "per_page", reading_is_a_change: false, item, person };
        Ok(Self(ThreadList { service, clock, api }))
    }

    /// Sends a request that has no answer to read.
    async fn send(&self, request: RequestBuilder) -> Result<()> {
        match self.0.service.send(headers(request)).await {
            // What is already as it is asked for was "not modified".
            Ok(_) | Err(Error::Refused(304)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl Source for GitHub {
    async fn server_info(&self) -> Result<ServerInfo> {
        let user: Person = self.0.service.json(headers(self.0.service.get("user")?)).await?;
        let actor = user.actor().ok_or(Error::Malformed)?;
        let Actor { id, name } = actor;
        Ok(ServerInfo { user: Some(id), name: Some(name), catalog: Some(catalog()), ..ServerInfo::default() })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        self.0.page(since, limit).await
    }

    async fn send_mark(&self, mark: Mark, msgid: &MsgId) -> Result<()> {
        let method = match mark {
            Mark::Read => Method::PATCH,
            Mark::Archive | Mark::Delete => Method::DELETE,
            // There is no request for any other mark.
            _ => return Ok(()),
        };
        let id = utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC);
        self.send(self.0.service.request(method, &format!("notifications/threads/{id}"))?).await
    }

    async fn set_subscription(&self, subject: &Subject, to: Subscription) -> Result<()> {
        let path = subscription_path(&subject.msgid);
        let request = if to == Subscription::Unsubscribed {
            self.0.service.request(Method::DELETE, &path)?
        } else {
            // What is watched with its repository stays away only if it is ignored.
            let ignored = to == Subscription::Ignored;
            self.0.service.request(Method::PUT, &path)?.json(&json!({ "ignored": ignored }))
        };
        self.send(request).await
    }

    async fn subscription(&self, subject: &Subject) -> Result<Option<Subscription>> {
        let request = headers(self.0.service.get(&subscription_path(&subject.msgid))?);
        match self.0.service.json::<ThreadSubscription>(request).await {
            Ok(ThreadSubscription { ignored: true, .. }) => Ok(Some(Subscription::Ignored)),
            Ok(ThreadSubscription { subscribed: true, .. }) => Ok(Some(Subscription::Subscribed)),
            Ok(_) => Ok(Some(Subscription::Unsubscribed)),
            // GitHub has none of a thread that is notified of because its repository is watched.
            Err(Error::Refused(404)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn details(&self, item: &Notification) -> Result<Option<ServiceItem>> {
        self.0.complete(item).await
    }

    async fn send_read_all(&self, kind: Option<Kind>, through: Stamp) -> Result<()> {
        if !matches!(kind, None | Some(Kind::Reminder)) {
            return Ok(());
        }
        let through = through.to_datetime().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let request = self.0.service.request(Method::PUT, "notifications")?;
        self.send(request.json(&json!({ "last_read_at": through, "read": true }))).await
    }
}

/// The members of a thread's subscription that are read.
#[derive(Deserialize)]
struct ThreadSubscription {
    subscribed: bool,
    ignored: bool,
}

fn subscription_path(thread: &MsgId) -> String {
    let id = utf8_percent_encode(thread.as_str(), NON_ALPHANUMERIC);
    format!("notifications/threads/{id}/subscription")
}

/// Whether an address is that of GitHub's pages.
fn is_page(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    matches!(host.trim_end_matches('/').to_ascii_lowercase().as_str(), "github.com" | "www.github.com")
}

/// The address of the pages, for that of the API or of the pages themselves.
fn site(url: &Url) -> Url {
    let mut site = url.clone();
    site.set_path("/");
    site.set_query(None);
    let host = site.host_str().unwrap_or_default();
    let of_api = host.strip_prefix("api.").filter(|host| *host == "github.com" || host.ends_with(".ghe.com"));
    let host = of_api.or_else(|| host.strip_prefix("www.").filter(|host| *host == "github.com"));
    if let Some(host) = host.map(str::to_owned) {
        // It fails only for an address that can't have a host.
        let _ = site.set_host(Some(&host));
    }
    site
}

fn headers(request: RequestBuilder) -> RequestBuilder {
    request.header(ACCEPT, "application/vnd.github+json").header("X-GitHub-Api-Version", API_VERSION)
}

/// The item of a thread.
fn item(thread: &Thread, details: &Details) -> ServiceItem {
    let subject = &thread.subject;
    let reason = thread.reason.as_deref().unwrap_or(SUBSCRIBED);
    let kind = target_type(&subject.kind);
    let (actor, picture) = actor(thread, details, reason);
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
        tags: super::tags([Some(name.clone()), details.state().or_else(|| run_state(thread))]),
        url: details.latest_page().or_else(|| comment_page(thread, page.as_deref())).or_else(|| page.clone()),
        icon: picture,
        data: Map::from_iter([("reason".to_owned(), reason.into())]),
        ..Content::default()
    };
    let is_release = kind == "release" && reason == SUBSCRIBED;
    let event = if is_release { "release" } else { reason };
    let target_thread = format!("{kind}:{id}");
    ServiceItem {
        action: Some(action(TEMPLATES, event).to_owned()),
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
fn person<'d>(details: &'d Details, reason: &str) -> Option<&'d Person> {
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

#[cfg(test)]
#[path = "github_tests.rs"]
mod tests;
