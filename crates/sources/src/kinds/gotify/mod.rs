//! A Gotify server as a source: the messages of one user, new ones by a WebSocket. Gotify keeps no read state; what is
//! deleted here is deleted there. Its stream does not announce deletions there, so these items stay here.

mod cursor;
mod message;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use parking_lot::Mutex;
use reqwest::header::HeaderName;
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use tidings_model::{Clock, Mark, MsgId, Stamp};
use tidings_net::address::AddressKind;
use tidings_net::http::Body;
use tidings_net::{Error, Result};
use tidings_replica::{NotifyLevel, Page, ServiceItem, Skipped};
use tokio::time::Instant;

use self::cursor::Cursor;
use self::message::{Application, Message, PagedMessages};
use crate::bounds::{Bounds, secs};
use crate::cursors;
use crate::service::elements::Elements;
use crate::service::{Service, websocket};
use crate::source::{
    Abilities, Credential, Fetched, Hint, Live, Protocol, ServerInfo, SignIn, Since, Source,
};
use crate::walk::{OwnWalk, Walked};

/// The header with the client token.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-gotify-key");
/// The most messages of a page, which is the API's maximum.
const MAX_PAGE_MESSAGES: usize = 200;
/// The number of messages that are looked at if only few are new.
const NEWEST_MESSAGES: usize = 50;
/// The time of silence after which the server is asked whether it is there; it sends a ping every 45 s.
const SILENCE: Duration = Duration::from_secs(50);
/// The number of bytes at the beginning of a page in which the id of its first message is looked for.
const BEGINNING_BYTES: usize = 16 << 10;

/// A Gotify server.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "gotify",
    label: "Gotify",
    default_url: None,
    example: "gotify.example.org",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SignIn::None,
    abilities: Abilities { live: true, history: true, delete: true, ..Abilities::NONE },
    notify: NotifyLevel::Toast,
    reasons: &[],
    open: |row, token, clock, bounds| Ok(Arc::new(Gotify::new(&row.url, &token, clock, bounds)?)),
};

/// The messages of a client token's user.
struct Gotify {
    service: Service,
    applications: Mutex<Option<Applications>>,
    own_walk: OwnWalk<u64>,
}

/// The applications, as they were at a time.
#[derive(Clone)]
struct Applications {
    by_id: Arc<HashMap<u64, Application>>,
    at: Instant,
}

impl Gotify {
    /// A client of the server at `url`. Sends no request.
    fn new(url: &str, token: &str, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        let service = Service::new(url, clock)?.with_bounds(bounds).with_header(TOKEN_HEADER, token)?;
        Ok(Self { service, applications: Mutex::default(), own_walk: OwnWalk::default() })
    }

    fn page_request(&self, cursor: &Cursor, limit: usize) -> Result<RequestBuilder> {
        let request = self.service.get("message")?.query(&[("limit", limit)]);
        Ok(match &cursor.walked.walk {
            Some(walk) => request.query(&[("since", walk.below)]),
            None => request,
        })
    }

    /// The stored cursor that a page goes on from.
    fn cursor(&self, since: &Since) -> Cursor {
        let mut cursor: Cursor = cursors::read(since.cursor.as_deref());
        self.own_walk.go_on(&mut cursor.walked);
        cursor
    }

    /// A page of items with the cursor after it.
    fn page_after(&self, cursor: &Cursor, service_items: Vec<ServiceItem>, more: bool) -> Result<Page> {
        self.own_walk.left_at(&cursor.walked);
        let stored = cursors::write(cursor)?;
        Ok(Page { service_items, next: Some(stored), more, ..Page::default() })
    }

    /// The applications, with those of `messages` among them if the server lists them.
    async fn applications(&self, messages: &[&Message]) -> Result<Arc<HashMap<u64, Application>>> {
        let stored = self.applications.lock().clone();
        if let Some(Applications { by_id, at }) = stored {
            let has_all = messages.iter().all(|message| by_id.contains_key(&message.application));
            let Bounds { applications_secs, unknown_application_secs, .. } = self.bounds();
            if at.elapsed() < secs(if has_all { applications_secs } else { unknown_application_secs }) {
                return Ok(by_id);
            }
        }
        let all: Vec<Application> = self.service.json(self.service.get("application")?).await?;
        let by_id: HashMap<u64, Application> =
            all.into_iter().map(|application| (application.id, application)).collect();
        let by_id = Arc::new(by_id);
        *self.applications.lock() = Some(Applications { by_id: Arc::clone(&by_id), at: Instant::now() });
        Ok(by_id)
    }
}

/// The part of `GET /current/user` that is read.
#[derive(Deserialize)]
struct CurrentUser {
    name: String,
}

fn seconds(message: &Message) -> i64 {
    message.date().map_or(0, Stamp::as_secs)
}

/// Drops the oldest messages of a page if others of the same time may be on the next one, which then has all of them.
/// The replica orders messages of one time as they come.
fn drop_divided_time(messages: &mut Vec<Message>) {
    let Some(oldest) = messages.first().map(Message::date) else { return };
    let first_later = messages.iter().position(|message| message.date() != oldest);
    if let Some(first_later) = first_later {
        messages.drain(..first_later);
    }
}

/// The number in a msgid.
fn number(msgid: &MsgId) -> Option<u64> {
    msgid.as_str().split_once('-')?.0.parse().ok()
}

#[async_trait]
impl Source for Gotify {
    fn bounds(&self) -> Bounds {
        self.service.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        let CurrentUser { name } = self.service.json(self.service.get("current/user")?).await?;
        Ok(ServerInfo { user: Some(name.clone()), name: Some(name), ..ServerInfo::default() })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut cursor = self.cursor(&since);
        let Walked { known, walk } = &cursor.walked;
        let is_look = walk.is_none() && known.is_some();
        let limit = limit.clamp(1, if is_look { NEWEST_MESSAGES } else { MAX_PAGE_MESSAGES });
        let answer = self.service.answer(self.page_request(&cursor, limit)?).await?;
        let bytes = answer.body.len();
        // The room of a large page is free before anything else is asked for.
        let PagedMessages { paging, messages } = answer.json().await?;
        let is_last = paging.map_or(messages.len() < limit, |paging| paging.since == 0);
        if messages.is_foreign() && !is_last {
            // No message says where the next page begins.
            return Err(Error::Malformed);
        }
        let Elements { read: mut messages, malformed: skipped, .. } = messages;
        messages.sort_by_key(|message| message.id);
        messages.dedup_by_key(|message| message.id);
        if cursor.walked.walk.is_none() && messages.iter().any(|one| cursor.is_reset_by(one.id, seconds(one)))
        {
            tracing::info!("the server counts its messages from 1 again");
            cursor.reset();
        }
        let is_end = is_last || messages.first().is_none_or(|oldest| !cursor.walked.is_beyond(&oldest.id));
        if !is_end {
            drop_divided_time(&mut messages);
        }
        let new: Vec<&Message> = messages.iter().filter(|message| cursor.is_new(message.id)).collect();
        let applications = if new.is_empty() { Arc::default() } else { self.applications(&new).await? };
        let (base, now) = (self.service.base(), self.service.clock().now());
        let item = |message: &&Message| {
            let id = message.application;
            match applications.get(&id) {
                Some(application) => message.item(application, base, now),
                None => message.item(&Application::unknown(id), base, now),
            }
        };
        let service_items = new.iter().map(item).collect();
        let ends = messages.first().zip(messages.last());
        let ends = ends.map(|(oldest, newest)| ((newest.id, seconds(newest)), oldest.id));
        let more = cursor.advance(ends, is_last)?;
        cursor.see(messages.iter().map(|message| message.id));
        Ok(Fetched {
            page: self.page_after(&cursor, service_items, more)?,
            bytes,
            skipped,
            ..Fetched::default()
        })
    }

    async fn skip_item(&self, since: Since) -> Result<Option<Fetched>> {
        let mut cursor = self.cursor(&since);
        let mut body = Body::of(self.service.send(self.page_request(&cursor, 1)?).await?);
        let mut beginning = Vec::new();
        while beginning.len() < BEGINNING_BYTES
            && let Some(chunk) = body.chunk().await?
        {
            beginning.extend_from_slice(&chunk);
        }
        let Some(id) = message::first_id(&beginning) else { return Ok(None) };
        let is_new = cursor.is_new(id);
        let more = cursor.advance(Some(((id, cursor.known_at), id)), false)?;
        cursor.see([id].into_iter());
        let page = self.page_after(&cursor, Vec::new(), more)?;
        let skipped = page.next.clone().filter(|_| is_new);
        let skipped =
            skipped.map(|position| Skipped { position, msgid: MsgId(id.to_string()), malformed: false });
        let skipped = Vec::from_iter(skipped);
        Ok(Some(Fetched { page, skipped, ..Fetched::default() }))
    }

    async fn send_mark(&self, mark: Mark, msgid: &MsgId) -> Result<()> {
        let Some(id) = number(msgid).filter(|_| mark == Mark::Delete) else { return Ok(()) };
        self.service.send(self.service.request(Method::DELETE, &format!("message/{id}"))?).await.map(drop)
    }

    async fn listen(&self) -> Result<Option<Live>> {
        let socket = match websocket::open(&self.service, "stream").await {
            // A proxy between that passes no WebSocket on: the source is pulled on a timer.
            Err(Error::Refused(_) | Error::Malformed) => return Ok(None),
            socket => socket?,
        };
        // Each text is a message, which the pull brings.
        Ok(Some(websocket::messages(socket, SILENCE).map(|message| message.map(|_| Hint::Changed)).boxed()))
    }
}
