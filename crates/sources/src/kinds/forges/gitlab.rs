//! GitLab: the to-do list of a user, over API v4.
//!
//! A to-do item is pending until it is done. The list has the pending ones, newest first. A pull walks it down to the
//! oldest one that it remembers, in pages that overlap. If a page begins above the end of the one before, nothing
//! between them was missed, whatever was done meanwhile. What is remembered and not listed was done elsewhere.
//!
//! Any other page is read again further up. What can't be proved is not taken for done.

mod cursor;
mod todo;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderName};
use serde::Deserialize;
use tidings_model::{Actor, Catalog, Clock, Mark, MsgId};
use tidings_net::{Error, Result, address::AddressKind};
use tidings_replica::{self as replica, NotifyLevel, ServiceItem, Subject, Subscription};
use url::Url;

use self::cursor::{Cursor, Pages};
use self::todo::Todo;
use super::offset::NumberedPage;
use super::{OTHER_ACTION, Person};
use crate::service::{Service, Validators, elements::Elements};
use crate::source::{
    Abilities, Credential, DeviceGrant, Fetched, Keeps, MoreRights, Protocol, Reason, Rights, ServerInfo,
    SignIn, Since, Source, TakenBack,
};
use crate::{bounds::Bounds, cursors, kinds::sentences::GITLAB};

/// GitLab.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "gitlab",
    label: "GitLab",
    default_url: Some("https://gitlab.com"),
    example: "gitlab.example.org",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SIGN_IN,
    abilities: Abilities {
        history: true,
        archive: Keeps::Both,
        delete: true,
        follow: true,
        poll_interval: Duration::from_secs(60),
        ..Abilities::NONE
    },
    notify: NotifyLevel::Toast,
    reasons: REASONS,
    open: |row, token, clock, bounds| Ok(Arc::new(GitLab::new(&row.url, &token, clock, bounds)?)),
};

/// From GitLab 17.2 on. A token is renewed after two hours.
const SIGN_IN: SignIn = SignIn::Device(DeviceGrant {
    site,
    code_path: "oauth/authorize_device",
    token_path: "oauth/token",
    taken_back: TakenBack { path: Some("oauth/revoke"), page: "-/user_settings/applications" },
    rights: Rights {
        scopes: "read_api",
        means: &[
            ("see who you are", "查看你的身份"),
            (
                "read your to-do list and everything else that you can see there, without changing anything",
                "读取你的待办，以及你在那里能读取的其他内容；不会在那里更改任何内容",
            ),
        ],
        more: Some(MoreRights {
            scopes: "api",
            means: (
                "Also mark to-dos as done there. GitLab grants this only together with all your rights there (api)",
                "同时在那里将待办标为已完成。GitLab 会一并授予你在那里的全部权限（api）",
            ),
        }),
    },
});

/// The path of the API.
const API: &str = "/api/v4";
/// The most items of a page, by the API.
const PAGE_ITEMS: u64 = 100;
/// The most walks of one pull.
const MAX_ROUNDS: u32 = 4;
/// The time after which the list is walked whatever the state of its first page, in seconds: an item of another page
/// may be done.
const REFRESH_SECONDS: i64 = 15 * 60;

/// A to-do concerns the reader; only reports of a machine, and to-dos that one added oneself, can wait.
const REASONS: &[Reason] = &[
    Reason::toast("review_requested"),
    Reason::toast("directly_addressed"),
    Reason::toast("mentioned"),
    Reason::toast("assigned"),
    Reason::toast("approval_required"),
    Reason::toast("added_approver"),
    Reason::toast("review_submitted"),
    Reason::toast("member_access_requested"),
    Reason::toast("unmergeable"),
    Reason::toast("okr_checkin_requested"),
    Reason::toast("ssh_key_expiring_soon"),
    Reason::toast("ssh_key_expired"),
    Reason::toast(OTHER_ACTION),
    Reason::badge("build_failed"),
    Reason::badge("merge_train_removed"),
    Reason::badge("marked"),
];

/// The catalog of GitLab's actions.
pub(super) fn catalog() -> Catalog {
    Catalog::of(GITLAB)
}

/// One user's to-do list on a GitLab server.
struct GitLab {
    service: Service,
    clock: Arc<dyn Clock>,
}

impl GitLab {
    /// A client of the server at `url`, with or without `/api/v4`. Sends no request.
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        let url = url.trim_end_matches('/').trim_end_matches(API);
        let mut service = Service::new(&format!("{url}{API}"), clock.clone())?.with_bounds(bounds);
        if is_oauth(token) {
            service = service.with_header(AUTHORIZATION, &format!("Bearer {token}"))?;
        } else if !token.is_empty() {
            service = service.with_header(HeaderName::from_static("private-token"), token)?;
        }
        Ok(Self { service, clock })
    }

    /// Fetches one page of the list: the next one of the walk, or the first one of a new walk.
    async fn walk(&self, cursor: &mut Cursor, limit: usize) -> Result<ListedItems> {
        let now = self.clock.now();
        let begun = cursor.walk.take();
        let is_first_page = begun.is_none();
        let mut walk = begun.unwrap_or_default();
        let is_old = cursor.walked_at.is_none_or(|at| now < at || now >= at.plus_secs(REFRESH_SECONDS));
        let is_conditional = is_first_page && !is_old;
        let mut validators = if is_conditional { cursor.validators.clone() } else { Validators::default() };
        let size = u64::try_from(limit).unwrap_or(PAGE_ITEMS).clamp(1, PAGE_ITEMS);
        let page = NumberedPage::overlapping(walk.offset, size);
        let (number, count) = (page.number.to_string(), page.size.to_string());
        let query = [("state", "pending"), ("page", number.as_str()), ("per_page", count.as_str())];
        let request = self.service.get("todos")?.query(&query);
        cursor.is_due = false;
        let Some(answer) = self.service.if_changed(request, &mut validators).await? else {
            return Ok(ListedItems::default());
        };
        if is_first_page {
            walk.validators = validators;
            cursor.walked_at = Some(now);
        }
        let bytes = answer.body.len();
        let pages = Pages::of(&answer);
        let todos: Elements<Todo> = answer.json().await?;
        let has_next = pages.has_next(todos.len() as u64, page.size);
        if todos.is_foreign() && has_next {
            // No item says where the next page begins.
            return Err(Error::Malformed);
        }
        // What can't be read may be one of those that were pending.
        walk.is_broken |= !todos.malformed.is_empty();
        let Elements { read: mut todos, malformed: skipped, .. } = todos;
        todos.sort_by_key(|todo| std::cmp::Reverse(todo.id));
        todos.dedup_by_key(|todo| todo.id);
        if !walk.take_page(&todos, page, has_next) {
            cursor.walk = Some(walk);
            return Ok(ListedItems { bytes, skipped, ..ListedItems::default() });
        }
        let mut items: Vec<ServiceItem> =
            todos.iter().rev().filter_map(|todo| cursor.news_of(todo)).collect();
        // The first time, all of the list is walked; later, down to what was pulled, and to the oldest item that is
        // remembered.
        let oldest = cursor.pending.first_key_value().map(|(id, _)| *id);
        let reached = |id: u64| walk.lowest.is_some_and(|lowest| lowest <= id);
        let is_enough = cursor.highest.is_some_and(reached) && oldest.is_none_or(reached);
        if has_next && !is_enough {
            cursor.remember(&todos);
            cursor.walk = Some(walk);
            return Ok(ListedItems { items, bytes, skipped });
        }
        items.extend(cursor.done_elsewhere(&walk, has_next));
        cursor.remember(&todos);
        cursor.rounds += 1;
        cursor.is_due = (!items.is_empty() || !is_first_page) && cursor.rounds < MAX_ROUNDS;
        cursor.highest = walk.found.last_key_value().map(|(id, _)| *id).max(cursor.highest);
        cursor.validators = walk.validators;
        Ok(ListedItems { items, bytes, skipped })
    }
}

/// The items of a page of the list.
#[derive(Default)]
struct ListedItems {
    items: Vec<ServiceItem>,
    bytes: usize,
    /// Those that can't be read.
    skipped: Vec<replica::Skipped>,
}

#[async_trait]
impl Source for GitLab {
    fn bounds(&self) -> Bounds {
        self.service.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        let user: Person = self.service.json(self.service.get("user")?).await?;
        let Actor { id, name } = user.actor().ok_or(Error::Malformed)?;
        Ok(ServerInfo { user: Some(id), name: Some(name), catalog: Some(catalog()), ..ServerInfo::default() })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut cursor: Cursor = cursors::read(since.cursor.as_deref());
        let ListedItems { items: service_items, bytes, skipped } = self.walk(&mut cursor, limit).await?;
        let more = cursor.walk.is_some() || cursor.is_due;
        if !more {
            cursor.rounds = 0;
        }
        let next = Some(cursors::write(&cursor)?);
        let page = replica::Page { service_items, next, more, ..replica::Page::default() };
        Ok(Fetched { page, bytes, skipped, ..Fetched::default() })
    }

    async fn send_mark(&self, mark: Mark, msgid: &MsgId) -> Result<()> {
        // GitLab knows pending and done; what is read stays here.
        if !matches!(mark, Mark::Archive | Mark::Delete) {
            return Ok(());
        }
        let id = utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC);
        let request = self.service.request(Method::POST, &format!("todos/{id}/mark_as_done"))?;
        self.service.send(request).await.map(drop)
    }

    async fn set_subscription(&self, subject: &Subject, to: Subscription) -> Result<()> {
        let path = issuable_path(subject).ok_or(Error::Refused(405))?;
        let verb = if to == Subscription::Subscribed { "subscribe" } else { "unsubscribe" };
        let request = self.service.request(Method::POST, &format!("{path}/{verb}"))?;
        match self.service.send(request).await {
            // What is already as it is asked for was "not modified".
            Ok(_) | Err(Error::Refused(304)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn subscription(&self, subject: &Subject) -> Result<Option<Subscription>> {
        let Some(path) = issuable_path(subject) else { return Ok(None) };
        match self.service.json::<Issuable>(self.service.get(&path)?).await {
            Ok(Issuable { subscribed }) => Ok(subscribed.map(|subscribed| {
                if subscribed { Subscription::Subscribed } else { Subscription::Unsubscribed }
            })),
            Err(Error::Refused(_) | Error::Forbidden) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The member of an issue or a merge request that is read.
#[derive(Deserialize)]
struct Issuable {
    #[serde(default)]
    subscribed: Option<bool>,
}

/// The path of an issue or a merge request of a project; `None` for other targets, which have no subscriptions.
fn issuable_path(subject: &Subject) -> Option<String> {
    let target = subject.target.as_ref()?;
    let (list, sign) = match target.kind.as_str() {
        "issue" => ("issues", '#'),
        "merge_request" => ("merge_requests", '!'),
        _ => return None,
    };
    let (project, iid) = target.id.rsplit_once(sign)?;
    let is_number = !iid.is_empty() && iid.bytes().all(|byte| byte.is_ascii_digit());
    let project = utf8_percent_encode(project, NON_ALPHANUMERIC);
    is_number.then(|| format!("projects/{project}/{list}/{iid}"))
}

/// The address of the pages, for that of a source with or without `/api/v4`.
fn site(url: &Url) -> Url {
    let mut site = url.clone();
    site.set_path(url.path().trim_end_matches('/').trim_end_matches(API));
    site.set_query(None);
    site
}

/// Whether a token is one of an OAuth sign-in, which goes into another header than a personal access token.
fn is_oauth(token: &str) -> bool {
    token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
#[path = "gitlab_tests.rs"]
mod tests;
