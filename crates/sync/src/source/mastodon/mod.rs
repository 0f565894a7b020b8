//! Mastodon and services with its API: notifications, newest first, with a live channel where the service has one. What
//! is read stays on this device.

mod api;
mod catalog;
mod item;

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::StreamExt;
use parking_lot::Mutex;
use reqwest::Response;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tidings_model::Clock;
use tidings_replica::{self as replica, NotifyLevel};
use tokio::sync::OnceCell;

use self::api::{Account, Notification};
use super::requests::{Service, Validators};
use super::{
    Abilities, AddressKind, BrowserGrant, Credential, Fetched, Hint, Live, Protocol, Rights, ServerInfo,
    SignIn, Since, Source, TakenBack, events,
};
use crate::{Error, Result};

/// The notifications of one page: the most that the service gives, for a backlog.
const PAGE_ITEMS: usize = 80;
/// The notifications of the page that a pull begins with, most of which are usually known.
const HEAD_ITEMS: usize = 40;
/// The time of silence after which the live channel counts as dead; the service sends a comment every 15 s.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// The live channels, the one of notifications alone first. The other one tells of posts, too.
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
    open: |row, token, clock| Ok(Arc::new(Mastodon::new(&row.url, &token, clock)?)),
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
            ("see who you are, and accounts", "查看你是谁，以及账号信息"),
            (
                "read your notifications; nothing is changed or posted there",
                "读取你的通知；不会更改或发布任何内容",
            ),
        ],
        more: None,
    },
});

/// One account's notifications.
struct Mastodon {
    service: Service,
    me: OnceCell<Account>,
    /// The head of the walk whose last page was returned by this pull.
    walked: Mutex<Option<String>>,
}

/// A position, stored as JSON. Notifications are read from the newest one down to the newest one that was known before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Cursor {
    /// The id of the newest notification at and below which everything was pulled.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<String>,
    /// The way down that is not finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    walk: Option<Walk>,
    /// The state of the first page when it was last read.
    validators: Validators,
}

/// A way down from the newest notification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Walk {
    /// The id of the notification that it began with.
    head: String,
    /// The id below which it goes on.
    below: String,
    /// Whether an earlier pull began it, so that there may be newer notifications than its head.
    resumed: bool,
}

impl Mastodon {
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>) -> Result<Self> {
        let service = Service::new(url, clock)?;
        let service = match token {
            "" => service,
            token => service.with_header(AUTHORIZATION, &format!("Bearer {token}"))?,
        };
        Ok(Self { service, me: OnceCell::new(), walked: Mutex::new(None) })
    }

    /// The account of the token, requested once.
    async fn me(&self) -> Result<&Account> {
        let request = || async {
            let request = self.service.get("api/v1/accounts/verify_credentials")?;
            let me: Account = self.service.json(request).await?;
            if me.id.is_empty() { Err(Error::Malformed) } else { Ok(me) }
        };
        self.me.get_or_try_init(request).await
    }

    /// The notifications of a page, newest first; `None` if the first page did not change.
    async fn notifications(
        &self,
        cursor: &mut Cursor,
        limit: usize,
    ) -> Result<Option<(Vec<Notification>, usize)>> {
        let is_head = cursor.walk.is_none() && cursor.known.is_some();
        let limit = limit.clamp(1, if is_head { HEAD_ITEMS } else { PAGE_ITEMS });
        let request = self.service.get("api/v1/notifications")?.query(&[("limit", limit)]);
        let answer = match &cursor.walk {
            Some(walk) => Some(self.service.answer(request.query(&[("max_id", &walk.below)])).await?),
            None => self.service.if_changed(request, &mut cursor.validators).await?,
        };
        let Some(answer) = answer else { return Ok(None) };
        let bytes = answer.body.len();
        let values: Vec<Value> = answer.json().await?;
        let mut page = values.into_iter().map(Notification::read).collect::<Result<Vec<_>>>()?;
        page.sort_by(|a, b| order(&b.id, &a.id));
        Ok(Some((page, bytes)))
    }
}

impl Cursor {
    /// Reads a stored cursor; what can't be read stands for the beginning.
    fn read(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Moves on after a page from the newest id to the oldest. Returns whether there are more pages; after a walk that
    /// was resumed that is the first one again.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the page is not below the last one.
    fn advance(&mut self, newest: Option<&str>, oldest: Option<&str>) -> Result<bool> {
        let walk = self.walk.take();
        let ends = match (oldest, &self.known) {
            (None, _) => true,
            (Some(oldest), Some(known)) => order(oldest, known) != Ordering::Greater,
            (Some(_), None) => false,
        };
        if let (Some(walk), Some(newest)) = (&walk, newest)
            && order(newest, &walk.below) != Ordering::Less
        {
            return Err(Error::Malformed);
        }
        let resumed = walk.as_ref().is_some_and(|walk| walk.resumed);
        let head = walk.map(|walk| walk.head).or_else(|| newest.map(str::to_owned));
        match (head, oldest) {
            (Some(head), Some(below)) if !ends => {
                self.walk = Some(Walk { head, below: below.to_owned(), resumed });
            }
            (Some(head), _) => {
                let is_newer =
                    self.known.as_ref().is_none_or(|known| order(&head, known) == Ordering::Greater);
                if is_newer {
                    self.known = Some(head);
                }
            }
            (None, _) => {}
        }
        Ok(!ends || resumed)
    }
}

/// The order of two ids, which are numbers that may be longer than 64 bits, or texts of one length that sort by time.
fn order(a: &str, b: &str) -> Ordering {
    (a.len(), a).cmp(&(b.len(), b))
}

#[async_trait]
impl Source for Mastodon {
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
        let mut cursor = Cursor::read(since.cursor.as_deref());
        let walked = self.walked.lock().take();
        if let Some(walk) = &mut cursor.walk {
            walk.resumed |= walked.as_deref() != Some(&*walk.head);
        }
        let (me, page) = tokio::try_join!(self.me(), self.notifications(&mut cursor, limit))?;
        let Some((page, bytes)) = page else {
            let page = replica::Page { next: since.cursor, ..replica::Page::default() };
            return Ok(Fetched { page, ..Fetched::default() });
        };
        let ids = |notification: &Notification| notification.id.clone();
        let (newest, oldest) = (page.first().map(ids), page.last().map(ids));
        let more = cursor.advance(newest.as_deref(), oldest.as_deref())?;
        let place = item::Place { base: self.service.base(), me, now: self.service.clock.now() };
        let service_items = page.iter().rev().map(|notification| item::item(notification, &place)).collect();
        let next = serde_json::to_string(&cursor).map_err(|_| Error::Malformed)?;
        *self.walked.lock() = cursor.walk.map(|walk| walk.head);
        let page = replica::Page { service_items, next: Some(next), more, ..replica::Page::default() };
        Ok(Fetched { page, bytes, ..Fetched::default() })
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
        assert_eq!(order("9", "10"), Ordering::Less);
        assert_eq!(order("113010503322889311", "99"), Ordering::Greater);
        assert_eq!(order("01HZX0", "01HZY0"), Ordering::Less);
    }

    #[test]
    fn the_cursor_goes_down_to_what_was_known_and_only_then_up_to_the_head() {
        let mut cursor = Cursor::default();
        assert!(cursor.advance(Some("100"), Some("81")).unwrap());
        assert_eq!((cursor.known.as_deref(), cursor.walk.as_ref().unwrap().below.as_str()), (None, "81"));
        assert!(cursor.advance(Some("80"), Some("61")).unwrap());
        assert!(!cursor.advance(None, None).unwrap());
        assert_eq!((cursor.known.as_deref(), &cursor.walk), (Some("100"), &None));
        assert!(!cursor.advance(Some("110"), Some("95")).unwrap(), "the page reaches what is known");
        assert_eq!(cursor.known.as_deref(), Some("110"));
        assert!(cursor.advance(Some("300"), Some("261")).unwrap());
        let mut cursor = Cursor::read(Some(&serde_json::to_string(&cursor).unwrap()));
        assert_eq!(cursor.known.as_deref(), Some("110"), "not before the gap is filled");
        assert!(cursor.advance(Some("261"), Some("200")).is_err(), "a page that does not go on");
        let mut cursor = Cursor { known: Some("5".into()), ..Cursor::default() };
        assert!(!cursor.advance(Some("4"), Some("1")).unwrap(), "the newest ones were deleted");
        assert_eq!(cursor.known.as_deref(), Some("5"));
    }

    #[test]
    fn after_a_walk_that_was_resumed_the_newest_are_looked_at_again() {
        let mut cursor = Cursor::default();
        assert!(cursor.advance(Some("100"), Some("81")).unwrap());
        cursor.walk.as_mut().unwrap().resumed = true;
        assert!(cursor.advance(Some("80"), Some("61")).unwrap() && cursor.walk.as_ref().unwrap().resumed);
        assert!(cursor.advance(None, None).unwrap());
        assert_eq!((cursor.known.as_deref(), &cursor.walk), (Some("100"), &None));
        assert!(!cursor.advance(Some("105"), Some("90")).unwrap());
    }
}
