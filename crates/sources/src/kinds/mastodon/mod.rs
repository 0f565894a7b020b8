//! Mastodon and services with its API: notifications, newest first, with a live channel if the service has one. What
//! is read stays on this device.

mod api;
mod catalog;
mod item;

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::StreamExt;
use reqwest::Response;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use tidings_model::Clock;
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result};
use tidings_replica::{self as replica, NotifyLevel};
use tokio::sync::OnceCell;

use self::api::{Account, Listed, Notification};
use crate::bounds::Bounds;
use crate::cursors;
use crate::service::elements::Elements;
use crate::service::{Service, Validators, events};
use crate::source::{
    Abilities, BrowserGrant, Credential, Fetched, Hint, Live, Protocol, Rights, ServerInfo, SignIn, Since,
    Source, TakenBack,
};
use crate::walk::{OwnWalk, Walked};

/// The notifications of one page: the most that the service gives, for a backlog.
const PAGE_ITEMS: usize = 80;
/// The notifications of the page that a pull begins with, most of which are usually known.
const HEAD_ITEMS: usize = 40;
/// The time of silence after which the live channel counts as dead; the service sends a comment every 15 s.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// The live channels, the one of notifications alone first. The other one sends posts, too.
const CHANNELS: [&str; 2] = ["api/v1/streaming/user/notification", "api/v1/streaming/user"];

/// Mastodon.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "mastodon",
    label: "Mastodon",
    default_url: None,
    example: "mastodon.example",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SIGN_IN,
    abilities: Abilities {
        live: true,
        history: true,
        poll_interval: Duration::from_secs(2 * 60),
        ..Abilities::NONE
    },
    notify: NotifyLevel::Toast,
    reasons: &[],
    open: |row, token, clock, bounds| Ok(Arc::new(Mastodon::new(&row.url, &token, clock, bounds)?)),
};

/// A token does not expire.
const SIGN_IN: SignIn = SignIn::Browser(BrowserGrant {
    apps_path: "api/v1/apps",
    authorize_path: "oauth/authorize",
    token_path: "oauth/token",
    taken_back: TakenBack { path: Some("oauth/revoke"), page: "oauth/authorized_applications" },
    rights: Rights {
        scopes: "read:accounts read:notifications",
        means: &[
            ("see who you are and the details of your account", "查看你的身份和账号信息"),
            (
                "read your notifications; nothing is changed or posted there",
                "读取你的通知；不会在那里更改或发布任何内容",
            ),
        ],
        more: None,
    },
});

/// One account's notifications.
struct Mastodon {
    service: Service,
    me: OnceCell<Account>,
    own_walk: OwnWalk<Id>,
}

/// A position, stored as JSON. Notifications are read from the newest one down to the newest one that was known before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    #[serde(flatten)]
    walked: Walked<Id>,
    /// The state of the first page when it was last read.
    #[serde(default)]
    validators: Validators,
}

/// The id of a notification: a number that may be longer than 64 bits, or a text of one length that sorts by time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Id(String);

impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The notifications of a page.
struct Notifications {
    /// Newest first.
    page: Vec<Notification>,
    bytes: usize,
    /// Those that can't be read.
    skipped: Vec<replica::Skipped>,
}

impl Notification {
    fn id(&self) -> Id {
        Id(self.id.clone())
    }
}

impl Mastodon {
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        let service = Service::new(url, clock)?.with_bounds(bounds);
        let service = match token {
            "" => service,
            token => service.with_header(AUTHORIZATION, &format!("Bearer {token}"))?,
        };
        Ok(Self { service, me: OnceCell::new(), own_walk: OwnWalk::default() })
    }

    /// The account of the token, requested once.
    async fn me(&self) -> Result<&Account> {
        let request = || async {
            let request = self.service.get("api/v1/accounts/verify_credentials")?;
            let me: Account = self.service.json(request).await?;
            // Each account has a name to sign in with.
            if me.id.is_empty() || me.acct.is_empty() { Err(Error::Malformed) } else { Ok(me) }
        };
        self.me.get_or_try_init(request).await
    }

    /// The notifications of a page, newest first; `None` if the first page did not change.
    async fn notifications(&self, cursor: &mut Cursor, limit: usize) -> Result<Option<Notifications>> {
        let Walked { known, walk } = &cursor.walked;
        let is_head = walk.is_none() && known.is_some();
        let limit = limit.clamp(1, if is_head { HEAD_ITEMS } else { PAGE_ITEMS });
        let request = self.service.get("api/v1/notifications")?.query(&[("limit", limit)]);
        let answer = match walk {
            Some(walk) => Some(self.service.answer(request.query(&[("max_id", &walk.below.0)])).await?),
            None => self.service.if_changed(request, &mut cursor.validators).await?,
        };
        let Some(answer) = answer else { return Ok(None) };
        let bytes = answer.body.len();
        let listed: Elements<Listed> = answer.json().await?;
        if listed.is_foreign() && listed.len() >= limit {
            // No notification says where the next page begins.
            return Err(Error::Malformed);
        }
        let Elements { read, malformed: skipped, .. } = listed;
        let mut page: Vec<Notification> = read.into_iter().map(|Listed(one)| one).collect();
        page.sort_by_cached_key(|one| Reverse(one.id()));
        Ok(Some(Notifications { page, bytes, skipped }))
    }
}

#[async_trait]
impl Source for Mastodon {
    fn bounds(&self) -> Bounds {
        self.service.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        let me = self.me().await?;
        let host = self.service.base().host_str().unwrap_or_default();
        Ok(ServerInfo {
            user: Some(me.id.clone()),
            name: Some(format!("{}@{host}", me.acct)),
            catalog: Some(catalog::catalog()),
            ..ServerInfo::default()
        })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut cursor: Cursor = cursors::read(since.cursor.as_deref());
        self.own_walk.go_on(&mut cursor.walked);
        let (me, page) = tokio::try_join!(self.me(), self.notifications(&mut cursor, limit))?;
        let Some(Notifications { page, bytes, skipped }) = page else {
            let page = replica::Page { next: since.cursor, ..replica::Page::default() };
            return Ok(Fetched { page, ..Fetched::default() });
        };
        let ends = page.first().zip(page.last()).map(|(newest, oldest)| (newest.id(), oldest.id()));
        let ends = ends.as_ref().map(|(newest, oldest)| (newest, oldest));
        let more = cursor.walked.advance(ends, false)?;
        let context = item::ItemContext { base: self.service.base(), me, now: self.service.clock().now() };
        let service_items =
            page.iter().rev().map(|notification| item::item(notification, &context)).collect();
        let next = cursors::write(&cursor)?;
        self.own_walk.left_at(&cursor.walked);
        let page = replica::Page { service_items, next: Some(next), more, ..replica::Page::default() };
        Ok(Fetched { page, bytes, skipped, ..Fetched::default() })
    }

    async fn listen(&self) -> Result<Option<Live>> {
        for channel in CHANNELS {
            let request = self.service.get(channel)?.header(ACCEPT, "text/event-stream");
            match self.service.send(request).await {
                Ok(answer) if is_event_stream(&answer) => return Ok(Some(hints(answer))),
                // It has no such channel, or has it on another host, which the token must not reach.
                Ok(_)
                | Err(Error::Refused(_) | Error::Forbidden | Error::RedirectRefused | Error::Resync) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

fn is_event_stream(answer: &Response) -> bool {
    let media = answer.headers().get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
    media.is_some_and(|media| media.starts_with("text/event-stream"))
}

fn hints(answer: Response) -> Live {
    let events = events::bytes(answer, SILENCE_TIMEOUT).eventsource();
    let hints = events.filter_map(|event| async {
        match event {
            Ok(event) if matches!(event.event.as_str(), "notification" | "notifications_merged") => {
                Some(Ok(Hint::Changed))
            }
            Ok(_) => None,
            Err(EventStreamError::Transport(error)) => Some(Err(error)),
            Err(_) => Some(Err(Error::Malformed)),
        }
    });
    hints.boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_as_numbers_however_long() {
        let id = |id: &str| Id(id.to_owned());
        assert!(id("9") < id("10"));
        assert!(id("113010503322889311") > id("99"));
        assert!(id("01HZX0") < id("01HZY0"));
    }

    #[test]
    fn a_position_of_an_earlier_version_is_read() {
        let stored =
            r#"{"known":"110","walk":{"head":"300","below":"261","resumed":true},"validators":{"etag":"x"}}"#;
        let cursor: Cursor = cursors::read(Some(stored));
        assert_eq!(cursors::write(&cursor).unwrap(), stored);
        for odd in [None, Some(""), Some("[]"), Some(r#"{"known":5}"#)] {
            assert_eq!(cursors::read::<Cursor>(odd), Cursor::default(), "{odd:?}");
        }
    }
}
