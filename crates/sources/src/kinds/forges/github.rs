//! GitHub and GitHub Enterprise: the notifications of a user, over the REST API.

mod item;

use std::sync::Arc;

use async_trait::async_trait;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde_json::json;
use tidings_model::{Actor, Catalog, Clock, Kind, Mark, MsgId, Notification, Stamp};
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result};
use tidings_replica::{NotifyLevel, ServiceItem, Subject, Subscription};
use url::Url;

use self::item::{SUBSCRIBED, item, person};
use super::threads::{Api, ThreadList};
use super::{OTHER_ACTION, Person, THREAD_ABILITIES};
use crate::bounds::Bounds;
use crate::kinds::sentences::GITHUB;
use crate::service::Service;
use crate::source::{
    Credential, DeviceGrant, Fetched, MoreRights, Protocol, Reason, Rights, ServerInfo, SignIn, Since,
    Source, TakenBack,
};

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
    open: |row, token, clock, bounds| Ok(Arc::new(GitHub::new(&row.url, &token, clock, bounds)?)),
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
                "Also show content from private repositories. GitHub grants this only together with the right to change them (repo)",
                "同时显示私有仓库的内容。GitHub 会一并授予更改这些仓库的权限（repo）",
            ),
        }),
    },
});

/// The version of the API that is spoken.
const API_VERSION: &str = "2022-11-28";

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
    Catalog::of(GITHUB)
}

/// One user's notifications on GitHub.
struct GitHub(ThreadList);

impl GitHub {
    /// A client of the API at `url`. Sends no request.
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        // The address that people know is that of the pages.
        let url = if is_page(url) { PROTOCOL.default_url.unwrap_or(url) } else { url };
        let mut service = Service::new(url, clock.clone())?.with_bounds(bounds);
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
    fn bounds(&self) -> Bounds {
        self.0.service.bounds()
    }

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

#[cfg(test)]
#[path = "github_tests.rs"]
mod tests;
